//! Primitives applied to values: scalars, or element by element over flat buffers. A scalar
//! operand beside arrays is used for every element without being copied.

use ::array::Shape;
use ir::Prim;

use crate::array::{Array, Element, Elems};
use crate::error::{Fault, malformed};
use crate::kernels::lanes;
use crate::kernels::scalar::{self, IntPrim, RealPrim, on_bools, on_ints, on_reals};
use crate::kernels::select::select;
use crate::memory::reserve;
use crate::value::Value;
use real::special::polygamma;

/// How exact reals are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// As they are.
    F64,
    /// Rounded to single precision after every operation.
    F32,
}

impl Precision {
    /// Rounds a result.
    #[inline]
    pub fn round(self, x: f64) -> f64 {
        match self {
            Precision::F64 => x,
            Precision::F32 => f64::from(x as f32),
        }
    }

    pub(super) fn round_all(self, data: &mut [f64]) {
        match self {
            Precision::F64 => {}
            Precision::F32 => data.iter_mut().for_each(|it| *it = f64::from(*it as f32)),
        }
    }
}

/// Applies a primitive; also says to how many elements.
pub fn apply(
    prim: Prim,
    args: &mut [Value],
    precision: Precision,
) -> Result<(Value, usize), Fault> {
    let mut value = match args {
        [x] => unary(prim, x, precision)?,
        [x, y] => binary(prim, x, y, precision)?,
        [c, x, y] if prim == Prim::Select => select(c, x, y)?,
        _ => return Err(ill_typed(prim)),
    };
    let n = match &mut value {
        Value::Real(x) => {
            *x = precision.round(*x);
            1
        }
        Value::Array(array) => array.n_items(),
        Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Tuple(_)
        | Value::Data(_)
        | Value::Dual(..)
        | Value::Delta(_)
        | Value::Closure(_) => 1,
    };
    Ok((value, n))
}

pub(super) fn ill_typed(prim: Prim) -> Fault {
    malformed(&format!("primitive {prim:?} is applied to operands that it does not take"))
}

fn unary(prim: Prim, x: &mut Value, precision: Precision) -> Result<Value, Fault> {
    let array = match x {
        Value::Real(x) | Value::Dual(_, x) => return real_scalar(prim, *x),
        Value::Int(x) => return int_scalar(prim, *x),
        Value::Bool(x) if prim == Prim::Not => return Ok(Value::Bool(!*x)),
        Value::Array(array) => array,
        Value::Bool(_) | Value::Str(_) | Value::Tuple(_) | Value::Data(_) | Value::Closure(_) => {
            return Err(ill_typed(prim));
        }
        Value::Delta(_) => return Err(ill_typed(prim)),
    };
    let shape = array.shape.clone();
    match &array.elems {
        Elems::Real(data) => match on_reals(prim) {
            Some(RealPrim::Unary(f)) => match precision {
                Precision::F64 => map(shape, data, |x| f(*x)),
                Precision::F32 => map(shape, data, |x| precision.round(f(*x))),
            },
            Some(RealPrim::ToInt(f)) => map(shape, data, |x| f(*x)),
            Some(RealPrim::Test(f)) => map(shape, data, |x| f(*x)),
            Some(RealPrim::Binary(_) | RealPrim::Compare(_)) | None => Err(ill_typed(prim)),
        },
        Elems::Int(data) => match on_ints(prim) {
            Some(IntPrim::Unary(f)) => map(shape, data, |x| f(*x)),
            Some(IntPrim::ToReal(f)) => map(shape, data, |x| precision.round(f(*x))),
            Some(IntPrim::Binary(_) | IntPrim::Compare(_)) | None => Err(ill_typed(prim)),
        },
        Elems::Bool(data) if prim == Prim::Not => map(shape, data, |x| !*x),
        Elems::Boxed(data) if data.is_empty() => Ok(Value::Array(array.clone())),
        Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) => Err(ill_typed(prim)),
        Elems::Delta(_) | Elems::Dual(..) => Err(ill_typed(prim)),
        Elems::Lanes(data, width) => lanes::unary(prim, shape, (data, *width), precision),
    }
}

fn real_scalar(prim: Prim, x: f64) -> Result<Value, Fault> {
    match on_reals(prim) {
        Some(RealPrim::Unary(f)) => Ok(Value::Real(f(x))),
        Some(RealPrim::ToInt(f)) => Ok(Value::Int(f(x))),
        Some(RealPrim::Test(f)) => Ok(Value::Bool(f(x))),
        Some(RealPrim::Binary(_) | RealPrim::Compare(_)) | None => Err(ill_typed(prim)),
    }
}

fn int_scalar(prim: Prim, x: i64) -> Result<Value, Fault> {
    match on_ints(prim) {
        Some(IntPrim::Unary(f)) => Ok(Value::Int(f(x))),
        Some(IntPrim::ToReal(f)) => Ok(Value::Real(f(x))),
        Some(IntPrim::Binary(_) | IntPrim::Compare(_)) | None => Err(ill_typed(prim)),
    }
}

/// A primitive of two scalars that does not give a real, or takes integers.
pub fn binary_scalars(prim: Prim, x: &Value, y: &Value) -> Option<Result<Value, Fault>> {
    match (x, y) {
        (Value::Real(x) | Value::Dual(_, x), Value::Real(y) | Value::Dual(_, y)) => {
            match on_reals(prim)? {
                RealPrim::Compare(f) => Some(Ok(Value::Bool(f(x, y)))),
                RealPrim::Unary(_)
                | RealPrim::Binary(_)
                | RealPrim::ToInt(_)
                | RealPrim::Test(_) => None,
            }
        }
        (Value::Int(x), Value::Int(y)) => match on_ints(prim)? {
            IntPrim::Binary(f) => Some(f(*x, *y).map(Value::Int)),
            IntPrim::Compare(f) => Some(Ok(Value::Bool(f(x, y)))),
            IntPrim::Unary(_) | IntPrim::ToReal(_) => None,
        },
        _ => None,
    }
}

/// One operand of a primitive of several.
#[derive(Clone, Copy)]
pub(super) enum Side<'a, T> {
    One(&'a T),
    Many(&'a Shape, &'a [T]),
}

/// An operand by the type of its elements.
pub(super) enum Operand<'a> {
    Real(Side<'a, f64>),
    Int(Side<'a, i64>),
    Bool(Side<'a, bool>),
    /// An array without elements whose type is not known.
    Empty(&'a Shape),
}

impl<'a> Operand<'a> {
    pub(super) fn of(value: &'a Value) -> Option<Operand<'a>> {
        Some(match value {
            Value::Real(x) | Value::Dual(_, x) => Operand::Real(Side::One(x)),
            Value::Int(x) => Operand::Int(Side::One(x)),
            Value::Bool(x) => Operand::Bool(Side::One(x)),
            Value::Array(array) => match &array.elems {
                Elems::Real(data) => Operand::Real(Side::Many(&array.shape, data)),
                Elems::Int(data) => Operand::Int(Side::Many(&array.shape, data)),
                Elems::Bool(data) => Operand::Bool(Side::Many(&array.shape, data)),
                Elems::Boxed(data) if data.is_empty() => Operand::Empty(&array.shape),
                Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
                    return None;
                }
                Elems::Lanes(..) => return None,
            },
            Value::Str(_) | Value::Tuple(_) | Value::Data(_) | Value::Closure(_) => return None,
            Value::Delta(_) => return None,
        })
    }
}

fn binary(prim: Prim, x: &mut Value, y: &mut Value, precision: Precision) -> Result<Value, Fault> {
    if let Some(width) = lanes::width_of_any(&[x, y]) {
        return lanes::binary(prim, x, y, width, precision);
    }
    if let Some(res) = in_place(prim, x, y, precision) {
        return res;
    }
    let (left, right) = (Operand::of(x), Operand::of(y));
    match (left, right) {
        (Some(Operand::Real(x)), Some(Operand::Real(y))) => match on_reals(prim) {
            // The most frequent ones in loops of their own.
            Some(RealPrim::Binary(_)) if prim == Prim::Add => zip(x, y, |x, y| x + y),
            Some(RealPrim::Binary(_)) if prim == Prim::Mul => zip(x, y, |x, y| x * y),
            Some(RealPrim::Binary(_)) if prim == Prim::Scale => {
                zip(x, y, |x, y| scalar::scale(*x, *y))
            }
            Some(RealPrim::Binary(f)) => zip(x, y, |x, y| f(*x, *y)),
            Some(RealPrim::Compare(f)) => zip(x, y, f),
            Some(RealPrim::Unary(_) | RealPrim::ToInt(_) | RealPrim::Test(_)) | None => {
                Err(ill_typed(prim))
            }
        },
        (Some(Operand::Int(x)), Some(Operand::Int(y))) => match on_ints(prim) {
            Some(IntPrim::Binary(f)) => try_zip(x, y, |x, y| f(*x, *y)),
            Some(IntPrim::Compare(f)) => zip(x, y, f),
            Some(IntPrim::Unary(_) | IntPrim::ToReal(_)) | None => Err(ill_typed(prim)),
        },
        (Some(Operand::Int(k)), Some(Operand::Real(x))) if prim == Prim::Polygamma => {
            zip(k, x, |k, x| polygamma(*k, *x))
        }
        (Some(Operand::Bool(x)), Some(Operand::Bool(y))) => match on_bools(prim) {
            Some(f) => zip(x, y, |x, y| f(*x, *y)),
            None => Err(ill_typed(prim)),
        },
        (Some(Operand::Empty(shape)), _) | (_, Some(Operand::Empty(shape))) => {
            Ok(Value::array(Array::flat(shape.clone(), Vec::<Value>::new())))
        }
        _ => Err(ill_typed(prim)),
    }
    .map(|value| rounded(value, precision))
}

/// The most frequent operations write over an operand that nobody else holds.
fn in_place(
    prim: Prim,
    x: &mut Value,
    y: &mut Value,
    precision: Precision,
) -> Option<Result<Value, Fault>> {
    let f: fn(f64, f64) -> f64 = match on_reals(prim) {
        Some(RealPrim::Binary(f)) => f,
        Some(
            RealPrim::Unary(_) | RealPrim::ToInt(_) | RealPrim::Test(_) | RealPrim::Compare(_),
        )
        | None => return None,
    };
    // Shapes that differ are an error, which is told elsewhere.
    if let (Value::Array(x), Value::Array(y)) = (&*x, &*y)
        && x.shape != y.shape
    {
        return None;
    }
    if let Some(target) = unique_reals(x) {
        let len = target.len();
        match Operand::of(y)? {
            Operand::Real(Side::One(y)) => target.iter_mut().for_each(|x| *x = f(*x, *y)),
            Operand::Real(Side::Many(_, ys)) if ys.len() == len => {
                target.iter_mut().zip(ys).for_each(|(x, y)| *x = f(*x, *y));
            }
            Operand::Real(Side::Many(..)) | Operand::Int(_) | Operand::Bool(_) => return None,
            Operand::Empty(_) => return None,
        }
        precision.round_all(target);
        return Some(Ok(std::mem::take(x)));
    }
    let target = unique_reals(y)?;
    match Operand::of(x)? {
        Operand::Real(Side::One(x)) => target.iter_mut().for_each(|y| *y = f(*x, *y)),
        Operand::Real(Side::Many(_, xs)) if xs.len() == target.len() => {
            target.iter_mut().zip(xs).for_each(|(y, x)| *y = f(*x, *y));
        }
        Operand::Real(Side::Many(..)) | Operand::Int(_) | Operand::Bool(_) => return None,
        Operand::Empty(_) => return None,
    }
    precision.round_all(target);
    Some(Ok(std::mem::take(y)))
}

/// The reals of an array that nobody else holds, to be written over.
fn unique_reals(value: &mut Value) -> Option<&mut [f64]> {
    let Value::Array(array) = value else { return None };
    match &mut std::sync::Arc::get_mut(array)?.elems {
        Elems::Real(data) => data.get_mut(),
        Elems::Int(_) | Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) => None,
        Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => None,
    }
}

fn rounded(mut value: Value, precision: Precision) -> Value {
    if precision == Precision::F32
        && let Some(data) = unique_reals(&mut value)
    {
        precision.round_all(data);
    }
    value
}

impl<'a, T> Side<'a, T> {
    pub(super) fn shape(&self) -> Option<&'a Shape> {
        match self {
            Side::One(_) => None,
            Side::Many(shape, _) => Some(shape),
        }
    }

    pub(super) fn get(&self, position: usize) -> &'a T {
        match self {
            Side::One(item) => item,
            Side::Many(_, data) => &data[position],
        }
    }
}

pub(super) fn same_shape(x: Option<&Shape>, y: Option<&Shape>) -> Result<(), Fault> {
    match (x, y) {
        (Some(x), Some(y)) if x != y => {
            Err(Fault::Sizes { expected: x.to_vec(), found: y.to_vec() })
        }
        _ => Ok(()),
    }
}

fn map<T, R: Element>(shape: Shape, data: &[T], f: impl Fn(&T) -> R) -> Result<Value, Fault> {
    reserve(Some(data.len()), size_of::<R>())?;
    Ok(Value::array(Array::flat(shape, data.iter().map(f).collect())))
}

/// A result that a scalar of which type holds.
trait Scalar: Element {
    fn value(self) -> Value;
}

impl Scalar for f64 {
    fn value(self) -> Value {
        Value::Real(self)
    }
}

impl Scalar for i64 {
    fn value(self) -> Value {
        Value::Int(self)
    }
}

impl Scalar for bool {
    fn value(self) -> Value {
        Value::Bool(self)
    }
}

fn zip<A, B, R: Scalar>(
    x: Side<'_, A>,
    y: Side<'_, B>,
    f: impl Fn(&A, &B) -> R,
) -> Result<Value, Fault> {
    same_shape(x.shape(), y.shape())?;
    let (shape, data): (_, Vec<R>) = match (x, y) {
        (Side::One(x), Side::One(y)) => return Ok(f(x, y).value()),
        (Side::Many(shape, xs), Side::One(y)) => {
            reserve(Some(xs.len()), size_of::<R>())?;
            (shape, xs.iter().map(|x| f(x, y)).collect())
        }
        (Side::One(x), Side::Many(shape, ys)) => {
            reserve(Some(ys.len()), size_of::<R>())?;
            (shape, ys.iter().map(|y| f(x, y)).collect())
        }
        (Side::Many(shape, xs), Side::Many(_, ys)) => {
            reserve(Some(xs.len()), size_of::<R>())?;
            (shape, xs.iter().zip(ys).map(|(x, y)| f(x, y)).collect())
        }
    };
    Ok(Value::array(Array::flat(shape.clone(), data)))
}

fn try_zip<A, B, R: Scalar>(
    x: Side<'_, A>,
    y: Side<'_, B>,
    f: impl Fn(&A, &B) -> Result<R, Fault>,
) -> Result<Value, Fault> {
    same_shape(x.shape(), y.shape())?;
    let Some(shape) = x.shape().or(y.shape()) else {
        return f(x.get(0), y.get(0)).map(Scalar::value);
    };
    let n = ::array::count(shape).unwrap_or(0);
    reserve(Some(n), size_of::<R>())?;
    let data: Vec<R> = (0..n).map(|i| f(x.get(i), y.get(i))).collect::<Result<_, _>>()?;
    Ok(Value::array(Array::flat(shape.clone(), data)))
}
