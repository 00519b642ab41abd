//! Who shares a loop: the loops, and the items in them.
//!
//! At each level the items are dealt out to *clusters*, which run one after the other: a loop over a
//! class, or a single item that has no loop left. Inside of a loop the same is done with the next
//! classes. A loop outside of all others may run in chunks: its class is a batch dimension.
//!
//! An item goes to the first loop over its outermost class that comes after all it needs. It may share
//! the loop with what it reads if it reads that in the very step that computes it, and comes after
//! the loop if it reads something that the loop adds up.

use std::collections::{BTreeMap, BTreeSet};

use super::batches::is_crowded;
use super::{Given, Schedule, fits_vectors};
use crate::items::{Items, Work, item_of};
use crate::plan::{Class, Plan};
use crate::tuning::MOST_UNROLLED;
use crate::view::View;

/// What runs at one place among the loops.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Nested {
    /// An item whose loops are all around.
    Item(usize),
    /// A loop over a class. The items in it are in the order in which they came to it.
    Loop { class: Class, run: Run, items: Vec<usize>, inside: Vec<Nested> },
}

/// How a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// In chunks, each with a loop over its part of the class inside.
    Chunks,
    /// By vectors.
    Vectors,
    /// Step by step.
    Steps,
    /// Step by step, so few of them that each is written by itself.
    Unrolled,
}

impl Nested {
    /// The items in it.
    pub(crate) fn items(&self) -> &[usize] {
        match self {
            Nested::Item(item) => std::slice::from_ref(item),
            Nested::Loop { items, .. } => items,
        }
    }
}

/// The loops of a schedule.
pub(super) fn nesting(given: Given<'_, '_>, schedule: &Schedule) -> Vec<Nested> {
    Level { given, schedule, around: Vec::new(), chunk: None, in_vector: false }
        .nested(&given.plan.computed())
}

/// What runs one after the other.
struct Cluster {
    class: Option<Class>,
    manner: Manner,
    items: Vec<usize>,
}

/// How a loop over a class is shared; items of different manners do not share one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
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

/// A place among the loops.
struct Level<'s, 'a> {
    given: Given<'s, 'a>,
    schedule: &'s Schedule,
    /// The classes of the loops around.
    around: Vec<Class>,
    /// The class of the chunk around.
    chunk: Option<Class>,
    /// Whether a vector loop is around.
    in_vector: bool,
}

impl Level<'_, '_> {
    fn nested(&self, items: &[usize]) -> Vec<Nested> {
        let nested = |cluster: Cluster| match cluster.class {
            None => Nested::Item(cluster.items[0]),
            Some(class) => {
                let run = self.run(class, &cluster);
                let inside = self.inside(class, run).nested(&cluster.items);
                Nested::Loop { class, run, items: cluster.items, inside }
            }
        };
        self.clusters(items).into_iter().map(nested).collect()
    }

    /// Inside of a loop at this place.
    fn inside(&self, class: Class, run: Run) -> Self {
        let Level { given, schedule, chunk, .. } = *self;
        let mut around = self.around.clone();
        if run == Run::Chunks {
            return Level {
                given,
                schedule,
                around,
                chunk: Some(class),
                in_vector: self.in_vector,
            };
        }
        around.push(class);
        let in_vector = self.in_vector || run == Run::Vectors;
        Level { given, schedule, around, chunk, in_vector }
    }

    /// How the loop of a cluster runs.
    fn run(&self, class: Class, cluster: &Cluster) -> Run {
        if cluster.manner == Manner::Chunks {
            return Run::Chunks;
        }
        let Given { items, plan, .. } = self.given;
        let members = &cluster.items;
        let fits = members.iter().all(|it| fits_vectors(items, plan, *it, class));
        let own = |it: &usize| self.schedule.vector_of(items, plan, *it) == Some(class);
        let by_vectors = fits && members.iter().all(own) && !self.in_vector;
        let n_steps = plan.sizes[&class].as_constant().filter(|_| self.chunk != Some(class));
        match by_vectors {
            true => Run::Vectors,
            false if n_steps.is_some_and(|it| (0..=MOST_UNROLLED).contains(&it)) => Run::Unrolled,
            false => Run::Steps,
        }
    }

    /// Whether an item takes part in chunks.
    fn can_be_chunked(&self, item: usize) -> bool {
        match &self.given.items[item].work {
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => true,
            Work::Rows { .. } => true,
            Work::Product(_) => self.schedule.products.get(&item).copied().unwrap_or(false),
            Work::Scatter { .. } => is_crowded(self.given, item),
            Work::Flow(_) => false,
        }
    }

    /// The outermost class of an item whose loop is not around yet, and how that is shared.
    fn next_class(&self, item: usize) -> (Option<Class>, Manner) {
        let Given { items, plan, .. } = self.given;
        let outside = self.around.is_empty() && self.chunk.is_none();
        if let Some(batch) = self.schedule.batch_of(items, plan, item)
            && outside
            && self.can_be_chunked(item)
        {
            return (Some(batch), Manner::Chunks);
        }
        let domain = self.schedule.domain(items, plan, item);
        let class = domain.into_iter().find(|it| !self.around.contains(it));
        let is_scatter = matches!(items[item].work, Work::Scatter { .. });
        let in_chunk = self.chunk.is_some() && self.around.is_empty();
        let apart = class.is_some_and(|class| match self.schedule.rowwise.get(&item) {
            Some(row) => class != *row,
            None => {
                let is_vector = self.schedule.vector_of(items, plan, item) == Some(class);
                is_scatter && (in_chunk || is_vector) && !fits_vectors(items, plan, item, class)
            }
        });
        (class, if apart { Manner::Scatter } else { Manner::Loop })
    }

    fn clusters(&self, members: &[usize]) -> Vec<Cluster> {
        let Given { items, plan, .. } = self.given;
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        let here: BTreeSet<usize> = members.iter().copied().collect();
        let open = |item: &usize| {
            let needs = plan.needs(items, *item).intersection(&here).copied().collect();
            let (class, manner) = self.next_class(*item);
            Open { item: *item, class, manner, needs }
        };
        let mut open: Vec<Open> = members.iter().map(open).collect();
        while !open.is_empty() {
            // What has no loop comes as early as it can: loops that need it can then be one.
            let ready = |it: &Open| it.needs.iter().all(|it| place.contains_key(it));
            let first = open.iter().position(|it| it.class.is_none() && ready(it));
            let next = first.or_else(|| open.iter().position(ready)).unwrap_or(0);
            let Open { item, class, manner, .. } = open.remove(next);
            let first = self.first_place(&clusters, &place, item, class, manner);
            let fits = |it: &Cluster| class.is_some() && it.class == class && it.manner == manner;
            let found = (first..clusters.len()).find(|at| fits(&clusters[*at]));
            let at = found.unwrap_or_else(|| {
                clusters.push(Cluster { class, manner, items: Vec::new() });
                clusters.len() - 1
            });
            clusters[at].items.push(item);
            place.insert(item, at);
        }
        self.sink(members, &mut clusters, &mut place);
        clusters.retain(|it| !it.items.is_empty());
        clusters
    }

    /// The first cluster that an item may be in: with or after all it needs.
    fn first_place(
        &self,
        clusters: &[Cluster],
        place: &BTreeMap<usize, usize>,
        item: usize,
        class: Option<Class>,
        manner: Manner,
    ) -> usize {
        let Given { items, plan, .. } = self.given;
        let mut first = 0;
        let mut after = |dep: usize, together: bool| {
            if let Some(at) = place.get(&dep) {
                first = first.max(if together { *at } else { at + 1 });
            }
        };
        for view in &plan.reads[&item] {
            let Some(dep) = item_of(view) else { continue };
            let together = place.get(&dep).is_some_and(|at| {
                let other = &clusters[*at];
                let class = class.filter(|it| other.class == Some(*it) && other.manner == manner);
                class.is_some_and(|class| in_step(items, plan, item, view, class))
            });
            after(dep, together);
        }
        for dep in &items[item].whole {
            let together = place.get(dep).is_some_and(|at| {
                let other = &clusters[*at];
                let same = other.class == class && other.manner == manner;
                same && manner != Manner::Chunks && self.continues(*dep, item)
            });
            after(*dep, together);
        }
        first
    }

    /// Whether a scatter adds to what another one leaves, which nobody else reads: steps of both may take
    /// turns. Where both add to one element, the sums are in another order then, as in any loop that
    /// is done by vectors.
    fn continues(&self, first: usize, second: usize) -> bool {
        let [first_work, second_work] = [first, second].map(|it| &self.given.items[it].work);
        let Work::Scatter { into, last_read: Some(_), .. } = second_work else { return false };
        let is_rowwise = [first, second].iter().any(|it| self.schedule.rowwise.contains_key(it));
        matches!(first_work, Work::Scatter { .. })
            && into.is_whole_item(first)
            && self.chunk.is_none()
            && !is_rowwise
    }

    /// Moves items to later loops over the same class, where all who read them are: it was early
    /// only because nothing held it back, and would need memory there.
    fn sink(
        &self,
        members: &[usize],
        clusters: &mut [Cluster],
        place: &mut BTreeMap<usize, usize>,
    ) {
        let Given { items, plan, .. } = self.given;
        for item in members.iter().rev() {
            let (from, readers) = (place[item], plan.readers.get(item));
            let readers = readers.into_iter().flatten().filter(|it| place.contains_key(it));
            let first = readers.clone().map(|it| place[it]).min();
            let Some(to) = first.filter(|it| *it > from) else { continue };
            let (here, there) = (&clusters[from], &clusters[to]);
            let Some(class) = here.class else { continue };
            if there.class != here.class || there.manner != here.manner {
                continue;
            }
            let all_in_step = |reader: &usize| {
                let views = plan.reads[reader].iter().filter(|it| item_of(it) == Some(*item));
                let whole = items[*reader].whole.contains(item);
                !whole && views.clone().all(|it| in_step(items, plan, *reader, it, class))
            };
            if readers.filter(|it| place[it] == to).all(all_in_step) {
                clusters[from].items.retain(|it| it != item);
                clusters[to].items.push(*item);
                clusters[to].items.sort();
                place.insert(*item, to);
            }
        }
    }
}

/// Whether an item reads another one, in a loop over a class that both have, in the very step in
/// which that is computed.
pub(super) fn in_step(
    items: &Items<'_>,
    plan: &Plan,
    item: usize,
    view: &View,
    class: Class,
) -> bool {
    let Some(source) = item_of(view) else { return false };
    let out = &items[source].out;
    let at = out.iter().position(|axis| plan.class(source, *axis) == class);
    let axis = at.and_then(|at| view.map.get(at)?.as_axis());
    axis.is_some_and(|axis| plan.class(item, axis) == class)
}
