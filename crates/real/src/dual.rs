//! Dual numbers: a value and `N` tangents at once. Paper: Krawiec et al., Figure 3, `N` directions in one
//! run.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::functions::{binary_functions, partials, unary_functions};
use crate::real::Real;

/// A number with `N` tangents. The number may be dual itself, for higher derivatives.
///
/// Tangents come first and begin where pairs do: part of what was just written by one store and part of what
/// was written by another cannot be read at once before both have reached memory, which takes longer than a
/// product. For the same reason no two numbers touch, and an even `N` is best.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Dual<S, const N: usize> {
    /// Its tangents.
    pub tangents: [S; N],
    /// The number.
    pub value: S,
}

impl<S: Real, const N: usize> Dual<S, N> {
    /// A number with these tangents.
    #[inline]
    pub fn new(value: S, tangents: [S; N]) -> Dual<S, N> {
        Dual { value, tangents }
    }

    /// A number whose tangent in one direction is 1.
    #[inline]
    pub fn input(value: S, direction: usize) -> Dual<S, N> {
        let tangent = |at| if at == direction { S::one() } else { S::zero() };
        Dual { value, tangents: std::array::from_fn(tangent) }
    }

    #[inline(always)]
    fn map(self, value: S, tangent: impl Fn(S) -> S) -> Dual<S, N> {
        let mut tangents = self.tangents;
        for dx in &mut tangents {
            *dx = tangent(*dx);
        }
        Dual { value, tangents }
    }

    #[inline(always)]
    fn zip(self, y: Dual<S, N>, value: S, tangent: impl Fn(S, S) -> S) -> Dual<S, N> {
        let mut tangents = self.tangents;
        for (dx, dy) in tangents.iter_mut().zip(y.tangents) {
            *dx = tangent(*dx, dy);
        }
        Dual { value, tangents }
    }

    /// By the chain rule.
    #[inline(always)]
    fn unary(self, value: S, by: S) -> Dual<S, N> {
        match by.is_plain() {
            true => self.map(value, |dx| by * dx),
            false => self.map(value, |dx| by.scale(dx)),
        }
    }

    /// By the chain rule.
    #[inline(always)]
    fn binary(self, y: Dual<S, N>, value: S, by: (S, S)) -> Dual<S, N> {
        self.binary_if(by.0.is_plain() & by.1.is_plain(), y, value, by)
    }

    #[inline(always)]
    fn binary_if(
        self,
        is_plain: bool,
        y: Dual<S, N>,
        value: S,
        (by_x, by_y): (S, S),
    ) -> Dual<S, N> {
        match is_plain {
            true => self.zip(y, value, |dx, dy| by_x * dx + by_y * dy),
            false => self.zip(y, value, |dx, dy| by_x.scale(dx) + by_y.scale(dy)),
        }
    }
}

impl<S: Real, const N: usize> Add for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, y: Self) -> Self {
        self.zip(y, self.value + y.value, |dx, dy| dx + dy)
    }
}

impl<S: Real, const N: usize> Sub for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        self.zip(y, self.value - y.value, |dx, dy| dx - dy)
    }
}

impl<S: Real, const N: usize> Mul for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, y: Self) -> Self {
        // A product that is finite and not 0 has such factors: one question for two.
        let value = self.value * y.value;
        self.binary_if(value.is_plain(), y, value, (y.value, self.value))
    }
}

impl<S: Real, const N: usize> Div for Dual<S, N> {
    type Output = Self;
    #[inline]
    fn div(self, y: Self) -> Self {
        let r = self.value / y.value;
        self.binary(y, r, (S::one() / y.value, -(r / y.value)))
    }
}

impl<S: Real, const N: usize> Neg for Dual<S, N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(-self.value, |dx| -dx)
    }
}

/// With numbers: `x * 2.0`. They have no tangents, and nothing is computed with those.
macro_rules! with_numbers {
    ($($operator:ident $name:ident, |$x:ident, $y:ident| $result:expr;)+) => {$(
        impl<S: Real, const N: usize> $operator<f64> for Dual<S, N> {
            type Output = Self;
            #[inline]
            fn $name(self, y: f64) -> Self {
                let ($x, $y) = (self, S::of(y));
                $result
            }
        }
    )+};
}

with_numbers! {
    Add add, |x, y| Dual { value: x.value + y, ..x };
    Sub sub, |x, y| Dual { value: x.value - y, ..x };
    Mul mul, |x, y| x.unary(x.value * y, y);
    Div div, |x, y| x.unary(x.value / y, S::one() / y);
}

impl<S: Real, const N: usize> PartialEq for Dual<S, N> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<S: Real, const N: usize> PartialOrd for Dual<S, N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<S: Real, const N: usize> AddAssign for Dual<S, N> {
    #[inline]
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<S: Real, const N: usize> SubAssign for Dual<S, N> {
    #[inline]
    fn sub_assign(&mut self, y: Self) {
        *self = *self - y;
    }
}

impl<S: Real, const N: usize> MulAssign for Dual<S, N> {
    #[inline]
    fn mul_assign(&mut self, y: Self) {
        *self = *self * y;
    }
}

impl<S: Real, const N: usize> DivAssign for Dual<S, N> {
    #[inline]
    fn div_assign(&mut self, y: Self) {
        *self = *self / y;
    }
}

macro_rules! dual_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        fn $name(self) -> Self {
            let r = self.value.$name();
            self.unary(r, partials::$name(self.value, r))
        }
    )+};
}

macro_rules! dual_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        fn $name(self, y: Self) -> Self {
            let r = self.value.$name(y.value);
            self.binary(y, r, partials::$name(self.value, y.value, r))
        }
    )+};
}

impl<S: Real, const N: usize> Real for Dual<S, N> {
    #[inline]
    fn of(value: f64) -> Self {
        Dual { value: S::of(value), tangents: [S::zero(); N] }
    }

    fn value(self) -> f64 {
        self.value.value()
    }

    fn is_zero(self) -> bool {
        self.value.is_zero() && self.tangents.iter().all(|it| it.is_zero())
    }

    fn is_plain(self) -> bool {
        let is_finite = |it: &S| it.is_plain() || it.is_zero();
        self.value.is_plain() && self.tangents.iter().all(is_finite)
    }

    fn polygamma(self, order: i64) -> Self {
        self.unary(self.value.polygamma(order), self.value.polygamma(order + 1))
    }

    unary_functions!(dual_unary);
    binary_functions!(dual_binary);
}
