//! Counts what a run does: scalar operations by name, and bytes moved.

use std::collections::BTreeMap;

use ir::Prim;

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How often each primitive or kind of operation was done to a scalar, by name.
    pub counts: BTreeMap<String, u64>,
    /// Bytes written to arrays by operations that move elements.
    pub bytes: u64,
}

impl Cost {
    /// All operations.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// Kinds of operations besides primitives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Call,
    Apply,
    Closure,
    Tuple,
    Construct,
    Match,
    Index,
    Step,
    Reduce,
    Move,
    Sort,
    Equal,
    Dual,
    Record,
    Sweep,
}

const KINDS: [Kind; 15] = [
    Kind::Call,
    Kind::Apply,
    Kind::Closure,
    Kind::Tuple,
    Kind::Construct,
    Kind::Match,
    Kind::Index,
    Kind::Step,
    Kind::Reduce,
    Kind::Move,
    Kind::Sort,
    Kind::Equal,
    Kind::Dual,
    Kind::Record,
    Kind::Sweep,
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Call => "call",
            Kind::Apply => "apply",
            Kind::Closure => "closure",
            Kind::Tuple => "tuple",
            Kind::Construct => "construct",
            Kind::Match => "match",
            Kind::Index => "index",
            Kind::Step => "step",
            Kind::Reduce => "reduce",
            Kind::Move => "move",
            Kind::Sort => "sort",
            Kind::Equal => "equal",
            Kind::Dual => "dual",
            Kind::Record => "record",
            Kind::Sweep => "sweep",
        }
    }
}

/// As many as there are primitives, or more; a power of two, so that no count is out of bounds.
const MOST_PRIMS: usize = 64;
const _: () = assert!(ir::prim::TABLE.len() <= MOST_PRIMS && MOST_PRIMS.is_power_of_two());

/// Counters, cheap enough to be always on, and to be kept with every result.
#[derive(Clone, Debug)]
pub struct Counters {
    prims: [u64; MOST_PRIMS],
    kinds: [u64; KINDS.len()],
    bytes: u64,
    /// All operations.
    pub(crate) total: u64,
}

impl Counters {
    pub(crate) fn new() -> Counters {
        Counters { prims: [0; MOST_PRIMS], kinds: [0; KINDS.len()], bytes: 0, total: 0 }
    }

    /// A primitive on `n` elements.
    #[inline]
    pub(crate) fn prim(&mut self, prim: Prim, n: usize) {
        self.prims[prim as usize % MOST_PRIMS] += n as u64;
        self.total += n as u64;
    }

    /// An operation on `n` elements.
    #[inline]
    pub(crate) fn kind(&mut self, kind: Kind, n: usize) {
        let count = &mut self.kinds[kind as usize];
        // Arrays of units have more elements than anybody could go through.
        *count = count.saturating_add(n as u64);
        self.total = self.total.saturating_add(n as u64);
    }

    /// `n` elements of eight bytes were moved.
    pub(crate) fn moved(&mut self, n: usize) {
        self.kind(Kind::Move, n);
        self.bytes = self.bytes.saturating_add((n as u64).saturating_mul(8));
    }

    /// What they count, by name.
    pub fn cost(&self) -> Cost {
        let prims = Prim::all().map(|it| (it.name(), self.prims[it as usize % MOST_PRIMS]));
        let kinds = KINDS.iter().map(|it| (it.name(), self.kinds[*it as usize]));
        let counts = prims.chain(kinds).filter(|it| it.1 > 0);
        let counts = counts.map(|(name, n)| (name.to_owned(), n)).collect();
        Cost { counts, bytes: self.bytes }
    }
}
