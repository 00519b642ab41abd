//! Traced scalars and arrays.

use std::marker::PhantomData;

use crate::node::{Base, Kind, Node, What};
use crate::recorder::{At, Piece, called, one};

/// A traced real number.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub(crate) Node);

/// A traced whole number; a size is one.
#[derive(Clone, Copy, Debug)]
pub struct Int(pub(crate) Node);

/// A traced truth value.
#[derive(Clone, Copy, Debug)]
pub struct Bool(pub(crate) Node);

/// A traced value of a type of the program that Rust does not look into, such as a sum type: definitions of the
/// program make it and take it, by [`crate::call`].
#[derive(Clone, Copy, Debug)]
pub struct Opaque(pub(crate) Node);

/// A traced array of `D` dimensions; its sizes may be known only when the program runs.
#[derive(Clone, Copy, Debug)]
pub struct Array<const D: usize, E = Real> {
    pub(crate) node: Node,
    element: PhantomData<E>,
}

/// A traced value that is one variable: a scalar or an array.
pub trait Leaf: Copy {
    /// Its type.
    const KIND: Kind;

    /// What it is inside.
    fn node(self) -> Node;

    /// A value of this type.
    fn of(node: Node) -> Self;
}

/// What arrays are made of: [`Real`], [`Int`], [`Bool`], [`Opaque`].
pub trait Scalar: Leaf {}

/// A scalar with arithmetic: [`Real`], [`Int`].
pub trait Number: Scalar {}

macro_rules! scalars {
    ($($name:ident)+) => {$(
        impl Leaf for $name {
            const KIND: Kind = Kind { base: Base::$name, rank: 0 };

            fn node(self) -> Node {
                self.0
            }

            fn of(node: Node) -> $name {
                $name(node)
            }
        }

        impl Scalar for $name {}
    )+};
}

scalars! { Real Int Bool Opaque }

impl Number for Real {}
impl Number for Int {}

impl<const D: usize, E: Scalar> Leaf for Array<D, E> {
    const KIND: Kind = Kind { base: E::KIND.base, rank: D };

    fn node(self) -> Node {
        self.node
    }

    fn of(node: Node) -> Array<D, E> {
        Array { node, element: PhantomData }
    }
}

macro_rules! literals {
    ($($literal:ty => $name:ident($value:ty);)+) => {$(
        impl From<$literal> for $name {
            fn from(value: $literal) -> $name {
                $name(Node::new(What::$name(value as $value)))
            }
        }
    )+};
}

literals! {
    f64 => Real(f64);
    i32 => Int(i64);
    i64 => Int(i64);
    usize => Int(i64);
    bool => Bool(bool);
}

/// What can stand beside a `T` in an operation: a `T`, a number, and beside an array a scalar, which is used
/// for every element.
pub trait Operand<T> {
    /// What it is inside.
    fn operand(self) -> Node;
}

impl<T: Leaf> Operand<T> for T {
    fn operand(self) -> Node {
        self.node()
    }
}

macro_rules! operands {
    ($($literal:ty => $name:ident;)+) => {$(
        impl Operand<$name> for $literal {
            fn operand(self) -> Node {
                $name::from(self).0
            }
        }

        impl<const D: usize> Operand<Array<D, $name>> for $literal {
            fn operand(self) -> Node {
                $name::from(self).0
            }
        }
    )+};
}

operands! {
    f64 => Real;
    i32 => Int;
    i64 => Int;
    usize => Int;
    bool => Bool;
}

impl<const D: usize> Operand<Array<D>> for Real {
    fn operand(self) -> Node {
        self.0
    }
}

impl<const D: usize> Operand<Array<D, Int>> for Int {
    fn operand(self) -> Node {
        self.0
    }
}

impl<const D: usize> Operand<Array<D, Bool>> for Bool {
    fn operand(self) -> Node {
        self.0
    }
}

/// `name(a, b)`, a call of something that Cotan has.
pub(crate) fn builtin<R: Leaf>(at: At, name: &str, args: &[Node]) -> R {
    let args: Vec<Piece<'_>> = args.iter().map(|it| Piece::Value(*it)).collect();
    R::of(one(at, &called(name, &args)))
}

/// `a + b`
pub(crate) fn infix<R: Leaf>(at: At, left: Node, symbol: &str, right: Node) -> R {
    R::of(one(at, &[Piece::Value(left), Piece::Text(symbol), Piece::Value(right)]))
}

/// `-a`
pub(crate) fn prefix<R: Leaf>(at: At, symbol: &str, value: Node) -> R {
    R::of(one(at, &[Piece::Text(symbol), Piece::Value(value)]))
}
