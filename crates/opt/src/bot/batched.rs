//! Definitions over a batch: `f.map101` is `f` under one dimension on which its first and its third
//! parameter depend. Under several, each digit has a bit for each dimension, the outermost the
//! lowest. `f.map101where` has a mask as its first parameter, over all dimensions: where it does not
//! hold, nothing fails, and what it gives is anything.
//!
//! The sizes of the dimensions come first among its size parameters, and all its results depend on
//! all dimensions. Each is made once, so the output is linear in the source for each way in which
//! definitions are called.

use std::collections::{BTreeMap, VecDeque};

use base::Name;
use ir::Program;

/// A definition over a batch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Batched {
    /// The definition.
    pub(super) def: Name,
    /// How many dimensions there are.
    pub(super) n_dims: usize,
    /// For each parameter, the dimensions it depends on.
    pub(super) patterns: Vec<Vec<usize>>,
    /// Whether its first parameter is a mask: where it does not hold, nothing fails.
    pub(super) masked: bool,
}

/// The definitions over a batch that are called.
pub(super) struct BatchedDefs<'p> {
    pub(super) source: &'p Program,
    names: BTreeMap<Batched, Name>,
    /// The ones still to be made.
    pub(super) queue: VecDeque<(Name, Batched)>,
}

impl<'p> BatchedDefs<'p> {
    pub(super) fn new(source: &'p Program) -> BatchedDefs<'p> {
        BatchedDefs { source, names: BTreeMap::new(), queue: VecDeque::new() }
    }

    /// The name of a definition over a batch, which is made if it is not there.
    pub(super) fn request(
        &mut self,
        def: &Name,
        n_dims: usize,
        patterns: Vec<Vec<usize>>,
        masked: bool,
    ) -> Name {
        let batched = Batched { def: def.clone(), n_dims, patterns, masked };
        if let Some(name) = self.names.get(&batched) {
            return name.clone();
        }
        let name = batched.name();
        self.names.insert(batched.clone(), name.clone());
        // An earlier run may have made it.
        if !self.source.defs.contains_key(&name) {
            self.queue.push_back((name.clone(), batched));
        }
        name
    }
}

impl Batched {
    fn name(&self) -> Name {
        let number = |it: &Vec<usize>| it.iter().fold(0u64, |bits, at| bits | 1 << (at % 64));
        let bits: Vec<u64> = self.patterns.iter().map(number).collect();
        let all = bits.iter().fold(0, |all, it| all | it);
        let digits: Vec<String> = bits.iter().map(u64::to_string).collect();
        let text = digits.join(if self.n_dims <= 3 { "" } else { "_" });
        // That some dimension concerns no parameter has to be said.
        let implied = all.count_ones() as usize == self.n_dims;
        let more = if implied { String::new() } else { format!("_{}", self.n_dims) };
        let mask = if self.masked { "where" } else { "" };
        self.def.part(format_args!("map{text}{more}{mask}"))
    }
}
