//! A block: its statements become items, items become loops.
//!
//! A block is lowered in *stretches*, each from items by way of a plan and a schedule to nests. There is one
//! stretch, unless a statement needs a size that a statement before it computes.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Block, Stmt, walk};
use loops::{Atom, Var};

use crate::context::Lower;
use crate::items::{Item, Items, Work, joined};
use crate::nests::{There, resolve};
use crate::stretch::stretch;
use crate::view::{Source, View};

impl<'a> Lower<'a, '_> {
    /// Lowers a block where nodes are being written; gives its results: scalars, or pointers to
    /// contiguous memory. What is computed by the block is stored where it is wanted; what is in
    /// memory already, or was changed in place, is not moved.
    pub(crate) fn block(&mut self, block: &'a Block, wanted: &[Option<Var>]) -> Vec<Atom> {
        // What waits outside is not there yet for anything in here.
        let outer = std::mem::take(&mut self.items);
        self.place.next_block();
        self.note_transposed(block);
        for (at, stmt) in block.stmts.iter().enumerate() {
            if self.items.compute(&self.sizes_before(stmt)) {
                let mut items = std::mem::take(&mut self.items);
                items.goes_on = true;
                items.results = read_later(&items, &block.stmts[at..], block);
                self.stretch(items);
            }
            self.statement(stmt);
        }
        self.items.results = block.results.iter().map(|it| self.arg(it)).collect();
        let mut items = std::mem::take(&mut self.items);
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
        let atoms = atoms.collect();
        self.items = outer;
        atoms
    }

    /// Writes what a statement needs before any nest, and makes items of it.
    fn statement(&mut self, stmt: &'a Stmt) {
        let var = stmt.binders.first().map(|it| it.var);
        self.span = var.and_then(|it| self.def.spans.0.get(&it)).copied();
        let before = self.before(stmt);
        let early = self.write_before(before);
        if let Some(arrays) = joined(stmt) {
            let room = self.room_for_parts(&arrays.0.ty, arrays.1);
            self.place_parts(arrays, room);
        }
        self.add_stmt(stmt, early);
    }

    /// Lowers a stretch; gives what items have become.
    fn stretch(&mut self, mut items: Items<'a>) -> There {
        items.room.own = self.own_targets(&items);
        let stretch = stretch(items, &self.typical, self.n_loops > 0);
        if let Some(noted) = &mut self.whole.noted {
            noted.push((self.place.to_string(), stretch.clone()));
        }
        self.nests(&stretch)
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
