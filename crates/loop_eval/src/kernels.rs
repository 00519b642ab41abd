//! The functions of the runtime, as plainly as they can be said.

use std::cmp::Ordering;

use ir::Prim;
use loops::{Atom, Both, Kernel, Matrix, Scalar, Type};

use crate::memory::Pointer;
use crate::run::Frame;
use crate::{Ended, Value, prims};

impl Frame<'_, '_> {
    /// Two functions, one after the other.
    pub(crate) fn both(&mut self, both: Both, of: Atom) -> Result<[Value; 2], Ended> {
        let x = self.atom(of)?;
        let mut prim = |prim, args: &[Value]| self.run.prim(prim, args);
        match both {
            Both::Sigmoids => {
                let less = prim(Prim::Neg, std::slice::from_ref(&x))?;
                Ok([prim(Prim::Sigmoid, &[x])?, prim(Prim::Sigmoid, &[less])?])
            }
            Both::TanhSlope => {
                let cosh = prim(Prim::Cosh, std::slice::from_ref(&x))?;
                let square = prim(Prim::Mul, &[cosh.clone(), cosh])?;
                Ok([prim(Prim::Tanh, &[x])?, prim(Prim::Div, &[Value::Real(1.0), square])?])
            }
        }
    }

    pub(crate) fn kernel(&mut self, kernel: &Kernel) -> Result<(), Ended> {
        match kernel {
            Kernel::Fill { array, at, len, value } => {
                let (start, value) = (self.spot(*array, at)?, self.atom(*value)?);
                for k in 0..self.int(*len)? {
                    self.run.memory.store(moved(start, k), value.clone())?;
                }
                Ok(())
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                let (from, into) = (self.spot(*from, from_at)?, self.spot(*into, into_at)?);
                for k in 0..self.int(*len)? {
                    let value = self.run.memory.load(moved(from, k))?;
                    self.run.memory.store(moved(into, k), value)?;
                }
                Ok(())
            }
            Kernel::Product { m, n, k, a, b, c, add, scaled } => {
                let sizes = [self.int(*m)?, self.int(*n)?, self.int(*k)?];
                let matrices = [self.matrix(a)?, self.matrix(b)?, self.matrix(c)?];
                let times = if *scaled { Prim::Scale } else { Prim::Mul };
                self.product(sizes, matrices, times, *add)
            }
            Kernel::Sort { from, into, len } => {
                let (sorted, into) = self.sorted(*from, *into, self.int(*len)?)?;
                for (k, (_, value)) in sorted.into_iter().enumerate() {
                    self.run.memory.store(moved(into, k as i64), value)?;
                }
                Ok(())
            }
            // Nobody listens here.
            Kernel::Tell { .. } => Ok(()),
            Kernel::Argsort { from, into, len } => {
                let (sorted, into) = self.sorted(*from, *into, self.int(*len)?)?;
                for (k, (place, _)) in sorted.into_iter().enumerate() {
                    self.run.memory.store(moved(into, k as i64), Value::Int(place))?;
                }
                Ok(())
            }
        }
    }

    /// Its first element, and how far rows and columns are apart.
    fn matrix(&self, it: &Matrix) -> Result<(Pointer, i64, i64), Ended> {
        Ok((self.spot(it.array, &it.at)?, self.int(it.rows)?, self.int(it.columns)?))
    }

    fn product(
        &mut self,
        [m, n, k]: [i64; 3],
        [a, b, c]: [(Pointer, i64, i64); 3],
        times: Prim,
        add: bool,
    ) -> Result<(), Ended> {
        let place = |(start, rows, columns): (Pointer, i64, i64), i: i64, j: i64| {
            moved(start, i.wrapping_mul(rows).wrapping_add(j.wrapping_mul(columns)))
        };
        for i in 0..m {
            for j in 0..n {
                let mut sum = Value::Real(0.0);
                for p in 0..k {
                    self.run.count()?;
                    let x = self.run.memory.load(place(a, i, p))?;
                    let y = self.run.memory.load(place(b, p, j))?;
                    let product = self.run.prim(times, &[x, y])?;
                    sum = self.run.prim(Prim::Add, &[sum, product])?;
                }
                if add {
                    let old = self.run.memory.load(place(c, i, j))?;
                    sum = self.run.prim(Prim::Add, &[old, sum])?;
                }
                self.run.memory.store(place(c, i, j), sum)?;
            }
        }
        Ok(())
    }

    /// Elements with their positions in ascending order, NaN last, and where they go.
    fn sorted(
        &mut self,
        from: loops::Var,
        into: loops::Var,
        len: i64,
    ) -> Result<(Vec<(i64, Value)>, Pointer), Ended> {
        let (from, into) = (self.array(from)?, self.array(into)?);
        let mut all = Vec::new();
        for k in 0..len {
            all.push((k, self.run.memory.load(moved(from, k))?));
        }
        all.sort_by(|(_, x), (_, y)| order(x, y));
        Ok((all, into))
    }
}

pub(crate) fn moved(from: Pointer, by: i64) -> Pointer {
    Pointer { at: from.at.wrapping_add(by), ..from }
}

fn order(x: &Value, y: &Value) -> Ordering {
    match (x, y) {
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Real(x), Value::Real(y)) => {
            x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(y).unwrap_or(Ordering::Equal))
        }
        _ => Ordering::Equal,
    }
}

/// The neutral element of a type, before anything is known of the values.
pub(crate) fn neutral(how: loops::How, ty: Type) -> Value {
    let is_int = matches!(ty, Type::Array(Scalar::Int) | Type::Scalar(Scalar::Int));
    prims::neutral(how, &if is_int { Value::Int(0) } else { Value::Real(0.0) })
}
