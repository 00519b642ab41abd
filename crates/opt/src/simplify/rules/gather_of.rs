//! Rules for gathers of what was moved or gathered: the indices go to where the elements come from.

use ir::{ArrayOp, Atom, Op, Prim, Type};

use super::axes::{gather, index, zero_of};
use super::gather::plain;
use crate::simplify::facts::Along;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact(
        "gather-of-replicate",
        "`gather (replicate n a) (i, js)` -> `gather a (js)`, in bounds",
        &[On::Gather],
        gather_of_replicate,
    ),
    Rule::exact(
        "gather-of-transpose",
        "`gather (transpose [1, 0] a) (i, j)` -> `gather a (j, i)`, in bounds",
        &[On::Gather],
        gather_of_transpose,
    ),
    Rule::exact(
        "gather-of-gather",
        "`gather (gather a (is)) (js)` -> `gather a (gather is (js))`, where nobody else needs the \
         inner one and it cannot fail",
        &[On::Gather],
        gather_of_gather,
    ),
    // The diagonal of a matrix that is a diagonal need not be written into it first.
    Rule::exact(
        "gather-of-scatter",
        "`gather (scatter zeros (is) xs) (is)` -> `add xs 0.0`, where no two positions are the same",
        &[On::Gather],
        gather_of_scatter,
    ),
];

fn gather_of_replicate(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    let Op::Array(ArrayOp::Replicate { value, .. }) = forward.facts.op_of(array)?.clone() else {
        return None;
    };
    if !forward.facts.all_in_bounds(array, indices, None, forward.facts.depth()) {
        return None;
    }
    let rest = indices[1..].to_vec();
    if !forward.facts.positions_shape(&rest).is_empty() {
        let op = gather(value, rest);
        return (forward.facts.result_type(&op)? == *ty).then_some(Step::Op(op));
    }
    let mut value = value;
    if !rest.is_empty() {
        let op = index(value, rest);
        if forward.facts.can_fail(&op, forward.facts.depth()) {
            return None;
        }
        value = forward.emit(op)?;
    }
    let value = forward.replicated(value, &shape)?;
    (forward.facts.type_of(&value)? == ty).then_some(Step::Value(value))
}

fn gather_of_transpose(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, _) = plain(forward, op)?;
    let inner = forward.facts.op_of(array)?;
    let Op::Array(ArrayOp::Transpose { array: inner, permutation }) = inner else { return None };
    let known = forward.facts.all_in_bounds(array, indices, None, forward.facts.depth());
    if !known || indices.len() < permutation.len() {
        return None;
    }
    let mut moved = indices.to_vec();
    for (index, axis) in indices.iter().zip(permutation) {
        moved[*axis] = index.clone();
    }
    Some(Step::Op(gather(inner.clone(), moved)))
}

fn gather_of_gather(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (array, indices, _) = plain(forward, op)?;
    let of = forward.facts.op_of(array)?.clone();
    let Op::Array(ArrayOp::Gather { array: inner, indices: positions, mask: None }) = &of else {
        return None;
    };
    let rank = forward.facts.positions_shape(positions).len();
    let once = forward.facts.is_used_once(array);
    if rank < indices.len() || !once || forward.facts.can_fail(&of, forward.facts.depth()) {
        return None;
    }
    let mut moved = Vec::new();
    for position in positions {
        moved.push(match forward.facts.sizes_of(position)?.is_empty() {
            true => position.clone(),
            false => forward.emit(gather(position.clone(), indices.to_vec()))?,
        });
    }
    Some(Step::Op(gather(inner.clone(), moved)))
}

fn gather_of_scatter(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let (array, indices, shape) = plain(forward, op)?;
    let inner = forward.facts.op_of(array)?.clone();
    let Op::Array(ArrayOp::Scatter { into, indices: places, values, mask: None }) = &inner else {
        return None;
    };
    let facts = &forward.facts;
    // What is added to 0.0 is never -0.0.
    let is_zero = match facts.constant_of(into)? {
        Atom::Real(it) => it.0 == 0.0 && it.0.is_sign_positive(),
        Atom::Int(it) => it == 0,
        Atom::Var(_) | Atom::Bool(_) | Atom::Str(_) => false,
    };
    let forms = facts.forms(places, &shape)?;
    let same = facts.positions_shape(places) == shape && facts.forms(indices, &shape)? == forms;
    let along = |axis| forms.iter().any(|it| it.along() == Along::Axis(axis));
    let apart = (0..shape.len()).all(along);
    let safe = !facts.can_fail(&inner, facts.depth()) && facts.type_of(values)? == ty;
    let sum = || Op::Prim(Prim::Add, vec![values.clone(), zero_of(ty)]);
    (is_zero && same && apart && safe).then(|| Step::Op(sum()))
}
