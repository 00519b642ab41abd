//! Rules for scatters: the derivative of a gather into zeros, moved back as the gather moved.
//!
//! Adding to zeros turns `-0.0` into `0.0`, and sums along an axis first add in another order: most of
//! these rules are exact on integers only.

use ir::{ArrayOp, Atom, Op, Size, Type};

use super::axes::{gather, scatter, sum, transpose};
use super::pieces::{scatter_of_concat, scatter_of_scatter};
use crate::simplify::facts::Along;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact_on_integers(
        "scatter-zeros",
        "`scatter a (is) (replicate n 0.0)` -> `a`",
        &[On::Scatter],
        scatter_zeros,
    ),
    // To the bit: the same sums in the same order.
    Rule::exact(
        "scatter-rows",
        "`scatter a (is, j) xs` over `[n][m]` -> `scatter a (is) xs`, where `a: [k][m]T`, `j` goes \
         along the last axis and `is` does not",
        &[On::Scatter],
        scatter_rows,
    ),
    Rule::exact(
        "scatter-scalar-index",
        "`scatter a (replicate n c, is) xs` -> `scatter a (c, is) xs`",
        &[On::Scatter],
        scatter_scalar_index,
    ),
    Rule::exact_on_integers(
        "scatter-of-scatter",
        "`scatter a (i) (scatter b (js) xs)` -> `scatter (scatter a (i) b) (i, js) xs`, where nobody \
         else needs the inner one and it cannot fail",
        &[On::Scatter],
        scatter_of_scatter,
    ),
    Rule::exact_on_integers(
        "scatter-of-concat",
        "`scatter a (i) (concat (zeros, xs, zeros))` -> `scatter a (i, iota + c) xs`, and so for \
         every part that is not zero",
        &[On::Scatter],
        scatter_of_concat,
    ),
    // In particular `scatter zeros (iota n) xs` -> `xs`, and `scatter zeros (n - 1 - iota n) xs` ->
    // `reverse xs`.
    Rule::exact_on_integers(
        "scatter-moved",
        "`scatter zeros (is) xs` where the indices go along all axes of `xs`, each along one of its \
         own and all of it -> a transpose of `xs`, or it backwards",
        &[On::Scatter],
        scatter_moved,
    ),
    // The unit vectors that a Jacobian is taken along are rows and columns.
    Rule::exact(
        "transpose-diagonal",
        "`transpose [1, 0] (scatter zeros (is, is) xs)` -> `scatter zeros (is, is) xs`, for a square",
        &[On::Transpose],
        transpose_diagonal,
    ),
    Rule::exact_on_integers(
        "scatter-pad",
        "`scatter zeros (iota m + c) xs` -> `concat (zeros, xs, zeros)`, in bounds",
        &[On::Scatter],
        scatter_pad,
    ),
    // This is how the derivative of a product of matrices becomes one.
    Rule::exact_on_integers(
        "scatter-sum",
        "`scatter a (is) xs`, where no index changes along an axis -> `scatter a (js) ys`, where \
         `ys` is the sum of `xs` over that axis, and `js` is `is` without it",
        &[On::Scatter],
        scatter_sum,
    ),
];

/// A scatter without a mask.
pub(super) struct Plain<'o> {
    pub(super) into: &'o Atom,
    pub(super) indices: &'o [Atom],
    pub(super) values: &'o Atom,
}

pub(super) fn plain(op: &Op) -> Option<Plain<'_>> {
    let Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }) = op else {
        return None;
    };
    Some(Plain { into, indices, values })
}

fn scatter_zeros(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Plain { into, values, .. } = plain(op)?;
    let nothing = forward.facts.is_zero(values);
    let safe = nothing && !forward.facts.can_fail(op, forward.facts.depth());
    safe.then(|| Step::Value(into.clone()))
}

fn scatter_rows(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Plain { into, indices, values } = plain(op)?;
    let shape = forward.facts.positions_shape(indices);
    let sizes = forward.facts.sizes_of(into)?;
    let indices = forward.row_indices(&sizes, indices, &shape)?;
    let op = scatter(into.clone(), indices, values.clone());
    (!forward.facts.can_fail(&op, forward.facts.depth())).then_some(Step::Op(op))
}

fn scatter_scalar_index(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Plain { into, indices, values } = plain(op)?;
    let indices = forward.facts.scalar_indices(indices)?;
    Some(Step::Op(scatter(into.clone(), indices, values.clone())))
}

fn scatter_moved(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Plain { into, indices, values } = plain(op)?;
    if !forward.facts.is_zero(into) {
        return None;
    }
    let shape = forward.facts.positions_shape(indices);
    let forms = forward.facts.forms(indices, &shape)?;
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
    Some(Step::Op(transpose(values.clone(), permutation)))
}

fn transpose_diagonal(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    let Plain { into, indices, .. } = plain(forward.facts.op_of(array)?)?;
    let [row, column] = indices else { return None };
    let sizes = forward.facts.sizes_of(array)?;
    let square = sizes.len() == 2 && sizes[0] == sizes[1] && *permutation == [1, 0];
    let same = row == column && forward.facts.is_zero(into);
    (square && same).then(|| Step::Value(array.clone()))
}

fn scatter_pad(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Plain { into, indices, values } = plain(op)?;
    if !forward.facts.is_zero(into) {
        return None;
    }
    let shape = forward.facts.positions_shape(indices);
    let ([index], [length], Type::Array(size, row)) = (indices, &*shape, ty) else { return None };
    let form = forward.facts.affine(index)?;
    let after = size.sub(&form.offset).sub(length);
    let natural = |it: &Size| forward.facts.not_negative(it, forward.facts.depth());
    let fits = natural(&form.offset) && natural(&after);
    if form.along() != Along::Axis(0) || !fits {
        return None;
    }
    let rows = |size: Size| Type::array(size, (**row).clone());
    let mut parts = vec![values.clone()];
    if after.as_constant() != Some(0) {
        parts.push(forward.zeros(&rows(after))?);
    }
    if form.offset.as_constant() != Some(0) {
        parts.insert(0, forward.zeros(&rows(form.offset))?);
    }
    let op = Op::Array(ArrayOp::Concat(parts));
    (forward.facts.result_type(&op)? == *ty).then_some(Step::Op(op))
}

fn scatter_sum(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Plain { into, indices, values } = plain(op)?;
    let shape = forward.facts.positions_shape(indices);
    for axis in (0..shape.len()).rev() {
        let Some(indices) = forward.indices_without(indices, axis) else { continue };
        let probe = gather(into.clone(), indices.clone());
        if forward.facts.can_fail(&probe, forward.facts.depth()) {
            continue;
        }
        let values = forward.emit(sum(axis, values.clone()))?;
        return Some(Step::Op(scatter(into.clone(), indices, values)));
    }
    None
}
