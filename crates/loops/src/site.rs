//! What can go wrong in a run, and where.

use base::{Name, Span};
use serde::{Deserialize, Serialize};

/// A place that can fail: what then, and where it is in the source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    /// What went wrong; its numbers are the values of the check.
    pub fault: Fault,
    /// The statement.
    pub span: Option<Span>,
    /// The definition it is in.
    pub def: Name,
}

/// What can go wrong, and what the values of the check are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// Index, size of the axis.
    Index {
        /// The axis.
        axis: usize,
    },
    /// None.
    DivisionByZero,
    /// None.
    NoGreatest,
    /// The size: negative, or too large.
    Size,
    /// None: more elements than any machine holds.
    TooLarge,
    /// From, to, size.
    Slice,
    /// The sizes there are, then those asked for.
    Reshape {
        /// How many there are.
        from: usize,
    },
    /// What was asked for, then what there is.
    Sizes {
        /// How many were asked for.
        expected: usize,
    },
    /// The exponent.
    NegativePower,
    /// Constructors or sizes of a tangent are not those of its value.
    Tangent,
    /// Constructors or sizes of a cotangent are not those of its value.
    Cotangent,
}

impl Fault {
    /// Its word in texts, and its number if it has one.
    pub(crate) fn words(self) -> (&'static str, Option<usize>) {
        match self {
            Fault::Index { axis } => ("index", Some(axis)),
            Fault::DivisionByZero => ("division_by_zero", None),
            Fault::NoGreatest => ("no_greatest", None),
            Fault::Size => ("size", None),
            Fault::TooLarge => ("too_large", None),
            Fault::Slice => ("slice", None),
            Fault::Reshape { from } => ("reshape", Some(from)),
            Fault::Sizes { expected } => ("sizes", Some(expected)),
            Fault::NegativePower => ("negative_power", None),
            Fault::Tangent => ("tangent", None),
            Fault::Cotangent => ("cotangent", None),
        }
    }

    /// The fault of these words.
    pub(crate) fn of_words(name: &str, number: Option<usize>) -> Option<Fault> {
        let n = number.unwrap_or_default();
        let all = [
            Fault::Index { axis: n },
            Fault::DivisionByZero,
            Fault::NoGreatest,
            Fault::Size,
            Fault::TooLarge,
            Fault::Slice,
            Fault::Reshape { from: n },
            Fault::Sizes { expected: n },
            Fault::NegativePower,
            Fault::Tangent,
            Fault::Cotangent,
        ];
        all.into_iter().find(|it| it.words() == (name, number))
    }
}
