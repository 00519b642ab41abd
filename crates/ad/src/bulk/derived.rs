//! The derivatives of a definition as definitions: `f.jvp10` and `f.vjp10`.
//!
//! Paper: the wrapper of Figure 21, for any number of results (Appendix A).

use std::sync::Arc;

use base::Name;
use base::name::digits;
use ir::{Atom, Binder, Def, Origin, Type, Var};

use super::call::{finish, open};
use super::work::Work;
use crate::linear::apply;
use crate::linear::code::{Code, with_sizes};
use crate::linear::term::Linearised;
use crate::linear::transpose::Transpose;

/// `f.jvp10(p1..pk, tangents of active parameters)`: the results, and the tangents of those that have
/// reals.
pub(crate) fn jvp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("jvp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [name.part(format_args!("jvp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.def(name);
    (work.method.jvp)(work, &def, mask, &derived);
    derived
}

/// The body of `f.jvp`: the definition, and behind it its Delta term with tangents.
pub(crate) fn jvp_behind(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    let made = work.linearise(def, mask);
    let code = &mut work.code;
    let outer = open(code, &made, None);
    made.inputs.iter().flatten().for_each(|it| code.declare(std::slice::from_ref(it)));
    let mut given = code.builder.reopen(made.primal.clone());
    let term = apply::lower(code, made.term.clone());
    let mut tangents = term.results.into_iter();
    term.stmts.into_iter().for_each(|it| code.builder.push(it));
    let mut results = def.results.clone();
    for (result, on) in def.results.iter().zip(&made.results) {
        let Some(ty) = code.tangent(&result.ty) else { continue };
        let inside = inside(&made, &ty);
        let tangent = if *on { tangents.next() } else { None };
        given.push(match tangent {
            Some(it) => code.fit(it, &inside),
            None => code.zeros(&inside),
        });
        results.push(code.fresh(ty));
    }
    let params: Vec<Binder> =
        def.params.iter().chain(made.inputs.iter().flatten()).cloned().collect();
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let name = name.clone();
    let origin = Origin::Derivative;
    let def = Def { name, params, results, body, origin, ..Def::clone(&made.def) };
    let def = finish(code, outer, def, &made.spans);
    code.define(def);
}

/// `f.vjp10(p1..pk, sizes, cotangents of results that have reals)`: the results, and the cotangents of
/// active parameters. The sizes are those of results that only running `f` tells; no operator has them.
pub(crate) fn vjp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("vjp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [name.part(format_args!("vjp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.def(name);
    (work.method.vjp)(work, &def, mask, &derived);
    derived
}

/// `f.vjp`: the definition, and behind it the transpose of its Delta term.
pub(crate) fn vjp_transposed(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    let made = work.linearise(def, mask);
    let code = &mut work.code;
    let outer = open(code, &made, None);
    let mut params = def.params.clone();
    let sizes = sizes_of_results(code, def);
    params.extend(sizes.iter().map(|it| it.1.clone()));
    let named = |var: Var| {
        let found = sizes.iter().find(|it| it.0 == var)?;
        Some(Atom::Var(found.1.var))
    };
    let mut cotangents = Vec::new();
    for (result, on) in def.results.iter().zip(&made.results) {
        let Some(ty) = code.tangent(&result.ty) else { continue };
        let cotangent = code.fresh(with_sizes(&ty, &named));
        if *on {
            cotangents.push((Atom::Var(cotangent.var), inside(&made, &ty)));
        }
        params.push(cotangent);
    }
    let mut given = code.builder.reopen(made.primal.clone());
    let cotangents = cotangents.into_iter().map(|(it, ty)| Some(code.fit(it, &ty))).collect();
    let mut transpose = Transpose::new(code, &made.linear);
    for input in made.inputs.iter().flatten() {
        transpose.input(input, None);
    }
    transpose.block(&made.term, cotangents);
    let mut results = def.results.clone();
    for input in made.inputs.iter().flatten() {
        given.push(transpose.take_or_zeros(input.var));
        results.push(transpose.code.fresh(input.ty.clone()));
    }
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let name = name.clone();
    let origin = Origin::Derivative;
    let def = Def { name, params, results, body, origin, ..Def::clone(&made.def) };
    let def = finish(code, outer, def, &made.spans);
    code.define(def);
}

/// The results that are sizes of others, and a parameter for each of them: cotangents have these sizes,
/// and are given before the results are known.
pub(crate) fn sizes_of_results(code: &mut Code, def: &Def) -> Vec<(Var, Binder)> {
    let is_size = |it: &&Binder| def.results.iter().any(|by| by.ty.size_vars().contains(&it.var));
    let sizes = def.results.iter().filter(is_size);
    sizes.map(|it| (it.var, code.fresh(Type::Int))).collect()
}

/// A type of the signature as the body sees it.
fn inside(made: &Linearised, ty: &Type) -> Type {
    with_sizes(ty, &|var: Var| {
        let at = made.def.results.iter().position(|it| it.var == var)?;
        made.primal.results.get(at).cloned()
    })
}
