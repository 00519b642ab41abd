//! What tests of passes on first-order programs share: texts that check.

#![allow(dead_code, reason = "not every test needs all of it")]

use base::{FileId, Name, SourceMap};
use check::Checked;
use ir::Program;

/// The prelude is the first text.
pub(crate) const PROGRAM: FileId = FileId(1);

/// A text that checks, or nothing.
pub(crate) fn checked(text: &str) -> Option<Checked> {
    let mut sources = SourceMap::new();
    let prelude = sources.add("<prelude>", check::PRELUDE);
    let file = sources.add("program.cot", text);
    assert_eq!(file, PROGRAM);
    let (module, complaints) = syntax::parse(file, text);
    if complaints.iter().any(base::Diagnostic::is_error) {
        return None;
    }
    let (checked, complaints) = check::check(prelude, &module);
    (!complaints.iter().any(check::Error::is_error)).then_some(checked)
}

/// The definition of an expression in the scope of a program.
pub(crate) fn entry(checked: &mut Checked, text: &str) -> Name {
    let file = FileId(PROGRAM.0 + 1);
    let (expr, _) = syntax::parse_expr(file, text);
    checked.expression(&expr, &[]).unwrap_or_else(|it| panic!("{text}: {it:?}")).def
}

/// The part of a program that a definition needs, in first order.
pub(crate) fn without_functions(program: &Program, def: &Name) -> Result<Program, opt::Refusal> {
    opt::defunctionalise(&opt::specialise(program, def)?)
}
