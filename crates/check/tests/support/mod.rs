//! Runs the checker on a text as the compiler does.
#![allow(dead_code, reason = "each test file uses a part of it")]

use base::render::{Style, render};
use base::{Diagnostic, SourceMap};

/// The checked program and the diagnostics, warnings included. What is accepted verifies.
pub(crate) fn check(text: &str) -> (check::Checked, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let prelude = sources.add("<prelude>", check::PRELUDE);
    let file = sources.add("test.cot", text);
    let (module, errors) = syntax::parse(file, text);
    assert!(errors.is_empty(), "{}", render(&errors, &sources, Style::Plain));
    let (checked, errors) = check::check(prelude, &module);
    let diagnostics = check::diagnostics(&errors);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        ir::verify::verify(&checked.program, ir::Dialect::Source)
            .unwrap_or_else(|it| panic!("{it:?}"));
    }
    (checked, diagnostics, sources)
}

/// The definitions of an accepted program, each with its type.
pub(crate) fn types(text: &str) -> String {
    let (checked, diagnostics, sources) = check(text);
    assert!(diagnostics.is_empty(), "{}", render(&diagnostics, &sources, Style::Plain));
    let show = |it: &check::DefInfo| {
        let scheme = checked.scheme(&it.name).expect("checked");
        format!("{}: {}\n", it.name, check::show_scheme(scheme))
    };
    checked.defs.iter().map(show).collect()
}

/// The diagnostics of a program as text.
pub(crate) fn messages(text: &str) -> String {
    let (_, diagnostics, sources) = check(text);
    render(&diagnostics, &sources, Style::Plain)
}

/// The codes and first labels of the diagnostics of a program.
pub(crate) fn codes(text: &str) -> Vec<String> {
    let show = |it: Diagnostic| {
        let label = it.labels.first().map_or("", |label| label.text.as_str());
        format!("{}: {label}", it.code.0)
    };
    check(text).1.into_iter().map(show).collect()
}
