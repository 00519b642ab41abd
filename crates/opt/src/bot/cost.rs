//! What blocks cost: how many elements they read and write, as a polynomial of sizes.
//!
//! A branch is computed in positions that do not need it only if that costs little, or not much more
//! than what is computed in every position before it.

use ir::{ArrayOp, Atom, Block, ControlOp, DeriveOp, FunctionOp, Op, Size, Stmt, Type, walk};

use super::facts::{DefFacts, Facts};
use crate::tuning::{CHEAP, TIMES};

/// Whether a branch of this cost may be computed for nothing after so much work.
pub(super) fn is_cheap(cost: &Size, work: &Size) -> bool {
    cost.terms().all(|(monomial, coefficient)| {
        let done = work.terms().find(|it| it.0 == monomial).map_or(0, |it| it.1.max(0));
        let free = if monomial.is_empty() { CHEAP } else { 0 };
        coefficient <= done.saturating_mul(TIMES).saturating_add(free)
    })
}

/// Which of both is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// What is computed whatever happens.
    Least,
    /// What is computed at most.
    Most,
}

/// The elements of a value.
fn elements(ty: &Type) -> Size {
    let (sizes, _) = ty.split_arrays();
    sizes.iter().fold(Size::constant(1), |product, size| product.mul(size))
}

/// The elements of the arrays that a statement gives, each of which is written once whatever it costs.
pub(super) fn written(stmt: &Stmt) -> Size {
    let arrays = stmt.binders.iter().filter(|it| matches!(it.ty, Type::Array(..)));
    arrays.fold(Size::constant(0), |sum, it| sum.add(&elements(&it.ty)))
}

/// The cost of a block; `None` if nothing is known.
pub(super) fn block(
    all: &Facts<'_>,
    facts: &DefFacts,
    block: &Block,
    bound: Bound,
) -> Option<Size> {
    let mut sum = Size::constant(0);
    for it in &block.stmts {
        sum = sum.add(&stmt(all, facts, it, bound)?);
    }
    Some(sum)
}

/// The cost of a statement; `None` if nothing is known.
pub(super) fn stmt(all: &Facts<'_>, facts: &DefFacts, stmt: &Stmt, bound: Bound) -> Option<Size> {
    let cost = known(all, facts, stmt, bound);
    if bound == Bound::Least { cost.or(Some(Size::constant(1))) } else { cost }
}

fn known(all: &Facts<'_>, facts: &DefFacts, stmt: &Stmt, bound: Bound) -> Option<Size> {
    let read = |it: &Atom| elements(&facts.type_of(it));
    let written = stmt.binders.iter().fold(Size::constant(0), |sum, it| sum.add(&elements(&it.ty)));
    let inside = || {
        let blocks = walk::blocks(&stmt.op);
        let mut costs = blocks.iter().map(|it| block(all, facts, it.1, bound));
        costs.try_fold(Size::constant(0), |sum, it| Some(sum.add(&it?)))
    };
    let repeated = |count: Size| Some(written.add(&count.mul(&inside()?)));
    match &stmt.op {
        Op::Copy(_)
        | Op::Size(_)
        | Op::Tuple { .. }
        | Op::Con { .. }
        | Op::Derive(
            DeriveOp::StopGradient(_) | DeriveOp::Checkpoint { .. } | DeriveOp::Tell { .. },
        ) => Some(Size::constant(1)),
        Op::Control(ControlOp::Build { sizes, .. }) => {
            repeated(sizes.iter().fold(Size::constant(1), |product, size| product.mul(size)))
        }
        Op::Control(ControlOp::Fold { arrays, .. } | ControlOp::Scan { arrays, .. }) => {
            repeated(facts.type_of(arrays.first()?).split_arrays().0.first()?.clone())
        }
        Op::Control(ControlOp::Iterate { count, .. }) => repeated(ir::signature::atom_size(count)?),
        Op::Control(ControlOp::Match { .. } | ControlOp::If { .. }) => match bound {
            Bound::Least => Some(Size::constant(1)),
            Bound::Most => Some(written.add(&inside()?)),
        },
        Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
            let facts = all.def(def).filter(|_| !all.is_recursive(def))?;
            let cost =
                if bound == Bound::Least { facts.least.clone()? } else { facts.cost.clone()? };
            let def = all.source(def)?;
            let value = |var: &ir::Var| match def.size_params.iter().position(|it| it == var) {
                Some(at) => sizes.get(at).cloned(),
                None => {
                    let at = def.params.iter().position(|it| it.var == *var)?;
                    ir::signature::atom_size(args.get(at)?)
                }
            };
            // A size that only running it tells is known to nobody else.
            if cost.vars().iter().any(|it| value(it).is_none()) {
                return None;
            }
            Some(cost.substitute(&mut |var| value(var).unwrap_or_else(|| Size::var(*var))))
        }
        Op::Array(
            ArrayOp::Reduce { array, .. } | ArrayOp::Argmax(array) | ArrayOp::Argmin(array),
        ) => Some(written.add(&read(array))),
        Op::Equal(x, y) | Op::Close(x, y) => Some(written.add(&read(x)).add(&read(y))),
        Op::Array(ArrayOp::Scatter { values, .. }) => Some(written.add(&read(values))),
        Op::Array(ArrayOp::Filter { .. }) => None,
        Op::Prim(..) | Op::Proj { .. } | Op::Array(_) => Some(written),
        Op::Control(ControlOp::While { .. }) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => {
            None
        }
    }
}
