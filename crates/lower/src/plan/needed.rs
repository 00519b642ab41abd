//! Which items are done at all: what somebody reads, and what may end the run.

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use loops::How;

use crate::items::{Items, Work, fails, item_of};

/// The items that somebody reads, or that end the run if something is wrong; what nobody reads any more
/// was put into a product. With the places in the source of checks that are those of another item.
pub(super) fn needed(
    items: &Items<'_>,
    external: &BTreeSet<usize>,
) -> (BTreeSet<usize>, BTreeMap<usize, Option<Span>>) {
    let mut res = BTreeSet::new();
    let open = (0..items.all.len()).filter(|item| match items[*item].work {
        Work::Scatter { .. } | Work::Flow(_) => true,
        Work::Prim(_)
        | Work::Copy
        | Work::Gather { .. }
        | Work::Reduce(_)
        | Work::Rows { .. }
        | Work::Product(_) => external.contains(item) || fails_alone(items, *item),
    });
    open.for_each(|it| with_needs(items, it, &mut res));
    // A gather that nobody reads is there for its check: once is enough, in its name if it is first.
    let mut blamed = BTreeMap::new();
    for item in 0..items.all.len() {
        if !matches!(items[item].work, Work::Gather { .. }) || res.contains(&item) {
            continue;
        }
        match res.iter().copied().find(|it| check_alike(items, *it, item)) {
            Some(other) if item < other => {
                blamed.entry(other).or_insert(items[item].span);
            }
            Some(_) => {}
            None => with_needs(items, item, &mut res),
        }
    }
    (res, blamed)
}

/// Adds an item and all it needs.
fn with_needs(items: &Items<'_>, item: usize, into: &mut BTreeSet<usize>) {
    let mut open = vec![item];
    while let Some(item) = open.pop() {
        if into.insert(item) {
            open.extend(items[item].args.iter().filter_map(item_of));
            open.extend(items[item].whole.iter().copied());
        }
    }
}

/// Whether two items fail at the same indices.
fn check_alike(items: &Items<'_>, x: usize, y: usize) -> bool {
    let checks = |item: usize| {
        let it = &items[item];
        let (array, args, n_indices) = match &it.work {
            Work::Gather { array, n_indices, .. } => (array, &it.args[..], *n_indices),
            Work::Scatter { how: How::Set, .. } => return None,
            Work::Scatter { into, n_indices, .. } => (into, &it.args[1..], *n_indices),
            Work::Prim(_) | Work::Copy | Work::Reduce(_) => return None,
            Work::Rows { .. } | Work::Product(_) | Work::Flow(_) => return None,
        };
        Some((&it.axes, args, &array.sizes[..n_indices]))
    };
    checks(x).is_some_and(|it| checks(y) == Some(it))
}

/// Whether an item may end the run, so that it is done even if nobody reads it.
fn fails_alone(items: &Items<'_>, item: usize) -> bool {
    let it = &items[item];
    matches!(it.work, Work::Prim(prim) if fails(prim, &it.elem))
}
