//! What can stand under a mask: nothing in it fails where the mask does not hold.

use ir::{Block, Op, Stmt, Type};

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
        Op::If { then, otherwise, .. } => {
            plain && can_be_masked(all, facts, then) && can_be_masked(all, facts, otherwise)
        }
        Op::Build { body, .. } => can_be_masked(all, facts, body),
        Op::Index { .. } | Op::Gather { .. } => plain,
        Op::Scatter { .. } => true,
        Op::Prim(prim, _) => partial_on_ints(*prim),
        Op::Call { def, .. } => all.def(def).is_some_and(|it| it.maskable),
        Op::Match { .. } | Op::Filter { .. } | Op::Fold { .. } | Op::Scan { .. } => false,
        Op::Iterate { .. } | Op::While { .. } | Op::Con { .. } | Op::Copy(_) | Op::Size(_) => false,
        Op::Tuple { .. } | Op::Proj { .. } | Op::Array { .. } | Op::Slice { .. } => false,
        Op::Reduce { .. } | Op::Argmax(_) | Op::Argmin(_) | Op::Replicate { .. } => false,
        Op::Iota(_) | Op::Transpose { .. } | Op::Reshape { .. } | Op::Reverse(_) => false,
        Op::Concat(_) | Op::Sort(_) | Op::Argsort(_) | Op::Sized { .. } => false,
        Op::Equal(..) | Op::Close(..) | Op::StopGradient(_) => false,
        Op::Lambda(_) | Op::Apply(..) | Op::Derive { .. } | Op::Derivative { .. } => false,
        Op::Lift { .. } | Op::Primal { .. } | Op::Tangent { .. } | Op::Pair { .. } => false,
        Op::Pullback { .. } => false,
        Op::Combine(_) | Op::Zeros(_) | Op::Strip(_) => false,
    }
}
