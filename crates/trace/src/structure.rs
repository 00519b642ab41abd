//! Structures of traced values: what closures take and give.

use crate::node::Node;
use crate::shape::Shape;
use crate::value::{Array, Bool, Int, Leaf, Opaque, Real, Scalar};

/// A structure of traced values: a scalar or array, a tuple, `[T; N]`, or a struct of one's own
/// (see [`Structure`]).
pub trait Traced: Sized {
    /// As Cotan sees it.
    fn shape() -> Shape;

    /// Its nodes, in order.
    fn give(&self, to: &mut Vec<Node>);

    /// A structure of these nodes, as many as the shape has.
    fn take(from: &mut dyn Iterator<Item = Node>) -> Self;
}

/// A struct of traced values: it is to Cotan what the tuple of its parts is. The library derives it,
/// `#[derive(Structure)]`; by hand it is this:
///
/// ```
/// use trace::{Array, Real, Structure};
///
/// struct Model {
///     weights: Array<1>,
///     bias: Real,
/// }
///
/// impl Structure for Model {
///     type Parts = (Array<1>, Real);
///
///     fn apart(&self) -> (Array<1>, Real) {
///         (self.weights, self.bias)
///     }
///
///     fn together((weights, bias): (Array<1>, Real)) -> Model {
///         Model { weights, bias }
///     }
/// }
/// ```
///
/// Such a struct can be a parameter of a closure that is traced, its result, the state of a loop, and what
/// something is differentiated by. With [`Structure::RECORD`] it is a record of the program.
pub trait Structure {
    /// The record of the program that it is, and the names of the fields in the order of the parts:
    /// `Some(("Model", &["weights", "bias"]))`. If nothing is said, it is a tuple.
    const RECORD: Option<(&'static str, &'static [&'static str])> = None;

    /// Its fields, usually as a tuple.
    type Parts: Traced;

    /// Takes it apart.
    fn apart(&self) -> Self::Parts;

    /// Puts it together.
    fn together(parts: Self::Parts) -> Self;
}

/// What can be the element of an array that is built: arrays of structures are structures of arrays.
pub trait Element: Traced {
    /// Many of it.
    type Many: Traced;
}

/// An array, by what its outermost dimension has.
pub trait Rows: Leaf {
    /// One of them: a scalar or an array of a dimension less.
    type Row: Leaf + Element;
}

impl<T: Structure> Traced for T {
    fn shape() -> Shape {
        match (T::RECORD, T::Parts::shape()) {
            (None, shape) => shape,
            (Some((name, fields)), Shape::Tuple(parts)) => {
                // Names that are missing are complained about by the checker, as fields that are not there.
                let fields = fields.iter().copied().chain(std::iter::repeat("nameless"));
                Shape::Record(name, fields.zip(parts).collect())
            }
            (Some((name, fields)), part) => {
                Shape::Record(name, vec![(fields.first().copied().unwrap_or("nameless"), part)])
            }
        }
    }

    fn give(&self, to: &mut Vec<Node>) {
        self.apart().give(to);
    }

    fn take(from: &mut dyn Iterator<Item = Node>) -> T {
        T::together(T::Parts::take(from))
    }
}

impl<T: Structure<Parts: Element>> Element for T {
    type Many = <T::Parts as Element>::Many;
}

/// One node; outside of a trace there are none.
fn leaf<T: Leaf>(from: &mut dyn Iterator<Item = Node>) -> T {
    T::of(from.next().unwrap_or(Node::new(crate::node::What::Nothing)))
}

macro_rules! scalars {
    ($($name:ident)+) => {$(
        impl Traced for $name {
            fn shape() -> Shape {
                Shape::Leaf($name::KIND)
            }

            fn give(&self, to: &mut Vec<Node>) {
                to.push(self.node());
            }

            fn take(from: &mut dyn Iterator<Item = Node>) -> $name {
                leaf(from)
            }
        }

        impl Element for $name {
            type Many = Array<1, $name>;
        }

        impl Rows for Array<1, $name> {
            type Row = $name;
        }
    )+};
}

scalars! { Real Int Bool Opaque }

impl<const D: usize, E: Scalar> Traced for Array<D, E> {
    fn shape() -> Shape {
        Shape::Leaf(Self::KIND)
    }

    fn give(&self, to: &mut Vec<Node>) {
        to.push(self.node());
    }

    fn take(from: &mut dyn Iterator<Item = Node>) -> Array<D, E> {
        leaf(from)
    }
}

macro_rules! ranks {
    ($($one:literal $many:literal;)+) => {$(
        impl<E: Scalar> Element for Array<$one, E> {
            type Many = Array<$many, E>;
        }

        impl<E: Scalar> Rows for Array<$many, E> {
            type Row = Array<$one, E>;
        }
    )+};
}

ranks! { 1 2; 2 3; 3 4; 4 5; 5 6; 6 7; 7 8; }

impl<T: Traced, const N: usize> Traced for [T; N] {
    fn shape() -> Shape {
        Shape::Tuple((0..N).map(|_| T::shape()).collect())
    }

    fn give(&self, to: &mut Vec<Node>) {
        self.iter().for_each(|it| it.give(to));
    }

    fn take(from: &mut dyn Iterator<Item = Node>) -> [T; N] {
        std::array::from_fn(|_| T::take(from))
    }
}

impl<T: Element, const N: usize> Element for [T; N] {
    type Many = [T::Many; N];
}

/// Nothing; a closure that gives it is refused.
impl Traced for () {
    fn shape() -> Shape {
        Shape::Tuple(Vec::new())
    }

    fn give(&self, _: &mut Vec<Node>) {}

    fn take(_: &mut dyn Iterator<Item = Node>) {}
}

impl Element for () {
    type Many = ();
}

macro_rules! tuples {
    ($($($part:ident $at:tt),+;)+) => {$(
        impl<$($part: Traced),+> Traced for ($($part,)+) {
            fn shape() -> Shape {
                Shape::Tuple(vec![$($part::shape()),+])
            }

            fn give(&self, to: &mut Vec<Node>) {
                $(self.$at.give(to);)+
            }

            fn take(from: &mut dyn Iterator<Item = Node>) -> Self {
                ($($part::take(from),)+)
            }
        }

        impl<$($part: Element),+> Element for ($($part,)+) {
            type Many = ($($part::Many,)+);
        }
    )+};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
}

/// The nodes of a structure.
pub(crate) fn nodes<T: Traced>(value: &T) -> Vec<Node> {
    let mut res = Vec::new();
    value.give(&mut res);
    res
}
