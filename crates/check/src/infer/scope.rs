//! The names in scope. Looking one up takes no longer in a block of a hundred thousand `let`s, which a
//! program may have that another program wrote.

use std::collections::BTreeMap;

use base::Name;

use crate::infer::Entry;

/// Names and what they mean, innermost last.
#[derive(Default)]
pub(crate) struct Scope {
    entries: Vec<(Name, Entry)>,
    /// Where each name is bound, innermost last.
    places: BTreeMap<Name, Vec<usize>>,
}

impl Scope {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Binds a name.
    pub(crate) fn push(&mut self, (name, entry): (Name, Entry)) {
        self.places.entry(name.clone()).or_default().push(self.entries.len());
        self.entries.push((name, entry));
    }

    /// Forgets all but the outermost ones.
    pub(crate) fn truncate(&mut self, len: usize) {
        for (name, _) in self.entries.drain(len.min(self.entries.len())..) {
            self.places.get_mut(&name).and_then(Vec::pop);
        }
    }

    /// What a name means.
    pub(crate) fn get(&self, name: &Name) -> Option<&Entry> {
        let place = self.places.get(name)?.last()?;
        self.entries.get(*place).map(|(_, entry)| entry)
    }

    /// The names, innermost last.
    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = &Name> {
        self.entries.iter().map(|(name, _)| name)
    }
}
