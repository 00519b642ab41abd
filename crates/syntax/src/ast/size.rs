//! Sizes as they are written in types.

use base::{Name, Span};

/// A size as written: names, literals, `+`, `-`, `*`, parentheses.
#[derive(Clone, Debug)]
pub struct SizeExpr {
    /// What it is.
    pub kind: SizeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of sizes.
#[derive(Clone, Debug)]
pub enum SizeKind {
    /// `3`
    Literal(i64),
    /// `n`
    Name(Name),
    /// `a + b`, `a - b`, `a * b`
    Binary(SizeOp, Box<SizeExpr>, Box<SizeExpr>),
    /// Parenthesised.
    Paren(Box<SizeExpr>),
    /// Not understood; reported already.
    Error,
}

/// Arithmetic on sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}
