//! E051x: custom derivatives.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::{CustomKind, Ident};

use super::count;
use crate::types::Type;

/// What is wrong with a derivative that comes with a definition.
#[derive(Clone, Debug)]
pub enum CustomError {
    /// It takes something else than the derivative does.
    Params {
        /// Which derivative.
        kind: CustomKind,
        /// The definition.
        def: Name,
        /// Where the word stands.
        span: Span,
        /// How many parameters there are.
        found: usize,
        /// The parameters of the definition.
        params: Vec<Name>,
    },
    /// There is one already.
    Twice {
        /// The definition.
        def: Name,
        /// The second one.
        word: Ident,
        /// Where the first one is.
        first: Span,
    },
    /// It calls its definition with a function made of those that it got.
    Endless {
        /// The definition.
        def: Name,
        /// The call.
        span: Span,
    },
    /// The definition can have none.
    Impossible {
        /// Which derivative.
        kind: CustomKind,
        /// Where the word stands.
        span: Span,
        /// Why not.
        why: NoCustom,
    },
}

/// Why a definition can have no derivative of its own.
#[derive(Clone, Debug)]
pub enum NoCustom {
    /// The definition has nothing to differentiate by.
    Constant(Ident),
    /// A vjp has no cotangent for what a function captured.
    FunctionTaken {
        /// The parameter.
        at: Span,
        /// Its type.
        ty: Type,
    },
    /// What the function captured would be lost.
    FunctionGiven {
        /// The name of the definition.
        at: Span,
        /// The type of its result.
        ty: Type,
    },
    /// The cotangent would have a size that no parameter tells; where the definition is.
    OpenSize(Span),
    /// The reals of a type variable are mapped, by a function that the definition gets unseen.
    OverReals {
        /// The type variable.
        of: Name,
    },
}

impl CustomError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            CustomError::Params { kind, def, span, found, params } => {
                other_params(*kind, def, (*span, *found), params)
            }
            CustomError::Twice { def, word, first } => {
                let title = format!("`{def}` has two derivatives `{}`", word.name);
                Diagnostic::error(Code("E0511"), title)
                    .label(word.span, "given again")
                    .label(*first, "given first")
                    .help("remove one of them")
            }
            CustomError::Endless { def, span } => {
                let title = format!("this derivative of `{def}` has no end");
                let why = "called with another function, this needs a derivative of its own";
                Diagnostic::error(Code("E0652"), title).label(*span, why).help(format!(
                    "call `{def}` with the functions as they are, or a definition that does without it"
                ))
            }
            CustomError::Impossible { kind, span, why } => impossible(kind.word(), *span, why),
        }
    }
}

fn other_params(
    kind: CustomKind,
    def: &Name,
    (span, found): (Span, usize),
    params: &[Name],
) -> Diagnostic {
    let names: Vec<String> = params.iter().map(|it| it.to_string()).collect();
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

fn impossible(word: &str, span: Span, why: &NoCustom) -> Diagnostic {
    let res = |reason: String| {
        Diagnostic::error(Code("E0512"), "this definition can have no derivative of its own")
            .label(span, reason)
    };
    match why {
        NoCustom::Constant(def) => res(format!("a `{word}` needs a parameter"))
            .label(def.span, format!("`{}` has no parameters", def.name)),
        NoCustom::FunctionTaken { at, ty } => res(format!(
            "a `{word}` gives numbers, and what a function captures is not known here"
        ))
        .label(*at, format!("this has type `{ty}`"))
        .help("give a `jvp`: it takes a tangent for the function, `dg(y)` is how `g(y)` changes"),
        NoCustom::FunctionGiven { at, ty } => {
            res(format!("a `{word}` is of numbers, and what a function captures is not known here"))
                .label(*at, format!("this gives type `{ty}`"))
                .help("give a derivative to a definition that gives numbers only")
        }
        NoCustom::OpenSize(def) => res(format!("a `{word}` has the sizes of the parameters"))
            .label(*def, "the size of its result is known only when it runs"),
        NoCustom::OverReals { of } => res(format!(
            "a `{word}` does not go with `map_reals` or `zip_reals` of any type `{of}`"
        ))
        .help(format!(
            "write a type for `{of}`, or give the function that maps its reals as a parameter"
        )),
    }
}
