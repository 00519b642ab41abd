//! Definitions with derivatives of their own: pairs of a value and its tangent, and entries of the
//! tape whose sweep is a call.

use std::sync::Arc;

use ir::Linear;

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::cost::Kind;
use crate::dual::lifted_function;
use crate::error::{Failure, malformed};
use crate::eval::Evaluator;
use crate::point::Point;
use crate::reverse::{Lookup, seed};
use crate::stack::limited;
use crate::tape::{Cotangents, Whole};
use crate::taped::Variables;
use crate::tree::{Leaves, height, into_array, join, mismatch, unit, walk, zero_of_discrete};
use crate::value::{Data, Fields, Value};

/// A value that was computed without recording.
pub(crate) struct Pullback {
    /// The inputs, with Deltas; their tuple if there are several.
    inputs: Value,
    /// From the cotangent of the value to that of the inputs, or from tangents of the inputs to that of
    /// the value.
    function: Value,
    by: Linear,
    /// The value, with the Deltas of this entry.
    value: Value,
}

impl Pullback {
    /// What the value depends on.
    pub(crate) fn inputs(&self) -> &Value {
        &self.inputs
    }
}

impl Evaluator {
    /// The value with new Deltas, whose cotangent goes to the inputs through the function.
    pub(crate) fn pullback(
        &mut self,
        by: Linear,
        value: &Value,
        mut inputs: Vec<Value>,
        function: Value,
    ) -> Result<Value, Failure> {
        let inputs = if inputs.len() == 1 { inputs.remove(0) } else { Value::tuple(inputs) };
        // The identifiers of the value are those that the entry will have.
        let first = self.tape.mark().next;
        let mut variables = Variables { next: first };
        let value = walk(0, value, &mut variables)?;
        let n = (variables.next - first) as usize;
        self.counters.kind(Kind::Record, n);
        let what = Pullback { inputs, function, by, value: value.clone() };
        self.tape.whole(n, Whole::Pullback(Box::new(what)))?;
        Ok(value)
    }

    /// Passes the cotangent of the value on to the inputs.
    pub(crate) fn sweep_pullback(
        &mut self,
        it: &Pullback,
        cotangents: &mut Cotangents,
    ) -> Result<(), Failure> {
        let cotangent = walk(0, &it.value, &mut Lookup(cotangents))?;
        let of_inputs = match it.by {
            Linear::Recorded => return limited(|| self.sweep_recorded(it, &cotangent, cotangents)),
            Linear::Pullback => self.apply_value(&it.function, vec![cotangent])?,
            Linear::Pushforward => {
                let point = self.strip(&it.inputs)?;
                self.transposed(&it.function, point, &cotangent)?
            }
        };
        seed(&it.inputs, &of_inputs, cotangents)
    }

    /// The clause is recorded at directions that are zero and have the Deltas of the inputs, and swept
    /// at once. See Note [Tangents of functions].
    fn sweep_recorded(
        &mut self,
        it: &Pullback,
        cotangent: &Value,
        cotangents: &mut Cotangents,
    ) -> Result<(), Failure> {
        let Value::Closure(function) = &it.function else {
            return Err(malformed("a clause that is no function").into());
        };
        let start = self.tape.mark();
        let function = self.taped(function)?;
        let directions = self.zeroed(&it.inputs)?;
        let at = Point { level: 0, arity: function.arity(), value: directions };
        let output = self.apply_closure(&function, at.arguments(at.value.clone())?)?;
        let end = self.tape.mark();
        cotangents.extend(end.next)?;
        seed(&output, cotangent, cotangents)?;
        self.sweep(start, end, cotangents)?;
        self.tape.rewind(start);
        cotangents.truncate(start.next);
        Ok(())
    }

    /// Zero with the Deltas of a value.
    pub(crate) fn zeroed(&mut self, value: &Value) -> Result<Value, Failure> {
        walk(0, value, &mut Zeroed(self))
    }

    /// Leaves `v` and `w` of `level` become the leaf `(v, w)`; their structures must agree.
    pub(crate) fn zip_at(
        &mut self,
        level: u32,
        value: &Value,
        tangent: &Value,
    ) -> Result<Value, Failure> {
        if height(value) == Some(level) && height(tangent) == Some(level) && alike(value, tangent) {
            return Ok(join(value.clone(), tangent.clone()));
        }
        limited(|| match (value, tangent) {
            (Value::Int(_), Value::Int(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Str(_), Value::Str(_)) => Ok(value.clone()),
            (Value::Tuple(x), Value::Tuple(dx)) if x.len() == dx.len() => {
                Ok(Value::tuple(self.zip_all_at(level, x, dx)?))
            }
            (Value::Data(x), Value::Data(dx)) if x.con.tag == dx.con.tag => {
                let fields = Fields::new(self.zip_all_at(level, &x.fields, &dx.fields)?);
                Ok(Value::Data(Arc::new(Data { con: x.con.clone(), fields })))
            }
            (Value::Closure(function), Value::Closure(_)) => lifted_function(self, level, function),
            (Value::Array(x), Value::Array(dx)) => self.zip_arrays_at(level, x, dx),
            _ => Err(mismatch(value, tangent).into()),
        })
    }

    fn zip_all_at(
        &mut self,
        level: u32,
        values: &[Value],
        tangents: &[Value],
    ) -> Result<Vec<Value>, Failure> {
        values.iter().zip(tangents).map(|(x, dx)| self.zip_at(level, x, dx)).collect()
    }

    fn zip_arrays_at(&mut self, level: u32, x: &Array, dx: &Array) -> Result<Value, Failure> {
        let wrong = || mismatch(&Value::array(x.clone()), &Value::array(dx.clone())).into();
        if x.shape != dx.shape {
            return Err(wrong());
        }
        match (&x.elems, &dx.elems) {
            (Elems::Int(_), Elems::Int(_)) | (Elems::Bool(_), Elems::Bool(_)) => {
                Ok(Value::array(x.clone()))
            }
            (Elems::Tuple(xs), Elems::Tuple(dxs)) if xs.len() == dxs.len() => {
                let mut parts = Vec::with_capacity(xs.len());
                for (x, dx) in xs.iter().zip(dxs) {
                    let (x, dx) = (Value::array(x.clone()), Value::array(dx.clone()));
                    parts.push(into_array(self.zip_at(level, &x, &dx)?)?);
                }
                Ok(Value::array(Array { shape: x.shape.clone(), elems: Elems::Tuple(parts) }))
            }
            (Elems::Boxed(xs), Elems::Boxed(dxs)) => {
                let elems = self.zip_all_at(level, xs, dxs)?;
                Ok(Value::array(Array::flat(x.shape.clone(), elems)))
            }
            // Without elements, one of them may not know its type.
            _ if x.is_empty() => {
                Ok(Value::array(Array::flat(x.shape.clone(), Vec::<Value>::new())))
            }
            _ => Err(wrong()),
        }
    }
}

/// Whether both are scalars, or arrays of equal sizes. A real in lanes is a scalar.
fn alike(x: &Value, y: &Value) -> bool {
    match (x, y) {
        (Value::Array(x), Value::Array(y)) => x.shape == y.shape,
        (Value::Array(it), _) | (_, Value::Array(it)) => it.shape.is_empty(),
        _ => true,
    }
}

struct Zeroed<'a>(&'a mut Evaluator);

impl Leaves for Zeroed<'_> {
    type Error = Failure;

    fn leaf(&mut self, value: &Value) -> Result<Value, Failure> {
        if let Value::Dual(id, _) = value {
            return Ok(Value::Dual(*id, 0.0));
        }
        if let Value::Array(array) = value
            && let Elems::Dual(_, ids) = &array.elems
        {
            let elems = Elems::Dual(vec![0.0; ids.len()].into(), ids.clone());
            return Ok(Value::array(Array { shape: array.shape.clone(), elems }));
        }
        Ok(unit(value, None))
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Failure> {
        Ok(Value::Closure(Arc::new(Closure::Zeroed(self.0.taped(function)?))))
    }
}

// Note [Tangents of functions]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// A definition that takes a function `g` may come with a jvp, which takes beside `g` its tangent: the
// function that gives for an argument how the result of `g` changes with what `g` captured.
//
// By forward mode, `g` is a function on dual numbers, whose captured values carry tangents. At an
// argument without tangents, the tangent of its result is due to what it captured: `Half`.
//
// By reverse mode the clause is linear in the tangents, and is transposed by recording it. Directions
// of the inputs are recorded as zero with the Deltas of the inputs themselves: the derivative of
// a linear function is the same everywhere, and what a direction is owed is what its input is owed.
// The tangent of `g` is then zero with the Deltas that the result of `g` has at an argument without
// Deltas: `Zeroed`. So what `g` captured gets its cotangents directly, however deep it is hidden.
