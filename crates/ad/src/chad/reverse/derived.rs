//! The pull-back of a definition as a definition: `f.vjp10`.

use std::sync::Arc;

use base::Name;
use ir::{Atom, Def, Origin, Var};

use super::Reverse;
use crate::bulk::derived::sizes_of_results;
use crate::bulk::work::Work;
use crate::linear::code::with_sizes;

/// `f.vjp10(p1..pk, sizes, cotangents of results that have reals)`: the results, and the cotangents of
/// active parameters. The sizes are those of results that only running `f` tells; no operator has them.
pub(crate) fn vjp(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    let body = work.differentiated(def);
    let mut reverse = Reverse::new(work, &body, mask);
    let mut params = def.params.clone();
    let sizes = sizes_of_results(&mut reverse.work.code, def);
    params.extend(sizes.iter().map(|it| it.1.clone()));
    let named = |var: Var| {
        let found = sizes.iter().find(|it| it.0 == var)?;
        Some(Atom::Var(found.1.var))
    };
    let mut cotangents = Vec::new();
    for (at, result) in def.results.iter().enumerate() {
        let outside = reverse.work.code.leaves(&with_sizes(&result.ty, &named));
        let inside = reverse.work.code.result_leaves(&body, &result.ty);
        for (leaf, (outside, inside)) in outside.into_iter().zip(inside).enumerate() {
            let cotangent = reverse.work.code.fresh(outside);
            cotangents.push((at, leaf, Atom::Var(cotangent.var), inside));
            params.push(cotangent);
        }
    }
    let part = reverse.part(&body.body);
    let mut given = reverse.work.code.builder.reopen(part.values);
    for (at, leaf, cotangent, inside) in cotangents {
        let cotangent = reverse.work.code.fit(cotangent, &inside);
        let result = given[at].clone();
        reverse.contribute(&result, leaf, cotangent);
    }
    part.pulls.into_iter().rev().for_each(|pull| pull(&mut reverse));
    let mut results = def.results.clone();
    for (param, _) in def.params.iter().zip(mask).filter(|it| *it.1) {
        given.extend(reverse.take_or_zeros(param.var));
        let leaves = reverse.work.code.leaves(&param.ty);
        results.extend(leaves.into_iter().map(|it| reverse.work.code.fresh(it)));
    }
    let body = reverse.work.code.builder.close(given);
    let (next_var, spans) = reverse.end();
    let (name, origin) = (name.clone(), Origin::Derivative);
    let made = Def { name, params, results, body, next_var, spans, origin, ..Def::clone(def) };
    work.code.define(made);
}
