//! What a definition demands of types that are not known yet: `+` of what, a field of what.
//!
//! A constraint is tried at once and again whenever more may be known; what is still open at
//! the end of a group of definitions is decided by default: numbers are `Real`.

use base::Span;
use syntax::ast;

use crate::error::{Error, MismatchError, PartError, Why};
use crate::infer::Checker;
use crate::solve::Guess;
use crate::typed::Slot;
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
pub(super) const MOST_DIMENSIONS: u32 = 64;

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
    /// `Bool`, or arrays of it of the shape of the other; inside of arrays, also those whole.
    Mask { mask: Type, of: Type, whole: Option<Box<(Type, Type)>> },
    /// No function inside.
    Comparable(Type),
    /// No function inside, because it is differentiated.
    Differentiable(Type),
    /// The second is the first with every `Real` replaced by the third.
    Jacobian { result: Type, output: Type, argument: Type, name: &'static str },
    /// The field of a record.
    Field { value: Type, field: ast::Ident, ty: Type, slot: Slot },
    /// The part of a tuple.
    Part { value: Type, index: usize, ty: Type, slot: Slot },
    /// The reals of the type can be listed; if there is a vector, it has as many elements.
    Structure { ty: Type, vector: Option<Type>, name: &'static str },
    /// How often something is repeated, which what it is combined with tells.
    Repeated { size: Size, name: &'static str },
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
    /// Of the elements of two arrays, which have to have the same shape: those arrays.
    pub whole: Option<Box<(Type, Type)>>,
}

/// Which scalars an operator takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Real or Int, the same as result.
    Same,
    /// Real only.
    Real,
    /// Int only.
    Int,
    /// Real or Int, Bool as result.
    Compare,
}

/// What became of a constraint.
pub(crate) enum Outcome {
    /// It holds, or it has been refused.
    Done,
    /// Too little is known.
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
            // What is half known teaches most, what only looks teaches nothing.
            let half_known = self.constraints.iter().position(|it| self.is_half_known(&it.demand));
            let any = || self.constraints.iter().position(|it| !late(&it.demand));
            let position = half_known.or_else(any).unwrap_or(0);
            let constraint = self.constraints.remove(position);
            self.default(&constraint);
            self.retry();
        }
    }

    /// `_ + 1`: the other operand is most likely of the same type.
    fn is_half_known(&self, demand: &Demand) -> bool {
        let Demand::Arithmetic(it) = demand else { return false };
        let known = |ty: &Type| !matches!(self.solver.head(ty), Type::Var(_));
        known(&it.left.0) || known(&it.right.0) || known(&it.result)
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
                let result = self.solver.head(&it.result);
                let fits = match (&left, &right) {
                    // An array comes out: what is unknown is an array of that shape.
                    _ if matches!(result, Type::Array(..)) && it.leaves != Leaves::Compare => {
                        let unknown = |ty: &Type| matches!(ty, Type::Var(_));
                        (!unknown(&left) || self.force(&left, &result, span))
                            && (!unknown(&right) || self.force(&right, &result, span))
                    }
                    (Type::Var(_), Type::Var(_)) => {
                        self.force(&left, &right, span) && self.force(&left, &Type::Real, span)
                    }
                    _ if self.solver.clone().unify(&left, &right).is_ok() => {
                        self.note_guess(it, &left, &right);
                        self.force(&left, &right, span)
                    }
                    // An array and its own element, as in `xs - xs[0]`.
                    _ => {
                        let (a, b) = (self.innermost(&left), self.innermost(&right));
                        self.force(&a, &Type::Real, span) && self.force(&b, &Type::Real, span)
                    }
                };
                // What does not fit now never will, as in `x - [x]`.
                if fits {
                    self.constraints.push(constraint.clone());
                }
            }
            Demand::Convert { from, leaf, .. } => {
                let innermost = self.innermost(from);
                self.force(&innermost, &leaf.0, span);
                self.constraints.push(constraint.clone());
            }
            Demand::Mask { mask, of, .. } => {
                let (mask, of) = (self.innermost(mask), self.innermost(of));
                let fits = match mask == Type::Bool {
                    true => self.force(&of, &Type::Real, span),
                    false => self.force(&mask, &Type::Bool, span),
                };
                if fits {
                    self.constraints.push(constraint.clone());
                }
            }
            Demand::Comparable(_) | Demand::Differentiable(_) => {}
            Demand::Jacobian { output, .. } => {
                for unknown in self.solver.unknowns(output).0 {
                    self.solver.set_type(unknown, Type::Real);
                }
                self.constraints.push(constraint.clone());
            }
            // The definition is for all types then; `over_reals.rs` finds out.
            Demand::Structure { vector: None, .. } => {}
            Demand::Structure { ty, .. } => {
                for unknown in self.solver.unknowns(ty).0 {
                    self.solver.set_type(unknown, Type::Real);
                }
                self.constraints.push(constraint.clone());
            }
            Demand::Repeated { name, .. } => {
                let what = if *name == "row" { "how many rows?" } else { "how many columns?" };
                self.errors.push(PartError::Unknown { span, what }.into());
            }
            Demand::Field { value, field, .. } => match self.only_record_with(field) {
                Some(record) => {
                    self.force(value, &record, span);
                    self.constraints.push(constraint.clone());
                }
                None => {
                    let what = "a field of what?";
                    self.errors.push(PartError::Unknown { span, what }.into());
                }
            },
            Demand::Part { .. } => {
                self.errors.push(PartError::Unknown { span, what: "a part of what?" }.into());
            }
            Demand::Reshape { .. } => {
                self.errors.push(PartError::Unknown { span, what: "an array of what?" }.into());
            }
        }
    }

    /// Remembers that an unknown operand becomes `Int` for the sake of a literal.
    fn note_guess(&mut self, it: &Arithmetic, left: &Type, right: &Type) {
        let (var, literal) = match (left, right) {
            (Type::Var(var), Type::Int) => (*var, it.literals.1.zip(Some(it.right.1))),
            (Type::Int, Type::Var(var)) => (*var, it.literals.0.zip(Some(it.left.1))),
            _ => return,
        };
        if let Some((value, span)) = literal {
            self.solver.guesses.insert(var, Guess { symbol: it.symbol, span, value });
        }
    }

    /// Makes two types equal, or says that they cannot be; whether they are.
    pub(super) fn force(&mut self, left: &Type, right: &Type, span: Span) -> bool {
        let Err(mismatch) = self.solver.unify(left, right) else { return true };
        let why = Why::Operand(span);
        let error = MismatchError::new(&self.solver, &mismatch, left, right, span, &why);
        self.errors.push(error.into());
        false
    }

    pub(super) fn refuse(&mut self, error: impl Into<Error>) -> Outcome {
        self.errors.push(error.into());
        Outcome::Done
    }

    /// What is inside all leading array dimensions.
    pub(super) fn innermost(&self, ty: &Type) -> Type {
        let mut ty = self.solver.head(ty);
        while let Type::Array(_, elem) = &ty {
            ty = self.solver.head(elem);
        }
        ty
    }

    /// Makes the result an array of that size and gives its element type.
    pub(super) fn element_of(&mut self, result: &Type, size: &Size, span: Span) -> Type {
        let elem = self.solver.fresh_type();
        self.force(result, &Type::array(size.clone(), elem.clone()), span);
        elem
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
}

/// Demands that only look, and so are decided after those that still teach something.
fn late(demand: &Demand) -> bool {
    matches!(
        demand,
        Demand::Comparable(_)
            | Demand::Differentiable(_)
            | Demand::Jacobian { .. }
            | Demand::Structure { .. }
            | Demand::Repeated { .. }
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
            Demand::Mask { mask, of, .. } => vec![mask.clone(), of.clone()],
            Demand::Jacobian { result, output, argument, .. } => {
                vec![result.clone(), output.clone(), argument.clone()]
            }
            Demand::Field { value, ty, .. } | Demand::Part { value, ty, .. } => {
                vec![value.clone(), ty.clone()]
            }
            Demand::Structure { ty, vector, .. } => {
                std::iter::once(ty).chain(vector).cloned().collect()
            }
            Demand::Repeated { size, .. } => vec![Type::array(size.clone(), Type::Real)],
            Demand::Reshape { array, elem, .. } => vec![array.clone(), elem.clone()],
        }
    }
}
