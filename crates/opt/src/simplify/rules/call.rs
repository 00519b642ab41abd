//! The rule for calls.

use ir::Stmt;

use crate::simplify::forward::Forward;
use crate::simplify::rule::{Entered, On, Rule};

pub(super) const RULES: &[Rule] = &[Rule::entering(
    "inline",
    "`f(a)`, the only call of `def f(x) { b }`, or one that is to be inlined -> `b` with `a` for \
     `x`",
    &[On::Call],
    inline,
)];

fn inline(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    if forward.inline_call(stmt) { Entered::Gone } else { Entered::Not }
}
