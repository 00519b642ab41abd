//! Arrays that are made: element by element, from data, from values that were traced.

use std::panic::Location;

use crate::closure::{Lambda, lambda};
use crate::error;
use crate::node::{Base, Node, What};
use crate::recorder::{At, Piece, called, list, one, with};
use crate::shape::Shape;
use crate::structure::{Element, Rows, Traced, nodes};
use crate::value::{Array, Bool, Int, Leaf, Real, Scalar, builtin};

/// The array whose element at position `i` is what the closure gives, for `i` from 0 to `n - 1`.
#[track_caller]
pub fn build<R: Element>(n: impl Into<Int>, f: impl FnOnce(Int) -> R) -> R::Many {
    let at = Location::caller();
    let Lambda { params, body } = lambda(at, f);
    let index = params.first().map_or("_", |it| it.0.as_str());
    let (head, n) = (format!("build {index} < "), n.into().0);
    let pieces = [Piece::Text(&head), Piece::Value(n), Piece::Text(" => "), Piece::Text(&body)];
    many::<R>(at, &pieces)
}

/// The same value `n` times.
#[track_caller]
pub fn replicate<R: Element>(n: impl Into<Int>, value: R) -> R::Many {
    let at = Location::caller();
    let value = with(|it| it.value(at, &R::shape(), &nodes(&value))).unwrap_or_default();
    let args = [Piece::Value(n.into().0), Piece::Text(&value)];
    many::<R>(at, &called("replicate", &args))
}

/// The numbers 0, 1, ..., `n - 1`.
#[track_caller]
pub fn iota(n: impl Into<Int>) -> Array<1, Int> {
    builtin(Location::caller(), "iota", &[n.into().0])
}

/// The array of these values.
#[track_caller]
pub fn stack<R: Element>(values: impl IntoIterator<Item = R>) -> R::Many {
    let at = Location::caller();
    let shape = R::shape();
    let text = with(|it| {
        let values = values.into_iter().map(|value| it.value(at, &shape, &nodes(&value)));
        let texts: Vec<String> = values.collect();
        if texts.is_empty() {
            it.complain(error::nothing_to_stack(at));
        }
        format!("[{}]", texts.join(", "))
    });
    many::<R>(at, &[Piece::Text(&text.unwrap_or_default())])
}

/// An array of numbers that are known when it is traced.
#[track_caller]
pub fn data<E: Scalar, T: Into<E> + Copy>(values: &[T]) -> Array<1, E> {
    let at = Location::caller();
    let nodes: Vec<Node> = values.iter().map(|it| (*it).into().node()).collect();
    let text = with(|it| {
        let nodes: Vec<Piece<'_>> = nodes.iter().map(|it| Piece::Value(*it)).collect();
        if !nodes.is_empty() {
            return format!("[{}]", it.written(at, &list(&nodes)));
        }
        let zero = match E::KIND.base {
            Base::Real => "0.0",
            Base::Int => "0",
            Base::Bool => "false",
            Base::Opaque => {
                it.complain(error::nothing_to_stack(at));
                "0"
            }
        };
        format!("build i < 0 => {zero}")
    });
    Array::of(one(at, &[Piece::Text(&text.unwrap_or_default())]))
}

impl<const D: usize, E: Scalar> Array<D, E>
where
    Self: Rows,
{
    /// What the closure gives for each element of the outermost dimension.
    #[track_caller]
    pub fn map<R: Element>(self, f: impl FnOnce(<Self as Rows>::Row) -> R) -> R::Many {
        let at = Location::caller();
        let f = lambda(at, f).text();
        let call = called("map", &[Piece::Text(&f), Piece::Value(self.node)]);
        many::<R>(at, &call)
    }

    /// The elements of the outermost dimension that satisfy the closure.
    #[track_caller]
    pub fn filter(self, f: impl FnOnce(<Self as Rows>::Row) -> Bool) -> Self {
        let at = Location::caller();
        let f = lambda(at, f).text();
        let call = called("filter", &[Piece::Text(&f), Piece::Value(self.node)]);
        Self::of(one(at, &call))
    }
}

impl From<&[f64]> for Array<1> {
    #[track_caller]
    fn from(values: &[f64]) -> Array<1> {
        data::<Real, f64>(values)
    }
}

impl<const N: usize> From<[f64; N]> for Array<1> {
    #[track_caller]
    fn from(values: [f64; N]) -> Array<1> {
        data::<Real, f64>(&values)
    }
}

/// An array of structures, taken apart into arrays.
pub(crate) fn many<R: Element>(at: At, pieces: &[Piece<'_>]) -> R::Many {
    let whole = one(at, pieces);
    let parts: Vec<Node> = match R::shape() {
        Shape::Leaf(_) => vec![whole],
        Shape::Tuple(_) | Shape::Record(..) => {
            R::shape().paths().iter().map(|it| part(at, whole, it)).collect()
        }
    };
    R::Many::take(&mut parts.into_iter())
}

/// One part of every element.
fn part(at: At, whole: Node, path: &str) -> Node {
    if path.is_empty() || matches!(whole.what, What::Nothing) {
        return whole;
    }
    let part = format!("\\it => it{path}");
    one(at, &called("map", &[Piece::Text(&part), Piece::Value(whole)]))
}
