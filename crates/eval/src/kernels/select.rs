//! Selection between two values, element by element.

use ::array::Shape;
use ir::Prim;

use crate::array::{Array, Element, Elems};
use crate::error::Fault;
use crate::kernels::elementwise::{Operand, Side, ill_typed, same_shape};
use crate::kernels::lanes;
use crate::kernels::movement::replicate;
use crate::memory::reserve;
use crate::tree::into_array;
use crate::value::Value;

/// `x` where `c` holds, `y` elsewhere.
pub(super) fn select(c: &Value, x: &Value, y: &Value) -> Result<Value, Fault> {
    let condition = match c {
        Value::Bool(c) => return one(*c, x, y),
        Value::Array(array) => array,
        Value::Real(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Tuple(_)
        | Value::Data(_)
        | Value::Dual(..)
        | Value::Delta(_)
        | Value::Closure(_) => return Err(ill_typed(Prim::Select)),
    };
    let flags = match &condition.elems {
        Elems::Bool(flags) => flags,
        Elems::Boxed(data) if data.is_empty() => return Ok(x.clone()),
        Elems::Real(_) | Elems::Int(_) | Elems::Tuple(_) | Elems::Boxed(_) => {
            return Err(ill_typed(Prim::Select));
        }
        Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
            return Err(ill_typed(Prim::Select));
        }
    };
    if let Some(width) = lanes::width_of_any(&[x, y]) {
        return lanes::pick(&condition.shape, flags, (x, y), width);
    }
    match (Operand::of(x), Operand::of(y)) {
        (Some(Operand::Real(x)), Some(Operand::Real(y))) => pick(&condition.shape, flags, x, y),
        (Some(Operand::Int(x)), Some(Operand::Int(y))) => pick(&condition.shape, flags, x, y),
        (Some(Operand::Bool(x)), Some(Operand::Bool(y))) => pick(&condition.shape, flags, x, y),
        (Some(Operand::Empty(_)), _) => Ok(x.clone()),
        (_, Some(Operand::Empty(_))) => Ok(y.clone()),
        _ => select_parts(c, x, y),
    }
}

/// One of two values; a scalar becomes an array where the other is one.
fn one(c: bool, x: &Value, y: &Value) -> Result<Value, Fault> {
    let (chosen, other) = if c { (x, y) } else { (y, x) };
    match (chosen, other) {
        (Value::Array(it), _) if !it.shape.is_empty() => Ok(chosen.clone()),
        (_, Value::Array(array)) => {
            let mut sizes = array.shape.iter().rev();
            sizes.try_fold(chosen.clone(), |it, n| Ok(Value::array(replicate(&it, *n)?)))
        }
        _ => Ok(chosen.clone()),
    }
}

/// Of arrays of tuples, part by part.
fn select_parts(c: &Value, x: &Value, y: &Value) -> Result<Value, Fault> {
    if let (Value::Array(x), Value::Array(y)) = (x, y)
        && let (Elems::Tuple(xs), Elems::Tuple(ys)) = (&x.elems, &y.elems)
    {
        let parts = xs.iter().zip(ys).map(|(x, y)| {
            into_array(select(c, &Value::array(x.clone()), &Value::array(y.clone()))?)
        });
        let elems = Elems::Tuple(parts.collect::<Result<_, _>>()?);
        return Ok(Value::array(Array { shape: x.shape.clone(), elems }));
    }
    Err(ill_typed(Prim::Select))
}

fn pick<T: Element>(
    shape: &Shape,
    flags: &[bool],
    x: Side<'_, T>,
    y: Side<'_, T>,
) -> Result<Value, Fault> {
    same_shape(Some(shape), x.shape())?;
    same_shape(Some(shape), y.shape())?;
    reserve(Some(flags.len()), size_of::<T>())?;
    let pick = |(i, c): (usize, &bool)| if *c { x.get(i).clone() } else { y.get(i).clone() };
    Ok(Value::array(Array::flat(shape.clone(), flags.iter().enumerate().map(pick).collect())))
}
