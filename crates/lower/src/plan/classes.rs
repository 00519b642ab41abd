//! Which axes of different items are one loop.

use std::collections::{BTreeMap, BTreeSet};

use ir::Size;
use loops::Var;

use super::Class;
use crate::items::{Items, item_of};
use crate::view::{Source, View};

/// The class of each axis of the items that are computed, and how many steps its loop has.
#[allow(clippy::type_complexity, reason = "both are parts of a plan and named there")]
pub(super) fn classes(
    items: &Items<'_>,
    reads: &BTreeMap<usize, Vec<View>>,
) -> (BTreeMap<(usize, usize), Class>, BTreeMap<Class, Size>) {
    let mut finder = Classes::default();
    for item in reads.keys() {
        for axis in 0..items[*item].axes.len() {
            finder.add(Axis::Item(*item, axis));
        }
    }
    let mut edges: Vec<(usize, &View)> = Vec::new();
    for (item, reads) in reads {
        edges.extend(reads.iter().map(|view| (*item, view)));
    }
    // Who reads whom comes first; arrays that several read are less important.
    edges.sort_by_key(|it| item_of(it.1).is_none());
    for (item, view) in edges {
        for (at, lin) in view.map.iter().enumerate() {
            let Some(axis) = lin.as_axis() else { continue };
            let other = match view.source {
                Source::Item(source, _) => match items[source].out.get(at) {
                    Some(out) => Axis::Item(source, *out),
                    None => continue,
                },
                Source::Memory(var) => Axis::Memory(var, at),
                Source::Iota | Source::Same(_) => continue,
            };
            finder.join(Axis::Item(item, axis), other);
        }
    }
    // Numbered without gaps, in the order in which they were found.
    let own = reads
        .keys()
        .flat_map(|item| (0..items[*item].axes.len()).map(|axis| Axis::Item(*item, axis)));
    let found: BTreeSet<Class> = own.map(|it| finder.of(it)).collect();
    let number: BTreeMap<Class, Class> = found.into_iter().zip(0..).collect();
    let (mut classes, mut sizes) = (BTreeMap::new(), BTreeMap::new());
    for item in reads.keys() {
        for (axis, size) in items[*item].axes.iter().enumerate() {
            let class = number[&finder.of(Axis::Item(*item, axis))];
            classes.insert((*item, axis), class);
            sizes.entry(class).or_insert_with(|| size.clone());
        }
    }
    (classes, sizes)
}

/// An axis of an item, or of an array that several items read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Axis {
    Item(usize, usize),
    Memory(Var, usize),
}

impl Axis {
    /// What has at most one axis of a class.
    fn owner(self) -> (usize, Option<Var>) {
        match self {
            Axis::Item(item, _) => (item, None),
            Axis::Memory(var, _) => (usize::MAX, Some(var)),
        }
    }
}

#[derive(Default)]
struct Classes {
    of: BTreeMap<Axis, Class>,
    members: BTreeMap<Class, Vec<Axis>>,
}

impl Classes {
    fn add(&mut self, axis: Axis) {
        if !self.of.contains_key(&axis) {
            let class = self.of.len();
            self.of.insert(axis, class);
            self.members.insert(class, vec![axis]);
        }
    }

    fn of(&self, axis: Axis) -> Class {
        self.of[&axis]
    }

    /// Makes two axes one class, unless something would have two axes of it then.
    fn join(&mut self, x: Axis, y: Axis) {
        self.add(x);
        self.add(y);
        let (a, b) = (self.of(x), self.of(y));
        if a == b {
            return;
        }
        let owners: BTreeSet<(usize, Option<Var>)> =
            self.members[&a].iter().map(|it| it.owner()).collect();
        if self.members[&b].iter().any(|it| owners.contains(&it.owner())) {
            return;
        }
        let moved = self.members.remove(&b).unwrap_or_default();
        moved.iter().for_each(|it| {
            self.of.insert(*it, a);
        });
        self.members.entry(a).or_default().extend(moved);
    }
}
