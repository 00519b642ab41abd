//! Rules for gathers: index arrays that come from loops are affine, and then elements only move.

use ir::{ArrayOp, Atom, Literal, Op, Prim, Size, Type, Var};

use super::affine::{Affine, Along};
use super::forward::{Forward, Step};
use super::movement::without;

impl Forward<'_> {
    pub(super) fn gather(
        &mut self,
        array: &Atom,
        indices: &[Atom],
        mask: Option<&Atom>,
    ) -> Option<Step> {
        let op = Op::Array(ArrayOp::Gather {
            array: array.clone(),
            indices: indices.to_vec(),
            mask: mask.cloned(),
        });
        let ty = self.result_types(&op, &[Var(0)]).ok()?.pop()?;
        if let Some(mask) = mask {
            return self.gather_masked(array, indices, mask, &ty);
        }
        let shape = self.positions_shape(indices);
        // gather-scalars: `gather a (i, j)` at scalars -> `index a (i, j)`
        if shape.is_empty() {
            let (array, indices) = (array.clone(), indices.to_vec());
            return Some(Step::Op(Op::Array(ArrayOp::Index { array, indices })));
        }
        self.gather_moved(array, indices, &shape)
            .or_else(|| self.gather_scalar_index(array, indices))
            .or_else(|| self.gather_one(array, indices, &shape, &ty))
            .or_else(|| self.gather_rows(array, indices, &shape))
            .or_else(|| self.gather_repeated(array, indices, &shape))
            .or_else(|| self.gather_of(array, indices, &ty))
    }

    // gather-mask-constant: `gather a (i) where true` -> `gather a (i)`; `where false` -> zeros
    fn gather_masked(
        &mut self,
        array: &Atom,
        indices: &[Atom],
        mask: &Atom,
        ty: &Type,
    ) -> Option<Step> {
        let Some(Atom::Bool(holds)) = self.scalar_of(mask) else {
            return self
                .gather_masked_same(array, indices, mask, ty)
                .or_else(|| self.gather_masked_repeated(array, indices, mask));
        };
        if holds {
            let op = Op::Array(ArrayOp::Gather {
                array: array.clone(),
                indices: indices.to_vec(),
                mask: None,
            });
            let found = self.result_types(&op, &[Var(0)]).ok()?.pop()?;
            return (found == *ty).then_some(Step::Op(op));
        }
        self.as_type(zero_of(ty), ty)
    }

    // gather-masked-same: `gather (replicate n x) (i) where m` at a scalar `m`, in bounds -> `select m x 0.0`,
    // repeated
    fn gather_masked_same(
        &mut self,
        array: &Atom,
        indices: &[Atom],
        mask: &Atom,
        ty: &Type,
    ) -> Option<Step> {
        let value = self.scalar_of(array)?;
        let known = self.all_in_bounds(array, indices, Some(mask), self.depth());
        if !known || self.is_array(mask) {
            return None;
        }
        let chosen = vec![mask.clone(), value, zero_of(ty)];
        let value = self.emit(Op::Prim(Prim::Select, chosen))?;
        self.as_type(value, ty)
    }

    /// The common sizes of index arrays; none if they are all scalars.
    pub(super) fn positions_shape(&self, indices: &[Atom]) -> Vec<Size> {
        let shapes = indices.iter().filter_map(|it| self.sizes_of(it));
        shapes.max_by_key(Vec::len).unwrap_or_default()
    }

    /// The affine forms of indices, those of scalars as of arrays.
    pub(super) fn forms(&self, indices: &[Atom], shape: &[Size]) -> Option<Vec<Affine>> {
        let form = |it: &Atom| {
            let mut form = self.affine(it)?;
            if form.sizes.is_empty() {
                form.sizes = shape.to_vec();
                form.coefficients = vec![Size::constant(0); shape.len()];
            }
            Some(form)
        };
        indices.iter().map(form).collect()
    }

    // gather-moved: `gather a (is)` where every index goes along an axis of its own -> a transpose of a
    // replicate of a slice of `a`. In particular:
    //   gather-identity: `gather a (iota n)` -> `a`, where `a: [n]T`
    //   gather-transpose: `gather a (j, i)` -> `transpose a`
    //   gather-reverse: `gather a (n - 1 - iota n)` -> `reverse a`
    //   gather-slice: `gather a (iota m + c)` -> `slice 0 (c..c + m) a`, in bounds
    //   gather-replicate: `gather a (j)` over `[n][m]` -> `replicate n a`
    fn gather_moved(&mut self, array: &Atom, indices: &[Atom], shape: &[Size]) -> Option<Step> {
        let forms = self.forms(indices, shape)?;
        let sizes = self.sizes_of(array)?;
        let mut axes = Vec::new();
        let mut value = array.clone();
        for (at, form) in forms.iter().enumerate() {
            let axis = match form.along() {
                Along::Axis(axis) => axis,
                Along::Backwards(axis) if at == 0 && shape[axis] == sizes[0] => axis,
                Along::Backwards(_) | Along::Nothing | Along::Other => return None,
            };
            let whole = shape[axis] == sizes[at] && form.offset.as_constant() == Some(0);
            let backwards = matches!(form.along(), Along::Backwards(_));
            if axes.contains(&axis) {
                return None;
            }
            if !whole && !backwards && !self.in_bounds(form, &sizes[at], self.depth()) {
                return None;
            }
            axes.push(axis);
        }
        for (at, form) in forms.iter().enumerate() {
            let length = &shape[axes[at]];
            if matches!(form.along(), Along::Backwards(_)) {
                value = self.emit(Op::Array(ArrayOp::Reverse(value)))?;
            } else if *length != sizes[at] || form.offset.as_constant() != Some(0) {
                let (from, to) = (form.offset.clone(), form.offset.add(length));
                let op = Op::Array(ArrayOp::Slice { array: value, axis: at, from, to });
                if self.can_fail(&op, self.depth()) {
                    return None;
                }
                value = self.emit(op)?;
            }
        }
        let free: Vec<usize> = (0..shape.len()).filter(|it| !axes.contains(it)).collect();
        for axis in free.iter().rev() {
            value =
                self.emit(Op::Array(ArrayOp::Replicate { size: shape[*axis].clone(), value }))?;
        }
        let place = |axis: usize| match free.iter().position(|it| *it == axis) {
            Some(at) => at,
            None => free.len() + axes.iter().position(|it| *it == axis).unwrap_or(0),
        };
        let permutation = (0..shape.len()).map(place).collect();
        Some(Step::Op(Op::Array(ArrayOp::Transpose { array: value, permutation })))
    }

    // gather-scalar-index: `gather a (replicate n c, is)` -> `gather a (c, is)`
    fn gather_scalar_index(&mut self, array: &Atom, indices: &[Atom]) -> Option<Step> {
        let indices = self.scalar_indices(indices)?;
        Some(Step::Op(Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: None })))
    }

    /// Indices with scalars for arrays of one value, if one array stays and something changes.
    pub(super) fn scalar_indices(&self, indices: &[Atom]) -> Option<Vec<Atom>> {
        let new: Vec<Atom> =
            indices.iter().map(|it| self.scalar_of(it).unwrap_or_else(|| it.clone())).collect();
        let is_array = |it: &Atom| matches!(self.type_of(it), Some(Type::Array(..)));
        (new != indices && new.iter().any(is_array)).then_some(new)
    }

    // gather-one: `gather a (replicate n c)` -> `replicate n (index a (c))`, in bounds
    fn gather_one(
        &mut self,
        array: &Atom,
        indices: &[Atom],
        shape: &[Size],
        ty: &Type,
    ) -> Option<Step> {
        let scalars = indices.iter().map(|it| self.scalar_of(it)).collect::<Option<Vec<_>>>()?;
        if !self.all_in_bounds(array, &scalars, None, self.depth()) {
            return None;
        }
        let mut value =
            self.emit(Op::Array(ArrayOp::Index { array: array.clone(), indices: scalars }))?;
        for size in shape.iter().rev() {
            value = self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))?;
        }
        (self.type_of(&value)? == *ty).then_some(Step::Value(value))
    }

    // gather-rows: `gather a (is, j)` over `[n][m]` -> `gather a (is)`, where `a: [k][m]T`, `j` goes along
    // the last axis and `is` does not
    fn gather_rows(&mut self, array: &Atom, indices: &[Atom], shape: &[Size]) -> Option<Step> {
        let sizes = self.sizes_of(array)?;
        let others = self.row_indices(&sizes, indices, shape)?;
        let op = Op::Array(ArrayOp::Gather { array: array.clone(), indices: others, mask: None });
        (!self.can_fail(&op, self.depth())).then_some(Step::Op(op))
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
        let form = self.affine(last)?;
        let whole = form.along() == Along::Axis(axis)
            && form.offset.as_constant() == Some(0)
            && sizes.get(others.len()) == shape.get(axis);
        if !whole {
            return None;
        }
        others.iter().map(|it| self.drop_axis(it, axis)).collect()
    }

    // gather-repeated: `gather a (replicate n is)` -> `replicate n (gather a (is))`, in bounds
    fn gather_repeated(&mut self, array: &Atom, indices: &[Atom], shape: &[Size]) -> Option<Step> {
        let forms: Vec<Option<Affine>> = indices.iter().map(|it| self.affine(it)).collect();
        for (axis, size) in shape.iter().enumerate() {
            if forms.iter().flatten().any(|it| it.depends_on(axis)) {
                continue;
            }
            let dropped = indices.iter().map(|it| self.drop_axis(it, axis)).collect();
            let Some(indices): Option<Vec<Atom>> = dropped else { continue };
            let op = Op::Array(ArrayOp::Gather {
                array: array.clone(),
                indices: indices.clone(),
                mask: None,
            });
            if self.can_fail(&op, self.depth()) {
                continue;
            }
            let value = self.emit(op)?;
            let array = self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))?;
            let permutation = (1..=axis).chain([0]).collect();
            return Some(Step::Op(Op::Array(ArrayOp::Transpose { array, permutation })));
        }
        None
    }

    /// An index array without an axis along which it does not change.
    pub(super) fn drop_axis(&mut self, atom: &Atom, axis: usize) -> Option<Atom> {
        let sizes = self.sizes_of(atom)?;
        if sizes.is_empty() {
            return Some(atom.clone());
        }
        let form = self.affine(atom);
        if form.as_ref().is_some_and(|it| it.depends_on(axis)) {
            return None;
        }
        let op = self.op_of(atom)?.clone();
        if let Op::Array(ArrayOp::Replicate { size, value }) = op {
            if axis == 0 {
                return Some(value);
            }
            let value = self.drop_axis(&value, axis - 1)?;
            return self.emit(Op::Array(ArrayOp::Replicate { size, value }));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op {
            let from = permutation.get(axis).copied().unwrap_or(axis);
            let array = self.drop_axis(&array, from)?;
            let permutation = without(&permutation, from);
            return match permutation.len() < 2 {
                true => Some(array),
                false => self.emit(Op::Array(ArrayOp::Transpose { array, permutation })),
            };
        }
        if let Op::Prim(prim, args) = op {
            if self.prim_can_fail(prim, &args) {
                return None;
            }
            let args = args.iter().map(|it| self.drop_axis(it, axis)).collect::<Option<_>>()?;
            return self.emit(Op::Prim(prim, args));
        }
        let form = form.filter(|it| it.offset.as_constant() == Some(0) && sizes.len() == 2)?;
        let Along::Axis(other) = form.along() else { return None };
        self.emit(Op::Array(ArrayOp::Iota(sizes[other].clone())))
    }

    fn gather_of(&mut self, array: &Atom, indices: &[Atom], ty: &Type) -> Option<Step> {
        let depth = self.depth();
        let known = self.all_in_bounds(array, indices, None, depth);
        let op = self.op_of(array)?.clone();
        if let Op::Array(ArrayOp::Replicate { value, .. }) = &op
            && known
        {
            return self.gather_of_replicate(value, indices, ty);
        }
        // gather-of-transpose: `gather (transpose [1, 0] a) (i, j)` -> `gather a (j, i)`, in bounds
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = &op
            && known
            && indices.len() >= permutation.len()
        {
            let mut moved = indices.to_vec();
            for (index, axis) in indices.iter().zip(permutation) {
                moved[*axis] = index.clone();
            }
            return Some(Step::Op(Op::Array(ArrayOp::Gather {
                array: array.clone(),
                indices: moved,
                mask: None,
            })));
        }
        // gather-of-gather: `gather (gather a (is)) (js)` -> `gather a (gather is (js))`, where nobody else
        // needs the inner one and it cannot fail
        if let Op::Array(ArrayOp::Gather { array: inner, indices: positions, mask: None }) = &op {
            let rank = self.positions_shape(positions).len();
            if rank < indices.len() || !self.is_used_once(array) || self.can_fail(&op, depth) {
                return None;
            }
            let mut moved = Vec::new();
            for position in positions {
                moved.push(match self.sizes_of(position)?.is_empty() {
                    true => position.clone(),
                    false => {
                        let (array, indices) = (position.clone(), indices.to_vec());
                        self.emit(Op::Array(ArrayOp::Gather { array, indices, mask: None }))?
                    }
                });
            }
            let array = inner.clone();
            return Some(Step::Op(Op::Array(ArrayOp::Gather {
                array,
                indices: moved,
                mask: None,
            })));
        }
        None
    }

    // gather-of-replicate: `gather (replicate n a) (i, js)` -> `gather a (js)`, in bounds
    fn gather_of_replicate(&mut self, value: &Atom, indices: &[Atom], ty: &Type) -> Option<Step> {
        let shape = self.positions_shape(indices);
        let rest = indices[1..].to_vec();
        if !self.positions_shape(&rest).is_empty() {
            let op = Op::Array(ArrayOp::Gather { array: value.clone(), indices: rest, mask: None });
            let same = self.result_types(&op, &[Var(0)]).ok()?.first() == Some(ty);
            return same.then_some(Step::Op(op));
        }
        let mut value = value.clone();
        if !rest.is_empty() {
            let op = Op::Array(ArrayOp::Index { array: value, indices: rest });
            if self.can_fail(&op, self.depth()) {
                return None;
            }
            value = self.emit(op)?;
        }
        for size in shape.iter().rev() {
            value = self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))?;
        }
        (self.type_of(&value)? == *ty).then_some(Step::Value(value))
    }
}

/// What is there where nothing is read.
fn zero_of(ty: &Type) -> Atom {
    let scalar = ty.split_arrays().1;
    if *scalar == Type::Real {
        Atom::Real(Literal(0.0))
    } else if *scalar == Type::Int {
        Atom::Int(0)
    } else {
        Atom::Bool(false)
    }
}
