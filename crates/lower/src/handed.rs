//! Arrays that a call changes in place: cotangents that a derivative adds to, and gives back.
//!
//! The derivative of a recursion takes the cotangent of what all calls share, adds to a few of its elements,
//! and gives it back. The caller hands the memory over: whoever is called may overwrite that parameter, and puts
//! the result there. So nothing is copied from call to call, and `n` calls that add to one element each cost
//! `n`, not `n` times the size.
//!
//! Such a parameter and such a result are found by following the result backwards, through scatters, through
//! the states of loops, through branches of which all say the same, and through calls. The greatest set of them
//! that holds together is taken, of definitions that give no other arrays and no boxes. Functions that are
//! called from outside hand nothing over.
//!
//! Callers: `flow/call.rs`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use base::Name;
use ir::{ArrayOp, Atom, Block, ControlOp, Def, FunctionOp, Op, Origin, Program, Stmt, Type, Var};

use crate::context::scalar_of;

/// For each definition and each of its results the parameter in whose memory it is, if it is in one.
pub(crate) type Handed = BTreeMap<Name, Vec<Option<usize>>>;

/// What the definitions of a program hand over.
pub(crate) fn handed(program: &Program, entries: &[Name]) -> Handed {
    let mut res: Handed = BTreeMap::new();
    for (name, def) in &program.defs {
        if def.origin == Origin::Derivative && !entries.contains(name) {
            let found = candidates(def);
            if found.iter().any(Option::is_some) {
                res.insert(name.clone(), found);
            }
        }
    }
    loop {
        let mut has_changed = false;
        let known = res.clone();
        for (name, found) in &mut res {
            let def = &program.defs[name];
            for (at, param) in found.iter_mut().enumerate() {
                let Some(position) = *param else { continue };
                let given = def.body.results.get(at).and_then(|it| origin(&def.body, it, &known));
                if given != Some(def.params[position].var) {
                    (*param, has_changed) = (None, true);
                }
            }
            // What else it gives might point to memory that it changes.
            let points = |it: &ir::Binder| {
                matches!(it.ty, Type::Array(..)) || scalar_of(&it.ty) == loops::Scalar::Box
            };
            let others = found.iter().zip(&def.results).any(|it| it.0.is_none() && points(it.1));
            if others && found.iter().any(Option::is_some) {
                found.fill(None);
                has_changed = true;
            }
        }
        if !has_changed {
            res.retain(|_, it| it.iter().any(Option::is_some));
            return res;
        }
    }
}

/// The last results and the last parameters of the same types belong together: cotangents stand there.
fn candidates(def: &Def) -> Vec<Option<usize>> {
    let mut res = vec![None; def.results.len()];
    for (at, result) in def.results.iter().enumerate().rev() {
        if !matches!(result.ty, Type::Array(..)) || scalar_of(&result.ty) != loops::Scalar::Real {
            continue;
        }
        let fits = |it: &usize| def.params[*it].ty == result.ty && !res.contains(&Some(*it));
        let param = (0..def.params.len()).rev().find(fits);
        res[at] = param;
    }
    res
}

/// The variable outside of a block in whose memory an operand of it is.
fn origin(block: &Block, atom: &Atom, known: &Handed) -> Option<Var> {
    let Atom::Var(var) = atom else { return None };
    let binds = |it: &&Stmt| it.binders.iter().any(|it| it.var == *var);
    let Some(stmt) = block.stmts.iter().find(binds) else { return Some(*var) };
    let at = stmt.binders.iter().position(|it| it.var == *var)?;
    let of = |atom: &Atom| origin(block, atom, known);
    let loops_back = |body: &Block, state: Option<Var>| {
        let next = body.results.get(at).and_then(|it| origin(body, it, known));
        next.is_some() && next == state
    };
    match &stmt.op {
        Op::Copy(it) => of(it),
        Op::Array(ArrayOp::Scatter { into, .. }) => of(into),
        Op::Control(ControlOp::Fold { inits, step, .. }) => {
            loops_back(&step.body, step.state.get(at).map(|it| it.var))
                .then(|| of(inits.get(at)?))?
        }
        Op::Control(
            ControlOp::Iterate { inits, state, body, .. }
            | ControlOp::While { inits, state, body, .. },
        ) => loops_back(body, state.get(at).map(|it| it.var)).then(|| of(inits.get(at)?))?,
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            of(&same([then, otherwise].into_iter(), at, known)?)
        }
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            of(&same(arms.iter().map(|it| &it.body).chain(otherwise), at, known)?)
        }
        Op::Function(FunctionOp::Call { def, args, .. }) => {
            let param = known.get(def).and_then(|it| *it.get(at)?)?;
            of(args.get(param)?)
        }
        Op::Array(_) | Op::Control(_) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => None,
        Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => None,
        Op::Equal(..) | Op::Close(..) => None,
    }
}

/// What all of these blocks give, if it is the same.
fn same<'b>(
    mut blocks: impl Iterator<Item = &'b Block>,
    at: usize,
    known: &Handed,
) -> Option<Atom> {
    let given = |it: &Block| it.results.get(at).and_then(|atom| origin(it, atom, known));
    let first = given(blocks.next()?)?;
    blocks.all(|it| given(it) == Some(first)).then_some(Atom::Var(first))
}
