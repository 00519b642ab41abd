//! Results that show an item with its axes in another order, as the gradients of products of matrices
//! do: the item takes that order itself, so that nothing has to be moved in the end.

use super::{Item, Work, item_of};
use crate::context::{Lower, Operand};
use crate::view::View;

impl Lower<'_, '_> {
    /// Turns the items of results, and all that refers to them.
    pub(crate) fn turn_results(&mut self, results: &mut [View]) {
        for at in 0..results.len() {
            let Some(item) = item_of(&results[at]).filter(|it| *it >= self.graph.n_done) else {
                continue;
            };
            let n_times = results.iter().filter(|it| item_of(it) == Some(item)).count();
            let is_whole = self.graph.items.iter().any(|it| it.whole.contains(&item));
            let can = n_times == 1 && !is_whole && can_turn(&self.graph.items[item]);
            let Some(order) = order(&results[at]).filter(|_| can) else { continue };
            let it = &mut self.graph.items[item];
            it.out = order.iter().map(|from| it.out[*from]).collect();
            let turn = |view: &mut View| turn(view, item, &order);
            results.iter_mut().for_each(turn);
            for it in &mut self.graph.items {
                it.args.iter_mut().for_each(turn);
                if let Work::Gather { array, .. } | Work::Scatter { into: array, .. } = &mut it.work
                {
                    turn(array);
                }
            }
            for value in self.values.values_mut() {
                if let Operand::Array(view) = value {
                    turn(view);
                }
            }
        }
    }
}

/// Whether its elements are computed one by one.
fn can_turn(item: &Item<'_>) -> bool {
    match item.work {
        Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => true,
        Work::Product(_) => true,
        Work::Scatter { .. } | Work::Rows { .. } | Work::Flow(_) => false,
    }
}

/// If a view shows the axes of its source in another order: for each of its own axes, which one it is.
fn order(view: &View) -> Option<Vec<usize>> {
    let axes: Option<Vec<usize>> = view.map.iter().map(|it| it.as_axis()).collect();
    let axes = axes.filter(|it| it.len() == view.sizes.len())?;
    let from = |own: usize| axes.iter().position(|it| *it == own);
    let order: Option<Vec<usize>> = (0..axes.len()).map(from).collect();
    order.filter(|it| !it.is_sorted())
}

/// Has a view of the item follow, whose axes are in another order now.
fn turn(view: &mut View, item: usize, order: &[usize]) {
    if item_of(view) == Some(item) {
        view.map = order.iter().map(|from| view.map[*from].clone()).collect();
        view.dims = order.iter().map(|from| view.dims[*from].clone()).collect();
    }
}
