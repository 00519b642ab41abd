//! Arrays that are put together of several: each is computed where it belongs.
//!
//! The memory of the whole is there before its parts are. If somebody else reads a part, nobody overwrites
//! the whole: it would not be known when the part is read for the last time. A part that is not computed
//! where it was meant to be, since it is in memory already, is copied (`flow/whole.rs`).

use ir::{ArrayOp, Binder, Op, Stmt};
use loops::{Scalar, Var};

use super::{Reading, Work, item_of};
use crate::context::scalar_of;
use crate::view::Source;

/// The arrays that a statement puts together, if room is made for all of them at once.
pub(crate) fn joined(stmt: &Stmt) -> Option<(&Binder, &[ir::Atom])> {
    let (Op::Array(ArrayOp::Concat(arrays)), [binder]) = (&stmt.op, stmt.binders.as_slice()) else {
        return None;
    };
    let is_array = |it: &ir::Atom| matches!(it, ir::Atom::Var(_));
    let fits = scalar_of(&binder.ty) != Scalar::Box && arrays.iter().all(is_array);
    fits.then_some((binder, arrays))
}

impl Reading<'_, '_, '_> {
    /// Says which items are meant for memory that was made for arrays one after the other: the whole, and where
    /// its parts begin.
    pub(crate) fn place_parts(
        &mut self,
        (binder, arrays): (&Binder, &[ir::Atom]),
        (whole, parts): (Var, Vec<Var>),
    ) {
        for (array, part) in arrays.iter().zip(&parts) {
            if self.place_part(array, *part) {
                self.escape(loops::Atom::Var(whole));
            }
        }
        self.items.room.joined.insert(binder.var, (whole, parts));
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
        match self.items[item].work {
            Work::Flow(_) => {
                self.items.room.flows.entry((item, result)).or_insert(part);
            }
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => {
                self.items.room.nests.entry(item).or_insert(part);
            }
            Work::Rows { .. } | Work::Scatter { .. } | Work::Product(_) => return false,
        }
        self.readers_of(&view.source) > 1
    }

    /// How often statements read a result of an item, under whatever name.
    fn readers_of(&self, source: &Source) -> usize {
        let names = self.items.names.iter().filter(|it| it.1.source == *source);
        names.map(|it| self.uses.left(*it.0, 0)).sum()
    }
}
