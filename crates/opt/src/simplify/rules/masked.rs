//! Rules for gathers and scatters with a mask.

use ir::{ArrayOp, Atom, Op, Prim, Type};

use super::axes::{gather, scatter, sum, zero_of};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact(
        "gather-mask-constant",
        "`gather a (i) where true` -> `gather a (i)`; `where false` -> zeros",
        &[On::Gather],
        gather_mask_constant,
    ),
    Rule::exact(
        "gather-masked-same",
        "`gather (replicate n x) (i) where m` at a scalar `m`, in bounds -> `select m x 0.0`, \
         repeated",
        &[On::Gather],
        gather_masked_same,
    ),
    // So that `if i == 0 then a[0] else ..` takes each element from its own place, and its derivative adds to
    // it there.
    Rule::exact(
        "gather-masked-own",
        "`gather a (c) where m`, where `a` and `m` have one axis, the same, and `m` holds at position \
         `c` alone, or nowhere -> `select m a 0.0`",
        &[On::Gather],
        gather_masked_own,
    ),
    Rule::exact(
        "gather-masked-repeated",
        "`gather a (replicate n is) where (replicate n m)` -> `replicate n (gather a (is) where \
         m)`, along any axis; where `is` may be out of bounds, `where (and m (n > 0))`, since of no \
         rows nothing fails",
        &[On::Gather],
        gather_masked_repeated,
    ),
    Rule::exact(
        "scatter-mask-constant",
        "`scatter a (i) x where true` -> `scatter a (i) x`; `where false` -> `a`",
        &[On::Scatter],
        scatter_mask_constant,
    ),
    Rule::exact_on_integers(
        "scatter-masked-sum",
        "`scatter a (is) xs where m`, where neither `is` nor `m` changes along an axis -> `scatter a \
         (js) ys where l`, where `ys` is the sum of `xs` over that axis, and `js` and `l` are \
         without it",
        &[On::Scatter],
        scatter_masked_sum,
    ),
];

/// The array, the indices and the mask of a gather whose mask is not known.
fn masked<'o>(forward: &Forward<'_>, op: &'o Op) -> Option<(&'o Atom, &'o [Atom], &'o Atom)> {
    let Op::Array(ArrayOp::Gather { array, indices, mask: Some(mask) }) = op else { return None };
    let known = matches!(forward.facts.scalar_of(mask), Some(Atom::Bool(_)));
    (!known).then_some((array, indices, mask))
}

fn gather_mask_constant(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Gather { array, indices, mask: Some(mask) }) = op else { return None };
    let Atom::Bool(holds) = forward.facts.scalar_of(mask)? else { return None };
    if !holds {
        return forward.as_type(zero_of(ty), ty);
    }
    let op = gather(array.clone(), indices.clone());
    (forward.facts.result_type(&op)? == *ty).then_some(Step::Op(op))
}

fn gather_masked_same(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let (array, indices, mask) = masked(forward, op)?;
    let value = forward.facts.scalar_of(array)?;
    let depth = forward.facts.depth();
    let known = forward.facts.all_in_bounds(array, indices, Some(mask), depth);
    if !known || forward.facts.is_array(mask) {
        return None;
    }
    let chosen = vec![mask.clone(), value, zero_of(ty)];
    let value = forward.emit(Op::Prim(Prim::Select, chosen))?;
    forward.as_type(value, ty)
}

fn gather_masked_own(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let (array, indices, mask) = masked(forward, op)?;
    let sizes = forward.facts.sizes_of(array)?;
    let is_whole = sizes.len() == 1 && forward.facts.sizes_of(mask)? == sizes;
    let forms = forward.facts.forms(indices, &sizes).filter(|_| is_whole)?;
    let is_own = forms.iter().all(|it| forward.facts.is_position_where(it, mask));
    let chosen = vec![mask.clone(), array.clone(), zero_of(ty)];
    is_own.then_some(Step::Op(Op::Prim(Prim::Select, chosen)))
}

fn gather_masked_repeated(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, mask) = masked(forward, op)?;
    let all: Vec<Atom> = indices.iter().chain([mask]).cloned().collect();
    let shape = forward.facts.positions_shape(&all);
    for (axis, size) in shape.iter().enumerate() {
        let Some((indices, mask)) = positions_without(forward, indices, mask, axis) else {
            continue;
        };
        let op = Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: Some(mask) });
        let op = forward.where_some(op, size)?;
        let value = forward.emit(op)?;
        return forward.repeated(value, size, axis);
    }
    None
}

/// Indices and mask without an axis along which none of them changes.
fn positions_without(
    forward: &mut Forward<'_>,
    indices: &[Atom],
    mask: &Atom,
    axis: usize,
) -> Option<(Vec<Atom>, Atom)> {
    if forward.facts.any_depends_on(indices, axis) {
        return None;
    }
    let mask = forward.drop_axis(mask, axis)?;
    let indices = indices.iter().map(|it| forward.drop_axis(it, axis)).collect::<Option<_>>()?;
    Some((indices, mask))
}

fn scatter_mask_constant(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Scatter { into, indices, values, mask: Some(mask) }) = op else {
        return None;
    };
    let Atom::Bool(holds) = forward.facts.scalar_of(mask)? else { return None };
    if !holds {
        return Some(Step::Value(into.clone()));
    }
    Some(Step::Op(scatter(into.clone(), indices.clone(), values.clone())))
}

fn scatter_masked_sum(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Scatter { into, indices, values, mask: Some(mask) }) = op else {
        return None;
    };
    let all: Vec<Atom> = indices.iter().chain([mask]).cloned().collect();
    let shape = forward.facts.positions_shape(&all);
    for (axis, size) in shape.iter().enumerate() {
        let Some((indices, mask)) = positions_without(forward, indices, mask, axis) else {
            continue;
        };
        let (into, values) = (into.clone(), forward.emit(sum(axis, values.clone()))?);
        let op = Op::Array(ArrayOp::Scatter { into, indices, values, mask: Some(mask) });
        // Where an index may be out of bounds, of no rows nothing fails.
        return forward.where_some(op, size).map(Step::Op);
    }
    None
}
