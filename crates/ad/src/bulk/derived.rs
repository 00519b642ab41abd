//! The derivatives of a definition as definitions: `f.jvp10` and `f.vjp10`.
//!
//! Paper: the wrapper of Figure 21, for any number of results (Appendix A).

use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Def, Type, Var};

use super::Mode;
use super::call::{self, open};
use super::code::Code;
use super::dual::Linearised;
use super::transpose::Transpose;
use super::work::{Work, digits, stub};

/// `f.jvp10(p1..pk, tangents of active parameters)`: the results, and the tangents of those that have
/// reals.
pub(crate) fn jvp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("jvp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [Name::from(format!("{name}.jvp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.program.defs[name].clone();
    if work.mode == Mode::Chad {
        crate::chad::jvp(work, &def, mask, &derived);
        return derived;
    }
    if work.mode == Mode::Forward {
        jvp_along(work, &def, mask, &derived);
        return derived;
    }
    let made = work.linearise(&def, mask);
    let mut code = open(work, &made, None);
    made.inputs.iter().flatten().for_each(|it| code.declare(std::slice::from_ref(it)));
    let mut given = code.builder.reopen(made.primal.clone());
    let term = super::forward::lower(&mut code, made.term.clone());
    let mut tangents = term.results.into_iter();
    term.stmts.into_iter().for_each(|it| code.builder.push(it));
    let mut results = def.results.clone();
    for (result, on) in def.results.iter().zip(&made.results) {
        let Some(ty) = code.work.tangent(&result.ty) else { continue };
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
    let def = end(code, &made, derived.clone(), (params, results), given);
    work.program.defs.insert(derived.clone(), def);
    derived
}

/// The same in one run, which saves nothing.
fn jvp_along(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    let mut next = def.next_var;
    let mut fresh = |ty: Type| {
        next += 1;
        Binder { var: Var(next - 1), ty }
    };
    let (mut params, mut results) = (def.params.clone(), def.results.clone());
    for (param, _) in def.params.iter().zip(mask).filter(|it| *it.1) {
        params.extend(work.tangent(&param.ty).map(&mut fresh));
    }
    let tangents: Vec<Option<Type>> = def.results.iter().map(|it| work.tangent(&it.ty)).collect();
    results.extend(tangents.iter().flatten().cloned().map(&mut fresh));
    // It may call itself.
    let stub = stub(name.clone(), def.size_params.clone(), params, results, next);
    work.program.defs.insert(name.clone(), stub.clone());
    let body = match work.program.customs.contains_key(&def.name) {
        true => Arc::new(work.as_call(def)),
        false => def.clone(),
    };
    // Above the numbers of the signature.
    let body = Arc::new(Def { next_var: body.next_var.max(next), ..Def::clone(&body) });
    let of = |var: Var| {
        let at = def.results.iter().position(|it| it.var == var)?;
        body.body.results.get(at).cloned()
    };
    let inside = |ty: &Option<Type>| ty.as_ref().map(|it| super::code::with_sizes(it, &of));
    let types: Vec<Option<Type>> = tangents.iter().map(inside).collect();
    let (inputs, block, next_var, spans) = super::dual::run_along(work, &body, mask, &types);
    let params = def.params.iter().cloned().chain(inputs).collect();
    let made = Def { params, body: block, next_var, spans, ..Def::clone(&stub) };
    work.program.defs.insert(name.clone(), Arc::new(made));
}

/// `f.vjp10(p1..pk, sizes, cotangents of results that have reals)`: the results, and the cotangents of
/// active parameters. The sizes are those of results that only running `f` tells; no operator has them.
pub(super) fn vjp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("vjp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [Name::from(format!("{name}.vjp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.program.defs[name].clone();
    if work.mode == Mode::Chad {
        crate::chad::vjp(work, &def, mask, &derived);
        return derived;
    }
    let made = work.linearise(&def, mask);
    let mut code = open(work, &made, None);
    let mut params = def.params.clone();
    let sizes = sizes_of_results(&mut code, &def);
    params.extend(sizes.iter().map(|it| it.1.clone()));
    let named = |var: Var| {
        let found = sizes.iter().find(|it| it.0 == var)?;
        Some(Atom::Var(found.1.var))
    };
    let mut cotangents = Vec::new();
    for (result, on) in def.results.iter().zip(&made.results) {
        let Some(ty) = code.work.tangent(&result.ty) else { continue };
        let cotangent = code.fresh(super::code::with_sizes(&ty, &named));
        if *on {
            cotangents.push((Atom::Var(cotangent.var), inside(&made, &ty)));
        }
        params.push(cotangent);
    }
    let mut given = code.builder.reopen(made.primal.clone());
    let cotangents = cotangents.into_iter().map(|(it, ty)| Some(code.fit(it, &ty))).collect();
    let mut transpose = Transpose::new(&mut code, &made.linear);
    for input in made.inputs.iter().flatten() {
        transpose.input(input, None);
    }
    transpose.block(&made.term, cotangents);
    let mut results = def.results.clone();
    for input in made.inputs.iter().flatten() {
        given.push(transpose.take_or_zeros(input.var));
        results.push(transpose.code.fresh(input.ty.clone()));
    }
    let def = end(code, &made, derived.clone(), (params, results), given);
    work.program.defs.insert(derived.clone(), def);
    derived
}

/// The results that are sizes of others, and a parameter for each of them: cotangents have these sizes,
/// and are given before the results are known.
pub(crate) fn sizes_of_results(code: &mut Code<'_>, def: &Def) -> Vec<(Var, Binder)> {
    let is_size = |it: &&Binder| def.results.iter().any(|by| by.ty.size_vars().contains(&it.var));
    let sizes = def.results.iter().filter(is_size);
    sizes.map(|it| (it.var, code.fresh(Type::Int))).collect()
}

/// A type of the signature as the body sees it.
fn inside(made: &Linearised, ty: &Type) -> Type {
    super::code::with_sizes(ty, &|var: Var| {
        let at = made.def.results.iter().position(|it| it.var == var)?;
        made.primal.results.get(at).cloned()
    })
}

fn end(
    mut code: Code<'_>,
    made: &Linearised,
    name: Name,
    (params, results): (Vec<Binder>, Vec<Binder>),
    given: Vec<Atom>,
) -> Arc<Def> {
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let def = Def { name, params, results, body, ..Def::clone(&made.def) };
    Arc::new(call::finish(code, def, &made.spans))
}
