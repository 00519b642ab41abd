//! E0322, E0323, E0324: types whose reals cannot be listed, axes that are not, and texts of `einsum`.

use base::{Code, Diagnostic, Name, Span};

use crate::types::Type;

/// What is wrong with a call that goes by the parts or axes of a value.
#[derive(Clone, Debug)]
pub enum StructureError {
    /// A builtin on all reals of a value is asked for a type that it does not take.
    Reals {
        /// The builtin, or the definition that calls it.
        name: Name,
        /// The call.
        span: Span,
        /// The type of the value.
        ty: Type,
        /// What is wrong with it.
        why: Unfit,
    },
    /// An axis is no literal, or none of the array.
    Axis {
        /// The builtin.
        name: &'static str,
        /// The axis, or all of them.
        span: Span,
        /// What would be right.
        wanted: &'static str,
    },
    /// A size that is the name of no axis, or of several.
    NamedAxis {
        /// The builtin.
        name: &'static str,
        /// Where the size stands.
        span: Span,
        /// The size.
        size: Name,
        /// The type of the array.
        ty: Type,
        /// The axes of that size.
        axes: Vec<usize>,
    },
    /// The text of an `einsum` is none.
    Einsum {
        /// The text.
        span: Span,
        /// What is wrong with it.
        wrong: &'static str,
    },
}

/// Why the reals of a type cannot be listed.
#[derive(Clone, Debug)]
pub enum Unfit {
    /// A function is in it.
    Function,
    /// It is, or has in it, a type variable of the definition.
    Variable(Name),
    /// It has values of itself at other and other types in it.
    Recursive(Name),
    /// Its values have different parts.
    Sum(Name),
}

impl StructureError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            StructureError::Reals { name, span, ty, why } => {
                let (label, help) = explained(ty, why);
                Diagnostic::error(Code("E0322"), format!("`{name}` cannot list the reals of this"))
                    .label(*span, label)
                    .help(help)
            }
            StructureError::Axis { name, span, wanted } => {
                Diagnostic::error(Code("E0323"), format!("`{name}` does not know this axis"))
                    .label(*span, *wanted)
            }
            StructureError::NamedAxis { name, span, size, ty, axes } => {
                let (what, verb, help) = match axes.as_slice() {
                    [first, second, ..] => (
                        "several axes",
                        "have",
                        format!("say which by its number: `{first}` or `{second}`"),
                    ),
                    _ => (
                        "no axis",
                        "has",
                        "name a size of the array, or a number: `0` is the outermost".into(),
                    ),
                };
                Diagnostic::error(Code("E0323"), format!("`{name}` does not know this axis"))
                    .label(*span, format!("{what} of `{ty}` {verb} the size `{size}`"))
                    .help(help)
            }
            StructureError::Einsum { span, wrong } => {
                Diagnostic::error(Code("E0324"), "this is no text of `einsum`")
                    .label(*span, *wrong)
                    .help("write it as in `\"ij,jk->ik\"`, the product of two matrices")
            }
        }
    }
}

fn explained(ty: &Type, why: &Unfit) -> (String, &'static str) {
    match why {
        Unfit::Function => {
            (format!("`{ty}` has a function in it"), "keep functions apart from the numbers")
        }
        Unfit::Variable(variable) => (
            format!("`{variable}` may be any type"),
            "take a vector, and `ravel` where the type is known; `map_reals` takes any type",
        ),
        Unfit::Recursive(data) => (
            format!("values of `{data}` have others of another type in them"),
            "write the recursion with `match`",
        ),
        Unfit::Sum(data) => (
            format!("values of `{data}` may have different parts"),
            "take it apart with `match`; `map_reals` and `zip_reals` take it as it is",
        ),
    }
}
