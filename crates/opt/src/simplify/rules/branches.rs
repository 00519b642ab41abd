//! Rules for choices.

use ir::{Atom, Block, ControlOp, Op, Stmt, walk};

use crate::simplify::forward::Forward;
use crate::simplify::rule::{Entered, On, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule::entering("if-constant", "`if true { a } else { b }` -> `a`", &[On::If], if_constant),
    Rule::entering(
        "match-known",
        "`match con C(a) { C(x) { b } .. }` -> `b` with `a` for `x`",
        &[On::Match],
        match_known,
    ),
    Rule::leaving(
        "branches-same",
        "`x = if c { .. give a } else { .. give a }` -> `a`, where it is bound outside; so for \
         `match`",
        &[On::If, On::Match],
        branches_same,
    ),
];

fn if_constant(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Op::Control(ControlOp::If { cond, then, otherwise }) = &stmt.op else {
        return Entered::Not;
    };
    let Atom::Bool(cond) = forward.atom(cond) else { return Entered::Not };
    forward.inline(stmt, if cond { then } else { otherwise });
    Entered::Gone
}

fn match_known(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Op::Control(ControlOp::Match { value, arms, otherwise }) = &stmt.op else {
        return Entered::Not;
    };
    let value = forward.atom(value);
    let Some(Op::Con { con, args, .. }) = forward.facts.op_of(&value) else {
        return Entered::Not;
    };
    let args = args.clone();
    let arm = arms.iter().find(|it| it.con == *con);
    let Some(block) = arm.map(|it| &it.body).or(otherwise.as_ref()) else { return Entered::Not };
    for (field, arg) in arm.iter().flat_map(|it| &it.fields).zip(args) {
        forward.alias(field.var, arg);
    }
    forward.inline(stmt, block);
    Entered::Gone
}

fn branches_same(forward: &mut Forward<'_>, stmt: &Stmt, op: &Op) -> bool {
    let blocks: Vec<&Block> = walk::blocks(op).into_iter().map(|it| it.1).collect();
    let [first, rest @ ..] = &*blocks else { return false };
    let mut any = false;
    for (at, binder) in stmt.binders.iter().enumerate() {
        let value = &first.results[at];
        let same = rest.iter().all(|it| it.results[at] == *value);
        if same && forward.facts.is_outside(value) {
            forward.alias(binder.var, value.clone());
            any = true;
        }
    }
    any
}
