//! Operations on whole arrays, each one entry of the tape.

use std::iter::repeat;

use crate::array::{Array, Element, Slice};
use crate::custom::Pullback;
use crate::kernels::reduce::Extent;
use crate::memory::OVERHEAD;
use crate::reverse::Derivative;
use crate::tape::{Cotangents, Entry, Id};

/// What a buffer takes besides its elements.
const BUFFER: usize = 2 * OVERHEAD + size_of::<Array>();

/// An operation on whole arrays, or one that is recorded as a whole.
pub(crate) enum Whole {
    /// New identifiers, of which nothing is known.
    Inputs,
    /// Every result is the sum of factors times Deltas.
    Combine(Vec<(Factors, Ids)>),
    /// Sums along an axis.
    Sum { ids: Slice<Id>, extent: Extent },
    /// `into` with `values` added at positions, in blocks of `inner`; every block gets some.
    Scatter { into: Slice<Id>, positions: Vec<usize>, values: Slice<Id>, inner: usize },
    /// A derivative inside of what is differentiated.
    Derivative(Box<Derivative>),
    /// A definition with a derivative of its own.
    Pullback(Box<Pullback>),
}

/// Factors: one for all, or one for each result.
pub(crate) enum Factors {
    One(f64),
    Many(Slice<f64>),
}

/// Deltas: one for all, or one for each result.
pub(crate) enum Ids {
    One(Id),
    Many(Slice<Id>),
}

impl Factors {
    pub(crate) fn get(&self, i: usize) -> f64 {
        match self {
            Factors::One(factor) => *factor,
            Factors::Many(factors) => factors[i],
        }
    }

    /// Passes cotangents, which begin with `first`, on to what they were made of.
    fn sweep(&self, ids: &Ids, first: u32, len: usize, to: &mut Cotangents) {
        match (self, ids) {
            (Factors::One(factor), Ids::Many(ids)) => to.add_each(ids, first, repeat(*factor)),
            (Factors::Many(factors), Ids::Many(ids)) => {
                to.add_each(ids, first, factors.iter().copied());
            }
            (Factors::One(factor), Ids::One(id)) => {
                let results = first..first + len as u32;
                results.for_each(|it| to.add(id.0, *factor, to.get(Id(it))));
            }
            (Factors::Many(factors), Ids::One(id)) => {
                let results = (first..).zip(factors.iter());
                results.for_each(|(it, factor)| to.add(id.0, *factor, to.get(Id(it))));
            }
        }
    }
}

impl Ids {
    pub(crate) fn get(&self, i: usize) -> Id {
        match self {
            Ids::One(id) => *id,
            Ids::Many(ids) => ids[i],
        }
    }
}

impl Whole {
    /// How many contributions its `len` results have.
    pub(crate) fn n_contributions(&self, len: usize) -> usize {
        match self {
            Whole::Inputs => 0,
            Whole::Combine(terms) => len * terms.len(),
            Whole::Sum { ids, .. } => ids.len(),
            Whole::Scatter { into, values, .. } => into.len() + values.len(),
            Whole::Derivative(_) | Whole::Pullback(_) => len,
        }
    }

    /// The bytes that it keeps from being freed, as if nobody else needed them.
    pub(crate) fn bytes(&self) -> usize {
        fn buffer<T: Element>(it: &Slice<T>) -> usize {
            BUFFER + size_of_val(&**it)
        }
        let inner = match self {
            Whole::Inputs | Whole::Derivative(_) | Whole::Pullback(_) => 0,
            Whole::Combine(terms) => {
                let factors = terms.iter().map(|(it, _)| match it {
                    Factors::One(_) => 0,
                    Factors::Many(it) => buffer(it),
                });
                let ids = terms.iter().map(|(_, it)| match it {
                    Ids::One(_) => 0,
                    Ids::Many(it) => buffer(it),
                });
                factors.chain(ids).sum()
            }
            Whole::Sum { ids, .. } => buffer(ids),
            Whole::Scatter { into, values, .. } => buffer(into) + buffer(values),
        };
        self.own_bytes() + inner
    }

    /// The bytes that its entry holds itself; values count theirs.
    pub(crate) fn own_bytes(&self) -> usize {
        let inner = match self {
            Whole::Inputs | Whole::Sum { .. } => 0,
            Whole::Combine(terms) => OVERHEAD + size_of_val(&**terms),
            Whole::Scatter { positions, .. } => OVERHEAD + size_of_val(&**positions),
            Whole::Derivative(it) => OVERHEAD + size_of_val(&**it),
            Whole::Pullback(it) => OVERHEAD + size_of_val(&**it),
        };
        size_of::<Entry>() + size_of::<Whole>() + OVERHEAD + inner
    }

    /// Passes the cotangents of its results, which begin with `first`, on to what they were made of.
    /// A `Derivative` and a `Pullback` are the evaluator's business.
    pub(crate) fn sweep(&self, first: u32, len: usize, to: &mut Cotangents) {
        match self {
            Whole::Inputs | Whole::Derivative(_) | Whole::Pullback(_) => {}
            Whole::Combine(terms) => {
                for (factors, ids) in terms {
                    factors.sweep(ids, first, len, to);
                }
            }
            Whole::Sum { ids, extent: Extent { outer: _, size, inner: 1 } } if *size > 0 => {
                for (id, row) in (first..).zip(ids.chunks_exact(*size)) {
                    to.add_same(row, to.get(Id(id)));
                }
            }
            Whole::Sum { ids, extent: Extent { outer, size, inner } } => {
                for (index, row) in (0..outer * size).zip(ids.chunks_exact((*inner).max(1))) {
                    let result = first + (index / size * inner) as u32;
                    to.add_each(row, result, repeat(1.0));
                }
            }
            Whole::Scatter { into, positions, values, inner } => {
                to.add_each(into, first, repeat(1.0));
                for (row, at) in positions.iter().enumerate() {
                    let targets = &values[row * inner..(row + 1) * inner];
                    to.add_each(targets, first + (at * inner) as u32, repeat(1.0));
                }
            }
        }
    }
}
