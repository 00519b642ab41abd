//! Branches of which both are computed: `if` of cheap code that cannot fail becomes `select`, ir to ir.
//!
//! For functions that are differentiated at many points: a branch that was taken has to be remembered
//! for the way back, as a value of a sum type for each point, and keeps the points from being computed
//! together. That a partial derivative of the other branch may be infinite or NaN does no harm: it is
//! scaled by zero.
//!
//! Requires: dialect FirstOrder or Bulk, verified, without tuples.
//! Ensures: the same dialect, the same results to the bit, the same errors.
//! Cost: both branches are computed, `MOST_CHOSEN` statements at most.
//! Not done: branches that can fail, call, or have loops stay.
//! No paper has it; it is ours.
//! Tests: `crates/opt/tests/simplify/joined.rs`; on all programs: `crates/cotan/tests/bulk.rs`.
//!
//! Example. `x3 = if c { x1 = sin x0 give x1 } else { give x0 }` is `x1 = sin x0`, `x3 = select c x1 x0`.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use ir::{
    ArrayOp, Atom, Block, ControlOp, Def, Op, Prim, Program, Reduction, Stmt, Type, Var, walk,
};

use crate::tuning::MOST_CHOSEN;

/// The program with both branches of cheap conditionals computed in one definition.
pub fn choose(program: &Program, def: &Name) -> Program {
    let mut res = program.clone();
    if let Some(found) = program.defs.get(def) {
        let mut types: Types = found.params.iter().map(|it| (it.var, it.ty.clone())).collect();
        collect(&found.body, &mut types);
        let body = chosen(&found.body, &types);
        res.defs.insert(def.clone(), Arc::new(Def { body, ..(**found).clone() }));
    }
    res
}

type Types = BTreeMap<Var, Type>;

fn collect(block: &Block, types: &mut Types) {
    for stmt in &block.stmts {
        types.extend(stmt.binders.iter().map(|it| (it.var, it.ty.clone())));
        for (bound, inside) in walk::blocks(&stmt.op) {
            types.extend(bound.iter().map(|it| (it.var, it.ty.clone())));
            collect(inside, types);
        }
    }
}

fn chosen(block: &Block, types: &Types) -> Block {
    let mut stmts = Vec::new();
    for stmt in &block.stmts {
        let op = walk::map_blocks(&stmt.op, &mut |_, it| chosen(it, types));
        let Op::Control(ControlOp::If { cond, then, otherwise }) = &op else {
            stmts.push(Stmt { binders: stmt.binders.clone(), op });
            continue;
        };
        if !is_cheap(stmt, then, otherwise, types) {
            stmts.push(Stmt { binders: stmt.binders.clone(), op });
            continue;
        }
        stmts.extend(then.stmts.iter().chain(&otherwise.stmts).cloned());
        let branches = then.results.iter().zip(&otherwise.results);
        for (binder, (yes, no)) in stmt.binders.iter().zip(branches) {
            let op = Op::Prim(Prim::Select, vec![cond.clone(), yes.clone(), no.clone()]);
            stmts.push(Stmt { binders: vec![binder.clone()], op });
        }
    }
    Block { stmts, results: block.results.clone() }
}

fn is_cheap(stmt: &Stmt, then: &Block, otherwise: &Block, types: &Types) -> bool {
    let stmts = || then.stmts.iter().chain(&otherwise.stmts);
    stmt.binders.iter().all(|it| is_small(&it.ty))
        && stmts().count() <= MOST_CHOSEN
        && stmts().all(|it| is_safe(it, types))
}

/// Whether something is a scalar, or an array of few.
fn is_small(ty: &Type) -> bool {
    let (sizes, elem) = ty.split_arrays();
    let count = sizes.iter().try_fold(1, |product: i64, it| product.checked_mul(it.as_constant()?));
    matches!(elem, Type::Real | Type::Int | Type::Bool) && count.is_some_and(|it| it <= 16)
}

/// Whether a statement cannot fail and costs little.
fn is_safe(stmt: &Stmt, types: &Types) -> bool {
    let [binder] = stmt.binders.as_slice() else { return false };
    if !is_small(&binder.ty) {
        return false;
    }
    if let Op::Prim(Prim::Div | Prim::Rem | Prim::Pow, _) = &stmt.op {
        return *binder.ty.split_arrays().1 == Type::Real;
    }
    if let Op::Array(
        ArrayOp::Transpose { array, .. } | ArrayOp::Reduce { reduction: Reduction::Sum, array, .. },
    ) = &stmt.op
    {
        return is_small_array(array, types);
    }
    if let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op {
        let sizes = types.get(array).map(|it| it.split_arrays().0).unwrap_or_default();
        return indices.iter().zip(&sizes).all(|(index, size)| {
            let size = size.as_constant().unwrap_or(0);
            matches!(index, Atom::Int(index) if (0..size).contains(index))
        });
    }
    matches!(
        stmt.op,
        Op::Prim(..) | Op::Copy(_) | Op::Array(ArrayOp::Literal { .. } | ArrayOp::Replicate { .. })
    )
}

fn is_small_array(atom: &Atom, types: &Types) -> bool {
    matches!(atom, Atom::Var(var) if types.get(var).is_some_and(is_small))
}
