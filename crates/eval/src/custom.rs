//! Definitions with derivatives of their own: pairs of a value and its tangent, and entries of the
//! tape whose sweep is a call.

use std::sync::Arc;

use ir::Linear;

use crate::array::{Array, Elems};
use crate::cost::Kind;
use crate::dual::lifted_function;
use crate::error::Failure;
use crate::eval::Evaluator;
use crate::reverse::{Lookup, seed};
use crate::stack::limited;
use crate::tape::{Cotangents, Whole};
use crate::taped::Variables;
use crate::tree::{height, into_array, join, mismatch, walk};
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
            Linear::Pullback => self.apply_value(&it.function, vec![cotangent])?,
            Linear::Pushforward => {
                let point = self.strip(&it.inputs)?;
                self.transposed(&it.function, point, &cotangent)?
            }
        };
        seed(&it.inputs, &of_inputs, cotangents)
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

/// Whether both are scalars, or arrays of equal sizes.
fn alike(x: &Value, y: &Value) -> bool {
    match (x, y) {
        (Value::Array(x), Value::Array(y)) => x.shape == y.shape,
        (Value::Array(_), _) | (_, Value::Array(_)) => false,
        _ => true,
    }
}
