//! Arrays: sizes, elements, slices, reductions, rearranging.

use std::panic::Location;

use crate::error;
use crate::node::{Node, What};
use crate::recorder::{At, Piece, list, one, with};
use crate::structure::Rows;
use crate::value::{Array, Int, Leaf, Number, Real, Scalar, builtin};

impl<const D: usize, E: Scalar> Array<D, E> {
    /// The size of the outermost dimension.
    #[track_caller]
    pub fn len(self) -> Int {
        self.size(0)
    }

    /// The size of a dimension, the outermost being 0.
    #[track_caller]
    pub fn size(self, axis: usize) -> Int {
        let at = Location::caller();
        let size = with(|it| match axis < D {
            true => it.size(at, self.node, Self::KIND, axis),
            false => {
                it.complain(error::no_dimension(at, axis, D));
                Node::new(What::Int(0))
            }
        });
        Int(size.unwrap_or(Node::new(What::Nothing)))
    }

    /// The element at a position in each dimension.
    #[track_caller]
    pub fn at<I: Into<Int>>(self, indices: [I; D]) -> E {
        let nodes: Vec<Node> = indices.into_iter().map(|it| it.into().0).collect();
        E::of(indexed(Location::caller(), self.node, &nodes))
    }

    /// The part from a position up to another, not included.
    #[track_caller]
    pub fn slice(self, from: impl Into<Int>, to: impl Into<Int>) -> Self {
        sliced(Location::caller(), self, Some(from.into()), Some(to.into()))
    }

    /// What is left without the first elements.
    #[track_caller]
    pub fn skip(self, count: impl Into<Int>) -> Self {
        sliced(Location::caller(), self, Some(count.into()), None)
    }

    /// The first elements.
    #[track_caller]
    pub fn first(self, count: impl Into<Int>) -> Self {
        sliced(Location::caller(), self, None, Some(count.into()))
    }

    /// The last element of the outermost dimension first.
    #[track_caller]
    pub fn reverse(self) -> Self {
        builtin(Location::caller(), "reverse", &[self.node])
    }

    /// This, then another.
    #[track_caller]
    pub fn concat(self, other: Self) -> Self {
        builtin(Location::caller(), "concat", &[self.node, other.node])
    }

    /// The elements of the outermost dimension at these positions.
    #[track_caller]
    pub fn gather(self, positions: Array<1, Int>) -> Self {
        builtin(Location::caller(), "gather", &[self.node, positions.node])
    }

    /// The same elements in the same order, with these sizes.
    #[track_caller]
    pub fn reshape<const K: usize, I: Into<Int>>(self, sizes: [I; K]) -> Array<K, E> {
        let sizes = sizes.into_iter().map(|it| it.into().0);
        let args: Vec<Node> = std::iter::once(self.node).chain(sizes).collect();
        builtin(Location::caller(), "reshape", &args)
    }

    /// The same array, whose outermost size is to be this one; another is an error when it runs.
    #[track_caller]
    pub fn sized(self, size: impl Into<Int>) -> Self {
        builtin(Location::caller(), "sized", &[size.into().0, self.node])
    }
}

impl<const D: usize, E: Scalar> Array<D, E>
where
    Self: Rows,
{
    /// What is at a position of the outermost dimension.
    #[track_caller]
    pub fn row(self, index: impl Into<Int>) -> <Self as Rows>::Row {
        Leaf::of(indexed(Location::caller(), self.node, &[index.into().0]))
    }
}

impl<const D: usize, E: Number> Array<D, E>
where
    Self: Rows,
{
    /// The sum over the outermost dimension.
    #[track_caller]
    pub fn sum(self) -> <Self as Rows>::Row {
        builtin(Location::caller(), "sum", &[self.node])
    }

    /// The product over the outermost dimension.
    #[track_caller]
    pub fn product(self) -> <Self as Rows>::Row {
        builtin(Location::caller(), "product", &[self.node])
    }

    /// This with each value added at its position.
    #[track_caller]
    pub fn scatter(self, positions: Array<1, Int>, values: Self) -> Self {
        builtin(Location::caller(), "scatter", &[self.node, positions.node, values.node])
    }
}

impl<E: Number> Array<1, E> {
    /// The greatest element; minus infinity for nothing.
    #[track_caller]
    pub fn maximum(self) -> E {
        builtin(Location::caller(), "maximum", &[self.node])
    }

    /// The least element; infinity for nothing.
    #[track_caller]
    pub fn minimum(self) -> E {
        builtin(Location::caller(), "minimum", &[self.node])
    }

    /// The position of the first greatest element; of nothing an error when it runs.
    #[track_caller]
    pub fn argmax(self) -> Int {
        builtin(Location::caller(), "argmax", &[self.node])
    }

    /// The position of the first least element; of nothing an error when it runs.
    #[track_caller]
    pub fn argmin(self) -> Int {
        builtin(Location::caller(), "argmin", &[self.node])
    }

    /// In ascending order.
    #[track_caller]
    pub fn sort(self) -> Self {
        builtin(Location::caller(), "sort", &[self.node])
    }

    /// The positions that sort it.
    #[track_caller]
    pub fn argsort(self) -> Array<1, Int> {
        builtin(Location::caller(), "argsort", &[self.node])
    }
}

impl Array<1> {
    /// The inner product.
    #[track_caller]
    pub fn dot(self, other: Array<1>) -> Real {
        builtin(Location::caller(), "dot", &[self.node, other.node])
    }
}

impl Array<2> {
    /// This matrix times a vector.
    #[track_caller]
    pub fn matvec(self, vector: Array<1>) -> Array<1> {
        builtin(Location::caller(), "matvec", &[self.node, vector.node])
    }

    /// The product of two matrices.
    #[track_caller]
    pub fn matmul(self, other: Array<2>) -> Array<2> {
        builtin(Location::caller(), "matmul", &[self.node, other.node])
    }
}

macro_rules! matrices {
    ($($many:literal $one:literal;)+) => {$(
        impl<E: Scalar> Array<$many, E> {
            /// The two outermost dimensions swapped.
            #[track_caller]
            pub fn transpose(self) -> Self {
                builtin(Location::caller(), "transpose", &[self.node])
            }

            /// The two outermost dimensions as one.
            #[track_caller]
            pub fn flatten(self) -> Array<$one, E> {
                builtin(Location::caller(), "flatten", &[self.node])
            }
        }
    )+};
}

matrices! { 2 1; 3 2; 4 3; 5 4; 6 5; 7 6; 8 7; }

fn indexed(at: At, array: Node, indices: &[Node]) -> Node {
    let indices: Vec<Piece<'_>> = indices.iter().map(|it| Piece::Value(*it)).collect();
    let mut pieces = vec![Piece::Value(array), Piece::Text("[")];
    pieces.extend(list(&indices));
    pieces.push(Piece::Text("]"));
    one(at, &pieces)
}

fn sliced<A: Leaf>(at: At, array: A, from: Option<Int>, to: Option<Int>) -> A {
    let mut pieces = vec![Piece::Value(array.node()), Piece::Text("[")];
    pieces.extend(from.map(|it| Piece::Value(it.0)));
    pieces.push(Piece::Text(".."));
    pieces.extend(to.map(|it| Piece::Value(it.0)));
    pieces.push(Piece::Text("]"));
    A::of(one(at, &pieces))
}
