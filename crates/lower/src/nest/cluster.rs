//! Who shares a loop.
//!
//! An item goes to the first loop over its outermost class that comes after all it needs. It may share
//! the loop with what it reads if it reads that in the very step that computes it, and comes after
//! the loop if it reads something that the loop adds up.

use std::collections::{BTreeMap, BTreeSet};

use super::Nest;
use crate::context::Lower;
use crate::graph::{Work, item_of};
use crate::plan::{Class, Plan};
use crate::view::View;

/// What runs one after the other.
pub(super) struct Cluster {
    pub(super) class: Option<Class>,
    pub(super) manner: Manner,
    pub(super) items: Vec<usize>,
}

/// How a loop over a class runs; items of different manners do not share one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// In chunks.
    Chunks,
    /// As the items allow.
    Loop,
    /// Element after element, for scatters that keep a loop from being done by vectors: the others stay
    /// vectors.
    Scatter,
}

struct Open {
    item: usize,
    class: Option<Class>,
    manner: Manner,
    needs: BTreeSet<usize>,
}

impl Lower<'_, '_> {
    /// The outermost class of an item whose loop is not around yet, and how that runs.
    fn next_class(&self, nest: &Nest<'_>, item: usize) -> (Option<Class>, Manner) {
        let outside = nest.index.is_empty() && nest.chunk.is_none();
        if let Some(batch) = nest.plan.batch_of(&self.graph, item)
            && outside
            && self.can_be_chunked(nest.plan, item)
        {
            return (Some(batch), Manner::Chunks);
        }
        let domain = nest.plan.domain(&self.graph, item);
        let class = domain.into_iter().find(|it| !nest.index.contains_key(it));
        let is_scatter = matches!(self.graph.items[item].work, Work::Scatter { .. });
        let in_chunk = nest.chunk.is_some() && nest.index.is_empty();
        let apart = class.is_some_and(|class| match nest.plan.rowwise.get(&item) {
            Some(row) => class != *row,
            None => {
                let is_vector = nest.plan.vector_of(&self.graph, item) == Some(class);
                is_scatter && (in_chunk || is_vector) && !self.fits_vectors(nest.plan, item, class)
            }
        });
        (class, if apart { Manner::Scatter } else { Manner::Loop })
    }

    pub(super) fn clusters(&self, nest: &Nest<'_>, items: &[usize]) -> Vec<Cluster> {
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        let here: BTreeSet<usize> = items.iter().copied().collect();
        let open = |item: &usize| {
            let needs = nest.plan.needs(&self.graph, *item);
            let needs = needs.intersection(&here).copied().collect();
            let (class, manner) = self.next_class(nest, *item);
            Open { item: *item, class, manner, needs }
        };
        let mut open: Vec<Open> = items.iter().map(open).collect();
        while !open.is_empty() {
            // What has no loop comes as early as it can: loops that need it can then be one.
            let ready = |it: &Open| it.needs.iter().all(|it| place.contains_key(it));
            let first = open.iter().position(|it| it.class.is_none() && ready(it));
            let next = first.or_else(|| open.iter().position(ready)).unwrap_or(0);
            let Open { item, class, manner, .. } = open.remove(next);
            let mut first = 0;
            let mut after = |dep: usize, together: bool| {
                if let Some(at) = place.get(&dep) {
                    first = first.max(if together { *at } else { at + 1 });
                }
            };
            for view in &nest.plan.reads[&item] {
                let Some(dep) = item_of(view) else { continue };
                let together = place.get(&dep).is_some_and(|at| {
                    let other = &clusters[*at];
                    let class =
                        class.filter(|it| other.class == Some(*it) && other.manner == manner);
                    class.is_some_and(|class| self.in_step(nest.plan, item, view, class))
                });
                after(dep, together);
            }
            for dep in &self.graph.items[item].whole {
                let together = place.get(dep).is_some_and(|at| {
                    let other = &clusters[*at];
                    let same = other.class == class && other.manner == manner;
                    same && manner != Manner::Chunks && self.continues(nest, *dep, item)
                });
                after(*dep, together);
            }
            let fits = |it: &Cluster| class.is_some() && it.class == class && it.manner == manner;
            let found = (first..clusters.len()).find(|at| fits(&clusters[*at]));
            let at = found.unwrap_or_else(|| {
                clusters.push(Cluster { class, manner, items: Vec::new() });
                clusters.len() - 1
            });
            clusters[at].items.push(item);
            place.insert(item, at);
        }
        self.sink(nest.plan, items, &mut clusters, &mut place);
        clusters.retain(|it| !it.items.is_empty());
        clusters
    }

    /// Whether a scatter adds to what another one leaves, which nobody else reads: steps of both may take
    /// turns. Where both add to one element, the sums are in another order then, as in any loop that
    /// is done by vectors.
    fn continues(&self, nest: &Nest<'_>, first: usize, second: usize) -> bool {
        let [first_work, second_work] = [first, second].map(|it| &self.graph.items[it].work);
        let Work::Scatter { into, last_read: Some(_), .. } = second_work else { return false };
        let is_rowwise = [first, second].iter().any(|it| nest.plan.rowwise.contains_key(it));
        matches!(first_work, Work::Scatter { .. })
            && into.is_whole_item(first)
            && nest.chunk.is_none()
            && !is_rowwise
    }

    /// Moves items to later loops over the same class, where all who read them are: it was early
    /// only because nothing held it back, and would need memory there.
    fn sink(
        &self,
        plan: &Plan,
        items: &[usize],
        clusters: &mut [Cluster],
        place: &mut BTreeMap<usize, usize>,
    ) {
        for item in items.iter().rev() {
            let (from, readers) = (place[item], plan.readers.get(item));
            let readers = readers.into_iter().flatten().filter(|it| place.contains_key(it));
            let first = readers.clone().map(|it| place[it]).min();
            let Some(to) = first.filter(|it| *it > from) else { continue };
            let (here, there) = (&clusters[from], &clusters[to]);
            let Some(class) = here.class else { continue };
            if there.class != here.class || there.manner != here.manner {
                continue;
            }
            let in_step = |reader: &usize| {
                let views = plan.reads[reader].iter().filter(|it| item_of(it) == Some(*item));
                let whole = self.graph.items[*reader].whole.contains(item);
                !whole && views.clone().all(|it| self.in_step(plan, *reader, it, class))
            };
            if readers.filter(|it| place[it] == to).all(in_step) {
                clusters[from].items.retain(|it| it != item);
                clusters[to].items.push(*item);
                clusters[to].items.sort();
                place.insert(*item, to);
            }
        }
    }

    /// Whether an item reads another one, in a loop over a class that both have, in the very step in
    /// which that is computed.
    fn in_step(&self, plan: &Plan, item: usize, view: &View, class: Class) -> bool {
        let Some(source) = item_of(view) else { return false };
        let out = &self.graph.items[source].out;
        let at = out.iter().position(|axis| plan.class(source, *axis) == class);
        let axis = at.and_then(|at| view.map.get(at)?.as_axis());
        axis.is_some_and(|axis| plan.class(item, axis) == class)
    }
}
