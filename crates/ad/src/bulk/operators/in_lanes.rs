//! Derivatives in many directions at one point: `build k => jvp(f)(x, d(k))` is one run of `f`, with the
//! tangents of all directions beside it (`f.lanes`).
//!
//! Whole operations are seen to be the same for all directions anyway. Loops and calls are not: with an
//! operator for each direction, they would run once for each of them.
//! Not done: a point that depends on the index, and directions of sum types.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{
    ArrayOp, Atom, Block, ControlOp, DeriveOp, Op, Operator, Prim, Size, Stmt, Type, Var, walk,
};

use super::Site;
use crate::bulk::Mode;
use crate::bulk::lanes::lanes;
use crate::bulk::work::Work;
use crate::linear::code::var_of;

/// A push-forward in a build.
struct Push<'a> {
    def: &'a Name,
    sizes: &'a [Size],
    captured: &'a [Atom],
    args: &'a [Atom],
}

/// A build with the push-forwards in it done in front, in all directions at once, where that can be.
pub(super) fn directions_at_once(work: &mut Work, op: &Op) -> Option<Op> {
    let Op::Control(ControlOp::Build { sizes, indices, body }) = op else { return None };
    let ([size], [index]) = (sizes.as_slice(), indices.as_slice()) else { return None };
    if work.mode != Mode::Mixed {
        return None;
    }
    let mut inside = walk::bound_vars(body);
    inside.insert(*index);
    let mut stmts = Vec::new();
    let mut has_changed = false;
    for (at, stmt) in body.stmts.iter().enumerate() {
        let found = push(stmt, &inside).and_then(|it| {
            let tangents = in_front(work, &it, (size, *index), &body.stmts[..at])?;
            (tangents.len() == stmt.binders.len()).then_some(tangents)
        });
        let Some(tangents) = found else {
            stmts.push(stmt.clone());
            continue;
        };
        has_changed = true;
        for (binder, array) in stmt.binders.iter().zip(tangents) {
            let op = Op::Array(ArrayOp::Index { array, indices: vec![Atom::Var(*index)] });
            stmts.push(Stmt { binders: vec![binder.clone()], op });
        }
    }
    let (sizes, indices) = (sizes.clone(), indices.clone());
    let body = Block { stmts, results: body.results.clone() };
    has_changed.then_some(Op::Control(ControlOp::Build { sizes, indices, body }))
}

/// A push-forward at a point that is the same in all steps.
fn push<'a>(stmt: &'a Stmt, inside: &BTreeSet<Var>) -> Option<Push<'a>> {
    let Op::Derive(DeriveOp::OfDefinition { operator: Operator::Jvp, def, sizes, captured, args }) =
        &stmt.op
    else {
        return None;
    };
    let is_outside = |it: &Var| !inside.contains(it);
    let values = captured.iter().chain(&args[..args.len() / 2]);
    let fits = values.filter_map(var_of).all(|it| is_outside(&it))
        && sizes.iter().flat_map(Size::vars).all(|it| is_outside(&it));
    fits.then_some(Push { def, sizes, captured, args })
}

/// The tangents of all results, for all directions; none if it is not worth the while, or cannot be.
fn in_front(
    work: &mut Work,
    push: &Push<'_>,
    (size, index): (&Size, Var),
    before: &[Stmt],
) -> Option<Vec<Atom>> {
    let Push { def, sizes, captured, args } = *push;
    let site = Site { def: def.clone(), sizes: sizes.to_vec(), captured, args };
    let n_params = site.n_params(work);
    // A run may come with them.
    if args.len() != 2 * n_params || !site.is_worth_keeping(work) {
        return None;
    }
    let is_real = |ty: &Type| *ty.split_arrays().1 == Type::Real;
    let differentiated = work.def(def);
    let active = site.active(work);
    let params = differentiated.params[captured.len()..].iter().zip(&active);
    let is_plain = params.filter(|it| *it.1).all(|it| is_real(&it.0.ty))
        && differentiated.results.iter().all(|it| is_real(&it.ty));
    let (point, directions) = args.split_at(n_params);
    let directions = directions.iter().zip(&active).filter(|it| *it.1).map(|it| it.0.clone());
    let slice = slice(before, directions.collect())?;
    if !is_plain || slice.results.is_empty() {
        return None;
    }
    let name = lanes(work, def, &site.mask(&active))?;
    let all = for_all(work, slice, size, index);
    let steps = work.code.one(Op::Size(size.clone()));
    let cond = work.code.prim(Prim::Gt, vec![steps, Atom::Int(0)]);
    work.code.builder.open();
    let sizes = std::iter::once(size).chain(sizes).cloned().collect();
    let own = Site { def: name.clone(), sizes, captured, args };
    let mut values = own.call(work, name, point, all);
    let tangents = values.split_off(differentiated.results.len());
    let types: Vec<Type> = tangents.iter().map(|it| work.code.type_of(it)).collect();
    let then = work.code.builder.close(tangents);
    // Without a direction it does not run, and nothing fails.
    work.code.builder.open();
    let zeros = types.iter().map(|it| work.code.zeros(it)).collect();
    let otherwise = work.code.builder.close(zeros);
    Some(work.code.emit(Op::Control(ControlOp::If { cond, then, otherwise })))
}

/// The statements that atoms need; none if there are derivatives among them.
fn slice(before: &[Stmt], atoms: Vec<Atom>) -> Option<Block> {
    let mut needed: BTreeSet<Var> = atoms.iter().filter_map(var_of).collect();
    let mut stmts = Vec::new();
    for stmt in before.iter().rev() {
        if stmt.binders.iter().any(|it| needed.contains(&it.var)) {
            needed.extend(walk::free_vars_op(&stmt.op));
            needed.extend(stmt.binders.iter().flat_map(|it| it.ty.size_vars()));
            stmts.push(stmt.clone());
        }
    }
    stmts.reverse();
    let res = Block { stmts, results: atoms };
    (!has_derivative(&res)).then_some(res)
}

fn has_derivative(block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        matches!(it.op, Op::Derive(DeriveOp::OfDefinition { .. } | DeriveOp::OfFunction { .. }))
            || walk::blocks(&it.op).into_iter().any(|it| has_derivative(it.1))
    })
}

/// What a block gives in all steps of a build, with names of its own.
fn for_all(work: &mut Work, block: Block, size: &Size, index: Var) -> Vec<Atom> {
    let new_index = work.code.fresh(Type::Int).var;
    let mut names = BTreeMap::from([(index, new_index)]);
    for var in walk::bound_vars(&block) {
        names.insert(var, work.code.fresh(Type::unit()).var);
    }
    let body = walk::rename_block(&block, &mut |var| names.get(&var).copied().unwrap_or(var));
    work.code.declare_block(&body);
    let (sizes, indices) = (vec![size.clone()], vec![new_index]);
    work.code.emit(Op::Control(ControlOp::Build { sizes, indices, body }))
}
