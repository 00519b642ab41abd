//! Branches and loops of which nobody reads a result, and which stay for what may fail inside: each gives
//! a truth value, so that what they gave, which may be a large array, is nowhere.

use ir::{Atom, Binder, Block, ControlOp, Op, Stmt, Type, walk};

use super::live::loop_binders;

/// What stands in the place of a result that nobody reads, where a statement has to have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The result: the same statement may stand elsewhere, and its result be read there.
    Kept,
    /// A truth value, if it can be.
    Bare,
}

/// The result that nobody reads.
const NOTHING: Atom = Atom::Bool(false);

/// Whether a truth value can be the only result of a statement: of branches, and of loops whose results come out of
/// their steps. A `while` without a state counts them. Choices between builds are loop nests like those for the
/// same choice that somebody reads, and are done with them; for themselves they would be done once more.
pub(super) fn can_be(stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Control(ControlOp::While { state, .. }) => !state.is_empty(),
        Op::Control(ControlOp::Build { .. }) => false,
        Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }) => {
            !stmt.binders.is_empty() && !has_build(&stmt.op)
        }
        Op::Control(
            ControlOp::Fold { .. } | ControlOp::Scan { .. } | ControlOp::Iterate { .. },
        ) => !stmt.binders.is_empty(),
        Op::Copy(_)
        | Op::Prim(..)
        | Op::Size(_)
        | Op::Tuple { .. }
        | Op::Proj { .. }
        | Op::Con { .. }
        | Op::Equal(..)
        | Op::Close(..)
        | Op::Array(_)
        | Op::Function(_)
        | Op::Derive(_)
        | Op::Delta(_) => false,
    }
}

/// A statement whose results and states were dropped, with `false` for a result: a state that stays so if it had
/// one, and otherwise what every branch or step gives.
pub(super) fn bare(stmt: &Stmt, mut op: Op) -> Stmt {
    let first = &stmt.binders[0];
    let old = loop_binders(&stmt.op).0.first();
    let kept: Vec<Binder> =
        old.map(|it| Binder { var: it.var, ty: Type::Bool }).into_iter().collect();
    let (sizes, _) = first.ty.split_arrays();
    let mut ty = Type::Bool;
    let gives = |block: &mut Block| block.results = vec![NOTHING];
    let Op::Control(control) = &mut op else { return stmt.clone() };
    match control {
        ControlOp::If { then, otherwise, .. } => {
            gives(then);
            gives(otherwise);
        }
        ControlOp::Match { arms, otherwise, .. } => {
            arms.iter_mut().for_each(|it| gives(&mut it.body));
            otherwise.iter_mut().for_each(gives);
        }
        ControlOp::Build { .. } => {}
        ControlOp::Fold { inits, step, .. } => {
            gives(&mut step.body);
            inits.extend(kept.iter().map(|_| NOTHING));
            if kept.is_empty() {
                ty = Type::arrays(&sizes[..1], ty);
            }
            step.state = kept;
        }
        ControlOp::Scan { inits, step, .. } => {
            gives(&mut step.body);
            inits.push(NOTHING);
            ty = Type::arrays(&sizes[..1], ty);
            step.state = kept;
        }
        ControlOp::Iterate { inits, state, body, .. }
        | ControlOp::While { inits, state, body, .. } => {
            gives(body);
            inits.push(NOTHING);
            *state = kept;
        }
    }
    Stmt { binders: vec![Binder { var: first.var, ty }], op }
}

fn has_build(op: &Op) -> bool {
    let is_build = |stmt: &Stmt| {
        matches!(stmt.op, Op::Control(ControlOp::Build { .. })) || has_build(&stmt.op)
    };
    walk::blocks(op).iter().any(|(_, block)| block.stmts.iter().any(is_build))
}
