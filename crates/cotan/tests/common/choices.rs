//! The methods of the table, by what a test asks of them.

use cotan::{METHODS, Via};

/// Every method.
pub(crate) fn all() -> impl Iterator<Item = Via> {
    METHODS.iter().map(|it| it.via)
}

/// The methods that make programs of derivatives before anything runs, and so refuse some.
pub(crate) fn that_make_programs() -> impl Iterator<Item = Via> {
    METHODS.iter().filter(|it| !it.accepts.all_but.is_empty()).map(|it| it.via)
}

/// Whether a choice has compiled code, or is interpreted only.
pub(crate) fn is_compiled(via: Via) -> bool {
    via.method().is_none_or(|it| it.passes().is_some())
}
