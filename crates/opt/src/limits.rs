//! How large things may get before a program is refused: no pass runs on forever.

use ir::Type;

/// Values that a known function may consist of, and forms that a type argument may consist of.
pub(crate) const MAX_WEIGHT: usize = 400;

/// How many forms a type consists of.
pub(crate) fn type_weight(ty: &Type) -> usize {
    ty.parts().into_iter().fold(1, |sum: usize, it| sum.saturating_add(type_weight(it)))
}
