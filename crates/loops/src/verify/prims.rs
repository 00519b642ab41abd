//! The types of primitives on scalars.

use ir::Prim;
use ir::prim::Rule;

use super::{BOOL, BOX, INT, REAL};
use crate::Type;

/// What a primitive gives, if its operands are right.
pub(crate) fn prim_type(prim: Prim, types: &[Type]) -> Option<Type> {
    let number = |it: Type| it == REAL || it == INT;
    match (prim.row().rule, types) {
        (Rule::Number1, [x]) if number(*x) => Some(*x),
        (Rule::Number2, [x, y]) if x == y && number(*x) => Some(*x),
        (Rule::Real1, [REAL]) | (Rule::Real2, [REAL, REAL]) => Some(REAL),
        (Rule::IntReal, [INT, REAL]) | (Rule::IntToReal, [INT]) => Some(REAL),
        (Rule::RealToInt, [REAL]) | (Rule::Int2, [INT, INT]) => Some(INT),
        (Rule::Compare, [x, y]) if x == y && number(*x) => Some(BOOL),
        (Rule::Compare, [BOOL, BOOL]) if matches!(prim, Prim::Eq | Prim::Ne) => Some(BOOL),
        (Rule::TestReal, [REAL]) => Some(BOOL),
        (Rule::Bool1, [BOOL]) | (Rule::Bool2, [BOOL, BOOL]) => Some(BOOL),
        (Rule::Choose, [BOOL, x, y]) if x == y && *x != BOX => Some(*x),
        (
            Rule::Number1
            | Rule::Number2
            | Rule::Real1
            | Rule::Real2
            | Rule::Int2
            | Rule::IntReal
            | Rule::IntToReal
            | Rule::RealToInt
            | Rule::Compare
            | Rule::TestReal
            | Rule::Bool1
            | Rule::Bool2
            | Rule::Choose,
            _,
        ) => None,
    }
}
