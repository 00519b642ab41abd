//! What a block costs at most: how many elements it reads and writes, if no size is symbolic.
//!
//! Only what is cheap is computed in lanes that do not need it.

use ir::{Atom, Block, Op, Stmt, Type, walk};

use super::facts::{DefFacts, Facts};

/// The elements of a value, if its sizes are known.
fn elements(ty: &Type) -> Option<u64> {
    let (sizes, _) = ty.split_arrays();
    sizes.iter().try_fold(1u64, |product, size| {
        let size = u64::try_from(size.as_constant()?).ok()?;
        product.checked_mul(size)
    })
}

/// The cost of a block; `None` if it may be any.
pub(super) fn block(all: &Facts<'_>, facts: &DefFacts, block: &Block) -> Option<u64> {
    block.stmts.iter().try_fold(0u64, |sum, it| sum.checked_add(stmt(all, facts, it)?))
}

fn stmt(all: &Facts<'_>, facts: &DefFacts, stmt: &Stmt) -> Option<u64> {
    let results = stmt.binders.iter().try_fold(0u64, |sum, it| sum.checked_add(elements(&it.ty)?));
    let inside = walk::blocks(&stmt.op)
        .iter()
        .try_fold(0u64, |sum, it| sum.checked_add(block(all, facts, it.1)?));
    let read = |it: &Atom| elements(&facts.type_of(it));
    let more = match &stmt.op {
        Op::Build { sizes, .. } => {
            let ty = Type::arrays(sizes, Type::Int);
            return elements(&ty)?.checked_mul(inside?.checked_add(1)?);
        }
        Op::Call { def, .. } => all.def(def).filter(|_| !all.is_recursive(def))?.cost,
        Op::Reduce { array, .. } | Op::Argmax(array) | Op::Argmin(array) => read(array),
        Op::Sort(array) | Op::Argsort(array) => read(array),
        Op::Equal(x, y) | Op::Close(x, y) => read(x)?.checked_add(read(y)?),
        Op::Scatter { into, .. } => read(into),
        Op::Copy(_) | Op::Size(_) | Op::Tuple { .. } | Op::StopGradient(_) => return Some(1),
        Op::Prim(..) | Op::Proj { .. } | Op::Con { .. } | Op::Match { .. } => Some(0),
        Op::If { .. } | Op::Array { .. } | Op::Index { .. } | Op::Slice { .. } => Some(0),
        Op::Gather { .. } | Op::Replicate { .. } | Op::Iota(_) | Op::Transpose { .. } => Some(0),
        Op::Reshape { .. } | Op::Reverse(_) | Op::Concat(_) | Op::Sized { .. } => Some(0),
        Op::Fold { .. } | Op::Scan { .. } | Op::Iterate { .. } | Op::While { .. } => None,
        Op::Lambda(_) | Op::Apply(..) | Op::Filter { .. } => None,
        Op::Lift { .. } | Op::Primal { .. } | Op::Derive { .. } | Op::Derivative { .. } => None,
        Op::Combine(_) | Op::Zeros(_) | Op::Strip(_) => None,
    };
    results?.checked_add(inside?)?.checked_add(more?)
}
