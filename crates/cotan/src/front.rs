//! The front of the compiler, verified: text, AST, checked program.

use base::{Diagnostic, SourceMap};
use check::Files;
use ir::Dialect;

use crate::pipeline::verify;

pub(crate) use check::{Front, has_errors};

/// Parses and checks a text and what it imports.
pub(crate) fn front_with(
    sources: &mut SourceMap,
    files: &dyn Files,
    name: &str,
    text: &str,
) -> Result<Front, Vec<Diagnostic>> {
    let front = check::front_with(sources, files, name, text)?;
    verify(&front.checked.program, Dialect::Source, "check");
    Ok(front)
}

/// Parses and checks a text that has no place, so that it imports no files.
#[cfg(test)]
pub(crate) fn front(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
) -> Result<Front, Vec<Diagnostic>> {
    front_with(sources, &check::Nowhere, name, text)
}
