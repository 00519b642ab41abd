//! E051x: custom derivatives.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::{CustomKind, Ident};

use super::{Error, count};
use crate::scheme::SchemeParam;
use crate::types::Type;

impl Error {
    /// It takes something else than the derivative does.
    pub(crate) fn custom_params(
        kind: CustomKind,
        def: &Name,
        (span, found): (Span, usize),
        params: &[SchemeParam],
    ) -> Diagnostic {
        let names: Vec<String> = params
            .iter()
            .enumerate()
            .map(|(at, it)| it.name.as_ref().map_or(format!("x{at}"), |it| it.to_string()))
            .collect();
        let extra: Vec<String> = match kind {
            CustomKind::Vjp => vec!["dr".to_string()],
            CustomKind::Jvp => names.iter().map(|it| format!("d{it}")).collect(),
        };
        let wanted = count(names.len() + extra.len(), "parameter");
        let and = match kind {
            CustomKind::Vjp => "the cotangent of the result",
            CustomKind::Jvp => "their directions",
        };
        let all = [names, extra].concat().join(", ");
        let word = kind.word();
        Diagnostic::error(Code("E0510"), format!("this `{word}` takes other parameters"))
            .label(span, format!("that of `{def}` takes {wanted}, here are {found}"))
            .help(format!("take the parameters and {and}: `with {word}({all}) = ...`"))
    }

    /// There is one already.
    pub(crate) fn custom_twice(def: &Name, word: &Ident, first: Span) -> Diagnostic {
        let title = format!("`{def}` has two derivatives `{}`", word.name);
        Diagnostic::error(Code("E0511"), title)
            .label(word.span, "given again")
            .label(first, "given first")
            .help("remove one of them")
    }

    /// Nothing to differentiate by.
    pub(crate) fn custom_of_constant(kind: CustomKind, def: &Ident, span: Span) -> Diagnostic {
        impossible(span, &format!("a `{}` needs a parameter", kind.word()))
            .label(def.span, format!("`{}` has no parameters", def.name))
    }

    /// What functions capture would be lost.
    pub(crate) fn custom_of_function(
        kind: CustomKind,
        span: Span,
        at: Span,
        ty: &Type,
    ) -> Diagnostic {
        impossible(span, &format!("a `{}` sees numbers, not what functions capture", kind.word()))
            .label(at, format!("this has type `{ty}`"))
            .help("give a derivative to a definition that takes and gives numbers only")
    }

    /// The cotangent would have a size that no parameter tells.
    pub(crate) fn custom_of_open_size(kind: CustomKind, span: Span, def: Span) -> Diagnostic {
        impossible(span, &format!("a `{}` has the sizes of the parameters", kind.word()))
            .label(def, "the size of its result is known only when it runs")
    }
}

fn impossible(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error(Code("E0512"), "this definition can have no derivative of its own")
        .label(span, why)
}
