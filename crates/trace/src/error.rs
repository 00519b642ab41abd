//! What can go wrong while a closure is traced, with the place in the Rust program.

use std::panic::Location;

use base::{Code, Diagnostic};

/// A value of another trace, or of none.
pub(crate) const ANOTHER_TRACE: Code = Code("E0660");
/// A value is used outside of the closure that it belongs to.
pub(crate) const LEFT_CLOSURE: Code = Code("E0661");
/// A closure gives nothing.
pub(crate) const GIVES_NOTHING: Code = Code("E0662");
/// An array has fewer dimensions.
pub(crate) const NO_DIMENSION: Code = Code("E0663");
/// A name that cannot be used.
pub(crate) const NAME: Code = Code("E0664");

type At = &'static Location<'static>;

/// The diagnostic, led to a place.
fn at(at: At, code: Code, title: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::error(code, title).help(format!("{at}: {help}"))
}

pub(crate) fn another_trace(place: At) -> Diagnostic {
    let help = "use values that the same closure was given or made; pass others in as parameters";
    at(place, ANOTHER_TRACE, "a value of another trace", help)
}

pub(crate) fn no_trace(place: At) -> Diagnostic {
    let help = "make it inside of the closure that is traced";
    at(place, ANOTHER_TRACE, "a value that was made outside of a trace", help)
}

pub(crate) fn left_closure(place: At) -> Diagnostic {
    let help = "give it as the result of the closure that made it, and use that result";
    at(place, LEFT_CLOSURE, "a value outside of the closure it belongs to", help)
}

pub(crate) fn gives_nothing(place: At) -> Diagnostic {
    let help = "end the closure with the value that is wanted, without a semicolon";
    at(place, GIVES_NOTHING, "a traced closure that gives nothing", help)
}

pub(crate) fn nothing_to_stack(place: At) -> Diagnostic {
    let help = "stack at least one value: `build` makes arrays of any size";
    at(place, GIVES_NOTHING, "an array of no elements, whose sizes are not known", help)
}

pub(crate) fn no_dimension(place: At, axis: usize, rank: usize) -> Diagnostic {
    let help = format!("take one of 0 to {}", rank.saturating_sub(1));
    let title = format!("no dimension {axis} in an array of {rank} dimensions");
    at(place, NO_DIMENSION, title, &help)
}

pub(crate) fn no_name(place: At, name: &str) -> Diagnostic {
    let help = "take a letter or `_` and then letters, digits and `_`, but no keyword; parameters begin small";
    at(place, NAME, format!("`{name}` is no name"), help)
}

pub(crate) fn name_twice(place: At, name: &str) -> Diagnostic {
    at(place, NAME, format!("two parameters are called `{name}`"), "rename one of them")
}

pub(crate) fn wrong_names(place: At, names: usize, params: usize) -> Diagnostic {
    let title = format!("{names} names for {params} parameters");
    at(place, NAME, title, "give one name for each parameter of the closure")
}

pub(crate) fn hidden(place: At, name: &str, by: &str) -> Diagnostic {
    let title = format!("the trace uses `{name}`, which {by} hides");
    at(place, NAME, title, "give that another name")
}
