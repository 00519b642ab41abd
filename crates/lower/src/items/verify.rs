//! What items satisfy.
//!
//! 1. What an item reads are views of its domain, whose indices are axes of it, one for each axis of the
//!    source.
//! 2. An item reads items before it, or copies of memory; only statements that are no nests have more
//!    results than one.
//! 3. What it gives are axes of its domain, none twice; what is no sum gives them all.
//! 4. It has as many arguments as its work needs; the axes of a product of matrices are three.
//! 5. Statements that are no nests keep their order.
//! 6. Names, results and memory are of items that exist.
//! 7. What comes before all items reads none of them.

use super::{Before, Early, Item, Items, Work};
use crate::view::{Source, View};

type Verified = Result<(), String>;

impl Items<'_> {
    /// Whether items are as they must be; else the first thing that is not.
    pub(crate) fn verify(&self) -> Verified {
        for it in &self.before {
            if let Before::Is(_, Early::Element(View { source: Source::Item(item, _), .. })) = it {
                return Err(format!("i{item} is read before all items"));
            }
        }
        let mut last_flow = None;
        for (number, item) in self.all.iter().enumerate() {
            let failed = |it: String| format!("i{number}: {it}");
            self.item(number, item).map_err(failed)?;
            if let Work::Flow(_) = item.work {
                if last_flow.is_some_and(|it| !item.whole.contains(&it)) {
                    return Err(failed("it may come before the statement before it".into()));
                }
                last_flow = Some(number);
            }
        }
        self.names.values().chain(&self.results).try_for_each(|it| self.view(it))?;
        let room = self.room.flows.keys().map(|it| it.0).chain(self.room.nests.keys().copied());
        match room.into_iter().find(|it| *it >= self.all.len()) {
            Some(item) => Err(format!("there is memory for i{item}, which does not exist")),
            None => Ok(()),
        }
    }

    fn item(&self, number: usize, it: &Item<'_>) -> Verified {
        let rank = it.axes.len();
        let twice = |at: usize| it.out[..at].contains(&it.out[at]);
        if it.out.iter().any(|it| *it >= rank) || (0..it.out.len()).any(twice) {
            return Err("it gives other axes than those of its domain".into());
        }
        for arg in &it.args {
            self.view(arg)?;
            if arg.sizes != it.axes {
                return Err(format!("{arg} is no view of its domain"));
            }
        }
        let arrays = match &it.work {
            Work::Gather { array, .. } | Work::Scatter { into: array, .. } => Some(array),
            Work::Prim(_) | Work::Copy | Work::Reduce(_) | Work::Product(_) => None,
            Work::Rows { .. } | Work::Flow(_) => None,
        };
        arrays.into_iter().try_for_each(|it| self.view(it))?;
        let views = it.args.iter().chain(arrays);
        let read = views.filter_map(super::item_of).chain(it.whole.iter().copied());
        let is_copy = |it: usize| matches!(self.all[it].work, Work::Copy);
        if let Some(later) = read.into_iter().find(|it| *it >= number && !is_copy(*it)) {
            return Err(format!("it reads i{later}, which comes later"));
        }
        self.work(it)
    }

    /// Whether the arguments are what the work needs.
    fn work(&self, it: &Item<'_>) -> Verified {
        let gives_all = it.out.len() == it.axes.len();
        let (n_args, gives) = match &it.work {
            Work::Prim(_) => (it.args.len(), gives_all),
            Work::Copy => (1, gives_all),
            Work::Gather { n_indices, masked, .. } => (n_indices + usize::from(*masked), gives_all),
            Work::Reduce(_) => (1, !gives_all),
            Work::Scatter { n_indices, masked, .. } => {
                (1 + n_indices + usize::from(*masked), it.out.is_empty())
            }
            Work::Product(product) => {
                let [left, right, inner] = product.axes();
                let given = |axis| it.out.contains(&axis);
                (2, left != right && given(left) && given(right) && !given(inner))
            }
            Work::Rows { .. } => (it.args.len(), it.out.is_empty()),
            Work::Flow(_) => (0, it.axes.is_empty()),
        };
        match () {
            () if it.args.len() != n_args => Err(format!("it needs {n_args} arguments")),
            () if !gives => Err("what it gives does not fit what it does".into()),
            () => Ok(()),
        }
    }

    fn view(&self, view: &View) -> Verified {
        let rank = match view.source {
            Source::Memory(_) => view.dims.len(),
            Source::Iota => 1,
            Source::Same(_) => 0,
            Source::Item(item, result) => match self.all.get(item) {
                None => return Err(format!("{view} is of an item that does not exist")),
                Some(it) => match it.work {
                    Work::Flow(_) | Work::Scatter { .. } | Work::Rows { .. } => view.dims.len(),
                    _ if result != 0 => return Err(format!("{view} is no result")),
                    Work::Prim(_) | Work::Copy | Work::Gather { .. } => it.out.len(),
                    Work::Reduce(_) | Work::Product(_) => it.out.len(),
                },
            },
        };
        if view.map.len() != rank || view.varies().any(|it| it >= view.sizes.len()) {
            return Err(format!("{view} has other indices than its source has axes"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::items::{Before, Early, Work};
    use crate::stretch::tests::wrong;
    use crate::view::{Lin, Source, View};

    #[test]
    fn arguments_are_views_of_the_domain() {
        wrong(
            |it| it.items[0].args[0].sizes.clear(),
            "items: i0: @x2[a, b] has other indices than its source has axes",
        );
        wrong(|it| it.items[0].axes.swap(0, 1), "items: i0: @x2[a, b] is no view of its domain");
        wrong(
            |it| it.items[1].args[1].map.push(Lin::axis(0)),
            "items: i1: i0[a, a] has other indices than its source has axes",
        );
    }

    #[test]
    fn items_read_earlier_ones() {
        wrong(
            |it| it.items[0].args[0].source = Source::Item(1, 0),
            "items: i0: it reads i1, which comes later",
        );
        wrong(
            |it| it.items[1].args[1].source = Source::Item(9, 0),
            "items: i1: i9[a] is of an item that does not exist",
        );
        wrong(
            |it| it.items[1].args[1].source = Source::Item(0, 1),
            "items: i1: i0.1[a] is no result",
        );
    }

    #[test]
    fn items_give_what_they_do() {
        wrong(
            |it| it.items[1].out = vec![0, 0],
            "items: i1: it gives other axes than those of its domain",
        );
        wrong(
            |it| it.items[0].out = vec![0, 1],
            "items: i0: what it gives does not fit what it does",
        );
        wrong(|it| it.items[1].work = Work::Copy, "items: i1: it needs 1 arguments");
    }

    #[test]
    fn memory_is_of_items() {
        let memory =
            |it: &mut crate::stretch::Stretch<'_>| it.items.room.nests.insert(7, loops::Var(0));
        wrong(|it| _ = memory(it), "items: there is memory for i7, which does not exist");
    }

    #[test]
    fn scalars_before_are_of_what_is_there() {
        let element = Early::Element(View::item(1, 0, &ir::Type::Real));
        let before = Before::Is(loops::Var(9), element);
        wrong(|it| it.items.before.push(before), "items: i1 is read before all items");
    }
}
