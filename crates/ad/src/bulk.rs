//! Method `bulk`: the derivative of a first-order program as a program, made once.

use base::{Name, Span};
use ir::Program;

/// A derivative that this method does not make, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The place in the source, if it is known.
    pub span: Option<Span>,
    /// What is in the way, as a sentence without its end.
    pub reason: String,
}

/// Passes that are not differentiation: they bring a definition, and all that it calls, into the
/// dialect Bulk, and simplify.
pub type Prepare<'a> = dyn FnMut(Program, &Name) -> Program + 'a;

/// The program without `Op::Derivative`: inside out, each becomes calls of derived definitions.
///
/// Requires: dialect FirstOrder, flat. Ensures: the same without `Op::Derivative`.
pub fn resolve(
    program: Program,
    _entry: &Name,
    _prepare: &mut Prepare<'_>,
) -> Result<Program, Refused> {
    Ok(program)
}

/// What became of a definition, stage by stage: titles and texts, from the dual program on.
pub fn stages(_program: &Program, _def: &Name, _active: &[bool]) -> Vec<(String, String)> {
    Vec::new()
}
