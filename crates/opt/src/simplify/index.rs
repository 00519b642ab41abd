//! Rules for single elements, and for rows: the index goes to where the element comes from.

use ir::{Atom, Op, Type};

use super::forward::{Forward, Step};

impl Forward<'_> {
    pub(super) fn index(&mut self, array: &Atom, indices: &[Atom]) -> Option<Step> {
        // index-nothing: `index a ()` -> `a`
        let [first, rest @ ..] = indices else { return Some(Step::Value(array.clone())) };
        let depth = self.depth();
        let known = self.all_in_bounds(array, indices, None, depth);
        let op = self.op_of(array)?.clone();
        match op {
            // index-literal: `index [a, b] (1)` -> `b`
            Op::Array { parts, .. } => {
                let Atom::Int(at) = first else { return None };
                let part = parts.get(usize::try_from(*at).ok()?)?.clone();
                Some(Step::Op(Op::Index { array: part, indices: rest.to_vec() }))
            }
            // index-replicate: `index (replicate n x) (i)` -> `x`, in bounds
            Op::Replicate { value, .. } if known => match rest {
                [] => Some(Step::Value(value)),
                [_, ..] => Some(Step::Op(Op::Index { array: value, indices: rest.to_vec() })),
            },
            // index-iota: `index (iota n) (i)` -> `i`, in bounds
            Op::Iota(_) if known => Some(Step::Value(first.clone())),
            // index-transpose: `index (transpose [1, 0] a) (i, j)` -> `index a (j, i)`, in bounds
            Op::Transpose { array, permutation } if known && indices.len() >= permutation.len() => {
                let mut moved = indices.to_vec();
                for (index, axis) in indices.iter().zip(&permutation) {
                    moved[*axis] = index.clone();
                }
                Some(Step::Op(Op::Index { array, indices: moved }))
            }
            // index-gather: `index (gather a (is)) (j)` -> `index a (index is (j))`, where the gather
            // cannot fail and nobody else needs it
            Op::Gather { array: inner, indices: positions, mask: None } if known => {
                let gather =
                    Op::Gather { array: inner.clone(), indices: positions.clone(), mask: None };
                let rank = positions.iter().filter_map(|it| self.sizes_of(it)).map(|it| it.len());
                let rank = rank.max()?;
                let movable = self.is_used_once(array) && self.is_here(array);
                if rank > indices.len() || !movable || self.can_fail(&gather, depth) {
                    return None;
                }
                let (at, rest) = indices.split_at(rank);
                let mut moved = self.elements(&positions, at)?;
                moved.extend(rest.iter().cloned());
                Some(Step::Op(Op::Index { array: inner, indices: moved }))
            }
            // index-prim: `index (add xs ys) (i)` -> `add (index xs (i)) (index ys (i))`, where nobody
            // else needs the sum and the index is taken where the sum was made
            Op::Prim(prim, args) => {
                let rank = self.sizes_of(array)?.len();
                let movable = self.is_used_once(array) && self.is_here(array);
                if rank != indices.len() || !movable || self.prim_can_fail(prim, &args) {
                    return None;
                }
                let args = self.elements(&args, indices)?;
                Some(Step::Op(Op::Prim(prim, args)))
            }
            _other => None,
        }
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
                    self.emit(Op::Index { array: array.clone(), indices })?
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
