//! Arrays that are put together of several: each is computed where it belongs.
//!
//! The memory of the whole is there before its parts are. If somebody else reads a part, nobody overwrites
//! the whole: it would not be known when the part is read for the last time. A part that is not computed
//! where it was meant to be, since it is in memory already, is copied (`flow/whole.rs`).

use ir::Binder;
use loops::{Scalar, Var};

use super::{Work, item_of};
use crate::context::{Lower, Operand, scalar_of};
use crate::view::Source;

impl Lower<'_, '_> {
    /// Makes room for arrays one after the other, and says which items are meant for it.
    pub(super) fn place_parts(&mut self, binder: &Binder, arrays: &[ir::Atom]) {
        let is_array = |it: &ir::Atom| matches!(it, ir::Atom::Var(_));
        if scalar_of(&binder.ty) == Scalar::Box || !arrays.iter().all(is_array) {
            return;
        }
        for array in arrays {
            let sizes = self.view(array).sizes;
            self.ready_sizes(&sizes);
        }
        let sizes = binder.ty.split_arrays().0;
        self.ready_sizes(&sizes);
        let (whole, parts) = self.room_for_parts(&binder.ty, arrays);
        for (array, part) in arrays.iter().zip(&parts) {
            if self.place_part(array, *part) {
                self.escape(loops::Atom::Var(whole));
            }
        }
        self.graph.joined.insert(binder.var, (whole, parts));
    }

    /// Whether somebody else reads what was placed.
    fn place_part(&mut self, array: &ir::Atom, part: Var) -> bool {
        let view = self.arg(array);
        let Some(item) = item_of(&view) else { return false };
        let Source::Item(_, result) = view.source else { return false };
        let is_plain = view.map.len() == view.sizes.len()
            && view.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at))
            && view.dims == view.sizes;
        if !is_plain {
            return false;
        }
        match self.graph.items[item].work {
            Work::Flow(_) => {
                self.graph.asked.entry((item, result)).or_insert(part);
            }
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => {
                self.graph.placed.entry(item).or_insert(part);
            }
            Work::Rows { .. } | Work::Scatter { .. } | Work::Product(_) => return false,
        }
        self.readers_of(&view.source) > 1
    }

    /// How often statements read a result of an item, under whatever name.
    fn readers_of(&self, source: &Source) -> usize {
        let names = self.values.iter().filter(|it| match it.1 {
            Operand::Array(view) => view.source == *source,
            Operand::Scalar(_) => false,
        });
        names.map(|it| self.uses.left(*it.0, 0)).sum()
    }
}
