//! The functions of the one table of primitives as methods, of scalars and element by element of arrays.

use std::panic::Location;

use crate::node::Node;
use crate::value::{Array, Bool, Int, Leaf, Number, Operand, Real, Scalar, builtin, infix};

macro_rules! of_reals {
    ($($name:ident $about:literal;)+) => {
        of_reals! { @impl () Real, $($name $about;)+ }
        of_reals! { @impl (const D: usize) Array<D>, $($name $about;)+ }
    };
    (@impl ($($generic:tt)*) $ty:ty, $($name:ident $about:literal;)+) => {
        impl<$($generic)*> $ty {$(
            #[doc = $about]
            #[track_caller]
            pub fn $name(self) -> $ty {
                builtin(Location::caller(), stringify!($name), &[self.node()])
            }
        )+}
    };
}

of_reals! {
    exp "The exponential function.";
    log "The natural logarithm; minus infinity at 0, NaN below.";
    log1p "`log(1 + x)`, accurate near 0.";
    expm1 "`exp(x) - 1`, accurate near 0.";
    sin "The sine.";
    cos "The cosine.";
    tan "The tangent.";
    asin "The arc sine.";
    acos "The arc cosine.";
    atan "The arc tangent.";
    sinh "The hyperbolic sine.";
    cosh "The hyperbolic cosine.";
    tanh "The hyperbolic tangent.";
    asinh "The inverse of `sinh`.";
    acosh "The inverse of `cosh`.";
    atanh "The inverse of `tanh`.";
    sqrt "The square root.";
    floor "The greatest whole number not above.";
    ceil "The least whole number not below.";
    round "The nearest whole number, halves away from zero.";
    erf "The error function.";
    lgamma "The logarithm of the absolute value of the gamma function.";
    digamma "The derivative of `lgamma`.";
    sigmoid "`1 / (1 + exp(-x))`, without overflow.";
    softplus "`log(1 + exp(x))`, without overflow.";
}

macro_rules! of_numbers {
    ($(($($generic:tt)*) $ty:ty, $bool:ty;)+) => {$(
        impl<$($generic)*> $ty {
            /// The absolute value; its derivative at 0 is 0.
            #[track_caller]
            pub fn abs(self) -> $ty {
                builtin(Location::caller(), "abs", &[self.node()])
            }

            /// -1, 0 or 1.
            #[track_caller]
            pub fn sign(self) -> $ty {
                builtin(Location::caller(), "sign", &[self.node()])
            }

            /// The power.
            #[track_caller]
            pub fn pow(self, exponent: impl Operand<$ty>) -> $ty {
                infix(Location::caller(), self.node(), " ** ", exponent.operand())
            }

            /// The smaller one; at a tie the derivative goes to the first.
            #[track_caller]
            pub fn min(self, other: impl Operand<$ty>) -> $ty {
                builtin(Location::caller(), "min", &[self.node(), other.operand()])
            }

            /// The greater one; at a tie the derivative goes to the first.
            #[track_caller]
            pub fn max(self, other: impl Operand<$ty>) -> $ty {
                builtin(Location::caller(), "max", &[self.node(), other.operand()])
            }

            /// Whether it is less.
            #[track_caller]
            pub fn lt(self, other: impl Operand<$ty>) -> $bool {
                infix(Location::caller(), self.node(), " < ", other.operand())
            }

            /// Whether it is less or equal.
            #[track_caller]
            pub fn le(self, other: impl Operand<$ty>) -> $bool {
                infix(Location::caller(), self.node(), " <= ", other.operand())
            }

            /// Whether it is greater.
            #[track_caller]
            pub fn gt(self, other: impl Operand<$ty>) -> $bool {
                infix(Location::caller(), self.node(), " > ", other.operand())
            }

            /// Whether it is greater or equal.
            #[track_caller]
            pub fn ge(self, other: impl Operand<$ty>) -> $bool {
                infix(Location::caller(), self.node(), " >= ", other.operand())
            }
        }
    )+};
}

of_numbers! {
    () Real, Bool;
    () Int, Bool;
    (const D: usize) Array<D>, Array<D, Bool>;
    (const D: usize) Array<D, Int>, Array<D, Bool>;
}

macro_rules! bits {
    ($int:ty; $($name:ident, $about:literal;)+) => {$(
        #[doc = $about]
        #[track_caller]
        pub fn $name(self, other: impl Operand<$int>) -> $int {
            builtin(Location::caller(), stringify!($name), &[self.node(), other.operand()])
        }
    )+};
}

macro_rules! conversions {
    ($(($($generic:tt)*) $real:ty, $int:ty, $bool:ty;)+) => {$(
        impl<$($generic)*> $real {
            /// The angle of the point with this ordinate and that abscissa.
            #[track_caller]
            pub fn atan2(self, abscissa: impl Operand<$real>) -> $real {
                builtin(Location::caller(), "atan2", &[self.node(), abscissa.operand()])
            }

            /// The derivative of this order of `digamma`.
            #[track_caller]
            pub fn polygamma(self, order: impl Into<Int>) -> $real {
                builtin(Location::caller(), "polygamma", &[order.into().0, self.node()])
            }

            /// Rounded towards zero, as an integer.
            #[track_caller]
            pub fn int(self) -> $int {
                builtin(Location::caller(), "int", &[self.node()])
            }

            /// Whether it is not a number.
            #[track_caller]
            pub fn is_nan(self) -> $bool {
                builtin(Location::caller(), "is_nan", &[self.node()])
            }
        }

        impl<$($generic)*> $int {
            /// The nearest real.
            #[track_caller]
            pub fn real(self) -> $real {
                builtin(Location::caller(), "real", &[self.node()])
            }

            bits! {
                $int;
                bit_and, "The bits that both have, of the 64 of two's complement.";
                bit_or, "The bits that either has.";
                bit_xor, "The bits that one of them has.";
                shift_left, "The bits moved up by so many places modulo 64; zeros move in.";
                shift_right, "The bits moved down by so many places modulo 64; zeros move in.";
            }
        }
    )+};
}

conversions! {
    () Real, Int, Bool;
    (const D: usize) Array<D>, Array<D, Int>, Array<D, Bool>;
}

/// Whether two values are equal as wholes.
#[track_caller]
pub fn equal<T: Leaf>(left: T, right: impl Operand<T>) -> Bool {
    infix(Location::caller(), left.node(), " == ", right.operand())
}

/// Whether two values differ.
#[track_caller]
pub fn differ<T: Leaf>(left: T, right: impl Operand<T>) -> Bool {
    infix(Location::caller(), left.node(), " != ", right.operand())
}

impl Bool {
    /// The first if this holds, else the second; both are computed. `cond` computes one.
    #[track_caller]
    pub fn select<T: Scalar>(self, yes: T, no: impl Operand<T>) -> T {
        select(Location::caller(), self.0, yes.node(), no.operand())
    }
}

impl<const D: usize> Array<D, Bool> {
    /// The elements of the first where this holds, else those of the second.
    #[track_caller]
    pub fn select<E: Number>(self, yes: Array<D, E>, no: impl Operand<Array<D, E>>) -> Array<D, E> {
        select(Location::caller(), self.node, yes.node, no.operand())
    }
}

fn select<T: Leaf>(at: &'static Location<'static>, chosen: Node, yes: Node, no: Node) -> T {
    builtin(at, "select", &[chosen, yes, no])
}
