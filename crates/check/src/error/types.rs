//! E03xx: types, and E0401, the sizes in them.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::{CustomKind, Ident};

use super::{Error, count};
use crate::solve::{Guess, Mismatch, Solver};
use crate::types::{ShowSize, Size, SizeAtom, Type};

/// What a type is wanted for; says so in the message.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// An argument of the function of that name, and where its parameter is declared.
    Argument(String, Option<Span>),
    /// An annotation at that place.
    Annotation(Span),
    /// The other branch at that place.
    Branch(Span),
    /// The first element of the array.
    Element(Span),
    /// The condition of an `if`, an operand of `&&`, ...
    Condition,
    /// An index or size.
    Index,
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

impl Error {
    pub(crate) fn mismatch(
        solver: &Solver,
        mismatch: &Mismatch,
        wanted: &Type,
        found: &Type,
        span: Span,
        why: &Why,
    ) -> Diagnostic {
        if let Mismatch::TooLarge = mismatch {
            return Error::too_large(span);
        }
        let (wanted, found) = (solver.resolve(wanted), solver.resolve(found));
        match mismatch {
            Mismatch::Sizes(left, right) => {
                sizes_differ(solver, left, right, &wanted, &found, span, why)
            }
            Mismatch::Infinite(ty) => {
                Diagnostic::error(Code("E0307"), "this type would contain itself")
                    .label(span, format!("needs a type equal to `{ty}` inside itself"))
                    .help("recursive structures need a `data` declaration")
            }
            Mismatch::TooLarge => Error::too_large(span),
            Mismatch::Types(pair) => {
                let inner = (solver.resolve(&pair.0), solver.resolve(&pair.1));
                types_differ(&wanted, &found, &inner, span, why)
            }
        }
    }

    /// An array whose elements are arrays like itself.
    pub(crate) fn endless_array(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0307"), "this type would contain itself")
            .label(span, "needs an array whose elements are arrays like itself")
    }

    pub(crate) fn arguments(function: &str, span: Span, wanted: usize, found: usize) -> Diagnostic {
        Diagnostic::error(Code("E0302"), "wrong number of arguments").label(
            span,
            format!("`{function}` takes {}, here are {found}", count(wanted, "argument")),
        )
    }

    pub(crate) fn lambda_parameters(span: Span, wanted: usize, found: usize) -> Diagnostic {
        Diagnostic::error(Code("E0302"), "wrong number of parameters").label(
            span,
            format!(
                "a function of {} is wanted here, this one has {found}",
                count(wanted, "parameter")
            ),
        )
    }

    pub(crate) fn not_a_function(span: Span, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0303"), "this is not a function")
            .label(span, format!("it has type `{ty}` and cannot be called"))
    }

    pub(crate) fn missing_patterns(span: Span, witnesses: &[String]) -> Diagnostic {
        let list: Vec<String> = witnesses.iter().map(|it| format!("`{it}`")).collect();
        Diagnostic::error(Code("E0305"), "the match does not cover all cases")
            .label(span, format!("not covered: {}", list.join(", ")))
            .help("add an arm for each, or a last arm `_ => ...`")
    }

    pub(crate) fn unreachable_arm(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0306"), "this arm can never be reached")
            .label(span, "the arms before it cover all its cases")
            .help("remove it, or move it up")
            .warning()
    }

    pub(crate) fn match_too_involved(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0321"), "this match is too involved")
            .label(span, "no reasonable number of tests tells its cases apart")
            .help("end it with an arm `_ => ...`, or match the parts one after the other")
    }

    pub(crate) fn operand(symbol: &str, span: Span, ty: &Type) -> Diagnostic {
        let res = Diagnostic::error(Code("E0308"), format!("`{symbol}` does not apply here"))
            .label(span, format!("this has type `{ty}`"));
        match ty {
            Type::Tuple(_) | Type::Named(..) => res.help("apply it to the parts one by one"),
            Type::Function(..) => res.help("call the function first"),
            Type::Param(name) => {
                res.help(format!("`{name}` may be any type; say `Real` if numbers are meant"))
            }
            Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Array(..)
            | Type::Var(_)
            | Type::Error => res.help("it works on Real and Int and on arrays of them"),
        }
    }

    pub(crate) fn mixed(symbol: &str, int: (Span, Option<i64>), real: Span) -> Diagnostic {
        let res = Diagnostic::error(Code("E0309"), format!("`{symbol}` mixes Int and Real"))
            .label(int.0, "this is an Int")
            .label(real, "this is a Real");
        match int.1 {
            Some(value) => res.help(format!("write `{value}.0`")),
            None => res.help("convert it with `real(...)`"),
        }
    }

    /// A literal made an operand an Int, and what is found here makes it a Real, or an array.
    pub(crate) fn guessed(guess: &Guess, (span, found): (Span, &Type), real: &Type) -> Diagnostic {
        let label = match *found == Type::Real {
            true => "this is a Real".to_string(),
            false => format!("this is of type `{found}`"),
        };
        let literal = guess.value;
        let help = match *real == Type::Real {
            true => format!("write `{literal}.0`"),
            false => format!("write `{literal}.0`, and annotate the parameter: `: {real}`"),
        };
        Diagnostic::error(Code("E0309"), format!("`{}` mixes Int and Real", guess.symbol))
            .label(guess.span, "this is an Int")
            .label(span, label)
            .help(help)
    }

    pub(crate) fn unknown_type_of(span: Span, what: &str) -> Diagnostic {
        Diagnostic::error(Code("E0310"), "the type must be known here")
            .label(span, what.to_string())
            .help("annotate the variable it comes from")
    }

    pub(crate) fn refutable(span: Span, witness: &str) -> Diagnostic {
        Diagnostic::error(Code("E0311"), "this pattern does not always match")
            .label(span, format!("does not cover `{witness}`"))
            .help("use `match` with an arm for every case")
    }

    pub(crate) fn fields(name: &Ident, missing: &[Name]) -> Diagnostic {
        let list: Vec<String> = missing.iter().map(|it| format!("`{it}`")).collect();
        Diagnostic::error(Code("E0312"), format!("fields of `{}` are missing", name.name))
            .label(name.span, format!("missing: {}", list.join(", ")))
            .help("give them values, or take the rest from another record with `..other`")
    }

    pub(crate) fn not_a_record(name: &Ident) -> Diagnostic {
        Diagnostic::error(Code("E0312"), format!("`{}` is not a record", name.name))
            .label(name.span, "only types declared as `type Name = { ... }` have fields")
    }

    pub(crate) fn compared_functions(span: Span, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0313"), "functions cannot be compared")
            .label(span, format!("this has type `{ty}`"))
    }

    pub(crate) fn no_part(span: Span, index: usize, ty: &Type) -> Diagnostic {
        let res = Diagnostic::error(Code("E0315"), format!("there is no part {index} here"))
            .label(span, format!("the value has type `{ty}`"));
        if let Type::Array(..) = ty {
            res.help(format!("an element of an array is written `xs[{index}]`"))
        } else {
            res.help("the parts of a tuple count from 0")
        }
    }

    pub(crate) fn no_fields(field: &Ident, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0204"), format!("no field `{}` here", field.name))
            .label(field.span, format!("the value has type `{ty}`, which is no record"))
    }

    pub(crate) fn not_indexable(span: Span, ty: &Type, indices: usize) -> Diagnostic {
        let res = Diagnostic::error(Code("E0316"), "too many indices, or not an array");
        match indices {
            0 => res.label(span, format!("this has type `{ty}`")),
            _ => res.label(
                span,
                format!(
                    "after {} this has type `{ty}`",
                    count(indices, "index").replace("indexs", "indices")
                ),
            ),
        }
    }

    pub(crate) fn too_large(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0319"), "this type is too large")
            .label(span, "it has more than 20000 parts, or is nested deeper than 200 levels")
            .help("pass the parts separately, or put them in a `data` type")
    }

    pub(crate) fn size_too_large(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0319"), "this size is too large")
            .label(span, "multiplied out, it has more than 10000 terms")
            .help("give a part of it a name of its own: a size that is a parameter")
    }

    pub(crate) fn too_many_copies(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0320"), "this local function is used at too many places")
            .label(span, "polymorphic local functions are made anew wherever they are used")
            .help("make it a `def`")
    }

    pub(crate) fn array_of_functions(span: Span, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0318"), "an array cannot hold functions")
            .label(span, format!("this has type `{ty}`"))
            .help("use a `data` type such as `List` for a collection of functions, or compute the elements")
    }

    pub(crate) fn call_directly(name: &str, span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0317"), format!("`{name}` cannot be used as a value"))
            .label(span, "it takes any number of arguments")
            .help(format!("wrap it in a lambda, such as `\\x, y => {name}(x, y)`"))
    }

    pub(crate) fn too_general(name: &Name, span: Span, ty: &Type) -> Diagnostic {
        Diagnostic::error(Code("E0314"), format!("`{name}` is promised to be any type"))
            .label(span, format!("but the body needs it to be `{ty}`"))
            .help(format!("write `{ty}` in the annotation instead of `{name}`"))
    }
}

fn because(why: &Why) -> (String, Option<(Span, String)>) {
    match why {
        Why::Argument(name, declared) => {
            let label = declared.map(|span| (span, "the parameter is declared here".into()));
            (format!(" as argument of `{name}`"), label)
        }
        Why::Annotation(span) => {
            (String::new(), Some((*span, "wanted because of this annotation".into())))
        }
        Why::Branch(span) => {
            (String::new(), Some((*span, "the first branch has the wanted type".into())))
        }
        Why::Element(span) => {
            (String::new(), Some((*span, "the first element has the wanted type".into())))
        }
        Why::Condition => (" as a condition".into(), None),
        Why::Index => (" as an index or size".into(), None),
        Why::Pattern(span) => {
            (String::new(), Some((*span, "the matched value has the wanted type".into())))
        }
        Why::Operand(span) => (String::new(), Some((*span, "the other operand".into()))),
        Why::Field(name) => (format!(" in field `{name}`"), None),
        Why::Test => (" as a test".into(), None),
        Why::Custom(CustomKind::Vjp) => (" as the cotangent of the parameters".into(), None),
        Why::Custom(CustomKind::Jvp) => (" as the tangent of the result".into(), None),
        Why::Base => (" after `..`".into(), None),
    }
}

fn types_differ(
    wanted: &Type,
    found: &Type,
    inner: &(Type, Type),
    span: Span,
    why: &Why,
) -> Diagnostic {
    let (place, other) = because(why);
    if let (Type::Param(name), ty) | (ty, Type::Param(name)) = inner
        && !matches!(ty, Type::Param(_))
    {
        let res = Error::too_general(name, span, ty);
        return match other {
            Some((at, text)) => res.label(at, text),
            None => res,
        };
    }
    let mut res = Diagnostic::error(Code("E0301"), "types do not agree")
        .label(span, format!("wanted `{wanted}`{place}, found `{found}`"));
    if let Some((at, text)) = other {
        res = res.label(at, text);
    }
    match inner {
        (Type::Real, Type::Int) => {
            res.help("convert with `real(...)`, or write the number with a decimal point")
        }
        (Type::Int, Type::Real) => {
            res.help("convert with `int(...)`, or write the number without a decimal point")
        }
        (Type::Function(..), Type::Function(..)) | (_, Type::Error) => res,
        (_, Type::Function(params, _)) if !params.is_empty() => {
            res.help("the function is not called: add its arguments")
        }
        (Type::Bool, Type::Array(_, elem)) if **elem == Type::Bool => res.help(
            "`<` and its like compare element by element; `==` and `~=` compare whole arrays",
        ),
        _ => res,
    }
}

fn sizes_differ(
    solver: &Solver,
    left: &Size,
    right: &Size,
    wanted: &Type,
    found: &Type,
    span: Span,
    why: &Why,
) -> Diagnostic {
    let (place, other) = because(why);
    let (left, right) = (solver.resolve_size(left), solver.resolve_size(right));
    let (a, b) = (ShowSize(&left).to_string(), ShowSize(&right).to_string());
    let mut res = Diagnostic::error(Code("E0401"), "sizes do not agree").label(
        span,
        format!("wanted size `{a}`, found `{b}` (wanted `{wanted}`{place}, found `{found}`)"),
    );
    if let Some((at, text)) = other {
        res = res.label(at, text);
    }
    let mut opaque = false;
    for atom in left.vars().into_iter().chain(right.vars()) {
        if let SizeAtom::Rigid(rigid) = atom
            && let Some((at, text)) = solver.origins.get(&rigid.id)
        {
            opaque |= solver.opaque.contains(&rigid.id);
            if !res.labels.iter().any(|it| it.span == *at) {
                res = res.label(*at, text.clone());
            }
        }
    }
    if a == b {
        res = res.help("the two sizes have the same name but are not the same variable");
    }
    if opaque {
        res = res.help("check the size when it runs: `sized(n, xs)`");
    }
    res
}
