//! Programs of the core language: definitions, blocks, statements, operations. Data only.
//!
//! A-normal form with nested blocks: every operand is an atom, every binder is unique in its
//! definition and has its type beside it, a statement may bind several results. The type of a
//! later binder may mention an earlier one of the same statement as a size
//! (`x4: Int, x5: [x4]Real = filter ...`): sizes are `Int` variables.

#![allow(missing_docs, reason = "fields of variants are explained at the variant")]

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use base::{Name, Span};
use serde::{Deserialize, Serialize};

use crate::op::Op;
use crate::types::{DataDecl, Type};

/// A variable, unique in its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Var(pub u32);

/// A variable and its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binder {
    /// The variable.
    pub var: Var,
    /// Its type.
    pub ty: Type,
}

/// A literal real; equal if the bits are, so that programs with NaN compare.
#[derive(Clone, Copy, Debug)]
pub struct Literal(pub f64);

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A real number.
    Real(Literal),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(Arc<str>),
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Sum types by name.
    pub datas: BTreeMap<Name, DataDecl>,
    /// Definitions by name.
    pub defs: BTreeMap<Name, Arc<Def>>,
    /// By the name of a definition, its custom derivatives.
    pub customs: BTreeMap<Name, Custom>,
}

/// The definitions that say what the derivative of another is, instead of its body. With parameters
/// `p1..pk` and result `r` of that one, its sizes and types being theirs too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Custom {
    /// `p1..pk, dr: r` gives the cotangents `p1..pk`, as a tuple if there are several.
    pub vjp: Option<Name>,
    /// `p1..pk, dp1..dpk` gives the tangent `r`.
    pub jvp: Option<Name>,
}

/// A definition. `f'10` is the forward derivative of `f` with its first parameter active and
/// its second one constant; primes never occur in the user's names.
#[derive(Clone, Debug, PartialEq)]
pub struct Def {
    /// Its name.
    pub name: Name,
    /// Type parameters.
    pub type_params: Vec<Name>,
    /// Size parameters: `Int` variables that the types of the parameters may mention.
    pub size_params: Vec<Var>,
    /// Value parameters; a later type may mention an earlier `Int` parameter as a size.
    pub params: Vec<Binder>,
    /// Results; sizes that only running it can tell come first and are named here, so that
    /// the types of later results can mention them. The variables are used for nothing else.
    pub results: Vec<Binder>,
    /// The body; as many results.
    pub body: Block,
    /// The first variable number not used.
    pub next_var: u32,
    /// Where statements come from.
    pub spans: Spans,
    /// Where the definition comes from.
    pub origin: Origin,
}

/// Where a definition comes from. Passes ask this, never the name: names are for printing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user wrote it, or it was made of that without rounding anything else: an instance, a function
    /// that was lifted out, the same over whole arrays.
    #[default]
    Source,
    /// The user wrote it as the derivative of another definition.
    Clause,
    /// A derivative, or a part of one.
    Derivative,
    /// It belongs to a sum type, such as the sum of two tangents; derivatives that are made later call it.
    Data,
    /// The fields of a tangent, if it is of this constructor, and zeros else.
    Fields(Name),
    /// The same value of a sum type, whose type mentions other sizes.
    Cast,
}

/// From a variable to the source of the statement that binds it. Not part of a program's
/// identity: any two are equal.
#[derive(Clone, Debug, Default)]
pub struct Spans(pub BTreeMap<Var, Span>);

impl PartialEq for Spans {
    fn eq(&self, _: &Spans) -> bool {
        true
    }
}

/// Statements and what they give.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// In order of evaluation.
    pub stmts: Vec<Stmt>,
    /// The results.
    pub results: Vec<Atom>,
}

/// `x1: T1, x2: T2 = op`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stmt {
    /// What it binds.
    pub binders: Vec<Binder>,
    /// What it does.
    pub op: Op,
}

/// A function written in place. Its body has exactly one result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lambda {
    /// Parameters.
    pub params: Vec<Binder>,
    /// The body; may mention variables of the surrounding definition.
    pub body: Block,
}

/// The body of a loop over arrays: `state` gets the initial values and then the first results of
/// the body, `elems` the elements of the arrays, in turn. Results after those are collected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The state.
    pub state: Vec<Binder>,
    /// One element of each array.
    pub elems: Vec<Binder>,
    /// As many results as the state; in a `Fold` there may be more.
    pub body: Block,
}

/// An arm of a match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arm {
    /// The constructor.
    pub con: Name,
    /// Its fields.
    pub fields: Vec<Binder>,
    /// What follows.
    pub body: Block,
}
