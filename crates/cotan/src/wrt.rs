//! Which parameters derivatives are by.

use ad::flow::Flow;
use base::{Diagnostic, Name};
use check::Scheme;
use ir::Def;

use crate::compiler::Compiled;
use crate::error;

/// Fails on names that no definition has as a parameter with reals.
pub(crate) fn known(compiled: &Compiled, wrt: &[&str]) -> Result<(), Diagnostic> {
    let defs: Vec<&Name> = compiled.checked.defs.iter().map(|it| &it.name).collect();
    known_to(compiled, &defs, wrt)
}

/// The parameters of one definition that are asked for, all if none is named. Fails on names that are no
/// parameters of it with reals.
pub(crate) fn of_one(
    compiled: &Compiled,
    def: &Name,
    wrt: &[&str],
) -> Result<Vec<bool>, Diagnostic> {
    known_to(compiled, &[def], wrt)?;
    let checked = &compiled.checked;
    let (Some(scheme), Some(def)) = (checked.scheme(def), checked.program.defs.get(def)) else {
        return Ok(Vec::new());
    };
    Ok(chosen(scheme, def, &Flow::new(&checked.program), wrt))
}

fn known_to(compiled: &Compiled, defs: &[&Name], wrt: &[&str]) -> Result<(), Diagnostic> {
    let checked = &compiled.checked;
    let flow = Flow::new(&checked.program);
    let (mut all, mut real) = (Vec::new(), Vec::new());
    for name in defs {
        let (Some(scheme), Some(def)) = (checked.scheme(name), checked.program.defs.get(*name))
        else {
            continue;
        };
        for (param, binder) in scheme.params.iter().flatten().zip(&def.params) {
            let Some(name) = &param.name else { continue };
            all.push(name.as_str());
            if flow.carries(&binder.ty) && !real.contains(&name.as_str()) {
                real.push(name.as_str());
            }
        }
    }
    match wrt.iter().find(|it| !real.contains(it)) {
        None => Ok(()),
        Some(name) if all.contains(name) => Err(error::no_reals(name, &real)),
        Some(name) => {
            let near = error::nearest(name, real.iter().copied());
            Err(error::unknown_argument(name, near, &real))
        }
    }
}

/// The parameters of a definition that are asked for, and have reals if they are not named.
pub(crate) fn chosen(scheme: &Scheme, def: &Def, flow: &Flow<'_>, wrt: &[&str]) -> Vec<bool> {
    let params = scheme.params.as_deref().unwrap_or_default();
    let one = |at: usize| {
        let name = params.get(at).and_then(|it| it.name.as_ref());
        // Without names all parameters are there, integers too: their place in C is dropped.
        wrt.is_empty()
            || flow.carries(&def.params[at].ty) && name.is_some_and(|it| wrt.contains(&it.as_str()))
    };
    (0..def.params.len()).map(one).collect()
}

/// The names of these parameters.
pub(crate) fn names<'s>(scheme: &'s Scheme, by: &[bool]) -> Vec<&'s str> {
    let params = scheme.params.iter().flatten().zip(by).filter(|it| *it.1);
    params.filter_map(|it| it.0.name.as_ref()).map(Name::as_str).collect()
}

/// `a`, `b`
pub(crate) fn quoted(names: &[&str]) -> String {
    names.iter().map(|it| format!("`{it}`")).collect::<Vec<String>>().join(", ")
}
