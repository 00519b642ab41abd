//! A block: its statements become items, items become nests.

use std::collections::BTreeMap;

use ir::Block;
use loops::{Atom, Var};

use crate::context::{Lower, Operand};
use crate::graph::{Graph, Work, item_of};
use crate::view::{Source, View};

impl<'a> Lower<'a, '_> {
    /// Lowers a block where nodes are being written; gives its results: scalars, or pointers to
    /// contiguous memory. What is computed by the block is stored where it is wanted; what is in
    /// memory already, or was changed in place, is not moved.
    pub(crate) fn block(&mut self, block: &'a Block, wanted: &[Option<Var>]) -> Vec<Atom> {
        let outer = std::mem::take(&mut self.graph);
        // Items are numbered in each block anew. Nothing in here reads what is not there yet outside.
        let waiting = self.hide_waiting();
        self.note_transposed(block);
        for stmt in &block.stmts {
            self.add_stmt(stmt);
        }
        let mut results: Vec<View> = block.results.iter().map(|it| self.arg(it)).collect();
        self.turn_results(&mut results);
        let mut places = BTreeMap::new();
        for (view, wanted) in results.iter().zip(wanted) {
            let (Source::Item(item, result), Some(wanted)) = (&view.source, wanted) else {
                continue;
            };
            if !self.is_natural(view) {
                continue;
            }
            if let Work::Flow(_) = self.graph.items[*item].work {
                self.graph.asked.entry((*item, *result)).or_insert(*wanted);
            } else {
                places.entry(*item).or_insert(*wanted);
            }
        }
        self.graph.results = results.clone();
        self.flush(Some(places));
        let atoms = results.iter().map(|view| {
            let view = self.resolve(view);
            match view.sizes.is_empty() {
                true => self.element(&view, &[]),
                false => Atom::Var(self.contiguous(&view)),
            }
        });
        let atoms = atoms.collect();
        self.graph = outer;
        self.hide_waiting();
        self.values.extend(waiting);
        atoms
    }

    /// Takes away the variables that are not there yet.
    fn hide_waiting(&mut self) -> BTreeMap<ir::Var, Operand> {
        let waits = |it: &Operand| match it {
            Operand::Array(view) => item_of(view).is_some(),
            Operand::Scalar(_) => false,
        };
        let all = std::mem::take(&mut self.values);
        let (waiting, there) = all.into_iter().partition(|it| waits(&it.1));
        self.values = there;
        waiting
    }

    /// Whether a view of an item is the item as it is.
    fn is_natural(&self, view: &View) -> bool {
        view.map.len() == view.sizes.len()
            && view.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at))
    }

    /// Lowers everything that is not done; `wanted` says where results shall be.
    /// Without it the block goes on, and anything may be needed.
    pub(crate) fn flush(&mut self, wanted: Option<BTreeMap<usize, Var>>) {
        self.find_products();
        let (all, mut wanted) = (wanted.is_none(), wanted.unwrap_or_default());
        for (item, part) in std::mem::take(&mut self.graph.placed) {
            wanted.entry(item).or_insert(part);
        }
        let mut plan = self.plan(all, wanted.clone());
        if self.pack(&plan) {
            plan = self.plan(all, wanted);
        }
        let items: Vec<usize> = plan.reads.keys().copied().collect();
        self.nests(&plan, &items);
        self.graph.n_done = self.graph.items.len();
    }

    /// What a result of an item is, now that it is there.
    pub(crate) fn resolved(&mut self, item: usize, result: usize, operand: Operand) {
        self.graph.resolved.insert((item, result), operand);
        let waits = |it: &Operand| match it {
            Operand::Array(view) => view.source == Source::Item(item, result),
            Operand::Scalar(_) => false,
        };
        let vars: Vec<ir::Var> =
            self.values.iter().filter(|it| waits(it.1)).map(|it| *it.0).collect();
        vars.into_iter().for_each(|it| self.settle(it));
    }

    /// Whether an array is read at most once from a moment on, under whatever name.
    pub(crate) fn is_last_read(&self, source: &Source, from: usize) -> bool {
        let names = self.values.iter().filter(|it| match it.1 {
            Operand::Array(view) => self.resolve(view).source == *source,
            Operand::Scalar(_) => false,
        });
        names.map(|it| self.uses.left(*it.0, from)).sum::<usize>() <= 1
    }
}

impl Graph<'_> {
    /// Whether a result of an item is there.
    pub(crate) fn is_there(&self, item: usize, result: usize) -> bool {
        self.resolved.contains_key(&(item, result))
    }
}
