//! Reductions along an axis, from the first element to the last, so that results repeat to the
//! bit; positions of extremes; sums at positions.

use ::array::{Shape, count};
use ir::Reduction;

use crate::array::{Array, Element, Elems};
use crate::error::{Fault, malformed};
use crate::kernels::elementwise::Precision;
use crate::kernels::lanes;
use crate::kernels::scalar;
use crate::memory::reserve;
use crate::tree::into_array;
use crate::value::Value;

/// Reduces away one axis.
pub fn reduce(
    reduction: Reduction,
    axis: usize,
    array: &Array,
    precision: Precision,
) -> Result<Value, Fault> {
    let (extent, shape) = Extent::of(array, axis)?;
    let res = match &array.elems {
        Elems::Real(data) => {
            let (start, f) = on_reals(reduction);
            match precision {
                Precision::F64 => fold(data, extent, start, f)?,
                Precision::F32 => fold(data, extent, start, |x, y| precision.round(f(x, y)))?,
            }
            .into_array(shape)
        }
        Elems::Int(data) => {
            let (start, f) = on_ints(reduction);
            fold(data, extent, start, f)?.into_array(shape)
        }
        Elems::Lanes(data, width) => {
            let (start, f) = on_reals(reduction);
            let extent = Extent { inner: extent.inner * width, ..extent };
            let sums = fold(data, extent, start, |x, y| precision.round(f(x, y)))?.0;
            Array { shape, elems: Elems::Lanes(sums.into(), *width) }
        }
        Elems::Tuple(parts) => {
            let mut values = Vec::with_capacity(parts.len());
            for part in parts {
                values.push(reduce(reduction, axis, part, precision)?);
            }
            return tuple_of(shape, values);
        }
        Elems::Bool(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
            return Err(malformed("a reduction of what is no number"));
        }
    };
    Ok(if res.shape.is_empty() { res.row(0, 0) } else { Value::array(res) })
}

/// A tuple of values, or of arrays that share their leading sizes.
fn tuple_of(shape: Shape, values: Vec<Value>) -> Result<Value, Fault> {
    if shape.is_empty() {
        return Ok(Value::tuple(values));
    }
    let parts = values.into_iter().map(into_array).collect::<Result<_, _>>()?;
    Ok(Value::array(Array { shape, elems: Elems::Tuple(parts) }))
}

fn on_reals(reduction: Reduction) -> (f64, fn(f64, f64) -> f64) {
    match reduction {
        Reduction::Sum => (0.0, |x, y| x + y),
        Reduction::Product => (1.0, |x, y| x * y),
        Reduction::Maximum => (f64::NEG_INFINITY, scalar::max),
        Reduction::Minimum => (f64::INFINITY, scalar::min),
    }
}

fn on_ints(reduction: Reduction) -> (i64, fn(i64, i64) -> i64) {
    match reduction {
        Reduction::Sum => (0, i64::wrapping_add),
        Reduction::Product => (1, i64::wrapping_mul),
        Reduction::Maximum => (i64::MIN, i64::max),
        Reduction::Minimum => (i64::MAX, i64::min),
    }
}

/// Sizes around an axis: `outer * size * inner` elements.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) outer: usize,
    pub(crate) size: usize,
    pub(crate) inner: usize,
}

impl Extent {
    /// The extent of an axis of an array, and the shape that is left without it.
    pub(crate) fn of(array: &Array, axis: usize) -> Result<(Extent, Shape), Fault> {
        let size = *array.shape.get(axis).ok_or_else(|| malformed("an axis is missing"))?;
        let (before, after) = (&array.shape[..axis], &array.shape[axis + 1..]);
        let (outer, inner) = (count(before).unwrap_or(0), count(after).unwrap_or(0));
        Ok((Extent { outer, size, inner }, Shape::join(before, after)))
    }
}

struct Folded<T>(Vec<T>);

impl<T: Element> Folded<T> {
    fn into_array(self, shape: Shape) -> Array {
        Array::flat(shape, self.0)
    }
}

fn fold<T: Element + Copy>(
    data: &[T],
    extent: Extent,
    start: T,
    f: impl Fn(T, T) -> T,
) -> Result<Folded<T>, Fault> {
    let Extent { outer, size, inner } = extent;
    let n_items = outer.checked_mul(inner);
    reserve(n_items, size_of::<T>())?;
    let mut res = vec![start; n_items.unwrap_or(0)];
    if inner == 1 {
        for (i, target) in res.iter_mut().enumerate() {
            *target = data[i * size..(i + 1) * size].iter().fold(start, |sum, it| f(sum, *it));
        }
    } else if inner > 0 {
        for (i, target) in res.chunks_exact_mut(inner).enumerate() {
            for row in data[i * size * inner..(i + 1) * size * inner].chunks_exact(inner) {
                target.iter_mut().zip(row).for_each(|(sum, it)| *sum = f(*sum, *it));
            }
        }
    }
    Ok(Folded(res))
}

/// Which extreme is looked for.
#[derive(Clone, Copy)]
pub enum Extreme {
    /// The greatest.
    Greatest,
    /// The least.
    Least,
}

/// The position of the first extreme of `[n]Real` or `[n]Int`; NaN is beyond all numbers.
pub fn position(extreme: Extreme, array: &Array) -> Result<Value, Fault> {
    if array.is_empty() {
        return Err(Fault::NoGreatest);
    }
    let position = match &array.elems {
        Elems::Real(data) => first(data, |new, old| match extreme {
            Extreme::Greatest => new > old || (new.is_nan() && !old.is_nan()),
            Extreme::Least => new < old || (new.is_nan() && !old.is_nan()),
        }),
        Elems::Int(data) => first(data, |new, old| match extreme {
            Extreme::Greatest => new > old,
            Extreme::Least => new < old,
        }),
        Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
            return Err(malformed("an extreme of what is no number"));
        }
        Elems::Lanes(..) => return Err(lanes::apart()),
    };
    Ok(Value::Int(position as i64))
}

fn first<T>(data: &[T], beyond: impl Fn(&T, &T) -> bool) -> usize {
    (1..data.len()).fold(0, |best, i| if beyond(&data[i], &data[best]) { i } else { best })
}

/// Adds block `i` of `values` to block `positions[i]` of `into`, those behind so many axes of each;
/// the positions are in range, or beyond all, and then nothing is added.
pub fn scatter(
    into: &mut Array,
    ranks: (usize, usize),
    positions: &[usize],
    values: &Array,
    precision: Precision,
) -> Result<(), Fault> {
    let (tail, other) = (into.shape.get(ranks.0..), values.shape.get(ranks.1..));
    if tail != other && !values.is_empty() && !into.is_empty() {
        let sizes = |it: Option<&[usize]>| it.unwrap_or(&[]).to_vec();
        return Err(Fault::Sizes { expected: sizes(tail), found: sizes(other) });
    }
    let inner = count(tail.unwrap_or(&[])).unwrap_or(0);
    if positions.is_empty() || inner == 0 {
        return Ok(());
    }
    if let Some(width) = lanes::common_width(&[into, values]) {
        // Taken out, so that nobody else holds it.
        let nothing = Array::flat(Shape::new(&[0]), Vec::<f64>::new());
        let mut sums = lanes::revealed(std::mem::replace(into, nothing), width)?;
        let values = lanes::revealed(values.clone(), width)?;
        scatter(&mut sums, ranks, positions, &values, precision)?;
        *into = lanes::hidden(sums)?;
        return Ok(());
    }
    match (&mut into.elems, &values.elems) {
        (Elems::Real(into), Elems::Real(values)) => match precision {
            Precision::F64 => add_at(into.make_mut(), positions, values, inner, |x, y| x + y),
            Precision::F32 => {
                add_at(into.make_mut(), positions, values, inner, |x, y| precision.round(x + y))
            }
        },
        (Elems::Int(into), Elems::Int(values)) => {
            add_at(into.make_mut(), positions, values, inner, i64::wrapping_add);
        }
        (Elems::Tuple(into), Elems::Tuple(values)) => {
            for (into, values) in into.iter_mut().zip(values) {
                scatter(into, ranks, positions, values, precision)?;
            }
        }
        _ => return Err(malformed("a sum of what are no numbers")),
    }
    Ok(())
}

fn add_at<T: Copy>(
    into: &mut [T],
    positions: &[usize],
    values: &[T],
    inner: usize,
    add: impl Fn(T, T) -> T,
) {
    for (at, row) in positions.iter().zip(values.chunks_exact(inner)) {
        let start = at.checked_mul(inner).filter(|start| *start < into.len());
        let Some(target) = start.map(|start| &mut into[start..start + inner]) else { continue };
        target.iter_mut().zip(row).for_each(|(sum, it)| *sum = add(*sum, *it));
    }
}
