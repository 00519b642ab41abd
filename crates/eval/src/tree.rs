//! Dual numbers in values: pairs, trees of pairs, and the leaves of a value.
//!
//! A real of a `k`-fold dual value is a perfect tree of `k` levels of pairs with reals at the
//! bottom. Trees are recognised by their height: a real has height 0, a pair of values of height
//! `h` has height `h + 1`, nothing else has one. An array of such trees is a tree of arrays of
//! the same shape. A leaf of level `k` is a node of height exactly `k`.

use std::sync::Arc;

use ::array::Shape;

use crate::array::{Array, Elems, Slice};
use crate::closure::Closure;
use crate::error::{Fault, Mismatch, malformed};
use crate::rows::Rows;
use crate::stack::{grown, limited};
use crate::value::{Data, Fields, Value};

/// The parts of a pair, or the arrays of the parts of an array of pairs.
pub(crate) fn split(value: &Value) -> Option<(Value, Value)> {
    match value {
        Value::Tuple(fields) => match &fields[..] {
            [first, second] => Some((first.clone(), second.clone())),
            _ => None,
        },
        Value::Array(array) => match &array.elems {
            Elems::Tuple(parts) => match &parts[..] {
                [first, second] if first.shape == array.shape && second.shape == array.shape => {
                    Some((Value::array(first.clone()), Value::array(second.clone())))
                }
                _ => None,
            },
            Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) => None,
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => None,
        },
        Value::Dual(..)
        | Value::Delta(_)
        | Value::Real(_)
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Data(_)
        | Value::Closure(_) => None,
    }
}

/// A pair, or an array of pairs.
pub(crate) fn join(first: Value, second: Value) -> Value {
    match (&first, &second) {
        (Value::Array(x), Value::Array(y)) if !x.shape.is_empty() => {
            let parts = vec![(**x).clone(), (**y).clone()];
            Value::array(Array { shape: x.shape.clone(), elems: Elems::Tuple(parts) })
        }
        _ => Value::pair(first, second),
    }
}

/// The height of a perfect tree of pairs of reals.
pub(crate) fn height(value: &Value) -> Option<u32> {
    fn of_array(array: &Array) -> Option<u32> {
        match &array.elems {
            Elems::Real(_) | Elems::Dual(..) | Elems::Lanes(..) => Some(0),
            Elems::Tuple(parts) => match &parts[..] {
                [x, y] if x.shape == array.shape && y.shape == array.shape => {
                    same(of_array(x), of_array(y))
                }
                _ => None,
            },
            Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) | Elems::Delta(_) => None,
        }
    }
    fn same(x: Option<u32>, y: Option<u32>) -> Option<u32> {
        if x == y { x.map(|it| it + 1) } else { None }
    }
    match value {
        Value::Real(_) | Value::Dual(..) => Some(0),
        Value::Array(array) => of_array(array),
        Value::Tuple(fields) => match &fields[..] {
            [x, y] => grown(|| same(height(x), height(y))),
            _ => None,
        },
        Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Data(_) | Value::Closure(_) => None,
        Value::Delta(_) => None,
    }
}

/// What to do with the leaves of a value, and with what is none.
pub(crate) trait Leaves {
    /// The error it may end with.
    type Error: From<Fault>;

    /// A leaf, or an array of leaves; gives one of the same leading sizes.
    fn leaf(&mut self, value: &Value) -> Result<Value, Self::Error>;

    /// An integer, a truth value, a text; or an array of the first two.
    fn discrete(&mut self, value: &Value) -> Value {
        value.clone()
    }

    /// A function.
    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Self::Error>;
}

/// Goes through the leaves of a level, in order, and puts a value together again.
pub(crate) fn walk<L: Leaves>(level: u32, value: &Value, by: &mut L) -> Result<Value, L::Error> {
    if height(value) == Some(level) {
        return by.leaf(value);
    }
    limited(|| match value {
        Value::Real(_) | Value::Dual(..) | Value::Delta(_) => Ok(value.clone()),
        Value::Int(_) | Value::Bool(_) | Value::Str(_) => Ok(by.discrete(value)),
        Value::Tuple(fields) => Ok(Value::tuple(walk_all(level, fields, by)?)),
        Value::Data(data) => {
            let fields = Fields::new(walk_all(level, &data.fields, by)?);
            Ok(Value::Data(Arc::new(Data { con: data.con.clone(), fields })))
        }
        Value::Closure(closure) => by.function(closure),
        Value::Array(array) => match &array.elems {
            Elems::Real(_) | Elems::Dual(..) | Elems::Delta(_) => Ok(value.clone()),
            Elems::Lanes(..) => Ok(value.clone()),
            Elems::Int(_) | Elems::Bool(_) => Ok(by.discrete(value)),
            Elems::Tuple(parts) => {
                let mut walked = Vec::with_capacity(parts.len());
                for part in parts {
                    let part = walk(level, &Value::array(part.clone()), by)?;
                    walked.push(into_array(part)?);
                }
                let elems = Elems::Tuple(walked);
                Ok(Value::array(Array { shape: array.shape.clone(), elems }))
            }
            Elems::Boxed(data) => {
                let data = walk_all(level, data, by)?;
                Ok(Value::array(Array::flat(array.shape.clone(), data)))
            }
        },
    })
}

fn walk_all<L: Leaves>(level: u32, values: &[Value], by: &mut L) -> Result<Vec<Value>, L::Error> {
    values.iter().map(|value| walk(level, value, by)).collect()
}

/// The array that a part of an array of tuples must be.
pub(crate) fn into_array(value: Value) -> Result<Array, Fault> {
    let Value::Array(array) = value else { return Err(malformed("a part is no array")) };
    Ok(Arc::try_unwrap(array).unwrap_or_else(|shared| (*shared).clone()))
}

/// Zero, false, the empty text.
pub(crate) fn zero_of_discrete(value: &Value) -> Value {
    match value {
        Value::Int(_) => Value::Int(0),
        Value::Bool(_) => Value::Bool(false),
        Value::Str(_) => Value::str(""),
        Value::Array(array) => match &array.elems {
            Elems::Int(data) => Value::array(Array::flat(array.shape.clone(), vec![0; data.len()])),
            Elems::Bool(data) => {
                Value::array(Array::flat(array.shape.clone(), vec![false; data.len()]))
            }
            Elems::Real(_) | Elems::Tuple(_) | Elems::Boxed(_) => value.clone(),
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => value.clone(),
        },
        Value::Real(_) | Value::Tuple(_) | Value::Data(_) | Value::Closure(_) => value.clone(),
        Value::Dual(..) | Value::Delta(_) => value.clone(),
    }
}

/// The tree of the same form with zeros at the bottom, but for a one at the primal-most real of
/// the element at `position`.
pub(crate) fn unit(tree: &Value, position: Option<usize>) -> Value {
    if let Some((first, second)) = split(tree) {
        return join(unit(&first, position), unit(&second, None));
    }
    let scalar = || Value::Real(if position.is_some() { 1.0 } else { 0.0 });
    let Value::Array(array) = tree else { return scalar() };
    // A real in lanes.
    if array.shape.is_empty() {
        return scalar();
    }
    let mut data = vec![0.0; array.len()];
    if let Some(one) = position.and_then(|it| data.get_mut(it)) {
        *one = 1.0;
    }
    Value::array(Array::flat(array.shape.clone(), data))
}

/// How many leaves a leaf or an array of leaves is.
pub(crate) fn n_leaves(leaf: &Value) -> usize {
    if let Value::Array(array) = leaf { array.len() } else { 1 }
}

/// Writes the reals of every leaf of a tree or array of trees, one leaf after the other.
pub(crate) fn flatten(tree: &Value, out: &mut Vec<f64>) {
    fn bottoms(tree: &Value, out: &mut Vec<Slice<f64>>) {
        if let Some((first, second)) = split(tree) {
            bottoms(&first, out);
            bottoms(&second, out);
        } else if let Value::Array(array) = tree
            && let Elems::Real(data) = &array.elems
        {
            out.push(data.clone());
        }
    }
    if let Value::Real(x) = tree {
        out.push(*x);
    } else if let Value::Array(array) = tree {
        let mut parts = Vec::new();
        bottoms(tree, &mut parts);
        for i in 0..array.len() {
            out.extend(parts.iter().map(|part| part[i]));
        }
    } else if let Some((first, second)) = split(tree) {
        flatten(&first, out);
        flatten(&second, out);
    }
}

/// The tree of some reals, a power of two of them.
pub(crate) fn unflatten(reals: &[f64]) -> Value {
    match reals {
        [] => Value::Real(0.0),
        [x] => Value::Real(*x),
        _ => {
            let (first, second) = reals.split_at(reals.len() / 2);
            Value::pair(unflatten(first), unflatten(second))
        }
    }
}

/// The leaves of a level, in order.
pub(crate) fn leaves(level: u32, value: &Value) -> Result<Vec<Value>, Fault> {
    let mut found = Collect(Vec::new());
    walk(level, value, &mut found)?;
    Ok(found.0)
}

struct Collect(Vec<Value>);

impl Leaves for Collect {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        if let Value::Array(array) = value {
            self.0.extend((0..array.len()).map(|i| array.row(array.shape.len(), i)));
        } else {
            self.0.push(value.clone());
        }
        Ok(value.clone())
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// An array of `n` values that are computed one by one.
pub(crate) fn array_of(
    shape: &Shape,
    n: usize,
    mut item: impl FnMut(usize) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let mut rows = Rows::new(n);
    for i in 0..n {
        rows.push(item(i)?)?;
    }
    Ok(Value::array(rows.finish_or_empty(shape)))
}

/// What does not agree between a value and its tangent.
pub(crate) fn mismatch(value: &Value, tangent: &Value) -> Fault {
    Fault::Tangent(match (value, tangent) {
        (Value::Array(value), Value::Array(tangent)) if value.shape != tangent.shape => {
            Mismatch::Sizes { value: value.shape.to_vec(), given: tangent.shape.to_vec() }
        }
        (Value::Data(value), Value::Data(tangent)) => {
            Mismatch::Constructor { value: value.con.name.clone(), given: tangent.con.name.clone() }
        }
        _ => Mismatch::Kind,
    })
}
