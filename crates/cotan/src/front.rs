//! The front of the compiler, verified: text, AST, checked program.

use base::{Diagnostic, SourceMap};
use ir::Dialect;

use crate::pipeline::verify;

pub(crate) use check::{Front, has_errors};

/// Parses and checks.
pub(crate) fn front(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
) -> Result<Front, Vec<Diagnostic>> {
    let front = check::front(sources, name, text)?;
    verify(&front.checked.program, Dialect::Source, "check");
    Ok(front)
}
