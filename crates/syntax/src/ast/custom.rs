//! Custom derivatives: clauses of a definition.

use base::Span;

use super::{Expr, Ident, Param};

/// `with vjp(x, dy) = e` or `with jvp(x, dx) = e` after a definition.
#[derive(Clone, Debug)]
pub struct Custom {
    /// Which derivative it gives.
    pub kind: CustomKind,
    /// The word `vjp` or `jvp`.
    pub name: Ident,
    /// The parameters of the definition, then the cotangent of the result or the directions.
    pub params: Vec<Param>,
    /// The body.
    pub body: Expr,
    /// From `with` to the end.
    pub span: Span,
}

/// The derivatives that a definition may come with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomKind {
    /// The cotangents of the parameters from that of the result.
    Vjp,
    /// The tangent of the result from those of the parameters.
    Jvp,
}

impl CustomKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            CustomKind::Vjp => "vjp",
            CustomKind::Jvp => "jvp",
        }
    }
}
