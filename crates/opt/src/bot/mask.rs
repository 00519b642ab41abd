//! What can stand under a mask: nothing in it fails where the mask does not hold.

use ir::{ArrayOp, Block, ControlOp, FunctionOp, Op, Stmt, Type};

use super::facts::{DefFacts, Facts, partial_on_ints};

/// Whether a type is one of numbers or truth values, so that there is something to be where a mask
/// does not hold.
pub(super) fn has_zero(ty: &Type) -> bool {
    matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool)
}

/// Whether all of a block can stand under a mask.
pub(super) fn can_be_masked(all: &Facts<'_>, facts: &DefFacts, block: &Block) -> bool {
    block.stmts.iter().all(|it| !facts.fails(it) || failing_stmt(all, facts, it))
}

fn failing_stmt(all: &Facts<'_>, facts: &DefFacts, stmt: &Stmt) -> bool {
    let plain = stmt.binders.iter().all(|it| has_zero(&it.ty));
    match &stmt.op {
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            plain && can_be_masked(all, facts, then) && can_be_masked(all, facts, otherwise)
        }
        Op::Control(ControlOp::Build { body, .. }) => can_be_masked(all, facts, body),
        Op::Array(ArrayOp::Index { .. } | ArrayOp::Gather { .. }) => plain,
        Op::Array(ArrayOp::Scatter { .. }) => true,
        Op::Prim(prim, _) => partial_on_ints(*prim),
        Op::Function(FunctionOp::Call { def, .. }) => all.def(def).is_some_and(|it| it.maskable),
        Op::Con { .. }
        | Op::Copy(_)
        | Op::Size(_)
        | Op::Tuple { .. }
        | Op::Proj { .. }
        | Op::Equal(..)
        | Op::Close(..)
        | Op::Array(_)
        | Op::Control(_)
        | Op::Function(_)
        | Op::Derive(_)
        | Op::Delta(_) => false,
    }
}
