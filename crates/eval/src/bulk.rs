//! Operations on whole arrays, and on whole values.

use ::array::Shape;
use ir::Type;

use crate::array::{Array, Elems};
use crate::code::{Arg, Bulk, SizeCode, Stmt};
use crate::control::as_array;
use crate::cost::Kind;
use crate::equal::{Tolerance, equal};
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::kernels::reduce::Extreme;
use crate::kernels::{movement, reduce};
use crate::memory::reserve;
use crate::operands::natural;
use crate::rows::checked_count;
use crate::value::Value;

impl Evaluator {
    /// Operations on whole arrays, and on whole values.
    #[inline(never)]
    pub(crate) fn bulk(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        bulk: &Bulk,
    ) -> Result<Value, Failure> {
        match bulk {
            Bulk::TupleArray { rank, parts } => self.tuple_array(frame, stmt, *rank, parts),
            Bulk::Array(parts) => self.array_literal(frame, parts, stmt.dest),
            Bulk::Slice { array, axis, from, to } => {
                let (from, to) = (self.bounded(frame, from)?, self.bounded(frame, to)?);
                self.moving(frame, array, |array| movement::slice(array, *axis, from, to))
            }
            Bulk::Reduce { reduction, axis, array } => {
                let value = self.fetch_known(frame, array);
                let array = as_array(&value)?;
                if let Elems::Delta(ids) = &array.elems {
                    return self.sum_deltas(*axis, array, ids);
                }
                self.counters.kind(Kind::Reduce, array.n_items());
                Ok(reduce::reduce(*reduction, *axis, array, self.limits.precision)?)
            }
            Bulk::Argmax(array) => self.extreme(frame, array, Extreme::Greatest),
            Bulk::Argmin(array) => self.extreme(frame, array, Extreme::Least),
            Bulk::Gather { array, indices, mask } => {
                self.gather(frame, array, indices, mask.as_ref())
            }
            Bulk::Scatter { into, indices, values, mask } => {
                self.scatter(frame, into, (indices, mask.as_ref()), values)
            }
            Bulk::Replicate { size, value } => {
                let n = self.natural(frame, size)?;
                let value = self.fetch_known(frame, value);
                self.counters.moved(n);
                Ok(Value::array(movement::replicate(&value, n)?))
            }
            Bulk::Iota(size) => {
                let n = self.natural(frame, size)?;
                reserve(Some(n), size_of::<i64>())?;
                self.counters.moved(n);
                Ok(Value::array(Array::ints((0..n as i64).collect())))
            }
            Bulk::Transpose { array, permutation } => {
                self.moving(frame, array, |array| movement::transpose(array, permutation))
            }
            Bulk::Reshape { array, rank, sizes } => self.reshape(frame, array, *rank, sizes),
            Bulk::Whole { array, by, kind } => {
                let value = self.fetch_known(frame, array);
                let res = by(as_array(&value)?)?;
                if let Kind::Move = kind {
                    self.counters.moved(res.n_items());
                } else {
                    self.counters.kind(*kind, res.n_items());
                }
                Ok(Value::array(res))
            }
            Bulk::Concat(arrays) => {
                let values: Vec<Value> =
                    arrays.iter().map(|arg| self.fetch_known(frame, arg)).collect();
                let arrays: Vec<&Array> = values.iter().map(as_array).collect::<Result<_, _>>()?;
                let res = movement::concat(&arrays)?;
                self.counters.moved(res.n_items());
                Ok(Value::array(res))
            }
            Bulk::Sized { array, size } => {
                let expected = self.bounded(frame, size)?;
                let value = self.fetch_known(frame, array);
                let found = as_array(&value)?.shape.first().copied().unwrap_or(0);
                if usize::try_from(expected) == Ok(found) {
                    return Ok(value);
                }
                let negative = |_| Failure::from(Fault::NegativeSize(expected));
                let expected = vec![usize::try_from(expected).map_err(negative)?];
                Err(Fault::Sizes { expected, found: vec![found] }.into())
            }
            Bulk::Equal(x, y) => self.compare(frame, x, y, Tolerance::Exact),
            Bulk::Close(x, y) => self.compare(frame, x, y, Tolerance::close(self.limits.precision)),
            Bulk::Lift { level, value } => {
                let value = self.fetch(frame, value);
                self.counters.kind(Kind::Dual, 1);
                self.lift(*level, &value)
            }
            Bulk::Primal { level, value } => {
                let value = self.fetch(frame, value);
                self.counters.kind(Kind::Dual, 1);
                Ok(self.primal(*level, &value)?)
            }
            Bulk::Tangent { level, value } => {
                let value = self.fetch_known(frame, value);
                self.counters.kind(Kind::Dual, 1);
                Ok(self.tangent_at(*level, &value)?)
            }
            Bulk::Pair { beside, level, value, tangent } => {
                let value = self.fetch_known(frame, value);
                let tangent = self.fetch_known(frame, tangent);
                self.counters.kind(Kind::Dual, 1);
                self.zip_at(*level, &value, &tangent).map_err(|it| it.beside(*beside))
            }
            Bulk::Derive { operator, level, dual, function, args } => {
                let function = self.fetch(frame, function);
                let args = self.fetch_all(frame, args);
                self.derive_op(*operator, *level, *dual, &function, args)
            }
            Bulk::Tell { saying, every, text, value } => {
                let every = self.int(frame, every)?;
                let text = self.fetch(frame, text);
                let value = self.fetch_known(frame, value);
                self.tell(*saying, every, &text, &value);
                Ok(value)
            }
            Bulk::Combine(terms) => self.combine(frame, terms),
            Bulk::Strip(value) => {
                let value = self.fetch(frame, value);
                self.counters.kind(Kind::Dual, 1);
                Ok(self.strip(&value)?)
            }
            Bulk::Pullback { by, value, inputs, function } => {
                let value = self.fetch_known(frame, value);
                let inputs = self.fetch_all(frame, inputs);
                let function = self.fetch(frame, function);
                self.pullback(*by, &value, inputs, function)
            }
        }
    }

    fn moving(
        &mut self,
        frame: Frame<'_>,
        array: &Arg,
        f: impl FnOnce(&Array) -> Result<Array, Fault>,
    ) -> Result<Value, Failure> {
        let value = self.fetch_known(frame, array);
        let res = f(as_array(&value)?)?;
        self.counters.moved(res.n_items());
        Ok(Value::array(res))
    }

    fn extreme(
        &mut self,
        frame: Frame<'_>,
        array: &Arg,
        extreme: Extreme,
    ) -> Result<Value, Failure> {
        let value = self.fetch(frame, array);
        let array = as_array(&value)?;
        self.counters.kind(Kind::Reduce, array.len());
        Ok(reduce::position(extreme, array)?)
    }

    fn compare(
        &mut self,
        frame: Frame<'_>,
        x: &Arg,
        y: &Arg,
        tolerance: Tolerance,
    ) -> Result<Value, Failure> {
        let x = self.fetch(frame, x);
        let y = self.fetch(frame, y);
        let mut seen = 0;
        let res = equal(&x, &y, tolerance, &mut seen)?;
        self.counters.kind(Kind::Equal, seen);
        Ok(Value::Bool(res))
    }

    fn tuple_array(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        rank: usize,
        parts: &[Arg],
    ) -> Result<Value, Failure> {
        let mut arrays: Vec<Array> = Vec::with_capacity(parts.len());
        for part in parts {
            let value = self.fetch_known(frame, part);
            arrays.push(as_array(&value)?.clone());
        }
        let shape = match arrays.first() {
            Some(first) => first.shape.get(..rank).map(Shape::new),
            None => self.leading_sizes(frame, stmt, rank)?,
        };
        let shape = shape.ok_or_else(|| malformed("an axis is missing"))?;
        for array in &arrays {
            if !array.shape.starts_with(&shape) {
                let found = array.shape.to_vec();
                return Err(Fault::Sizes { expected: shape.to_vec(), found }.into());
            }
        }
        checked_count(&shape)?;
        if let [Array { elems: Elems::Real(data), .. }, Array { elems: Elems::Delta(ids), .. }] =
            &arrays[..]
        {
            let elems = match self.tape.are_constant(ids) {
                true => Elems::Real(data.clone()),
                false => Elems::Dual(data.clone(), ids.clone()),
            };
            return Ok(Value::array(Array { shape, elems }));
        }
        Ok(Value::array(Array { shape, elems: Elems::Tuple(arrays) }))
    }

    /// The first sizes in the type of what a statement binds.
    fn leading_sizes(
        &self,
        frame: Frame<'_>,
        stmt: &Stmt,
        rank: usize,
    ) -> Result<Option<Shape>, Failure> {
        let Some(Some(mut ty)) = frame.function.types.get(stmt.dest as usize).map(Option::as_ref)
        else {
            return Ok(None);
        };
        let mut sizes = Vec::new();
        for _ in 0..rank {
            let Type::Array(size, elem) = ty else { return Ok(None) };
            sizes.push(natural(size.checked(&mut |var| self.slot_int(frame, var.0)))?);
            ty = elem;
        }
        Ok(Some(Shape::new(&sizes)))
    }

    /// An element of a flat array of scalars, the most frequent case.
    #[inline]
    pub(crate) fn quick_index(
        &self,
        frame: Frame<'_>,
        array: &Arg,
        indices: &[Arg],
    ) -> Option<Value> {
        let Value::Array(array) = self.peek(frame, array) else { return None };
        if array.shape.len() != indices.len() {
            return None;
        }
        let mut position = 0;
        for (index, size) in indices.iter().zip(array.shape.iter()) {
            let Value::Int(index) = self.peek(frame, index) else { return None };
            let index = usize::try_from(*index).ok().filter(|index| index < size)?;
            position = position * size + index;
        }
        match &array.elems {
            Elems::Real(data) => Some(Value::Real(data[position])),
            Elems::Int(data) => Some(Value::Int(data[position])),
            Elems::Bool(data) => Some(Value::Bool(data[position])),
            Elems::Delta(data) => Some(Value::Delta(data[position])),
            Elems::Dual(data, ids) => Some(Value::dual(ids[position], data[position])),
            Elems::Tuple(_) | Elems::Boxed(_) | Elems::Lanes(..) => None,
        }
    }

    /// An element or a row of any array.
    #[inline(never)]
    pub(crate) fn index(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        array: &Arg,
        indices: &[Arg],
    ) -> Result<(), Failure> {
        self.counters.kind(Kind::Index, 1);
        let value = self.fetch(frame, array);
        let array = as_array(&value)?;
        let mut position = 0;
        for (axis, arg) in indices.iter().enumerate() {
            let size = *array.shape.get(axis).ok_or_else(|| malformed("an axis is missing"))?;
            let index = self.int(frame, arg)?;
            let inside = usize::try_from(index).ok().filter(|index| *index < size);
            position = position * size + inside.ok_or(Fault::Index { index, size, axis })?;
        }
        let row = array.row(indices.len(), position);
        self.set(frame, stmt.dest, row);
        Ok(())
    }

    fn reshape(
        &mut self,
        frame: Frame<'_>,
        array: &Arg,
        rank: usize,
        sizes: &[SizeCode],
    ) -> Result<Value, Failure> {
        let to: Vec<usize> =
            sizes.iter().map(|size| self.natural(frame, size)).collect::<Result<_, _>>()?;
        let value = self.fetch_known(frame, array);
        let array = as_array(&value)?;
        let from = array.shape.get(..rank).ok_or_else(|| malformed("an axis is missing"))?;
        if checked_count(&to)? != checked_count(from)? {
            return Err(Fault::Reshape { from: from.to_vec(), to }.into());
        }
        self.counters.kind(Kind::Move, 1);
        let res = array.reshaped(rank, &to);
        // To no sizes at all: the element itself.
        Ok(if res.shape.is_empty() { res.row(0, 0) } else { Value::array(res) })
    }
}
