//! The tape: how every recorded real depends on others, in the order of recording.
//!
//! Papers: Smeding and Vákár, Efficient dual-numbers reverse AD: reals are numbered as they are
//! computed (Section 6), and what a backpropagator would do is a list of contributions (9.2),
//! written during the forward run (9.3). Krawiec et al., Section 7.3: a dense array of cotangents
//! by identifier, gone through once, from the last identifier to the first.
//!
//! A scalar costs twelve bytes for each of its contributions and eight for its cotangent. An
//! operation on whole arrays is one entry, whatever their size. Constants leave no entry: their
//! identifier is `Zero`, and a real without identifier is a constant.

mod contributions;
mod cotangents;
mod whole;

use std::sync::Arc;

pub(crate) use contributions::Contributions;
pub(crate) use cotangents::Cotangents;
pub(crate) use whole::{Factors, Ids, Whole};

use crate::array::{Array, Elems};
use crate::error::Fault;
use crate::memory::{self, reserve};
use crate::value::Value;

/// The identifier of a Delta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Id(pub u32);

impl Id {
    /// The Delta of a constant.
    pub const ZERO: Id = Id(0);
}

/// Identifiers need a bit less than a word, see `Contributions`.
const MOST_IDS: u32 = 1 << 31;

/// What has been recorded.
pub(crate) struct Tape {
    pub(crate) scalars: Contributions,
    wholes: Vec<Entry>,
    /// The next identifier.
    next: u32,
    /// Earlier identifiers, those of recordings around this one, are constants for it.
    floor: u32,
    /// What the entries of arrays keep from being freed.
    whole_bytes: usize,
    /// How many contributions they are.
    whole_contributions: u64,
    /// How many contributions of arrays were recorded, also those that were forgotten.
    recorded: u64,
    /// Whether contributions of scalars are recorded even if their factor is zero.
    pub(crate) keeps_zeros: bool,
    stats: TapeStats,
}

/// What recording took, since the counters were reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TapeStats {
    /// Contributions, one for each real that another one was computed from.
    pub contributions: u64,
    /// Entries for operations on whole arrays.
    pub wholes: u64,
    /// The most bytes that tape and cotangents held at once.
    pub bytes: usize,
}

/// An operation on whole arrays: where it stands among the contributions of scalars, and the
/// identifiers of its results.
pub(crate) struct Entry {
    pub(crate) position: usize,
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) what: Arc<Whole>,
}

/// A place on the tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) position: usize,
    pub(crate) wholes: usize,
    pub(crate) next: u32,
}

impl Tape {
    pub(crate) fn new() -> Tape {
        let scalars = Contributions::new();
        let (whole_bytes, whole_contributions, recorded) = (0, 0, 0);
        let (wholes, next, floor, stats) = (Vec::new(), 1, 1, TapeStats::default());
        Tape {
            scalars,
            wholes,
            next,
            floor,
            whole_bytes,
            whole_contributions,
            recorded,
            keeps_zeros: false,
            stats,
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        let (position, wholes) = (self.scalars.len(), self.wholes.len());
        Mark { position, wholes, next: self.next }
    }

    /// Forgets what was recorded after the mark.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.stats.bytes = self.stats.bytes.max(self.bytes());
        for entry in self.wholes.drain(mark.wholes..) {
            self.whole_bytes -= entry.what.bytes();
            self.whole_contributions -= entry.what.n_contributions(entry.len as usize) as u64;
            memory::refund(entry.what.own_bytes());
        }
        self.scalars.truncate(mark.position);
        self.next = mark.next;
    }

    /// Another tape, for what is kept longer than what is recorded on this one: for it, that is constant.
    pub(crate) fn beside(&self) -> Tape {
        Tape { next: self.next, floor: self.next, ..Tape::new() }
    }

    /// Counts what was recorded on another tape.
    pub(crate) fn note(&mut self, other: &Tape) {
        self.recorded += other.recorded();
        self.stats.wholes += other.stats.wholes;
        self.stats.bytes = self.stats.bytes.max(self.bytes() + other.bytes());
    }

    /// Gives back what is reserved for recording more.
    pub(crate) fn shrink(&mut self) {
        self.scalars.shrink();
    }

    /// From now on what was recorded before the mark is constant; gives what says so now.
    pub(crate) fn raise(&mut self, to: Mark) -> u32 {
        std::mem::replace(&mut self.floor, to.next)
    }

    /// Takes back what `raise` did.
    pub(crate) fn lower(&mut self, floor: u32) {
        self.floor = floor;
    }

    /// Whether a Delta is `Zero`, or counts as such.
    #[inline]
    pub(crate) fn is_constant(&self, id: Id) -> bool {
        id.0 < self.floor
    }

    /// Whether all of these Deltas are `Zero`, or count as such.
    pub(crate) fn are_constant(&self, ids: &[Id]) -> bool {
        ids.iter().all(|it| self.is_constant(*it))
    }

    /// How many contributions were recorded since the tape exists.
    fn recorded(&self) -> u64 {
        self.recorded + self.scalars.pushed()
    }

    /// How many contributions are on the tape.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.whole_contributions + self.scalars.len() as u64
    }

    /// What was recorded since the last time this was asked to begin anew.
    pub(crate) fn stats(&self) -> TapeStats {
        let contributions = self.recorded() - self.stats.contributions;
        TapeStats { contributions, bytes: self.stats.bytes.max(self.bytes()), ..self.stats }
    }

    pub(crate) fn reset_stats(&mut self) {
        self.stats = TapeStats { contributions: self.recorded(), wholes: 0, bytes: 0 };
    }

    /// The bytes in use, those of a cotangent for each identifier included.
    fn bytes(&self) -> usize {
        self.scalars.bytes() + self.whole_bytes + self.next as usize * size_of::<f64>()
    }

    /// The identifier of a scalar whose contributions were just added to `scalars`.
    #[inline]
    pub(crate) fn scalar(&mut self) -> Result<Id, Fault> {
        let id = self.next;
        if id == MOST_IDS {
            return Err(self.fault(None));
        }
        self.next = id + 1;
        Ok(Id(id))
    }

    /// Records an operation on whole arrays of `len` results; gives the first identifier.
    pub(crate) fn whole(&mut self, len: usize, what: Whole) -> Result<u32, Fault> {
        let first = self.next;
        let end = u32::try_from(len).ok().and_then(|len| first.checked_add(len));
        let Some(end) = end.filter(|it| *it <= MOST_IDS) else { return Err(self.fault(None)) };
        // Cotangents will need room too.
        if reserve(Some(end as usize), size_of::<f64>()).is_err() {
            return Err(self.too_long());
        }
        let contributions = what.n_contributions(len) as u64;
        self.recorded += contributions;
        self.whole_contributions += contributions;
        self.stats.wholes += 1;
        self.whole_bytes += what.bytes();
        memory::charge(what.own_bytes());
        let position = self.scalars.len();
        self.wholes.push(Entry { position, first, len: end - first, what: Arc::new(what) });
        self.next = end;
        Ok(first)
    }

    /// Identifiers from `first` on, as elements of an array.
    pub(crate) fn ids(first: u32, len: usize) -> Result<Vec<Id>, Fault> {
        reserve(Some(len), size_of::<Id>())?;
        Ok((first..first + len as u32).map(Id).collect())
    }

    pub(crate) fn entry(&self, number: usize) -> Option<&Entry> {
        self.wholes.get(number)
    }

    /// The memory is used up.
    pub(crate) fn too_long(&self) -> Fault {
        self.fault(Some(memory::limit()))
    }

    /// Whether most of the memory is used by what is recorded.
    pub(crate) fn is_most(&self) -> bool {
        self.bytes() > memory::limit() / 2
    }

    fn fault(&self, limit: Option<usize>) -> Fault {
        Fault::Tape { contributions: self.held(), limit, by: None }
    }
}

/// The real of a real or of a pair of a real and a Delta.
#[inline]
pub(crate) fn real_part(value: &Value) -> Option<f64> {
    if let Value::Real(value) | Value::Dual(_, value) = value { Some(*value) } else { None }
}

/// The Delta of a pair, of a constant, or itself.
#[inline]
pub(crate) fn delta_part(value: &Value) -> Option<Id> {
    if let Value::Dual(id, _) | Value::Delta(id) = value {
        return Some(*id);
    }
    if let Value::Real(_) = value { Some(Id::ZERO) } else { None }
}

/// The real (`index` 0) or the Delta (`index` 1) of a pair, or those of an array of pairs.
pub(crate) fn dual_part(value: &Value, index: usize) -> Option<Value> {
    if let Value::Array(array) = value {
        let (reals, ids) = dual_parts(array)?;
        return Some(Value::array(if index == 0 { reals } else { ids }));
    }
    match index {
        0 => real_part(value).map(Value::Real),
        _ => delta_part(value).map(Value::Delta),
    }
}

/// The reals and the Deltas of an array of pairs.
pub(crate) fn dual_parts(array: &Array) -> Option<(Array, Array)> {
    let shape = array.shape.clone();
    let part = |elems| Array { shape: shape.clone(), elems };
    if let Elems::Dual(data, ids) = &array.elems {
        return Some((part(Elems::Real(data.clone())), part(Elems::Delta(ids.clone()))));
    }
    if let Elems::Real(data) = &array.elems {
        let ids = vec![Id::ZERO; data.len()];
        return Some((array.clone(), part(Elems::Delta(ids.into()))));
    }
    None
}

pub(crate) fn is_dual(array: &Array) -> bool {
    matches!(array.elems, Elems::Dual(..))
}
