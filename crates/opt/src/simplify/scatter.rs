//! Rules for scatters: the derivative of a gather into zeros, moved back as the gather moved.
//!
//! Adding to zeros turns `-0.0` into `0.0`, and sums along an axis first add in another order: these
//! rules are for `Exactness::UpToRounding`, or for integers.

use ir::{ArrayOp, Atom, Literal, Op, Reduction, Size, Type};

use super::Exactness;
use super::affine::Along;
use super::forward::{Forward, Step};

impl Forward<'_> {
    pub(super) fn scatter(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        mask: Option<&Atom>,
    ) -> Option<Step> {
        let ty = self.type_of(into)?;
        let loose = self.exactness == Exactness::UpToRounding || *ty.split_arrays().1 == Type::Int;
        if let Some(mask) = mask {
            return self.scatter_masked(into, indices, values, mask).or_else(|| {
                loose.then(|| self.scatter_masked_sum(into, indices, values, mask)).flatten()
            });
        }
        let shape = self.positions_shape(indices);
        let op = Op::Array(ArrayOp::Scatter {
            into: into.clone(),
            indices: indices.to_vec(),
            values: values.clone(),
            mask: None,
        });
        // scatter-zeros: `scatter a (is) (replicate n 0.0)` -> `a`
        if loose && self.is_zero(values) && !self.can_fail(&op, self.depth()) {
            return Some(Step::Value(into.clone()));
        }
        if let Some(step) = self.scatter_rows(into, indices, values, &shape) {
            return Some(step);
        }
        // scatter-scalar-index: `scatter a (replicate n c, is) xs` -> `scatter a (c, is) xs`
        if let Some(indices) = self.scalar_indices(indices) {
            let (into, values) = (into.clone(), values.clone());
            return Some(Step::Op(Op::Array(ArrayOp::Scatter {
                into,
                indices,
                values,
                mask: None,
            })));
        }
        if !loose {
            return None;
        }
        if !self.is_zero(into) {
            return self
                .scatter_pieces(into, indices, values)
                .or_else(|| self.scatter_sum(into, indices, values, &shape));
        }
        self.scatter_moved(&ty, indices, values, &shape)
            .or_else(|| self.scatter_pad(&ty, indices, values, &shape))
            .or_else(|| self.scatter_sum(into, indices, values, &shape))
    }

    // scatter-mask-constant: `scatter a (i) x where true` -> `scatter a (i) x`; `where false` -> `a`
    fn scatter_masked(
        &self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        mask: &Atom,
    ) -> Option<Step> {
        let Atom::Bool(holds) = self.scalar_of(mask)? else { return None };
        if !holds {
            return Some(Step::Value(into.clone()));
        }
        let (into, indices, values) = (into.clone(), indices.to_vec(), values.clone());
        Some(Step::Op(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None })))
    }

    // scatter-rows: `scatter a (is, j) xs` over `[n][m]` -> `scatter a (is) xs`, where `a: [k][m]T`, `j`
    // goes along the last axis and `is` does not. To the bit: the same sums in the same order.
    fn scatter_rows(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        shape: &[Size],
    ) -> Option<Step> {
        let sizes = self.sizes_of(into)?;
        let indices = self.row_indices(&sizes, indices, shape)?;
        let op = Op::Array(ArrayOp::Scatter {
            into: into.clone(),
            indices,
            values: values.clone(),
            mask: None,
        });
        (!self.can_fail(&op, self.depth())).then_some(Step::Op(op))
    }

    // scatter-moved: `scatter zeros (is) xs` where the indices go along all axes of `xs`, each along one of
    // its own and all of it -> a transpose of `xs`. In particular:
    //   scatter-identity: `scatter zeros (iota n) xs` -> `xs`
    //   scatter-reverse: `scatter zeros (n - 1 - iota n) xs` -> `reverse xs`
    fn scatter_moved(
        &mut self,
        ty: &Type,
        indices: &[Atom],
        values: &Atom,
        shape: &[Size],
    ) -> Option<Step> {
        let forms = self.forms(indices, shape)?;
        let (sizes, _) = ty.split_arrays();
        if forms.len() != shape.len() || forms.is_empty() {
            return None;
        }
        if let [form] = forms.as_slice()
            && form.along() == Along::Backwards(0)
            && shape[0] == sizes[0]
        {
            return Some(Step::Op(Op::Array(ArrayOp::Reverse(values.clone()))));
        }
        let mut permutation = Vec::new();
        for (form, size) in forms.iter().zip(&sizes) {
            let Along::Axis(axis) = form.along() else { return None };
            let whole = form.offset.as_constant() == Some(0) && shape[axis] == *size;
            if !whole || permutation.contains(&axis) {
                return None;
            }
            permutation.push(axis);
        }
        Some(Step::Op(Op::Array(ArrayOp::Transpose { array: values.clone(), permutation })))
    }

    // scatter-pad: `scatter zeros (iota m + c) xs` -> `concat (zeros, xs, zeros)`, in bounds
    fn scatter_pad(
        &mut self,
        ty: &Type,
        indices: &[Atom],
        values: &Atom,
        shape: &[Size],
    ) -> Option<Step> {
        let ([index], [length], Type::Array(size, row)) = (indices, shape, ty) else {
            return None;
        };
        let form = self.affine(index)?;
        let after = size.sub(&form.offset).sub(length);
        let natural = |it: &Size| self.not_negative(it, self.depth());
        let fits = natural(&form.offset) && natural(&after);
        if form.along() != Along::Axis(0) || !fits {
            return None;
        }
        let mut parts = vec![values.clone()];
        if after.as_constant() != Some(0) {
            parts.push(self.zeros(&after, row)?);
        }
        if form.offset.as_constant() != Some(0) {
            parts.insert(0, self.zeros(&form.offset, row)?);
        }
        let op = Op::Array(ArrayOp::Concat(parts));
        let found = self.result_types(&op, &[ir::Var(0)]).ok()?.pop()?;
        (found == *ty).then_some(Step::Op(op))
    }

    /// So many rows of zeros.
    fn zeros(&mut self, size: &Size, row: &Type) -> Option<Atom> {
        let ty = Type::array(size.clone(), row.clone());
        let zero = match ty.split_arrays().1 == &Type::Int {
            true => Atom::Int(0),
            false => Atom::Real(Literal(0.0)),
        };
        match self.as_type(zero, &ty)? {
            Step::Value(value) => Some(value),
            Step::Op(op) => self.emit(op),
        }
    }

    // scatter-masked-sum: the same as scatter-sum with a mask that does not change along the axis either;
    // where an index may be out of bounds, of no rows nothing fails.
    fn scatter_masked_sum(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        mask: &Atom,
    ) -> Option<Step> {
        let all: Vec<Atom> = indices.iter().chain([mask]).cloned().collect();
        let shape = self.positions_shape(&all);
        for (axis, size) in shape.iter().enumerate() {
            let Some((indices, mask)) = self.positions_without(indices, mask, axis) else {
                continue;
            };
            let sum = Op::Array(ArrayOp::Reduce {
                reduction: Reduction::Sum,
                axis,
                array: values.clone(),
            });
            let (into, values) = (into.clone(), self.emit(sum)?);
            let op = Op::Array(ArrayOp::Scatter { into, indices, values, mask: Some(mask) });
            return self.where_some(op, size).map(Step::Op);
        }
        None
    }

    // scatter-sum: `scatter a (is) xs`, where no index changes along an axis -> `scatter a (js) ys`,
    // where `ys` is the sum of `xs` over that axis, and `js` is `is` without it. This is how the derivative
    // of a product of matrices becomes one.
    fn scatter_sum(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
        shape: &[Size],
    ) -> Option<Step> {
        let forms: Vec<_> = indices.iter().map(|it| self.affine(it)).collect();
        for axis in (0..shape.len()).rev() {
            if forms.iter().flatten().any(|it| it.depends_on(axis)) {
                continue;
            }
            let dropped = indices.iter().map(|it| self.drop_axis(it, axis)).collect();
            let Some(indices): Option<Vec<Atom>> = dropped else { continue };
            let probe = Op::Array(ArrayOp::Gather {
                array: into.clone(),
                indices: indices.clone(),
                mask: None,
            });
            if self.can_fail(&probe, self.depth()) {
                continue;
            }
            let sum = Op::Array(ArrayOp::Reduce {
                reduction: Reduction::Sum,
                axis,
                array: values.clone(),
            });
            let values = self.emit(sum)?;
            return Some(Step::Op(Op::Array(ArrayOp::Scatter {
                into: into.clone(),
                indices,
                values,
                mask: None,
            })));
        }
        None
    }
}
