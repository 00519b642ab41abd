//! V11: custom derivatives have the types of the derivatives that they stand for.

use base::Name;

use super::{Verified, VerifyError};
use crate::signature::Signature;
use crate::size::Size;
use crate::term::{Binder, Program};
use crate::types::Type;

/// Both forms are accepted, as in definitions: a tuple, and its parts side by side.
pub(super) fn verify_customs(program: &Program) -> Verified {
    for (name, custom) in &program.customs {
        let of = signature(program, name, name)?;
        if custom.vjp.is_none() && custom.jvp.is_none() {
            return fail(name, "neither a vjp nor a jvp");
        }
        if let Some(vjp) = &custom.vjp {
            let params: Vec<&Binder> = of.params.iter().chain(&of.results).collect();
            compare(program, name, &of, vjp, (&params, &of.params))?;
        }
        if let Some(jvp) = &custom.jvp {
            let params: Vec<&Binder> = of.params.iter().chain(&of.params).collect();
            compare(program, name, &of, jvp, (&params, &of.results))?;
        }
    }
    Ok(())
}

fn compare(
    program: &Program,
    name: &Name,
    of: &Signature,
    custom: &Name,
    (params, results): (&[&Binder], &[Binder]),
) -> Verified {
    let found = signature(program, name, custom)?;
    if found.type_params != of.type_params || found.size_params.len() != of.size_params.len() {
        return fail(name, &format!("{custom} has other type or size parameters"));
    }
    let size = |it| {
        let at = of.size_params.iter().position(|param| *param == it)?;
        Some(Size::var(found.size_params[at]))
    };
    let parts = |ty: &Type| flat(&ty.substitute_sizes(&size));
    let expected: Vec<Type> = params.iter().flat_map(|it| parts(&it.ty)).collect();
    if expected != found.params.iter().flat_map(|it| flat(&it.ty)).collect::<Vec<_>>() {
        return fail(name, &format!("{custom} has other parameters"));
    }
    let expected: Vec<Type> = results.iter().flat_map(|it| parts(&it.ty)).collect();
    if expected != found.results.iter().flat_map(|it| flat(&it.ty)).collect::<Vec<_>>() {
        return fail(name, &format!("{custom} has other results"));
    }
    Ok(())
}

fn signature(program: &Program, at: &Name, name: &Name) -> Result<Signature, VerifyError> {
    match program.signature(name) {
        Some(found) => Ok(found),
        None => fail(at, &format!("there is no definition {name}")),
    }
}

/// The parts of tuples, however they are nested.
fn flat(ty: &Type) -> Vec<Type> {
    let Type::Tuple(parts) = ty else { return vec![ty.clone()] };
    parts.iter().flat_map(flat).collect()
}

fn fail<T>(at: &Name, message: &str) -> Result<T, VerifyError> {
    Err(VerifyError { invariant: "V11", at: format!("custom {at}"), message: message.into() })
}
