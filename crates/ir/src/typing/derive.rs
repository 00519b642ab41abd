//! Types of derivative operators and of the passage between values and dual values.
//!
//! At level k every type is a k-fold dual one, and `Real` is the k-fold dual of `Real`;
//! otherwise the rules are those of level 0, as the derivative of an operator is homomorphic.
//! Reverse mode is homomorphic too: where there are Deltas, the rules are those without them.

use super::{Typing, same_count};
use crate::term::{Atom, Operator, Term};
use crate::types::Type;

impl Typing<'_> {
    pub(super) fn lift(&self, level: u32, value: &Atom) -> Result<Type, String> {
        let ty = self.of(value)?;
        without_deltas(&ty, |ty| {
            ty.undual_at(level).ok_or_else(|| not_dual(ty, level))?;
            Ok(ty.dual())
        })
    }

    pub(super) fn primal(&self, level: u32, value: &Atom) -> Result<Type, String> {
        let ty = self.of(value)?;
        without_deltas(&ty, |ty| {
            let primal = ty.undual().ok_or_else(|| not_dual(ty, level + 1))?;
            primal.undual_at(level).ok_or_else(|| not_dual(ty, level + 1))?;
            Ok(primal)
        })
    }

    pub(super) fn derive(
        &self,
        operator: Operator,
        level: u32,
        function: &Atom,
        args: &[Atom],
    ) -> Result<Type, String> {
        let (params, result) = self.function(function)?;
        let real = Type::Real.dual_at(level);
        let real = if result.has_delta() { real.tape() } else { real };
        let argument = match &*params {
            [single] => single.clone(),
            several => Type::Tuple(several.to_vec()),
        };
        if needs_real(operator) && result != real {
            return Err(format!("{operator} of a function to {result}"));
        }
        let mut expected = params;
        match operator {
            Operator::Jvp | Operator::Hvp => expected = vec![argument.clone(), argument.clone()],
            Operator::Vjp => expected.push(result.clone()),
            Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => {}
        }
        same_count("argument", expected.len(), args.len())?;
        self.expect_all("argument", &expected, args)?;
        match operator {
            Operator::Jvp => Ok(result),
            Operator::Vjp | Operator::Grad | Operator::Hvp => Ok(argument),
            Operator::ValueAndGrad => Ok(Type::Tuple(vec![real, argument])),
            Operator::Jacobian => replace_leaves(level, &result, &argument),
            Operator::Hessian => replace_leaves(level, &argument, &argument),
        }
    }

    /// Factors are reals, the others Deltas; arrays among them have the same sizes.
    pub(super) fn combine(&self, terms: &[Term]) -> Result<Type, String> {
        let mut shape = Vec::new();
        for term in terms {
            for (atom, expected) in [(&term.factor, Type::Real), (&term.delta, Type::Delta)] {
                let ty = self.of(atom)?;
                let (sizes, scalar) = ty.split_arrays();
                if *scalar != expected {
                    return Err(format!("{atom} is of type {ty}, not {expected}"));
                }
                if !sizes.is_empty() && !shape.is_empty() && sizes != shape {
                    return Err(format!("{atom} differs in size from what it is combined with"));
                }
                if shape.is_empty() {
                    shape = sizes;
                }
            }
        }
        Ok(Type::arrays(&shape, Type::Delta))
    }
}

/// A rule on types, with the Deltas of a type taken away before and put back after.
fn without_deltas(
    ty: &Type,
    rule: impl FnOnce(&Type) -> Result<Type, String>,
) -> Result<Type, String> {
    match ty.untape() {
        Some(plain) if ty.has_delta() => Ok(rule(&plain)?.tape()),
        Some(_) | None => rule(ty),
    }
}

fn needs_real(operator: Operator) -> bool {
    match operator {
        Operator::Jvp | Operator::Vjp | Operator::Jacobian => false,
        Operator::Grad | Operator::ValueAndGrad | Operator::Hessian | Operator::Hvp => true,
    }
}

/// `ty` with every real, which is `level`-fold dual, replaced by `leaf`.
fn replace_leaves(level: u32, ty: &Type, leaf: &Type) -> Result<Type, String> {
    if ty.has_delta() || leaf.has_delta() {
        let plain = |it: &Type| it.untape().ok_or_else(|| format!("{it} has no Deltas"));
        return Ok(replace_leaves(level, &plain(ty)?, &plain(leaf)?)?.tape());
    }
    let plain = ty.undual_at(level).ok_or_else(|| not_dual(ty, level))?;
    let leaf = leaf.undual_at(level).ok_or_else(|| not_dual(leaf, level))?;
    Ok(replace_reals(&plain, &leaf)?.dual_at(level))
}

fn replace_reals(ty: &Type, leaf: &Type) -> Result<Type, String> {
    match ty {
        Type::Real => Ok(leaf.clone()),
        Type::Var(_) | Type::Dual(_) | Type::Function(..) | Type::Delta | Type::Tape(_) => {
            Err(format!("{ty} has no reals to replace"))
        }
        Type::Int
        | Type::Bool
        | Type::String
        | Type::Tuple(_)
        | Type::Array(..)
        | Type::Data(..) => {
            let parts = ty.parts().into_iter().map(|it| replace_reals(it, leaf));
            let sizes = ty.sizes().into_iter().cloned().collect();
            Ok(ty.with(sizes, parts.collect::<Result<Vec<Type>, String>>()?))
        }
    }
}

fn not_dual(ty: &Type, level: u32) -> String {
    format!("{ty} is no {level}-fold dual type")
}
