//! What can go wrong between the compiler and the world: files, arguments, results.
//! E062x is about arguments, E063x about files and about what is asked of a program.

use base::{Code, Diagnostic, Span};

/// `--arg` names something that is not there.
pub(crate) const UNKNOWN_ARGUMENT: Code = Code("E0620");
/// A parameter got no argument.
pub(crate) const MISSING_ARGUMENT: Code = Code("E0621");
/// The data does not fit the type of the parameter.
pub(crate) const WRONG_ARGUMENT: Code = Code("E0622");
/// Two arguments disagree about a size.
pub(crate) const SIZES_DISAGREE: Code = Code("E0623");
/// The data is not JSON, or not a `.npy` file.
pub(crate) const MALFORMED_ARGUMENT: Code = Code("E0624");
/// A file cannot be read or written.
pub(crate) const FILE: Code = Code("E0630");
/// A source file is no text.
pub(crate) const NOT_UTF8: Code = Code("E0631");
/// There is no definition of that name.
pub(crate) const NO_DEFINITION: Code = Code("E0632");
/// The result has no printed form.
pub(crate) const FUNCTION_RESULT: Code = Code("E0633");
/// A test came out false.
pub(crate) const TEST_FAILED: Code = Code("E0634");

pub(crate) fn unreadable(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(FILE, format!("cannot read `{path}`: {reason}"))
}

pub(crate) fn unwritable(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(FILE, format!("cannot write `{path}`: {reason}"))
}

pub(crate) fn not_utf8(span: Span, byte: Option<u8>) -> Diagnostic {
    let byte = byte.map_or(String::new(), |it| format!("the byte {it:#04x} "));
    Diagnostic::error(NOT_UTF8, "this file is not UTF-8 text")
        .label(span, format!("{byte}cannot stand here"))
        .help("save the file as UTF-8")
}
