//! Assembles an array from its elements or rows, in order; the first one decides how it is
//! stored.

use ::array::{MOST_ELEMENTS, Shape, count};
use ir::{Size, Type};

use crate::array::{Array, Element, Elems, Slice};
use crate::error::{Failure, Fault, malformed};
use crate::memory::reserve;
use crate::tape::Id;
use crate::value::Value;

/// Rows so far.
pub(crate) struct Rows {
    capacity: usize,
    stored: Stored,
}

/// How rows are stored; `row` is the shape of one.
enum Stored {
    Nothing,
    Real {
        row: Shape,
        data: Vec<f64>,
    },
    Int {
        row: Shape,
        data: Vec<i64>,
    },
    Bool {
        row: Shape,
        data: Vec<bool>,
    },
    Delta {
        row: Shape,
        data: Vec<Id>,
    },
    /// Some of the reals have a Delta that is not `Zero`.
    Dual {
        row: Shape,
        data: Vec<f64>,
        ids: Vec<Id>,
    },
    /// Some of the reals are in lanes.
    Lanes {
        row: Shape,
        data: Vec<f64>,
        width: usize,
    },
    Boxed {
        row: Shape,
        data: Vec<Value>,
    },
    Tuple {
        row: Shape,
        parts: Vec<Rows>,
    },
}

impl Rows {
    /// No rows yet; `capacity` are expected.
    pub(crate) fn new(capacity: usize) -> Rows {
        Rows { capacity, stored: Stored::Nothing }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, value: Value) -> Result<(), Fault> {
        if let (Stored::Real { data, row }, Value::Real(value)) = (&mut self.stored, &value)
            && row.is_empty()
        {
            data.push(*value);
            return Ok(());
        }
        if let Stored::Nothing = self.stored {
            self.stored = self.storage(&value)?;
        }
        if let Value::Array(array) = value {
            self.push_array(&array)
        } else {
            self.push_item(value)
        }
    }

    /// Adds a row that is no array.
    fn push_item(&mut self, value: Value) -> Result<(), Fault> {
        if let Value::Dual(..) = value {
            self.begin_dual()?;
        }
        match (&mut self.stored, value) {
            (Stored::Dual { row, data, ids }, Value::Dual(id, it)) if row.is_empty() => {
                data.push(it);
                ids.push(id);
            }
            (Stored::Dual { row, data, ids }, Value::Real(it)) if row.is_empty() => {
                data.push(it);
                ids.push(Id::ZERO);
            }
            (Stored::Lanes { row, data, width }, Value::Real(it)) if row.is_empty() => {
                data.resize(data.len() + *width, it);
            }
            (Stored::Delta { row, data }, Value::Delta(it)) if row.is_empty() => data.push(it),
            (Stored::Real { row, data }, Value::Real(it)) if row.is_empty() => data.push(it),
            (Stored::Int { row, data }, Value::Int(it)) if row.is_empty() => data.push(it),
            (Stored::Bool { row, data }, Value::Bool(it)) if row.is_empty() => data.push(it),
            (
                Stored::Boxed { row, data },
                it @ (Value::Str(_) | Value::Data(_) | Value::Closure(_)),
            ) if row.is_empty() => data.push(it),
            (Stored::Tuple { row, parts }, Value::Tuple(fields))
                if row.is_empty() && parts.len() == fields.len() =>
            {
                for (part, field) in parts.iter_mut().zip(fields.iter()) {
                    part.push(field.clone())?;
                }
            }
            _ => return Err(unlike()),
        }
        Ok(())
    }

    /// Reals so far become pairs with the Delta `Zero`.
    fn begin_dual(&mut self) -> Result<(), Fault> {
        if let Stored::Real { row, data } = &mut self.stored {
            reserve(Some(data.capacity()), size_of::<Id>())?;
            let mut ids = Vec::with_capacity(data.capacity());
            ids.resize(data.len(), Id::ZERO);
            self.stored = Stored::Dual { row: row.clone(), data: std::mem::take(data), ids };
        }
        Ok(())
    }

    /// Reals so far are the same in so many lanes.
    fn begin_lanes(&mut self, width: usize) -> Result<(), Fault> {
        if let Stored::Real { row, data } = &mut self.stored {
            let n_items = data.capacity().checked_mul(width);
            reserve(n_items, size_of::<f64>())?;
            let mut wide = Vec::with_capacity(n_items.unwrap_or(0));
            data.iter().for_each(|it| wide.resize(wide.len() + width, *it));
            self.stored = Stored::Lanes { row: row.clone(), data: wide, width };
        }
        Ok(())
    }

    fn push_array(&mut self, array: &Array) -> Result<(), Fault> {
        if let Elems::Dual(..) = array.elems {
            self.begin_dual()?;
        }
        if let Elems::Lanes(_, width) = array.elems {
            self.begin_lanes(width)?;
        }
        let row = match &mut self.stored {
            Stored::Nothing => return Err(unlike()),
            Stored::Real { row, .. }
            | Stored::Int { row, .. }
            | Stored::Bool { row, .. }
            | Stored::Delta { row, .. }
            | Stored::Dual { row, .. }
            | Stored::Lanes { row, .. }
            | Stored::Boxed { row, .. }
            | Stored::Tuple { row, .. } => row,
        };
        if *row != array.shape {
            return Err(Fault::Sizes { expected: row.to_vec(), found: array.shape.to_vec() });
        }
        match (&mut self.stored, &array.elems) {
            (Stored::Real { data, .. }, Elems::Real(more)) => data.extend_from_slice(more),
            (Stored::Int { data, .. }, Elems::Int(more)) => data.extend_from_slice(more),
            (Stored::Bool { data, .. }, Elems::Bool(more)) => data.extend_from_slice(more),
            (Stored::Delta { data, .. }, Elems::Delta(more)) => data.extend_from_slice(more),
            (Stored::Dual { data, ids, .. }, Elems::Dual(more, more_ids)) => {
                data.extend_from_slice(more);
                ids.extend_from_slice(more_ids);
            }
            (Stored::Dual { data, ids, .. }, Elems::Real(more)) => {
                data.extend_from_slice(more);
                ids.resize(data.len(), Id::ZERO);
            }
            (Stored::Lanes { data, width, .. }, Elems::Lanes(more, other)) if width == other => {
                data.extend_from_slice(more);
            }
            (Stored::Lanes { data, width, .. }, Elems::Real(more)) => {
                more.iter().for_each(|it| data.resize(data.len() + *width, *it));
            }
            (Stored::Boxed { data, .. }, Elems::Boxed(more)) => data.extend_from_slice(more),
            (Stored::Tuple { parts, .. }, Elems::Tuple(more)) if parts.len() == more.len() => {
                parts.iter_mut().zip(more).try_for_each(|(p, m)| p.push_or_begin(m))?;
            }
            // Rows without elements may be of unknown type.
            _ if array.is_empty() => {}
            _ => return Err(unlike()),
        }
        Ok(())
    }

    fn push_or_begin(&mut self, array: &Array) -> Result<(), Fault> {
        if let Stored::Nothing = self.stored {
            self.stored = self.array_storage(array)?;
        }
        self.push_array(array)
    }

    fn storage(&self, value: &Value) -> Result<Stored, Fault> {
        let row = Shape::scalar();
        let n = self.capacity;
        Ok(match value {
            Value::Real(_) => Stored::Real { row, data: with_capacity(n, 1)? },
            Value::Int(_) => Stored::Int { row, data: with_capacity(n, 1)? },
            Value::Bool(_) => Stored::Bool { row, data: with_capacity(n, 1)? },
            Value::Delta(_) => Stored::Delta { row, data: with_capacity(n, 1)? },
            Value::Dual(..) => {
                Stored::Dual { row, data: with_capacity(n, 1)?, ids: with_capacity(n, 1)? }
            }
            Value::Str(_) | Value::Data(_) | Value::Closure(_) => {
                Stored::Boxed { row, data: with_capacity(n, 1)? }
            }
            Value::Tuple(fields) => {
                Stored::Tuple { row, parts: fields.iter().map(|_| Rows::new(n)).collect() }
            }
            Value::Array(array) => self.array_storage(array)?,
        })
    }

    fn array_storage(&self, array: &Array) -> Result<Stored, Fault> {
        let row = array.shape.clone();
        let n = self.capacity;
        Ok(match &array.elems {
            Elems::Real(data) => Stored::Real { row, data: with_capacity(n, data.len())? },
            Elems::Int(data) => Stored::Int { row, data: with_capacity(n, data.len())? },
            Elems::Bool(data) => Stored::Bool { row, data: with_capacity(n, data.len())? },
            Elems::Delta(data) => Stored::Delta { row, data: with_capacity(n, data.len())? },
            Elems::Dual(data, ids) => Stored::Dual {
                row,
                data: with_capacity(n, data.len())?,
                ids: with_capacity(n, ids.len())?,
            },
            Elems::Lanes(data, width) => {
                Stored::Lanes { row, data: with_capacity(n, data.len())?, width: *width }
            }
            Elems::Boxed(data) => Stored::Boxed { row, data: with_capacity(n, data.len())? },
            Elems::Tuple(parts) => {
                Stored::Tuple { row, parts: parts.iter().map(|_| Rows::new(n)).collect() }
            }
        })
    }

    /// The array of all rows, of the given leading sizes; `None` if there was no row.
    pub(crate) fn finish(self, outer: &[usize]) -> Option<Array> {
        match self.stored {
            Stored::Nothing => None,
            Stored::Real { row, data } => Some(Array::flat(Shape::join(outer, &row), data)),
            Stored::Int { row, data } => Some(Array::flat(Shape::join(outer, &row), data)),
            Stored::Bool { row, data } => Some(Array::flat(Shape::join(outer, &row), data)),
            Stored::Delta { row, data } => Some(Array::flat(Shape::join(outer, &row), data)),
            Stored::Dual { row, data, ids } => {
                let elems = Elems::Dual(data.into(), ids.into());
                Some(Array { shape: Shape::join(outer, &row), elems })
            }
            Stored::Lanes { row, data, width } => {
                let elems = Elems::Lanes(data.into(), width);
                Some(Array { shape: Shape::join(outer, &row), elems })
            }
            Stored::Boxed { row, data } => Some(Array::flat(Shape::join(outer, &row), data)),
            Stored::Tuple { row, parts } => {
                let parts = parts.into_iter().map(|part| part.finish(outer)).collect::<Option<_>>();
                Some(Array { shape: Shape::join(outer, &row), elems: Elems::Tuple(parts?) })
            }
        }
    }

    /// As `finish`; boxed and of unknown type if there was no row.
    pub(crate) fn finish_or_empty(self, outer: &[usize]) -> Array {
        self.finish(outer).unwrap_or_else(|| Array::flat(Shape::new(outer), Vec::<Value>::new()))
    }
}

fn unlike() -> Fault {
    malformed("elements of one array are stored in different ways")
}

fn with_capacity<T: Element>(n_rows: usize, len: usize) -> Result<Vec<T>, Fault> {
    let n_items = n_rows.checked_mul(len);
    reserve(n_items, size_of::<T>())?;
    Ok(Vec::with_capacity(n_items.unwrap_or(0)))
}

/// An array without elements: `outer` sizes, then those of `ty`, which have to be sizes that arrays can
/// have.
pub(crate) fn empty(
    outer: &[usize],
    ty: &Type,
    size: &mut dyn FnMut(&Size) -> Result<usize, Failure>,
) -> Result<Array, Failure> {
    let shape = Shape::new(outer);
    let array = match ty {
        Type::Real => Array { shape, elems: Elems::Real(Slice::from(Vec::new())) },
        Type::Int => Array { shape, elems: Elems::Int(Slice::from(Vec::new())) },
        Type::Bool => Array { shape, elems: Elems::Bool(Slice::from(Vec::new())) },
        Type::Delta => Array { shape, elems: Elems::Delta(Slice::from(Vec::new())) },
        Type::Tuple(parts) if **parts == [Type::Real, Type::Delta] => {
            empty(outer, &Type::Real, size)?
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|part| empty(outer, part, size));
            Array { shape, elems: Elems::Tuple(parts.collect::<Result<_, _>>()?) }
        }
        Type::Array(inner, elem) => {
            let longer: Vec<usize> = outer.iter().copied().chain([size(inner)?]).collect();
            empty(&longer, elem, size)?
        }
        Type::String
        | Type::Function(..)
        | Type::Var(_)
        | Type::Data(..)
        | Type::Dual(_)
        | Type::Tape(_) => Array { shape, elems: Elems::Boxed(Slice::from(Vec::new())) },
    };
    Ok(array)
}

/// How many elements arrays of these sizes have; an error if that is more than any machine holds.
pub(crate) fn checked_count(sizes: &[usize]) -> Result<usize, Fault> {
    count(sizes).filter(|it| *it <= MOST_ELEMENTS).ok_or(Fault::TooLarge)
}
