//! Scatters of whole rows: row after row, each by vectors.
//!
//! Where several rows may go to one place, a scatter cannot be done by vectors of rows, which the loop
//! around is made of if that is best for the others. Then it has a loop of its own, in which each row is
//! done by vectors; and what only it needs is computed there, where its neighbours are next to it.

use std::collections::BTreeSet;

use crate::context::Lower;
use crate::graph::Work;
use crate::plan::{Class, Plan};
use crate::tuning::SHORT_ROW;
use crate::view::{Source, View};

impl Lower<'_, '_> {
    pub(crate) fn choose_rowwise(&self, plan: &mut Plan) {
        let items: Vec<usize> = plan.reads.keys().copied().collect();
        for scatter in &items {
            let Some(row) = self.row_of(plan, *scatter) else { continue };
            let mut along = BTreeSet::from([*scatter]);
            for item in items.iter().rev().filter(|it| *it < scatter) {
                if self.may_go_along(plan, *item, *scatter, &along) {
                    along.insert(*item);
                }
            }
            // What reads strided memory stays, and so does what is for it.
            while let Some(item) = along.iter().copied().find(|it| {
                it != scatter
                    && (!self.reads_rows(plan, *it, row, &along) || !only_for(plan, *it, &along))
            }) {
                along.remove(&item);
            }
            plan.rowwise.extend(along.into_iter().map(|it| (it, row)));
        }
    }

    /// The class of the rows, if a scatter is better done that way.
    fn row_of(&self, plan: &Plan, item: usize) -> Option<Class> {
        let it = &self.graph.items[item];
        let Work::Scatter { into, n_indices, .. } = &it.work else { return None };
        let last = it.axes.len().checked_sub(1)?;
        let rows = it.axes.len() + n_indices - into.sizes.len();
        let row = plan.class(item, last);
        let others = plan.vector_of(&self.graph, item)?;
        let better = last >= rows && others != row && !self.fits_vectors(plan, item, others);
        (better && self.estimate(&it.axes[last]) >= SHORT_ROW).then_some(row)
    }

    /// Whether an item is computed for these only, at the very points of the scatter.
    fn may_go_along(
        &self,
        plan: &Plan,
        item: usize,
        scatter: usize,
        along: &BTreeSet<usize>,
    ) -> bool {
        let it = &self.graph.items[item];
        let plain = matches!(it.work, Work::Prim(_) | Work::Copy | Work::Gather { .. });
        let same = plan.whole_domain(&self.graph, item) == plan.whole_domain(&self.graph, scatter);
        plain && same && it.whole.is_empty() && only_for(plan, item, along)
    }

    /// Whether an item reads neighbours along the row, or the same for all of it.
    fn reads_rows(&self, plan: &Plan, item: usize, row: Class, along: &BTreeSet<usize>) -> bool {
        let it = &self.graph.items[item];
        let axis = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == row);
        let is_row = |view: &View| {
            let varies: Vec<usize> = (0..view.map.len())
                .filter(|at| view.map[*at].terms.iter().any(|term| Some(term.0) == axis))
                .collect();
            match view.source {
                Source::Item(it, _) if along.contains(&it) => true,
                Source::Memory(_) => varies.is_empty() || varies == [view.map.len() - 1],
                Source::Item(..) => varies.is_empty(),
                Source::Iota | Source::Same(_) => true,
            }
        };
        plan.reads[&item].iter().all(is_row)
    }
}

/// Whether an item is needed by these and nobody else.
fn only_for(plan: &Plan, item: usize, those: &BTreeSet<usize>) -> bool {
    let readers = plan.readers.get(&item);
    !plan.external.contains(&item)
        && readers.is_some_and(|it| !it.is_empty() && it.iter().all(|it| those.contains(it)))
}
