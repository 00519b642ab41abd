//! Contractions: a sum of products of two arrays over an axis that both have, where each has an axis
//! that the other has not, is a product of matrices for every index of what they share. Which ones go to the
//! kernel depends on how great they are, and what a plan makes of them is another one then: this comes first.

use std::collections::BTreeSet;

use ir::{Prim, Reduction};

use super::Machine;
use crate::items::{Items, Product, Work, item_of};
use crate::typical::Typical;
use crate::view::{Source, View};

/// A sum of products that goes to the kernel of products of matrices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contraction {
    /// The sum.
    pub(crate) item: usize,
    pub(crate) product: Product,
    /// The operands of the kernel.
    pub(crate) args: [View; 2],
}

/// The sums of products that are worth the kernel.
pub(crate) fn contractions(
    items: &Items<'_>,
    typical: &Typical,
    machine: &Machine,
) -> Vec<Contraction> {
    let found = |item| contraction(items, typical, machine, item);
    (0..items.all.len()).filter_map(found).collect()
}

/// The items with contractions as the products that they are.
pub(crate) fn with_products<'a>(mut items: Items<'a>, contractions: &[Contraction]) -> Items<'a> {
    for Contraction { item, product, args } in contractions {
        let it = &mut items[*item];
        (it.work, it.args) = (Work::Product(*product), args.to_vec());
    }
    items
}

fn contraction(
    items: &Items<'_>,
    typical: &Typical,
    machine: &Machine,
    item: usize,
) -> Option<Contraction> {
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
    let args: [View; 2] = items.through(source, view).try_into().ok()?;
    let [a, b] = &args;
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
    let pays = sizes.iter().all(|it| *it >= machine.thin_product)
        && sizes.iter().product::<f64>() >= machine.least_product;
    (fits && pays && memory(a) && memory(b)).then_some(Contraction { item, product, args })
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
