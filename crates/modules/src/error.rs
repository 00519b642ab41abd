//! What is wrong with imports before any name is looked up: E0210 to E0213.

use base::{Code, Diagnostic, Span};

use crate::standard::STANDARD;

/// Of a long circle, so many imports are shown.
const MOST_SHOWN: usize = 8;

pub(crate) fn unknown_module(path: &str, span: Span) -> Diagnostic {
    let res = Diagnostic::error(Code("E0210"), format!("there is no module `{path}`"))
        .label(span, "nothing of this name comes with Cotan");
    let near = STANDARD
        .iter()
        .map(|it| (strsim::damerau_levenshtein(path, it.path), it.path))
        .filter(|(distance, _)| *distance <= 3)
        .min();
    match near {
        Some((_, it)) => res.help(format!("did you mean `{it}`?")),
        None => {
            let all: Vec<String> = STANDARD.iter().map(|it| format!("`{}`", it.path)).collect();
            res.help(format!("there are {}; a file is written in quotes", all.join(", ")))
        }
    }
}

pub(crate) fn unreadable(path: &str, reason: &str, span: Span) -> Diagnostic {
    let shown: String = path.chars().take(60).collect();
    Diagnostic::error(Code("E0211"), format!("cannot import `{shown}`")).label(span, reason)
}

/// Imports that lead back to where they started; the last one closes the circle.
pub(crate) fn circle(imports: &[(Span, String)]) -> Diagnostic {
    let mut res = Diagnostic::error(Code("E0212"), "modules import one another in a circle");
    for (span, name) in imports.iter().rev().take(MOST_SHOWN) {
        res = res.label(*span, format!("imports `{name}`"));
    }
    match imports.len() {
        1 => res.help("remove it: what a file defines is in scope in all of it"),
        _ => res.help("put what both need into a file that imports neither"),
    }
}

pub(crate) fn no_name(stem: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code("E0213"), format!("`{stem}` is no name that can stand before a dot"))
        .label(span, "names have letters, digits and `_`, a small letter first")
        .help("give it one, as in `import \"...\" as name`, or list the names to import")
}
