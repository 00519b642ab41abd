//! Arrays as values: flat buffers of scalars, tuples of arrays, or boxed values.
//!
//! Nested arrays of scalars are one flat buffer of higher rank. An array of tuples is a tuple of
//! arrays that share the leading sizes: `[n](Real, [m]Real)` has parts of shapes `[n]` and
//! `[n, m]`. Strings, sums and functions are boxed. A row of an array shares its buffer.
//!
//! An array without elements made where the element type is a type variable is boxed too, and
//! may lack inner sizes; where the type is known, `Evaluator::known` repairs it.
//!
//! Reals in lanes are those of several runs that go in step, see `directions.rs`: an array of reals with
//! one more axis at the end that nobody sees. A single real in lanes is an array without sizes.

use std::ops::Deref;
use std::sync::Arc;

use ::array::{Buffer as DenseBuffer, Dense, Shape, count};

use crate::memory;
use crate::tape::Id;
use crate::value::{Value, discard};

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its sizes, those of the element type not included unless the elements are scalars.
    pub shape: Shape,
    /// Its elements.
    pub elems: Elems,
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub enum Elems {
    /// Real numbers.
    Real(Slice<f64>),
    /// Integers.
    Int(Slice<i64>),
    /// Truth values.
    Bool(Slice<bool>),
    /// Deltas.
    Delta(Slice<Id>),
    /// Pairs of a real and a Delta. Reals alone stand for such pairs too, all with the Delta `Zero`.
    Dual(Slice<f64>, Slice<Id>),
    /// Reals in so many lanes, those of an element side by side. Reals alone stand for such reals too,
    /// the same in every lane.
    Lanes(Slice<f64>, usize),
    /// Tuples: one array per part; the shape of each begins with the shape of this one.
    Tuple(Vec<Array>),
    /// Strings, values of sum types, functions.
    Boxed(Slice<Value>),
}

/// A type of elements of a flat buffer.
pub trait Element: Clone + Default + 'static {
    /// Drops elements; without recursion if they may own others.
    fn discard(_: Vec<Self>) {}

    /// An array of these.
    fn elems(slice: Slice<Self>) -> Elems;

    /// The elements, if they are of this type.
    fn slice(elems: &Elems) -> Option<&Slice<Self>>;
}

impl Element for f64 {
    fn elems(slice: Slice<f64>) -> Elems {
        Elems::Real(slice)
    }

    fn slice(elems: &Elems) -> Option<&Slice<f64>> {
        if let Elems::Real(slice) = elems { Some(slice) } else { None }
    }
}

impl Element for i64 {
    fn elems(slice: Slice<i64>) -> Elems {
        Elems::Int(slice)
    }

    fn slice(elems: &Elems) -> Option<&Slice<i64>> {
        if let Elems::Int(slice) = elems { Some(slice) } else { None }
    }
}

impl Element for bool {
    fn elems(slice: Slice<bool>) -> Elems {
        Elems::Bool(slice)
    }

    fn slice(elems: &Elems) -> Option<&Slice<bool>> {
        if let Elems::Bool(slice) = elems { Some(slice) } else { None }
    }
}

impl Element for Id {
    fn elems(slice: Slice<Id>) -> Elems {
        Elems::Delta(slice)
    }

    fn slice(elems: &Elems) -> Option<&Slice<Id>> {
        if let Elems::Delta(slice) = elems { Some(slice) } else { None }
    }
}

impl Element for Value {
    fn discard(values: Vec<Value>) {
        discard(values);
    }

    fn elems(slice: Slice<Value>) -> Elems {
        Elems::Boxed(slice)
    }

    fn slice(elems: &Elems) -> Option<&Slice<Value>> {
        if let Elems::Boxed(slice) = elems { Some(slice) } else { None }
    }
}

/// Elements in memory, counted.
#[derive(Debug)]
struct Buffer<T: Element>(Vec<T>);

impl<T: Element> Buffer<T> {
    fn size_in_memory(&self) -> usize {
        self.0.capacity() * size_of::<T>() + 2 * memory::OVERHEAD + size_of::<Array>()
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        memory::refund(self.size_in_memory());
        T::discard(std::mem::take(&mut self.0));
    }
}

/// A part of a shared buffer.
#[derive(Clone, Debug)]
pub struct Slice<T: Element> {
    buffer: Arc<Buffer<T>>,
    start: usize,
    len: usize,
}

impl<T: Element> From<Vec<T>> for Slice<T> {
    fn from(data: Vec<T>) -> Slice<T> {
        let len = data.len();
        let buffer = Buffer(data);
        memory::charge(buffer.size_in_memory());
        Slice { buffer: Arc::new(buffer), start: 0, len }
    }
}

impl<T: Element> Deref for Slice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.buffer.0[self.start..self.start + self.len]
    }
}

impl<T: Element> Slice<T> {
    /// The part of `len` elements from `start`.
    pub fn part(&self, start: usize, len: usize) -> Slice<T> {
        assert!(start + len <= self.len, "a part lies within the whole");
        Slice { buffer: self.buffer.clone(), start: self.start + start, len }
    }

    /// The elements, to be changed, if nobody else holds them.
    pub fn get_mut(&mut self) -> Option<&mut [T]> {
        let buffer = Arc::get_mut(&mut self.buffer)?;
        Some(&mut buffer.0[self.start..self.start + self.len])
    }

    /// The elements, to be changed; copied first if they are shared.
    pub fn make_mut(&mut self) -> &mut [T] {
        if Arc::get_mut(&mut self.buffer).is_none() {
            *self = Slice::from(self.to_vec());
        }
        let buffer = Arc::get_mut(&mut self.buffer).expect("a fresh buffer is not shared");
        &mut buffer.0[self.start..self.start + self.len]
    }
}

impl Array {
    /// An array of scalars or boxed values; as many as the sizes say.
    pub fn flat<T: Element>(shape: Shape, data: Vec<T>) -> Array {
        debug_assert_eq!(count(&shape), Some(data.len()), "{shape:?}");
        Array { shape, elems: T::elems(data.into()) }
    }

    /// `[n]Real`.
    pub fn reals(data: Vec<f64>) -> Array {
        Array::flat(Shape::new(&[data.len()]), data)
    }

    /// `[n]Int`.
    pub fn ints(data: Vec<i64>) -> Array {
        Array::flat(Shape::new(&[data.len()]), data)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        // Sizes of boxed or scalar elements fit, since they are in memory; the sizes of
        // arrays of units are checked where such arrays are made.
        count(&self.shape).unwrap_or(usize::MAX)
    }

    /// In how many lanes each element is.
    pub fn width(&self) -> usize {
        if let Elems::Lanes(_, width) = self.elems { width } else { 1 }
    }

    /// The number of elements in all lanes.
    pub(crate) fn n_items(&self) -> usize {
        self.len().saturating_mul(self.width())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The element or row at `position` among those that `rank` leading indices select.
    pub fn row(&self, rank: usize, position: usize) -> Value {
        let is_element = rank >= self.shape.len();
        match &self.elems {
            Elems::Real(data) if is_element => Value::Real(data[position]),
            Elems::Int(data) if is_element => Value::Int(data[position]),
            Elems::Bool(data) if is_element => Value::Bool(data[position]),
            Elems::Delta(data) if is_element => Value::Delta(data[position]),
            Elems::Dual(data, ids) if is_element => Value::dual(ids[position], data[position]),
            Elems::Boxed(data) if is_element => data[position].clone(),
            Elems::Tuple(parts) if is_element => {
                Value::tuple(parts.iter().map(|part| part.row(rank, position)).collect())
            }
            Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) => {
                Value::array(self.row_array(rank, position))
            }
            Elems::Tuple(_) | Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                Value::array(self.row_array(rank, position))
            }
        }
    }

    fn row_array(&self, rank: usize, position: usize) -> Array {
        let shape = Shape::new(&self.shape[rank..]);
        let len = count(&shape).unwrap_or(0);
        let start = position * len;
        let elems = match &self.elems {
            Elems::Real(data) => Elems::Real(data.part(start, len)),
            Elems::Int(data) => Elems::Int(data.part(start, len)),
            Elems::Bool(data) => Elems::Bool(data.part(start, len)),
            Elems::Delta(data) => Elems::Delta(data.part(start, len)),
            Elems::Dual(data, ids) => Elems::Dual(data.part(start, len), ids.part(start, len)),
            Elems::Lanes(data, width) => {
                Elems::Lanes(data.part(start * width, len * width), *width)
            }
            Elems::Boxed(data) => Elems::Boxed(data.part(start, len)),
            Elems::Tuple(parts) => {
                Elems::Tuple(parts.iter().map(|part| part.row_array(rank, position)).collect())
            }
        };
        Array { shape, elems }
    }

    /// The same elements with `to` in the place of the first `rank` sizes; the counts agree.
    pub fn reshaped(&self, rank: usize, to: &[usize]) -> Array {
        let shape = Shape::join(to, &self.shape[rank.min(self.shape.len())..]);
        let elems = match &self.elems {
            Elems::Tuple(parts) => {
                Elems::Tuple(parts.iter().map(|part| part.reshaped(rank, to)).collect())
            }
            Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) => self.elems.clone(),
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => self.elems.clone(),
        };
        Array { shape, elems }
    }
}

impl From<Dense> for Value {
    fn from(dense: Dense) -> Value {
        let shape = Shape::new(&dense.shape);
        let array = match dense.data {
            DenseBuffer::Real(data) => Array::flat(shape, data),
            DenseBuffer::Int(data) => Array::flat(shape, data),
            DenseBuffer::Bool(data) => Array::flat(shape, data),
        };
        if array.shape.is_empty() { array.row(0, 0) } else { Value::array(array) }
    }
}
