//! The front of the compiler: text, AST, checked program.

use base::{Diagnostic, FileId, Severity, SourceMap, Span};
use modules::{Files, Loaded, Nowhere, load};
use syntax::ast;

use crate::{Checked, PRELUDE, Part, check_parts, diagnose, diagnostics};

/// What the front of the compiler gives.
pub struct Front {
    /// The text, among the sources.
    pub file: FileId,
    /// It parsed.
    pub module: ast::Module,
    /// It checked.
    pub checked: Checked,
    /// What is suspicious.
    pub warnings: Vec<Diagnostic>,
}

/// Parses, then checks a text that has no place: it can import the standard library only.
pub fn front(sources: &mut SourceMap, name: &str, text: &str) -> Result<Front, Vec<Diagnostic>> {
    front_with(sources, &Nowhere, name, text)
}

/// Parses a text and what it imports, then checks. The checker sees a text with syntax errors too, so that
/// one run reports as much as possible; but not where an import is wrong, of which everything else follows.
pub fn front_with(
    sources: &mut SourceMap,
    files: &dyn Files,
    name: &str,
    text: &str,
) -> Result<Front, Vec<Diagnostic>> {
    let prelude = sources.add("<prelude>", PRELUDE);
    let Loaded { mut modules, complaints, syntax: mut all } = load(sources, files, name, text);
    let parts: Vec<Part<'_>> = modules.iter().map(Part::from).collect();
    let file = modules.last().map(|it| it.file).expect("compiler bug: a program is a module");
    let elsewhere = all.iter().flat_map(|it| it.labels.first()).any(|it| it.span.file != file);
    if !complaints.is_empty() || elsewhere && has_errors(&all) {
        all.extend(complaints);
        return Err(in_order(all));
    }
    let program = parts.last().map(|it| it.module).expect("compiler bug: a program is a module");
    if has_errors(&all) {
        let found = diagnostics(&diagnose(prelude, &parts));
        all.extend(without_echoes(found, &all, program, text));
        return Err(in_order(all));
    }
    let (checked, found) = check_parts(prelude, &parts);
    all.extend(diagnostics(&found));
    if has_errors(&all) {
        return Err(in_order(all));
    }
    let module = modules.pop().map(|it| it.ast).unwrap_or_default();
    Ok(Front { file, module, checked, warnings: all })
}

fn in_order(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.sort_by_key(|it| it.labels.first().map(|label| label.span));
    all
}

/// Leaves out what the checker says of declarations that did not parse: it repeats the syntax
/// error, or misses names that the broken text would have declared.
fn without_echoes(
    found: Vec<Diagnostic>,
    syntax: &[Diagnostic],
    module: &ast::Module,
    text: &str,
) -> Vec<Diagnostic> {
    let places: Vec<Span> =
        syntax.iter().flat_map(|it| it.labels.first()).map(|it| it.span).collect();
    let broken: Vec<Span> = module
        .items
        .iter()
        .map(item_span)
        .filter(|item| places.iter().any(|it| it.start <= item.end && item.start <= it.end))
        .collect();
    let echo = |it: &Diagnostic| {
        let Some(span) = it.labels.first().map(|label| label.span) else { return false };
        let inside = broken.iter().any(|item| item.start <= span.start && span.end <= item.end);
        let unknown = matches!(it.code.0, "E0201" | "E0202" | "E0203");
        inside || unknown && text.get(span.range()).is_some_and(|name| looks_declared(text, name))
    };
    found.into_iter().filter(|it| !echo(it)).collect()
}

/// Whether a text seems to declare a name, even if the declaration did not parse.
fn looks_declared(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let after = text[at + name.len()..].chars().next();
        let whole = after.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        // Constructors stand behind `=` and `|`, definitions only behind their keyword.
        let starts: &[&str] = match name.starts_with(char::is_uppercase) {
            true => &["type", "data", "|", "="],
            false => &["def"],
        };
        whole && starts.iter().any(|it| before.ends_with(it))
    })
}

fn item_span(item: &ast::Item) -> Span {
    match item {
        ast::Item::Import(it) => it.span,
        ast::Item::Def(it) => it.span,
        ast::Item::Type(it) => it.span,
        ast::Item::Data(it) => it.span,
        ast::Item::Test(it) | ast::Item::Bench(it) | ast::Item::Plot(it) => it.span,
    }
}

/// Whether any of them is more than a warning.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|it| it.severity == Severity::Error)
}
