//! What vectors read with gaps, again and again, is brought into order once.
//!
//! In a chunk, `x[i, j] - m[k, j]` with vectors along `i` would read `x` with gaps for every `k`. A copy
//! of the part of `x` that the chunk needs, contiguous along `i`, is made for all `k`.

use std::collections::{BTreeMap, BTreeSet};

use ir::Size;

use super::{Given, Schedule};
use crate::items::{Items, Work};
use crate::view::{Lin, Source, View};

/// An argument that is copied first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packed {
    /// Whose argument it is.
    pub(crate) item: usize,
    /// Which one.
    pub(crate) arg: usize,
    /// The axes of the item that the copy has.
    pub(crate) axes: Vec<usize>,
}

/// What is packed under a schedule.
pub(crate) fn packed(given: Given<'_, '_>, schedule: &Schedule) -> Vec<Packed> {
    let args = |item: usize| (0..given.items[item].args.len()).map(move |arg| (item, arg));
    let all = given.plan.computed().into_iter().flat_map(args);
    all.filter_map(|(item, arg)| {
        axes_of_copy(given, schedule, item, arg).map(|axes| Packed { item, arg, axes })
    })
    .collect()
}

fn axes_of_copy(
    given: Given<'_, '_>,
    schedule: &Schedule,
    item: usize,
    arg: usize,
) -> Option<Vec<usize>> {
    let Given { items, plan, typical, machine, .. } = given;
    let it = &items[item];
    if let Work::Product(_) | Work::Copy | Work::Scatter { .. } = it.work {
        return None;
    }
    let batch = schedule.batch_of(items, plan, item)?;
    let vector = schedule.vector_of(items, plan, item)?;
    let axis = plan.axis_of(items, item, vector)?;
    let view = &it.args[arg];
    let Source::Memory(_) = view.source else { return None };
    let along = |lin: &Lin| lin.terms.iter().any(|term| term.0 == axis);
    let gaps = view.map.iter().rev().skip(1).any(along);
    let varies: BTreeSet<usize> = view.varies().collect();
    let others = (0..it.axes.len()).filter(|axis| !varies.contains(axis));
    let often: f64 = others.map(|axis| typical.estimate(&it.axes[axis])).product();
    let pays = batch == vector && gaps && often >= machine.packed_reads;
    pays.then(|| varies.into_iter().collect())
}

/// The items with copies of what is packed, which are items of their own.
pub(crate) fn with_copies<'a>(mut items: Items<'a>, packed: &[Packed]) -> Items<'a> {
    for Packed { item, arg, axes } in packed {
        let all = items[*item].axes.clone();
        let view = items[*item].args[*arg].clone();
        let sizes: Vec<Size> = axes.iter().map(|axis| all[*axis].clone()).collect();
        let place: BTreeMap<usize, usize> = axes.iter().copied().zip(0..).collect();
        let own = view.mapped(sizes.clone(), &|axis| Lin::axis(place[&axis]));
        let (work, out) = ((Work::Copy, view.elem.clone()), (0..sizes.len()).collect());
        let copy: View = items.push(work, sizes, out, vec![own], None);
        items[*item].args[*arg] = copy.mapped(all, &|at| Lin::axis(axes[at]));
    }
    items
}
