//! The reals of a value, taken out and put in.

use std::sync::Arc;

use eval::{Array, Data, Elems, Fields, Value};

/// What becomes of everything that is no real.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Others {
    /// It stays.
    Kept,
    /// It becomes zero, as in a tangent; constructors stay.
    Zero,
}

/// The reals of some values, in order.
pub(super) fn reals(values: &[Value]) -> Vec<f64> {
    let mut res = Vec::new();
    values.iter().for_each(|it| add(it, &mut res));
    res
}

fn add(value: &Value, res: &mut Vec<f64>) {
    match value {
        Value::Real(x) => res.push(*x),
        Value::Tuple(parts) => parts.iter().for_each(|it| add(it, res)),
        Value::Data(data) => data.fields.iter().for_each(|it| add(it, res)),
        Value::Array(array) => add_array(array, res),
        Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Closure(_) => {}
        Value::Dual(..) | Value::Delta(_) => {}
    }
}

fn add_array(array: &Array, res: &mut Vec<f64>) {
    match &array.elems {
        Elems::Real(data) => res.extend(data.iter()),
        Elems::Tuple(parts) => parts.iter().for_each(|it| add_array(it, res)),
        Elems::Boxed(data) => data.iter().for_each(|it| add(it, res)),
        Elems::Int(_) | Elems::Bool(_) | Elems::Delta(_) | Elems::Dual(..) => {}
        Elems::Lanes(..) => {}
    }
}

/// Values of the same structure with other reals, as many.
pub(super) fn with_reals(values: &[Value], reals: &[f64], others: Others) -> Vec<Value> {
    let mut fill = Fill { reals: reals.iter(), others };
    values.iter().map(|it| fill.value(it)).collect()
}

struct Fill<'a> {
    reals: std::slice::Iter<'a, f64>,
    others: Others,
}

impl Fill<'_> {
    fn next(&mut self) -> f64 {
        self.reals.next().copied().unwrap_or_default()
    }

    fn value(&mut self, value: &Value) -> Value {
        let keep = self.others == Others::Kept;
        match value {
            Value::Real(_) => Value::Real(self.next()),
            Value::Int(_) if !keep => Value::Int(0),
            Value::Bool(_) if !keep => Value::Bool(false),
            Value::Str(_) if !keep => Value::str(""),
            Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Closure(_) => value.clone(),
            Value::Dual(..) | Value::Delta(_) => value.clone(),
            Value::Tuple(parts) => Value::tuple(parts.iter().map(|it| self.value(it)).collect()),
            Value::Data(data) => {
                let fields = data.fields.iter().map(|it| self.value(it)).collect();
                let (con, fields) = (data.con.clone(), Fields::new(fields));
                Value::Data(Arc::new(Data { con, fields }))
            }
            Value::Array(array) => Value::array(self.array(array)),
        }
    }

    fn array(&mut self, array: &Array) -> Array {
        let keep = self.others == Others::Kept;
        let shape = array.shape.clone();
        match &array.elems {
            Elems::Real(data) => {
                Array::flat(shape, data.iter().map(|_| self.next()).collect::<Vec<f64>>())
            }
            Elems::Int(data) if !keep => Array::flat(shape, vec![0_i64; data.len()]),
            Elems::Bool(data) if !keep => Array::flat(shape, vec![false; data.len()]),
            Elems::Int(_) | Elems::Bool(_) | Elems::Delta(_) | Elems::Dual(..) => array.clone(),
            Elems::Lanes(..) => array.clone(),
            Elems::Tuple(parts) => Array {
                shape,
                elems: Elems::Tuple(parts.iter().map(|it| self.array(it)).collect()),
            },
            Elems::Boxed(data) => {
                Array::flat(shape, data.iter().map(|it| self.value(it)).collect::<Vec<Value>>())
            }
        }
    }
}
