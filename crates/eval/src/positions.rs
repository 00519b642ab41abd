//! Gather and scatter: where indices point to, checked, and what moves there.

use std::sync::Arc;

use ::array::{Shape, count};

use crate::array::{Array, Elems};
use crate::code::Arg;
use crate::control::as_array;
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::kernels::{movement, reduce};
use crate::memory::reserve;
use crate::tape::Id;
use crate::value::Value;

/// Where index arrays point to.
struct Positions {
    /// The common sizes of the index arrays.
    sizes: Vec<usize>,
    /// Blocks by number; `NOWHERE` where the mask does not hold.
    at: Vec<usize>,
}

/// The position of what the mask leaves out.
pub(crate) const NOWHERE: usize = usize::MAX;

impl Evaluator {
    pub(crate) fn gather(
        &mut self,
        frame: Frame<'_>,
        array: &Arg,
        indices: &[Arg],
        mask: Option<&Arg>,
    ) -> Result<Value, Failure> {
        let array = self.fetch_known(frame, array);
        let array = as_array(&array)?;
        let positions = self.positions(frame, indices, mask, array)?;
        self.counters.moved(positions.at.len());
        let res = match mask {
            None => movement::select(array, indices.len(), &positions.sizes, &positions.at)?,
            Some(_) => {
                movement::select_or_zero(array, indices.len(), &positions.sizes, &positions.at)?
            }
        };
        // Of scalar indices: the element itself.
        Ok(if res.shape.is_empty() { res.row(0, 0) } else { Value::array(res) })
    }

    pub(crate) fn scatter(
        &mut self,
        frame: Frame<'_>,
        into: &Arg,
        (indices, mask): (&[Arg], Option<&Arg>),
        values: &Arg,
    ) -> Result<Value, Failure> {
        let Value::Array(mut into) = self.fetch_known(frame, into) else {
            return Err(malformed("an array is expected").into());
        };
        let positions = self.positions(frame, indices, mask, &into)?;
        let mut values = self.fetch_known(frame, values);
        if let Value::Real(one) = values {
            values = Value::array(Array::flat(Shape::new(&[]), vec![one]));
        } else if let Value::Int(one) = values {
            values = Value::array(Array::flat(Shape::new(&[]), vec![one]));
        } else if let Value::Delta(one) = values {
            values = Value::array(Array::flat(Shape::new(&[]), vec![one]));
        }
        let values = as_array(&values)?;
        if let (Elems::Delta(_), Elems::Delta(from)) = (&into.elems, &values.elems) {
            let (into, rank) = (Arc::unwrap_or_clone(into), indices.len());
            if positions.at.contains(&NOWHERE) {
                let (at, from) = kept(&positions.at, from);
                return self.scatter_deltas(into, rank, &at, &from.into());
            }
            return self.scatter_deltas(into, rank, &positions.at, from);
        }
        if !values.shape.starts_with(&positions.sizes) {
            let found = values.shape.iter().take(positions.sizes.len()).copied().collect();
            return Err(Fault::Sizes { expected: positions.sizes, found }.into());
        }
        self.counters.prim(ir::Prim::Add, values.n_items());
        if Arc::get_mut(&mut into).is_none() {
            reserve(count(&into.shape), size_of::<f64>())?;
        }
        let ranks = (indices.len(), positions.sizes.len());
        let precision = self.limits.precision;
        reduce::scatter(Arc::make_mut(&mut into), ranks, &positions.at, values, precision)?;
        Ok(Value::Array(into))
    }

    /// The blocks of an array that indices point to, checked where the mask holds.
    fn positions(
        &mut self,
        frame: Frame<'_>,
        indices: &[Arg],
        mask: Option<&Arg>,
        array: &Array,
    ) -> Result<Positions, Failure> {
        let indices: Vec<Value> = indices.iter().map(|it| self.fetch(frame, it)).collect();
        let mask = mask.map(|it| self.fetch(frame, it));
        let arrays = indices.iter().chain(&mask).filter(|it| matches!(it, Value::Array(_)));
        let mut sizes: Option<Vec<usize>> = None;
        for value in arrays {
            let shape = as_array(value)?.shape.to_vec();
            match &sizes {
                Some(sizes) if *sizes != shape => {
                    return Err(Fault::Sizes { expected: sizes.clone(), found: shape }.into());
                }
                _ => sizes = Some(shape),
            }
        }
        let sizes = sizes.unwrap_or_default();
        let n = count(&sizes).ok_or_else(|| malformed("an index array that is too large"))?;
        reserve(Some(n), size_of::<usize>())?;
        let holds = mask.as_ref().map(bools).transpose()?;
        let holds = |i: usize| match holds {
            None => true,
            Some([one]) => *one,
            Some(many) => many.get(i).copied().unwrap_or(false),
        };
        let mut at = vec![0; n];
        for (axis, index) in indices.iter().enumerate() {
            let size = *array.shape.get(axis).ok_or_else(|| malformed("an axis is missing"))?;
            let (data, step) = ints(index)?;
            for (i, position) in at.iter_mut().enumerate() {
                if !holds(i) {
                    *position = NOWHERE;
                    continue;
                }
                let index = data[i * step];
                let inside = usize::try_from(index).ok().filter(|it| *it < size);
                *position = *position * size + inside.ok_or(Fault::Index { index, size, axis })?;
            }
        }
        Ok(Positions { sizes, at })
    }
}

/// The positions where a mask holds, and the rows of values there.
fn kept(at: &[usize], values: &[Id]) -> (Vec<usize>, Vec<Id>) {
    let inner = values.len() / at.len().max(1);
    let (mut positions, mut rows) = (Vec::new(), Vec::new());
    for (row, position) in at.iter().enumerate().filter(|it| *it.1 != NOWHERE) {
        positions.push(*position);
        rows.extend_from_slice(&values[row * inner..(row + 1) * inner]);
    }
    (positions, rows)
}

/// The integers of an index, and how far apart they are: 0 for a scalar.
fn ints(value: &Value) -> Result<(&[i64], usize), Fault> {
    match value {
        Value::Int(one) => Ok((std::slice::from_ref(one), 0)),
        Value::Array(array) => match &array.elems {
            Elems::Int(data) => Ok((data, 1)),
            Elems::Boxed(data) if data.is_empty() => Ok((&[], 1)),
            Elems::Real(_) | Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) => {
                Err(malformed("indices that are no Ints"))
            }
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                Err(malformed("indices that are no Ints"))
            }
        },
        Value::Real(_) | Value::Bool(_) | Value::Str(_) | Value::Tuple(_) | Value::Data(_) => {
            Err(malformed("indices that are no Ints"))
        }
        Value::Dual(..) | Value::Delta(_) | Value::Closure(_) => {
            Err(malformed("indices that are no Ints"))
        }
    }
}

/// The truth values of a mask.
fn bools(value: &Value) -> Result<&[bool], Fault> {
    match value {
        Value::Bool(one) => Ok(std::slice::from_ref(one)),
        Value::Array(array) => match &array.elems {
            Elems::Bool(data) => Ok(data),
            Elems::Boxed(data) if data.is_empty() => Ok(&[]),
            Elems::Real(_) | Elems::Int(_) | Elems::Tuple(_) | Elems::Boxed(_) => {
                Err(malformed("a mask of what are no Bools"))
            }
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                Err(malformed("a mask of what are no Bools"))
            }
        },
        Value::Real(_) | Value::Int(_) | Value::Str(_) | Value::Tuple(_) | Value::Data(_) => {
            Err(malformed("a mask of what are no Bools"))
        }
        Value::Dual(..) | Value::Delta(_) | Value::Closure(_) => {
            Err(malformed("a mask of what are no Bools"))
        }
    }
}
