//! Primitives on scalars, by the one table of their meanings.

use eval::kernels::scalar::{IntPrim, RealPrim, max, min, on_bools, on_ints, on_reals, scale};
use eval::special::polygamma;
use ir::Prim;
use loops::How;

use crate::{Ended, Value};

/// What a primitive gives. What nobody wrote gives nothing that is known, but for a choice that leaves it.
pub(crate) fn prim(prim: Prim, operands: &[Value]) -> Result<Value, Ended> {
    if let (Prim::Select, [cond, then, otherwise]) = (prim, operands) {
        return match cond {
            Value::Unknown => Ok(Value::Unknown),
            Value::Bool(cond) => Ok(if *cond { then } else { otherwise }.clone()),
            Value::Real(_) | Value::Int(_) | Value::Box(_) | Value::Array(_) => Err(odd(prim)),
        };
    }
    if operands.iter().any(|it| matches!(it, Value::Unknown)) {
        return Ok(Value::Unknown);
    }
    known(prim, operands).ok_or_else(|| odd(prim))?
}

fn odd(prim: Prim) -> Ended {
    Ended::Wrong(format!("{} of wrong operands", prim.name()))
}

fn known(prim: Prim, operands: &[Value]) -> Option<Result<Value, Ended>> {
    Some(Ok(match *operands {
        [Value::Real(x)] => match on_reals(prim)? {
            RealPrim::Unary(f) => Value::Real(f(x)),
            RealPrim::ToInt(f) => Value::Int(f(x)),
            RealPrim::Test(f) => Value::Bool(f(x)),
            RealPrim::Binary(_) | RealPrim::Compare(_) => return None,
        },
        [Value::Real(x), Value::Real(y)] => match on_reals(prim)? {
            RealPrim::Binary(f) => Value::Real(f(x, y)),
            RealPrim::Compare(f) => Value::Bool(f(&x, &y)),
            RealPrim::Unary(_) | RealPrim::ToInt(_) | RealPrim::Test(_) => return None,
        },
        [Value::Int(k), Value::Real(x)] if prim == Prim::Polygamma => Value::Real(polygamma(k, x)),
        [Value::Int(x)] => match on_ints(prim)? {
            IntPrim::Unary(f) => Value::Int(f(x)),
            IntPrim::ToReal(f) => Value::Real(f(x)),
            IntPrim::Binary(_) | IntPrim::Compare(_) => return None,
        },
        [Value::Int(x), Value::Int(y)] => match on_ints(prim)? {
            // Who divides Ints checks before, but a lane that is not needed may not have.
            IntPrim::Binary(f) => f(x, y).map_or(Value::Unknown, Value::Int),
            IntPrim::Compare(f) => Value::Bool(f(&x, &y)),
            IntPrim::Unary(_) | IntPrim::ToReal(_) => return None,
        },
        [Value::Bool(x)] if prim == Prim::Not => Value::Bool(!x),
        [Value::Bool(x), Value::Bool(y)] => Value::Bool(on_bools(prim)?(x, y)),
        _ => return None,
    }))
}

/// `scale(a, b) + c`
pub(crate) fn scale_add(a: &Value, b: &Value, c: &Value) -> Result<Value, Ended> {
    match (a, b, c) {
        (Value::Real(a), Value::Real(b), Value::Real(c)) => Ok(Value::Real(scale(*a, *b) + c)),
        (Value::Unknown, _, _) | (_, Value::Unknown, _) | (_, _, Value::Unknown) => {
            Ok(Value::Unknown)
        }
        _ => Err(Ended::Wrong("scale_add of wrong operands".to_string())),
    }
}

/// A value that meets the one that is there.
pub(crate) fn combined(how: How, old: &Value, new: Value) -> Result<Value, Ended> {
    match (how, old, &new) {
        (How::Set, _, _) => Ok(new),
        (How::Add, _, _) => prim(Prim::Add, &[old.clone(), new]),
        (How::Mul, _, _) => prim(Prim::Mul, &[old.clone(), new]),
        (How::Max, Value::Real(x), Value::Real(y)) => Ok(Value::Real(max(*x, *y))),
        (How::Min, Value::Real(x), Value::Real(y)) => Ok(Value::Real(min(*x, *y))),
        (How::Max, _, _) => prim(Prim::Max, &[old.clone(), new]),
        (How::Min, _, _) => prim(Prim::Min, &[old.clone(), new]),
    }
}

/// What changes nothing when it is combined with something.
pub(crate) fn neutral(how: How, of: &Value) -> Value {
    let is_int = matches!(of, Value::Int(_));
    match (how, is_int) {
        (How::Set, _) => Value::Unknown,
        (How::Add, false) => Value::Real(0.0),
        (How::Add, true) => Value::Int(0),
        (How::Mul, false) => Value::Real(1.0),
        (How::Mul, true) => Value::Int(1),
        (How::Max, false) => Value::Real(f64::NEG_INFINITY),
        (How::Max, true) => Value::Int(i64::MIN),
        (How::Min, false) => Value::Real(f64::INFINITY),
        (How::Min, true) => Value::Int(i64::MAX),
    }
}
