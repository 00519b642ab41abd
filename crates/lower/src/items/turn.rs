//! Results that show an item with its axes in another order, as the gradients of products of matrices
//! do: the item takes that order itself, so that nothing has to be moved in the end.

use super::{Item, Items, Work, item_of};
use crate::view::View;

impl Items<'_> {
    /// Turns the items of results, and all that refers to them.
    pub(crate) fn turn_results(&mut self) {
        for at in 0..self.results.len() {
            let Some(item) = item_of(&self.results[at]) else { continue };
            let n_times = self.results.iter().filter(|it| item_of(it) == Some(item)).count();
            let is_whole = self.all.iter().any(|it| it.whole.contains(&item));
            let can = n_times == 1 && !is_whole && can_turn(&self[item]);
            let Some(order) = order(&self.results[at]).filter(|_| can) else { continue };
            let it = &mut self[item];
            it.out = order.iter().map(|from| it.out[*from]).collect();
            let turn = |view: &mut View| turn(view, item, &order);
            self.results.iter_mut().for_each(turn);
            for it in &mut self.all {
                it.args.iter_mut().for_each(turn);
                if let Work::Gather { array, .. } | Work::Scatter { into: array, .. } = &mut it.work
                {
                    turn(array);
                }
            }
            self.names.values_mut().for_each(turn);
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
