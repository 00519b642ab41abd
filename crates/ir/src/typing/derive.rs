//! Types of derivative operators and of the passage between values and dual values.
//!
//! At level k every type is a k-fold dual one, and `Real` is the k-fold dual of `Real`;
//! otherwise the rules are those of level 0, as the derivative of an operator is homomorphic.
//! Reverse mode is homomorphic too: where there are Deltas, the rules are those without them.

use base::Name;

use super::{Types, Typing, one, same_count, signature};
use crate::op::{DeltaOp, DeriveOp, Linear, Operator, Term};
use crate::signature::{Signature, run_type};
use crate::size::Size;
use crate::term::{Atom, Var};
use crate::types::Type;

impl Typing<'_> {
    /// Derivative operators and dual numbers.
    pub(super) fn derive_op(&self, op: &DeriveOp) -> Types {
        match op {
            DeriveOp::StopGradient(value) => self.of(value).map(one),
            DeriveOp::Tell { saying: _, every, text, value } => {
                self.expect("number of times", &Type::Int, every)?;
                self.expect("text", &Type::String, text)?;
                self.of(value).map(one)
            }
            DeriveOp::Checkpoint { every, value } => {
                self.expect("number of steps", &Type::Int, every)?;
                self.of(value).map(one)
            }
            DeriveOp::Lift { level, value } => self.lift(*level, value).map(one),
            DeriveOp::Primal { level, value } | DeriveOp::Tangent { level, value } => {
                self.primal(*level, value).map(one)
            }
            DeriveOp::Pair { beside: _, level, value, tangent } => {
                let ty = self.lift(*level, value)?;
                self.expect("the tangent", &self.of(value)?, tangent)?;
                Ok(one(ty))
            }
            DeriveOp::OfFunction { operator, level, function, args } => {
                self.derive(*operator, *level, function, args).map(one)
            }
            DeriveOp::OfDefinition { operator, def, sizes, captured, args } => {
                self.derivative(*operator, def, sizes, captured, args)
            }
        }
    }

    /// Deltas.
    pub(super) fn delta_op(&self, op: &DeltaOp) -> Types {
        match op {
            DeltaOp::Combine(terms) => self.combine(terms).map(one),
            DeltaOp::Zeros(value) => Ok(one(self.of(value)?.tape())),
            DeltaOp::Strip(value) => {
                let ty = self.of(value)?;
                ty.untape().map(one).ok_or_else(|| format!("{ty} has no Deltas"))
            }
            DeltaOp::Pullback { by, value, inputs, function } => {
                self.pullback(*by, value, inputs, function).map(one)
            }
        }
    }

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
            Operator::Linearise => {}
        }
        same_count("argument", expected.len(), args.len())?;
        self.expect_all("argument", &expected, args)?;
        match operator {
            Operator::Jvp => Ok(result),
            Operator::Vjp | Operator::Grad | Operator::Hvp => Ok(argument),
            Operator::ValueAndGrad => Ok(Type::Tuple(vec![real, argument])),
            Operator::Jacobian => replace_leaves(level, &result, &argument),
            Operator::Hessian => replace_leaves(level, &argument, &argument),
            Operator::Linearise => Ok(Type::Tuple(vec![result, self.of(function)?])),
        }
    }

    /// A derivative operator of a definition: its parts stand side by side.
    pub(super) fn derivative(
        &self,
        operator: Operator,
        def: &Name,
        sizes: &[Size],
        captured: &[Atom],
        args: &[Atom],
    ) -> Types {
        let signature = signature(self.program, def)?;
        same_count("size argument", signature.size_params.len(), sizes.len())?;
        if !signature.type_params.is_empty() {
            return Err(format!("{def} has type parameters"));
        }
        let n_params = signature.params.len().checked_sub(captured.len());
        let n_params = n_params.ok_or("more values are captured than there are parameters")?;
        let values: Vec<&Atom> = captured.iter().chain(args).collect();
        let size_of = |it: Var| match signature.params.iter().position(|p| p.var == it) {
            Some(at) => crate::signature::atom_size(values.get(at)?),
            None => Some(sizes[signature.size_params.iter().position(|p| *p == it)?].clone()),
        };
        let types = |binders: &[crate::term::Binder]| -> Vec<Type> {
            binders.iter().map(|it| it.ty.substitute_sizes(&size_of)).collect()
        };
        let all = types(&signature.params);
        let results = types(&signature.results);
        let (outer, params) = all.split_at(captured.len());
        self.expect_all("captured value", outer, captured)?;
        if needs_real(operator) && results != [Type::Real] {
            return Err(format!("{operator} of a definition that gives more than a real"));
        }
        let mut expected = params.to_vec();
        match operator {
            Operator::Jvp | Operator::Hvp => expected.extend(params.iter().cloned()),
            Operator::Vjp => expected.extend(results.iter().cloned()),
            Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => {}
            Operator::Linearise => {}
        }
        let may_have_run = matches!(operator, Operator::Jvp | Operator::Vjp);
        if may_have_run && args.len() > expected.len() {
            expected.push(run_type(def));
        }
        self.expect_all("argument", &expected, args)?;
        let by_each = |outer: &[Type]| {
            let pairs = outer.iter().flat_map(|r| params.iter().map(move |p| (r, p)));
            pairs.map(|(r, p)| replace_reals(r, p)).collect::<Types>()
        };
        debug_assert_eq!(params.len(), n_params);
        match operator {
            Operator::Jvp => Ok(results),
            Operator::Vjp | Operator::Grad | Operator::Hvp => Ok(params.to_vec()),
            Operator::ValueAndGrad => {
                Ok(std::iter::once(Type::Real).chain(params.iter().cloned()).collect())
            }
            Operator::Jacobian => by_each(&results),
            Operator::Hessian => by_each(params),
            Operator::Linearise => Ok(results.into_iter().chain([run_type(def)]).collect()),
        }
    }

    /// The function takes what the value is to what the inputs are without Deltas.
    pub(super) fn pullback(
        &self,
        by: Linear,
        value: &Atom,
        inputs: &[Atom],
        function: &Atom,
    ) -> Result<Type, String> {
        let (params, result) = self.function(function)?;
        let plain = |it: Type| it.untape().filter(|_| it.has_delta()).unwrap_or(it);
        let mut parts: Vec<Type> = self.all(inputs)?.into_iter().map(plain).collect();
        let value = self.of(value)?;
        let (takes, gives) = match by {
            Linear::Pullback if parts.len() == 1 => (vec![value.clone()], parts.remove(0)),
            Linear::Pullback => (vec![value.clone()], Type::Tuple(parts)),
            Linear::Pushforward | Linear::Recorded => (parts, value.clone()),
        };
        if takes != params || gives != result {
            let list = |it: &[Type]| it.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let (takes, params) = (list(&takes), list(&params));
            return Err(format!("({params}) -> {result}, where ({takes}) -> {gives} is expected"));
        }
        Ok(value.tape())
    }

    /// Factors are reals, the others Deltas; arrays among them have the same sizes.
    pub(super) fn combine(&self, terms: &[Term]) -> Result<Type, String> {
        let mut shape = Vec::new();
        let tangents = match terms.first() {
            Some(term) => *self.of(&term.delta)?.split_arrays().1 == Type::Real,
            None => false,
        };
        let delta = if tangents { Type::Real } else { Type::Delta };
        for term in terms {
            for (atom, expected) in [(&term.factor, Type::Real), (&term.delta, delta.clone())] {
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
        Ok(Type::arrays(&shape, delta))
    }
}

/// How many results a derivative operator of a definition has.
pub(super) fn derivative_count(
    operator: Operator,
    signature: &Signature,
    n_captured: usize,
) -> Result<usize, String> {
    let n_params = signature.params.len().saturating_sub(n_captured);
    Ok(match operator {
        Operator::Jvp => signature.results.len(),
        Operator::Vjp | Operator::Grad | Operator::Hvp => n_params,
        Operator::ValueAndGrad => n_params + 1,
        Operator::Jacobian => signature.results.len() * n_params,
        Operator::Hessian => n_params * n_params,
        Operator::Linearise => signature.results.len() + 1,
    })
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
        Operator::Jvp | Operator::Vjp | Operator::Jacobian | Operator::Linearise => false,
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
