//! Operations on whole arrays, each one entry of the tape.

use crate::array::{Array, Slice};
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
            Whole::Derivative(_) => len,
        }
    }

    /// The bytes that it keeps from being freed, as if nobody else needed them.
    pub(crate) fn bytes(&self) -> usize {
        let ids = |it: &Slice<Id>| BUFFER + size_of_val(&**it);
        let inner = match self {
            Whole::Inputs | Whole::Derivative(_) => 0,
            Whole::Combine(terms) => terms
                .iter()
                .map(|(factors, deltas)| {
                    let factors = if let Factors::Many(it) = factors {
                        BUFFER + size_of_val(&**it)
                    } else {
                        0
                    };
                    factors + if let Ids::Many(it) = deltas { ids(it) } else { 0 }
                })
                .sum(),
            Whole::Sum { ids: it, .. } => ids(it),
            Whole::Scatter { into, values, .. } => ids(into) + ids(values),
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
        };
        size_of::<Entry>() + size_of::<Whole>() + OVERHEAD + inner
    }

    /// Passes the cotangents of its results, which begin with `first`, on to what they were made of.
    /// A `Derivative` is the evaluator's business.
    pub(crate) fn sweep(&self, first: u32, len: usize, to: &mut Cotangents) {
        match self {
            Whole::Inputs | Whole::Derivative(_) => {}
            Whole::Combine(terms) => {
                for i in 0..len {
                    let cotangent = to.get(Id(first + i as u32));
                    if cotangent != 0.0 {
                        for (factors, ids) in terms {
                            to.add(ids.get(i).0, factors.get(i), cotangent);
                        }
                    }
                }
            }
            Whole::Sum { ids, extent: Extent { outer, size, inner } } => {
                for o in 0..*outer {
                    for k in 0..*size {
                        for i in 0..*inner {
                            let cotangent = to.get(Id(first + (o * inner + i) as u32));
                            to.add(ids[(o * size + k) * inner + i].0, 1.0, cotangent);
                        }
                    }
                }
            }
            Whole::Scatter { into, positions, values, inner } => {
                for (i, id) in into.iter().enumerate() {
                    let cotangent = to.get(Id(first + i as u32));
                    to.add(id.0, 1.0, cotangent);
                }
                for (row, at) in positions.iter().enumerate() {
                    for i in 0..*inner {
                        let cotangent = to.get(Id(first + (at * inner + i) as u32));
                        to.add(values[row * inner + i].0, 1.0, cotangent);
                    }
                }
            }
        }
    }
}
