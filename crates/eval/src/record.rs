//! Recording: Deltas of scalars and of whole arrays go to the tape.
//!
//! Paper: Krawiec et al., Figure 10, `deltaLet`. Of scalars, a factor that is zero contributes
//! nothing; of arrays, Deltas that are all `Zero` are left out. A combination of nothing is `Zero`
//! and no entry.

use ::array::{Shape, count};

use crate::array::{Array, Elems, Slice};
use crate::code::Arg;
use crate::cost::Kind;
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::kernels::reduce::Extent;
use crate::memory::reserve;
use crate::tape::{Factors, Id, Ids, Tape, Whole, delta_part, real_part};
use crate::value::Value;

impl Evaluator {
    /// The Delta of a combination of scalars.
    #[inline]
    pub(crate) fn combine_scalars(
        &mut self,
        frame: Frame<'_>,
        terms: &[(Arg, Arg)],
    ) -> Result<Id, Failure> {
        let mut n_terms = 0;
        for (factor, delta) in terms {
            let id = delta_part(self.peek(frame, delta)).ok_or_else(no_delta)?;
            if self.tape.is_constant(id) {
                continue;
            }
            let factor = self.real(frame, factor).ok_or_else(no_delta)?;
            if factor == 0.0 && !self.tape.keeps_zeros {
                continue;
            }
            if self.tape.scalars.push(id.0, factor, n_terms == 0).is_err() {
                return Err(self.tape.too_long().into());
            }
            n_terms += 1;
        }
        self.counters.kind(Kind::Record, n_terms);
        if n_terms == 0 { Ok(Id::ZERO) } else { Ok(self.tape.scalar()?) }
    }

    /// The Deltas of a combination, element by element if arrays are among the operands.
    pub(crate) fn combine(
        &mut self,
        frame: Frame<'_>,
        terms: &[(Arg, Arg)],
    ) -> Result<Value, Failure> {
        let mut shape = None;
        let mut operands = Vec::with_capacity(terms.len());
        for (factor, delta) in terms {
            let (factor, delta) = (self.fetch_known(frame, factor), self.fetch_known(frame, delta));
            for value in [&factor, &delta] {
                if let Value::Array(array) = value {
                    shape = Some(array.shape.clone());
                }
            }
            operands.push((factor, delta));
        }
        let Some(shape) = shape else {
            return Ok(Value::Delta(self.combine_scalars(frame, terms)?));
        };
        let n = count(&shape).unwrap_or(0);
        if n == 0 {
            return Ok(Value::array(Array::flat(shape, Vec::<Id>::new())));
        }
        let mut whole = Vec::with_capacity(operands.len());
        for (factor, delta) in &operands {
            if let Some(ids) = ids(&self.tape, delta)?
                && let Some(factors) = factors(&self.tape, factor)?
            {
                whole.push((factors, ids));
            }
        }
        if whole.is_empty() {
            return Ok(Value::array(Array::flat(shape, vec![Id::ZERO; n])));
        }
        self.whole(shape, Whole::Combine(whole))
    }

    /// Records an operation that gives an array of Deltas.
    fn whole(&mut self, shape: Shape, what: Whole) -> Result<Value, Failure> {
        let n = count(&shape).unwrap_or(0);
        self.counters.kind(Kind::Record, what.n_contributions(n));
        let first = self.tape.whole(n, what)?;
        let array = Array::flat(shape, Tape::ids(first, n)?);
        Ok(if array.shape.is_empty() { array.row(0, 0) } else { Value::array(array) })
    }

    /// The Deltas of sums along an axis.
    pub(crate) fn sum_deltas(
        &mut self,
        axis: usize,
        array: &Array,
        ids: &Slice<Id>,
    ) -> Result<Value, Failure> {
        let (extent, shape) = Extent::of(array, axis)?;
        if self.tape.are_constant(ids) {
            let n = count(&shape).unwrap_or(0);
            let zeros = Array::flat(shape, vec![Id::ZERO; n]);
            return Ok(if zeros.shape.is_empty() { zeros.row(0, 0) } else { Value::array(zeros) });
        }
        self.whole(shape, Whole::Sum { ids: ids.clone(), extent })
    }

    /// The Deltas of sums at positions. Only those positions get new ones, in place if nobody else
    /// holds the array: a loop that adds at one position after the other records no whole arrays.
    pub(crate) fn scatter_deltas(
        &mut self,
        mut array: Array,
        rank: usize,
        positions: &[usize],
        values: &Slice<Id>,
    ) -> Result<Value, Failure> {
        let inner = count(array.shape.get(rank..).unwrap_or(&[])).unwrap_or(0);
        let Elems::Delta(ids) = &mut array.elems else { return Err(no_delta().into()) };
        if self.tape.are_constant(values) {
            return Ok(Value::array(array));
        }
        let mut rows = positions.to_vec();
        rows.sort_unstable();
        rows.dedup();
        let into: Vec<Id> =
            rows.iter().flat_map(|row| ids[row * inner..(row + 1) * inner].to_vec()).collect();
        let among = |at| rows.binary_search(at).unwrap_or_default();
        let positions = positions.iter().map(among).collect();
        let n = into.len();
        let (into, values) = (into.into(), values.clone());
        let what = Whole::Scatter { into, positions, values, inner };
        self.counters.kind(Kind::Record, what.n_contributions(n));
        let first = self.tape.whole(n, what)?;
        if ids.get_mut().is_none() {
            reserve(Some(ids.len()), size_of::<Id>())?;
        }
        let ids = ids.make_mut();
        for (k, row) in rows.into_iter().enumerate() {
            for i in 0..inner {
                ids[row * inner + i] = Id(first + (k * inner + i) as u32);
            }
        }
        Ok(Value::array(array))
    }
}

/// The Deltas of a term; `None` if they are all `Zero`.
fn ids(tape: &Tape, delta: &Value) -> Result<Option<Ids>, Fault> {
    if let Value::Array(array) = delta
        && let Elems::Delta(ids) = &array.elems
    {
        return Ok((!tape.are_constant(ids)).then(|| Ids::Many(ids.clone())));
    }
    let id = delta_part(delta).ok_or_else(no_delta)?;
    Ok((!tape.is_constant(id)).then_some(Ids::One(id)))
}

/// The factors of a term; `None` if they are all zero.
fn factors(tape: &Tape, factor: &Value) -> Result<Option<Factors>, Fault> {
    let counts = |it: &f64| *it != 0.0 || tape.keeps_zeros;
    if let Value::Array(array) = factor
        && let Elems::Real(data) = &array.elems
    {
        return Ok(data.iter().any(counts).then(|| Factors::Many(data.clone())));
    }
    let factor = real_part(factor).ok_or_else(no_delta)?;
    Ok(counts(&factor).then_some(Factors::One(factor)))
}

#[cold]
fn no_delta() -> Fault {
    malformed("a factor and a Delta are expected")
}
