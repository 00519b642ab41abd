//! Primitives of literals, computed: only where the result is the same in both precisions.

use ir::{Atom, Literal, Prim};

/// Whether a real is the same in both precisions.
fn is_exact(x: f64) -> bool {
    f64::from(x as f32).to_bits() == x.to_bits()
}

/// What a primitive gives of literals.
pub(super) fn constant(prim: Prim, args: &[Atom]) -> Option<Atom> {
    match args {
        [Atom::Real(Literal(x))] => real_1(prim, *x),
        [Atom::Int(x)] => int_1(prim, *x),
        [Atom::Bool(x)] => (prim == Prim::Not).then_some(Atom::Bool(!*x)),
        [Atom::Real(Literal(x)), Atom::Real(Literal(y))] => real_2(prim, *x, *y),
        [Atom::Int(x), Atom::Int(y)] => int_2(prim, *x, *y),
        _other => None,
    }
}

fn real(exact: &[f64], x: f64) -> Option<Atom> {
    let same = is_exact(x) && exact.iter().all(|it| is_exact(*it));
    same.then_some(Atom::Real(Literal(x)))
}

fn real_1(prim: Prim, x: f64) -> Option<Atom> {
    if prim == Prim::Neg {
        // Rounding goes both ways alike.
        Some(Atom::Real(Literal(-x)))
    } else if prim == Prim::Abs {
        Some(Atom::Real(Literal(x.abs())))
    } else if prim == Prim::IsNan {
        Some(Atom::Bool(x.is_nan()))
    } else if prim == Prim::ToInt && is_exact(x) {
        Some(Atom::Int(x as i64))
    } else {
        None
    }
}

fn real_2(prim: Prim, x: f64, y: f64) -> Option<Atom> {
    let exact = is_exact(x) && is_exact(y);
    let compare = |holds: bool| exact.then_some(Atom::Bool(holds));
    if prim == Prim::Add {
        real(&[x, y], x + y)
    } else if prim == Prim::Sub {
        real(&[x, y], x - y)
    } else if prim == Prim::Mul {
        real(&[x, y], x * y)
    } else if prim == Prim::Div {
        real(&[x, y], x / y)
    } else if prim == Prim::Lt {
        compare(x < y)
    } else if prim == Prim::Le {
        compare(x <= y)
    } else if prim == Prim::Gt {
        compare(x > y)
    } else if prim == Prim::Ge {
        compare(x >= y)
    } else if prim == Prim::Eq {
        compare(x == y)
    } else if prim == Prim::Ne {
        compare(x != y)
    } else {
        None
    }
}

fn int_1(prim: Prim, x: i64) -> Option<Atom> {
    if prim == Prim::Neg {
        Some(Atom::Int(x.wrapping_neg()))
    } else if prim == Prim::Abs {
        Some(Atom::Int(x.wrapping_abs()))
    } else if prim == Prim::Sign {
        Some(Atom::Int(x.signum()))
    } else if prim == Prim::ToReal {
        real(&[], x as f64)
    } else {
        None
    }
}

fn int_2(prim: Prim, x: i64, y: i64) -> Option<Atom> {
    let found = [
        (Prim::Add, Atom::Int(x.wrapping_add(y))),
        (Prim::Sub, Atom::Int(x.wrapping_sub(y))),
        (Prim::Mul, Atom::Int(x.wrapping_mul(y))),
        (Prim::Min, Atom::Int(x.min(y))),
        (Prim::Max, Atom::Int(x.max(y))),
        (Prim::BitAnd, Atom::Int(x & y)),
        (Prim::BitOr, Atom::Int(x | y)),
        (Prim::BitXor, Atom::Int(x ^ y)),
        (Prim::ShiftLeft, Atom::Int(x.wrapping_shl(y as u32))),
        (Prim::ShiftRight, Atom::Int((x as u64).wrapping_shr(y as u32) as i64)),
        (Prim::Lt, Atom::Bool(x < y)),
        (Prim::Le, Atom::Bool(x <= y)),
        (Prim::Gt, Atom::Bool(x > y)),
        (Prim::Ge, Atom::Bool(x >= y)),
        (Prim::Eq, Atom::Bool(x == y)),
        (Prim::Ne, Atom::Bool(x != y)),
    ];
    found.into_iter().find(|it| it.0 == prim).map(|it| it.1)
}
