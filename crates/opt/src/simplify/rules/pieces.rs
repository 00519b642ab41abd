//! Rules for sums of rows that are mostly zero: what is not zero is added where it belongs, and the
//! row is never made. This is how the derivative of parts of a row of weights adds to them.

use ir::{ArrayOp, Op, Prim, Size, Type};

use super::axes::scatter;
use super::scatter::{Plain, plain};
use crate::simplify::forward::Forward;
use crate::simplify::rule::Step;

/// A scatter that adds something to a row, or to an array as a whole if there is no index, and cannot
/// fail; and the operation that gives what is added, and which nobody else needs.
fn piece<'o>(forward: &Forward<'_>, op: &'o Op) -> Option<(Plain<'o>, Op)> {
    let scatter = plain(op)?;
    let facts = &forward.facts;
    let scalars = scatter.indices.iter().all(|it| !facts.is_array(it));
    let once = facts.is_used_once(scatter.values);
    // Of a piece of no elements nothing fails.
    if facts.is_zero(scatter.into) || !scalars || !once || facts.can_fail(op, facts.depth()) {
        return None;
    }
    let of = facts.op_of(scatter.values)?.clone();
    Some((scatter, of))
}

pub(super) fn scatter_of_scatter(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (Plain { into, indices, .. }, of) = piece(forward, op)?;
    let Plain { into: row, indices: inner, values } = plain(&of)?;
    if forward.facts.can_fail(&of, forward.facts.depth()) {
        return None;
    }
    let into = forward.emit(scatter(into.clone(), indices.to_vec(), row.clone()))?;
    Some(Step::Op(scatter(into, [indices, inner].concat(), values.clone())))
}

pub(super) fn scatter_of_concat(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (Plain { into, indices, .. }, of) = piece(forward, op)?;
    let Op::Array(ArrayOp::Concat(parts)) = &of else { return None };
    if indices.is_empty() || !parts.iter().any(|it| forward.facts.is_zero(it)) {
        return None;
    }
    let mut res = into.clone();
    let mut start = Size::constant(0);
    for part in parts {
        let Type::Array(size, _) = forward.facts.type_of(part)?.clone() else { return None };
        if !forward.facts.is_zero(part) {
            let place = forward.emit(Op::Array(ArrayOp::Iota(size.clone())))?;
            let offset = forward.emit(Op::Size(start.clone()))?;
            let place = forward.emit(Op::Prim(Prim::Add, vec![place, offset]))?;
            let indices = indices.iter().cloned().chain([place]).collect();
            res = forward.emit(scatter(res, indices, part.clone()))?;
        }
        start = start.add(&size);
    }
    // The index would not be looked at.
    (res != *into).then_some(Step::Value(res))
}
