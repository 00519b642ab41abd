//! Sorting: ascending, NaN last, stable.

use std::cmp::Ordering;

use crate::array::{Array, Elems};
use crate::error::{Fault, malformed};
use crate::kernels::lanes;
use crate::memory::reserve;

/// NaN after every number; the two zeros are equal.
fn compare(x: &f64, y: &f64) -> Ordering {
    x.partial_cmp(y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
}

/// `[n]Real` or `[n]Int` in ascending order.
pub fn sort(array: &Array) -> Result<Array, Fault> {
    reserve(Some(array.len()), 16)?;
    match &array.elems {
        Elems::Real(data) => {
            let mut data = data.to_vec();
            data.sort_by(compare);
            Ok(Array::flat(array.shape.clone(), data))
        }
        Elems::Int(data) => {
            let mut data = data.to_vec();
            data.sort();
            Ok(Array::flat(array.shape.clone(), data))
        }
        Elems::Boxed(data) if data.is_empty() => Ok(array.clone()),
        Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
            Err(malformed("a sort of what are no numbers"))
        }
        Elems::Lanes(..) => Err(lanes::apart()),
    }
}

/// The positions that sort it.
pub fn argsort(array: &Array) -> Result<Array, Fault> {
    reserve(Some(array.len()), 16)?;
    let mut positions: Vec<i64> = (0..array.len() as i64).collect();
    match &array.elems {
        Elems::Real(data) => {
            positions.sort_by(|i, j| compare(&data[*i as usize], &data[*j as usize]));
        }
        Elems::Int(data) => positions.sort_by_key(|i| data[*i as usize]),
        Elems::Boxed(data) if data.is_empty() => {}
        Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
            return Err(malformed("a sort of what are no numbers"));
        }
        Elems::Lanes(..) => return Err(lanes::apart()),
    }
    Ok(Array::ints(positions))
}
