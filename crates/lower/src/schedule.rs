//! How processors with caches, vectors and threads go through the loops of a plan.
//!
//! Which sums of products go to the kernel of matrices, which loops run in chunks, which ones are done by
//! vectors, which are outside and which inside, what is packed, the loops themselves with the items in them,
//! and in the end what of them is memory and how it lies there. All that belongs to one kind of processor is
//! here and in what writes such loops (`nests.rs`): another kind is a [`Processor`] beside [`CPU`], for the same
//! items and the same plan, and which one is taken is said in one place (`PROCESSOR` in `lib.rs`).
//! `schedule/print.rs` prints a schedule, `schedule/verify.rs` says what it satisfies.

mod batches;
mod contractions;
mod memory;
mod nesting;
mod order;
mod pack;
mod print;
mod rowwise;
mod triangles;
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
pub(crate) use contractions::{Contraction, with_products};
pub(crate) use memory::{Memory, Sum, Target};
pub(crate) use nesting::{Nested, Run};
pub(crate) use pack::{Packed, with_copies};

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

/// A kind of processor, as three functions: what `stretch.rs` asks on the way from items to a schedule. Items and
/// plans know nothing of it.
pub(crate) struct Processor {
    pub(crate) machine: Machine,
    /// Which sums of products go to a kernel of matrices.
    pub(crate) contractions: fn(&Items<'_>, &Typical, &Machine) -> Vec<Contraction>,
    /// How it goes through the loops of a plan.
    pub(crate) schedule: fn(Given<'_, '_>) -> Schedule,
    /// What is copied first under a schedule.
    pub(crate) packed: fn(Given<'_, '_>, &Schedule) -> Vec<Packed>,
}

/// The processors that C is written for.
pub(crate) const CPU: Processor = Processor {
    machine: Machine {
        lanes: LANES,
        apart: APART,
        across: ACROSS,
        least_chunked: LEAST_CHUNKED,
        crowded: CROWDED,
        packed_reads: PACKED_READS,
        short_row: SHORT_ROW,
        least_product: LEAST_PRODUCT,
        thin_product: THIN_PRODUCT,
    },
    contractions: contractions::contractions,
    schedule,
    packed: pack::packed,
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
fn schedule(given: Given<'_, '_>) -> Schedule {
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

#[cfg(test)]
mod tests {
    use base::Name;
    use loop_eval::{Input, Limits, Value, run};

    use super::*;

    /// Another kind of processor: every item has loops of its own, one step after the other.
    const ONE_BY_ONE: Processor = Processor {
        contractions: |_, _, _| Vec::new(),
        schedule: one_by_one,
        packed: |_, _| Vec::new(),
        ..CPU
    };

    fn one_by_one(given: Given<'_, '_>) -> Schedule {
        let Given { items, plan, .. } = given;
        let order = plan.sizes.keys().copied().collect();
        let mut res = Schedule { order, ..Schedule::default() };
        let nested = |item: usize| {
            let domain = res.domain(items, plan, item);
            let inside = Nested::Item(item);
            domain.into_iter().rev().fold(inside, |inside, class| {
                let (items, inside) = (vec![item], vec![inside]);
                Nested::Loop { class, run: Run::Steps, items, inside }
            })
        };
        let nesting = plan.computed().into_iter().map(nested).collect();
        res.nesting = nesting;
        res.memory = memory::memory(given, &res);
        res
    }

    /// The same items and the same plan under two schedules: other loops, and the same numbers.
    #[test]
    fn a_schedule_for_another_processor_stands_beside_this_one() {
        let text = "def main[x0, x1](x2: [x0][x1]Real, x3: [x0]Int) -> (x4: [x0]Real) {
            x5: [x0]Real = sum 1 x2
            x6: [x1][x0]Real = replicate [x1] x5
            x7: [x0][x1]Real = transpose x6 (1, 0)
            x8: [x0][x1]Real = mul x2 x7
            x9: [x0]Real = maximum 1 x8
            x10: [x0]Real = scatter x9 (x3) x5
            give x10 }";
        let program: ir::Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
        let mut results = Vec::new();
        let mut stages = Vec::new();
        for processor in [&CPU, &ONE_BY_ONE] {
            let noted = Some(Vec::new());
            let (module, noted) =
                crate::nests(&program, &[Name::new("main")], None, processor, noted);
            assert_eq!(loops::verify(&module), Ok(()));
            let stretch = noted.unwrap_or_default().remove(0).1;
            assert_eq!(stretch.verify(), Ok(()));
            let items = stretch.items.to_string() + &stretch.plan.to_string();
            stages.push((items, stretch.schedule.to_string()));
            let size = |it| Input::Scalar(Value::Int(it));
            let reals = (1..=6).map(|it| Value::Real(f64::from(it))).collect();
            let at = [1, 1].map(Value::Int).to_vec();
            let given = [size(2), size(3), Input::Array(reals), Input::Array(at)];
            let outcome = run(&module, 0, &given, Limits::default()).unwrap();
            results.push(format!("{:?}", outcome.results));
        }
        assert_eq!(stages[0].0, stages[1].0);
        assert_ne!(stages[0].1, stages[1].1);
        // Rows add up to 6 and 15; their greatest products are 18 and 90, and both sums go to the second.
        assert_eq!(results, ["[Array([Real(18.0), Real(111.0)])]"; 2]);
    }
}
