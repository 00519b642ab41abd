//! Reals in lanes: those of several runs that go in step (`directions.rs`).
//!
//! What is done to such reals is done in every lane, the same operation on the same numbers as in a run of
//! its own, so results agree to the bit. What cannot be one step of all runs, such as a comparison, which may
//! hold in one lane only, is refused: [`apart`].

use ::array::{Shape, count};
use ir::Prim;

use crate::array::{Array, Elems, Slice};
use crate::error::{Fault, malformed};
use crate::kernels::elementwise::{Precision, ill_typed};
use crate::kernels::scalar::{RealPrim, on_reals};
use crate::memory::reserve;
use crate::value::Value;

/// Why runs do not go in step.
#[cold]
pub(crate) fn apart() -> Fault {
    malformed("runs in step come apart")
}

/// In how many lanes a value is, if it is a real or an array of reals in lanes.
pub(crate) fn width(value: &Value) -> Option<usize> {
    let Value::Array(array) = value else { return None };
    if let Elems::Lanes(_, width) = array.elems { Some(width) } else { None }
}

/// In how many lanes the first of some values is that is in lanes.
pub(crate) fn width_of_any(values: &[&Value]) -> Option<usize> {
    values.iter().find_map(|it| width(it))
}

/// In how many lanes the first of some arrays is that is in lanes.
pub(crate) fn common_width(arrays: &[&Array]) -> Option<usize> {
    let width =
        |it: &&Array| if let Elems::Lanes(_, width) = it.elems { Some(width) } else { None };
    arrays.iter().find_map(width)
}

/// An array of reals, in lanes or the same in all, with the axis of the lanes to be seen.
pub(crate) fn revealed(array: Array, width: usize) -> Result<Array, Fault> {
    let shape = Shape::join(&array.shape, &[width]);
    let elems = match array.elems {
        Elems::Lanes(data, other) if other == width => Elems::Real(data),
        Elems::Real(data) => {
            reserve(data.len().checked_mul(width), size_of::<f64>())?;
            let mut wide = Vec::with_capacity(data.len() * width);
            data.iter().for_each(|it| wide.resize(wide.len() + width, *it));
            Elems::Real(wide.into())
        }
        Elems::Boxed(data) if data.is_empty() => Elems::Real(Vec::new().into()),
        Elems::Lanes(..) | Elems::Int(_) | Elems::Bool(_) | Elems::Tuple(_) => return Err(apart()),
        Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => return Err(apart()),
    };
    Ok(Array { shape, elems })
}

/// An array of reals whose last axis are lanes.
pub(crate) fn hidden(array: Array) -> Result<Array, Fault> {
    let (Some((width, sizes)), Elems::Real(data)) = (array.shape.split_last(), array.elems) else {
        return Err(apart());
    };
    Ok(Array { shape: Shape::new(sizes), elems: Elems::Lanes(data, *width) })
}

/// One lane of a real or an array of reals.
pub(crate) fn lane(value: &Value, number: usize) -> Value {
    let Value::Array(array) = value else { return value.clone() };
    let Elems::Lanes(data, width) = &array.elems else { return value.clone() };
    let reals: Vec<f64> = data.iter().skip(number).step_by(*width).copied().collect();
    match (&array.shape[..], &reals[..]) {
        ([], [one]) => Value::Real(*one),
        _ => Value::array(Array::flat(array.shape.clone(), reals)),
    }
}

fn in_lanes(shape: Shape, data: Vec<f64>, width: usize) -> Value {
    Value::array(Array { shape, elems: Elems::Lanes(data.into(), width) })
}

/// A primitive of one operand.
pub(super) fn unary(
    prim: Prim,
    shape: Shape,
    (data, width): (&Slice<f64>, usize),
    precision: Precision,
) -> Result<Value, Fault> {
    let Some(RealPrim::Unary(f)) = on_reals(prim) else { return Err(apart()) };
    reserve(Some(data.len()), size_of::<f64>())?;
    Ok(in_lanes(shape, data.iter().map(|it| precision.round(f(*it))).collect(), width))
}

/// An operand: a real or an array of them, in lanes or not.
struct Operand<'a> {
    shape: &'a [usize],
    data: &'a [f64],
    /// The lanes of an element; 1 if they are all the same.
    width: usize,
}

/// The lanes of one element.
enum Lanes<'a> {
    Same(f64),
    Each(&'a [f64]),
}

impl<'a> Operand<'a> {
    fn of(value: &'a Value, width: usize) -> Result<Operand<'a>, Fault> {
        if let Value::Real(one) = value {
            return Ok(Operand { shape: &[], data: std::slice::from_ref(one), width: 1 });
        }
        let Value::Array(array) = value else { return Err(apart()) };
        match &array.elems {
            Elems::Real(data) => Ok(Operand { shape: &array.shape, data, width: 1 }),
            Elems::Lanes(data, other) if *other == width => {
                Ok(Operand { shape: &array.shape, data, width })
            }
            Elems::Lanes(..) | Elems::Int(_) | Elems::Bool(_) | Elems::Delta(_) => Err(apart()),
            Elems::Dual(..) | Elems::Tuple(_) | Elems::Boxed(_) => Err(apart()),
        }
    }

    /// The lanes of the element of that number; a scalar is there for every element.
    fn at(&self, number: usize) -> Lanes<'a> {
        let number = if self.shape.is_empty() { 0 } else { number };
        match self.width {
            1 => Lanes::Same(self.data[number]),
            width => Lanes::Each(&self.data[number * width..(number + 1) * width]),
        }
    }
}

/// The sizes of the result of an operation on two operands.
fn common_shape(x: &[usize], y: &[usize]) -> Result<Shape, Fault> {
    match (x, y) {
        ([], other) | (other, []) => Ok(Shape::new(other)),
        (x, y) if x == y => Ok(Shape::new(x)),
        (x, y) => Err(Fault::Sizes { expected: x.to_vec(), found: y.to_vec() }),
    }
}

/// A primitive of two operands, one of which is in so many lanes.
pub(super) fn binary(
    prim: Prim,
    x: &mut Value,
    y: &mut Value,
    width: usize,
    precision: Precision,
) -> Result<Value, Fault> {
    let f: fn(f64, f64) -> f64 = match on_reals(prim) {
        Some(RealPrim::Binary(f)) => f,
        Some(RealPrim::Compare(_)) => return Err(apart()),
        Some(RealPrim::Unary(_) | RealPrim::ToInt(_) | RealPrim::Test(_)) | None => {
            return Err(ill_typed(prim));
        }
    };
    let shape = common_shape(Operand::of(x, width)?.shape, Operand::of(y, width)?.shape)?;
    if let Some(target) = unique(x, &shape) {
        over(target, &Operand::of(y, width)?, width, f);
        precision.round_all(target);
        return Ok(std::mem::take(x));
    }
    if let Some(target) = unique(y, &shape) {
        over(target, &Operand::of(x, width)?, width, |y, x| f(x, y));
        precision.round_all(target);
        return Ok(std::mem::take(y));
    }
    let (x, y) = (Operand::of(x, width)?, Operand::of(y, width)?);
    let n = count(&shape).unwrap_or(0);
    reserve(n.checked_mul(width), size_of::<f64>())?;
    let mut data = Vec::with_capacity(n * width);
    for number in 0..n {
        match (x.at(number), y.at(number)) {
            (Lanes::Same(x), Lanes::Same(y)) => data.resize(data.len() + width, f(x, y)),
            (Lanes::Same(x), Lanes::Each(ys)) => data.extend(ys.iter().map(|y| f(x, *y))),
            (Lanes::Each(xs), Lanes::Same(y)) => data.extend(xs.iter().map(|x| f(*x, y))),
            (Lanes::Each(xs), Lanes::Each(ys)) => {
                data.extend(xs.iter().zip(ys).map(|(x, y)| f(*x, *y)));
            }
        }
    }
    precision.round_all(&mut data);
    Ok(in_lanes(shape, data, width))
}

/// Reals in lanes that nobody else holds, and that have the sizes of a result.
fn unique<'a>(value: &'a mut Value, shape: &Shape) -> Option<&'a mut [f64]> {
    let Value::Array(array) = value else { return None };
    let array = std::sync::Arc::get_mut(array).filter(|it| it.shape == *shape)?;
    if let Elems::Lanes(data, _) = &mut array.elems { data.get_mut() } else { None }
}

/// Writes results over the first operand.
fn over(target: &mut [f64], other: &Operand<'_>, width: usize, f: impl Fn(f64, f64) -> f64) {
    for (number, lanes) in target.chunks_exact_mut(width).enumerate() {
        match other.at(number) {
            Lanes::Same(y) => lanes.iter_mut().for_each(|x| *x = f(*x, y)),
            Lanes::Each(ys) => lanes.iter_mut().zip(ys).for_each(|(x, y)| *x = f(*x, *y)),
        }
    }
}

/// The elements of one array where flags are set, those of another elsewhere.
pub(super) fn pick(
    shape: &Shape,
    flags: &[bool],
    (x, y): (&Value, &Value),
    width: usize,
) -> Result<Value, Fault> {
    let (x, y) = (Operand::of(x, width)?, Operand::of(y, width)?);
    common_shape(&common_shape(shape, x.shape)?, y.shape)?;
    reserve(flags.len().checked_mul(width), size_of::<f64>())?;
    let mut data = Vec::with_capacity(flags.len() * width);
    for (number, flag) in flags.iter().enumerate() {
        match if *flag { x.at(number) } else { y.at(number) } {
            Lanes::Same(it) => data.resize(data.len() + width, it),
            Lanes::Each(all) => data.extend_from_slice(all),
        }
    }
    Ok(in_lanes(shape.clone(), data, width))
}
