//! Scatters as items. One that goes to a row of its own from every point is no scatter but a choice:
//! `into[i, j] + v[i]` where `j` is the index, which is what a maximum leaves behind in a gradient. One that
//! goes to the same place from every point adds their sum, once.

use ir::{Prim, Reduction, Size};
use loops::{Atom, How};

use super::{Reading, Work};
use crate::view::{Lin, Source, View};

/// What is added, where, and whether.
struct Added {
    values: View,
    indices: Vec<View>,
    mask: Option<View>,
}

impl<'a> Reading<'_, 'a, '_> {
    /// The points of a scatter without a mask that goes to one place, if there may be none of them.
    pub(super) fn points_of_sum(&mut self, indices: &[ir::Atom]) -> Option<Vec<Size>> {
        let indices: Vec<View> = indices.iter().map(|it| self.arg(it)).collect();
        let may_be_none = |it: &Size| it.as_constant().is_none_or(|it| it <= 0);
        same_place(&indices).filter(|it| it.iter().any(may_be_none))
    }

    /// The target with what is added; `any` says whether there is a point, if [`Self::points_of_sum`] asks.
    pub(super) fn nest_scatter(
        &mut self,
        moment: usize,
        (into, values): (&ir::Atom, &ir::Atom),
        (indices, mask): (&[ir::Atom], Option<&ir::Atom>),
        any: Option<Atom>,
    ) -> View {
        let target = self.arg(into);
        let indices: Vec<View> = indices.iter().map(|it| self.arg(it)).collect();
        let values = self.arg(values);
        let mask = mask.map(|it| self.arg(it));
        if let Some(view) = self.choice(&target, &indices, &values, mask.as_ref()) {
            return view;
        }
        let Added { values, indices, mask } = self.summed(Added { values, indices, mask }, any);
        let last_read = self.is_last_read(&target.source, moment).then_some(moment);
        let readers = last_read.map(|it| self.done_before(&target.source, it)).unwrap_or_default();
        let n_indices = indices.len();
        let shape = indices.iter().chain(&mask).find(|it| !it.sizes.is_empty());
        let mut axes = shape.map_or(Vec::new(), |it| it.sizes.clone());
        axes.extend(target.sizes[n_indices..].iter().cloned());
        let (elem, sizes) = (target.elem.clone(), target.sizes.clone());
        let masked = mask.is_some();
        let args: Vec<View> = [values].into_iter().chain(indices).chain(mask).collect();
        let how = How::Add;
        let work = Work::Scatter { into: target, last_read, n_indices, masked, how };
        let view = self.push(work, axes, Vec::new(), args, elem.clone());
        let Source::Item(item, _) = view.source else { return view };
        self.items[item].whole.extend(readers);
        View::item(item, 0, &ir::Type::arrays(&sizes, elem))
    }

    /// The sum of what goes to the same place from every point, to be added if there is a point: only then
    /// the place has to be one. Each would wait for the one before otherwise, whom it finds in memory.
    fn summed(&mut self, added: Added, any: Option<Atom>) -> Added {
        let Added { values, indices, mask: None } = &added else { return added };
        let Some(points) = same_place(indices) else { return added };
        let (sizes, elem) = (values.sizes.clone(), values.elem.clone());
        let rest = (points.len()..sizes.len()).collect();
        let sum = Work::Reduce(Reduction::Sum);
        let sum = self.push(sum, sizes, rest, vec![values.clone()], elem);
        let once = vec![Size::constant(1)];
        let indices = indices.iter().map(|it| it.mapped(once.clone(), &Lin::axis)).collect();
        let mask = |it| View::same(it, &ir::Type::Bool).mapped(once.clone(), &Lin::axis);
        Added { values: sum.replicate(&once[0]), indices, mask: any.map(mask) }
    }

    fn choice(
        &mut self,
        into: &View,
        indices: &[View],
        values: &View,
        mask: Option<&View>,
    ) -> Option<View> {
        let shape = indices.iter().chain(mask).find(|it| !it.sizes.is_empty())?;
        let rank = shape.sizes.len();
        // For each axis of the points, which axis of the target it is.
        let mut own: Vec<Option<usize>> = vec![None; rank];
        let mut free = None;
        for (at, index) in indices.iter().enumerate() {
            let axis = match (&index.source, index.map.first().and_then(Lin::as_axis)) {
                (Source::Iota, Some(axis)) if index.dims[0] == into.sizes[at] => Some(axis),
                _ => None,
            };
            match axis {
                Some(axis) if own[axis].is_none() => own[axis] = Some(at),
                Some(_) | None => match free {
                    None => free = Some(at),
                    Some(_) => return None,
                },
            }
        }
        let own: Vec<usize> = own.into_iter().collect::<Option<_>>()?;
        let free = free?;
        if !self.is_position(&indices[free]) {
            return None;
        }
        let sizes: Vec<Size> = into.sizes.clone();
        let n = indices.len();
        let axis_of = |axis: usize| match own.get(axis) {
            Some(own) => Lin::axis(*own),
            None => Lin::axis(axis + n - rank),
        };
        let broadcast = |it: &View| it.mapped(sizes.clone(), &axis_of);
        let mut here = View::iota(&sizes[free]);
        here = here.mapped(sizes.clone(), &|_| Lin::axis(free));
        let index = broadcast(&indices[free]);
        let mut hit = self.push_prim(Prim::Eq, &sizes, vec![here, index], &ir::Type::Bool);
        if let Some(mask) = mask {
            let mask = broadcast(mask);
            hit = self.push_prim(Prim::And, &sizes, vec![hit, mask], &ir::Type::Bool);
        }
        let values = broadcast(values);
        let sum = self.push_prim(Prim::Add, &sizes, vec![into.clone(), values], &into.elem);
        Some(self.push_prim(Prim::Select, &sizes, vec![hit, sum, into.clone()], &into.elem))
    }
}

/// The points, if there may be several and all have the same indices.
fn same_place(indices: &[View]) -> Option<Vec<Size>> {
    let points = indices.iter().find(|it| !it.sizes.is_empty())?.sizes.clone();
    let is_one = points.iter().all(|it| it.as_constant() == Some(1));
    let is_same = indices.iter().all(|it| it.varies().next().is_none());
    (is_same && !is_one).then_some(points)
}
