//! How processors with caches, vectors and threads go through the loops of a plan.
//!
//! Which sums of products go to the kernel of matrices, which loops run in chunks, which ones are done by
//! vectors, which are outside and which inside, what is packed, the loops themselves with the items in them,
//! and in the end what of them is memory and how it lies there. All that belongs to one kind of processor is
//! here and in what writes such loops (`nests.rs`): for another kind there can be a schedule of its own for
//! the same items and the same plan. `schedule/print.rs` prints it, `schedule/verify.rs` says what it
//! satisfies.

mod batches;
mod contractions;
mod memory;
mod nesting;
mod order;
mod pack;
mod print;
mod rowwise;
mod vectors;
mod verify;

use std::collections::BTreeMap;

use ir::Reduction;
use loops::{How, Scalar};

use crate::context::scalar_of;
use crate::items::{Items, Work};
use crate::plan::{Class, Plan};
use crate::tuning::{
    ACROSS, APART, CROWDED, LANES, LEAST_CHUNKED, LEAST_PRODUCT, PACKED_READS, SHORT_ROW,
    THIN_PRODUCT,
};
use crate::typical::Typical;
use crate::view::{Lin, Source, View};

pub(crate) use batches::cost;
pub(crate) use contractions::{contractions, with_products};
pub(crate) use memory::{Memory, Sum, Target};
pub(crate) use nesting::{Nested, Run};
pub(crate) use pack::{packed, with_copies};

/// What a schedule is made from.
#[derive(Clone, Copy)]
pub(crate) struct Given<'s, 'a> {
    pub(crate) items: &'s Items<'a>,
    pub(crate) plan: &'s Plan,
    pub(crate) typical: &'s Typical,
    pub(crate) machine: &'s Machine,
    /// Whether there is a loop of control flow around, whose steps may be many.
    pub(crate) in_loop: bool,
}

/// What is known of a processor, for estimates. Why the numbers are what they are: `tuning.rs`.
pub(crate) struct Machine {
    /// Of a vector.
    pub(crate) lanes: f64,
    /// What a load costs that is not of neighbours, for each lane.
    pub(crate) apart: f64,
    /// What adding up the lanes of a vector costs.
    pub(crate) across: f64,
    /// Below this number of operations a loop does not run in chunks.
    pub(crate) least_chunked: f64,
    /// From so many contributions to an element on, tasks may have copies of all elements.
    pub(crate) crowded: f64,
    /// How often something is read at least that is packed.
    pub(crate) packed_reads: f64,
    /// How long a row is at least that vectors go along.
    pub(crate) short_row: f64,
    /// Below this number of multiplications loops are as good as the kernel of matrices.
    pub(crate) least_product: f64,
    /// Below this size of any side too.
    pub(crate) thin_product: f64,
}

/// The processors that C is written for.
pub(crate) const CPU: Machine = Machine {
    lanes: LANES,
    apart: APART,
    across: ACROSS,
    least_chunked: LEAST_CHUNKED,
    crowded: CROWDED,
    packed_reads: PACKED_READS,
    short_row: SHORT_ROW,
    least_product: LEAST_PRODUCT,
    thin_product: THIN_PRODUCT,
};

/// How the loops of a plan run.
#[derive(Clone, Default)]
pub(crate) struct Schedule {
    /// The classes whose loops run in chunks, the most important one first.
    pub(crate) batches: Vec<Class>,
    /// Items that are products of matrices, and whether they take part in chunks.
    pub(crate) products: BTreeMap<usize, bool>,
    /// The classes whose loops are done by vectors, the most important one first.
    pub(crate) vectors: Vec<Class>,
    /// The classes from the outermost loop to the innermost.
    pub(crate) order: Vec<Class>,
    /// Scatters of rows, and what goes along with them, with the class of the rows.
    pub(crate) rowwise: BTreeMap<usize, Class>,
    /// The loops, and what is done in them, one after the other.
    pub(crate) nesting: Vec<Nested>,
    /// Where items are.
    pub(crate) memory: Memory,
}

/// The schedule for a plan. Each part follows from the ones before it.
pub(crate) fn schedule(given: Given<'_, '_>) -> Schedule {
    let mut res = Schedule { batches: batches::batches(given), ..Schedule::default() };
    res.products = batches::products(given, &res);
    res.vectors = vectors::vectors(given, &res);
    res.order = order::order(given, &res);
    res.rowwise = rowwise::rowwise(given, &res);
    res.nesting = nesting::nesting(given, &res);
    res.memory = memory::memory(given, &res);
    res
}

impl Schedule {
    /// The classes that an item has loops for, outermost first.
    pub(crate) fn domain(&self, items: &Items<'_>, plan: &Plan, item: usize) -> Vec<Class> {
        let kernel = match &items[item].work {
            Work::Product(product) => product.axes().to_vec(),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => Vec::new(),
            Work::Scatter { .. } | Work::Flow(_) | Work::Rows { .. } => Vec::new(),
        };
        let axes = (0..items[item].axes.len()).filter(|it| !kernel.contains(it));
        let mut res: Vec<Class> = axes.map(|axis| plan.class(item, axis)).collect();
        let row = self.rowwise.get(&item);
        res.sort_by_key(|it| (row == Some(it), self.rank(*it)));
        res
    }

    /// How far inside the loop of a class is.
    fn rank(&self, class: Class) -> usize {
        self.order.iter().position(|it| *it == class).unwrap_or(usize::MAX)
    }

    /// The class of an item that is done by vectors.
    pub(crate) fn vector_of(&self, items: &Items<'_>, plan: &Plan, item: usize) -> Option<Class> {
        if let Some(row) = self.rowwise.get(&item) {
            return Some(*row);
        }
        let domain = self.domain(items, plan, item);
        self.vectors.iter().copied().find(|it| domain.contains(it))
    }

    /// The class of an item that runs in chunks.
    pub(crate) fn batch_of(&self, items: &Items<'_>, plan: &Plan, item: usize) -> Option<Class> {
        let domain = plan.whole_domain(items, item);
        self.batches.iter().copied().find(|it| domain.contains(it))
    }

    /// Whether the rows of a product may as well be its columns: nobody needs it as a whole, and both
    /// operands are next to the axis that they share, or both are not. Else one of them would be turned
    /// around on its way into the kernel, which costs more than reading the result with gaps.
    pub(crate) fn is_turnable(&self, items: &Items<'_>, plan: &Plan, item: usize) -> bool {
        let it = &items[item];
        let Work::Product(product) = it.work else { return false };
        let is_whole = self.products.get(&item) == Some(&false);
        let last = |at: usize| it.args[at].map.last().and_then(Lin::as_shifted_axis);
        let is_even = (last(0) == Some(product.left)) == (last(1) == Some(product.right));
        is_whole && is_even && !plan.external.contains(&item)
    }
}

/// Whether several steps of the loop over a class can be done at once.
fn fits_vectors(items: &Items<'_>, plan: &Plan, item: usize, class: Class) -> bool {
    let it = &items[item];
    match &it.work {
        Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) | Work::Rows { .. } => {
            scalar_of(&it.elem) != Scalar::Box
        }
        // Where every step adds to an element of its own.
        Work::Scatter { into, n_indices, .. } => {
            let rows = it.axes.len() + n_indices - into.sizes.len();
            plan.axis_of(items, item, class).is_some_and(|axis| {
                let own = |view: &View| {
                    let mut terms = view.map.iter().flat_map(|it| &it.terms);
                    view.source == Source::Iota && terms.any(|term| term.0 == axis)
                };
                axis >= rows || it.args[1..=*n_indices].iter().any(own)
            })
        }
        Work::Flow(_) | Work::Product(_) => false,
    }
}

/// How an item combines what a loop over a class computes, if it does.
pub(crate) fn reduction_over(
    items: &Items<'_>,
    plan: &Plan,
    item: usize,
    class: Class,
) -> Option<How> {
    let it = &items[item];
    let reduction = match it.work {
        Work::Reduce(reduction) => reduction,
        Work::Product(_) => Reduction::Sum,
        Work::Prim(_) | Work::Copy | Work::Gather { .. } => return None,
        Work::Scatter { .. } | Work::Flow(_) | Work::Rows { .. } => return None,
    };
    let reduced = plan.axis_of(items, item, class)?;
    (!it.out.contains(&reduced)).then_some(how(reduction))
}

/// How a reduction combines two values.
pub(crate) fn how(reduction: Reduction) -> How {
    match reduction {
        Reduction::Sum => How::Add,
        Reduction::Product => How::Mul,
        Reduction::Maximum => How::Max,
        Reduction::Minimum => How::Min,
    }
}
