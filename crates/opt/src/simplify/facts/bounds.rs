//! Sizes that are known not to be negative, and indices that are known to be in bounds.

use ir::{ArrayOp, Atom, Block, ControlOp, Op, Prim, Size, Type, Var};

use super::{Affine, Facts};

impl Facts<'_> {
    /// Whether a polynomial is known not to be negative in the block of this depth.
    pub(in crate::simplify) fn not_negative(&self, size: &Size, depth: usize) -> bool {
        // The least it can be over the ranges of indices.
        let mut least = size.clone();
        for (monomial, coefficient) in size.terms() {
            let [var] = monomial else { continue };
            let Some(end) = self.ranges.get(*var) else { continue };
            least = least.sub(&Size::var(*var).scale(coefficient));
            if coefficient < 0 {
                least = least.add(&end.sub(&Size::constant(1)).scale(coefficient));
            }
        }
        if let Some(value) = least.as_constant() {
            return value >= 0;
        }
        let known = |it: &Size| self.scopes[..=depth].iter().any(|frame| frame.sizes.contains(it));
        known(&least)
            || least.is_exact()
                && least.terms().all(|(monomial, coefficient)| {
                    coefficient > 0 && monomial.iter().all(|it| known(&Size::var(*it)))
                })
    }

    /// Whether all elements of an index are known to be positions of an axis of this size.
    pub(in crate::simplify) fn in_bounds(&self, index: &Affine, size: &Size, depth: usize) -> bool {
        let one = Size::constant(1);
        let mut least = index.offset.clone();
        let mut room = size.sub(&one).sub(&index.offset);
        for (coefficient, n) in index.coefficients.iter().zip(&index.sizes) {
            let span = coefficient.mul(&n.sub(&one));
            if self.not_negative(coefficient, depth) {
                room = room.sub(&span);
            } else if self.not_negative(&coefficient.scale(-1), depth) {
                least = least.add(&span);
            } else {
                return false;
            }
        }
        self.not_negative(&least, depth) && self.not_negative(&room, depth)
    }

    /// Whether indices are known to be positions of an array: by their form, or because the same
    /// were taken before, with the same mask.
    pub(in crate::simplify) fn all_in_bounds(
        &self,
        array: &Atom,
        indices: &[Atom],
        mask: Option<&Atom>,
        depth: usize,
    ) -> bool {
        let Some(ty) = self.type_of(array) else { return false };
        let (sizes, _) = ty.split_arrays();
        let taken = |key: &Positions| self.scopes[..=depth].iter().any(|it| it.taken.contains(key));
        let fits = |(index, size): (&Atom, &Size)| {
            let size_of = std::slice::from_ref(size);
            let was =
                |index: &Atom, mask| taken(&positions(std::slice::from_ref(index), size_of, mask));
            let form = self.affine(index);
            form.as_ref().is_some_and(|it| self.in_bounds(it, size, depth))
                || mask
                    .zip(form)
                    .is_some_and(|(mask, it)| self.in_bounds_where(&it, size, mask, depth))
                || was(index, mask)
                || was(index, None)
                || was(&self.unmoved(index), mask.filter(|it| !self.is_array(it)))
                || was(&self.unmoved(index), None)
        };
        let sizes = &sizes[..indices.len().min(sizes.len())];
        indices.iter().zip(sizes).all(fits) || taken(&positions(indices, sizes, mask))
    }

    /// What an array shows, repeated or in another order.
    fn unmoved(&self, atom: &Atom) -> Atom {
        match self.op_of(atom) {
            Some(Op::Array(
                ArrayOp::Replicate { value: it, .. } | ArrayOp::Transpose { array: it, .. },
            )) => self.unmoved(it),
            Some(_) | None => atom.clone(),
        }
    }

    /// Notes what a statement tells that ran: its indices were in bounds.
    pub(super) fn learn(&mut self, op: &Op, depth: usize) {
        if let Op::Array(
            ArrayOp::Gather { array, indices, mask }
            | ArrayOp::Scatter { into: array, indices, mask, .. },
        ) = op
            && let Some(ty) = self.type_of(array)
        {
            let (sizes, _) = ty.split_arrays();
            let sizes = &sizes[..indices.len().min(sizes.len())];
            self.scopes[depth].taken.insert(positions(indices, sizes, mask.as_ref()));
            // A scalar is not looked at where there are no positions.
            let rank = self.positions_shape(indices).len();
            for (index, size) in indices.iter().zip(sizes) {
                if self.sizes_of(index).is_some_and(|it| it.len() == rank) {
                    self.in_range(index, size, mask.as_ref(), depth);
                }
            }
        }
        if let Op::Array(ArrayOp::Index { array, indices }) = op
            && let Some(ty) = self.type_of(array)
        {
            let (sizes, _) = ty.split_arrays();
            let sizes = &sizes[..indices.len().min(sizes.len())];
            self.scopes[depth].taken.insert(positions(indices, sizes, None));
            indices.iter().zip(sizes).for_each(|(it, size)| self.in_range(it, size, None, depth));
        }
    }

    /// Notes that the elements of an index are positions of an axis of this size, where the mask holds.
    fn in_range(&mut self, index: &Atom, size: &Size, mask: Option<&Atom>, depth: usize) {
        let (index, size) = (std::slice::from_ref(index), std::slice::from_ref(size));
        self.scopes[depth].taken.insert(positions(index, size, mask));
    }

    /// Notes that what finds greatest or least elements gives positions: `argmin a`, or for the rows of
    /// an array; where a condition holds, if it is done only there.
    pub(super) fn learn_found(&mut self, var: Var, op: &Op, depth: usize) {
        let (found, mask) = if let Op::Control(ControlOp::If { cond, then, .. }) = op {
            (self.positions_found(then), Some(cond.clone()))
        } else {
            (self.rows_found(op), None)
        };
        if let Some(size) = found {
            self.in_range(&Atom::Var(var), &size, mask.as_ref(), depth);
        }
    }

    /// Notes that remainders are less than what is divided by, which is known to be positive.
    pub(super) fn learn_remainder(&mut self, var: Var, op: &Op, depth: usize) {
        let Op::Prim(Prim::Rem, args) = op else { return };
        let Some(by) = args.get(1).and_then(|it| self.affine(it)) else { return };
        let is_positive = match by.offset.as_constant() {
            Some(value) => by == Affine::scalar(Size::constant(value)) && value > 0,
            None => self.is_size_of(args, &by),
        };
        if is_positive
            && self.type_of(&Atom::Var(var)).is_some_and(|it| *it.split_arrays().1 == Type::Int)
        {
            self.in_range(&Atom::Var(var), &by.offset, None, depth);
        }
    }

    /// The number of elements among which a block of one statement finds positions.
    fn positions_found(&self, block: &Block) -> Option<Size> {
        let [stmt] = block.stmts.as_slice() else { return None };
        let [binder] = stmt.binders.as_slice() else { return None };
        (block.results == [Atom::Var(binder.var)]).then(|| self.rows_found(&stmt.op)).flatten()
    }

    fn rows_found(&self, op: &Op) -> Option<Size> {
        if let Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) = op {
            return self.sizes_of(array)?.first().cloned();
        }
        let Op::Control(ControlOp::Build { body, .. }) = op else { return None };
        let (last, _) = body.stmts.split_last()?;
        let [binder] = last.binders.as_slice() else { return None };
        let found = body.results == [Atom::Var(binder.var)];
        found.then(|| self.rows_found(&last.op)).flatten()
    }
}

/// Which positions of which sizes, where which mask holds.
pub(super) type Positions = (Vec<Atom>, Vec<Size>, Option<Atom>);

fn positions(indices: &[Atom], sizes: &[Size], mask: Option<&Atom>) -> Positions {
    let n = indices.len().min(sizes.len());
    (indices[..n].to_vec(), sizes[..n].to_vec(), mask.cloned())
}
