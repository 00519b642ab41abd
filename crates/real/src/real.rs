//! What generic code is written over.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::functions::{binary_functions, unary_functions};
use crate::special::polygamma;

macro_rules! declare_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        #[doc = $about]
        fn $name(self) -> Self;
    )+};
}

macro_rules! declare_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        #[doc = $about]
        fn $name(self, y: Self) -> Self;
    )+};
}

/// A real number, perhaps with derivatives. Comparisons look at values only.
pub trait Real:
    Copy
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// A constant.
    fn of(value: f64) -> Self;

    /// The number without derivatives.
    fn value(self) -> f64;

    /// The product, but 0 if either is 0, whatever the other is: a partial derivative times a tangent.
    fn scale(self, y: Self) -> Self {
        if self.is_zero() || y.is_zero() { Self::zero() } else { self * y }
    }

    /// Whether it is 0, and its derivatives are.
    fn is_zero(self) -> bool;

    /// Whether it is finite and not 0, and its derivatives are finite: then [`Real::scale`] by it is a
    /// product.
    fn is_plain(self) -> bool;

    /// The constant 0.
    fn zero() -> Self {
        Self::of(0.0)
    }

    /// The constant 1.
    fn one() -> Self {
        Self::of(1.0)
    }

    /// The derivative of this order of `digamma`.
    fn polygamma(self, order: i64) -> Self;

    unary_functions!(declare_unary);
    binary_functions!(declare_binary);
}

macro_rules! wide_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        fn $name(self) -> f64 {
            $value(self)
        }
    )+};
}

macro_rules! wide_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        fn $name(self, y: f64) -> f64 {
            $value(self, y)
        }
    )+};
}

impl Real for f64 {
    #[inline]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline]
    fn value(self) -> f64 {
        self
    }

    #[inline]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    #[inline]
    fn is_plain(self) -> bool {
        // One comparison, without the sign: 0 wraps to the greatest, and infinities and NaN are above all
        // finite numbers.
        (self.to_bits() << 1).wrapping_sub(1) < (f64::INFINITY.to_bits() << 1) - 1
    }

    fn polygamma(self, order: i64) -> f64 {
        polygamma(order, self)
    }

    unary_functions!(wide_unary);
    binary_functions!(wide_binary);
}

macro_rules! narrow_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        fn $name(self) -> f32 {
            $value(f64::from(self)) as f32
        }
    )+};
}

macro_rules! narrow_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        fn $name(self, y: f32) -> f32 {
            $value(f64::from(self), f64::from(y)) as f32
        }
    )+};
}

/// Functions are computed in double precision and rounded.
impl Real for f32 {
    #[inline]
    fn of(value: f64) -> f32 {
        value as f32
    }

    #[inline]
    fn value(self) -> f64 {
        f64::from(self)
    }

    #[inline]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    #[inline]
    fn is_plain(self) -> bool {
        self.is_finite() && self != 0.0
    }

    fn polygamma(self, order: i64) -> f32 {
        polygamma(order, f64::from(self)) as f32
    }

    unary_functions!(narrow_unary);
    binary_functions!(narrow_binary);
}

pub(crate) fn sign(x: f64) -> f64 {
    match x == 0.0 || x.is_nan() {
        true => x.abs(),
        false => x.signum(),
    }
}

/// The smaller; NaN if either is.
pub(crate) fn min(x: f64, y: f64) -> f64 {
    if x <= y || x.is_nan() { x } else { y }
}

/// The greater; NaN if either is.
pub(crate) fn max(x: f64, y: f64) -> f64 {
    if x >= y || x.is_nan() { x } else { y }
}

pub(crate) fn rem(x: f64, y: f64) -> f64 {
    x - y * (x / y).floor()
}
