//! Types of tuples and arrays.

use super::{Types, Typing, one, same_count};
use crate::op::{ArrayOp, Reduction};
use crate::size::Size;
use crate::term::{Atom, Lambda, Var};
use crate::types::Type;

impl Typing<'_> {
    /// Arrays.
    pub(super) fn array_op(&self, op: &ArrayOp, results: &[Var]) -> Types {
        match op {
            ArrayOp::Literal { elem, parts } => {
                self.expect_all("element", &vec![elem.clone(); parts.len()], parts)?;
                Ok(one(Type::array(Size::constant(parts.len() as i64), elem.clone())))
            }
            ArrayOp::Index { array, indices } => self.index(array, indices).map(one),
            ArrayOp::Slice { array, axis, from, to } => self.slice(array, *axis, from, to).map(one),
            ArrayOp::Reduce { reduction, axis, array } => {
                self.reduce(*reduction, *axis, array).map(one)
            }
            ArrayOp::Argmax(array) | ArrayOp::Argmin(array) => {
                self.numbers(array)?;
                Ok(one(Type::Int))
            }
            ArrayOp::Gather { array, indices, mask } => {
                self.gather(array, indices, mask.as_ref()).map(one)
            }
            ArrayOp::Scatter { into, indices, values, mask } => {
                self.scatter(into, indices, values, mask.as_ref()).map(one)
            }
            ArrayOp::Replicate { size, value } => {
                Ok(one(Type::array(size.clone(), self.of(value)?)))
            }
            ArrayOp::Iota(size) => Ok(one(Type::array(size.clone(), Type::Int))),
            ArrayOp::Transpose { array, permutation } => {
                self.transpose(array, permutation).map(one)
            }
            ArrayOp::Reshape { array, rank, sizes } => self.reshape(array, *rank, sizes).map(one),
            ArrayOp::Reverse(array) => {
                self.array(array)?;
                self.of(array).map(one)
            }
            ArrayOp::Concat(arrays) => self.concat(arrays).map(one),
            ArrayOp::Sort(array) => {
                self.numbers(array)?;
                self.of(array).map(one)
            }
            ArrayOp::Argsort(array) => {
                let (size, _) = self.numbers(array)?;
                Ok(one(Type::array(size, Type::Int)))
            }
            ArrayOp::Filter { array, predicate } => self.filter(array, predicate, results),
            ArrayOp::Sized { array, size } => {
                let (_, elem) = self.array(array)?;
                Ok(one(Type::array(size.clone(), elem)))
            }
        }
    }

    pub(super) fn tuple(&self, rank: usize, parts: &[Atom]) -> Result<Type, String> {
        let mut sizes: Option<Vec<Size>> = None;
        let mut elems = Vec::new();
        for part in parts {
            let ty = self.of(part)?;
            let (outer, elem) = peel(&ty, rank)?;
            let sizes = sizes.get_or_insert_with(|| outer.clone());
            if *sizes != outer {
                return Err(format!("{part} has type {ty}, other parts have other sizes"));
            }
            elems.push(elem);
        }
        match sizes {
            Some(sizes) => Ok(Type::arrays(&sizes, Type::Tuple(elems))),
            None if rank == 0 => Ok(Type::unit()),
            None => Err("an array of empty tuples has no sizes".into()),
        }
    }

    pub(super) fn proj(&self, tuple: &Atom, index: usize) -> Result<Type, String> {
        let ty = self.of(tuple)?;
        let (sizes, inner) = ty.split_arrays();
        match inner {
            Type::Tuple(parts) if index < parts.len() => {
                Ok(Type::arrays(&sizes, parts[index].clone()))
            }
            Type::Tuple(_) | Type::Real | Type::Int | Type::Bool | Type::String => {
                Err(format!("{ty} has no part {index}"))
            }
            Type::Array(..)
            | Type::Function(..)
            | Type::Var(_)
            | Type::Data(..)
            | Type::Dual(_)
            | Type::Delta
            | Type::Tape(_) => Err(format!("{ty} has no parts")),
        }
    }

    pub(super) fn index(&self, array: &Atom, indices: &[Atom]) -> Result<Type, String> {
        self.expect_all("the index", &vec![Type::Int; indices.len()], indices)?;
        Ok(peel(&self.of(array)?, indices.len())?.1)
    }

    pub(super) fn slice(
        &self,
        array: &Atom,
        axis: usize,
        from: &Size,
        to: &Size,
    ) -> Result<Type, String> {
        let (mut sizes, elem) = peel(&self.of(array)?, axis + 1)?;
        sizes[axis] = to.sub(from);
        Ok(Type::arrays(&sizes, elem))
    }

    pub(super) fn reduce(
        &self,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
    ) -> Result<Type, String> {
        let ty = self.of(array)?;
        let (mut sizes, elem) = peel(&ty, axis + 1)?;
        sizes.pop();
        let inner = elem.split_arrays().1;
        let linear = *inner == Type::Delta && reduction == Reduction::Sum;
        if *inner != Type::Real && *inner != Type::Int && !linear {
            return Err(format!("{reduction} is of numbers, not of {ty}"));
        }
        Ok(Type::arrays(&sizes, elem))
    }

    pub(super) fn gather(
        &self,
        array: &Atom,
        indices: &[Atom],
        mask: Option<&Atom>,
    ) -> Result<Type, String> {
        let (_, elem) = peel(&self.of(array)?, indices.len())?;
        let sizes = self.positions(indices, mask)?;
        let inner = elem.split_arrays().1;
        if mask.is_some() && !has_zero(inner) {
            return Err(format!("{inner} has no zero, so there is no mask"));
        }
        Ok(Type::arrays(&sizes, elem))
    }

    /// The common sizes of index arrays, among which there may be scalars, and of their mask.
    fn positions(&self, indices: &[Atom], mask: Option<&Atom>) -> Result<Vec<Size>, String> {
        let mut shape: Option<Vec<Size>> = None;
        let wanted =
            indices.iter().map(|it| (it, Type::Int)).chain(mask.map(|it| (it, Type::Bool)));
        for (atom, scalar) in wanted {
            let ty = self.of(atom)?;
            let (sizes, inner) = ty.split_arrays();
            if *inner != scalar {
                return Err(format!("indices are of type Int, and masks Bool, not {inner}"));
            }
            match &shape {
                Some(shape) if !sizes.is_empty() && *shape != sizes => {
                    return Err(format!("{atom} differs in size from the indices before it"));
                }
                Some(_) => {}
                None if sizes.is_empty() => {}
                None => shape = Some(sizes),
            }
        }
        Ok(shape.unwrap_or_default())
    }

    pub(super) fn scatter(
        &self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        mask: Option<&Atom>,
    ) -> Result<Type, String> {
        let (_, elem) = peel(&self.of(into)?, indices.len())?;
        let sizes = self.positions(indices, mask)?;
        let inner = elem.split_arrays().1;
        if *inner != Type::Real && *inner != Type::Int && *inner != Type::Delta {
            return Err(format!("scatter adds numbers, not {inner}"));
        }
        self.expect("the array of values", &Type::arrays(&sizes, elem), values)?;
        self.of(into)
    }

    pub(super) fn transpose(&self, array: &Atom, permutation: &[usize]) -> Result<Type, String> {
        let (sizes, elem) = peel(&self.of(array)?, permutation.len())?;
        let mut sorted = permutation.to_vec();
        sorted.sort_unstable();
        if sorted.iter().enumerate().any(|(at, it)| at != *it) {
            return Err("the axes are no permutation".into());
        }
        let sizes: Vec<Size> = permutation.iter().map(|it| sizes[*it].clone()).collect();
        Ok(Type::arrays(&sizes, elem))
    }

    pub(super) fn reshape(
        &self,
        array: &Atom,
        rank: usize,
        sizes: &[Size],
    ) -> Result<Type, String> {
        let (_, elem) = peel(&self.of(array)?, rank)?;
        Ok(Type::arrays(sizes, elem))
    }

    pub(super) fn concat(&self, arrays: &[Atom]) -> Result<Type, String> {
        let all = arrays.iter().map(|it| self.array(it)).collect::<Result<Vec<_>, _>>()?;
        let (_, elem) = all.first().ok_or("concat needs an array")?;
        if let Some((_, other)) = all.iter().find(|(_, it)| it != elem) {
            return Err(format!("the arrays hold {elem} and {other}"));
        }
        let size = all.iter().fold(Size::constant(0), |sum, (it, _)| sum.add(it));
        Ok(Type::array(size, elem.clone()))
    }

    pub(super) fn filter(&self, array: &Atom, predicate: &Lambda, results: &[Var]) -> Types {
        let (_, elem) = self.array(array)?;
        let found = self.lambda(predicate)?;
        let expected = Type::Function(vec![elem.clone()], Box::new(Type::Bool));
        if found != expected {
            return Err(format!("the predicate has type {found}, not {expected}"));
        }
        same_count("result", 2, results.len())?;
        Ok(vec![Type::Int, Type::array(Size::var(results[0]), elem)])
    }

    /// Size and elements of an array.
    pub(super) fn array(&self, atom: &Atom) -> Result<(Size, Type), String> {
        let (mut sizes, elem) = peel(&self.of(atom)?, 1)?;
        Ok((sizes.remove(0), elem))
    }

    /// Size and elements of an array of `Real` or of `Int`.
    pub(super) fn numbers(&self, atom: &Atom) -> Result<(Size, Type), String> {
        let (size, elem) = self.array(atom)?;
        if elem != Type::Real && elem != Type::Int {
            return Err(format!("{atom} is no array of numbers but of {elem}"));
        }
        Ok((size, elem))
    }
}

/// The outer `rank` sizes of an array type and what is inside of them.
fn peel(ty: &Type, rank: usize) -> Result<(Vec<Size>, Type), String> {
    let (mut sizes, scalar) = ty.split_arrays();
    if sizes.len() < rank {
        return Err(format!("{ty} has fewer than {rank} dimensions"));
    }
    let inner = sizes.split_off(rank);
    Ok((sizes, Type::arrays(&inner, scalar.clone())))
}

/// Whether there is a zero of a type, which stands where a mask does not hold.
fn has_zero(ty: &Type) -> bool {
    match ty {
        Type::Real | Type::Int | Type::Bool | Type::Delta => true,
        Type::Tuple(parts) => parts.iter().all(has_zero),
        Type::String | Type::Array(..) | Type::Function(..) => false,
        Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Tape(_) => false,
    }
}
