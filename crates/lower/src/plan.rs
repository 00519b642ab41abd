//! What is one loop and what is memory: the plan for the items of a stretch.
//!
//! Which axes of different items are one loop, which items are computed wherever they are read, which
//! need memory, and who reads whom. A plan follows from the items alone; nothing in it belongs to one
//! kind of processor. `plan/print.rs` prints it, `plan/verify.rs` says what it satisfies.
//!
//! Axes are of one *class* if one item reads another one, or two items read one array, at the same
//! index along them. No item has two axes of one class: what would force it, as the table of all
//! differences `x[i] - x[j]` does, is read from memory.

mod classes;
mod needed;
mod print;
mod verify;

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use ir::{Prim, Size};

use crate::items::{Items, Work, item_of};
use crate::tuning::MOST_IN_PLACE;
use crate::view::{Lin, Source, View};

/// A loop, as the axes of all items that it could go through.
pub(crate) type Class = usize;

/// What is known of items before they are put in order.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// The class of each axis of an item.
    pub(crate) classes: BTreeMap<(usize, usize), Class>,
    /// How many steps the loop of a class has.
    pub(crate) sizes: BTreeMap<Class, Size>,
    /// Items that are computed where they are read, each with how many primitives that takes.
    pub(crate) inline: BTreeMap<usize, usize>,
    /// Items that are needed as a whole, in memory.
    pub(crate) external: BTreeSet<usize>,
    /// For each item that is computed by itself what it reads, beyond what is computed in place: views of
    /// its domain.
    pub(crate) reads: BTreeMap<usize, Vec<View>>,
    /// Who reads an item.
    pub(crate) readers: BTreeMap<usize, BTreeSet<usize>>,
    /// Where checks of an item are in the source, if they are those of another one.
    pub(crate) blamed: BTreeMap<usize, Option<Span>>,
}

impl Plan {
    pub(crate) fn class(&self, item: usize, axis: usize) -> Class {
        self.classes[&(item, axis)]
    }

    /// The axis of an item that is of a class.
    pub(crate) fn axis_of(&self, items: &Items<'_>, item: usize, class: Class) -> Option<usize> {
        (0..items[item].axes.len()).find(|axis| self.class(item, *axis) == class)
    }

    /// The items that are computed by themselves, in order.
    pub(crate) fn computed(&self) -> Vec<usize> {
        self.reads.keys().copied().collect()
    }

    /// All classes of an item.
    pub(crate) fn whole_domain(&self, items: &Items<'_>, item: usize) -> BTreeSet<Class> {
        (0..items[item].axes.len()).map(|axis| self.class(item, axis)).collect()
    }

    /// Whether an item is read by others than these, or needed as a whole.
    pub(crate) fn read_outside(&self, item: usize, members: &BTreeSet<usize>) -> bool {
        let readers = self.readers.get(&item);
        self.external.contains(&item)
            || readers.is_some_and(|it| it.iter().any(|it| !members.contains(it)))
    }

    /// The items that have to come before an item.
    pub(crate) fn needs(&self, items: &Items<'_>, item: usize) -> BTreeSet<usize> {
        let mut res = items[item].whole.clone();
        res.extend(self.reads[&item].iter().filter_map(item_of));
        res
    }
}

/// The plan for items.
pub(crate) fn plan(items: &Items<'_>) -> Plan {
    let mut plan = Plan { external: external(items), ..Plan::default() };
    plan.inline = inline(items, &plan.external);
    let (needed, blamed) = needed::needed(items, &plan.external);
    plan.blamed = blamed;
    for item in needed.into_iter().filter(|it| !plan.inline.contains_key(it)) {
        let mut reads = Vec::new();
        items[item].args.iter().for_each(|it| collect_reads(items, &plan.inline, it, &mut reads));
        let sources = reads.iter().filter_map(item_of);
        for source in sources.chain(items[item].whole.iter().copied()) {
            plan.readers.entry(source).or_default().insert(item);
        }
        plan.reads.insert(item, reads);
    }
    (plan.classes, plan.sizes) = classes::classes(items, &plan.reads);
    plan
}

/// The items that are needed as a whole: by statements that are no nests, behind the stretch, as results.
fn external(items: &Items<'_>) -> BTreeSet<usize> {
    let mut res: BTreeSet<usize> =
        items.all.iter().flat_map(|it| it.whole.iter().copied()).collect();
    res.extend(items.results.iter().filter_map(item_of));
    res
}

/// The items that are so cheap that they are computed wherever they are read, with how many primitives
/// that takes.
fn inline(items: &Items<'_>, external: &BTreeSet<usize>) -> BTreeMap<usize, usize> {
    // The operands of a kernel are memory.
    let products = items.all.iter().filter(|it| matches!(it.work, Work::Product(_)));
    let operands: BTreeSet<usize> =
        products.flat_map(|it| it.args.iter().filter_map(item_of)).collect();
    let moved = moved(items);
    let mut res = BTreeMap::new();
    for (item, it) in items.all.iter().enumerate() {
        let is_memory = external.contains(&item) || operands.contains(&item);
        if !is_memory && is_cheap(items, &res, &moved, item) {
            let inner = it.args.iter().filter_map(item_of);
            let weight = 1 + inner.map(|it| res.get(&it).unwrap_or(&0)).sum::<usize>();
            if weight <= MOST_IN_PLACE {
                res.insert(item, weight);
            }
        }
    }
    res
}

/// The items of which every element is read at most once, by one other item and not at its own index: in
/// memory they would be written and read for nothing, and one loop with their reader they cannot be.
fn moved(items: &Items<'_>) -> BTreeSet<usize> {
    let mut readers: BTreeMap<usize, Vec<(usize, &View)>> = BTreeMap::new();
    for (reader, it) in items.all.iter().enumerate() {
        for view in &it.args {
            if let Some(item) = item_of(view) {
                readers.entry(item).or_default().push((reader, view));
            }
        }
    }
    let is_moved = |(item, read): &(usize, Vec<(usize, &View)>)| {
        let [(reader, view)] = read.as_slice() else { return false };
        let is_plain = matches!(items[*reader].work, Work::Prim(_) | Work::Copy | Work::Reduce(_));
        let is_own = |(at, lin): (usize, &Lin)| matches!(lin.terms[..], [(axis, _)] if axis == at);
        is_plain
            && view.map.len() == items[*reader].axes.len()
            && items[*item].axes.len() == view.map.len()
            && view.map.iter().enumerate().all(is_own)
            && view.map.iter().any(|it| it.as_axis().is_none())
    };
    readers.into_iter().filter(is_moved).map(|it| it.0).collect()
}

/// Whether an item is cheap, and reads nothing but what is cheap; reals from memory only if it is `moved`.
fn is_cheap(
    items: &Items<'_>,
    inline: &BTreeMap<usize, usize>,
    moved: &BTreeSet<usize>,
    item: usize,
) -> bool {
    let is_moved = moved.contains(&item);
    let it = &items[item];
    let Work::Prim(prim) = it.work else { return false };
    let cheap = matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Neg
            | Prim::Abs
            | Prim::Min
            | Prim::Max
            | Prim::Lt
            | Prim::Le
            | Prim::Gt
            | Prim::Ge
            | Prim::Eq
            | Prim::Ne
            | Prim::IsNan
            | Prim::And
            | Prim::Or
            | Prim::Not
            | Prim::Select
            | Prim::ToReal
    ) || is_moved && prim == Prim::Scale;
    let plain = |view: &View| match view.source {
        Source::Memory(_) => it.elem != ir::Type::Real || is_moved,
        Source::Iota | Source::Same(_) => true,
        // What reads reals is read once, also by this.
        Source::Item(item, _) => inline.contains_key(&item) && (is_moved || !moved.contains(&item)),
    };
    cheap && !it.axes.is_empty() && it.args.iter().all(plain)
}

/// The views that an argument comes from, with what is computed in place taken apart.
fn collect_reads(
    items: &Items<'_>,
    inline: &BTreeMap<usize, usize>,
    view: &View,
    into: &mut Vec<View>,
) {
    match item_of(view).filter(|it| inline.contains_key(it)) {
        Some(item) => {
            for arg in items.through(item, view) {
                collect_reads(items, inline, &arg, into);
            }
        }
        None => into.push(view.clone()),
    }
}
