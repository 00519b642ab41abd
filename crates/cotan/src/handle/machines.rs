//! The machine code of an entry point by kinds of sizes: found without a lock, and never forgotten.

use std::sync::{Arc, OnceLock};

use crate::machine::{Machine, typical_size};

/// A list that only grows.
#[derive(Default)]
pub(super) struct Machines(OnceLock<Box<Known>>);

/// The code for sizes of one kind.
struct Known {
    /// Sizes that stand for all of the kind.
    typical: Vec<i64>,
    /// None if the interpreter is to run it.
    machine: Option<Arc<Machine>>,
    more: Machines,
}

impl Machines {
    /// What is known for such sizes.
    pub(super) fn find(&self, sizes: &[i64]) -> Option<&Option<Arc<Machine>>> {
        let mut list = self;
        while let Some(known) = list.0.get() {
            if known.typical.iter().zip(sizes).all(|(it, size)| *it == typical_size(*size)) {
                return Some(&known.machine);
            }
            list = &known.more;
        }
        None
    }

    /// Adds what is to be known for such sizes; whoever comes first is right.
    pub(super) fn add(&self, sizes: &[i64], machine: Option<Arc<Machine>>) {
        let typical = sizes.iter().map(|it| typical_size(*it)).collect();
        let mut new = Box::new(Known { typical, machine, more: Machines::default() });
        let mut list = self;
        while let Err(back) = list.0.set(new) {
            new = back;
            let Some(known) = list.0.get() else { return };
            list = &known.more;
        }
    }
}
