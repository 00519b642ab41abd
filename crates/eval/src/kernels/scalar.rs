//! The meaning of every primitive on scalars, by the type of its operands.

use ir::Prim;

use crate::error::Fault;
use real::special;

/// Which operands a primitive takes and what it gives, when they are reals.
#[derive(Clone, Copy)]
pub enum RealPrim {
    /// Real to Real.
    Unary(fn(f64) -> f64),
    /// Two Reals to Real.
    Binary(fn(f64, f64) -> f64),
    /// Real to Int.
    ToInt(fn(f64) -> i64),
    /// Real to Bool.
    Test(fn(f64) -> bool),
    /// Two Reals to Bool.
    Compare(fn(&f64, &f64) -> bool),
}

/// The meaning of a primitive on reals; `None` if it has none there.
pub fn on_reals(prim: Prim) -> Option<RealPrim> {
    use RealPrim::{Binary, Compare, Test, ToInt, Unary};
    Some(match prim {
        Prim::Add => Binary(|x, y| x + y),
        Prim::Sub => Binary(|x, y| x - y),
        Prim::Mul => Binary(|x, y| x * y),
        Prim::Div => Binary(|x, y| x / y),
        Prim::Rem => Binary(|x, y| x - y * (x / y).floor()),
        Prim::Pow => Binary(f64::powf),
        Prim::Neg => Unary(|x| -x),
        Prim::Abs => Unary(f64::abs),
        Prim::Sign => Unary(sign),
        Prim::Min => Binary(min),
        Prim::Max => Binary(max),
        Prim::Exp => Unary(f64::exp),
        Prim::Log => Unary(f64::ln),
        Prim::Log1p => Unary(f64::ln_1p),
        Prim::Expm1 => Unary(f64::exp_m1),
        Prim::Sin => Unary(f64::sin),
        Prim::Cos => Unary(f64::cos),
        Prim::Tan => Unary(f64::tan),
        Prim::Asin => Unary(f64::asin),
        Prim::Acos => Unary(f64::acos),
        Prim::Atan => Unary(f64::atan),
        Prim::Atan2 => Binary(f64::atan2),
        Prim::Sinh => Unary(f64::sinh),
        Prim::Cosh => Unary(f64::cosh),
        Prim::Tanh => Unary(f64::tanh),
        Prim::Asinh => Unary(libm::asinh),
        Prim::Acosh => Unary(libm::acosh),
        Prim::Atanh => Unary(libm::atanh),
        Prim::Sqrt => Unary(f64::sqrt),
        Prim::Floor => Unary(f64::floor),
        Prim::Ceil => Unary(f64::ceil),
        Prim::Round => Unary(f64::round),
        Prim::Erf => Unary(libm::erf),
        Prim::Lgamma => Unary(libm::lgamma),
        Prim::Digamma => Unary(special::digamma),
        Prim::Sigmoid => Unary(special::sigmoid),
        Prim::Softplus => Unary(special::softplus),
        Prim::Scale => Binary(scale),
        Prim::ToInt => ToInt(|x| x as i64),
        Prim::Lt => Compare(f64::lt),
        Prim::Le => Compare(f64::le),
        Prim::Gt => Compare(f64::gt),
        Prim::Ge => Compare(f64::ge),
        Prim::Eq => Compare(f64::eq),
        Prim::Ne => Compare(f64::ne),
        Prim::IsNan => Test(f64::is_nan),
        Prim::Polygamma | Prim::ToReal | Prim::And | Prim::Or | Prim::Not | Prim::Select => {
            return None;
        }
        Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::ShiftLeft | Prim::ShiftRight => {
            return None;
        }
    })
}

/// Which operands a primitive takes and what it gives, when they are integers.
#[derive(Clone, Copy)]
pub enum IntPrim {
    /// Int to Int.
    Unary(fn(i64) -> i64),
    /// Two Ints to Int.
    Binary(fn(i64, i64) -> Result<i64, Fault>),
    /// Int to Real.
    ToReal(fn(i64) -> f64),
    /// Two Ints to Bool.
    Compare(fn(&i64, &i64) -> bool),
}

/// The meaning of a primitive on integers; `None` if it has none there.
pub fn on_ints(prim: Prim) -> Option<IntPrim> {
    use IntPrim::{Binary, Compare, ToReal, Unary};
    Some(match prim {
        Prim::Add => Binary(|x, y| Ok(x.wrapping_add(y))),
        Prim::Sub => Binary(|x, y| Ok(x.wrapping_sub(y))),
        Prim::Mul => Binary(|x, y| Ok(x.wrapping_mul(y))),
        Prim::Div => Binary(floor_div),
        Prim::Rem => Binary(floor_rem),
        Prim::Pow => Binary(power),
        Prim::Neg => Unary(i64::wrapping_neg),
        Prim::Abs => Unary(i64::wrapping_abs),
        Prim::Sign => Unary(i64::signum),
        Prim::Min => Binary(|x, y| Ok(x.min(y))),
        Prim::Max => Binary(|x, y| Ok(x.max(y))),
        Prim::BitAnd => Binary(|x, y| Ok(x & y)),
        Prim::BitOr => Binary(|x, y| Ok(x | y)),
        Prim::BitXor => Binary(|x, y| Ok(x ^ y)),
        // Whatever the amount, its lowest 6 bits count.
        Prim::ShiftLeft => Binary(|x, y| Ok(x.wrapping_shl(y as u32))),
        Prim::ShiftRight => Binary(|x, y| Ok((x as u64).wrapping_shr(y as u32) as i64)),
        Prim::ToReal => ToReal(|x| x as f64),
        Prim::Lt => Compare(i64::lt),
        Prim::Le => Compare(i64::le),
        Prim::Gt => Compare(i64::gt),
        Prim::Ge => Compare(i64::ge),
        Prim::Eq => Compare(i64::eq),
        Prim::Ne => Compare(i64::ne),
        Prim::Exp
        | Prim::Log
        | Prim::Log1p
        | Prim::Expm1
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Atan2
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Sqrt
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Erf
        | Prim::Lgamma
        | Prim::Digamma
        | Prim::Polygamma
        | Prim::Sigmoid
        | Prim::Softplus
        | Prim::Scale
        | Prim::ToInt
        | Prim::IsNan
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::Select => return None,
    })
}

/// The meaning of a primitive of two truth values; `None` if it has none.
pub fn on_bools(prim: Prim) -> Option<fn(bool, bool) -> bool> {
    if prim == Prim::And {
        Some(|x, y| x & y)
    } else if prim == Prim::Or {
        Some(|x, y| x | y)
    } else if prim == Prim::Eq {
        Some(|x, y| x == y)
    } else if prim == Prim::Ne {
        Some(|x, y| x != y)
    } else {
        None
    }
}

/// The product of a partial derivative and a tangent: a derivative along a direction that is
/// zero, or of what does not depend on it, is zero, even where the other factor is not finite.
pub fn scale(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x.is_nan() {
        x
    } else {
        0.0
    }
}

/// The lesser; NaN if either is.
pub fn min(x: f64, y: f64) -> f64 {
    if x <= y || x.is_nan() { x } else { y }
}

/// The greater; NaN if either is.
pub fn max(x: f64, y: f64) -> f64 {
    if x >= y || x.is_nan() { x } else { y }
}

fn floor_div(x: i64, y: i64) -> Result<i64, Fault> {
    if y == 0 {
        return Err(Fault::DivisionByZero);
    }
    let quotient = x.wrapping_div(y);
    let inexact = x.wrapping_rem(y) != 0;
    Ok(if inexact && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}

fn floor_rem(x: i64, y: i64) -> Result<i64, Fault> {
    if y == 0 {
        return Err(Fault::DivisionByZero);
    }
    let rest = x.wrapping_rem(y);
    Ok(if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest })
}

fn power(x: i64, y: i64) -> Result<i64, Fault> {
    if y < 0 {
        return Err(Fault::NegativePower(y));
    }
    let (mut base, mut exponent, mut res) = (x, y, 1i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            res = res.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    Ok(res)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_division_rounds_down() {
        assert_eq!(floor_div(7, 2), Ok(3));
        assert_eq!(floor_div(-7, 2), Ok(-4));
        assert_eq!(floor_div(7, -2), Ok(-4));
        assert_eq!(floor_div(-7, -2), Ok(3));
        assert_eq!(floor_rem(-7, 2), Ok(1));
        assert_eq!(floor_rem(7, -2), Ok(-1));
        assert_eq!(floor_div(i64::MIN, -1), Ok(i64::MIN));
        assert_eq!(floor_rem(i64::MIN, -1), Ok(0));
        assert_eq!(floor_div(1, 0), Err(Fault::DivisionByZero));
        assert_eq!(floor_rem(1, 0), Err(Fault::DivisionByZero));
    }

    #[test]
    fn integer_powers_wrap() {
        assert_eq!(power(3, 4), Ok(81));
        assert_eq!(power(0, 0), Ok(1));
        assert_eq!(power(2, 64), Ok(0));
        assert_eq!(power(-1, i64::MAX), Ok(-1));
        assert_eq!(power(2, -1), Err(Fault::NegativePower(-1)));
    }

    #[test]
    fn nan_goes_through_min_max_and_sign() {
        for f in [min, max] {
            assert!(f(f64::NAN, 1.0).is_nan());
            assert!(f(1.0, f64::NAN).is_nan());
        }
        assert!(sign(f64::NAN).is_nan());
        assert_eq!(sign(-0.0), 0.0);
        assert_eq!(scale(f64::INFINITY, 0.0), 0.0);
        assert_eq!(scale(0.0, f64::NAN), 0.0);
    }
}
