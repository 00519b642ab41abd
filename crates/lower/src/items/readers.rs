//! Who reads an array that is about to be overwritten.

use std::collections::BTreeSet;

use ir::{Op, Prim, Reduction, walk};

use super::{Item, Reading, Work, item_of};
use crate::context::Operand;
use crate::view::{Source, View};

impl Reading<'_, '_, '_> {
    /// Whether a statement that is no nest may overwrite an array. Only loops and branches do, inside, and calls
    /// of what changes arrays in place, and never what belongs to somebody else; another call or a concatenation
    /// just reads. Whoever reads an array that nobody overwrites need not be done before, in memory of its own.
    pub(super) fn may_overwrite(&self, op: &Op, view: &View) -> bool {
        let has_inside = !walk::blocks(op).is_empty() || self.hands_over(op);
        let is_own = match view.source {
            Source::Memory(array) => self.owned.contains(&array),
            Source::Item(..) => true,
            Source::Iota | Source::Same(_) => false,
        };
        is_own && has_inside && !view.sizes.is_empty()
    }

    /// The items that are not done and read something: they have to be done before it is overwritten.
    pub(crate) fn readers(&self, source: &Source) -> BTreeSet<usize> {
        let is_it = |view: &View| view.source == *source;
        let named = |var: ir::Var| match self.meaning(var) {
            Some(Operand::Array(view)) => is_it(&view),
            Some(Operand::Scalar(_)) | None => false,
        };
        let reads = |item: &Item<'_>| match &item.work {
            Work::Gather { array: it, .. } | Work::Scatter { into: it, .. } if is_it(it) => true,
            Work::Flow(stmt) => walk::free_vars_op(&stmt.op).into_iter().any(named),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => {
                item.args.iter().any(is_it)
            }
            Work::Scatter { .. } | Work::Product(_) | Work::Rows { .. } => {
                item.args.iter().any(is_it)
            }
        };
        let items = self.items.all.iter().enumerate();
        items.filter(|it| reads(it.1)).map(|it| it.0).collect()
    }

    /// The items that have to be done before a statement that ends at this moment overwrites something. In
    /// the place of factors that are multiplied for nothing but a sum stands the sum: with it they are
    /// done, and if it is a product of matrices, they are nowhere as a whole.
    pub(super) fn done_before(&self, source: &Source, end: usize) -> BTreeSet<usize> {
        let readers = self.readers(source).into_iter();
        readers.map(|it| self.only_sum_of(it, end).unwrap_or(it)).collect()
    }

    /// The sum that is all that reads products, until now and later.
    fn only_sum_of(&self, item: usize, end: usize) -> Option<usize> {
        let Work::Prim(Prim::Mul | Prim::Scale) = self.items.all[item].work else { return None };
        let is_it = |view: &View| item_of(view) == Some(item);
        let reads = |it: &Item<'_>| it.whole.contains(&item) || it.args.iter().any(is_it);
        let items = self.items.all.iter().enumerate();
        let mut readers = items.filter(|it| reads(it.1));
        let (sum, reader) = readers.next()?;
        let is_only = readers.next().is_none();
        let is_sum = matches!(reader.work, Work::Reduce(Reduction::Sum));
        let is_left = |(var, view): (&ir::Var, &View)| is_it(view) && self.uses.left(*var, end) > 0;
        (is_only && is_sum && !self.items.names.iter().any(is_left)).then_some(sum)
    }
}
