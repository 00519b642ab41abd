//! Function values.
//!
//! A closure is code with the values it captured. The wrappers exist for derivatives of code that
//! itself contains derivative operators, see Note [Levels] in `dual.rs`, and for clauses that take
//! functions, see Note [Tangents of functions] in `custom.rs`.

use std::sync::Arc;

use crate::code::LambdaCode;
use crate::kept::Memory;
use crate::value::Fields;

/// A function value.
#[derive(Debug)]
pub enum Closure {
    /// Code and the values of its free variables.
    Code {
        /// The code.
        code: Arc<LambdaCode>,
        /// Captured values.
        captured: Fields,
    },
    /// Of a function on dual numbers, what one part of its result is if its arguments stand still.
    Half {
        /// Which part.
        part: Part,
        /// The reals of so many fold dual numbers count as leaves.
        level: u32,
        /// The function on dual numbers.
        inner: Arc<Closure>,
    },
    /// Zero with the Deltas of the result of a function, for arguments without Deltas.
    Zeroed(Arc<Closure>),
    /// A function that has its dual numbers nested in another order.
    Turned {
        /// How arguments are turned on the way in; results are turned back.
        turn: Turn,
        /// The function.
        inner: Arc<Closure>,
    },
    /// A function that remembers a run of it (`kept.rs`).
    Kept {
        /// The function.
        inner: Arc<Closure>,
        /// The run.
        memory: Arc<Memory>,
    },
}

/// A part of a dual number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The value.
    Primal,
    /// How it changes.
    Tangent,
}

/// A change of the order in which pairs are nested, in trees of `level + 1 + below` pairs: one
/// pair moves across `level` others; the innermost `below` are left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How many pairs the moving one crosses.
    pub level: u32,
    /// How many pairs lie below.
    pub below: u32,
    /// Which way it moves.
    pub way: Way,
}

/// Which way a pair moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the outside in.
    Inward,
    /// From the inside out.
    Outward,
}

impl Turn {
    /// The turn that undoes this one.
    pub fn inverse(self) -> Turn {
        let way = match self.way {
            Way::Inward => Way::Outward,
            Way::Outward => Way::Inward,
        };
        Turn { way, ..self }
    }
}

impl Closure {
    /// Whether it takes and gives Deltas.
    pub(crate) fn is_taped(&self) -> bool {
        match self {
            Closure::Code { code, .. } => code.origin.is_some(),
            Closure::Half { inner, .. } | Closure::Turned { inner, .. } => inner.is_taped(),
            Closure::Zeroed(inner) => inner.is_taped(),
            Closure::Kept { inner, .. } => inner.is_taped(),
        }
    }

    /// How many parameters it takes.
    pub fn arity(&self) -> usize {
        match self {
            Closure::Code { code, .. } => code.lambda.params.len(),
            Closure::Half { inner, .. } | Closure::Turned { inner, .. } => inner.arity(),
            Closure::Zeroed(inner) => inner.arity(),
            Closure::Kept { inner, .. } => inner.arity(),
        }
    }
}
