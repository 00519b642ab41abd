//! E0202, E0205, E0207 to E0209: types and sizes as they are written, in annotations and
//! declarations.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::Ident;

use super::{count, did_you_mean, nearest};
use crate::declare::{BASIC, TypeTable};

/// What is wrong with a written type or size.
#[derive(Clone, Debug)]
pub enum AnnotationError {
    /// No type of this name is declared.
    UnknownType {
        /// The name.
        name: Ident,
        /// The type that may have been meant.
        nearest: Option<Name>,
    },
    /// A declaration of a type that is built in.
    BuiltIn(Ident),
    /// More or fewer arguments than the type has parameters.
    Arguments {
        /// The type.
        name: Name,
        /// The type with its arguments.
        span: Span,
        /// How many it takes.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A size in the place of a type.
    SizeForType(Span),
    /// A type in the place of a size.
    TypeForSize(Span),
    /// A record or alias that contains itself.
    ContainsItself(Ident),
    /// A small-letter name in a declaration that is none of its parameters.
    NotAParameter {
        /// The name.
        name: Name,
        /// Where it stands.
        span: Span,
    },
    /// `_` in a declaration.
    Hole(Span),
    /// A size with more terms than anyone can mean.
    SizeTooLarge(Span),
}

impl AnnotationError {
    /// A type that is not declared.
    pub(crate) fn unknown_type(table: &TypeTable, name: &Ident) -> AnnotationError {
        let known = table.names.keys().map(|it| it.as_str()).chain(BASIC);
        let foreign = match name.name.as_str() {
            "Float" | "Double" | "F64" | "Number" => Some("Real"),
            "Integer" | "I64" => Some("Int"),
            "Boolean" => Some("Bool"),
            "Str" | "Text" => Some("String"),
            _ => None,
        };
        let nearest = foreign.map(Name::new).or_else(|| nearest(&name.name, known));
        AnnotationError::UnknownType { name: name.clone(), nearest }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            AnnotationError::UnknownType { name, nearest } => {
                let res = Diagnostic::error(Code("E0202"), format!("unknown type `{}`", name.name))
                    .label(name.span, "no type of this name is declared");
                did_you_mean(res, nearest.as_ref())
            }
            AnnotationError::BuiltIn(name) => {
                Diagnostic::error(Code("E0205"), format!("the type `{}` is built in", name.name))
                    .label(name.span, "cannot be declared again")
                    .help("choose another name")
            }
            AnnotationError::Arguments { name, span, wanted, found } => {
                let takes = count(*wanted, "argument");
                Diagnostic::error(Code("E0207"), "wrong number of type arguments")
                    .label(*span, format!("`{name}` takes {takes}, here are {found}"))
            }
            AnnotationError::SizeForType(span) => {
                Diagnostic::error(Code("E0207"), "a size where a type is wanted")
                    .label(*span, "this is a size, a type is wanted here")
            }
            AnnotationError::TypeForSize(span) => {
                Diagnostic::error(Code("E0207"), "a type where a size is wanted")
                    .label(*span, "this is a type, a size is wanted here")
            }
            AnnotationError::ContainsItself(name) => Diagnostic::error(
                Code("E0208"),
                format!("the type `{}` contains itself", name.name),
            )
            .label(name.span, "a value of it would never end")
            .help("use `data` for recursive types: its constructors can stop the recursion"),
            AnnotationError::NotAParameter { name, span } => {
                let title = format!("`{name}` is not a parameter of this type");
                Diagnostic::error(Code("E0209"), title)
                    .label(*span, "not declared on the left side")
                    .help(format!("add it after the name of the type: `<{name}>`"))
            }
            AnnotationError::Hole(span) => {
                Diagnostic::error(Code("E0209"), "a declaration cannot leave a part open")
                    .label(*span, "say what it is")
                    .help("name it, and make it a parameter of the type")
            }
            AnnotationError::SizeTooLarge(span) => {
                Diagnostic::error(Code("E0319"), "this size is too large")
                    .label(*span, "multiplied out, it has more than 10000 terms")
                    .help("give a part of it a name of its own: a size that is a parameter")
            }
        }
    }
}
