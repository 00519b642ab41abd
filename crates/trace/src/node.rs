//! What a traced value is inside: a variable of a trace, or a number.

use std::marker::PhantomData;

/// A variable or a number. It belongs to the thread that traced it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub(crate) what: What,
    /// The variables of a trace mean nothing on another thread.
    here: PhantomData<*const ()>,
}

/// The forms of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// A variable, by the number of its trace and its own.
    Var {
        trace: u64,
        var: u32,
    },
    Real(f64),
    Int(i64),
    Bool(bool),
    /// What an operation gave that belongs to no trace.
    Nothing,
}

impl Node {
    pub(crate) fn new(what: What) -> Node {
        Node { what, here: PhantomData }
    }
}

/// The scalars that arrays are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `Real`
    Real,
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// A type of the program that Rust does not look into.
    Opaque,
}

/// The type of a node: a scalar, or an array of so many dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it is made of.
    pub base: Base,
    /// How many dimensions it has.
    pub rank: usize,
}

impl Kind {
    /// As a type of Cotan whose sizes are left to inference.
    pub(crate) fn ty(self) -> String {
        let base = match self.base {
            Base::Real => "Real",
            Base::Int => "Int",
            Base::Bool => "Bool",
            Base::Opaque => "_",
        };
        "[_]".repeat(self.rank) + base
    }
}

/// A real as Cotan writes it, whatever is around it.
pub(crate) fn real(value: f64, to: &mut String) {
    let text = match (value.is_nan(), value.is_infinite(), value.is_sign_negative()) {
        (true, ..) => "(0.0 / 0.0)".to_owned(),
        (_, true, false) => "(1.0 / 0.0)".to_owned(),
        (_, true, true) => "(-1.0 / 0.0)".to_owned(),
        (_, _, true) => format!("({value:?})"),
        (_, _, false) => format!("{value:?}"),
    };
    to.push_str(&text);
}

/// An integer as Cotan writes it, whatever is around it.
pub(crate) fn int(value: i64, to: &mut String) {
    let text = match value {
        // Its opposite is no literal.
        i64::MIN => format!("({} - 1)", i64::MIN + 1),
        value if value < 0 => format!("({value})"),
        value => value.to_string(),
    };
    to.push_str(&text);
}

/// A truth value as Cotan writes it.
pub(crate) fn bool(value: bool, to: &mut String) {
    to.push_str(if value { "true" } else { "false" });
}
