//! Contractions: a sum of products of two arrays over an axis that both have, where each has an axis
//! that the other has not, is a product of matrices for every index of what they share.

use std::collections::BTreeSet;

use ir::{Prim, Reduction};

use crate::items::{Items, Product, Work, item_of};
use crate::tuning::{LEAST_PRODUCT, THIN_PRODUCT};
use crate::typical::Typical;
use crate::view::{Source, View};

/// The items with sums of products as items of their own.
pub(crate) fn with_products<'a>(mut items: Items<'a>, typical: &Typical) -> Items<'a> {
    for item in 0..items.all.len() {
        if let Some((product, args)) = as_product(&items, typical, item) {
            let it = &mut items[item];
            (it.work, it.args) = (Work::Product(product), args);
        }
    }
    items
}

fn as_product(items: &Items<'_>, typical: &Typical, item: usize) -> Option<(Product, Vec<View>)> {
    let it = &items[item];
    let (Work::Reduce(Reduction::Sum), [view]) = (&it.work, it.args.as_slice()) else {
        return None;
    };
    let source = item_of(view)?;
    let scaled = match items[source].work {
        Work::Prim(Prim::Mul) => false,
        Work::Prim(Prim::Scale) => true,
        Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => return None,
        Work::Scatter { .. } | Work::Flow(_) | Work::Product(_) => return None,
        Work::Rows { .. } => return None,
    };
    if it.elem != ir::Type::Real || times_read(items, source) != 1 {
        return None;
    }
    let args = items.through(source, view);
    let [a, b] = args.as_slice() else { return None };
    let inner = (0..it.axes.len()).find(|axis| !it.out.contains(axis))?;
    let own = |view: &View| view.varies().collect::<BTreeSet<usize>>();
    let (in_a, in_b) = (own(a), own(b));
    let size = |axis: usize| typical.estimate(&it.axes[axis]);
    let side = |own: &BTreeSet<usize>, other: &BTreeSet<usize>| {
        let only = own.difference(other).filter(|axis| it.out.contains(axis));
        only.copied().max_by(|x, y| size(*x).total_cmp(&size(*y)))
    };
    let (left, right) = (side(&in_a, &in_b)?, side(&in_b, &in_a)?);
    let product = Product { left, right, inner, scaled };
    let plain = |view: &View, axis: usize| {
        let mut with = view.map.iter().filter(|lin| lin.terms.iter().any(|it| it.0 == axis));
        with.next().is_some_and(|it| it.as_shifted_axis() == Some(axis)) && with.next().is_none()
    };
    let fits = plain(a, left) && plain(a, inner) && plain(b, right) && plain(b, inner);
    let memory = |view: &View| matches!(view.source, Source::Memory(_) | Source::Item(..));
    let sizes = product.axes().map(size);
    let pays = sizes.iter().all(|it| *it >= THIN_PRODUCT)
        && sizes.iter().product::<f64>() >= LEAST_PRODUCT;
    (fits && pays && memory(a) && memory(b)).then_some((product, args))
}

/// How many items read one.
fn times_read(items: &Items<'_>, item: usize) -> usize {
    let reads = |view: &View| usize::from(item_of(view) == Some(item));
    let own = items
        .all
        .iter()
        .map(|it| it.args.iter().map(reads).sum::<usize>() + usize::from(it.whole.contains(&item)));
    own.sum::<usize>() + items.results.iter().map(reads).sum::<usize>()
}
