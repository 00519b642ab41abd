//! Why a program does not become one of first order, and where.

use std::fmt;

use base::{Name, Span};
use ir::{Operator, Type};

/// A program that cannot be specialised. A value, to become a diagnostic or a choice of method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The statement at fault, if its place in the source is known.
    pub span: Option<Span>,
    /// What is in the way.
    pub reason: Reason,
}

/// What is in the way of specialisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no such definition.
    NoDefinition(Name),
    /// The types of the parameters of the entry point have type parameters in them.
    PolymorphicEntry(Name),
    /// The entry point takes or gives this type, which has functions in it.
    FunctionAtEntry(Type),
    /// A derivative operator on dual values, or one that was of a definition before.
    Derivative(Operator),
    /// A matrix of derivatives of, or by, a value of a sum type.
    JacobianOfSum(Operator),
    /// A function is put into, or taken out of, a sum type or an array.
    StoredFunction,
    /// The branches give different functions.
    ChosenFunction,
    /// A step of a loop gives another function than the loop began with.
    FunctionInLoop,
    /// A recursive definition gives a function that it needs itself.
    RecursiveFunction(Name),
    /// There is no end of instances: each needs another one.
    TooManyInstances,
    /// The types or the functions nest too deep.
    TooDeep,
    /// The result would be too large.
    TooLarge,
    /// Sizes that were equal are not visibly so any more; the complaint of the typing rules.
    LostSize(String),
    /// A definition with derivatives of its own, at types that have functions in them.
    CustomOfFunctions(Name),
    /// The program is one that reverse mode made.
    Delta,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoDefinition(name) => write!(f, "there is no definition {name}"),
            Reason::PolymorphicEntry(name) => write!(f, "{name} has type parameters"),
            Reason::FunctionAtEntry(ty) => write!(f, "a function is passed in or out: {ty}"),
            Reason::Derivative(operator) => write!(f, "derivative operator {operator}"),
            Reason::JacobianOfSum(operator) => write!(f, "{operator} of a sum type or of nothing"),
            Reason::StoredFunction => f.write_str("a function is stored in a sum type or an array"),
            Reason::ChosenFunction => f.write_str("the branches give different functions"),
            Reason::FunctionInLoop => f.write_str("the steps of a loop give different functions"),
            Reason::RecursiveFunction(name) => {
                write!(f, "{name} is recursive and gives a function")
            }
            Reason::TooManyInstances => f.write_str("there is no end of instances"),
            Reason::TooDeep => f.write_str("types or functions nest too deep"),
            Reason::TooLarge => f.write_str("the result is too large"),
            Reason::LostSize(message) => write!(f, "sizes are lost: {message}"),
            Reason::CustomOfFunctions(name) => {
                write!(f, "{name} has a derivative of its own and is called with functions")
            }
            Reason::Delta => f.write_str("Deltas are not specialised"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for Refusal {}
