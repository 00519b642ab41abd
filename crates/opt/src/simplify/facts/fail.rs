//! Which operations can fail, or not end: those are neither dropped nor moved.

use ir::{ArrayOp, Atom, ControlOp, FunctionOp, MOST_ELEMENTS, Op, Prim, Size, Type};

use super::{Affine, Facts};

impl Facts<'_> {
    /// Whether an operation in the block of this depth can fail, or not end, by itself: what the blocks
    /// inside of it do is another question, and so is what a definition does that is called.
    pub(in crate::simplify) fn can_fail(&self, op: &Op, depth: usize) -> bool {
        // Of unknown sizes it is supposed: what nobody reads may be dropped for that.
        let fits = |size: &Size| {
            size.is_exact() && size.as_constant().is_none_or(|it| it <= MOST_ELEMENTS as i64)
        };
        let natural = |size: &Size| fits(size) && self.not_negative(size, depth);
        let sizes = |atom: &Atom| self.type_of(atom).map(|it| it.split_arrays().0);
        match op {
            Op::Prim(prim, args) => self.prim_can_fail(*prim, args),
            Op::Control(ControlOp::Build { sizes, .. }) => {
                !sizes.iter().all(natural) || !fits(&product(sizes))
            }
            Op::Array(ArrayOp::Iota(size)) => !natural(size),
            Op::Array(ArrayOp::Replicate { size, value }) => {
                let inner = product(&sizes(value).unwrap_or_default());
                !natural(size) || !fits(&size.mul(&inner))
            }
            Op::Array(ArrayOp::Index { array, indices }) => {
                !self.all_in_bounds(array, indices, None, depth)
            }
            Op::Array(
                ArrayOp::Gather { array, indices, mask }
                | ArrayOp::Scatter { into: array, indices, mask, .. },
            ) => !self.all_in_bounds(array, indices, mask.as_ref(), depth),
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                let inside = |sizes: Vec<Size>| natural(&sizes[*axis].sub(to));
                !(natural(from) && natural(&to.sub(from)) && sizes(array).is_some_and(inside))
            }
            Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) => {
                let some = |sizes: Vec<Size>| natural(&sizes[0].sub(&Size::constant(1)));
                !sizes(array).is_some_and(some)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes: to }) => {
                let same = |from: Vec<Size>| product(&from[..*rank]) == product(to);
                !(to.iter().all(natural) && sizes(array).is_some_and(same))
            }
            Op::Array(ArrayOp::Sized { array, size }) => {
                sizes(array).is_none_or(|it| it[0] != *size)
            }
            Op::Copy(_)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Function(FunctionOp::Lambda(_) | FunctionOp::Call { .. }) => false,
            Op::Array(op) => op.is_partial(),
            Op::Derive(op) => op.is_partial(),
            // It may have no end.
            Op::Control(op) => matches!(op, ControlOp::While { .. }),
            Op::Function(FunctionOp::Apply(..)) | Op::Delta(_) => true,
        }
    }

    /// Integers do not divide by zero and have no negative powers.
    pub(in crate::simplify) fn prim_can_fail(&self, prim: Prim, args: &[Atom]) -> bool {
        if ![Prim::Div, Prim::Rem, Prim::Pow].contains(&prim) {
            return false;
        }
        let ty = args.first().and_then(|it| self.type_of(it));
        if ty.is_some_and(|it| *it.split_arrays().1 == Type::Real) {
            return false;
        }
        let Some(second) = args.get(1).and_then(|it| self.affine(it)) else { return true };
        let constant = Affine::scalar(second.offset.clone()) == second;
        match second.offset.as_constant().filter(|_| constant) {
            Some(value) if prim == Prim::Pow => value < 0,
            Some(value) => value == 0,
            None => prim == Prim::Pow || !self.is_size_of(args, &second),
        }
    }

    /// Whether a scalar is the size of an axis of primitives of these operands, so that it is at least 1 where
    /// there is an element.
    pub(super) fn is_size_of(&self, args: &[Atom], scalar: &Affine) -> bool {
        let has = |it: &Atom| self.sizes_of(it).is_some_and(|it| it.contains(&scalar.offset));
        scalar.sizes.is_empty() && args.iter().any(has)
    }
}

fn product(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::constant(1), |res, it| res.mul(it))
}
