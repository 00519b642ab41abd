//! What to write instead, for the errors whose help says exactly that. An error without a repair
//! here needs a decision: a name, a value, one of two ways.

use base::{Edit, Name, Repair, Span};

use super::{
    AnnotationError, DerivativeError, Error, Instead, MismatchError, NameError, OperandError,
    PartError, Why,
};
use crate::types::Type;

impl Error {
    /// The change of the text that removes the error.
    pub fn repair(&self) -> Option<Repair> {
        match self {
            Error::Name(it) => name(it),
            Error::Annotation(AnnotationError::UnknownType { name, nearest }) => {
                misspelt(name.span, nearest.as_ref())
            }
            Error::Part(PartError::UnknownField { field, nearest, .. }) => {
                misspelt(field.span, nearest.as_ref())
            }
            Error::Mismatch(it) => mismatch(it),
            Error::Operand(it) => operand(it),
            Error::Derivative(DerivativeError::Arguments { operator, args, .. }) => {
                curry(operator, args)
            }
            Error::Module(_)
            | Error::Annotation(_)
            | Error::Function(_)
            | Error::Part(_)
            | Error::Pattern(_)
            | Error::Size(_)
            | Error::Structure(_)
            | Error::Derivative(_)
            | Error::Custom(_) => None,
        }
    }
}

fn misspelt(span: Span, nearest: Option<&Name>) -> Option<Repair> {
    nearest.map(|it| Repair::replace(span, it.as_str()))
}

fn name(error: &NameError) -> Option<Repair> {
    match error {
        NameError::Unknown { span, instead: Some(Instead::Name(it)), .. } => {
            misspelt(*span, Some(it))
        }
        NameError::UnknownConstructor { span, nearest, .. } => misspelt(*span, nearest.as_ref()),
        // A variable is renamed at its uses too, and which of two is in the way is not known.
        NameError::Unknown { .. }
        | NameError::IndexInBound { .. }
        | NameError::CapitalVariable { .. }
        | NameError::Duplicate { .. }
        | NameError::BoundTwice { .. } => None,
    }
}

/// An Int, or an array of them, where Reals are wanted. The other way round would round.
fn mismatch(error: &MismatchError) -> Option<Repair> {
    let MismatchError::Types { span, wanted, found, inner: (Type::Real, Type::Int), why } = error
    else {
        return None;
    };
    let is_value = match why {
        Why::Argument(..) | Why::Branch(_) | Why::Element(_) | Why::Field(_) | Why::With(_) => true,
        // Behind the annotation stands a value, in front of it a parameter.
        Why::Annotation(at) => at.end <= span.start,
        Why::Condition
        | Why::Index
        | Why::Recursive(_)
        | Why::Pattern(_)
        | Why::Operand(_)
        | Why::Test
        | Why::Custom(_)
        | Why::Base => false,
    };
    let converts = *element(wanted) == Type::Real && *element(found) == Type::Int;
    (is_value && converts).then(|| Repair::apply_function(*span, "real"))
}

/// What an array holds, inside of all dimensions.
fn element(mut ty: &Type) -> &Type {
    while let Type::Array(_, elem) = ty {
        ty = elem;
    }
    ty
}

fn operand(error: &OperandError) -> Option<Repair> {
    match error {
        OperandError::Mixed { int, literal: Some(value), .. } => {
            Some(Repair::replace(*int, format!("{value}.0")))
        }
        OperandError::Mixed { int, literal: None, .. } => {
            Some(Repair::apply_function(*int, "real"))
        }
        OperandError::Guessed { guess, real: Type::Real, .. } => {
            Some(Repair::replace(guess.span, format!("{}.0", guess.value)))
        }
        OperandError::Guessed { .. }
        | OperandError::Type { .. }
        | OperandError::Dimensions { .. }
        | OperandError::Mask { .. } => None,
    }
}

/// `grad(f, x)` as `grad(f)(x)`, if there are as many arguments as the operator takes in all.
fn curry(operator: &str, args: &[Span]) -> Option<Repair> {
    let seams = match (operator, args.len()) {
        ("jvp" | "hvp", 3) => 1,
        ("vjp", 2) => 1,
        ("vjp", 3) => 2,
        ("grad" | "value_and_grad" | "jacobian" | "hessian" | "linearise", 2..) => 1,
        _ => return None,
    };
    let pairs = args.iter().zip(args.iter().skip(1)).take(seams);
    let edits = pairs.map(|(left, right)| Edit {
        span: Span { start: left.end, end: right.start, ..*left },
        replacement: ")(".to_string(),
    });
    let what = "give the function alone, then its arguments".to_string();
    Some(Repair { what, edits: edits.collect() })
}
