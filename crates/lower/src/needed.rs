//! Which items are done at all: what somebody reads, and what may end the run.

use std::collections::BTreeSet;

use ir::Prim;

use crate::context::Lower;
use crate::graph::{Graph, Work, item_of};
use crate::plan::Plan;

impl Lower<'_, '_> {
    /// The items that somebody reads, or that end the run if something is wrong. What nobody reads
    /// any more was put into a product.
    pub(crate) fn needed(&self, plan: &mut Plan) -> BTreeSet<usize> {
        let graph = &self.graph;
        let items = graph.n_done..graph.items.len();
        let mut res = BTreeSet::new();
        let open = items.clone().filter(|item| match graph.items[*item].work {
            Work::Scatter { .. } | Work::Flow(_) => true,
            Work::Prim(_)
            | Work::Copy
            | Work::Gather { .. }
            | Work::Reduce(_)
            | Work::Rows { .. }
            | Work::Product(_) => plan.external.contains(item) || fails_alone(graph, *item),
        });
        open.for_each(|it| self.with_needs(it, &mut res));
        // A gather that nobody reads is there for its check: once is enough, in its name if it is first.
        for item in items.filter(|it| matches!(graph.items[*it].work, Work::Gather { .. })) {
            if res.contains(&item) {
                continue;
            }
            match res.iter().copied().find(|it| self.checks_alike(*it, item)) {
                Some(other) if item < other => {
                    plan.blamed.entry(other).or_insert(graph.items[item].span);
                }
                Some(_) => {}
                None => self.with_needs(item, &mut res),
            }
        }
        res
    }

    /// Adds an item and all it needs.
    fn with_needs(&self, item: usize, into: &mut BTreeSet<usize>) {
        let graph = &self.graph;
        let mut open = vec![item];
        while let Some(item) = open.pop() {
            if item >= graph.n_done && into.insert(item) {
                open.extend(graph.items[item].args.iter().filter_map(item_of));
                open.extend(graph.items[item].whole.iter().copied());
            }
        }
    }

    /// Whether two items fail at the same indices.
    fn checks_alike(&self, x: usize, y: usize) -> bool {
        let checks = |item: usize| {
            let it = &self.graph.items[item];
            let (array, args, n_indices) = match &it.work {
                Work::Gather { array, n_indices, .. } => (array, &it.args[..], *n_indices),
                Work::Scatter { into, n_indices, .. } => (into, &it.args[1..], *n_indices),
                Work::Prim(_) | Work::Copy | Work::Reduce(_) => return None,
                Work::Rows { .. } | Work::Product(_) | Work::Flow(_) => return None,
            };
            Some((&it.axes, args, &array.sizes[..n_indices]))
        };
        checks(x).is_some_and(|it| checks(y) == Some(it))
    }
}

/// Whether an item may end the run, so that it is done even if nobody reads it.
fn fails_alone(graph: &Graph<'_>, item: usize) -> bool {
    let it = &graph.items[item];
    matches!(it.work, Work::Prim(Prim::Div | Prim::Rem | Prim::Pow)) && it.elem == ir::Type::Int
}
