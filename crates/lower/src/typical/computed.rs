//! How great sizes usually are that a definition computes, as `min(16, n)` of a size `n`: what its operations give
//! for the sizes that are typical.

use std::collections::BTreeMap;

use ir::{Atom, Block, Op, Prim, Var, walk};

use super::guess;
use crate::tuning::TYPICAL;

/// Adds what a block computes of sizes that are known already.
pub(super) fn computed(block: &Block, own: &mut BTreeMap<Var, i64>) {
    for stmt in &block.stmts {
        let value = match (&stmt.op, &stmt.binders[..]) {
            (Op::Prim(prim, args), [_]) => result(*prim, args, own),
            (Op::Copy(atom), [_]) => known(atom, own),
            (Op::Size(size), [_]) => {
                let is_known = size.vars().iter().all(|it| own.contains_key(it));
                is_known.then(|| guess(size, own) as i64)
            }
            _ => None,
        };
        if let (Some(value), [binder]) = (value, &stmt.binders[..]) {
            own.insert(binder.var, value);
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| computed(it.1, own));
    }
}

fn known(atom: &Atom, own: &BTreeMap<Var, i64>) -> Option<i64> {
    match atom {
        Atom::Int(value) => Some(*value),
        Atom::Var(var) => own.get(var).copied(),
        Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
    }
}

fn result(prim: Prim, args: &[Atom], own: &BTreeMap<Var, i64>) -> Option<i64> {
    let [x, y] = args else { return None };
    let (x, y) = match (prim, known(x, own), known(y, own)) {
        (_, Some(x), Some(y)) => (x, y),
        // The least of something and what nobody knows is no more than that.
        (Prim::Min, Some(known), None) | (Prim::Min, None, Some(known)) => (known, TYPICAL),
        _ => return None,
    };
    let by: fn(i64, i64) -> Option<i64> = [
        (Prim::Add, i64::checked_add as fn(i64, i64) -> Option<i64>),
        (Prim::Sub, i64::checked_sub),
        (Prim::Mul, i64::checked_mul),
        (Prim::Div, i64::checked_div),
        (Prim::Rem, i64::checked_rem),
        (Prim::Min, |x, y| Some(x.min(y))),
        (Prim::Max, |x, y| Some(x.max(y))),
    ]
    .into_iter()
    .find(|it| it.0 == prim)?
    .1;
    by(x, y)
}
