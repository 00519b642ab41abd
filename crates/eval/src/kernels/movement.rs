//! Operations that move elements without looking at them: gather, slice, transpose, reverse,
//! replicate, concatenate. They work on the leading axes of arrays of any element type.

use ::array::{MOST_ELEMENTS, Shape, count};

use crate::array::{Array, Element, Elems, Slice};
use crate::error::{Fault, malformed};
use crate::kernels::lanes;
use crate::memory::reserve;
use crate::rows::checked_count;
use crate::tape::{Id, dual_parts, is_dual};
use crate::value::Value;

/// A way to move blocks of elements.
trait Move {
    /// The blocks of `inner` elements of `from` in their new order.
    fn run<T: Element>(&self, from: &[T], inner: usize) -> Vec<T>;
}

/// Moves blocks: the first `rank` axes become `lead`, the others are the blocks.
fn moved(array: &Array, rank: usize, lead: &[usize], way: &impl Move) -> Result<Array, Fault> {
    fn flat<T: Element>(
        data: &Slice<T>,
        n_items: Option<usize>,
        inner: usize,
        way: &impl Move,
    ) -> Result<Slice<T>, Fault> {
        reserve(n_items, size_of::<T>())?;
        Ok(way.run(data, inner).into())
    }
    let tail = array.shape.get(rank..).ok_or_else(|| malformed("an axis is missing"))?;
    let shape = Shape::join(lead, tail);
    let inner = count(tail).unwrap_or(0);
    let n_items = count(&shape);
    let elems = match &array.elems {
        Elems::Real(data) => Elems::Real(flat(data, n_items, inner, way)?),
        Elems::Int(data) => Elems::Int(flat(data, n_items, inner, way)?),
        Elems::Bool(data) => Elems::Bool(flat(data, n_items, inner, way)?),
        Elems::Delta(data) => Elems::Delta(flat(data, n_items, inner, way)?),
        Elems::Dual(data, ids) => {
            Elems::Dual(flat(data, n_items, inner, way)?, flat(ids, n_items, inner, way)?)
        }
        Elems::Lanes(data, width) => {
            let n_items = n_items.and_then(|it| it.checked_mul(*width));
            Elems::Lanes(flat(data, n_items, inner * width, way)?, *width)
        }
        Elems::Boxed(data) => Elems::Boxed(flat(data, n_items, inner, way)?),
        Elems::Tuple(parts) => {
            checked_count(&shape)?;
            let parts = parts.iter().map(|part| moved(part, rank, lead, way));
            Elems::Tuple(parts.collect::<Result<_, _>>()?)
        }
    };
    Ok(Array { shape, elems })
}

struct Select<'a>(&'a [usize]);

impl Move for Select<'_> {
    fn run<T: Element>(&self, from: &[T], inner: usize) -> Vec<T> {
        if inner == 1 {
            return self.0.iter().map(|i| from[*i].clone()).collect();
        }
        let mut res = Vec::with_capacity(self.0.len() * inner);
        for i in self.0 {
            res.extend_from_slice(&from[i * inner..(i + 1) * inner]);
        }
        res
    }
}

/// Blocks behind the first `rank` axes, which become the axes `lead`; the positions are in range.
pub fn select(
    array: &Array,
    rank: usize,
    lead: &[usize],
    positions: &[usize],
) -> Result<Array, Fault> {
    moved(array, rank, lead, &Select(positions))
}

/// As `select`, of an array of what has a zero; a position beyond the end gives zeros.
pub fn select_or_zero(
    array: &Array,
    rank: usize,
    lead: &[usize],
    positions: &[usize],
) -> Result<Array, Fault> {
    let tail = array.shape.get(rank..).ok_or_else(|| malformed("an axis is missing"))?;
    let shape = Shape::join(lead, tail);
    let inner = count(tail).unwrap_or(0);
    reserve(count(&shape), size_of::<f64>())?;
    fn blocks<T: Element + Default>(from: &[T], inner: usize, positions: &[usize]) -> Slice<T> {
        let mut res = Vec::with_capacity(positions.len() * inner);
        for at in positions {
            let start = at.checked_mul(inner);
            let range = start.and_then(|start| Some(start..start.checked_add(inner)?));
            match range.and_then(|it| from.get(it)) {
                Some(block) => res.extend_from_slice(block),
                None => res.resize(res.len() + inner, T::default()),
            }
        }
        res.into()
    }
    let elems = match &array.elems {
        Elems::Real(data) => Elems::Real(blocks(data, inner, positions)),
        Elems::Int(data) => Elems::Int(blocks(data, inner, positions)),
        Elems::Bool(data) => Elems::Bool(blocks(data, inner, positions)),
        Elems::Boxed(data) if data.is_empty() && inner * positions.len() == 0 => {
            Elems::Boxed(Vec::new().into())
        }
        Elems::Lanes(data, width) => {
            let n_items = count(&shape).and_then(|it| it.checked_mul(*width));
            reserve(n_items, size_of::<f64>())?;
            Elems::Lanes(blocks(data, inner * width, positions), *width)
        }
        // The Delta of a zero is that of a constant.
        Elems::Delta(ids) => Elems::Delta(blocks(ids, inner, positions)),
        Elems::Dual(data, ids) => {
            reserve(count(&shape), size_of::<Id>())?;
            Elems::Dual(blocks(data, inner, positions), blocks(ids, inner, positions))
        }
        Elems::Tuple(parts) => {
            let part = |it: &Array| select_or_zero(it, rank, lead, positions);
            Elems::Tuple(parts.iter().map(part).collect::<Result<_, Fault>>()?)
        }
        Elems::Boxed(_) => return Err(malformed("a mask for what has no zero")),
    };
    Ok(Array { shape, elems })
}

struct Cut {
    outer: usize,
    size: usize,
    from: usize,
    to: usize,
}

impl Move for Cut {
    fn run<T: Element>(&self, from: &[T], inner: usize) -> Vec<T> {
        let mut res = Vec::with_capacity(self.outer * (self.to - self.from) * inner);
        for i in 0..self.outer {
            let at = i * self.size;
            res.extend_from_slice(&from[(at + self.from) * inner..(at + self.to) * inner]);
        }
        res
    }
}

/// The part `from..to` of one axis.
pub fn slice(array: &Array, axis: usize, from: i64, to: i64) -> Result<Array, Fault> {
    let size = *array.shape.get(axis).ok_or_else(|| malformed("an axis is missing"))?;
    let fault = Fault::Slice { from, to, size };
    let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) else {
        return Err(fault);
    };
    if from > to || to > size {
        return Err(fault);
    }
    let mut lead = array.shape[..=axis].to_vec();
    lead[axis] = to - from;
    let outer = if array.is_empty() { 0 } else { count(&lead[..axis]).unwrap_or(0) };
    moved(array, axis + 1, &lead, &Cut { outer, size, from, to })
}

struct Transpose<'a> {
    /// New sizes, and how far apart neighbours were in the old order.
    axes: &'a [(usize, usize)],
}

impl Move for Transpose<'_> {
    fn run<T: Element>(&self, from: &[T], inner: usize) -> Vec<T> {
        let n_blocks: usize = self.axes.iter().map(|it| it.0).product();
        let mut res = Vec::with_capacity(n_blocks * inner);
        if n_blocks * inner == 0 {
            return res;
        }
        let mut index = vec![0; self.axes.len()];
        let mut at = 0;
        for _ in 0..n_blocks {
            res.extend_from_slice(&from[at * inner..(at + 1) * inner]);
            for (i, (size, stride)) in index.iter_mut().zip(self.axes).rev() {
                *i += 1;
                at += stride;
                if *i < *size {
                    break;
                }
                at -= *i * stride;
                *i = 0;
            }
        }
        res
    }
}

/// Axis `i` of the result is axis `permutation[i]`.
pub fn transpose(array: &Array, permutation: &[usize]) -> Result<Array, Fault> {
    let rank = permutation.len();
    let shape = array.shape.get(..rank).ok_or_else(|| malformed("an axis is missing"))?;
    if permutation.iter().any(|axis| *axis >= rank) {
        return Err(malformed("an axis is missing"));
    }
    let lead: Vec<usize> = permutation.iter().map(|axis| shape[*axis]).collect();
    // Of arrays without elements, only the sizes change.
    let stride = |axis: &usize| count(&shape[axis + 1..]).unwrap_or(0);
    let axes: Vec<_> = permutation.iter().map(|axis| (shape[*axis], stride(axis))).collect();
    if array.is_empty() {
        return moved(array, rank, &lead, &Select(&[]));
    }
    moved(array, rank, &lead, &Transpose { axes: &axes })
}

struct Reverse;

impl Move for Reverse {
    fn run<T: Element>(&self, from: &[T], inner: usize) -> Vec<T> {
        from.chunks_exact(inner.max(1)).rev().flatten().cloned().collect()
    }
}

/// The outermost axis backwards.
pub fn reverse(array: &Array) -> Result<Array, Fault> {
    let lead = array.shape.get(..1).ok_or_else(|| malformed("an axis is missing"))?;
    moved(array, 1, lead, &Reverse)
}

struct Repeat(usize);

impl Move for Repeat {
    fn run<T: Element>(&self, from: &[T], _: usize) -> Vec<T> {
        match from {
            [] => Vec::new(),
            [one] => vec![one.clone(); self.0],
            many => {
                let mut res = Vec::with_capacity(self.0 * many.len());
                (0..self.0).for_each(|_| res.extend_from_slice(many));
                res
            }
        }
    }
}

/// `n` times the same value.
pub fn replicate(value: &Value, n: usize) -> Result<Array, Fault> {
    fn scalar<T: Element>(item: &T, n: usize) -> Result<Array, Fault> {
        reserve(Some(n), size_of::<T>())?;
        Ok(Array::flat(Shape::new(&[n]), vec![item.clone(); n]))
    }
    match value {
        Value::Real(x) => scalar(x, n),
        Value::Int(x) => scalar(x, n),
        Value::Bool(x) => scalar(x, n),
        Value::Delta(x) => scalar(x, n),
        Value::Dual(id, x) => {
            reserve(Some(n), size_of::<(f64, Id)>())?;
            let elems = Elems::Dual(vec![*x; n].into(), vec![*id; n].into());
            Ok(Array { shape: Shape::new(&[n]), elems })
        }
        Value::Str(_) | Value::Data(_) | Value::Closure(_) => scalar(value, n),
        Value::Tuple(fields) => {
            let parts = fields.iter().map(|field| replicate(field, n)).collect::<Result<_, _>>()?;
            Ok(Array { shape: Shape::new(&[n]), elems: Elems::Tuple(parts) })
        }
        Value::Array(array) => moved(array, 0, &[n], &Repeat(n)),
    }
}

/// Arrays one after the other along the outermost axis.
pub fn concat(arrays: &[&Array]) -> Result<Array, Fault> {
    // An array without elements may be of unknown type; any other decides.
    let first = arrays.iter().find(|it| !it.is_empty()).or(arrays.first());
    let first = first.ok_or_else(|| malformed("nothing to concatenate"))?;
    let tail = first.shape.get(1..).ok_or_else(|| malformed("an axis is missing"))?;
    let mut size = 0usize;
    for array in arrays {
        if !array.is_empty() && array.shape.get(1..) != Some(tail) {
            return Err(Fault::Sizes { expected: tail.to_vec(), found: array.shape[1..].to_vec() });
        }
        let more = array.shape.first().copied().unwrap_or(0);
        size = size.checked_add(more).filter(|it| *it <= MOST_ELEMENTS).ok_or(Fault::TooLarge)?;
    }
    let shape = Shape::join(&[size], tail);
    let n_items = checked_count(&shape)?;
    let elems = match &first.elems {
        Elems::Real(_) | Elems::Dual(..) if arrays.iter().any(|it| is_dual(it)) => {
            let parts: Vec<(Array, Array)> =
                arrays.iter().filter_map(|it| dual_parts(it)).collect();
            let (reals, ids): (Vec<&Array>, Vec<&Array>) =
                parts.iter().map(|it| (&it.0, &it.1)).unzip();
            Elems::Dual(joined(&reals, n_items)?, joined(&ids, n_items)?)
        }
        Elems::Real(_) | Elems::Lanes(..) if let Some(width) = lanes::common_width(arrays) => {
            let arrays = arrays.iter().map(|it| lanes::revealed((*it).clone(), width));
            let arrays: Vec<Array> = arrays.collect::<Result<_, _>>()?;
            let arrays: Vec<&Array> = arrays.iter().collect();
            Elems::Lanes(joined(&arrays, n_items.saturating_mul(width))?, width)
        }
        Elems::Delta(_) => Elems::Delta(joined(arrays, n_items)?),
        Elems::Real(_) | Elems::Dual(..) | Elems::Lanes(..) => {
            Elems::Real(joined(arrays, n_items)?)
        }
        Elems::Int(_) => Elems::Int(joined(arrays, n_items)?),
        Elems::Bool(_) => Elems::Bool(joined(arrays, n_items)?),
        Elems::Boxed(_) => Elems::Boxed(joined(arrays, n_items)?),
        Elems::Tuple(parts) => {
            let parts = (0..parts.len()).map(|i| {
                let column: Vec<&Array> = arrays.iter().filter_map(|it| part(it, i)).collect();
                concat(&column)
            });
            Elems::Tuple(parts.collect::<Result<_, _>>()?)
        }
    };
    Ok(Array { shape, elems })
}

fn part(array: &Array, index: usize) -> Option<&Array> {
    match &array.elems {
        Elems::Tuple(parts) => parts.get(index),
        Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) => None,
        Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => None,
    }
}

fn joined<T: Element>(arrays: &[&Array], n_items: usize) -> Result<Slice<T>, Fault> {
    reserve(Some(n_items), size_of::<T>())?;
    let mut res = Vec::with_capacity(n_items);
    for array in arrays {
        match T::slice(&array.elems) {
            Some(data) => res.extend_from_slice(data),
            None if array.is_empty() => {}
            None => return Err(malformed("arrays to concatenate are stored in different ways")),
        }
    }
    Ok(res.into())
}
