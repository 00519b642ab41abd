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
