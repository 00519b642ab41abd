//! Batch dimensions: the classes whose loops run in chunks.

use std::collections::{BTreeMap, BTreeSet};

use ir::Size;
use loops::How;

use super::{Given, Schedule};
use crate::items::{Product, Work, item_of};
use crate::plan::Class;
use crate::tuning::{
    GATHERED, IN_CACHE, INNER, LEAST_CHUNKED_IN_LOOP, MULTIPLIED, READ_AGAIN, SCATTERED,
    SHORT_BATCH,
};

/// About what an item costs at a point, in operations.
pub(crate) fn cost(work: &Work<'_>) -> i64 {
    match work {
        Work::Prim(prim) => prim.row().cost,
        Work::Copy | Work::Reduce(_) | Work::Rows { .. } => 1,
        Work::Gather { .. } => GATHERED,
        Work::Scatter { .. } => SCATTERED,
        Work::Product(_) => MULTIPLIED,
        Work::Flow(_) => 1,
    }
}

/// The classes whose loops run in chunks: those that most of the work has, and over which little
/// is added up that is needed for the next step.
pub(super) fn batches(given: Given<'_, '_>) -> Vec<Class> {
    let Given { items, plan, typical, .. } = given;
    let mut res = Vec::new();
    let mut open: Vec<usize> = plan.computed();
    open.retain(|it| !items[*it].axes.is_empty());
    open.retain(|it| match items[*it].work {
        Work::Scatter { .. } => is_crowded(given, *it),
        Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => true,
        Work::Rows { .. } | Work::Product(_) | Work::Flow(_) => true,
    });
    let total: f64 = open.iter().map(|it| all_work(given, *it)).sum();
    // Inside of a loop most arrays are small, and there may be many steps.
    if given.in_loop && total < LEAST_CHUNKED_IN_LOOP {
        return res;
    }
    // With sizes known, little work is not worth the while.
    let least = if typical.is_known { given.machine.least_chunked } else { 0.0 };
    loop {
        let mut weights: BTreeMap<Class, f64> = BTreeMap::new();
        for item in &open {
            let it = &items[*item];
            for axis in 0..it.axes.len() {
                let size = typical.estimate(&it.axes[axis]);
                let class = plan.class(*item, axis);
                let place = 1.0 / (1.0 + INNER * axis as f64);
                let weight = all_work(given, *item) * (1.0 + size).ln() * place;
                *weights.entry(class).or_default() += weight;
                if !it.out.contains(&axis) && read_again(given, *item, class) {
                    *weights.entry(class).or_default() -= READ_AGAIN * weight;
                }
            }
        }
        weights.retain(|class, _| {
            let size = &plan.sizes[class];
            size.as_constant().is_none_or(|it| it >= SHORT_BATCH) && !typical.is_small(size)
        });
        let best = weights.iter().max_by(|x, y| x.1.total_cmp(y.1)).map(|it| *it.0);
        let Some(best) = best else { return res };
        let own = open.iter().filter(|it| plan.whole_domain(items, **it).contains(&best));
        if own.map(|it| all_work(given, *it)).sum::<f64>() >= least {
            res.push(best);
        }
        open.retain(|it| !plan.whole_domain(items, *it).contains(&best));
    }
}

/// The products of matrices, and whether they take part in chunks.
pub(super) fn products(given: Given<'_, '_>, schedule: &Schedule) -> BTreeMap<usize, bool> {
    let product = |item: usize| match given.items[item].work {
        Work::Product(product) => Some((item, is_chunked(given, schedule, item, product))),
        Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => None,
        Work::Scatter { .. } | Work::Rows { .. } | Work::Flow(_) => None,
    };
    given.plan.computed().into_iter().filter_map(product).collect()
}

/// Whether a product takes part in chunks over a class: the operand without it is small, so that
/// it stays in the cache.
fn is_chunked(given: Given<'_, '_>, schedule: &Schedule, item: usize, product: Product) -> bool {
    let Given { items, plan, typical, .. } = given;
    let Some(batch) = schedule.batch_of(items, plan, item) else { return false };
    let others = product.axes().into_iter().filter(|axis| plan.class(item, *axis) != batch);
    let small: f64 = others.map(|axis| typical.estimate(&items[item].axes[axis])).product();
    let fed = plan.reads[&item].iter().any(|it| item_of(it).is_some());
    let read = plan.readers.get(&item).is_some_and(|it| !it.is_empty());
    small <= IN_CACHE && (fed || read)
}

/// Whether a scatter adds so much to each element that tasks have a copy of all of them each.
pub(super) fn is_crowded(given: Given<'_, '_>, item: usize) -> bool {
    let it = &given.items[item];
    let Work::Scatter { into, how: How::Add, .. } = &it.work else { return false };
    let size = |sizes: &[Size]| given.typical.points(sizes);
    given.typical.is_known && size(&it.axes) >= given.machine.crowded * size(&into.sizes)
}

fn all_work(given: Given<'_, '_>, item: usize) -> f64 {
    let it = &given.items[item];
    given.typical.points(&it.axes) * cost(&it.work) as f64
}

/// Whether something with a loop over a class needs an item.
fn read_again(given: Given<'_, '_>, item: usize, class: Class) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![item];
    while let Some(item) = open.pop() {
        for reader in given.plan.readers.get(&item).into_iter().flatten() {
            if seen.insert(*reader) {
                if given.plan.whole_domain(given.items, *reader).contains(&class) {
                    return true;
                }
                open.push(*reader);
            }
        }
    }
    false
}
