//! Rules for gathers: index arrays that come from loops are affine, and then elements only move.

use ir::{ArrayOp, Atom, Op, Size, Type};

use super::axes::{gather, index, replicate, transpose};
use crate::simplify::facts::{Affine, Along};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact(
        "gather-scalars",
        "`gather a (i, j)` at scalars -> `index a (i, j)`",
        &[On::Gather],
        gather_scalars,
    ),
    // In particular `gather a (iota n)` -> `a`, `gather a (j, i)` -> `transpose a`,
    // `gather a (n - 1 - iota n)` -> `reverse a`, `gather a (iota m + c)` -> `slice 0 (c..c + m) a` in
    // bounds, and `gather a (j)` over `[n][m]` -> `replicate n a`.
    Rule::exact(
        "gather-moved",
        "`gather a (is)` where every index goes along an axis of its own -> a transpose of a \
         replicate of a slice of `a`, or of it backwards",
        &[On::Gather],
        gather_moved,
    ),
    Rule::exact(
        "gather-scalar-index",
        "`gather a (replicate n c, is)` -> `gather a (c, is)`",
        &[On::Gather],
        gather_scalar_index,
    ),
    Rule::exact(
        "gather-one",
        "`gather a (replicate n c)` -> `replicate n (index a (c))`, in bounds",
        &[On::Gather],
        gather_one,
    ),
    Rule::exact(
        "gather-rows",
        "`gather a (is, j)` over `[n][m]` -> `gather a (is)`, where `a: [k][m]T`, `j` goes along \
         the last axis and `is` does not",
        &[On::Gather],
        gather_rows,
    ),
    Rule::exact(
        "gather-repeated",
        "`gather a (replicate n is)` -> `replicate n (gather a (is))`, in bounds",
        &[On::Gather],
        gather_repeated,
    ),
];

/// The array and the indices of a gather without a mask at positions that are arrays, and their shape.
pub(super) fn plain<'o>(
    forward: &Forward<'_>,
    op: &'o Op,
) -> Option<(&'o Atom, &'o [Atom], Vec<Size>)> {
    let Op::Array(ArrayOp::Gather { array, indices, mask: None }) = op else { return None };
    let shape = forward.facts.positions_shape(indices);
    (!shape.is_empty()).then_some((array, indices, shape))
}

fn gather_scalars(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Gather { array, indices, mask: None }) = op else { return None };
    let scalars = forward.facts.positions_shape(indices).is_empty();
    scalars.then(|| Step::Op(index(array.clone(), indices.clone())))
}

fn gather_moved(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    let forms = forward.facts.forms(indices, &shape)?;
    let sizes = forward.facts.sizes_of(array)?;
    let axes = axes_of(forward, &forms, &shape, &sizes)?;
    let mut value = array.clone();
    for (at, form) in forms.iter().enumerate() {
        let length = &shape[axes[at]];
        if matches!(form.along(), Along::Backwards(_)) {
            value = forward.emit(Op::Array(ArrayOp::Reverse(value)))?;
        } else if *length != sizes[at] || form.offset.as_constant() != Some(0) {
            let (from, to) = (form.offset.clone(), form.offset.add(length));
            let op = Op::Array(ArrayOp::Slice { array: value, axis: at, from, to });
            if forward.facts.can_fail(&op, forward.facts.depth()) {
                return None;
            }
            value = forward.emit(op)?;
        }
    }
    let free: Vec<usize> = (0..shape.len()).filter(|it| !axes.contains(it)).collect();
    for axis in free.iter().rev() {
        value = forward.emit(replicate(shape[*axis].clone(), value))?;
    }
    let place = |axis: usize| match free.iter().position(|it| *it == axis) {
        Some(at) => at,
        None => free.len() + axes.iter().position(|it| *it == axis).unwrap_or(0),
    };
    Some(Step::Op(transpose(value, (0..shape.len()).map(place).collect())))
}

/// The axis that each index goes along, each another one and in bounds.
fn axes_of(
    forward: &Forward<'_>,
    forms: &[Affine],
    shape: &[Size],
    sizes: &[Size],
) -> Option<Vec<usize>> {
    let mut axes = Vec::new();
    for (at, form) in forms.iter().enumerate() {
        let (axis, backwards) = match form.along() {
            Along::Axis(axis) => (axis, false),
            Along::Backwards(axis) if at == 0 && shape[axis] == sizes[0] => (axis, true),
            Along::Backwards(_) | Along::Nothing | Along::Other => return None,
        };
        let whole = shape[axis] == sizes[at] && form.offset.as_constant() == Some(0);
        let depth = forward.facts.depth();
        let fits = whole || backwards || forward.facts.in_bounds(form, &sizes[at], depth);
        if axes.contains(&axis) || !fits {
            return None;
        }
        axes.push(axis);
    }
    Some(axes)
}

fn gather_scalar_index(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, _) = plain(forward, op)?;
    let indices = forward.facts.scalar_indices(indices)?;
    Some(Step::Op(gather(array.clone(), indices)))
}

fn gather_one(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    let scalars =
        indices.iter().map(|it| forward.facts.scalar_of(it)).collect::<Option<Vec<_>>>()?;
    if !forward.facts.all_in_bounds(array, &scalars, None, forward.facts.depth()) {
        return None;
    }
    let value = forward.emit(index(array.clone(), scalars))?;
    let value = forward.replicated(value, &shape)?;
    (forward.facts.type_of(&value)? == ty).then_some(Step::Value(value))
}

fn gather_rows(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    let sizes = forward.facts.sizes_of(array)?;
    let others = forward.row_indices(&sizes, indices, &shape)?;
    let op = gather(array.clone(), others);
    (!forward.facts.can_fail(&op, forward.facts.depth())).then_some(Step::Op(op))
}

fn gather_repeated(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    for (axis, size) in shape.iter().enumerate() {
        let Some(indices) = forward.indices_without(indices, axis) else { continue };
        let op = gather(array.clone(), indices);
        if forward.facts.can_fail(&op, forward.facts.depth()) {
            continue;
        }
        let value = forward.emit(op)?;
        let array = forward.emit(replicate(size.clone(), value))?;
        return Some(Step::Op(transpose(array, (1..=axis).chain([0]).collect())));
    }
    None
}
