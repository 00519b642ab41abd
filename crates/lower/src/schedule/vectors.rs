//! Which loops are done by vectors.
//!
//! That follows from an estimate of the work, with typical sizes where no number is known. A class is
//! better for vectors the more elements are next to each other along it, the fewer lanes are left
//! over, and the less is added up along it, since lanes have to be added up in the end. What counts on one side
//! of a test of two indices only is half the work along other classes (`triangles.rs`).

use std::collections::BTreeSet;

use super::triangles::triangles;
use super::{Given, Schedule, cost, fits_vectors};
use crate::items::{Work, item_of};
use crate::plan::Class;
use crate::tuning::LATER;
use crate::view::Source;

/// The classes that are done by vectors, the most important one first.
pub(super) fn vectors(given: Given<'_, '_>, schedule: &Schedule) -> Vec<Class> {
    let Given { items, plan, typical, .. } = given;
    let triangles = triangles(given);
    let cost_by = |item: usize, class: Class| {
        let is_triangle = triangles.get(&item).is_some_and(|it| !it.contains(&class));
        cost_by(given, schedule, item, class) * if is_triangle { 0.5 } else { 1.0 }
    };
    let domain = |item: usize| schedule.domain(items, plan, item);
    let mut res = Vec::new();
    let mut open: Vec<usize> = plan.computed();
    open.retain(|it| !items[*it].axes.is_empty());
    open.retain(|it| !matches!(items[*it].work, Work::Product(_)));
    loop {
        let mut classes: BTreeSet<Class> = BTreeSet::new();
        open.iter().for_each(|it| classes.extend(domain(*it)));
        // A vector that is hardly filled, and read element by element right after, is worse than none.
        classes.retain(|it| !typical.is_small(&plan.sizes[it]));
        // What items cost that do not have a class is up to others: they count by the best.
        let least = |item: usize| {
            let own = domain(item).into_iter().map(|it| cost_by(item, it));
            own.min_by(f64::total_cmp).unwrap_or(0.0)
        };
        let least: Vec<f64> = open.iter().map(|it| least(*it)).collect();
        // The cost above the best; then what is not covered.
        let cost = |class: &Class| -> (f64, f64) {
            let (mut more, mut left) = (0.0, 0.0);
            for (item, least) in open.iter().zip(&least) {
                match domain(*item).contains(class) {
                    true => more += cost_by(*item, *class) - least,
                    false => left += least,
                }
            }
            (more + LATER * left, left)
        };
        let by_cost = |x: &((f64, f64), Class), y: &((f64, f64), Class)| {
            x.0.0.total_cmp(&y.0.0).then(x.0.1.total_cmp(&y.0.1))
        };
        let Some((_, best)) = classes.iter().map(|it| (cost(it), *it)).min_by(by_cost) else {
            return res;
        };
        res.push(best);
        open.retain(|it| !domain(*it).contains(&best));
    }
}

/// The work of an item if a class is done by vectors.
fn cost_by(given: Given<'_, '_>, schedule: &Schedule, item: usize, class: Class) -> f64 {
    let Given { items, plan, typical, machine, .. } = given;
    let it = &items[item];
    let points = typical.points(&it.axes);
    let own = cost(&it.work) as f64;
    let Some(axis) = plan.axis_of(items, item, class) else { return points * own };
    if !fits_vectors(items, plan, item, class) {
        return points * own;
    }
    let size = typical.estimate(&it.axes[axis]);
    let rows = points / size;
    let vectors = (size / machine.lanes).ceil();
    let mut apart = 0.0;
    let batch = schedule.batch_of(items, plan, item);
    let gap = machine.apart * machine.lanes;
    // A product that is no part of chunks is there before, row by row if it does not follow who reads
    // it; another one has memory that is contiguous along the chunk.
    let is_whole = |it: usize| schedule.products.get(&it) == Some(&false);
    for view in &plan.reads[&item] {
        match view.source {
            Source::Memory(_) => {}
            Source::Item(it, _) if is_whole(it) && !schedule.is_turnable(items, plan, it) => {}
            Source::Item(..) | Source::Iota | Source::Same(_) => continue,
        }
        let last = view.map.len().wrapping_sub(1);
        let along = view.map.iter().enumerate();
        let along = along.filter(|(_, lin)| lin.terms.iter().any(|term| term.0 == axis));
        if along.clone().next().is_some() && !along.clone().all(|(at, _)| at == last) {
            // What does not vary along other axes is packed once, in a chunk of this class.
            let varies: BTreeSet<usize> = view.varies().collect();
            let others = (0..it.axes.len()).filter(|it| !varies.contains(it));
            let reuse: f64 = others.map(|axis| typical.estimate(&it.axes[axis])).product();
            let packed = schedule.batches.is_empty() || batch == Some(class);
            apart += gap / if packed { reuse.max(1.0) } else { 1.0 };
        }
    }
    let args = plan.reads[&item].iter().filter_map(item_of);
    let readers = plan.readers.get(&item).into_iter().flatten().copied();
    // What is needed as a whole is in order, whoever else reads it.
    let is_part = |it: &usize| schedule.products.get(it) == Some(&true);
    let is_free = |it: &usize| !plan.external.contains(it);
    if batch.is_some_and(|it| it != class) {
        let args = args.filter(is_free).filter(is_part).count();
        let readers = readers.clone().filter(|_| is_free(&item)).filter(is_part).count();
        apart += gap * (args + readers) as f64;
    }
    // The result is stored next to its neighbours only along its last axis.
    let in_order = plan.external.contains(&item) || readers.clone().any(is_whole);
    if in_order && it.out.last() != Some(&axis) && it.out.contains(&axis) {
        let stored: f64 = it.out.iter().map(|axis| typical.estimate(&it.axes[*axis])).product();
        apart += gap * stored / points;
    }
    let across = if it.out.contains(&axis) { 0.0 } else { machine.across * rows };
    rows * vectors * (own + apart) + across
}
