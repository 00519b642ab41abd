//! Where items are: which have memory, along which of their axes, and how what loops add up is added up.
//!
//! What is read in the loop that computes it stays a scalar. What is read behind that loop, or as a whole, has
//! memory from in front of the loop on, along the axes of its result whose loops are not around there. In a
//! chunk that is memory of the chunk. Scatters and rows side by side are memory in any case, as a whole.
//!
//! A scatter adds in the memory of what it changes if nobody else reads that any more, or goes on where another
//! one was in the same loop, or adds in a copy.
//!
//! A sum of scalars is a variable of its loop. A sum of many is added up in its memory, or, where each lane of
//! a vector needs its own or that memory is not in one piece, apart and brought there behind the loop.

use std::collections::{BTreeMap, BTreeSet};

use super::{Given, Nested, Run, Schedule, reduction_over};
use crate::items::{Work, item_of};
use crate::plan::Class;
use crate::view::{Source, View};

/// Where the items of a stretch are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    pub(crate) arrays: BTreeMap<usize, Array>,
    /// How the loops that items are added up over do that.
    pub(crate) sums: BTreeMap<usize, Sum>,
    /// Where scatters add.
    pub(crate) targets: BTreeMap<usize, Target>,
}

/// Memory of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    /// The axes of the domain that it has, in the order of memory.
    pub(crate) axes: Vec<usize>,
    /// Whether it is of a chunk: it begins where the chunk begins.
    pub(crate) local: bool,
    /// How many loops, chunks among them, are around the place from which on it is there.
    pub(crate) depth: usize,
}

/// How a loop adds up an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sum {
    /// In a variable.
    Variable,
    /// In memory along these axes: its own, or apart from that.
    Array { axes: Vec<usize>, apart: bool },
}

/// Where a scatter adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// Where another one added, whose loop is not done.
    GoesOn(usize),
    /// In the memory of what it changes. Of what a statement that is no nest gives, only that statement knows
    /// whether somebody else has it under another name; then it is a copy after all.
    InPlace,
    /// In a copy of what it changes.
    Copy,
}

impl Memory {
    /// The array of an item, if it is there from here on, inside of so many loops.
    pub(crate) fn begins(&self, item: usize, depth: usize) -> Option<&Array> {
        self.arrays.get(&item).filter(|it| it.depth == depth)
    }
}

/// Where items are under a schedule whose loops are known.
pub(super) fn memory(given: Given<'_, '_>, schedule: &Schedule) -> Memory {
    let (around, chunk, memory) = Default::default();
    let mut walk = Walk { given, schedule, around, chunk, memory };
    for it in &schedule.nesting {
        walk.targets(it.items());
        walk.level(std::slice::from_ref(it));
    }
    walk.memory
}

/// A place among the loops, and what is in memory there or before.
struct Walk<'s, 'a> {
    given: Given<'s, 'a>,
    schedule: &'s Schedule,
    /// The classes of the loops around.
    around: Vec<Class>,
    /// The class of the chunk around.
    chunk: Option<Class>,
    memory: Memory,
}

impl Walk<'_, '_> {
    fn level(&mut self, all: &[Nested]) {
        for it in all {
            match it {
                // A kernel writes into memory.
                Nested::Item(item) if self.schedule.products.contains_key(item) => self.hold(*item),
                Nested::Item(_) => {}
                Nested::Loop { class, run, items, inside } => {
                    let members: BTreeSet<usize> = items.iter().copied().collect();
                    items.iter().for_each(|it| self.enter(*it, (*class, *run), &members));
                    match run {
                        Run::Chunks => {
                            self.chunk = Some(*class);
                            self.level(inside);
                            self.chunk = None;
                        }
                        Run::Vectors | Run::Steps | Run::Unrolled => {
                            self.around.push(*class);
                            self.level(inside);
                            self.around.pop();
                        }
                    }
                }
            }
        }
    }

    /// Where scatters add that are done together.
    fn targets(&mut self, together: &[usize]) {
        for item in together {
            if let Some(target) = self.target(*item, together) {
                self.memory.targets.insert(*item, target);
            }
        }
    }

    fn target(&self, item: usize, together: &[usize]) -> Option<Target> {
        let items = self.given.items;
        let Work::Scatter { into, last_read, .. } = &items[item].work else { return None };
        if let Some(other) = item_of(into).filter(|it| together.contains(it)) {
            return Some(Target::GoesOn(other));
        }
        let is_own = match into.source {
            Source::Memory(array) => into.is_contiguous() && items.room.own.contains(&array),
            Source::Item(other, _) => self.is_own(other) && self.is_in_order(other, into),
            Source::Iota | Source::Same(_) => false,
        };
        Some(if is_own && last_read.is_some() { Target::InPlace } else { Target::Copy })
    }

    /// Whether an item is in memory that may be overwritten: not where it is meant to be for somebody else.
    fn is_own(&self, item: usize) -> bool {
        let Given { items, .. } = self.given;
        if let Work::Flow(_) = items[item].work {
            return true;
        }
        match self.memory.targets.get(&item) {
            Some(Target::GoesOn(other)) => self.is_own(*other),
            Some(Target::InPlace) => true,
            Some(Target::Copy) | None => {
                items.room.nests.get(&item).is_none_or(|it| items.room.own.contains(it))
            }
        }
    }

    /// Whether a view shows an item as it is in memory, as far as that is known.
    fn is_in_order(&self, item: usize, view: &View) -> bool {
        match &self.given.items[item].work {
            Work::Flow(_) => true,
            Work::Rows { sizes, inside: true } => view.is_turned(sizes.len()),
            Work::Rows { .. } | Work::Scatter { .. } | Work::Product(_) => view.is_turned(0),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => view.is_turned(0),
        }
    }

    /// A loop begins in which an item is, with others.
    fn enter(&mut self, item: usize, (class, run): (Class, Run), members: &BTreeSet<usize>) {
        let Given { items, plan, .. } = self.given;
        if let Work::Scatter { .. } | Work::Rows { .. } = items[item].work {
            return;
        }
        if reduction_over(items, plan, item, class).is_none() {
            if plan.read_outside(item, members) {
                self.hold(item);
            }
        } else if run == Run::Chunks {
            self.hold(item);
        } else {
            let sum = self.sum(item, class, run);
            self.memory.sums.insert(item, sum);
        }
    }

    /// How the loop over a class adds up an item.
    fn sum(&mut self, item: usize, class: Class, run: Run) -> Sum {
        let axes = self.axes_left(item);
        if axes.is_empty() {
            return Sum::Variable;
        }
        // Else the chunk goes on adding to what it has.
        let begins = self.chunk != Some(class);
        if begins {
            self.hold(item);
        }
        let array = &self.memory.arrays[&item];
        // Of memory outside of a chunk, the part that belongs to it need not be in one piece.
        let is_part = self.chunk.is_some() && !array.local && begins;
        let same = array.axes.len() == axes.len() && !is_part;
        Sum::Array { axes, apart: run == Run::Vectors || !same }
    }

    /// The axes of the result of an item whose loops are not around.
    fn axes_left(&self, item: usize) -> Vec<usize> {
        let Given { items, plan, .. } = self.given;
        let out = items[item].out.iter().copied();
        out.filter(|axis| !self.around.contains(&plan.class(item, *axis))).collect()
    }

    /// An item is memory from here on, if it is none yet. What others need as a whole is in order; what only
    /// nests read in a chunk is contiguous along it.
    fn hold(&mut self, item: usize) {
        let Given { items, plan, .. } = self.given;
        if self.memory.arrays.contains_key(&item) {
            return;
        }
        let mut axes = self.axes_left(item);
        if !plan.external.contains(&item) {
            let batch = self.chunk.filter(|it| self.schedule.vectors.contains(it));
            let last = batch.or_else(|| self.vector_of_readers(item));
            axes.sort_by_key(|it| last == Some(plan.class(item, *it)));
        }
        let local = self.chunk.is_some() && !items.room.nests.contains_key(&item);
        let depth = self.around.len() + usize::from(self.chunk.is_some());
        self.memory.arrays.insert(item, Array { axes, local, depth });
    }

    /// The class by whose vectors a product is read whose memory may follow that.
    fn vector_of_readers(&self, item: usize) -> Option<Class> {
        let (Given { items, plan, .. }, schedule) = (self.given, self.schedule);
        if !schedule.is_turnable(items, plan, item) {
            return None;
        }
        let readers = plan.readers.get(&item).into_iter().flatten();
        readers.filter_map(|it| schedule.vector_of(items, plan, *it)).next()
    }
}
