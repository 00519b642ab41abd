//! Rules for arrays that are the same, or the opposite, when their first two axes change places. The
//! gradient of a sum over all pairs adds up what each of both contributes: without these rules the pairs
//! would be in memory, to be read once by rows and once by columns.

use ir::{ArrayOp, Op, Prim, Reduction, Type};

use super::axes::sum;
use crate::simplify::facts::Symmetry;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::loose(
        "transpose-symmetric",
        "`transpose (1, 0) a` -> `a` or `neg a`, where `a[i, j]` is `a[j, i]` or `- a[j, i]`",
        &[On::Transpose],
        transpose_symmetric,
    ),
    Rule::loose(
        "sum-symmetric",
        "`sum 0 a` -> `sum 1 a` or `neg (sum 1 a)`, where `a[i, j]` is `a[j, i]` or `- a[j, i]`: all \
         sums of pairs are along one axis",
        &[On::Reduce],
        sum_symmetric,
    ),
];

fn transpose_symmetric(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    if **permutation != [1, 0] {
        return None;
    }
    Some(match forward.facts.symmetry(array)? {
        Symmetry::Same => Step::Value(array.clone()),
        Symmetry::Opposite => Step::Op(Op::Prim(Prim::Neg, vec![array.clone()])),
    })
}

fn sum_symmetric(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array }) = op else {
        return None;
    };
    let by_rows = sum(1, array.clone());
    Some(match forward.facts.symmetry(array)? {
        Symmetry::Same => Step::Op(by_rows),
        Symmetry::Opposite => {
            let by_rows = forward.emit(by_rows)?;
            Step::Op(Op::Prim(Prim::Neg, vec![by_rows]))
        }
    })
}
