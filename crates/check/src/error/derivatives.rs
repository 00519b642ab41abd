//! E050x: derivative operators.

use base::{Code, Diagnostic, Span};

use crate::types::Type;

/// What is wrong with a use of a derivative operator.
#[derive(Clone, Debug)]
pub enum DerivativeError {
    /// The function does not give one real.
    NotToReal {
        /// The operator.
        operator: &'static str,
        /// The function.
        span: Span,
        /// What it gives.
        result: Type,
    },
    /// The derivative would be by a function, or of one.
    ByFunction {
        /// The function that is differentiated.
        span: Span,
        /// The type with the function in it.
        ty: Type,
    },
    /// A matrix of derivatives of something that is no numbers.
    NoMatrix {
        /// The operator.
        operator: &'static str,
        /// The function.
        span: Span,
        /// What it gives, or takes.
        ty: Type,
    },
    /// The operator is given more than the function.
    Arguments {
        /// The operator.
        operator: &'static str,
        /// The call.
        span: Span,
        /// The arguments, one by one.
        args: Vec<Span>,
    },
    /// The function has no parameters.
    NoParameters {
        /// The operator.
        operator: &'static str,
        /// The function.
        span: Span,
    },
}

impl DerivativeError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            DerivativeError::NotToReal { operator, span, result } => {
                let title = format!("`{operator}` needs a function to Real");
                let res = Diagnostic::error(Code("E0501"), title)
                    .label(*span, format!("this function returns `{result}`"));
                match *operator {
                    "grad" | "value_and_grad" => res.help(
                        "use `jacobian` for all partial derivatives, or `vjp` for one combination",
                    ),
                    _ => res.help("make the function return one Real, for example a `sum`"),
                }
            }
            DerivativeError::ByFunction { span, ty } => Diagnostic::error(
                Code("E0502"),
                "cannot differentiate with respect to a function",
            )
            .label(*span, format!("its argument or result has type `{ty}`"))
            .help("take the function from around it, and differentiate with respect to numbers"),
            DerivativeError::NoMatrix { operator, span, ty } => {
                let (what, other) = match *operator {
                    "hessian" => ("takes", "`hvp`"),
                    _ => ("returns", "`jvp` or `vjp`"),
                };
                let title = format!("`{operator}` needs numbers, tuples and arrays");
                Diagnostic::error(Code("E0503"), title)
                    .label(*span, format!("this function {what} `{ty}`"))
                    .help(format!("use {other}: it gives derivatives of the shape of the value"))
            }
            DerivativeError::Arguments { operator, span, args } => {
                let title = format!("`{operator}` takes the function alone");
                Diagnostic::error(Code("E0504"), title)
                    .label(*span, format!("here are {} arguments", args.len()))
                    .help(format!("write `{}`", usage(operator)))
            }
            DerivativeError::NoParameters { operator, span } => {
                let title = "a function without parameters has no derivative";
                Diagnostic::error(Code("E0505"), title)
                    .label(*span, format!("`{operator}` needs a parameter to differentiate by"))
            }
        }
    }
}

/// How the operator is called.
fn usage(operator: &str) -> &'static str {
    match operator {
        "jvp" => "jvp(f)(x, dx)",
        "vjp" => "vjp(f)(x)(dy)",
        "hvp" => "hvp(f)(x, v)",
        "linearise" => "linearise(f)(x)",
        "grad" => "grad(f)(x)",
        "value_and_grad" => "value_and_grad(f)(x)",
        "jacobian" => "jacobian(f)(x)",
        _ => "hessian(f)(x)",
    }
}
