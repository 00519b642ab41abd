//! What a definition demands of types that are not known yet: `+` of what, a field of what.
//!
//! A constraint is tried at once and again whenever more may be known; what is still open at
//! the end of a group of definitions is decided by default: numbers are `Real`.

use std::cell::Cell;
use std::rc::Rc;

use base::Span;
use syntax::ast;

use crate::error::{Error, Why};
use crate::infer::Checker;
use crate::types::{Size, Type};

/// A demand on types, with the place it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    /// What is demanded.
    pub demand: Demand,
    /// Where.
    pub span: Span,
    /// How many demands it comes from, each about the elements of the arrays of the one before.
    pub depth: u32,
}

/// More dimensions than any array has that somebody wrote; `y` that should be `[y + 1.0]` has
/// no end of them.
const MOST_DIMENSIONS: u32 = 64;

/// The forms of demands.
#[derive(Clone, Debug)]
pub(crate) enum Demand {
    /// Real, Int or arrays of them, for the function of that name.
    Number(Type, &'static str),
    /// Real or arrays of it.
    Reals(Type, &'static str),
    /// Real or Int.
    Scalar(Type, &'static str),
    /// Two operands that broadcast to a result.
    Arithmetic(Box<Arithmetic>),
    /// The leaves of the first become the leaves of the second, the shape stays.
    Convert { from: Type, to: Type, leaf: (Type, Type), name: &'static str },
    /// `Bool`, or arrays of it of the shape of the other.
    Mask { mask: Type, of: Type },
    /// No function inside.
    Comparable(Type),
    /// No function inside, because it is differentiated.
    Differentiable(Type),
    /// The second is the first with every `Real` replaced by the third.
    Jacobian { result: Type, output: Type, argument: Type, name: &'static str },
    /// The field of a record.
    Field { value: Type, field: ast::Ident, ty: Type, slot: Rc<Cell<usize>> },
    /// The part of a tuple.
    Part { value: Type, index: usize, ty: Type, slot: Rc<Cell<usize>> },
    /// The array holds as many elements as the product of the sizes.
    Reshape { array: Type, elem: Type, count: Size },
}

/// `left op right = result`.
#[derive(Clone, Debug)]
pub(crate) struct Arithmetic {
    /// The operator as written.
    pub symbol: &'static str,
    /// The left operand and its place.
    pub left: (Type, Span),
    /// The right operand and its place.
    pub right: (Type, Span),
    /// The result.
    pub result: Type,
    /// The literals among the operands, for help.
    pub literals: (Option<i64>, Option<i64>),
    /// What the scalars may be.
    pub leaves: Leaves,
}

/// Which scalars an operator takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Real or Int, the same as result.
    Same,
    /// Real only.
    Real,
    /// Real or Int, Bool as result.
    Compare,
}

/// What became of a constraint.
enum Outcome {
    Done,
    Wait,
}

impl Checker {
    /// Tries a constraint, and keeps it if it must wait.
    pub(crate) fn demand(&mut self, demand: Demand, span: Span) {
        let constraint = Constraint { demand, span, depth: self.depth };
        if let Outcome::Wait = self.attempt(&constraint) {
            self.constraints.push(constraint);
        }
    }

    /// Tries all constraints again until none moves.
    pub(crate) fn retry(&mut self) {
        loop {
            let constraints = std::mem::take(&mut self.constraints);
            let before = constraints.len();
            for constraint in constraints {
                if let Outcome::Wait = self.attempt(&constraint) {
                    self.constraints.push(constraint);
                }
            }
            if self.constraints.len() == before || self.constraints.is_empty() {
                return;
            }
        }
    }

    /// Decides what is still open: one default at a time, because each may settle others.
    pub(crate) fn settle(&mut self) {
        self.retry();
        while !self.constraints.is_empty() {
            let position = self.constraints.iter().position(|it| !late(&it.demand)).unwrap_or(0);
            let constraint = self.constraints.remove(position);
            self.default(&constraint);
            self.retry();
        }
    }

    fn attempt(&mut self, constraint: &Constraint) -> Outcome {
        if constraint.depth > MOST_DIMENSIONS {
            return self.refuse(Error::endless_array(constraint.span));
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
            Demand::Scalar(ty, name) => match self.solver.head(ty) {
                Type::Real | Type::Int | Type::Error => Outcome::Done,
                Type::Var(_) => Outcome::Wait,
                other => self.refuse(Error::operand(name, span, &self.solver.resolve(&other))),
            },
            Demand::Arithmetic(it) => self.arithmetic(it, span),
            Demand::Convert { from, to, leaf, name } => self.convert(from, to, leaf, name, span),
            Demand::Mask { mask, of } => self.mask(mask, of, span),
            Demand::Comparable(ty) => self.no_function(ty, span, Error::compared_functions),
            Demand::Differentiable(ty) => self.no_function(ty, span, Error::derivative_by_function),
            Demand::Jacobian { result, output, argument, name } => {
                self.jacobian(result, output, argument, name, span)
            }
            Demand::Field { value, field, ty, slot } => self.field(value, field, ty, slot),
            Demand::Part { value, index, ty, slot } => self.part(value, *index, ty, slot, span),
            Demand::Reshape { array, elem, count } => self.reshape(array, elem, count, span),
        }
    }

    fn default(&mut self, constraint: &Constraint) {
        let span = constraint.span;
        match &constraint.demand {
            Demand::Number(ty, _) | Demand::Reals(ty, _) | Demand::Scalar(ty, _) => {
                let leaf = self.innermost(ty);
                self.force(&leaf, &Type::Real, span);
            }
            Demand::Arithmetic(it) => {
                let (left, right) = (self.solver.head(&it.left.0), self.solver.head(&it.right.0));
                let fits = match (&left, &right) {
                    (Type::Var(_), Type::Var(_)) => {
                        self.force(&left, &right, span) && self.force(&left, &Type::Real, span)
                    }
                    _ => self.force(&left, &right, span),
                };
                // What does not fit now never will, as in `x - [x]`.
                if fits {
                    self.constraints.push(constraint.clone());
                } else {
                    let _ = self.solver.unify(&it.result, &Type::Error);
                }
            }
            Demand::Convert { from, leaf, .. } => {
                let innermost = self.innermost(from);
                self.force(&innermost, &leaf.0, span);
                self.constraints.push(constraint.clone());
            }
            Demand::Mask { mask, .. } => {
                let innermost = self.innermost(mask);
                self.force(&innermost, &Type::Bool, span);
                self.constraints.push(constraint.clone());
            }
            Demand::Comparable(_) | Demand::Differentiable(_) => {}
            Demand::Jacobian { output, .. } => {
                for unknown in self.solver.unknowns(output).0 {
                    self.solver.set_type(unknown, Type::Real);
                }
                self.constraints.push(constraint.clone());
            }
            Demand::Field { value, field, .. } => match self.only_record_with(field) {
                Some(record) => {
                    self.force(value, &record, span);
                    self.constraints.push(constraint.clone());
                }
                None => self.errors.push(Error::unknown_type_of(span, "a field of what?")),
            },
            Demand::Part { .. } => {
                self.errors.push(Error::unknown_type_of(span, "a part of what?"))
            }
            Demand::Reshape { .. } => {
                self.errors.push(Error::unknown_type_of(span, "an array of what?"))
            }
        }
    }

    /// Makes two types equal, or says that they cannot be; whether they are.
    fn force(&mut self, left: &Type, right: &Type, span: Span) -> bool {
        let Err(mismatch) = self.solver.unify(left, right) else { return true };
        let diagnostic =
            Error::mismatch(&self.solver, &mismatch, left, right, span, &Why::Operand(span));
        self.errors.push(diagnostic);
        false
    }

    fn refuse(&mut self, diagnostic: base::Diagnostic) -> Outcome {
        self.errors.push(diagnostic);
        Outcome::Done
    }

    /// What is inside all leading array dimensions.
    fn innermost(&self, ty: &Type) -> Type {
        let mut ty = self.solver.head(ty);
        while let Type::Array(_, elem) = &ty {
            ty = self.solver.head(elem);
        }
        ty
    }

    fn leaf(&mut self, ty: &Type, name: &str, span: Span, allowed: &[Type]) -> Outcome {
        match self.innermost(ty) {
            Type::Var(_) => Outcome::Wait,
            Type::Error => Outcome::Done,
            leaf if allowed.contains(&leaf) => Outcome::Done,
            Type::Int => {
                let whole = self.solver.resolve(ty);
                let diagnostic = Error::operand(name, span, &whole);
                let help = vec!["it works on Real: convert with `real(...)`".to_string()];
                self.refuse(base::Diagnostic { help, ..diagnostic })
            }
            _ => {
                let whole = self.solver.resolve(ty);
                self.refuse(Error::operand(name, span, &whole))
            }
        }
    }

    fn arithmetic(&mut self, it: &Arithmetic, span: Span) -> Outcome {
        let (left, right) = (self.solver.head(&it.left.0), self.solver.head(&it.right.0));
        let result = self.solver.head(&it.result);
        let inner = |left: Type, right: Type, result: Type| Arithmetic {
            left: (left, it.left.1),
            right: (right, it.right.1),
            result,
            ..it.clone()
        };
        match (&left, &right) {
            (Type::Error, _) | (_, Type::Error) => {
                let _ = self.solver.unify(&result, &Type::Error);
                Outcome::Done
            }
            (Type::Array(n, a), Type::Array(m, b)) => {
                if let Err(mismatch) = self.solver.unify_size(n, m) {
                    let why = Why::Operand(it.left.1);
                    let diagnostic =
                        Error::mismatch(&self.solver, &mismatch, &left, &right, it.right.1, &why);
                    return self.refuse(diagnostic);
                }
                let elem = self.element_of(&result, n, span);
                self.demand(
                    Demand::Arithmetic(Box::new(inner((**a).clone(), (**b).clone(), elem))),
                    span,
                );
                Outcome::Done
            }
            (Type::Array(n, a), Type::Real | Type::Int) => {
                let elem = self.element_of(&result, n, span);
                self.demand(
                    Demand::Arithmetic(Box::new(inner((**a).clone(), right.clone(), elem))),
                    span,
                );
                Outcome::Done
            }
            (Type::Real | Type::Int, Type::Array(n, b)) => {
                let elem = self.element_of(&result, n, span);
                self.demand(
                    Demand::Arithmetic(Box::new(inner(left.clone(), (**b).clone(), elem))),
                    span,
                );
                Outcome::Done
            }
            (Type::Real, Type::Real) | (Type::Int, Type::Int) => {
                self.scalars(it, &left, &result, span)
            }
            (Type::Int, Type::Real) => {
                self.refuse(Error::mixed(it.symbol, (it.left.1, it.literals.0), it.right.1))
            }
            (Type::Real, Type::Int) => {
                self.refuse(Error::mixed(it.symbol, (it.right.1, it.literals.1), it.left.1))
            }
            (Type::Var(_), _) | (_, Type::Var(_)) => {
                self.arithmetic_unknown(it, &left, &right, &result, span)
            }
            (other, Type::Real | Type::Int | Type::Array(..)) => {
                let ty = self.solver.resolve(other);
                self.refuse(Error::operand(it.symbol, it.left.1, &ty))
            }
            (_, other) => {
                let ty = self.solver.resolve(other);
                self.refuse(Error::operand(it.symbol, it.right.1, &ty))
            }
        }
    }

    fn scalars(&mut self, it: &Arithmetic, leaf: &Type, result: &Type, span: Span) -> Outcome {
        if it.leaves == Leaves::Real && *leaf == Type::Int {
            return self.refuse(Error::operand(it.symbol, it.left.1, leaf));
        }
        let gives = if it.leaves == Leaves::Compare { &Type::Bool } else { leaf };
        self.force(result, gives, span);
        Outcome::Done
    }

    /// One operand is unknown: a scalar result or a refusal of the other one still decides.
    fn arithmetic_unknown(
        &mut self,
        it: &Arithmetic,
        left: &Type,
        right: &Type,
        result: &Type,
        span: Span,
    ) -> Outcome {
        for (ty, at) in [(left, it.left.1), (right, it.right.1)] {
            if !matches!(ty, Type::Var(_) | Type::Real | Type::Int | Type::Array(..)) {
                let ty = self.solver.resolve(ty);
                return self.refuse(Error::operand(it.symbol, at, &ty));
            }
        }
        match result {
            Type::Real | Type::Int if it.leaves != Leaves::Compare => {
                self.force(left, result, span);
                self.force(right, result, span);
                Outcome::Done
            }
            Type::Bool if it.leaves == Leaves::Compare => {
                let known = if matches!(left, Type::Var(_)) { right } else { left };
                match known {
                    Type::Real | Type::Int => {
                        self.force(left, right, span);
                        Outcome::Done
                    }
                    _ => Outcome::Wait,
                }
            }
            _ => Outcome::Wait,
        }
    }

    /// Makes the result an array of that size and gives its element type.
    fn element_of(&mut self, result: &Type, size: &Size, span: Span) -> Type {
        let elem = self.solver.fresh_type();
        self.force(result, &Type::array(size.clone(), elem.clone()), span);
        elem
    }

    fn convert(
        &mut self,
        from: &Type,
        to: &Type,
        leaf: &(Type, Type),
        name: &'static str,
        span: Span,
    ) -> Outcome {
        match self.solver.head(from) {
            Type::Array(n, elem) => {
                let to = self.element_of(to, &n, span);
                self.demand(Demand::Convert { from: *elem, to, leaf: leaf.clone(), name }, span);
                Outcome::Done
            }
            Type::Var(_) => Outcome::Wait,
            Type::Error => Outcome::Done,
            found if found == leaf.0 => {
                self.force(to, &leaf.1, span);
                Outcome::Done
            }
            found => {
                let found = self.solver.resolve(&found);
                let diagnostic = Error::operand(name, span, &found);
                let help = vec![format!("it works on `{}`", leaf.0)];
                self.refuse(base::Diagnostic { help, ..diagnostic })
            }
        }
    }

    fn mask(&mut self, mask: &Type, of: &Type, span: Span) -> Outcome {
        match self.solver.head(mask) {
            Type::Bool | Type::Error => Outcome::Done,
            Type::Var(_) => Outcome::Wait,
            Type::Array(n, inner) => {
                let elem = self.element_of(of, &n, span);
                self.demand(Demand::Mask { mask: *inner, of: elem }, span);
                Outcome::Done
            }
            other => {
                let other = self.solver.resolve(&other);
                self.refuse(Error::operand("select", span, &other))
            }
        }
    }

    fn no_function(
        &mut self,
        ty: &Type,
        span: Span,
        error: fn(Span, &Type) -> base::Diagnostic,
    ) -> Outcome {
        let resolved = self.solver.resolve(ty);
        if self.table.has_function(&resolved) {
            return self.refuse(error(span, &resolved));
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
        name: &str,
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
            None => self.refuse(Error::jacobian_of(name, span, &output)),
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

    fn field(
        &mut self,
        value: &Type,
        field: &ast::Ident,
        ty: &Type,
        slot: &Rc<Cell<usize>>,
    ) -> Outcome {
        let value = self.solver.head(value);
        match &value {
            Type::Var(_) => return Outcome::Wait,
            Type::Error => {
                let _ = self.solver.unify(ty, &Type::Error);
                return Outcome::Done;
            }
            _ => {}
        }
        let Some(fields) = self.table.record_fields(&value) else {
            let value = self.solver.resolve(&value);
            let _ = self.solver.unify(ty, &Type::Error);
            return self.refuse(Error::no_fields(field, &value));
        };
        match fields.iter().position(|(it, _)| *it == field.name) {
            Some(position) => {
                slot.set(position);
                self.force(ty, &fields[position].1, field.span);
                Outcome::Done
            }
            None => {
                let names: Vec<base::Name> = fields.into_iter().map(|(it, _)| it).collect();
                let _ = self.solver.unify(ty, &Type::Error);
                self.refuse(Error::unknown_field(
                    field,
                    &self.solver.resolve(&value).to_string(),
                    &names,
                ))
            }
        }
    }

    fn only_record_with(&mut self, field: &ast::Ident) -> Option<Type> {
        let mut with_field = self.table.decls.values().filter(|decl| {
            matches!(&decl.body, crate::declare::Body::Record(fields) if fields.iter().any(|(it, _)| *it == field.name))
        });
        let decl = with_field.next()?.clone();
        if with_field.next().is_some() {
            return None;
        }
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        for param in &decl.params {
            match param {
                crate::declare::Param::Type(_) => types.push(self.solver.fresh_type()),
                crate::declare::Param::Size(_) => sizes.push(self.solver.fresh_size()),
            }
        }
        Some(Type::Named(decl.name, types, sizes))
    }

    fn part(
        &mut self,
        value: &Type,
        index: usize,
        ty: &Type,
        slot: &Rc<Cell<usize>>,
        span: Span,
    ) -> Outcome {
        match self.solver.head(value) {
            Type::Var(_) => Outcome::Wait,
            Type::Tuple(parts) if index < parts.len() => {
                slot.set(index);
                self.force(ty, &parts[index], span);
                Outcome::Done
            }
            Type::Error => {
                let _ = self.solver.unify(ty, &Type::Error);
                Outcome::Done
            }
            other => {
                let other = self.solver.resolve(&other);
                let _ = self.solver.unify(ty, &Type::Error);
                self.refuse(Error::no_part(span, index, &other))
            }
        }
    }

    fn reshape(&mut self, array: &Type, elem: &Type, count: &Size, span: Span) -> Outcome {
        let resolved = self.solver.resolve(array);
        let mut n = Size::constant(1);
        let mut inner = &resolved;
        while let Type::Array(size, next) = inner {
            n = n.mul(size);
            inner = next;
        }
        match inner {
            Type::Var(_) => return Outcome::Wait,
            Type::Error => return Outcome::Done,
            _ => {}
        }
        self.force(elem, &inner.clone(), span);
        let (n, count) = (self.solver.resolve_size(&n), self.solver.resolve_size(count));
        if let (Some(a), Some(b)) = (n.as_constant(), count.as_constant())
            && a != b
        {
            return self.refuse(Error::reshape_counts(span, &n, &count));
        }
        Outcome::Done
    }
}

/// Demands that only look, and so are decided after those that still teach something.
fn late(demand: &Demand) -> bool {
    matches!(
        demand,
        Demand::Comparable(_)
            | Demand::Differentiable(_)
            | Demand::Jacobian { .. }
            | Demand::Field { .. }
            | Demand::Part { .. }
    )
}

impl Demand {
    /// The types it speaks of.
    pub(crate) fn types(&self) -> Vec<Type> {
        match self {
            Demand::Number(ty, _) | Demand::Reals(ty, _) | Demand::Scalar(ty, _) => {
                vec![ty.clone()]
            }
            Demand::Comparable(ty) | Demand::Differentiable(ty) => vec![ty.clone()],
            Demand::Arithmetic(it) => {
                vec![it.left.0.clone(), it.right.0.clone(), it.result.clone()]
            }
            Demand::Convert { from, to, .. } => vec![from.clone(), to.clone()],
            Demand::Mask { mask, of } => vec![mask.clone(), of.clone()],
            Demand::Jacobian { result, output, argument, .. } => {
                vec![result.clone(), output.clone(), argument.clone()]
            }
            Demand::Field { value, ty, .. } | Demand::Part { value, ty, .. } => {
                vec![value.clone(), ty.clone()]
            }
            Demand::Reshape { array, elem, .. } => vec![array.clone(), elem.clone()],
        }
    }
}
