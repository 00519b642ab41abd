//! Numbers that are recorded on a [`Tape`] as they are computed.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::functions::{binary_functions, partials, unary_functions};
use crate::real::Real;
use crate::tape::{Partial, Place, Tape};

/// A number that is recorded, or a constant.
#[derive(Clone, Copy, Debug)]
pub struct Var<'t, S = f64> {
    pub(crate) tape: Option<&'t Tape<S>>,
    pub(crate) at: Place,
    /// The number.
    pub value: S,
}

impl<'t, S: Real> Var<'t, S> {
    #[inline]
    pub(crate) fn is_on(&self, tape: &Tape<S>) -> bool {
        self.tape.is_some_and(|it| std::ptr::eq(it, tape))
    }

    #[inline(always)]
    fn unary(self, value: S, partial: S) -> Var<'t, S> {
        self.along(value, Partial::Is(partial))
    }

    #[inline(always)]
    fn along(self, value: S, partial: Partial<S>) -> Var<'t, S> {
        match self.tape {
            Some(tape) => tape.push(value, (self.at, partial), None),
            None => Var { value, ..self },
        }
    }

    #[inline(always)]
    fn binary(self, y: Var<'t, S>, value: S, by: (S, S)) -> Var<'t, S> {
        self.both(y, value, (Partial::Is(by.0), Partial::Is(by.1)))
    }

    /// Variables of two tapes are no operands of one operation: that would be a derivative by nothing.
    #[inline(always)]
    fn both(self, y: Var<'t, S>, value: S, by: (Partial<S>, Partial<S>)) -> Var<'t, S> {
        match (self.tape, y.tape) {
            (Some(tape), Some(other)) => {
                assert!(std::ptr::eq(tape, other), "the operands are recorded on different tapes");
                tape.push(value, (self.at, by.0), Some((y.at, by.1)))
            }
            (Some(_), None) => self.along(value, by.0),
            (None, _) => y.along(value, by.1),
        }
    }
}

impl<S: Real> Add for Var<'_, S> {
    type Output = Self;
    #[inline]
    fn add(self, y: Self) -> Self {
        self.both(y, self.value + y.value, (Partial::One, Partial::One))
    }
}

impl<S: Real> Sub for Var<'_, S> {
    type Output = Self;
    #[inline]
    fn sub(self, y: Self) -> Self {
        self.both(y, self.value - y.value, (Partial::One, Partial::Is(-S::one())))
    }
}

impl<S: Real> Mul for Var<'_, S> {
    type Output = Self;
    #[inline]
    fn mul(self, y: Self) -> Self {
        self.binary(y, self.value * y.value, (y.value, self.value))
    }
}

impl<S: Real> Div for Var<'_, S> {
    type Output = Self;
    #[inline]
    fn div(self, y: Self) -> Self {
        let r = self.value / y.value;
        self.binary(y, r, (S::one() / y.value, -(r / y.value)))
    }
}

impl<S: Real> Neg for Var<'_, S> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.unary(-self.value, -S::one())
    }
}

/// With numbers: `x * 2.0`.
macro_rules! with_numbers {
    ($($operator:ident $name:ident;)+) => {$(
        impl<S: Real> $operator<f64> for Var<'_, S> {
            type Output = Self;
            #[inline]
            fn $name(self, y: f64) -> Self {
                self.$name(Self::of(y))
            }
        }
    )+};
}

with_numbers! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<S: Real> PartialEq for Var<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<S: Real> PartialOrd for Var<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<S: Real> AddAssign for Var<'_, S> {
    #[inline]
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<S: Real> SubAssign for Var<'_, S> {
    #[inline]
    fn sub_assign(&mut self, y: Self) {
        *self = *self - y;
    }
}

impl<S: Real> MulAssign for Var<'_, S> {
    #[inline]
    fn mul_assign(&mut self, y: Self) {
        *self = *self * y;
    }
}

impl<S: Real> DivAssign for Var<'_, S> {
    #[inline]
    fn div_assign(&mut self, y: Self) {
        *self = *self / y;
    }
}

macro_rules! var_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        fn $name(self) -> Self {
            let r = self.value.$name();
            self.unary(r, partials::$name(self.value, r))
        }
    )+};
}

macro_rules! var_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        fn $name(self, y: Self) -> Self {
            let r = self.value.$name(y.value);
            self.binary(y, r, partials::$name(self.value, y.value, r))
        }
    )+};
}

impl<S: Real> Real for Var<'_, S> {
    #[inline]
    fn of(value: f64) -> Self {
        Var { tape: None, at: 0, value: S::of(value) }
    }

    fn value(self) -> f64 {
        self.value.value()
    }

    fn is_zero(self) -> bool {
        self.tape.is_none() && self.value.is_zero()
    }

    fn is_plain(self) -> bool {
        self.value.is_plain()
    }

    fn polygamma(self, order: i64) -> Self {
        self.unary(self.value.polygamma(order), self.value.polygamma(order + 1))
    }

    unary_functions!(var_unary);
    binary_functions!(var_binary);
}
