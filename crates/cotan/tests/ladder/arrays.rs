//! Operations on whole arrays, element by element, and comparisons of whole values.

use std::cmp::Ordering;

use eval::Tolerance;
use eval::kernels::elementwise::Precision;
use ir::{ArrayOp, Atom, Op, Prim, Reduction, Stmt, Type};

use crate::ladder::machine::{Machine, Stop, fault, int_size, natural_sizes};
use crate::ladder::rung::Domain;
use crate::ladder::value::{Frame, Value};

type Outcome<N> = Result<Value<N>, Stop>;

impl<D: Domain> Machine<'_, D> {
    /// An operation with one result that runs no block.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are listed in `machine.rs`")]
    pub(crate) fn bulk(&mut self, frame: &Frame<D::Num>, stmt: &Stmt) -> Outcome<D::Num> {
        let ty = &stmt.binders[0].ty;
        match &stmt.op {
            Op::Array(ArrayOp::Literal { elem: _, parts }) => {
                Ok(Value::array(self.atoms(frame, parts)))
            }
            Op::Array(ArrayOp::Index { array, indices }) => {
                let indices = self.atoms(frame, indices);
                indices.iter().try_fold(self.atom(frame, array), |it, index| element(&it, index))
            }
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                let (from, to) = (int_size(frame, from), int_size(frame, to));
                slice(&self.atom(frame, array), *axis, from as usize..to as usize)
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                let array = self.atom(frame, array);
                self.reduce(frame, *reduction, *axis, &array, ty)
            }
            Op::Array(ArrayOp::Argmax(array)) => self.extreme(frame, array, Ordering::Greater),
            Op::Array(ArrayOp::Argmin(array)) => self.extreme(frame, array, Ordering::Less),
            Op::Array(ArrayOp::Gather { array, indices, mask: _ }) => {
                let (array, indices) = (self.atom(frame, array), self.rows(frame, &indices[0])?);
                let rows = indices.iter().map(|index| element(&array, index));
                Ok(Value::array(rows.collect::<Result<_, _>>()?))
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask: _ }) => {
                let mut rows = self.rows(frame, into)?.to_vec();
                let (indices, values) = (self.rows(frame, &indices[0])?, self.rows(frame, values)?);
                if indices.len() != values.len() {
                    return fault("sizes differ");
                }
                for (index, value) in indices.iter().zip(values.iter()) {
                    let at = position(index, rows.len())?;
                    rows[at] = self.add(&rows[at], value)?;
                }
                Ok(Value::array(rows))
            }
            Op::Array(ArrayOp::Replicate { size, value }) => {
                let n = natural_sizes(frame, std::slice::from_ref(size))?[0];
                Ok(Value::array(vec![self.atom(frame, value); n]))
            }
            Op::Array(ArrayOp::Iota(size)) => {
                Ok(Value::array((0..int_size(frame, size)).map(Value::Int).collect()))
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                let sizes = ty.split_arrays().0;
                let sizes = natural_sizes(frame, &sizes[..permutation.len()])?;
                transpose(&self.atom(frame, array), permutation, &sizes, &mut Vec::new())
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                let mut elements = Vec::new();
                flatten(&self.atom(frame, array), *rank, &mut elements)?;
                unflatten(&elements, &natural_sizes(frame, sizes)?)
            }
            Op::Array(ArrayOp::Reverse(array)) => {
                Ok(Value::array(self.rows(frame, array)?.iter().rev().cloned().collect()))
            }
            Op::Array(ArrayOp::Concat(arrays)) => {
                let mut rows = Vec::new();
                for array in arrays {
                    rows.extend(self.rows(frame, array)?.iter().cloned());
                }
                Ok(Value::array(rows))
            }
            Op::Array(ArrayOp::Sort(array)) => {
                let rows = self.rows(frame, array)?;
                let order = argsort::<D>(&rows);
                Ok(Value::array(order.into_iter().map(|it| rows[it].clone()).collect()))
            }
            Op::Array(ArrayOp::Argsort(array)) => {
                let order = argsort::<D>(&self.rows(frame, array)?);
                Ok(Value::array(order.into_iter().map(|it| Value::Int(it as i64)).collect()))
            }
            Op::Array(ArrayOp::Sized { array, size }) => {
                let rows = self.rows(frame, array)?;
                if int_size(frame, size) != rows.len() as i64 {
                    return fault("sizes differ");
                }
                Ok(Value::Array(rows))
            }
            Op::Equal(x, y) => self.compare(frame, x, y, Tolerance::Exact),
            Op::Close(x, y) => self.compare(frame, x, y, Tolerance::close(Precision::F64)),
            other => fault(&format!("no operation on arrays: {other}")),
        }
    }

    /// Folds one axis with the binary primitive of the reduction, from the first element on.
    fn reduce(
        &mut self,
        frame: &Frame<D::Num>,
        reduction: Reduction,
        axis: usize,
        array: &Value<D::Num>,
        ty: &Type,
    ) -> Outcome<D::Num> {
        let Value::Array(rows) = array else { return fault("not an array") };
        if let (Some(axis), Type::Array(_, elem)) = (axis.checked_sub(1), ty) {
            let rows = rows.iter().map(|it| self.reduce(frame, reduction, axis, it, elem));
            return Ok(Value::array(rows.collect::<Result<_, _>>()?));
        }
        let (prim, start, int_start) = match reduction {
            Reduction::Sum => (Prim::Add, 0.0, 0),
            Reduction::Product => (Prim::Mul, 1.0, 1),
            Reduction::Maximum => (Prim::Max, f64::NEG_INFINITY, i64::MIN),
            Reduction::Minimum => (Prim::Min, f64::INFINITY, i64::MAX),
        };
        let mut total = match *ty.split_arrays().1 == Type::Int {
            true => Value::Int(int_start),
            false => Value::Num(self.domain.constant(start)),
        };
        for size in natural_sizes(frame, &ty.split_arrays().0)?.into_iter().rev() {
            total = Value::array(vec![total; size]);
        }
        rows.iter().try_fold(total, |total, row| self.prim(prim, &[total, row.clone()]))
    }

    /// The position of the first element that is beyond all others; NaN is beyond all numbers.
    fn extreme(&mut self, frame: &Frame<D::Num>, array: &Atom, side: Ordering) -> Outcome<D::Num> {
        let rows = self.rows(frame, array)?;
        let beyond = |new: f64, old: f64| {
            new.partial_cmp(&old) == Some(side) || (new.is_nan() && !old.is_nan())
        };
        let best = (1..rows.len()).fold(0, |best, i| match (&rows[i], &rows[best]) {
            (Value::Num(new), Value::Num(old)) if beyond(D::primal(new), D::primal(old)) => i,
            (Value::Int(new), Value::Int(old)) if new.cmp(old) == side => i,
            _ => best,
        });
        if rows.is_empty() { fault("no element") } else { Ok(Value::Int(best as i64)) }
    }

    /// The sum of two values of one shape.
    fn add(&mut self, x: &Value<D::Num>, y: &Value<D::Num>) -> Outcome<D::Num> {
        let mut all = |xs: &[Value<D::Num>], ys: &[Value<D::Num>]| {
            let sums = xs.iter().zip(ys).map(|(x, y)| self.add(x, y));
            sums.collect::<Result<Vec<_>, _>>()
        };
        match (x, y) {
            (Value::Tuple(xs), Value::Tuple(ys)) => Ok(Value::tuple(all(xs, ys)?)),
            (Value::Array(xs), Value::Array(ys)) => Ok(Value::array(all(xs, ys)?)),
            _ => self.prim(Prim::Add, &[x.clone(), y.clone()]),
        }
    }

    fn compare(
        &mut self,
        frame: &Frame<D::Num>,
        x: &Atom,
        y: &Atom,
        tolerance: Tolerance,
    ) -> Outcome<D::Num> {
        let (x, y) = (self.atom(frame, x), self.atom(frame, y));
        Ok(Value::Bool(equal::<D>(&x, &y, tolerance)))
    }
}

fn equal<D: Domain>(x: &Value<D::Num>, y: &Value<D::Num>, tolerance: Tolerance) -> bool {
    let all = |xs: &[Value<D::Num>], ys: &[Value<D::Num>]| {
        xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| equal::<D>(x, y, tolerance))
    };
    match (x, y) {
        (Value::Num(x), Value::Num(y)) => tolerance.reals(D::primal(x), D::primal(y)),
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Str(x), Value::Str(y)) => x == y,
        (Value::Tuple(xs), Value::Tuple(ys)) => all(xs, ys),
        (Value::Array(xs), Value::Array(ys)) => all(xs, ys),
        (Value::Data(x, xs), Value::Data(y, ys)) => x == y && all(xs, ys),
        _ => false,
    }
}

fn position<N>(index: &Value<N>, size: usize) -> Result<usize, Stop> {
    let Value::Int(index) = index else { return fault("not an Int") };
    let inside = usize::try_from(*index).ok().filter(|it| *it < size);
    inside.ok_or(Stop::Fault("an index out of range".into()))
}

fn element<N: Clone>(array: &Value<N>, index: &Value<N>) -> Outcome<N> {
    let Value::Array(rows) = array else { return fault("not an array") };
    Ok(rows[position(index, rows.len())?].clone())
}

fn slice<N: Clone>(array: &Value<N>, axis: usize, range: std::ops::Range<usize>) -> Outcome<N> {
    let Value::Array(rows) = array else { return fault("not an array") };
    if axis == 0 {
        let part = rows.get(range).map(<[_]>::to_vec);
        return part.map(Value::array).ok_or(Stop::Fault("a slice out of range".into()));
    }
    let rows = rows.iter().map(|it| slice(it, axis - 1, range.clone()));
    Ok(Value::array(rows.collect::<Result<_, _>>()?))
}

/// The new rows under the new indices chosen so far.
fn transpose<N: Clone>(
    array: &Value<N>,
    permutation: &[usize],
    sizes: &[usize],
    chosen: &mut Vec<usize>,
) -> Outcome<N> {
    let Some(size) = sizes.get(chosen.len()) else {
        let old_axis = |axis: usize| permutation.iter().position(|it| *it == axis);
        return (0..sizes.len()).try_fold(array.clone(), |it, axis| {
            let at = old_axis(axis).map_or(0, |new| chosen[new]);
            element(&it, &Value::Int(at as i64))
        });
    };
    let mut rows = Vec::new();
    for i in 0..*size {
        chosen.push(i);
        rows.push(transpose(array, permutation, sizes, chosen)?);
        chosen.pop();
    }
    Ok(Value::array(rows))
}

fn flatten<N: Clone>(value: &Value<N>, rank: usize, into: &mut Vec<Value<N>>) -> Result<(), Stop> {
    if rank == 0 {
        into.push(value.clone());
        return Ok(());
    }
    let Value::Array(rows) = value else { return fault("not an array") };
    rows.iter().try_for_each(|it| flatten(it, rank - 1, into))
}

fn unflatten<N: Clone>(elements: &[Value<N>], sizes: &[usize]) -> Outcome<N> {
    if elements.len() != sizes.iter().product::<usize>() {
        return fault("sizes differ");
    }
    let Some((n, inner)) = sizes.split_first() else { return Ok(elements[0].clone()) };
    let width = inner.iter().product::<usize>();
    let row = |i: usize| unflatten(&elements[i * width..(i + 1) * width], inner);
    Ok(Value::array((0..*n).map(row).collect::<Result<_, _>>()?))
}

/// Ascending, NaN last, stable.
fn argsort<D: Domain>(rows: &[Value<D::Num>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|i, j| match (&rows[*i], &rows[*j]) {
        (Value::Num(x), Value::Num(y)) => {
            let (x, y) = (D::primal(x), D::primal(y));
            x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
        }
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        _ => Ordering::Equal,
    });
    order
}
