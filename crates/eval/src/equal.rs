//! Equality of whole values, exact or to a tolerance.

use crate::array::{Array, Elems};
use crate::error::Fault;
use crate::kernels::elementwise::Precision;
use crate::kernels::lanes;
use crate::stack::limited;
use crate::value::Value;

/// When two reals are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// If they are.
    Exact,
    /// If they differ by at most so much.
    Close {
        /// Relative to the greater one.
        relative: f64,
        /// Whatever they are.
        absolute: f64,
    },
}

impl Tolerance {
    /// The tolerance of `~=`.
    pub fn close(precision: Precision) -> Tolerance {
        match precision {
            Precision::F64 => Tolerance::Close { relative: 1e-9, absolute: 1e-12 },
            Precision::F32 => Tolerance::Close { relative: 1e-5, absolute: 1e-6 },
        }
    }

    /// Whether two reals are equal. Infinities are equal if identical; NaN equals nothing.
    pub fn reals(self, x: f64, y: f64) -> bool {
        if x == y {
            return true;
        }
        match self {
            Tolerance::Exact => false,
            Tolerance::Close { relative, absolute } => {
                let difference = (x - y).abs();
                let scale = x.abs().max(y.abs());
                scale.is_finite() && (difference <= absolute || difference <= relative * scale)
            }
        }
    }
}

/// Whether two values are equal; counts the scalars it looked at.
pub fn equal(x: &Value, y: &Value, tolerance: Tolerance, seen: &mut usize) -> Result<bool, Fault> {
    let (mut x, mut y) = (x, y);
    loop {
        *seen += 1;
        let (xs, ys): (&[Value], &[Value]) = match (x, y) {
            (Value::Real(x), Value::Real(y)) => return Ok(tolerance.reals(*x, *y)),
            (Value::Int(x), Value::Int(y)) => return Ok(x == y),
            (Value::Bool(x), Value::Bool(y)) => return Ok(x == y),
            (Value::Str(x), Value::Str(y)) => return Ok(x == y),
            (Value::Tuple(x), Value::Tuple(y)) => (x, y),
            (Value::Data(x), Value::Data(y)) if x.con.tag == y.con.tag => (&x.fields, &y.fields),
            (Value::Array(x), Value::Array(y)) => return arrays(x, y, tolerance, seen),
            (Value::Closure(_), _) | (_, Value::Closure(_)) => return Err(Fault::EqualFunctions),
            (x, y) if lanes::width_of_any(&[x, y]).is_some() => return Err(lanes::apart()),
            _ => return Ok(false),
        };
        // The last field without recursion, so that long lists need no stack.
        let (Some((last_x, xs)), Some((last_y, ys))) = (xs.split_last(), ys.split_last()) else {
            return Ok(xs.len() == ys.len());
        };
        if !limited(|| all(xs, ys, tolerance, seen))? {
            return Ok(false);
        }
        (x, y) = (last_x, last_y);
    }
}

fn all(xs: &[Value], ys: &[Value], tolerance: Tolerance, seen: &mut usize) -> Result<bool, Fault> {
    if xs.len() != ys.len() {
        return Ok(false);
    }
    for (x, y) in xs.iter().zip(ys) {
        if !equal(x, y, tolerance, seen)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn arrays(x: &Array, y: &Array, tolerance: Tolerance, seen: &mut usize) -> Result<bool, Fault> {
    if x.is_empty() && y.is_empty() {
        // Where the type was not known, inner sizes are missing.
        let known = x.shape.len().min(y.shape.len());
        return Ok(x.shape[..known] == y.shape[..known]);
    }
    if x.shape != y.shape {
        return Ok(false);
    }
    *seen += x.len();
    match (&x.elems, &y.elems) {
        (Elems::Lanes(..), _) | (_, Elems::Lanes(..)) => Err(lanes::apart()),
        (Elems::Real(x), Elems::Real(y)) => {
            Ok(x.iter().zip(y.iter()).all(|(x, y)| tolerance.reals(*x, *y)))
        }
        (Elems::Int(x), Elems::Int(y)) => Ok(**x == **y),
        (Elems::Bool(x), Elems::Bool(y)) => Ok(**x == **y),
        (Elems::Boxed(x), Elems::Boxed(y)) => limited(|| all(x, y, tolerance, seen)),
        (Elems::Tuple(x), Elems::Tuple(y)) => {
            for (x, y) in x.iter().zip(y) {
                if !arrays(x, y, tolerance, seen)? {
                    return Ok(false);
                }
            }
            Ok(x.len() == y.len())
        }
        _ => Ok(false),
    }
}
