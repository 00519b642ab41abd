//! A block: its statements become items, items become loops.
//!
//! A block is lowered in *stretches*, each from items by way of a plan and a schedule to nests. There is one
//! stretch, unless a statement needs a size that a statement before it computes.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Block, Size, Stmt, walk};
use loops::{Atom, Var};

use crate::context::Lower;
use crate::flow::Meant;
use crate::items::{Ahead, Item, Items, Reading, Work, joined};
use crate::nests::{Nest, Nests, There, resolve};
use crate::stretch::stretch;
use crate::view::{Source, View};

impl<'a, 'w> Lower<'a, 'w> {
    /// Lowers a block where nodes are being written; gives its results: scalars, or pointers to
    /// contiguous memory. What is computed by the block is stored where it is wanted; what is in
    /// memory already, or was changed in place, is not moved.
    pub(crate) fn block(&mut self, block: &'a Block, wanted: &[Option<Var>]) -> Vec<Atom> {
        self.place.next_block();
        let (mut items, ahead) = (Items::default(), Ahead::of(block));
        for (at, stmt) in block.stmts.iter().enumerate() {
            let sizes = self.reading(&mut items, &ahead).sizes_before(stmt);
            if items.compute(&sizes) {
                let mut items = std::mem::take(&mut items);
                items.goes_on = true;
                items.results = read_later(&items, &block.stmts[at..], block);
                self.stretch(items);
            }
            self.statement(stmt, &mut items, &ahead);
        }
        let mut reading = self.reading(&mut items, &ahead);
        let results: Vec<View> = block.results.iter().map(|it| reading.arg(it)).collect();
        items.results = results;
        items.turn_results();
        place_results(&mut items, wanted);
        let results = items.results.clone();
        let there = self.stretch(items);
        let atoms = results.iter().map(|view| {
            let view = resolve(&there, view);
            match view.sizes.is_empty() {
                true => self.element(&view, &[]),
                false => Atom::Var(self.contiguous(&view)),
            }
        });
        atoms.collect()
    }

    /// Statements are read, and become items.
    fn reading<'s>(
        &'s mut self,
        items: &'s mut Items<'a>,
        ahead: &'s Ahead,
    ) -> Reading<'s, 'a, 'w> {
        Reading { known: &mut self.known, items, ahead, handed: &self.whole.handed }
    }

    /// Writes what a statement needs before any nest, and makes items of it.
    fn statement(&mut self, stmt: &'a Stmt, items: &mut Items<'a>, ahead: &Ahead) {
        let var = stmt.binders.first().map(|it| it.var);
        self.span = var.and_then(|it| self.def.spans.0.get(&it)).copied();
        let before = self.reading(items, ahead).before(stmt);
        let early = self.write_before(before, &mut items.before);
        if let Some(arrays) = joined(stmt) {
            let mut reading = self.reading(items, ahead);
            let firsts = arrays.1.iter().map(|it| reading.arg(it).sizes[0].clone());
            let firsts: Vec<Size> = firsts.collect();
            let room = self.room_for_parts(&arrays.0.ty, &firsts);
            self.reading(items, ahead).place_parts(arrays, room);
        }
        self.reading(items, ahead).add_stmt(stmt, early);
    }

    /// Lowers a stretch; gives what items have become.
    fn stretch(&mut self, mut items: Items<'a>) -> There {
        items.room.own = self.own_targets(&items);
        let stretch = stretch(items, self.whole.processor, &self.typical, self.n_loops > 0);
        if let Some(noted) = &mut self.whole.noted {
            noted.push((self.place.to_string(), stretch.clone()));
        }
        let mut nest = Nest::new(&stretch, &self.known);
        for it in &stretch.schedule.nesting {
            let item = it.items().first().copied().unwrap_or_default();
            match stretch.items.all[item].work {
                Work::Flow(stmt) => self.flow_item(&mut nest, item, stmt),
                Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => {
                    Nests { known: &mut self.known }.outside(&mut nest, it);
                }
                Work::Scatter { .. } | Work::Product(_) | Work::Rows { .. } => {
                    Nests { known: &mut self.known }.outside(&mut nest, it);
                }
            }
        }
        nest.there
    }

    /// A statement that is no nest, now that what it reads is there.
    fn flow_item(&mut self, nest: &mut Nest<'_, 'a>, item: usize, stmt: &'a Stmt) {
        self.span = nest.items[item].span;
        Nests { known: &mut self.known }.settle_all(nest, stmt);
        let room = &nest.items.room;
        let asked = |at| room.flows.get(&(item, at)).copied();
        let results = (0..stmt.binders.len()).map(asked).collect();
        let parts = stmt.binders.first().and_then(|it| room.joined.get(&it.var)).cloned();
        self.place.enter(item);
        self.flow(stmt, Meant { results, parts });
        self.place.leave();
        for (at, binder) in stmt.binders.iter().enumerate() {
            let operand = self.values[&binder.var].clone();
            Nests { known: &mut self.known }.resolved(nest, item, at, operand);
        }
    }

    /// The memory that scatters may change, as far as it is there.
    fn own_targets(&self, items: &Items<'_>) -> BTreeSet<Var> {
        let target = |it: &Item<'_>| match &it.work {
            Work::Scatter { into, .. } => match into.source {
                Source::Memory(array) => Some(array),
                Source::Item(item, _) => items.room.nests.get(&item).copied(),
                Source::Iota | Source::Same(_) => None,
            },
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => None,
            Work::Product(_) | Work::Rows { .. } | Work::Flow(_) => None,
        };
        let targets = items.all.iter().filter_map(target);
        targets.filter(|it| self.owned.contains(it)).collect()
    }
}

/// What the rest of a block reads of items; scalars may be sizes, which stand in types too.
fn read_later(items: &Items<'_>, rest: &[Stmt], block: &Block) -> Vec<View> {
    let mut read: BTreeSet<ir::Var> =
        rest.iter().flat_map(|it| walk::free_vars_op(&it.op)).collect();
    read.extend(block.results.iter().filter_map(|it| match it {
        ir::Atom::Var(var) => Some(*var),
        ir::Atom::Real(_) | ir::Atom::Int(_) | ir::Atom::Bool(_) | ir::Atom::Str(_) => None,
    }));
    let names = items.names.iter();
    let kept = names.filter(|(var, view)| view.sizes.is_empty() || read.contains(var));
    kept.map(|it| it.1.clone()).collect()
}

/// Says where results of a block shall be.
fn place_results(items: &mut Items<'_>, wanted: &[Option<Var>]) {
    let mut places = BTreeMap::new();
    for (view, wanted) in items.results.iter().zip(wanted) {
        let (Source::Item(item, result), Some(wanted)) = (&view.source, wanted) else {
            continue;
        };
        if !is_natural(view) {
            continue;
        }
        if let Work::Flow(_) = items.all[*item].work {
            items.room.flows.entry((*item, *result)).or_insert(*wanted);
        } else {
            places.entry(*item).or_insert(*wanted);
        }
    }
    for (item, place) in places {
        items.room.nests.insert(item, place);
    }
}

/// Whether a view of an item is the item as it is.
fn is_natural(view: &View) -> bool {
    view.map.len() == view.sizes.len()
        && view.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at))
}
