//! What a plan satisfies.
//!
//! 1. No item has two axes of one class, and each axis of what is computed has one.
//! 2. What is computed in place is not needed as a whole, and reads nothing that is in memory.
//! 3. What an item reads, and what it needs as a whole, is computed by itself, and knows its reader.
//! 4. What is given, or needed as a whole, is computed by itself.

use std::collections::BTreeSet;

use super::{Class, Plan};
use crate::items::{Items, item_of};

impl Plan {
    /// Whether a plan for items is as it must be; else the first thing that is not.
    pub(crate) fn verify(&self, items: &Items<'_>) -> Result<(), String> {
        for item in self.reads.keys() {
            self.item(items, *item).map_err(|it| format!("i{item}: {it}"))?;
        }
        for item in self.inline.keys() {
            let mut read = items[*item].args.iter().filter_map(item_of);
            if self.external.contains(item) || self.reads.contains_key(item) {
                return Err(format!("i{item}: it is computed in place and by itself"));
            }
            if let Some(other) = read.find(|it| !self.inline.contains_key(it)) {
                return Err(format!("i{item}: it is computed in place and reads i{other}"));
            }
        }
        match items.results.iter().filter_map(item_of).find(|it| !self.reads.contains_key(it)) {
            Some(item) => Err(format!("i{item}: it is given and not computed")),
            None => Ok(()),
        }
    }

    fn item(&self, items: &Items<'_>, item: usize) -> Result<(), String> {
        let class = |axis: usize| self.classes.get(&(item, axis)).copied();
        let classes: Vec<Option<Class>> = (0..items[item].axes.len()).map(class).collect();
        let different: BTreeSet<Class> = classes.iter().copied().flatten().collect();
        if different.len() < classes.len() {
            return Err("two of its axes are of one class, or of none".into());
        }
        let whole = &items[item].whole;
        if let Some(other) = whole.iter().find(|it| !self.external.contains(it)) {
            return Err(format!("it needs i{other} as a whole, which has no memory for that"));
        }
        for source in self.needs(items, item) {
            if !self.reads.contains_key(&source) {
                return Err(format!("it needs i{source}, which is not computed by itself"));
            }
            if self.readers.get(&source).is_none_or(|it| !it.contains(&item)) {
                return Err(format!("i{source} does not know that it is read"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::stretch::tests::wrong;

    #[test]
    fn axes_of_an_item_are_of_different_classes() {
        wrong(
            |it| _ = it.plan.classes.insert((1, 1), it.plan.class(1, 0)),
            "plan: i1: two of its axes are of one class, or of none",
        );
        wrong(
            |it| _ = it.plan.classes.remove(&(1, 1)),
            "plan: i1: two of its axes are of one class, or of none",
        );
    }

    #[test]
    fn what_is_needed_as_a_whole_is_memory() {
        wrong(
            |it| _ = it.plan.external.remove(&0),
            "plan: i2: it needs i0 as a whole, which has no memory for that",
        );
        wrong(
            |it| _ = it.plan.inline.insert(0, 1),
            "plan: i0: it is computed in place and by itself",
        );
    }

    #[test]
    fn what_is_read_is_computed_and_knows_its_readers() {
        wrong(
            |it| _ = it.plan.reads.remove(&0),
            "plan: i1: it needs i0, which is not computed by itself",
        );
        wrong(|it| _ = it.plan.readers.remove(&0), "plan: i1: i0 does not know that it is read");
        wrong(|it| _ = it.plan.reads.remove(&1), "plan: i1: it is given and not computed");
    }
}
