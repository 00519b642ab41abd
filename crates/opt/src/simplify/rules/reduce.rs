//! Rules for reductions of what is moved or repeated.

use ir::{ArrayOp, Op, Reduction, Type};

use super::axes::{replicate, without, zero_of};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact("sum-zeros", "`sum (replicate n 0.0)` -> `0.0`", &[On::Reduce], sum_zeros),
    Rule::exact(
        "reduce-transpose",
        "`sum 0 (transpose [1, 0] a)` -> `sum 1 a`",
        &[On::Reduce],
        reduce_transpose,
    ),
    Rule::exact(
        "reduce-replicate",
        "`sum 1 (replicate n a)` -> `replicate n (sum 0 a)`",
        &[On::Reduce],
        reduce_replicate,
    ),
];

fn sum_zeros(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, array, .. }) = op else {
        return None;
    };
    forward.facts.is_zero(array).then(|| forward.as_type(zero_of(ty), ty)).flatten()
}

fn reduce_transpose(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction, axis, array }) = op else { return None };
    let inner = forward.facts.op_of(array)?.clone();
    let Op::Array(ArrayOp::Transpose { array, permutation }) = inner else { return None };
    let axis = permutation.get(*axis).copied().unwrap_or(*axis);
    let reduced =
        forward.emit(Op::Array(ArrayOp::Reduce { reduction: *reduction, axis, array }))?;
    Some(Forward::transposed(reduced, without(&permutation, axis)))
}

fn reduce_replicate(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction, axis, array }) = op else { return None };
    let inner = forward.facts.op_of(array)?.clone();
    let Op::Array(ArrayOp::Replicate { size, value: array }) = inner else { return None };
    let axis = axis.checked_sub(1)?;
    let value = forward.emit(Op::Array(ArrayOp::Reduce { reduction: *reduction, axis, array }))?;
    Some(Step::Op(replicate(size, value)))
}
