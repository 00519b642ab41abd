//! Which items count on one side of a test of two indices only.
//!
//! A sum under `c < r` becomes a triangle, of half of the points (`split.rs`), unless the lanes of vectors are along
//! `c` or `r`: those go through whole rows, under a mask.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Prim, Reduction};
use loops::Atom;

use super::Given;
use crate::items::{Work, item_of};
use crate::plan::Class;
use crate::view::Source;

/// The items that are 0 on one side of a test of two indices, or are read on the other side only, each with the
/// classes of the two.
pub(super) fn triangles(given: Given<'_, '_>) -> BTreeMap<usize, [Class; 2]> {
    let Given { items, plan, .. } = given;
    let mut res: BTreeMap<usize, [Class; 2]> = BTreeMap::new();
    for item in plan.computed() {
        let of = |it: &usize| res.get(it).copied();
        let mut sources = plan.reads[&item].iter().filter_map(item_of);
        let found = match items[item].work {
            Work::Prim(Prim::Select) => tested(given, item),
            // A product that is 0 if a factor is.
            Work::Prim(Prim::Scale) => sources.find_map(|it| of(&it)),
            Work::Reduce(Reduction::Sum) => sources.find_map(|it| of(&it)),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => None,
            Work::Scatter { .. } | Work::Product(_) | Work::Rows { .. } | Work::Flow(_) => None,
        };
        if let Some(found) = found.filter(|it| has_both(given, item, it)) {
            res.insert(item, found);
        }
    }
    for item in plan.computed().into_iter().rev() {
        let readers = plan.readers.get(&item).into_iter().flatten();
        let found: BTreeSet<_> = readers.map(|it| res.get(it).copied()).collect();
        if let (Some(Some(found)), 1) = (found.first().copied(), found.len())
            && !plan.external.contains(&item)
            && has_both(given, item, &found)
        {
            res.entry(item).or_insert(found);
        }
    }
    res
}

fn has_both(given: Given<'_, '_>, item: usize, classes: &[Class; 2]) -> bool {
    let domain = given.plan.whole_domain(given.items, item);
    classes.iter().all(|it| domain.contains(it))
}

/// The classes of the two indices that a choice between something and 0 compares.
fn tested(given: Given<'_, '_>, item: usize) -> Option<[Class; 2]> {
    let Given { items, plan, .. } = given;
    let it = &items[item];
    let [cond, yes, no] = it.args.as_slice() else { return None };
    let is_zero = |source: &Source| matches!(source, Source::Same(Atom::Real(0.0)));
    let test = item_of(cond).filter(|_| is_zero(&yes.source) || is_zero(&no.source))?;
    let compares = |prim| matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge);
    let Work::Prim(prim) = items[test].work else { return None };
    if !compares(prim) {
        return None;
    }
    let class = |at: usize| {
        let index = &items[test].args[at];
        let axis = index.map.first()?.as_axis().filter(|_| index.source == Source::Iota)?;
        let place = items[test].out.iter().position(|it| *it == axis)?;
        Some(plan.class(item, cond.map.get(place)?.as_axis()?))
    };
    Some([class(0)?, class(1)?]).filter(|it| it[0] != it[1])
}
