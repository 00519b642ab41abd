//! Operations on arrays, said element by element.

use ir::{ArrayOp, Atom, Prim, Reduction, Size, Type as IrType};

use super::{Reader, Said};
use crate::chad::paper::term::{Term, part, tuple, var};
use crate::chad::paper::types::Type;

/// The longest literal that is written as a chain of choices.
const LONGEST_LITERAL: usize = 16;

fn at(array: Term, index: Term) -> Term {
    Term::Index(Box::new(array), Box::new(index))
}

fn element(array: Term, indices: &[Term]) -> Term {
    indices.iter().cloned().fold(array, at)
}

impl Reader<'_> {
    /// The array of these sizes whose element at some positions is this.
    fn each(&mut self, sizes: &[Size], f: &mut dyn FnMut(&[Term]) -> Term) -> Term {
        let names: Vec<base::Name> = sizes.iter().map(|_| self.supply.fresh("i")).collect();
        let indices: Vec<Term> = names.iter().map(var).collect();
        let all = sizes.iter().zip(names).rev();
        all.fold(f(&indices), |res, (size, name)| Term::Build(size.clone(), name, Box::new(res)))
    }

    /// A primitive, element by element if its result is an array.
    pub(super) fn prim(&mut self, prim: Prim, args: &[Atom], result: &IrType) -> Said<Term> {
        let (sizes, _) = result.split_arrays();
        let operands: Vec<(Term, bool)> = args
            .iter()
            .map(|it| Ok((self.atom(it)?, matches!(self.type_of(it), IrType::Array(..)))))
            .collect::<Said<_>>()?;
        Ok(self.each(&sizes, &mut |indices| {
            let own = operands.iter().map(|(term, is_array)| match is_array {
                true => element(term.clone(), indices),
                false => term.clone(),
            });
            Term::Op(prim, own.collect())
        }))
    }

    pub(super) fn tuple_of_arrays(
        &mut self,
        rank: usize,
        parts: &[Atom],
        result: &IrType,
    ) -> Said<Term> {
        let sizes = result.split_arrays().0;
        let parts = self.atoms(parts)?;
        Ok(self.each(&sizes[..rank], &mut |indices| {
            tuple(parts.iter().map(|it| element(it.clone(), indices)).collect())
        }))
    }

    pub(super) fn projection(&mut self, tuple: &Atom, index: usize) -> Said<Term> {
        let ty = self.type_of(tuple);
        let (sizes, inner) = ty.split_arrays();
        let IrType::Tuple(parts) = inner else { return Err(format!("a part of {ty}")) };
        let (term, of) = (self.atom(tuple)?, parts.len());
        Ok(self.each(&sizes, &mut |indices| part(element(term.clone(), indices), index, of)))
    }

    /// Of an array of tuples with so many axes, that of one part.
    pub(super) fn part_of_elements(
        &mut self,
        array: Term,
        rank: usize,
        index: usize,
        of: usize,
    ) -> Term {
        if rank == 0 {
            return part(array, index, of);
        }
        let name = self.supply.fresh("e");
        let body = self.part_of_elements(var(&name), rank - 1, index, of);
        Term::Map(name, Box::new(body), Box::new(array))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what has no word there is refused")]
    pub(super) fn array_op(&mut self, op: &ArrayOp, result: &IrType) -> Said<Term> {
        let result_sizes = result.split_arrays().0;
        match op {
            ArrayOp::Literal { parts, .. } => self.literal(parts),
            ArrayOp::Index { array, indices } => {
                Ok(element(self.atom(array)?, &self.atoms(indices)?))
            }
            ArrayOp::Slice { array, axis, from, .. } => {
                let (term, from) = (self.atom(array)?, Term::Size(self.size(from)?));
                let axis = *axis;
                Ok(self.each(&result_sizes[..=axis], &mut |indices| {
                    let mut indices = indices.to_vec();
                    indices[axis] = Term::Op(Prim::Add, vec![indices[axis].clone(), from.clone()]);
                    element(term.clone(), &indices)
                }))
            }
            ArrayOp::Reduce { reduction: Reduction::Sum, axis, array } => {
                let ty = self.type_of(array);
                let (sizes, inner) = ty.split_arrays();
                if *inner != IrType::Real {
                    return Err("sums of integers".into());
                }
                let (term, size, axis) = (self.atom(array)?, sizes[*axis].clone(), *axis);
                if sizes.len() == 1 {
                    return Ok(Term::Sum(Type::Real, Box::new(term)));
                }
                let k = self.supply.fresh("k");
                Ok(self.each(&result_sizes, &mut |indices| {
                    let mut indices = indices.to_vec();
                    indices.insert(axis, var(&k));
                    let all = Box::new(element(term.clone(), &indices));
                    let all = Term::Build(size.clone(), k.clone(), all);
                    Term::Sum(Type::Real, Box::new(all))
                }))
            }
            ArrayOp::Gather { array, indices, mask: None } => {
                let array = self.atom(array)?;
                let rank = indices.iter().map(|it| self.type_of(it).split_arrays().0.len());
                let rank = rank.max().unwrap_or(0);
                let positions: Vec<(Term, bool)> = indices
                    .iter()
                    .map(|it| Ok((self.atom(it)?, self.type_of(it) != IrType::Int)))
                    .collect::<Said<_>>()?;
                Ok(self.each(&result_sizes[..rank], &mut |own| {
                    let at = positions.iter().map(|(it, is_array)| match is_array {
                        true => element(it.clone(), own),
                        false => it.clone(),
                    });
                    element(array.clone(), &at.collect::<Vec<Term>>())
                }))
            }
            ArrayOp::Replicate { value, .. } => {
                let value = self.atom(value)?;
                Ok(self.each(&result_sizes[..1], &mut |_| value.clone()))
            }
            ArrayOp::Iota(_) => Ok(self.each(&result_sizes, &mut |indices| indices[0].clone())),
            ArrayOp::Transpose { array, permutation } => {
                let array = self.atom(array)?;
                let rank = permutation.len();
                Ok(self.each(&result_sizes[..rank], &mut |own| {
                    let of = |axis| permutation.iter().position(|it| *it == axis);
                    let at = (0..rank).filter_map(of).map(|it| own[it].clone());
                    element(array.clone(), &at.collect::<Vec<Term>>())
                }))
            }
            ArrayOp::Reverse(array) => {
                let array = self.atom(array)?;
                let last = Term::Size(result_sizes[0].sub(&Size::constant(1)));
                Ok(self.each(&result_sizes[..1], &mut |own| {
                    at(array.clone(), Term::Op(Prim::Sub, vec![last.clone(), own[0].clone()]))
                }))
            }
            ArrayOp::Reduce { reduction: Reduction::Product, .. } => Err("`product`".into()),
            ArrayOp::Reduce { .. } | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) => {
                Err("greatest and least elements".into())
            }
            ArrayOp::Gather { .. } => Err("elements that are read where a mask holds".into()),
            ArrayOp::Scatter { .. } => Err("`scatter`".into()),
            ArrayOp::Reshape { .. } | ArrayOp::Sized { .. } => {
                Err("other sizes of an array".into())
            }
            ArrayOp::Concat(_) => Err("arrays one after the other".into()),
            ArrayOp::Sort(_) => Err("`sort`".into()),
            _ => Err("an operation on whole arrays".into()),
        }
    }

    /// An array written element by element: a chain of choices by position.
    fn literal(&mut self, parts: &[Atom]) -> Said<Term> {
        if parts.len() > LONGEST_LITERAL {
            return Err(format!("a literal of more than {LONGEST_LITERAL} elements"));
        }
        let parts = self.atoms(parts)?;
        let size = Size::constant(parts.len() as i64);
        let names: Vec<[base::Name; 2]> =
            parts.iter().map(|_| ["u", "u"].map(|it| self.supply.fresh(it))).collect();
        let Some((last, before)) = parts.split_last() else {
            return Err("an array without elements".into());
        };
        Ok(self.each(&[size], &mut |own| {
            let all = before.iter().zip(&names).enumerate().rev();
            all.fold(last.clone(), |res, (position, (it, [yes, no]))| {
                let is_here = vec![own[0].clone(), Term::Int(position as i64)];
                let cond = Box::new(Term::Op(Prim::Eq, is_here));
                Term::Case(cond, yes.clone(), Box::new(it.clone()), no.clone(), Box::new(res))
            })
        }))
    }
}
