//! One try at a constraint: it holds, it is refused, or it waits until more is known.

use base::Span;
use syntax::ast;

use crate::error::{
    DerivativeError, Error, FunctionError, MismatchError, OperandError, PartError, SizeError, Takes,
};
use crate::infer::Checker;
use crate::infer::constraint::{Constraint, Demand, MOST_DIMENSIONS, Outcome};
use crate::typed::Slot;
use crate::types::{Size, Type};

impl Checker {
    pub(super) fn attempt(&mut self, constraint: &Constraint) -> Outcome {
        if constraint.depth > MOST_DIMENSIONS {
            return self.refuse(MismatchError::EndlessArray(constraint.span));
        }
        let outer = std::mem::replace(&mut self.depth, constraint.depth + 1);
        let outcome = self.attempt_demand(constraint);
        self.depth = outer;
        outcome
    }

    fn attempt_demand(&mut self, constraint: &Constraint) -> Outcome {
        let span = constraint.span;
        match &constraint.demand {
            Demand::Number(ty, name) => self.leaf(ty, name, span, &[Type::Real, Type::Int]),
            Demand::Reals(ty, name) => self.leaf(ty, name, span, &[Type::Real]),
            Demand::Scalar(ty, name) => self.scalar(ty, name, span),
            Demand::Arithmetic(it) => self.arithmetic(it, span),
            Demand::Convert { from, to, leaf, name } => self.convert(from, to, leaf, name, span),
            Demand::Mask { mask, of, whole } => self.mask(mask, of, whole.as_deref(), span),
            Demand::Comparable(ty) => {
                self.no_function(ty, |ty| FunctionError::Compared { span, ty }.into())
            }
            Demand::Differentiable(ty) => {
                self.no_function(ty, |ty| DerivativeError::ByFunction { span, ty }.into())
            }
            Demand::Jacobian { result, output, argument, name } => {
                self.jacobian(result, output, argument, name, span)
            }
            Demand::Structure { ty, vector, name } => {
                self.structure(ty, vector.as_ref(), name, span)
            }
            Demand::Repeated { size, .. } => self.repeated(size),
            Demand::Field { value, field, ty, slot } => self.field(value, field, ty, slot),
            Demand::Part { value, index, ty, slot } => self.part(value, *index, ty, slot, span),
            Demand::Reshape { array, elem, count } => self.reshape(array, elem, count, span),
        }
    }

    fn scalar(&mut self, ty: &Type, name: &'static str, span: Span) -> Outcome {
        match self.solver.head(ty) {
            Type::Real | Type::Int | Type::Error => Outcome::Done,
            Type::Var(_) => Outcome::Wait,
            other @ (Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Array(..)
            | Type::Function(..)
            | Type::Named(..)
            | Type::Param(_)) => {
                self.refuse(OperandError::of(name, span, self.solver.resolve(&other)))
            }
        }
    }

    fn leaf(&mut self, ty: &Type, name: &'static str, span: Span, allowed: &[Type]) -> Outcome {
        let leaf = self.innermost(ty);
        if let Type::Var(_) = leaf {
            return Outcome::Wait;
        }
        if leaf == Type::Error || allowed.contains(&leaf) {
            return Outcome::Done;
        }
        let takes = if leaf == Type::Int { Takes::Reals } else { Takes::Numbers };
        let ty = self.solver.resolve(ty);
        self.refuse(OperandError::Type { symbol: name, span, ty, takes })
    }

    fn convert(
        &mut self,
        from: &Type,
        to: &Type,
        leaf: &(Type, Type),
        name: &'static str,
        span: Span,
    ) -> Outcome {
        let found = self.solver.head(from);
        if let Type::Var(_) = found {
            return Outcome::Wait;
        }
        if let Type::Array(n, elem) = found {
            let to = self.element_of(to, &n, span);
            self.demand(Demand::Convert { from: *elem, to, leaf: leaf.clone(), name }, span);
            return Outcome::Done;
        }
        if found == leaf.0 {
            self.force(to, &leaf.1, span);
        }
        if found == leaf.0 || found == Type::Error {
            return Outcome::Done;
        }
        let (ty, takes) = (self.solver.resolve(&found), Takes::Only(leaf.0.clone()));
        self.refuse(OperandError::Type { symbol: name, span, ty, takes })
    }

    fn mask(
        &mut self,
        mask: &Type,
        of: &Type,
        whole: Option<&(Type, Type)>,
        span: Span,
    ) -> Outcome {
        match self.solver.head(mask) {
            Type::Error => Outcome::Done,
            Type::Bool => match (whole, self.solver.head(of)) {
                (Some(_), Type::Var(_)) => Outcome::Wait,
                (Some((mask, of)), Type::Array(..)) => {
                    let (mask, of) = (self.solver.resolve(mask), self.solver.resolve(of));
                    self.refuse(OperandError::Mask { span, mask, of })
                }
                (Some(_) | None, _) => Outcome::Done,
            },
            Type::Var(_) => Outcome::Wait,
            Type::Array(n, inner) => {
                let elem = self.element_of(of, &n, span);
                let whole = whole.cloned().unwrap_or_else(|| (mask.clone(), of.clone()));
                let whole = Some(Box::new(whole));
                self.demand(Demand::Mask { mask: *inner, of: elem, whole }, span);
                Outcome::Done
            }
            other @ (Type::Real
            | Type::Int
            | Type::String
            | Type::Tuple(_)
            | Type::Function(..)
            | Type::Named(..)
            | Type::Param(_)) => {
                let other = self.solver.resolve(&other);
                self.refuse(OperandError::of("select", span, other))
            }
        }
    }

    fn no_function(&mut self, ty: &Type, error: impl FnOnce(Type) -> Error) -> Outcome {
        let resolved = self.solver.resolve(ty);
        if self.table.has_function(&resolved) {
            return self.refuse(error(resolved));
        }
        match self.solver.unknowns(&resolved).0.is_empty() {
            true => Outcome::Done,
            false => Outcome::Wait,
        }
    }

    fn jacobian(
        &mut self,
        result: &Type,
        output: &Type,
        argument: &Type,
        name: &'static str,
        span: Span,
    ) -> Outcome {
        let output = self.solver.resolve(output);
        if !self.solver.unknowns(&output).0.is_empty() {
            return Outcome::Wait;
        }
        match self.replace_reals(&output, argument) {
            Some(ty) => {
                self.force(result, &ty, span);
                Outcome::Done
            }
            None => self.refuse(DerivativeError::NoMatrix { operator: name, span, ty: output }),
        }
    }

    fn replace_reals(&self, ty: &Type, by: &Type) -> Option<Type> {
        match ty {
            Type::Real => Some(by.clone()),
            Type::Int | Type::Bool | Type::String | Type::Error => Some(ty.clone()),
            Type::Tuple(parts) => Some(Type::Tuple(
                parts.iter().map(|it| self.replace_reals(it, by)).collect::<Option<_>>()?,
            )),
            Type::Array(n, elem) => Some(Type::array(n.clone(), self.replace_reals(elem, by)?)),
            Type::Named(..) => {
                let fields = self.table.record_fields(ty)?;
                let parts = fields.iter().map(|(_, it)| self.replace_reals(it, by));
                Some(Type::Tuple(parts.collect::<Option<_>>()?))
            }
            Type::Function(..) | Type::Param(_) | Type::Var(_) => None,
        }
    }

    fn field(&mut self, value: &Type, field: &ast::Ident, ty: &Type, slot: &Slot) -> Outcome {
        let value = self.solver.head(value);
        if let Type::Var(_) = value {
            return Outcome::Wait;
        }
        if value == Type::Error {
            return Outcome::Done;
        }
        let Some(fields) = self.table.record_fields(&value) else {
            let value = self.solver.resolve(&value);
            return self.refuse(PartError::NoFields { field: field.clone(), ty: value });
        };
        match fields.iter().position(|(it, _)| *it == field.name) {
            Some(position) => {
                slot.set(position);
                self.force(ty, &fields[position].1, field.span);
                Outcome::Done
            }
            None => {
                let names: Vec<base::Name> = fields.into_iter().map(|(it, _)| it).collect();
                let of = self.solver.resolve(&value).to_string();
                self.refuse(PartError::unknown_field(field, &of, names))
            }
        }
    }

    fn part(&mut self, value: &Type, index: usize, ty: &Type, slot: &Slot, span: Span) -> Outcome {
        let value = self.solver.head(value);
        if let Type::Var(_) = value {
            return Outcome::Wait;
        }
        if value == Type::Error {
            return Outcome::Done;
        }
        if let Type::Tuple(parts) = &value
            && let Some(part) = parts.get(index)
        {
            slot.set(index);
            self.force(ty, part, span);
            return Outcome::Done;
        }
        let ty = self.solver.resolve(&value);
        self.refuse(PartError::NoPart { span, index, ty })
    }

    fn reshape(&mut self, array: &Type, elem: &Type, count: &Size, span: Span) -> Outcome {
        let resolved = self.solver.resolve(array);
        let mut n = Size::constant(1);
        let mut inner = &resolved;
        while let Type::Array(size, next) = inner {
            n = n.mul(size);
            inner = next;
        }
        if let Type::Var(_) = inner {
            return Outcome::Wait;
        }
        if *inner == Type::Error {
            return Outcome::Done;
        }
        self.force(elem, inner, span);
        let (n, count) = (self.solver.resolve_size(&n), self.solver.resolve_size(count));
        if let (Some(a), Some(b)) = (n.as_constant(), count.as_constant())
            && a != b
        {
            return self.refuse(SizeError::Reshape { span, from: n, to: count });
        }
        Outcome::Done
    }
}
