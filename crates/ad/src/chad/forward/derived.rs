//! The push-forward of a definition as a definition: `f.jvp10`.

use std::sync::Arc;

use base::Name;
use ir::{Atom, Def, Origin};

use super::Forward;
use crate::bulk::work::Work;
use crate::linear::code::stub;

/// `f.jvp10(p1..pk, tangents of active parameters)`: the results, and the tangents of those that have
/// reals.
pub(crate) fn jvp(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    let body = work.differentiated(def);
    let mut forward = Forward::new(work, &body);
    let (mut params, mut results) = (def.params.clone(), def.results.clone());
    for (param, _) in def.params.iter().zip(mask).filter(|it| *it.1) {
        for (leaf, ty) in forward.work.code.leaves(&param.ty).into_iter().enumerate() {
            let tangent = forward.work.code.fresh(ty);
            forward.tangents.insert((param.var, leaf), Atom::Var(tangent.var));
            params.push(tangent);
        }
    }
    for result in &def.results {
        let leaves = forward.work.code.leaves(&result.ty);
        results.extend(leaves.into_iter().map(|it| forward.work.code.fresh(it)));
    }
    // It may call itself.
    let next_var = forward.work.code.builder.next_var();
    let sizes = def.size_params.clone();
    let stub =
        stub((name.clone(), Origin::Derivative), sizes, params.clone(), results.clone(), next_var);
    forward.work.code.define_shared(stub);
    forward.opened(&body.body);
    let mut given = body.body.results.clone();
    for (at, result) in def.results.iter().enumerate() {
        let leaves = forward.work.code.result_leaves(&body, &result.ty);
        let value = given[at].clone();
        given.extend(forward.tangents_as(&value, &leaves));
    }
    let body = forward.work.code.builder.close(given);
    let (next_var, spans) = forward.end();
    let (name, origin) = (name.clone(), Origin::Derivative);
    let made = Def { name, params, results, body, next_var, spans, origin, ..Def::clone(def) };
    work.code.define(made);
}
