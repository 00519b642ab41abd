//! Named subsets of the language: which operations and types may occur when. Predicates, not types.

use crate::term::{Def, Op};
use crate::types::Type;

/// A subset of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Everything the language has, derivative operators included.
    Source,
    /// What reverse mode makes of `Source`: Deltas besides.
    Delta,
    /// No functions as values and no type parameters; a `filter` keeps its predicate. Derivative
    /// operators are of definitions.
    FirstOrder,
    /// As `FirstOrder`, without derivative operators, and no `build` that could be an operation on
    /// whole arrays: the normal form of Theorem 5.1 of the paper on dual arrays.
    Bulk,
}

impl Dialect {
    /// Whether the operation may occur; the blocks inside of it are another question.
    pub fn allows_op(self, op: &Op) -> bool {
        match self {
            Dialect::Delta => true,
            Dialect::Source => !is_delta(op) && !matches!(op, Op::Derivative { .. }),
            Dialect::FirstOrder => {
                !matches!(op, Op::Lambda(_) | Op::Apply(..) | Op::Derive { .. }) && !is_delta(op)
            }
            Dialect::Bulk => {
                Dialect::FirstOrder.allows_op(op) && !matches!(op, Op::Derivative { .. })
            }
        }
    }

    /// Whether the type may occur.
    pub fn allows_type(self, ty: &Type) -> bool {
        match self {
            Dialect::Delta => true,
            Dialect::Source => !ty.has_delta(),
            Dialect::FirstOrder | Dialect::Bulk => {
                !matches!(ty, Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_))
                    && ty.parts().into_iter().all(|it| self.allows_type(it))
            }
        }
    }

    /// Whether the definition may have the parameters it has; its body is another question.
    pub fn allows_def(self, def: &Def) -> bool {
        match self {
            Dialect::Source | Dialect::Delta => true,
            Dialect::FirstOrder | Dialect::Bulk => def.type_params.is_empty(),
        }
    }
}

fn is_delta(op: &Op) -> bool {
    matches!(op, Op::Combine(_) | Op::Zeros(_) | Op::Strip(_) | Op::Pullback { .. })
}
