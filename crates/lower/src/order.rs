//! Which loop is outside and which inside, and which one is done by vectors.

use std::collections::BTreeMap;

use crate::context::Lower;
use crate::plan::{Class, Plan};

impl Lower<'_, '_> {
    pub(crate) fn order(&self, plan: &mut Plan) {
        // Outer axes first: the average place in the domains.
        let mut places: BTreeMap<Class, (usize, usize)> = BTreeMap::new();
        for (item, _) in &plan.reads {
            for axis in 0..self.graph.items[*item].axes.len() {
                let sum = places.entry(plan.class(*item, axis)).or_default();
                *sum = (sum.0 + 16 * axis, sum.1 + 1);
            }
        }
        let mut order: Vec<(usize, Class)> =
            places.into_iter().map(|(class, (sum, n))| (sum / n.max(1), class)).collect();
        order.sort();
        plan.order = order.into_iter().map(|it| it.1).collect();
        plan.vector = plan.order.last().copied();
    }
}
