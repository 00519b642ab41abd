//! The order of passes: text, AST, checked program. Differentiation happens on demand, when the
//! interpreter meets a derivative operator (`pass.rs`).

use std::collections::BTreeSet;

use base::{Diagnostic, FileId, Severity, SourceMap};
use check::Checked;
use ir::{Def, Dialect, Program};
use syntax::ast;

/// What the front of the compiler gives.
pub(crate) struct Front {
    pub(crate) file: FileId,
    pub(crate) module: ast::Module,
    pub(crate) checked: Checked,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Parses, then checks. The checker sees a text with syntax errors too, so that one run reports
/// as much as possible.
pub(crate) fn front(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
) -> Result<Front, Vec<Diagnostic>> {
    let prelude_file = sources.add("<prelude>", check::PRELUDE);
    let (prelude, complaints) = syntax::parse(prelude_file, check::PRELUDE);
    assert!(complaints.is_empty(), "compiler bug: the prelude does not parse: {complaints:?}");
    let file = sources.add(name, text);
    let (module, mut diagnostics) = syntax::parse(file, text);
    if has_errors(&diagnostics) {
        let lost = declared(text);
        let more = check::diagnose(&prelude, &module).into_iter();
        diagnostics.extend(more.filter(|it| !is_about(it, &lost, sources)));
        diagnostics.sort_by_key(|it| it.labels.first().map(|label| label.span));
        return Err(diagnostics);
    }
    let (checked, more) = check::check(&prelude, &module);
    diagnostics.extend(more);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    verify(&checked.program, "check");
    Ok(Front { file, module, checked, warnings: diagnostics })
}

/// Names that a text seems to declare: a declaration that does not parse is no reason to say
/// that its name is unknown.
fn declared(text: &str) -> BTreeSet<&str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut res = BTreeSet::new();
    let mut before = "";
    let mut rest = text;
    while let Some(start) = rest.find(|it| is_word(it) || it == '|' || it == '=') {
        rest = &rest[start..];
        let length = rest.find(|it| !is_word(it)).unwrap_or(rest.len()).max(1);
        let word = &rest[..length];
        let is_con = matches!(before, "|" | "=") && word.starts_with(char::is_uppercase);
        if is_con || matches!(before, "def" | "type" | "data") {
            res.insert(word);
        }
        before = word;
        rest = &rest[length..];
    }
    res
}

/// Whether a complaint is about one of these names.
fn is_about(diagnostic: &Diagnostic, names: &BTreeSet<&str>, sources: &SourceMap) -> bool {
    let family = "E02";
    let place = diagnostic.labels.first().map(|it| sources.snippet(it.span));
    diagnostic.code.0.starts_with(family) && place.is_some_and(|it| names.contains(it))
}

/// Whether any of them is more than a warning.
pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|it| it.severity == Severity::Error)
}

/// In debug builds: panics if a pass left a program that breaks an invariant.
pub(crate) fn verify(program: &Program, pass: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    if let Err(error) = ir::verify(program, Dialect::Source) {
        panic!("compiler bug: after pass `{pass}`, {error}");
    }
}

/// As [`verify`], for one definition that a pass made of the program.
pub(crate) fn verify_def(program: &Program, def: &Def, pass: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    if let Err(error) = ir::verify_def(program, Dialect::Source, def) {
        panic!("compiler bug: after pass `{pass}`, {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_declarations_still_declare_their_names() {
        let text =
            "def f(x: Real: Real = x\ndata T = A | B(Int\ntype P = { x: Real\ndef g = y == Z";
        let names: Vec<&str> = declared(text).into_iter().collect();
        assert_eq!(names, ["A", "B", "P", "T", "Z", "f", "g"]);
    }

    #[test]
    fn a_broken_definition_is_reported_once() {
        let text = "def f(x: Real: Real = x\ndef g(x: Real) = f(x)\ndef h = nobody\n";
        let errors = front(&mut SourceMap::new(), "broken.cot", text).err().unwrap();
        let codes: Vec<&str> = errors.iter().map(|it| it.code.0).collect();
        assert_eq!(codes, ["E0101", "E0201"]);
    }
}
