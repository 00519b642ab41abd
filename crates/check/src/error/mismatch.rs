//! E0301, E0307, E0314, E0319, E0401: two types or sizes that have to be the same and are not.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::CustomKind;

use super::sizes::SizeOrigin;
use crate::solve::{Mismatch, Solver};
use crate::types::{ShowSize, Size, SizeAtom, Type};

/// How two types that have to be the same differ.
#[derive(Clone, Debug)]
pub enum MismatchError {
    /// They are different types.
    Types {
        /// What is found.
        span: Span,
        /// The type that is wanted.
        wanted: Type,
        /// The type that is found.
        found: Type,
        /// The innermost parts that differ, that of the wanted type first.
        inner: (Type, Type),
        /// What the type is wanted for.
        why: Why,
    },
    /// They differ in a size.
    Sizes {
        /// What is found.
        span: Span,
        /// The size that is wanted, and the one that is found.
        sizes: (Size, Size),
        /// The type that is wanted.
        wanted: Type,
        /// The type that is found.
        found: Type,
        /// What the type is wanted for.
        why: Why,
        /// Where the sizes come from.
        origins: Vec<SizeOrigin>,
        /// Whether one of them is known only when the program runs.
        opaque: bool,
    },
    /// A type parameter of an annotation would have to be one type.
    TooGeneral {
        /// The type parameter.
        name: Name,
        /// What is found.
        span: Span,
        /// What the parameter would have to be.
        ty: Type,
        /// What the type is wanted for.
        why: Why,
    },
    /// A type would contain itself.
    Infinite {
        /// What is found.
        span: Span,
        /// What it would have to be equal to inside itself.
        ty: Type,
    },
    /// An array whose elements would be arrays like itself.
    EndlessArray(Span),
    /// A type with more parts than anyone can mean.
    TooLarge(Span),
}

/// What a type is wanted for; says so in the message.
#[derive(Clone, Debug)]
pub enum Why {
    /// An argument of the function of that name, and where its parameter is declared.
    Argument(String, Option<Span>),
    /// An annotation at that place.
    Annotation(Span),
    /// The calls that a function makes of itself; its name is bound at that place.
    Recursive(Span),
    /// The other branch at that place.
    Branch(Span),
    /// The first element of the array.
    Element(Span),
    /// The condition of an `if`, an operand of `&&`, ...
    Condition,
    /// An index or size.
    Index,
    /// An element for the array at that place.
    With(Span),
    /// A pattern matched against the value at that place.
    Pattern(Span),
    /// The other operand.
    Operand(Span),
    /// The field of a record.
    Field(Name),
    /// A test.
    Test,
    /// What a custom derivative gives.
    Custom(CustomKind),
    /// The base of a record update.
    Base,
}

impl MismatchError {
    /// What unification found, with all that is known of the types.
    pub(crate) fn new(
        solver: &Solver,
        mismatch: &Mismatch,
        wanted: &Type,
        found: &Type,
        span: Span,
        why: &Why,
    ) -> MismatchError {
        let why = why.clone();
        let types = || (solver.resolve(wanted), solver.resolve(found));
        match mismatch {
            Mismatch::TooLarge => MismatchError::TooLarge(span),
            Mismatch::Infinite(ty) => MismatchError::Infinite { span, ty: ty.clone() },
            Mismatch::Sizes(left, right) => {
                let (wanted, found) = types();
                let sizes = (solver.resolve_size(left), solver.resolve_size(right));
                let (origins, opaque) = origins(solver, &sizes);
                MismatchError::Sizes { span, sizes, wanted, found, why, origins, opaque }
            }
            Mismatch::Types(pair) => match (solver.resolve(&pair.0), solver.resolve(&pair.1)) {
                (Type::Param(name), ty) | (ty, Type::Param(name))
                    if !matches!(ty, Type::Param(_)) =>
                {
                    MismatchError::TooGeneral { name, span, ty, why }
                }
                inner => {
                    let (wanted, found) = types();
                    MismatchError::Types { span, wanted, found, inner, why }
                }
            },
        }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            MismatchError::Types { span, wanted, found, inner, why } => {
                let place = why.place();
                let label = format!("wanted `{wanted}`{place}, found `{found}`");
                let res = Diagnostic::error(Code("E0301"), "types do not agree");
                let res = why.label(res.label(*span, label));
                match conversion(inner) {
                    Some(help) => res.help(help),
                    None => res,
                }
            }
            MismatchError::Sizes { span, sizes, wanted, found, why, origins, opaque } => {
                let (a, b) = (ShowSize(&sizes.0).to_string(), ShowSize(&sizes.1).to_string());
                let types = format!("wanted `{wanted}`{}, found `{found}`", why.place());
                let res = Diagnostic::error(Code("E0401"), "sizes do not agree")
                    .label(*span, format!("wanted size `{a}`, found `{b}` ({types})"));
                let mut res = label_origins(why.label(res), origins);
                if a == b {
                    res =
                        res.help("the two sizes have the same name but are not the same variable");
                }
                if *opaque {
                    res = res.help("check the size when it runs: `sized(n, xs)`");
                }
                res
            }
            MismatchError::TooGeneral { name, span, ty, why } => {
                let title = format!("`{name}` is promised to be any type");
                let res = Diagnostic::error(Code("E0314"), title)
                    .label(*span, format!("but the body needs it to be `{ty}`"))
                    .help(format!("write `{ty}` in the annotation instead of `{name}`"));
                why.label(res)
            }
            MismatchError::Infinite { span, ty } => contains_itself()
                .label(*span, format!("needs a type equal to `{ty}` inside itself"))
                .help("recursive structures need a `data` declaration"),
            MismatchError::EndlessArray(span) => contains_itself()
                .label(*span, "needs an array whose elements are arrays like itself"),
            MismatchError::TooLarge(span) => {
                Diagnostic::error(Code("E0319"), "this type is too large")
                    .label(
                        *span,
                        "it has more than 20000 parts, or is nested deeper than 200 levels",
                    )
                    .help("pass the parts separately, or put them in a `data` type")
            }
        }
    }
}

impl Why {
    /// What follows the wanted type in the message.
    fn place(&self) -> String {
        match self {
            Why::Argument(name, _) => format!(" as argument of `{name}`"),
            Why::Field(name) => format!(" in field `{name}`"),
            Why::Condition => " as a condition".into(),
            Why::Index => " as an index or size".into(),
            Why::With(_) => " as an element".into(),
            Why::Test => " as a test".into(),
            Why::Custom(CustomKind::Vjp) => " as the cotangent of the parameters".into(),
            Why::Custom(CustomKind::Jvp) => " as the tangent of the result".into(),
            Why::Base => " after `..`".into(),
            Why::Annotation(_)
            | Why::Recursive(_)
            | Why::Branch(_)
            | Why::Element(_)
            | Why::Pattern(_)
            | Why::Operand(_) => String::new(),
        }
    }

    /// Adds the other place that has to do with it, if there is one.
    fn label(&self, res: Diagnostic) -> Diagnostic {
        match self {
            Why::Argument(_, Some(span)) => res.label(*span, "the parameter is declared here"),
            Why::Annotation(span) => res.label(*span, "wanted because of this annotation"),
            Why::Recursive(span) => res.label(*span, "its calls of itself want this type"),
            Why::Branch(span) => res.label(*span, "the first branch has the wanted type"),
            Why::Element(span) => res.label(*span, "the first element has the wanted type"),
            Why::With(span) => res.label(*span, "an element of this"),
            Why::Pattern(span) => res.label(*span, "the matched value has the wanted type"),
            Why::Operand(span) => res.label(*span, "the other operand"),
            Why::Argument(_, None)
            | Why::Condition
            | Why::Index
            | Why::Field(_)
            | Why::Test
            | Why::Custom(_)
            | Why::Base => res,
        }
    }
}

fn contains_itself() -> Diagnostic {
    Diagnostic::error(Code("E0307"), "this type would contain itself")
}

/// How to make the second type the first.
fn conversion(inner: &(Type, Type)) -> Option<&'static str> {
    match inner {
        (Type::Real, Type::Int) => {
            Some("convert with `real(...)`, or write the number with a decimal point")
        }
        (Type::Int, Type::Real) => {
            Some("convert with `int(...)`, or write the number without a decimal point")
        }
        (Type::Function(..), Type::Function(..)) | (_, Type::Error) => None,
        (_, Type::Function(params, _)) if !params.is_empty() => {
            Some("the function is not called: add its arguments")
        }
        (Type::Bool, Type::Array(_, elem)) if **elem == Type::Bool => {
            Some("`<` and its like compare element by element; `==` and `~=` compare whole arrays")
        }
        _ => None,
    }
}

/// Where the sizes come from, and whether one of them is known only when the program runs.
fn origins(solver: &Solver, sizes: &(Size, Size)) -> (Vec<SizeOrigin>, bool) {
    let (mut res, mut opaque) = (Vec::new(), false);
    for atom in sizes.0.vars().into_iter().chain(sizes.1.vars()) {
        if let SizeAtom::Rigid(rigid) = atom
            && let Some(origin) = solver.origins.get(&rigid.id)
        {
            opaque |= solver.opaque.contains(&rigid.id);
            res.push(origin.clone());
        }
    }
    (res, opaque)
}

/// Adds where the sizes come from, each place once.
fn label_origins(mut res: Diagnostic, origins: &[SizeOrigin]) -> Diagnostic {
    for (at, text) in origins {
        if !res.labels.iter().any(|it| it.span == *at) {
            res = res.label(*at, text.clone());
        }
    }
    res
}
