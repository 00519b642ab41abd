//! The operators of Rust on traced values and numbers, on either side.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Rem, Sub};
use std::panic::Location;

use crate::value::{Array, Bool, Int, Leaf, Real, infix, prefix};

/// `impl Trait<right> for left`, with the result.
macro_rules! operator {
    ($(($($generic:tt)*) $left:ty, $right:ty => $res:ty, $node:ident;)+) => {
        operator! { @each Add add " + ", $(($($generic)*) $left, $right => $res, $node;)+ }
        operator! { @each Sub sub " - ", $(($($generic)*) $left, $right => $res, $node;)+ }
        operator! { @each Mul mul " * ", $(($($generic)*) $left, $right => $res, $node;)+ }
        operator! { @each Div div " / ", $(($($generic)*) $left, $right => $res, $node;)+ }
        operator! { @each Rem rem " % ", $(($($generic)*) $left, $right => $res, $node;)+ }
    };
    (@each $name:ident $method:ident $symbol:literal,
     $(($($generic:tt)*) $left:ty, $right:ty => $res:ty, $node:ident;)+) => {$(
        impl<$($generic)*> $name<$right> for $left {
            type Output = $res;

            #[track_caller]
            fn $method(self, right: $right) -> $res {
                let (left, right) = ($node::from(self).node(), $node::from(right).node());
                infix(Location::caller(), left, $symbol, right)
            }
        }
    )+};
}

/// An operand of an array of reals.
struct Reals(crate::node::Node);

/// An operand of an array of integers.
struct Ints(crate::node::Node);

macro_rules! operands {
    ($($name:ident $scalar:ident: $($literal:ty)*;)+) => {$(
        impl $name {
            fn node(self) -> crate::node::Node {
                self.0
            }
        }

        impl<const D: usize> From<Array<D, $scalar>> for $name {
            fn from(value: Array<D, $scalar>) -> $name {
                $name(value.node)
            }
        }

        impl From<$scalar> for $name {
            fn from(value: $scalar) -> $name {
                $name(value.node())
            }
        }

        $(
            impl From<$literal> for $name {
                fn from(value: $literal) -> $name {
                    $name($scalar::from(value).node())
                }
            }
        )*
    )+};
}

operands! {
    Reals Real: f64;
    Ints Int: i32 i64 usize;
}

operator! {
    () Real, Real => Real, Reals;
    () Real, f64 => Real, Reals;
    () f64, Real => Real, Reals;
    (const D: usize) Array<D>, Array<D> => Array<D>, Reals;
    (const D: usize) Array<D>, Real => Array<D>, Reals;
    (const D: usize) Real, Array<D> => Array<D>, Reals;
    (const D: usize) Array<D>, f64 => Array<D>, Reals;
    (const D: usize) f64, Array<D> => Array<D>, Reals;
    () Int, Int => Int, Ints;
    () Int, i32 => Int, Ints;
    () i32, Int => Int, Ints;
    () Int, i64 => Int, Ints;
    () i64, Int => Int, Ints;
    () Int, usize => Int, Ints;
    () usize, Int => Int, Ints;
    (const D: usize) Array<D, Int>, Array<D, Int> => Array<D, Int>, Ints;
    (const D: usize) Array<D, Int>, Int => Array<D, Int>, Ints;
    (const D: usize) Int, Array<D, Int> => Array<D, Int>, Ints;
    (const D: usize) Array<D, Int>, i32 => Array<D, Int>, Ints;
    (const D: usize) i32, Array<D, Int> => Array<D, Int>, Ints;
    (const D: usize) Array<D, Int>, i64 => Array<D, Int>, Ints;
    (const D: usize) i64, Array<D, Int> => Array<D, Int>, Ints;
    (const D: usize) Array<D, Int>, usize => Array<D, Int>, Ints;
    (const D: usize) usize, Array<D, Int> => Array<D, Int>, Ints;
}

macro_rules! negations {
    ($(($($generic:tt)*) $name:ty;)+) => {$(
        impl<$($generic)*> Neg for $name {
            type Output = $name;

            #[track_caller]
            fn neg(self) -> $name {
                prefix(Location::caller(), "-", self.node())
            }
        }
    )+};
}

negations! {
    () Real;
    () Int;
    (const D: usize) Array<D>;
    (const D: usize) Array<D, Int>;
}

/// Whether both hold.
impl BitAnd for Bool {
    type Output = Bool;

    #[track_caller]
    fn bitand(self, right: Bool) -> Bool {
        infix(Location::caller(), self.0, " && ", right.0)
    }
}

/// Whether one of them holds.
impl BitOr for Bool {
    type Output = Bool;

    #[track_caller]
    fn bitor(self, right: Bool) -> Bool {
        infix(Location::caller(), self.0, " || ", right.0)
    }
}

impl Not for Bool {
    type Output = Bool;

    #[track_caller]
    fn not(self) -> Bool {
        prefix(Location::caller(), "!", self.0)
    }
}
