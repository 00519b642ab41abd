//! Values: what expressions of the core language mean when they run.
//!
//! A value is two words. Everything that is not a scalar is shared and counted; dropping a
//! list of a million nodes takes a work list instead of the stack (`discard`).

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::sync::Arc;

use base::Name;

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::memory;
use crate::tape::Id;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(Arc<Arc<str>>),
    /// A tuple.
    Tuple(Arc<Fields>),
    /// A value of a sum type.
    Data(Arc<Data>),
    /// An array.
    Array(Arc<Array>),
    /// A function.
    Closure(Arc<Closure>),
    /// A pair of a Delta and a real, in place. A real alone stands for such a pair too, with the
    /// Delta `Zero`; see `tape.rs`.
    Dual(Id, f64),
    /// A Delta.
    Delta(Id),
}

/// A constructor of a sum type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// Its position in the declaration.
    pub tag: usize,
}

/// A value of a sum type.
#[derive(Debug)]
pub struct Data {
    /// The constructor.
    pub con: Arc<Constructor>,
    /// Its fields.
    pub fields: Fields,
}

impl Default for Value {
    fn default() -> Value {
        Value::Bool(false)
    }
}

impl Value {
    /// A text.
    pub fn str(text: &str) -> Value {
        Value::Str(Arc::new(Arc::from(text)))
    }

    /// A tuple.
    pub fn tuple(parts: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(Fields::new(parts)))
    }

    /// A pair.
    pub fn pair(first: Value, second: Value) -> Value {
        Value::Tuple(Arc::new(Fields::two(first, second)))
    }

    /// A value of a sum type.
    pub fn data(con: Arc<Constructor>, fields: Vec<Value>) -> Value {
        Value::Data(Arc::new(Data { con, fields: Fields::new(fields) }))
    }

    /// A pair of a Delta and a real; the real alone if the Delta is `Zero`.
    #[inline]
    pub fn dual(id: Id, value: f64) -> Value {
        if id == Id::ZERO { Value::Real(value) } else { Value::Dual(id, value) }
    }

    /// An array.
    pub fn array(array: Array) -> Value {
        Value::Array(Arc::new(array))
    }

    /// Whether dropping it may drop further values that own values.
    fn is_deep(&self) -> bool {
        match self {
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => false,
            Value::Dual(..) | Value::Delta(_) => false,
            Value::Tuple(fields) => Arc::strong_count(fields) == 1,
            Value::Data(data) => Arc::strong_count(data) == 1,
            Value::Closure(closure) => Arc::strong_count(closure) == 1,
            Value::Array(array) => match array.elems {
                Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) => false,
                Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => false,
                Elems::Tuple(_) | Elems::Boxed(_) => Arc::strong_count(array) == 1,
            },
        }
    }
}

/// The fields of a tuple, of a constructor, of a closure; up to three in place.
#[derive(Debug)]
pub struct Fields(Repr);

#[derive(Debug)]
enum Repr {
    Zero,
    One([Value; 1]),
    Two([Value; 2]),
    Three([Value; 3]),
    Many(Vec<Value>),
}

fn size_in_memory(n_fields: usize) -> usize {
    let beyond = if n_fields > 3 { n_fields * size_of::<Value>() + memory::OVERHEAD } else { 0 };
    size_of::<Fields>() + memory::OVERHEAD + beyond
}

impl Fields {
    /// These values.
    pub fn new(values: Vec<Value>) -> Fields {
        memory::charge(size_in_memory(values.len()));
        let repr = match <[Value; 2]>::try_from(values) {
            Ok(two) => Repr::Two(two),
            Err(values) => match <[Value; 1]>::try_from(values) {
                Ok(one) => Repr::One(one),
                Err(values) => match <[Value; 3]>::try_from(values) {
                    Ok(three) => Repr::Three(three),
                    Err(values) if values.is_empty() => Repr::Zero,
                    Err(values) => Repr::Many(values),
                },
            },
        };
        Fields(repr)
    }

    /// One value.
    pub fn one(value: Value) -> Fields {
        memory::charge(size_in_memory(1));
        Fields(Repr::One([value]))
    }

    /// Two values.
    pub fn two(first: Value, second: Value) -> Fields {
        memory::charge(size_in_memory(2));
        Fields(Repr::Two([first, second]))
    }
}

impl Deref for Fields {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        match &self.0 {
            Repr::Zero => &[],
            Repr::One(values) => values,
            Repr::Two(values) => values,
            Repr::Three(values) => values,
            Repr::Many(values) => values,
        }
    }
}

impl Drop for Fields {
    fn drop(&mut self) {
        memory::refund(size_in_memory(self.len()));
        if !self.iter().any(Value::is_deep) {
            return;
        }
        match std::mem::replace(&mut self.0, Repr::Zero) {
            Repr::Zero => {}
            Repr::One(values) => discard(values),
            Repr::Two(values) => discard(values),
            Repr::Three(values) => discard(values),
            Repr::Many(values) => discard(values),
        }
    }
}

thread_local! {
    static DISCARDING: Cell<bool> = const { Cell::new(false) };
    static DISCARDED: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops values without recursion: whoever comes first drops what everybody else leaves here.
pub(crate) fn discard(values: impl IntoIterator<Item = Value>) {
    // When the thread ends the list may be gone; then the values are dropped in place.
    let mut values = values.into_iter();
    let kept = DISCARDED.try_with(|list| list.borrow_mut().extend(values.by_ref()));
    if kept.is_err() || DISCARDING.replace(true) {
        return;
    }
    while let Ok(Some(value)) = DISCARDED.try_with(|list| list.borrow_mut().pop()) {
        drop(value);
    }
    DISCARDING.set(false);
}
