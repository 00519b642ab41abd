//! Primitives: which are linear in sums.

use base::Span;
use ir::{Prim, Type};

use super::Why;
use super::class::{Class, plain};

/// What a primitive gives, element by element.
pub(super) fn prim<'p>(
    prim: Prim,
    operands: &[Class<'p>],
    ty: &Type,
    at: Option<Span>,
) -> Class<'p> {
    let is_integer = *ty.split_arrays().1 == Type::Int;
    let linear = match (prim, operands) {
        (Prim::Add, [a, b]) => plus(a, b).or_else(|| plus(b, a)),
        (Prim::Sub, [a, b]) => plus(a, b).or_else(|| negated(a, b)),
        (Prim::Neg | Prim::ToReal, [it @ (Class::Sum | Class::Zero)]) => Some(it.clone()),
        (Prim::Mul | Prim::Scale, [a, b]) => times(a, b).or_else(|| times(b, a)),
        (Prim::Div, [a, b]) if !is_integer => times(a, b),
        (Prim::Select, [cond, a, b]) => selected(cond, a, b, at),
        _ => None,
    };
    linear.unwrap_or_else(|| element_by_element(prim, operands, at))
}

fn plus<'p>(a: &Class<'p>, b: &Class<'p>) -> Option<Class<'p>> {
    match (a, b) {
        (Class::Sum, Class::Sum | Class::Zero) => Some(Class::Sum),
        (it, Class::Zero) if it.blame().is_none() => Some(it.clone()),
        (Class::State(state), it) if it.is_row() => Some(Class::State(*state)),
        _ => None,
    }
}

/// The other order of a difference.
fn negated<'p>(a: &Class<'p>, b: &Class<'p>) -> Option<Class<'p>> {
    match (a, b) {
        (Class::Zero, Class::Sum | Class::Rows(_) | Class::Row | Class::Whole) => Some(b.clone()),
        _ => None,
    }
}

fn times<'p>(a: &Class<'p>, b: &Class<'p>) -> Option<Class<'p>> {
    match (a, b) {
        (Class::Sum | Class::Zero, it) if it.is_whole() => Some(a.clone()),
        _ => None,
    }
}

fn selected<'p>(
    cond: &Class<'p>,
    a: &Class<'p>,
    b: &Class<'p>,
    at: Option<Span>,
) -> Option<Class<'p>> {
    match (a, b) {
        (Class::Sum | Class::Zero, Class::Sum | Class::Zero) if cond.is_whole() => {
            Some(a.join(b, at))
        }
        (Class::State(a), Class::State(b)) if a == b && cond.is_row() => Some(Class::State(*a)),
        _ => None,
    }
}

/// Rows with rows of the same axis, and with what is the same for all parts.
fn element_by_element<'p>(prim: Prim, operands: &[Class<'p>], at: Option<Span>) -> Class<'p> {
    let axis = operands.iter().find_map(|it| match it {
        Class::Rows(axis) => Some(*axis),
        _ => None,
    });
    let fits = |it: &Class<'p>| it.is_whole() || Some(it) == axis.map(Class::Rows).as_ref();
    match axis {
        Some(axis) if operands.iter().all(fits) => Class::Rows(axis),
        _ => {
            let mixes_sum = matches!(prim, Prim::Add | Prim::Sub)
                && operands.contains(&Class::Sum)
                && operands.iter().any(Class::is_whole);
            plain(operands, if mixes_sum { Why::Constant } else { Why::Prim(prim) }, at)
        }
    }
}
