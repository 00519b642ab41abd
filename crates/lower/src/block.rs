//! A block: its statements become items, items become nests.

use std::collections::BTreeMap;

use ir::Block;
use loops::{Atom, Var};

use crate::context::{Lower, Operand};
use crate::graph::{Graph, item_of};
use crate::view::{Source, View};

impl<'a> Lower<'a, '_> {
    /// Lowers a block where nodes are being written; gives its results: scalars, or pointers to
    /// contiguous memory. An array is stored where it is wanted, unless it is the owned memory that
    /// was changed in place.
    pub(crate) fn block(&mut self, block: &'a Block, wanted: &[Option<Var>]) -> Vec<Atom> {
        let outer = std::mem::take(&mut self.graph);
        for stmt in &block.stmts {
            self.add_stmt(stmt);
        }
        let results: Vec<View> = block.results.iter().map(|it| self.arg(it)).collect();
        let mut places = BTreeMap::new();
        for (view, wanted) in results.iter().zip(wanted) {
            if let (Some(item), Some(wanted)) = (item_of(view), wanted)
                && self.is_natural(view)
            {
                places.entry(item).or_insert(*wanted);
            }
        }
        self.graph.results = results.clone();
        self.flush(Some(places));
        let mut taken = Vec::new();
        let atoms = results.iter().zip(wanted).map(|(view, wanted)| {
            let view = self.resolve(view);
            self.result(&view, *wanted, &mut taken)
        });
        let atoms = atoms.collect();
        self.graph = outer;
        atoms
    }

    /// Whether a view of an item is the item as it is.
    fn is_natural(&self, view: &View) -> bool {
        view.map.len() == view.sizes.len()
            && view.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at))
    }

    fn result(&mut self, view: &View, wanted: Option<Var>, taken: &mut Vec<Var>) -> Atom {
        if view.sizes.is_empty() {
            return self.element(view, &[]);
        }
        let Some(wanted) = wanted else {
            let array = self.contiguous(view);
            return Atom::Var(array);
        };
        if let Source::Memory(array) = view.source
            && view.is_contiguous()
            && (array == wanted || self.owned.contains(&array))
            && !taken.contains(&array)
        {
            taken.push(array);
            if array == wanted || self.changed.contains(&array) {
                return Atom::Var(array);
            }
        }
        self.copy_view(view, wanted);
        Atom::Var(wanted)
    }

    /// Lowers everything that is not done; `wanted` says where results shall be.
    /// Without it the block goes on, and anything may be needed.
    pub(crate) fn flush(&mut self, wanted: Option<BTreeMap<usize, Var>>) {
        let plan = self.plan(wanted.is_none(), wanted.unwrap_or_default());
        let items: Vec<usize> = plan.reads.keys().copied().collect();
        self.nests(&plan, &items);
        self.graph.n_done = self.graph.items.len();
    }

    /// What a result of an item is, now that it is there.
    pub(crate) fn resolved(&mut self, item: usize, result: usize, operand: Operand) {
        self.graph.resolved.insert((item, result), operand);
    }
}

impl Graph<'_> {
    /// Whether a result of an item is there.
    pub(crate) fn is_there(&self, item: usize, result: usize) -> bool {
        self.resolved.contains_key(&(item, result))
    }
}
