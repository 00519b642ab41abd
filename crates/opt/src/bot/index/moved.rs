//! `index` of what only moves elements, `transpose` and `reshape`: the two rules of Fig. 10 that go by
//! way of a gather.

use ir::{ArrayOp, Atom, ControlOp, Op, Prim, Size};

use super::Push;

impl Push<'_, '_> {
    /// `index (tr_{b0, ..., bk} t) ix  ~>  index (gather sh t (\[i_b0, ..., i_bk]. [i0, ..., ik])) ix`
    ///
    /// With an index for each axis that moves, the gather is at a single place: an index at other
    /// places, checked there. With fewer of them, it is at all positions of the other axes.
    pub(super) fn index_of_transpose(
        &mut self,
        array: &Atom,
        permutation: &[usize],
        ix: &[Atom],
        fails: bool,
    ) -> Option<Op> {
        let n_moved = permutation.len();
        if ix.len() >= n_moved {
            let mut moved = ix.to_vec();
            for (at, axis) in permutation.iter().enumerate() {
                moved[*axis] = ix[at].clone();
            }
            return Some(self.index(array, &moved, fails));
        }
        // Of an axis without positions, nothing would be out of bounds.
        if fails {
            return None;
        }
        let sizes = self.builder.type_of(array).split_arrays().0;
        let kept: Vec<Size> = permutation[ix.len()..].iter().map(|it| sizes[*it].clone()).collect();
        let mut indices = vec![Atom::Int(0); n_moved];
        for (at, axis) in permutation.iter().enumerate() {
            indices[*axis] = match at.checked_sub(ix.len()) {
                None => ix[at].clone(),
                Some(position) => self.positions(&kept, position),
            };
        }
        Some(Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: None }))
    }

    /// The position along one axis, for all positions of some sizes.
    fn positions(&mut self, sizes: &[Size], axis: usize) -> Atom {
        let mut value = self.builder.one(Op::Array(ArrayOp::Iota(sizes[axis].clone())));
        let (before, after) = (&sizes[..axis], &sizes[axis + 1..]);
        for size in before.iter().rev().chain(after.iter().rev()) {
            value = self.builder.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }));
        }
        if after.is_empty() {
            return value;
        }
        // The axes are now: those behind it, those in front of it, it.
        let (n_before, n_after) = (before.len(), after.len());
        let front = (0..=n_before).map(|it| n_after + it);
        let permutation = front.chain(0..n_after).collect();
        self.builder.one(Op::Array(ArrayOp::Transpose { array: value, permutation }))
    }

    /// `index (reshape sh t) ix
    ///   ~>  index (gather sh t (\is. fromLinearIdx (shape t) (toLinearIdx sh is))) ix`
    ///
    /// Where there is an index for each axis, all in bounds, and `t` goes away by that.
    pub(super) fn index_of_reshape(
        &mut self,
        array: &Atom,
        rank: usize,
        sizes: &[Size],
        ix: &[Atom],
        fails: bool,
    ) -> Option<Op> {
        if fails || ix.len() < sizes.len() || !self.goes_away(array) {
            return None;
        }
        let from = self.builder.type_of(array).split_arrays().0[..rank].to_vec();
        // Division by a size that is not known could fail where the index does not.
        let known = |it: &Size| it.as_constant().is_some_and(|it| it > 0);
        if !from.iter().skip(1).all(known) {
            return None;
        }
        let linear = self.linear_position(sizes, &ix[..sizes.len()]);
        let mut indices = self.axis_positions(&from, linear);
        indices.extend(ix[sizes.len()..].iter().cloned());
        Some(self.index(array, &indices, fails))
    }

    /// Whether an index of it would be pushed on, so that the array is not made.
    fn goes_away(&self, array: &Atom) -> bool {
        let Atom::Var(var) = array else { return false };
        let pushed = |op: &Op| {
            matches!(
                op,
                Op::Copy(_)
                    | Op::Array(ArrayOp::Index { .. })
                    | Op::Control(ControlOp::If { .. })
                    | Op::Prim(..)
            ) || matches!(
                op,
                Op::Array(
                    ArrayOp::Reduce { .. } | ArrayOp::Literal { .. } | ArrayOp::Replicate { .. }
                )
            ) || matches!(
                op,
                Op::Array(ArrayOp::Transpose { .. } | ArrayOp::Gather { mask: None, .. })
            )
        };
        self.uses.get(var) == Some(&1) && self.local.get(var).is_some_and(|it| pushed(&it.op))
    }

    /// `toLinearIdx`: `(i0 * n1 + i1) * n2 + ...`
    fn linear_position(&mut self, sizes: &[Size], ix: &[Atom]) -> Atom {
        let mut linear = Atom::Int(0);
        for (at, (size, index)) in sizes.iter().zip(ix).enumerate() {
            linear = match at {
                0 => index.clone(),
                _later => {
                    let size = self.int(size);
                    let scaled = self.builder.one(Op::Prim(Prim::Mul, vec![linear, size]));
                    self.builder.one(Op::Prim(Prim::Add, vec![scaled, index.clone()]))
                }
            };
        }
        linear
    }

    /// `fromLinearIdx`: from the last axis on, what is left of a division, and the quotient.
    fn axis_positions(&mut self, sizes: &[Size], linear: Atom) -> Vec<Atom> {
        let (mut rest, mut indices) = (linear, Vec::new());
        for size in sizes.iter().skip(1).rev() {
            let size = self.int(size);
            indices.push(self.builder.one(Op::Prim(Prim::Rem, vec![rest.clone(), size.clone()])));
            rest = self.builder.one(Op::Prim(Prim::Div, vec![rest, size]));
        }
        indices.extend((!sizes.is_empty()).then_some(rest));
        indices.reverse();
        indices
    }

    fn int(&mut self, size: &Size) -> Atom {
        match (size.as_constant(), size.as_var()) {
            (Some(value), _) => Atom::Int(value),
            (None, Some(var)) => Atom::Var(*var),
            (None, None) => self.builder.one(Op::Size(size.clone())),
        }
    }
}

// Note: index of reshape.
//
// The paper replaces every reshape under an index by a gather at linear positions. Here it stays
// - where an index may be out of bounds: one that is out of bounds of its axis may be in bounds of the
//   flat array, and the check belongs to the axes of the reshaped array, at the place of the index;
// - where fewer indices are given: rows of a reshaped array are what they were, and a gather copies them;
// - where the operand is a variable or a normal form: a reshape costs nothing, and an index variable of
//   a build cancels against its axes, which it would not against a linear position;
// - where a position would be divided by a size that is not known, which could be zero.
// So `index` of `reshape` is a fifth normal form of Theorem 5.1; `build_of_reshape` and
// `build_of_index_of_variable` take the build away from it.
