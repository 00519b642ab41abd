//! What holds of operations whatever stands around them; each fact in one place, for every pass.
//!
//! A fact that depends on operands (is this index in bounds?) belongs to the pass that knows them.

use std::sync::Arc;

use crate::op::{ArrayOp, DeriveOp, Reduction};
use crate::term::{Atom, Lambda};

/// How the reals of a result depend on those of operands: all that a method of differentiation has to
/// know of most operations.
#[derive(Clone, Debug)]
pub enum Dependence<'a> {
    /// Not at all; it may look at an operand.
    Discrete(Option<&'a Atom>),
    /// It moves the elements of these operands, whatever they are.
    Moves(Vec<&'a Atom>),
    /// It adds up reals of these operands.
    Adds(Vec<&'a Atom>),
    /// Each is a product along an axis.
    Product {
        /// Which one.
        axis: usize,
        /// Of the factors.
        array: &'a Atom,
    },
    /// Each is the first greatest or least element along an axis.
    Extremum {
        /// Greatest or least.
        reduction: Reduction,
        /// Which axis.
        axis: usize,
        /// What is compared.
        array: &'a Atom,
    },
    /// They are put in order.
    Sorts(&'a Atom),
    /// Those that satisfy the predicate stay; the second result has them.
    Filters {
        /// What is looked at.
        array: &'a Atom,
        /// Whether an element stays.
        predicate: &'a Arc<Lambda>,
    },
}

impl ArrayOp {
    /// Whether it fails for some arrays or indices. That sizes are no negative numbers is another
    /// question: so are those of a `build`.
    pub fn is_partial(&self) -> bool {
        match self {
            ArrayOp::Index { .. } | ArrayOp::Gather { .. } | ArrayOp::Scatter { .. } => true,
            ArrayOp::Slice { .. } | ArrayOp::Reshape { .. } | ArrayOp::Sized { .. } => true,
            ArrayOp::Argmax(_) | ArrayOp::Argmin(_) => true,
            ArrayOp::Literal { .. } | ArrayOp::Reduce { .. } | ArrayOp::Replicate { .. } => false,
            ArrayOp::Iota(_) | ArrayOp::Transpose { .. } | ArrayOp::Reverse(_) => false,
            ArrayOp::Concat(_) | ArrayOp::Sort(_) | ArrayOp::Argsort(_) => false,
            ArrayOp::Filter { .. } => false,
        }
    }

    /// How its reals depend on those of its operands. Operands are in the order in which they stand.
    pub fn dependence(&self) -> Dependence<'_> {
        match self {
            ArrayOp::Literal { parts, .. } => Dependence::Moves(parts.iter().collect()),
            ArrayOp::Concat(arrays) => Dependence::Moves(arrays.iter().collect()),
            ArrayOp::Index { array: it, .. } | ArrayOp::Slice { array: it, .. } => {
                Dependence::Moves(vec![it])
            }
            ArrayOp::Gather { array: it, .. } | ArrayOp::Transpose { array: it, .. } => {
                Dependence::Moves(vec![it])
            }
            ArrayOp::Reshape { array: it, .. } | ArrayOp::Sized { array: it, .. } => {
                Dependence::Moves(vec![it])
            }
            ArrayOp::Replicate { value: it, .. } | ArrayOp::Reverse(it) => {
                Dependence::Moves(vec![it])
            }
            ArrayOp::Scatter { into, values, .. } => Dependence::Adds(vec![into, values]),
            ArrayOp::Reduce { reduction, axis, array } => match reduction {
                Reduction::Sum => Dependence::Adds(vec![array]),
                Reduction::Product => Dependence::Product { axis: *axis, array },
                Reduction::Maximum | Reduction::Minimum => {
                    Dependence::Extremum { reduction: *reduction, axis: *axis, array }
                }
            },
            ArrayOp::Sort(array) => Dependence::Sorts(array),
            ArrayOp::Filter { array, predicate } => Dependence::Filters { array, predicate },
            ArrayOp::Argmax(it) | ArrayOp::Argmin(it) | ArrayOp::Argsort(it) => {
                Dependence::Discrete(Some(it))
            }
            ArrayOp::Iota(_) => Dependence::Discrete(None),
        }
    }

    /// Whether the paper on dual arrays has it, so that a `build` around it can become operations on
    /// whole arrays whatever else stands there.
    pub fn is_bulk(&self) -> bool {
        match self {
            ArrayOp::Literal { .. } | ArrayOp::Index { .. } | ArrayOp::Reduce { .. } => true,
            ArrayOp::Gather { .. } | ArrayOp::Scatter { .. } | ArrayOp::Replicate { .. } => true,
            ArrayOp::Iota(_) | ArrayOp::Transpose { .. } | ArrayOp::Reshape { .. } => true,
            ArrayOp::Reverse(_) | ArrayOp::Concat(_) => true,
            ArrayOp::Slice { .. } | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) => false,
            ArrayOp::Sort(_) | ArrayOp::Argsort(_) | ArrayOp::Filter { .. } => false,
            ArrayOp::Sized { .. } => false,
        }
    }
}

impl DeriveOp {
    /// Whether it fails for some operands: a tangent may be of another form than the value, and
    /// operators run programs. What is told counts: it is told as often as the program says.
    pub fn is_partial(&self) -> bool {
        match self {
            DeriveOp::Pair { .. } | DeriveOp::Tell { .. } => true,
            DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. } => true,
            DeriveOp::StopGradient(_) | DeriveOp::Checkpoint { .. } => false,
            DeriveOp::Lift { .. } => false,
            DeriveOp::Primal { .. } | DeriveOp::Tangent { .. } => false,
        }
    }
}
