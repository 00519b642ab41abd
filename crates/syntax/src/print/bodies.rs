//! Which expressions may start on the line of what they belong to and break inside.

use crate::ast::{Expr, ExprKind};

/// Whether an expression that fits on no line looks better if it starts right after `=` or `=>`.
pub(super) fn hugs(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Tuple(parts) | ExprKind::Array(parts) => !parts.is_empty(),
        ExprKind::Call { args, .. } => !args.is_empty(),
        ExprKind::Block { .. }
        | ExprKind::Match { .. }
        | ExprKind::Record { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::Build { .. } => true,
        ExprKind::If { then, .. } => is_block(then),
        ExprKind::Paren(inner) => ends_in_block(inner),
        ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Field { .. }
        | ExprKind::Proj { .. }
        | ExprKind::Index { .. }
        | ExprKind::With { .. }
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Error => false,
    }
}

/// `{ ... }`
pub(super) fn is_block(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Block { .. })
}

/// Whether the expression is braces, or a function or `build` with braces after its arrow.
pub(super) fn ends_in_block(expr: &Expr) -> bool {
    let mut expr = expr;
    while let ExprKind::Lambda { body, .. } | ExprKind::Build { body, .. } = &expr.kind {
        expr = body;
    }
    matches!(expr.kind, ExprKind::Block { .. } | ExprKind::Match { .. })
}

/// A name or literal, perhaps with a sign or fields.
pub(super) fn is_atom(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_) => true,
        ExprKind::Field { value, .. } | ExprKind::Proj { value, .. } => {
            matches!(value.kind, ExprKind::Name(_))
        }
        ExprKind::Unary { value, .. } => {
            matches!(value.kind, ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Name(_))
        }
        ExprKind::Tuple(_)
        | ExprKind::Paren(_)
        | ExprKind::Record { .. }
        | ExprKind::Array(_)
        | ExprKind::Lambda { .. }
        | ExprKind::Call { .. }
        | ExprKind::Index { .. }
        | ExprKind::With { .. }
        | ExprKind::Binary { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Block { .. }
        | ExprKind::Build { .. }
        | ExprKind::Error => false,
    }
}

/// The argument that breaks inside while the call around it stays on its lines: the only one
/// that is not an atom, if it ends in braces, or the only one at all, if it has brackets.
pub(super) fn hugged_argument(args: &[Expr]) -> Option<usize> {
    if let [only] = args
        && matches!(only.kind, ExprKind::Array(_) | ExprKind::Record { .. } | ExprKind::Tuple(_))
    {
        return Some(0);
    }
    let mut others = args.iter().enumerate().filter(|it| !is_atom(it.1));
    match (others.next(), others.next()) {
        (Some((index, arg)), None) if ends_in_block(arg) => Some(index),
        _ => None,
    }
}
