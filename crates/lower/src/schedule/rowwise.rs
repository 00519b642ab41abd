//! Scatters of whole rows: row after row, each by vectors.
//!
//! Where several rows may go to one place, a scatter cannot be done by vectors of rows, which the loop
//! around is made of if that is best for the others. Then it has a loop of its own, in which each row is
//! done by vectors; and what only it needs is computed there, where its neighbours are next to it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Given, Schedule, fits_vectors};
use crate::items::Work;
use crate::plan::{Class, Plan};
use crate::view::{Source, View};

/// The scatters that are done row by row and what goes along with them, with the class of the rows.
pub(super) fn rowwise(given: Given<'_, '_>, schedule: &Schedule) -> BTreeMap<usize, Class> {
    let plan = given.plan;
    let items: Vec<usize> = plan.computed();
    let mut res = BTreeMap::new();
    for scatter in &items {
        let Some(row) = row_of(given, schedule, &res, *scatter) else { continue };
        let mut along = BTreeSet::from([*scatter]);
        for item in items.iter().rev().filter(|it| *it < scatter) {
            if may_go_along(given, *item, *scatter, &along) {
                along.insert(*item);
            }
        }
        // What reads strided memory stays, and so does what is for it.
        while let Some(item) = along.iter().copied().find(|it| {
            it != scatter && (!reads_rows(given, *it, row, &along) || !only_for(plan, *it, &along))
        }) {
            along.remove(&item);
        }
        res.extend(along.into_iter().map(|it| (it, row)));
    }
    res
}

/// The class of the rows, if a scatter is better done that way; `found` are done so already.
fn row_of(
    given: Given<'_, '_>,
    schedule: &Schedule,
    found: &BTreeMap<usize, Class>,
    item: usize,
) -> Option<Class> {
    let Given { items, plan, typical, machine, .. } = given;
    let it = &items[item];
    let Work::Scatter { into, n_indices, .. } = &it.work else { return None };
    let last = it.axes.len().checked_sub(1)?;
    let rows = it.axes.len() + n_indices - into.sizes.len();
    let row = plan.class(item, last);
    let others = found.get(&item).copied().or_else(|| schedule.vector_of(items, plan, item))?;
    let better = last >= rows && others != row && !fits_vectors(items, plan, item, others);
    (better && typical.estimate(&it.axes[last]) >= machine.short_row).then_some(row)
}

/// Whether an item is computed for these only, at the very points of the scatter.
fn may_go_along(
    given: Given<'_, '_>,
    item: usize,
    scatter: usize,
    along: &BTreeSet<usize>,
) -> bool {
    let Given { items, plan, .. } = given;
    let it = &items[item];
    let plain = matches!(it.work, Work::Prim(_) | Work::Copy | Work::Gather { .. });
    let same = plan.whole_domain(items, item) == plan.whole_domain(items, scatter);
    plain && same && it.whole.is_empty() && only_for(plan, item, along)
}

/// Whether an item reads neighbours along the row, or the same for all of it.
fn reads_rows(given: Given<'_, '_>, item: usize, row: Class, along: &BTreeSet<usize>) -> bool {
    let axis = given.plan.axis_of(given.items, item, row);
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
    given.plan.reads[&item].iter().all(is_row)
}

/// Whether an item is needed by these and nobody else.
fn only_for(plan: &Plan, item: usize, those: &BTreeSet<usize>) -> bool {
    let readers = plan.readers.get(&item);
    !plan.external.contains(&item)
        && readers.is_some_and(|it| !it.is_empty() && it.iter().all(|it| those.contains(it)))
}
