//! Which loop is outside and which inside.

use std::collections::{BTreeMap, BTreeSet};

use super::{Given, Schedule};
use crate::plan::Class;
use crate::tuning::INNERMOST;

/// The classes from the outermost loop to the innermost: loops around kernels and chunks outside, vectors and
/// what is added up inside, small loops innermost.
pub(super) fn order(given: Given<'_, '_>, schedule: &Schedule) -> Vec<Class> {
    let Given { items, plan, .. } = given;
    let mut outer: BTreeSet<Class> = BTreeSet::new();
    let mut reduced: BTreeSet<Class> = BTreeSet::new();
    // Outer axes first: the average place in the domains.
    let mut places: BTreeMap<Class, (usize, usize)> = BTreeMap::new();
    for item in plan.reads.keys() {
        let it = &items[*item];
        for axis in 0..it.axes.len() {
            let class = plan.class(*item, axis);
            let sum = places.entry(class).or_default();
            *sum = (sum.0 + 16 * axis, sum.1 + 1);
            if !it.out.contains(&axis) {
                reduced.insert(class);
            }
        }
        if schedule.products.contains_key(item) {
            outer.extend(schedule.domain(items, plan, *item));
        }
    }
    let key = |class: Class| -> usize {
        let small = plan.sizes[&class].as_constant().is_some_and(|it| it <= INNERMOST);
        let vector = schedule.vectors.contains(&class);
        if outer.contains(&class) {
            1
        } else if schedule.batches.contains(&class) && !vector {
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
    let mut order: Vec<(usize, usize, Class)> =
        places.iter().map(|(class, (sum, n))| (key(*class), sum / (*n).max(1), *class)).collect();
    order.sort();
    order.into_iter().map(|it| it.2).collect()
}
