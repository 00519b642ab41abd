//! Data that goes into programs and comes out of them, as Rust sees it: numbers, arrays, tuples, records,
//! constructors with fields, and lists of those.
//!
//! Rust types become data by [`ToData`] (`data/to.rs`) and are made of data by [`FromData`]
//! (`data/from.rs`). What data means for a parameter is decided by the type of that (`read/data.rs`).

#[cfg(feature = "ndarray")]
mod by_ndarray;
mod from;
mod reals;
mod take;
mod to;

use std::borrow::Cow;
use std::fmt;

use array::{Shape, count};

use crate::deep::enough_stack;

pub use from::FromData;
pub use take::{Fields, Parts};
pub use to::ToData;

/// A value, as Rust sees it. What is large may be borrowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Data<'a> {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Cow<'a, str>),
    /// An array of reals.
    Reals(Shaped<'a, f64>),
    /// An array of reals of single precision.
    Floats(Shaped<'a, f32>),
    /// An array of integers.
    Ints(Shaped<'a, i64>),
    /// An array of truth values.
    Bools(Shaped<'a, bool>),
    /// A tuple.
    Tuple(Vec<Data<'a>>),
    /// A record, by the names of its fields.
    Record(Vec<(Cow<'a, str>, Data<'a>)>),
    /// A constructor of a data type, and its fields.
    Constructor(Cow<'a, str>, Vec<Data<'a>>),
    /// An array, element by element.
    List(Vec<Data<'a>>),
}

/// An array: its sizes, outermost first, and its elements in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped<'a, T: Clone + 'static> {
    shape: Shape,
    elements: Cow<'a, [T]>,
}

/// Data that is not what a Rust type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, seen from the outside: `[1].w`.
    pub path: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// Rows without elements that are made one by one.
const MOST_EMPTY: usize = 1 << 20;

impl<'a, T: Clone + 'static> Shaped<'a, T> {
    /// An array with these sizes, outermost first. If the elements are not as many as the sizes say,
    /// whatever it is given to refuses it.
    pub fn new(shape: &[usize], elements: impl Into<Cow<'a, [T]>>) -> Shaped<'a, T> {
        Shaped { shape: Shape::new(shape), elements: elements.into() }
    }

    /// An array of one dimension.
    pub fn flat(elements: impl Into<Cow<'a, [T]>>) -> Shaped<'a, T> {
        let elements = elements.into();
        Shaped { shape: Shape::new(&[elements.len()]), elements }
    }

    /// Its sizes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements in order.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// Its elements in order, copied if they are borrowed.
    pub fn into_elements(self) -> Vec<T> {
        self.elements.into_owned()
    }

    /// Whether the elements are as many as the sizes say.
    pub(crate) fn is_whole(&self) -> bool {
        count(&self.shape) == Some(self.elements.len())
    }

    fn into_owned(self) -> Shaped<'static, T> {
        Shaped { shape: self.shape, elements: Cow::Owned(self.elements.into_owned()) }
    }

    /// Its elements as data, rows if it has several dimensions; none if they are not what the sizes say,
    /// or more rows of nothing than anybody wants.
    fn items(
        &self,
        scalar: impl Fn(T) -> Data<'static>,
        row: impl Fn(Shaped<'static, T>) -> Data<'static>,
    ) -> Option<Vec<Data<'static>>> {
        let (first, inner) = self.shape.split_first()?;
        if !self.is_whole() || *first > self.elements.len().max(MOST_EMPTY) {
            return None;
        }
        if inner.is_empty() {
            return Some(self.elements.iter().cloned().map(scalar).collect());
        }
        let len = count(inner)?;
        let part = |at: usize| self.elements[at * len..(at + 1) * len].to_vec();
        Some((0..*first).map(|at| row(Shaped::new(inner, part(at)))).collect())
    }
}

impl Data<'_> {
    /// The data with everything that was borrowed copied.
    pub fn into_owned(self) -> Data<'static> {
        let owned = |it: Data<'_>| enough_stack(|| it.into_owned());
        let all = |items: Vec<Data<'_>>| items.into_iter().map(owned).collect();
        match self {
            Data::Real(it) => Data::Real(it),
            Data::Int(it) => Data::Int(it),
            Data::Bool(it) => Data::Bool(it),
            Data::Text(it) => Data::Text(Cow::Owned(it.into_owned())),
            Data::Reals(it) => Data::Reals(it.into_owned()),
            Data::Floats(it) => Data::Floats(it.into_owned()),
            Data::Ints(it) => Data::Ints(it.into_owned()),
            Data::Bools(it) => Data::Bools(it.into_owned()),
            Data::Tuple(parts) => Data::Tuple(all(parts)),
            Data::Record(fields) => {
                let fields = fields.into_iter();
                let fields = fields.map(|(name, it)| (Cow::Owned(name.into_owned()), owned(it)));
                Data::Record(fields.collect())
            }
            Data::Constructor(name, fields) => {
                Data::Constructor(Cow::Owned(name.into_owned()), all(fields))
            }
            Data::List(items) => Data::List(all(items)),
        }
    }

    /// The elements of an array, one by one; none if it is no array.
    pub fn into_items(self) -> Option<Vec<Data<'static>>> {
        match self {
            Data::Reals(it) => it.items(Data::Real, Data::Reals),
            Data::Floats(it) => it.items(|it| Data::Real(f64::from(it)), Data::Floats),
            Data::Ints(it) => it.items(Data::Int, Data::Ints),
            Data::Bools(it) => it.items(Data::Bool, Data::Bools),
            Data::List(items) => Some(items.into_iter().map(Data::into_owned).collect()),
            Data::Real(_) | Data::Int(_) | Data::Bool(_) | Data::Text(_) => None,
            Data::Tuple(_) | Data::Record(_) | Data::Constructor(..) => None,
        }
    }

    /// What it is, in few words: `2.5`, `3 reals`, `a tuple of 2`.
    pub fn describe(&self) -> String {
        match self {
            Data::Real(it) => format!("{it:?}"),
            Data::Int(it) => it.to_string(),
            Data::Bool(it) => it.to_string(),
            Data::Text(it) if it.chars().count() > 30 => "a text".to_owned(),
            Data::Text(it) => format!("{it:?}"),
            Data::Reals(it) => described("real numbers", &it.shape),
            Data::Floats(it) => described("real numbers", &it.shape),
            Data::Ints(it) => described("integers", &it.shape),
            Data::Bools(it) => described("truth values", &it.shape),
            Data::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Data::Record(fields) => {
                let names: Vec<String> = fields.iter().map(|it| format!("`{}`", it.0)).collect();
                format!("a record of {}", names.join(", "))
            }
            Data::Constructor(name, _) => format!("`{name}`"),
            Data::List(items) => format!("a list of {}", items.len()),
        }
    }
}

impl Mismatch {
    /// Something was expected and something else is there.
    pub fn new(expected: impl Into<String>, found: impl Into<String>) -> Mismatch {
        Mismatch { path: String::new(), expected: expected.into(), found: found.into() }
    }

    /// The mismatch with its place as seen from one step further out: `.w`, `[1]`.
    pub fn under(mut self, step: &str) -> Mismatch {
        self.path.insert_str(0, step);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { path, expected, found } = self;
        match path.as_str() {
            "" => write!(f, "this is {found} and not {expected}"),
            path => write!(f, "at `{path}` is {found} and not {expected}"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// `integers of shape (2, 3)`
pub(crate) fn described(kind: &str, shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("{kind} of shape ({}{comma})", sizes.join(", "))
}
