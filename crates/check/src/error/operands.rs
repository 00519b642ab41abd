//! E0308, E0309, E0407: operands of operators and of builtins on numbers.

use base::{Code, Diagnostic, Span};

use super::dimensions;
use crate::solve::Guess;
use crate::types::Type;

/// What is wrong with an operand.
#[derive(Clone, Debug)]
pub enum OperandError {
    /// It is of a type that the operator does not take.
    Type {
        /// The operator or builtin.
        symbol: &'static str,
        /// The operand.
        span: Span,
        /// Its type.
        ty: Type,
        /// What would be right.
        takes: Takes,
    },
    /// One operand is an Int, the other one a Real.
    Mixed {
        /// The operator.
        symbol: &'static str,
        /// The Int.
        int: Span,
        /// Its value, if it is a literal.
        literal: Option<i64>,
        /// The Real.
        real: Span,
    },
    /// A literal made an operand an Int, and what is found elsewhere makes it a Real, or an array.
    Guessed {
        /// The literal.
        guess: Guess,
        /// The place that does not fit.
        span: Span,
        /// What is found there.
        found: Type,
        /// What the operand is: a Real or an array of them.
        real: Type,
    },
    /// `left op right` of arrays of different numbers of dimensions.
    Dimensions {
        /// The operator or builtin.
        symbol: &'static str,
        /// The left operand.
        left: (Type, Span),
        /// The right operand.
        right: (Type, Span),
    },
    /// The mask of a `select` that has fewer dimensions than what it selects from.
    Mask {
        /// The mask.
        span: Span,
        /// Its type.
        mask: Type,
        /// The type of the values.
        of: Type,
    },
}

/// What an operator or builtin takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Numbers and arrays of them.
    Numbers,
    /// Reals and arrays of them, and Ints are found.
    Reals,
    /// This type and arrays of it.
    Only(Type),
}

impl OperandError {
    /// An operand that is not numbers.
    pub(crate) fn of(symbol: &'static str, span: Span, ty: Type) -> OperandError {
        OperandError::Type { symbol, span, ty, takes: Takes::Numbers }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            OperandError::Type { symbol, span, ty, takes } => {
                Diagnostic::error(Code("E0308"), format!("`{symbol}` does not apply here"))
                    .label(*span, format!("this has type `{ty}`"))
                    .help(instead(ty, takes))
            }
            OperandError::Mixed { symbol, int, literal, real } => mixes(symbol)
                .label(*int, "this is an Int")
                .label(*real, "this is a Real")
                .help(match literal {
                    Some(value) => format!("write `{value}.0`"),
                    None => "convert it with `real(...)`".to_string(),
                }),
            OperandError::Guessed { guess, span, found, real } => {
                let literal = guess.value;
                let label = match *found == Type::Real {
                    true => "this is a Real".to_string(),
                    false => format!("this is of type `{found}`"),
                };
                let help = match *real == Type::Real {
                    true => format!("write `{literal}.0`"),
                    false => format!("write `{literal}.0`, and annotate the parameter: `: {real}`"),
                };
                mixes(guess.symbol)
                    .label(guess.span, "this is an Int")
                    .label(*span, label)
                    .help(help)
            }
            OperandError::Dimensions { symbol, left, right } => {
                dimensions::operands(symbol, left, right)
            }
            OperandError::Mask { span, mask, of } => dimensions::mask(*span, mask, of),
        }
    }
}

fn mixes(symbol: &str) -> Diagnostic {
    Diagnostic::error(Code("E0309"), format!("`{symbol}` mixes Int and Real"))
}

/// What to do about an operand of that type.
fn instead(ty: &Type, takes: &Takes) -> String {
    match takes {
        Takes::Reals => return "it works on Real: convert with `real(...)`".to_string(),
        Takes::Only(ty) => return format!("it works on `{ty}`"),
        Takes::Numbers => {}
    }
    match ty {
        Type::Tuple(_) | Type::Named(..) => "apply it to the parts one by one".to_string(),
        Type::Function(..) => "call the function first".to_string(),
        Type::Param(name) => {
            format!("`{name}` may be any type; say `Real` if numbers are meant")
        }
        Type::Real
        | Type::Int
        | Type::Bool
        | Type::String
        | Type::Array(..)
        | Type::Var(_)
        | Type::Error => "it works on Real and Int and on arrays of them".to_string(),
    }
}
