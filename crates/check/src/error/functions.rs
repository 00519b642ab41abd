//! E0302, E0303, E0313, E0317, E0318, E0320, E0404: functions, calls of them, and places where
//! they cannot be.

use base::{Code, Diagnostic, Name, Span};

use super::count;
use crate::types::Type;

/// What is wrong with a function or a call.
#[derive(Clone, Debug)]
pub enum FunctionError {
    /// More or fewer arguments than parameters.
    Arguments {
        /// The function or constructor.
        name: String,
        /// The call.
        span: Span,
        /// How many it takes.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A lambda with more or fewer parameters than wanted.
    LambdaParameters {
        /// The lambda.
        span: Span,
        /// How many are wanted.
        wanted: usize,
        /// How many it has.
        found: usize,
    },
    /// Something else is called, or differentiated.
    NotAFunction {
        /// Where it stands.
        span: Span,
        /// What it is.
        ty: Type,
    },
    /// A builtin with any number of arguments is used as a value.
    CallDirectly {
        /// The builtin.
        name: &'static str,
        /// Where it stands.
        span: Span,
    },
    /// A function is used as a value whose arguments tell the sizes of the result.
    SizeByArgument {
        /// The function.
        name: Name,
        /// Where it stands.
        span: Span,
    },
    /// A polymorphic local function is used more often than anyone can mean.
    TooManyCopies(Span),
    /// Functions are compared.
    Compared {
        /// Where.
        span: Span,
        /// The type with the function in it.
        ty: Type,
    },
    /// An array of functions.
    InArray {
        /// The array.
        span: Span,
        /// Its type.
        ty: Type,
    },
}

impl FunctionError {
    /// A call with the wrong number of arguments.
    pub(crate) fn arguments(name: &str, span: Span, wanted: usize, found: usize) -> FunctionError {
        FunctionError::Arguments { name: name.to_string(), span, wanted, found }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            FunctionError::Arguments { name, span, wanted, found } => {
                let takes = count(*wanted, "argument");
                Diagnostic::error(Code("E0302"), "wrong number of arguments")
                    .label(*span, format!("`{name}` takes {takes}, here are {found}"))
            }
            FunctionError::LambdaParameters { span, wanted, found } => {
                let of = count(*wanted, "parameter");
                let label = format!("a function of {of} is wanted here, this one has {found}");
                Diagnostic::error(Code("E0302"), "wrong number of parameters").label(*span, label)
            }
            FunctionError::NotAFunction { span, ty } => {
                Diagnostic::error(Code("E0303"), "this is not a function")
                    .label(*span, format!("it has type `{ty}` and cannot be called"))
            }
            FunctionError::CallDirectly { name, span } => {
                Diagnostic::error(Code("E0317"), format!("`{name}` cannot be used as a value"))
                    .label(*span, "it takes any number of arguments")
                    .help(format!("wrap it in a lambda, such as `\\x, y => {name}(x, y)`"))
            }
            FunctionError::SizeByArgument { name, span } => {
                let label = format!("the sizes of what `{name}` returns depend on its arguments");
                Diagnostic::error(Code("E0404"), "this function cannot be used as a value")
                    .label(*span, label)
                    .help(format!(
                        "call `{name}` directly, or wrap the call in a lambda that returns a scalar"
                    ))
            }
            FunctionError::TooManyCopies(span) => {
                Diagnostic::error(Code("E0320"), "this local function is used at too many places")
                    .label(*span, "polymorphic local functions are made anew wherever they are used")
                    .help("make it a `def`")
            }
            FunctionError::Compared { span, ty } => {
                Diagnostic::error(Code("E0313"), "functions cannot be compared")
                    .label(*span, format!("this has type `{ty}`"))
            }
            FunctionError::InArray { span, ty } => {
                Diagnostic::error(Code("E0318"), "an array cannot hold functions")
                    .label(*span, format!("this has type `{ty}`"))
                    .help("use a `data` type such as `List` for a collection of functions, or compute the elements")
            }
        }
    }
}
