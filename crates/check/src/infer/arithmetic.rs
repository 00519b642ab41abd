//! `left op right`: scalars meet scalars, arrays of one shape meet, a scalar meets an array.

use base::Span;

use crate::error::{MismatchError, OperandError, Takes, Why};
use crate::infer::Checker;
use crate::infer::constraint::{Arithmetic, Demand, Leaves, Outcome};
use crate::types::{Size, Type};

impl Checker {
    pub(super) fn arithmetic(&mut self, it: &Arithmetic, span: Span) -> Outcome {
        let (left, right) = (self.solver.head(&it.left.0), self.solver.head(&it.right.0));
        let result = self.solver.head(&it.result);
        match (&left, &right) {
            (Type::Error, _) | (_, Type::Error) => Outcome::Done,
            (Type::Array(n, a), Type::Array(m, b)) => {
                if it.whole.is_none() && self.ranks_differ(&left, &right) {
                    return self.refuse_ranks(it, &(left, right));
                }
                if let Err(mismatch) = self.solver.unify_size(n, m) {
                    let why = Why::Operand(it.left.1);
                    let span = it.right.1;
                    return self.refuse(MismatchError::new(
                        &self.solver,
                        &mismatch,
                        &left,
                        &right,
                        span,
                        &why,
                    ));
                }
                let whole =
                    it.whole.clone().unwrap_or_else(|| Box::new((left.clone(), right.clone())));
                self.elements(&Arithmetic { whole: Some(whole), ..it.clone() }, (a, b), n, span)
            }
            (Type::Var(_), _) | (_, Type::Var(_)) if it.whole.is_some() && left != right => {
                // Elements of arrays of one shape are of one type; what it is shows later.
                match self.force(&left, &right, span) {
                    true => self.arithmetic(it, span),
                    false => Outcome::Done,
                }
            }
            (Type::Array(..), Type::Real | Type::Int)
            | (Type::Real | Type::Int, Type::Array(..))
                if it.whole.is_some() =>
            {
                self.refuse_ranks(it, it.whole.as_deref().unwrap_or(&(left, right)))
            }
            (Type::Array(n, a), Type::Real | Type::Int) => self.elements(it, (a, &right), n, span),
            (Type::Real | Type::Int, Type::Array(n, b)) => self.elements(it, (&left, b), n, span),
            (Type::Real, Type::Real) | (Type::Int, Type::Int) => {
                self.scalars(it, &left, &result, span)
            }
            (Type::Int, Type::Real) if it.leaves == Leaves::Int => {
                self.refuse_real(it.symbol, it.right.1)
            }
            (Type::Real, Type::Int) if it.leaves == Leaves::Int => {
                self.refuse_real(it.symbol, it.left.1)
            }
            (Type::Int, Type::Real) => {
                self.refuse_mixed(it.symbol, (it.left.1, it.literals.0), it.right.1)
            }
            (Type::Real, Type::Int) => {
                self.refuse_mixed(it.symbol, (it.right.1, it.literals.1), it.left.1)
            }
            (Type::Var(_), _) | (_, Type::Var(_)) => {
                self.arithmetic_unknown(it, &left, &right, &result, span)
            }
            (other, Type::Real | Type::Int | Type::Array(..)) => {
                let ty = self.solver.resolve(other);
                self.refuse(OperandError::of(it.symbol, it.left.1, ty))
            }
            (_, other) => {
                let ty = self.solver.resolve(other);
                self.refuse(OperandError::of(it.symbol, it.right.1, ty))
            }
        }
    }

    /// Whether both are known to be arrays of scalars, of different numbers of dimensions.
    fn ranks_differ(&self, left: &Type, right: &Type) -> bool {
        let rank = |ty: &Type| {
            let (mut rank, mut ty) = (0, self.solver.head(ty));
            while let Type::Array(_, elem) = &ty {
                (rank, ty) = (rank + 1, self.solver.head(elem));
            }
            matches!(ty, Type::Real | Type::Int).then_some(rank)
        };
        matches!((rank(left), rank(right)), (Some(a), Some(b)) if a != b)
    }

    fn refuse_ranks(&mut self, it: &Arithmetic, whole: &(Type, Type)) -> Outcome {
        let left = (self.solver.resolve(&whole.0), it.left.1);
        let right = (self.solver.resolve(&whole.1), it.right.1);
        self.refuse(OperandError::Dimensions { symbol: it.symbol, left, right })
    }

    /// What works on the bits of integers does not on reals.
    fn refuse_real(&mut self, symbol: &'static str, span: Span) -> Outcome {
        let (ty, takes) = (Type::Real, Takes::Only(Type::Int));
        self.refuse(OperandError::Type { symbol, span, ty, takes })
    }

    fn refuse_mixed(
        &mut self,
        symbol: &'static str,
        (int, literal): (Span, Option<i64>),
        real: Span,
    ) -> Outcome {
        self.refuse(OperandError::Mixed { symbol, int, literal, real })
    }

    /// The result is an array of that size; its elements come from these operands.
    fn elements(
        &mut self,
        it: &Arithmetic,
        (left, right): (&Type, &Type),
        size: &Size,
        span: Span,
    ) -> Outcome {
        let inner = Arithmetic {
            left: (left.clone(), it.left.1),
            right: (right.clone(), it.right.1),
            result: self.element_of(&it.result, size, span),
            ..it.clone()
        };
        self.demand(Demand::Arithmetic(Box::new(inner)), span);
        Outcome::Done
    }

    fn scalars(&mut self, it: &Arithmetic, leaf: &Type, result: &Type, span: Span) -> Outcome {
        if it.leaves == Leaves::Int && *leaf == Type::Real {
            return self.refuse_real(it.symbol, it.left.1);
        }
        if it.leaves == Leaves::Real && *leaf == Type::Int {
            return self.refuse(OperandError::of(it.symbol, it.left.1, leaf.clone()));
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
                return self.refuse(OperandError::of(it.symbol, at, ty));
            }
        }
        let is_scalar = |ty: &Type| matches!(ty, Type::Real | Type::Int);
        if it.leaves != Leaves::Compare && is_scalar(result) {
            self.force(left, result, span);
            self.force(right, result, span);
            return self.scalars(it, result, result, span);
        }
        let known = if matches!(left, Type::Var(_)) { right } else { left };
        if it.leaves == Leaves::Compare && *result == Type::Bool && is_scalar(known) {
            self.force(left, right, span);
            return Outcome::Done;
        }
        Outcome::Wait
    }
}
