//! The derivatives of a definition as definitions: `f.jvp10` and `f.vjp10`.
//!
//! Paper: the wrapper of Figure 21, for any number of results (Appendix A).

use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Def, Type, Var};

use super::call::{self, open};
use super::code::Code;
use super::dual::Linearised;
use super::transpose::Transpose;
use super::work::{Work, digits};

/// `f.jvp10(p1..pk, tangents of active parameters)`: the results, and the tangents of those that have
/// reals.
pub(super) fn jvp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("jvp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [Name::from(format!("{name}.jvp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.program.defs[name].clone();
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

/// `f.vjp10(p1..pk, cotangents of results that have reals)`: the results, and the cotangents of active
/// parameters.
pub(super) fn vjp(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("vjp", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [Name::from(format!("{name}.vjp{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.program.defs[name].clone();
    let made = work.linearise(&def, mask);
    let mut code = open(work, &made, None);
    let mut params = def.params.clone();
    let mut cotangents = Vec::new();
    for (result, on) in def.results.iter().zip(&made.results) {
        let Some(ty) = code.work.tangent(&result.ty) else { continue };
        let cotangent = code.fresh(ty);
        if *on {
            cotangents.push(Some(Atom::Var(cotangent.var)));
        }
        params.push(cotangent);
    }
    let mut given = code.builder.reopen(made.primal.clone());
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
    Arc::new(call::finish(code, def, made))
}
