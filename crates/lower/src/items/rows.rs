//! Arrays that are written row by row, as items: all rows at a point together, where they are computed.
//!
//! What the rows are of may be many: three arrays of coordinates are an array of vectors, which needs no
//! memory of its own for the coordinates. If the array is transposed next, its memory is as the
//! transposed one needs it.

use ir::{Size, walk};

use super::{Reading, Work, item_of};
use crate::context::{Operand, scalar_of};
use crate::view::View;
use loops::Scalar;

impl Reading<'_, '_, '_> {
    /// An array of rows that have axes.
    pub(super) fn nest_array(
        &mut self,
        var: ir::Var,
        parts: &[ir::Atom],
        sizes: &[Size],
        elem: &ir::Type,
    ) -> Option<View> {
        if sizes.len() < 2 || scalar_of(elem) == Scalar::Box {
            return None;
        }
        let mut rows: Vec<View> = parts.iter().map(|it| self.arg(it)).collect();
        let mut first = vec![sizes[0].clone()];
        // Rows that are such arrays themselves are put side by side at once.
        if let Some((inner, all)) = self.rows_of_rows(&rows) {
            first.extend(inner);
            rows = all;
        }
        let axes = sizes[first.len()..].to_vec();
        if axes.is_empty() {
            return None;
        }
        let inside = self.ahead.transposed.contains(&var);
        let work = Work::Rows { sizes: first, inside };
        let view = self.push(work, axes, Vec::new(), rows, elem.clone());
        let item = item_of(&view)?;
        Some(View::item(item, 0, &ir::Type::arrays(sizes, elem.clone())))
    }

    fn rows_of_rows(&self, rows: &[View]) -> Option<(Vec<Size>, Vec<View>)> {
        let mut found: Option<Vec<Size>> = None;
        let mut res = Vec::new();
        for row in rows {
            let item = item_of(row)?;
            let whole = row.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at));
            let Work::Rows { sizes, .. } = &self.items[item].work else { return None };
            if !whole || found.as_ref().is_some_and(|it| it != sizes) {
                return None;
            }
            found = Some(sizes.clone());
            let args = &self.items[item].args;
            if args.iter().any(|it| self.may_change_after(item, it)) {
                return None;
            }
            res.extend(args.iter().cloned());
        }
        Some((found?, res))
    }

    /// Whether a statement behind an item may overwrite what the item reads: a branch or a loop that
    /// mentions it, and that does not know who reads it later by way of the item.
    fn may_change_after(&self, item: usize, view: &View) -> bool {
        let is_it = |var: ir::Var| match self.meaning(var) {
            Some(Operand::Array(other)) => other.source == view.source,
            Some(Operand::Scalar(_)) | None => false,
        };
        self.items.all[item + 1..].iter().any(|it| match &it.work {
            Work::Flow(stmt) => walk::free_vars_op(&stmt.op).into_iter().any(is_it),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => false,
            Work::Scatter { .. } | Work::Product(_) | Work::Rows { .. } => false,
        })
    }
}
