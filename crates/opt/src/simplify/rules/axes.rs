//! What several rules make: values of a type, values without an axis along which they do not change,
//! and values repeated along a new one.

use ir::{ArrayOp, Atom, Literal, Op, Prim, Reduction, Size, Type};

use crate::simplify::facts::Along;
use crate::simplify::forward::Forward;
use crate::simplify::rule::Step;

/// A permutation of the axes that are left when one is gone.
pub(super) fn without(permutation: &[usize], gone: usize) -> Vec<usize> {
    let kept = permutation.iter().filter(|it| **it != gone);
    kept.map(|it| if *it > gone { it - 1 } else { *it }).collect()
}

/// Two permutations, one after the other: axis `i` of the result is axis `first[second[i]]`; where one
/// ends, axes stay.
pub(super) fn composed(first: &[usize], second: &[usize]) -> Vec<usize> {
    let rank = first.len().max(second.len());
    let at = |p: &[usize], axis: usize| p.get(axis).copied().unwrap_or(axis);
    (0..rank).map(|it| at(first, at(second, it))).collect()
}

/// The zero of a type of reals, integers or truth values.
pub(super) fn zero_of(ty: &Type) -> Atom {
    let scalar = ty.split_arrays().1;
    if *scalar == Type::Real {
        Atom::Real(Literal(0.0))
    } else if *scalar == Type::Int {
        Atom::Int(0)
    } else {
        Atom::Bool(false)
    }
}

/// An element of an array.
pub(super) fn index(array: Atom, indices: Vec<Atom>) -> Op {
    Op::Array(ArrayOp::Index { array, indices })
}

/// A gather without a mask.
pub(super) fn gather(array: Atom, indices: Vec<Atom>) -> Op {
    Op::Array(ArrayOp::Gather { array, indices, mask: None })
}

/// A scatter without a mask.
pub(super) fn scatter(into: Atom, indices: Vec<Atom>, values: Atom) -> Op {
    Op::Array(ArrayOp::Scatter { into, indices, values, mask: None })
}

pub(super) fn replicate(size: Size, value: Atom) -> Op {
    Op::Array(ArrayOp::Replicate { size, value })
}

pub(super) fn transpose(array: Atom, permutation: Vec<usize>) -> Op {
    Op::Array(ArrayOp::Transpose { array, permutation })
}

pub(super) fn sum(axis: usize, array: Atom) -> Op {
    Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array })
}

impl Forward<'_> {
    /// A value as one of the type, by replicating it if it is a scalar.
    pub(super) fn as_type(&mut self, value: Atom, ty: &Type) -> Option<Step> {
        let (sizes, _) = ty.split_arrays();
        let found = self.facts.type_of(&value)?;
        if found == ty {
            return Some(Step::Value(value));
        }
        if matches!(found, Type::Array(..)) {
            return None;
        }
        let value = self.replicated(value, &sizes)?;
        (self.facts.type_of(&value)? == ty).then_some(Step::Value(value))
    }

    /// A value as rows of these sizes.
    pub(super) fn replicated(&mut self, value: Atom, sizes: &[Size]) -> Option<Atom> {
        sizes.iter().rev().try_fold(value, |value, size| self.emit(replicate(size.clone(), value)))
    }

    /// Zeros of a type.
    pub(super) fn zeros(&mut self, ty: &Type) -> Option<Atom> {
        match self.as_type(zero_of(ty), ty)? {
            Step::Value(value) => Some(value),
            Step::Op(op) => self.emit(op),
        }
    }

    /// An array with its axes in another order.
    pub(super) fn transposed(array: Atom, permutation: Vec<usize>) -> Step {
        match permutation.len() < 2 {
            true => Step::Value(array),
            false => Step::Op(transpose(array, permutation)),
        }
    }

    /// What a step gives.
    pub(super) fn value_of(&mut self, step: Step) -> Option<Atom> {
        match step {
            Step::Value(value) => Some(value),
            Step::Op(op) => self.emit(op),
        }
    }

    /// The value without an axis along which it is repeated; a scalar is what it is.
    pub(super) fn unrepeated(&mut self, atom: &Atom, axis: usize) -> Option<Atom> {
        match self.facts.op_of(atom).cloned() {
            Some(Op::Array(ArrayOp::Replicate { size, value })) => match axis.checked_sub(1) {
                None => Some(value),
                Some(axis) => {
                    let value = self.unrepeated(&value, axis)?;
                    self.emit(replicate(size, value))
                }
            },
            Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                let from = permutation.get(axis).copied().unwrap_or(axis);
                let array = self.unrepeated(&array, from)?;
                self.value_of(Forward::transposed(array, without(&permutation, from)))
            }
            Some(_) | None => (!self.facts.is_array(atom)).then(|| atom.clone()),
        }
    }

    /// The value repeated along a new axis in this place.
    pub(super) fn repeated(&mut self, value: Atom, size: &Size, axis: usize) -> Option<Step> {
        let op = replicate(size.clone(), value);
        if axis == 0 {
            return Some(Step::Op(op));
        }
        let array = self.emit(op)?;
        let permutation = (1..=axis).chain([0]).collect();
        Some(Step::Op(transpose(array, permutation)))
    }

    /// An index array without an axis along which it does not change.
    pub(super) fn drop_axis(&mut self, atom: &Atom, axis: usize) -> Option<Atom> {
        let sizes = self.facts.sizes_of(atom)?;
        if sizes.is_empty() {
            return Some(atom.clone());
        }
        let form = self.facts.affine(atom);
        if form.as_ref().is_some_and(|it| it.depends_on(axis)) {
            return None;
        }
        let op = self.facts.op_of(atom)?.clone();
        if let Op::Array(ArrayOp::Replicate { size, value }) = op {
            if axis == 0 {
                return Some(value);
            }
            let value = self.drop_axis(&value, axis - 1)?;
            return self.emit(replicate(size, value));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op {
            let from = permutation.get(axis).copied().unwrap_or(axis);
            let array = self.drop_axis(&array, from)?;
            return self.value_of(Forward::transposed(array, without(&permutation, from)));
        }
        if let Op::Prim(prim, args) = op {
            if self.facts.prim_can_fail(prim, &args) {
                return None;
            }
            let args = args.iter().map(|it| self.drop_axis(it, axis)).collect::<Option<_>>()?;
            return self.emit(Op::Prim(prim, args));
        }
        let form = form.filter(|it| it.offset.as_constant() == Some(0) && sizes.len() == 2)?;
        let Along::Axis(other) = form.along() else { return None };
        self.emit(Op::Array(ArrayOp::Iota(sizes[other].clone())))
    }

    /// Indices without an axis along which none of them changes.
    pub(super) fn indices_without(&mut self, indices: &[Atom], axis: usize) -> Option<Vec<Atom>> {
        if self.facts.any_depends_on(indices, axis) {
            return None;
        }
        indices.iter().map(|it| self.drop_axis(it, axis)).collect()
    }

    /// All but the last index without the last axis, if the last goes along all of it.
    pub(super) fn row_indices(
        &mut self,
        sizes: &[Size],
        indices: &[Atom],
        shape: &[Size],
    ) -> Option<Vec<Atom>> {
        let (last, others) = indices.split_last()?;
        let axis = shape.len().checked_sub(1).filter(|_| !others.is_empty())?;
        let form = self.facts.affine(last)?;
        let whole = form.along() == Along::Axis(axis)
            && form.offset.as_constant() == Some(0)
            && sizes.get(others.len()) == shape.get(axis);
        if !whole {
            return None;
        }
        others.iter().map(|it| self.drop_axis(it, axis)).collect()
    }

    /// A gather or scatter with a mask that fails only if there is something along the axis that it
    /// had before.
    pub(super) fn where_some(&mut self, op: Op, size: &Size) -> Option<Op> {
        let depth = self.facts.depth();
        let some = self.facts.not_negative(&size.sub(&Size::constant(1)), depth);
        if some || !self.facts.can_fail(&op, depth) {
            return Some(op);
        }
        let count = self.emit(Op::Size(size.clone()))?;
        let some = self.emit(Op::Prim(Prim::Gt, vec![count, Atom::Int(0)]))?;
        let mut op = op;
        if let Op::Array(
            ArrayOp::Gather { mask: Some(mask), .. } | ArrayOp::Scatter { mask: Some(mask), .. },
        ) = &mut op
        {
            *mask = self.emit(Op::Prim(Prim::And, vec![mask.clone(), some]))?;
        }
        Some(op)
    }
}
