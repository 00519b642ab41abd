//! Rules for what does not change along an axis: it is done once, and repeated.

use ir::{ArrayOp, Atom, Op, Prim, Size};

use super::forward::{Forward, Step};
use super::movement::without;

impl Forward<'_> {
    /// Whether a value is repeated along an axis, as replicates and transposes tell.
    pub(super) fn is_repeated(&self, atom: &Atom, axis: usize) -> bool {
        match self.op_of(atom) {
            Some(Op::Array(ArrayOp::Replicate { value, .. })) => {
                axis.checked_sub(1).is_none_or(|axis| self.is_repeated(value, axis))
            }
            Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                self.is_repeated(array, permutation.get(axis).copied().unwrap_or(axis))
            }
            Some(_) | None => !self.is_array(atom),
        }
    }

    /// The value without an axis along which it is repeated; a scalar is what it is.
    pub(super) fn unrepeated(&mut self, atom: &Atom, axis: usize) -> Option<Atom> {
        match self.op_of(atom).cloned() {
            Some(Op::Array(ArrayOp::Replicate { size, value })) => match axis.checked_sub(1) {
                None => Some(value),
                Some(axis) => {
                    let value = self.unrepeated(&value, axis)?;
                    self.emit(Op::Array(ArrayOp::Replicate { size, value }))
                }
            },
            Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                let from = permutation.get(axis).copied().unwrap_or(axis);
                let array = self.unrepeated(&array, from)?;
                let permutation = without(&permutation, from);
                match permutation.len() < 2 {
                    true => Some(array),
                    false => self.emit(Op::Array(ArrayOp::Transpose { array, permutation })),
                }
            }
            Some(_) | None => (!self.is_array(atom)).then(|| atom.clone()),
        }
    }

    /// The value repeated along a new axis in this place.
    pub(super) fn repeated(&mut self, value: Atom, size: &Size, axis: usize) -> Option<Step> {
        let op = Op::Array(ArrayOp::Replicate { size: size.clone(), value });
        if axis == 0 {
            return Some(Step::Op(op));
        }
        let array = self.emit(op)?;
        let permutation = (1..=axis).chain([0]).collect();
        Some(Step::Op(Op::Array(ArrayOp::Transpose { array, permutation })))
    }

    // prim-of-repeated: `add (transpose [1, 0] (replicate n xs)) (transpose [1, 0] (replicate n ys))` ->
    // `transpose [1, 0] (replicate n (add xs ys))`, for any axis along which all operands are repeated;
    // scalars are along all
    pub(super) fn prim_of_repeated(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        // Of no elements nothing fails.
        if self.prim_can_fail(prim, args) {
            return None;
        }
        let array = args.iter().find(|it| self.is_array(it))?;
        let sizes = self.sizes_of(array)?;
        let repeated = |axis: &usize| args.iter().all(|it| self.is_repeated(it, *axis));
        let axis = (0..sizes.len()).find(repeated)?;
        let args = args.iter().map(|it| self.unrepeated(it, axis)).collect::<Option<Vec<_>>>()?;
        let value = self.emit(Op::Prim(prim, args))?;
        self.repeated(value, &sizes[axis], axis)
    }

    // gather-masked-repeated: `gather a (replicate n is) where (replicate n m)` ->
    // `replicate n (gather a (is) where m)`, along any axis; where `is` may be out of bounds,
    // `where (and m (n > 0))`, since of no rows nothing fails
    pub(super) fn gather_masked_repeated(
        &mut self,
        array: &Atom,
        indices: &[Atom],
        mask: &Atom,
    ) -> Option<Step> {
        let all: Vec<Atom> = indices.iter().chain([mask]).cloned().collect();
        let shape = self.positions_shape(&all);
        for (axis, size) in shape.iter().enumerate() {
            let Some((indices, mask)) = self.positions_without(indices, mask, axis) else {
                continue;
            };
            let op = Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: Some(mask) });
            let op = self.where_some(op, size)?;
            let value = self.emit(op)?;
            return self.repeated(value, size, axis);
        }
        None
    }

    /// Indices and mask without an axis along which none of them changes.
    pub(super) fn positions_without(
        &mut self,
        indices: &[Atom],
        mask: &Atom,
        axis: usize,
    ) -> Option<(Vec<Atom>, Atom)> {
        let forms = indices.iter().filter_map(|it| self.affine(it));
        if forms.into_iter().any(|it| it.depends_on(axis)) {
            return None;
        }
        let mask = self.drop_axis(mask, axis)?;
        let indices = indices.iter().map(|it| self.drop_axis(it, axis)).collect::<Option<_>>()?;
        Some((indices, mask))
    }

    /// A gather or scatter with a mask that fails only if there is something along the axis that it
    /// had before.
    pub(super) fn where_some(&mut self, op: Op, size: &Size) -> Option<Op> {
        let depth = self.depth();
        if !self.can_fail(&op, depth) || self.not_negative(&size.sub(&Size::constant(1)), depth) {
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
