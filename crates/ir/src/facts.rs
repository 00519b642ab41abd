//! What holds of operations whatever stands around them; each fact in one place, for every pass.
//!
//! A fact that depends on operands (is this index in bounds?) belongs to the pass that knows them.

use crate::op::{ArrayOp, DeriveOp};

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
    /// operators run programs.
    pub fn is_partial(&self) -> bool {
        match self {
            DeriveOp::Pair { .. } => true,
            DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. } => true,
            DeriveOp::StopGradient(_) | DeriveOp::Lift { .. } => false,
            DeriveOp::Primal { .. } | DeriveOp::Tangent { .. } => false,
        }
    }
}
