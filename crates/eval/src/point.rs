//! The point at which a derivative is taken, its leaves and directions, and how derivatives are
//! put together in its structure.

use std::ops::Range;
use std::sync::Arc;

use ::array::Shape;

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::error::{Fault, malformed};
use crate::memory::reserve;
use crate::tree::{
    Leaves, array_of, flatten, join, n_leaves, split, unflatten, unit, walk, zero_of_discrete,
};
use crate::value::Value;

/// Where a derivative is taken.
pub(crate) struct Point {
    pub(crate) level: u32,
    pub(crate) arity: usize,
    /// The argument, or the tuple of all arguments.
    pub(crate) value: Value,
}

impl Point {
    /// How many reals a leaf has.
    pub(crate) fn width(&self) -> usize {
        1 << self.level.min(30)
    }

    /// The arguments of the function.
    pub(crate) fn arguments(&self, value: Value) -> Result<Vec<Value>, Fault> {
        match (&value, self.arity) {
            (_, 1) => Ok(vec![value]),
            (Value::Tuple(fields), arity) if fields.len() == arity => Ok(fields.to_vec()),
            _ => Err(malformed("a derivative at another number of arguments")),
        }
    }

    /// The cotangent of a result that is a real: one.
    pub(crate) fn one(&self) -> Value {
        let mut reals = vec![0.0; self.width()];
        reals[0] = 1.0;
        unflatten(&reals)
    }

    pub(crate) fn n_leaves(&self) -> Result<usize, Fault> {
        let mut found = Count(0);
        walk(self.level, &self.value, &mut found)?;
        Ok(found.0)
    }

    /// The direction of one leaf.
    pub(crate) fn unit(&self, leaf: usize) -> Result<Value, Fault> {
        walk(self.level, &self.value, &mut Unit { leaf: Some(leaf), at: 0 })
    }

    /// The directions of some leaves, a lane for each.
    pub(crate) fn units(&self, leaves: Range<usize>) -> Result<Value, Fault> {
        walk(self.level, &self.value, &mut Units { leaves, at: 0 })
    }

    pub(crate) fn zero(&self) -> Result<Value, Fault> {
        walk(self.level, &self.value, &mut Unit { leaf: None, at: 0 })
    }

    /// The leaf of that number among flattened ones.
    pub(crate) fn leaf(&self, reals: &[f64], number: usize) -> Value {
        let width = self.width();
        unflatten(reals.get(number * width..(number + 1) * width).unwrap_or(&[0.0]))
    }

    /// The structure of the argument with given leaves.
    pub(crate) fn assemble(&self, leaf: &dyn Fn(usize) -> Value) -> Result<Value, Fault> {
        let mut by = Assemble { leaf: &|it| Ok(leaf(it)), like: &Value::Real(0.0), at: 0 };
        walk(self.level, &self.value, &mut by)
    }

    /// The structure of the argument with something like that value in the place of each leaf.
    pub(crate) fn with_rows(
        &self,
        like: &Value,
        row: &dyn Fn(usize) -> Value,
    ) -> Result<Value, Fault> {
        let mut by = Assemble { leaf: &|it| Ok(row(it)), like, at: 0 };
        walk(self.level, &self.value, &mut by)
    }

    /// `template` with every leaf `j` replaced by the structure of the argument, in which
    /// leaf `i` is `entry(i, j)`.
    pub(crate) fn nested(
        &self,
        template: &Value,
        entry: &dyn Fn(usize, usize) -> Value,
    ) -> Result<Value, Fault> {
        let leaf = |j: usize| self.assemble(&|i| entry(i, j));
        walk(self.level, template, &mut Assemble { leaf: &leaf, like: &self.value, at: 0 })
    }
}

/// All leaves of a value, flattened.
pub(crate) fn leaves_of(level: u32, value: &Value) -> Result<Vec<f64>, Fault> {
    let mut reals = Flatten(Vec::new());
    walk(level, value, &mut reals)?;
    Ok(reals.0)
}

struct Count(usize);

impl Leaves for Count {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        self.0 += n_leaves(value);
        Ok(value.clone())
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

struct Flatten(Vec<f64>);

impl Leaves for Flatten {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        flatten(value, &mut self.0);
        Ok(value.clone())
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// Zero everywhere, but for one leaf.
struct Unit {
    leaf: Option<usize>,
    at: usize,
}

impl Leaves for Unit {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let n = n_leaves(value);
        let position = self.leaf.and_then(|it| it.checked_sub(self.at)).filter(|it| *it < n);
        self.at += n;
        Ok(unit(value, position))
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// Zero everywhere, but for one leaf in each lane.
struct Units {
    leaves: Range<usize>,
    at: usize,
}

impl Units {
    /// As [`unit`], for the leaves of a tree, which begin with this one.
    fn of_tree(&self, tree: &Value, at: usize) -> Result<Value, Fault> {
        let n = n_leaves(tree);
        // The same in all lanes.
        if at >= self.leaves.end || at + n <= self.leaves.start {
            return Ok(unit(tree, None));
        }
        if let Some((first, second)) = split(tree) {
            return Ok(join(self.of_tree(&first, at)?, unit(&second, None)));
        }
        let width = self.leaves.len();
        reserve(n.checked_mul(width), size_of::<f64>())?;
        let mut data = vec![0.0; n * width];
        for leaf in self.leaves.start.max(at)..self.leaves.end.min(at + n) {
            data[(leaf - at) * width + leaf - self.leaves.start] = 1.0;
        }
        let shape =
            if let Value::Array(array) = tree { array.shape.clone() } else { Shape::scalar() };
        Ok(Value::array(Array { shape, elems: Elems::Lanes(data.into(), width) }))
    }
}

impl Leaves for Units {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let at = self.at;
        self.at += n_leaves(value);
        self.of_tree(value, at)
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// An array without elements that has something like this in the place of each.
fn nothing_of(array: &Arc<Array>, like: &Value) -> Option<Value> {
    match like {
        Value::Real(_) | Value::Dual(..) => Some(Value::Array(array.clone())),
        Value::Array(inner) if matches!(inner.elems, Elems::Real(_) | Elems::Dual(..)) => {
            let shape = Shape::join(&array.shape, &inner.shape);
            Some(Value::Array(Arc::new(Array::flat::<f64>(shape, Vec::new()))))
        }
        Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Tuple(_) | Value::Data(_) => None,
        Value::Array(_) | Value::Closure(_) | Value::Delta(_) => None,
    }
}

/// Other values in the places of the leaves.
struct Assemble<'a> {
    leaf: &'a dyn Fn(usize) -> Result<Value, Fault>,
    /// Something of the structure of each.
    like: &'a Value,
    at: usize,
}

impl Leaves for Assemble<'_> {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let (n, at) = (n_leaves(value), self.at);
        self.at += n;
        if let Value::Array(array) = value {
            // No value would tell what they are.
            if n == 0
                && let Some(nothing) = nothing_of(array, self.like)
            {
                return Ok(nothing);
            }
            array_of(&array.shape, n, |i| (self.leaf)(at + i))
        } else {
            (self.leaf)(at)
        }
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}
