//! E0402, E0403, E0405, E0406, E0615: sizes.

use base::{Code, Diagnostic, Name, Span};

use crate::types::{ShowSize, Size, Type};

/// Where a size comes from, and what that place has to do with it.
pub type SizeOrigin = (Span, String);

/// What is wrong with a size.
#[derive(Clone, Debug)]
pub enum SizeError {
    /// An equation of sizes that nothing decides.
    Open {
        /// The definition.
        span: Span,
        /// One side.
        left: Size,
        /// The other.
        right: Size,
    },
    /// A size is used where it is not known.
    Escapes {
        /// What has the size.
        span: Span,
        /// The size as it is shown.
        size: String,
        /// Where it comes from.
        origin: Option<SizeOrigin>,
    },
    /// A local function whose result has a size that only a call of it tells.
    OfLocalFunction {
        /// The function.
        name: Name,
        /// Where its name stands.
        span: Span,
        /// The size.
        size: Name,
        /// Where it comes from.
        origin: Option<SizeOrigin>,
        /// What the function gives.
        result: Type,
        /// Whether the size is a parameter of the function.
        by_argument: bool,
    },
    /// A size that is known to be negative.
    Negative {
        /// Where it is.
        span: Span,
        /// What it is.
        size: i64,
    },
    /// A size of a definition that its arguments make negative.
    NegativeIn {
        /// The call.
        span: Span,
        /// The size.
        name: Name,
        /// The definition.
        def: Name,
        /// What it would be.
        value: i64,
    },
    /// A size that does not fit into 64 bits.
    TooLarge(Span),
    /// A `reshape` to another number of elements.
    Reshape {
        /// The call.
        span: Span,
        /// How many elements there are.
        from: Size,
        /// How many places.
        to: Size,
    },
}

impl SizeError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            SizeError::Open { span, left, right } => {
                let (left, right) = (ShowSize(left), ShowSize(right));
                Diagnostic::error(Code("E0402"), "a size cannot be worked out")
                    .label(*span, format!("needs `{left}` to equal `{right}`"))
                    .help("annotate the types here so that the sizes are known")
            }
            SizeError::Escapes { span, size, origin } => {
                let label = format!("this has size `{size}`, which is not known out here");
                from(leaves(*span, label), origin.as_ref().filter(|(at, _)| at != span)).help(
                    "use the array where it is made, or give it a size known outside with `sized(n, xs)`",
                )
            }
            SizeError::OfLocalFunction { name, span, size, origin, result, by_argument } => {
                let label = format!("returns `{result}`, and each call has its own `{size}`");
                let how = match by_argument {
                    true => format!("as in `def {name}({size}: Int): [{size}]Real = ...`"),
                    false => "and pass it what it uses".to_string(),
                };
                from(leaves(*span, label), origin.as_ref())
                    .help(format!("make `{name}` a `def`, {how}"))
            }
            SizeError::Negative { span, size } => {
                Diagnostic::error(Code("E0405"), "a size cannot be negative")
                    .label(*span, format!("this is {size}"))
            }
            SizeError::NegativeIn { span, name, def, value } => {
                Diagnostic::error(Code("E0405"), "a size cannot be negative")
                    .label(*span, format!("`{name}` of `{def}` would be {value}"))
                    .help(format!("give `{def}` an array of more elements"))
            }
            SizeError::TooLarge(span) => {
                Diagnostic::error(Code("E0615"), "an array too large for any machine")
                    .label(*span, "a size in this call does not fit into 64 bits")
            }
            SizeError::Reshape { span, from, to } => {
                let (from, to) = (ShowSize(from), ShowSize(to));
                let title = "the new shape holds another number of elements";
                Diagnostic::error(Code("E0406"), title)
                    .label(*span, format!("`{from}` elements cannot fill `{to}` places"))
            }
        }
    }
}

fn leaves(span: Span, label: String) -> Diagnostic {
    Diagnostic::error(Code("E0403"), "a size leaves the place where it is known").label(span, label)
}

fn from(res: Diagnostic, origin: Option<&SizeOrigin>) -> Diagnostic {
    match origin {
        Some((at, text)) => res.label(*at, text.clone()),
        None => res,
    }
}
