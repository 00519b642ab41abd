//! Primitives of literals, computed while printing: loops that are unrolled make many of them,
//! and the less C there is, the sooner it is compiled. Ints and Bools only; reals are left to C.

use ir::Prim;
use loops::Atom;

/// The literal that a primitive gives, if its operands say so.
pub(crate) fn fold(prim: Prim, operands: &[Atom]) -> Option<Atom> {
    match (prim, operands) {
        (_, [Atom::Int(x), Atom::Int(y)]) => ints(prim, *x, *y),
        (Prim::And, [Atom::Bool(true), Atom::Bool(true)]) => Some(Atom::Bool(true)),
        (Prim::And, [Atom::Bool(false), _] | [_, Atom::Bool(false)]) => Some(Atom::Bool(false)),
        (Prim::Or, [Atom::Bool(false), Atom::Bool(false)]) => Some(Atom::Bool(false)),
        (Prim::Or, [Atom::Bool(true), _] | [_, Atom::Bool(true)]) => Some(Atom::Bool(true)),
        (Prim::Not, [Atom::Bool(x)]) => Some(Atom::Bool(!x)),
        (_, _) => None,
    }
}

fn ints(prim: Prim, x: i64, y: i64) -> Option<Atom> {
    let numbers = [
        (Prim::Add, x.wrapping_add(y)),
        (Prim::Sub, x.wrapping_sub(y)),
        (Prim::Mul, x.wrapping_mul(y)),
        (Prim::Min, x.min(y)),
        (Prim::Max, x.max(y)),
    ];
    let truths = [
        (Prim::Lt, x < y),
        (Prim::Le, x <= y),
        (Prim::Gt, x > y),
        (Prim::Ge, x >= y),
        (Prim::Eq, x == y),
        (Prim::Ne, x != y),
    ];
    let number = numbers.iter().find(|it| it.0 == prim).map(|it| Atom::Int(it.1));
    number.or_else(|| truths.iter().find(|it| it.0 == prim).map(|it| Atom::Bool(it.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_folded_as_the_language_says() {
        let int = |prim, x, y| fold(prim, &[Atom::Int(x), Atom::Int(y)]);
        assert_eq!(int(Prim::Add, i64::MAX, 1), Some(Atom::Int(i64::MIN)));
        assert_eq!(int(Prim::Le, 3, 3), Some(Atom::Bool(true)));
        assert_eq!(int(Prim::Div, 3, 0), None);
        let other = Atom::Var(loops::Var(1));
        assert_eq!(fold(Prim::And, &[Atom::Bool(false), other]), Some(Atom::Bool(false)));
        assert_eq!(fold(Prim::And, &[Atom::Bool(true), other]), None);
    }
}
