//! Literals like the `2` of `x * 2`, which alone decide that an unknown `x` is an `Int`. Where
//! that turns out wrong, the literal is to blame and not the place that gives a `Real`.

use base::Span;

use super::{Mismatch, Solver};
use crate::types::Type;

/// A literal that decided a type.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The operator.
    pub symbol: &'static str,
    /// Where the literal is.
    pub span: Span,
    /// What it is.
    pub value: i64,
}

impl Solver {
    /// The type, decided by this literal.
    pub(crate) fn guessed(&mut self, ty: Type, guess: &Guess) -> Type {
        let res = self.fresh_type();
        if let Type::Var(var) = res {
            self.guesses.insert(var, guess.clone());
            self.set_type(var, ty);
        }
        res
    }

    /// The literal that alone decided a type, if one did.
    pub(crate) fn guess(&self, ty: &Type) -> Option<Guess> {
        let mut ty = ty;
        while let Type::Var(var) = ty {
            if let Some(guess) = self.guesses.get(var) {
                return Some(guess.clone());
            }
            ty = self.types[var.0 as usize].binding.as_ref()?;
        }
        None
    }

    /// The literal that decided a type or a part of it: elements of an array, parameters of a function.
    pub(crate) fn guess_inside(&self, ty: &Type) -> Option<Guess> {
        self.guess(ty).or_else(|| match self.head(ty) {
            Type::Array(_, elem) => self.guess_inside(&elem),
            Type::Function(params, _) => params.iter().find_map(|it| self.guess_inside(it)),
            Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Named(..)
            | Type::Param(_)
            | Type::Var(_)
            | Type::Error => None,
        })
    }

    /// The literal to blame for a mismatch: it made an `Int` where a `Real` stands, or an array
    /// of them, which is the second.
    pub(crate) fn blame(&self, mismatch: &Mismatch, types: [&Type; 2]) -> Option<(Guess, Type)> {
        let Mismatch::Types(pair) = mismatch else { return None };
        let other = match (&pair.0, &pair.1) {
            (Type::Int, other) | (other, Type::Int) => self.resolve(other),
            _ => return None,
        };
        let guess = types.into_iter().find_map(|it| self.guess_inside(it))?;
        let mut leaf = &other;
        while let Type::Array(_, elem) = leaf {
            leaf = elem;
        }
        (*leaf == Type::Real).then_some((guess, other))
    }

    /// What is made equal to a type that a literal decided is decided by that literal too.
    pub(super) fn hand_on_guess(&mut self, left: &Type, right: &Type) {
        if self.guesses.is_empty() {
            return;
        }
        for (from, to) in [(left, right), (right, left)] {
            if let Type::Var(var) = self.head(to)
                && let Some(guess) = self.guess(from)
            {
                self.guesses.insert(var, guess);
            }
        }
    }
}
