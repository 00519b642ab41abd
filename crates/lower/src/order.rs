//! Which loop is outside and which inside, and which ones are done by vectors.
//!
//! Both follow from an estimate of the work, with typical sizes where no number is known. A class is
//! better for vectors the more elements are next to each other along it, the fewer lanes are left
//! over, and the less is added up along it, since lanes have to be added up in the end.

use std::collections::{BTreeMap, BTreeSet};

use ir::Size;

use crate::context::Lower;
use crate::graph::{Work, item_of};
use crate::plan::{Class, Plan};
use crate::tuning::{ACROSS, APART, CROWDED, LANES, LATER, LEAST_CHUNKED};
use crate::typical::guess;
use crate::view::Source;

/// About what an item costs at a point, in operations.
pub(crate) fn cost(work: &Work<'_>) -> i64 {
    match work {
        Work::Prim(prim) => prim.row().cost,
        Work::Copy | Work::Reduce(_) | Work::Rows { .. } => 1,
        Work::Gather { .. } => 6,
        Work::Scatter { .. } => 8,
        Work::Product(_) => 2,
        Work::Flow(_) => 1,
    }
}

impl Lower<'_, '_> {
    /// About how great a size is.
    pub(crate) fn estimate(&self, size: &Size) -> f64 {
        guess(size, &self.typical)
    }

    pub(crate) fn order(&self, plan: &mut Plan) {
        self.choose_batches(plan);
        for item in plan.reads.keys() {
            if let Work::Product(product) = self.graph.items[*item].work {
                let chunked = self.is_chunked_product(plan, *item, product);
                plan.products.insert(*item, chunked);
            }
        }
        self.choose_vectors(plan);
        let mut outer: BTreeSet<Class> = BTreeSet::new();
        let mut reduced: BTreeSet<Class> = BTreeSet::new();
        // Outer axes first: the average place in the domains.
        let mut places: BTreeMap<Class, (usize, usize)> = BTreeMap::new();
        for item in plan.reads.keys() {
            let it = &self.graph.items[*item];
            for axis in 0..it.axes.len() {
                let class = plan.class(*item, axis);
                let sum = places.entry(class).or_default();
                *sum = (sum.0 + 16 * axis, sum.1 + 1);
                if !it.out.contains(&axis) {
                    reduced.insert(class);
                }
            }
            if plan.products.contains_key(item) {
                outer.extend(plan.domain(&self.graph, *item));
            }
        }
        let batch = plan.batches.clone();
        let key = |class: Class| -> usize {
            let small = plan.sizes[&class].as_constant().is_some_and(|it| it <= 8);
            let vector = plan.vectors.contains(&class);
            if outer.contains(&class) {
                1
            } else if batch.contains(&class) && !vector {
                0
            } else if small && !vector {
                5
            } else if vector {
                3
            } else if reduced.contains(&class) {
                4
            } else {
                2
            }
        };
        let mut order: Vec<(usize, usize, Class)> = places
            .iter()
            .map(|(class, (sum, n))| (key(*class), sum / (*n).max(1), *class))
            .collect();
        order.sort();
        plan.order = order.into_iter().map(|it| it.2).collect();
    }

    /// The classes whose loops run in chunks: those that most of the work has, and over which little
    /// is added up that is needed for the next step.
    fn choose_batches(&self, plan: &mut Plan) {
        let mut open: Vec<usize> = plan.reads.keys().copied().collect();
        open.retain(|it| !self.graph.items[*it].axes.is_empty());
        open.retain(|it| match self.graph.items[*it].work {
            Work::Scatter { .. } => self.is_crowded(*it),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => true,
            Work::Rows { .. } | Work::Product(_) | Work::Flow(_) => true,
        });
        let total: f64 = open.iter().map(|it| self.all_work(*it)).sum();
        // Inside of a loop most arrays are small, and there may be many steps.
        if self.n_loops > 0 && total < 100_000.0 {
            return;
        }
        // With sizes known, little work is not worth the while.
        let least = if self.sizes_known() { LEAST_CHUNKED } else { 0.0 };
        loop {
            let mut weights: BTreeMap<Class, f64> = BTreeMap::new();
            for item in &open {
                let it = &self.graph.items[*item];
                for axis in 0..it.axes.len() {
                    let size = self.estimate(&it.axes[axis]);
                    let class = plan.class(*item, axis);
                    let place = 1.0 / (1.0 + 0.1 * axis as f64);
                    let weight = self.all_work(*item) * (1.0 + size).ln() * place;
                    *weights.entry(class).or_default() += weight;
                    if !it.out.contains(&axis) && self.read_again(plan, *item, class) {
                        *weights.entry(class).or_default() -= 4.0 * weight;
                    }
                }
            }
            weights.retain(|class, _| plan.sizes[class].as_constant().is_none_or(|it| it >= 64));
            let best = weights.iter().max_by(|x, y| x.1.total_cmp(y.1)).map(|it| *it.0);
            let Some(best) = best else { break };
            let own = open.iter().filter(|it| plan.whole_domain(&self.graph, **it).contains(&best));
            if own.map(|it| self.all_work(*it)).sum::<f64>() >= least {
                plan.batches.push(best);
            }
            open.retain(|it| !plan.whole_domain(&self.graph, *it).contains(&best));
        }
    }

    /// Whether a scatter adds so much to each element that tasks have a copy of all of them each.
    pub(crate) fn is_crowded(&self, item: usize) -> bool {
        let it = &self.graph.items[item];
        let Work::Scatter { into, .. } = &it.work else { return false };
        let size = |sizes: &[Size]| sizes.iter().map(|it| self.estimate(it)).product::<f64>();
        self.sizes_known() && size(&it.axes) >= CROWDED * size(&into.sizes)
    }

    /// Whether the sizes of the definition are more than a guess.
    fn sizes_known(&self) -> bool {
        self.def.size_params.iter().all(|it| self.typical.contains_key(it))
    }

    fn all_work(&self, item: usize) -> f64 {
        let it = &self.graph.items[item];
        let points: f64 = it.axes.iter().map(|it| self.estimate(it)).product();
        points * cost(&it.work) as f64
    }

    /// Whether something with a loop over a class needs an item.
    fn read_again(&self, plan: &Plan, item: usize, class: Class) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![item];
        while let Some(item) = open.pop() {
            for reader in plan.readers.get(&item).into_iter().flatten() {
                if seen.insert(*reader) {
                    if plan.whole_domain(&self.graph, *reader).contains(&class) {
                        return true;
                    }
                    open.push(*reader);
                }
            }
        }
        false
    }

    /// The classes that are done by vectors, the most important one first.
    fn choose_vectors(&self, plan: &mut Plan) {
        let mut open: Vec<usize> = plan.reads.keys().copied().collect();
        open.retain(|it| !self.graph.items[*it].axes.is_empty());
        open.retain(|it| !matches!(self.graph.items[*it].work, Work::Product(_)));
        loop {
            let mut classes: BTreeSet<Class> = BTreeSet::new();
            open.iter().for_each(|it| classes.extend(plan.domain(&self.graph, *it)));
            // What items cost that do not have a class is up to others: they count by the best.
            let least = |item: usize| {
                let own = plan.domain(&self.graph, item).into_iter();
                own.map(|it| self.cost_by(plan, item, it)).min_by(f64::total_cmp).unwrap_or(0.0)
            };
            let least: Vec<f64> = open.iter().map(|it| least(*it)).collect();
            // The cost above the best; then what is not covered.
            let cost = |class: &Class| -> (f64, f64) {
                let (mut more, mut left) = (0.0, 0.0);
                for (item, least) in open.iter().zip(&least) {
                    match plan.domain(&self.graph, *item).contains(class) {
                        true => more += self.cost_by(plan, *item, *class) - least,
                        false => left += least,
                    }
                }
                (more + LATER * left, left)
            };
            let by_cost = |x: &((f64, f64), Class), y: &((f64, f64), Class)| {
                x.0.0.total_cmp(&y.0.0).then(x.0.1.total_cmp(&y.0.1))
            };
            let Some((_, best)) = classes.iter().map(|it| (cost(it), *it)).min_by(by_cost) else {
                break;
            };
            plan.vectors.push(best);
            open.retain(|it| !plan.domain(&self.graph, *it).contains(&best));
        }
    }

    /// The work of an item if a class is done by vectors.
    fn cost_by(&self, plan: &Plan, item: usize, class: Class) -> f64 {
        let it = &self.graph.items[item];
        let points: f64 = it.axes.iter().map(|it| self.estimate(it)).product();
        let own = cost(&it.work) as f64;
        let axis = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == class);
        let Some(axis) = axis else { return points * own };
        if !self.fits_vectors(plan, item, class) {
            return points * own;
        }
        let size = self.estimate(&it.axes[axis]);
        let rows = points / size;
        let vectors = (size / LANES).ceil();
        let mut apart = 0.0;
        let batch = plan.batch_of(&self.graph, item);
        // A product that is no part of chunks is there before, row by row if it does not follow who reads
        // it; another one has memory that is contiguous along the chunk.
        let is_whole = |it: usize| plan.products.get(&it) == Some(&false);
        for view in &plan.reads[&item] {
            match view.source {
                Source::Memory(_) => {}
                Source::Item(it, _) if is_whole(it) && !self.is_turnable(plan, it) => {}
                Source::Item(..) | Source::Iota | Source::Same(_) => continue,
            }
            let last = view.map.len().wrapping_sub(1);
            let along = view.map.iter().enumerate();
            let along = along.filter(|(_, lin)| lin.terms.iter().any(|term| term.0 == axis));
            if along.clone().next().is_some() && !along.clone().all(|(at, _)| at == last) {
                // What does not vary along other axes is packed once, in a chunk of this class.
                let varies: BTreeSet<usize> = view.varies().collect();
                let others = (0..it.axes.len()).filter(|it| !varies.contains(it));
                let reuse: f64 = others.map(|axis| self.estimate(&it.axes[axis])).product();
                let packed = plan.batches.is_empty() || batch == Some(class);
                apart += APART * LANES / if packed { reuse.max(1.0) } else { 1.0 };
            }
        }
        let args = plan.reads[&item].iter().filter_map(item_of);
        let readers = plan.readers.get(&item).into_iter().flatten().copied();
        // What is needed as a whole is in order, whoever else reads it.
        let is_part = |it: &usize| plan.products.get(it) == Some(&true);
        let is_free = |it: &usize| !plan.external.contains(it);
        if batch.is_some_and(|it| it != class) {
            let args = args.filter(is_free).filter(is_part).count();
            let readers = readers.clone().filter(|_| is_free(&item)).filter(is_part).count();
            apart += APART * LANES * (args + readers) as f64;
        }
        // The result is stored next to its neighbours only along its last axis.
        let in_order = plan.external.contains(&item) || readers.clone().any(is_whole);
        if in_order && it.out.last() != Some(&axis) && it.out.contains(&axis) {
            let stored: f64 = it.out.iter().map(|axis| self.estimate(&it.axes[*axis])).product();
            apart += APART * LANES * stored / points;
        }
        let across = if it.out.contains(&axis) { 0.0 } else { ACROSS * rows };
        rows * vectors * (own + apart) + across
    }
}
