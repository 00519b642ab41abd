//! Rules for single elements, and for rows: the index goes to where the element comes from.

use ir::{ArrayOp, Atom, Op, Type};

use super::forward::{Forward, Step};

impl Forward<'_> {
    pub(super) fn index(&mut self, array: &Atom, indices: &[Atom]) -> Option<Step> {
        // index-nothing: `index a ()` -> `a`
        let [first, rest @ ..] = indices else { return Some(Step::Value(array.clone())) };
        let depth = self.depth();
        let known = self.all_in_bounds(array, indices, None, depth);
        let op = self.op_of(array)?.clone();
        // index-literal: `index [a, b] (1)` -> `b`
        if let Op::Array(ArrayOp::Literal { parts, .. }) = &op {
            let Atom::Int(at) = first else { return None };
            let array = parts.get(usize::try_from(*at).ok()?)?.clone();
            return Some(Step::Op(Op::Array(ArrayOp::Index { array, indices: rest.to_vec() })));
        }
        // index-prim: `index (add xs ys) (i)` -> `add (index xs (i)) (index ys (i))`, where nobody else
        // needs the sum and the index is taken where the sum was made
        if let Op::Prim(prim, args) = &op {
            let rank = self.sizes_of(array)?.len();
            let movable = self.is_used_once(array) && self.is_here(array);
            if rank != indices.len() || !movable || self.prim_can_fail(*prim, args) {
                return None;
            }
            let args = self.elements(args, indices)?;
            return Some(Step::Op(Op::Prim(*prim, args)));
        }
        known.then(|| self.index_in_bounds(array, &op, indices)).flatten()
    }

    fn index_in_bounds(&mut self, array: &Atom, op: &Op, indices: &[Atom]) -> Option<Step> {
        // index-replicate: `index (replicate n x) (i)` -> `x`, in bounds
        if let Op::Array(ArrayOp::Replicate { value, .. }) = op {
            let (array, indices) = (value.clone(), indices[1..].to_vec());
            return Some(Step::Op(Op::Array(ArrayOp::Index { array, indices })));
        }
        // index-iota: `index (iota n) (i)` -> `i`, in bounds
        if let Op::Array(ArrayOp::Iota(_)) = op {
            return Some(Step::Value(indices[0].clone()));
        }
        // index-reverse: `index (reverse a) (i)` -> `index a (n - 1 - i)`, in bounds
        if let Op::Array(ArrayOp::Reverse(array)) = op {
            let (sizes, first) = (self.sizes_of(array)?, self.affine(&indices[0])?);
            let last = sizes[0].sub(&ir::Size::constant(1));
            let mut moved = indices.to_vec();
            moved[0] = self.emit(Op::Size(last.sub(&first.offset)))?;
            return Some(Step::Op(Op::Array(ArrayOp::Index {
                array: array.clone(),
                indices: moved,
            })));
        }
        // index-transpose: `index (transpose [1, 0] a) (i, j)` -> `index a (j, i)`, in bounds
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op
            && indices.len() >= permutation.len()
        {
            let mut moved = indices.to_vec();
            for (index, axis) in indices.iter().zip(permutation) {
                moved[*axis] = index.clone();
            }
            return Some(Step::Op(Op::Array(ArrayOp::Index {
                array: array.clone(),
                indices: moved,
            })));
        }
        // index-gather: `index (gather a (is)) (j)` -> `index a (index is (j))`, where the gather cannot
        // fail and nobody else needs it
        if let Op::Array(ArrayOp::Gather { array: inner, indices: positions, mask: None }) = op {
            let rank = self.positions_shape(positions).len();
            let movable = self.is_used_once(array) && self.is_here(array);
            if rank > indices.len() || !movable || self.can_fail(op, self.depth()) {
                return None;
            }
            let (at, rest) = indices.split_at(rank);
            let mut moved = self.elements(positions, at)?;
            moved.extend(rest.iter().cloned());
            return Some(Step::Op(Op::Array(ArrayOp::Index {
                array: inner.clone(),
                indices: moved,
            })));
        }
        None
    }

    /// The elements of arrays at a place; scalars stay.
    fn elements(&mut self, arrays: &[Atom], indices: &[Atom]) -> Option<Vec<Atom>> {
        let mut res = Vec::new();
        for array in arrays {
            let is_array = matches!(self.type_of(array)?, Type::Array(..));
            res.push(match is_array {
                false => array.clone(),
                true => {
                    let indices = indices.to_vec();
                    self.emit(Op::Array(ArrayOp::Index { array: array.clone(), indices }))?
                }
            });
        }
        Some(res)
    }

    /// Whether a variable is bound in the block that is being made, and not outside of a loop.
    fn is_here(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.depths.get(var) == Some(&self.depth()),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
        }
    }
}
