//! E04xx: sizes; E05xx: differentiation.

use base::{Code, Diagnostic, Name, Span};

use super::Error;
use crate::types::{ShowSize, Size, Type};

impl Error {
    pub(crate) fn sizes_open(span: Span, left: &Size, right: &Size) -> Diagnostic {
        let (left, right) = (ShowSize(left), ShowSize(right));
        Diagnostic::error(Code("E0402"), "a size cannot be worked out")
            .label(span, format!("needs `{left}` to equal `{right}`"))
            .help("annotate the types here so that the sizes are known")
    }

    pub(crate) fn size_escapes(
        span: Span,
        size: &str,
        origin: Option<(Span, String)>,
    ) -> Diagnostic {
        let res = Diagnostic::error(Code("E0403"), "a size leaves the place where it is known")
            .label(span, format!("this has size `{size}`, which is not known out here"));
        let res = match origin {
            Some((at, text)) if at != span => res.label(at, text),
            Some(_) | None => res,
        };
        res.help(
            "use the array where it is made, or give it a size known outside with `sized(n, xs)`",
        )
    }

    /// A local function whose result has a size that only a call of it tells.
    pub(crate) fn size_of_local_function(
        name: &Name,
        (span, origin): (Span, Option<(Span, String)>),
        (size, result): (&str, &Type),
        how: &str,
    ) -> Diagnostic {
        let res = Diagnostic::error(Code("E0403"), "a size leaves the place where it is known")
            .label(span, format!("returns `{result}`, and each call has its own `{size}`"));
        let res = match origin {
            Some((at, text)) => res.label(at, text),
            None => res,
        };
        res.help(format!("make `{name}` a `def`, {how}"))
    }

    pub(crate) fn size_by_argument(name: &Name, span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0404"), "this function cannot be used as a value")
            .label(span, format!("the sizes of what `{name}` returns depend on its arguments"))
            .help(format!(
                "call `{name}` directly, or wrap the call in a lambda that returns a scalar"
            ))
    }

    pub(crate) fn negative_size(span: Span, size: i64) -> Diagnostic {
        Diagnostic::error(Code("E0405"), "a size cannot be negative")
            .label(span, format!("this is {size}"))
    }

    pub(crate) fn reshape_counts(span: Span, from: &Size, to: &Size) -> Diagnostic {
        Diagnostic::error(Code("E0406"), "the new shape holds another number of elements").label(
            span,
            format!("`{}` elements cannot fill `{}` places", ShowSize(from), ShowSize(to)),
        )
    }

    pub(crate) fn not_to_real(operator: &str, span: Span, result: &Type) -> Diagnostic {
        let res =
            Diagnostic::error(Code("E0501"), format!("`{operator}` needs a function to Real"))
                .label(span, format!("this function returns `{result}`"));
        match operator {
            "grad" | "value_and_grad" => {
                res.help("use `jacobian` for all partial derivatives, or `vjp` for one combination")
            }
            _ => res.help("make the function return one Real, for example a `sum`"),
        }
    }

    pub(crate) fn derivative_by_function(span: Span, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0502"), "cannot differentiate with respect to a function")
            .label(span, format!("its argument or result has type `{ty}`"))
            .help("take the function from around it, and differentiate with respect to numbers")
    }

    pub(crate) fn jacobian_of(operator: &str, span: Span, ty: &Type) -> Diagnostic {
        let what = if operator == "hessian" { "takes" } else { "returns" };
        let other = if operator == "hessian" { "`hvp`" } else { "`jvp` or `vjp`" };
        Diagnostic::error(Code("E0503"), format!("`{operator}` needs numbers, tuples and arrays"))
            .label(span, format!("this function {what} `{ty}`"))
            .help(format!("use {other}: it gives derivatives of the shape of the value"))
    }

    pub(crate) fn operator_arguments(operator: &str, span: Span, found: usize) -> Diagnostic {
        let usage = match operator {
            "jvp" => "jvp(f)(x, dx)",
            "vjp" => "vjp(f)(x)(dy)",
            "hvp" => "hvp(f)(x, v)",
            "grad" => "grad(f)(x)",
            "value_and_grad" => "value_and_grad(f)(x)",
            "jacobian" => "jacobian(f)(x)",
            _ => "hessian(f)(x)",
        };
        Diagnostic::error(Code("E0504"), format!("`{operator}` takes the function alone"))
            .label(span, format!("here are {found} arguments"))
            .help(format!("write `{usage}`"))
    }

    pub(crate) fn no_parameters(operator: &str, span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0505"), "a function without parameters has no derivative")
            .label(span, format!("`{operator}` needs a parameter to differentiate by"))
    }
}
