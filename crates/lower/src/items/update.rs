//! Arrays with another element or another row, `select (eq i e) v xs`: the derivative of `xs with [e] = v` has
//! them, too. In memory that may be overwritten, and that nobody reads afterwards, only what is new is written:
//! a scatter that replaces. All others are computed as any choice is, in one loop with what they are made of.

use std::cmp::Ordering;

use ir::Prim;
use loops::{Atom, How};

use super::reading::Reading;
use super::{Before, Check, Early, Work, item_of};
use crate::view::{Lin, Source, View};

const INT: ir::Type = ir::Type::Int;

impl<'a> Reading<'_, 'a, '_> {
    /// The array that a choice gives, if it is one that is in memory of its own but for one place.
    pub(super) fn nest_update(
        &mut self,
        (moment, var): (usize, Option<ir::Var>),
        prim: Prim,
        args: &[ir::Atom],
    ) -> Option<View> {
        let (Prim::Select, [mask, value, into]) = (prim, args) else { return None };
        // A loop that goes through all elements anyway chooses at no cost, in one with what it is fused with.
        if var.is_some_and(|it| self.ahead.swept.contains(&it)) {
            return None;
        }
        let into = self.arg(into);
        if into.sizes.is_empty() || !self.may_be_changed(&into, moment) {
            return None;
        }
        let mask = self.arg(mask);
        let mut indices = vec![None; into.sizes.len()];
        let mut conditions = Vec::new();
        self.compared(&mask, &into, &mut indices, &mut conditions)?;
        let n_indices = indices.iter().take_while(|it| it.is_some()).count();
        let indices: Vec<View> = indices.into_iter().flatten().collect();
        let value = self.arg(value);
        let is_one = indices.len() == n_indices && value.varies().all(|it| it >= n_indices);
        if !is_one || n_indices == 0 {
            return None;
        }
        let row = into.sizes[n_indices..].to_vec();
        let of_row =
            |it: &View| it.mapped(row.clone(), &|axis| Lin::axis(axis.saturating_sub(n_indices)));
        conditions.extend(self.holds_place(&indices, &into));
        let holds = self.all_of(&[], conditions);
        let readers = self.done_before(&into.source, moment);
        let mut all = vec![of_row(&value)];
        all.extend(indices.iter().map(of_row));
        all.extend(holds.iter().map(of_row));
        let (masked, elem, sizes) = (holds.is_some(), into.elem.clone(), into.sizes.clone());
        let last_read = Some(moment);
        let work = Work::Scatter { into, last_read, n_indices, masked, how: How::Set };
        let view = self.push(work, row, Vec::new(), all, elem.clone());
        let Source::Item(item, _) = view.source else { return Some(view) };
        self.items[item].whole.extend(readers);
        Some(View::item(item, 0, &ir::Type::arrays(&sizes, elem)))
    }

    /// Whether an array is, or is going to be, in memory that may be overwritten from this moment on.
    fn may_be_changed(&self, view: &View, moment: usize) -> bool {
        let is_number = matches!(view.elem, ir::Type::Real | ir::Type::Int | ir::Type::Bool);
        let is_own = self.owned_memory(view).is_some()
            || item_of(view).is_some_and(|it| {
                let first = View { source: Source::Item(it, 0), ..view.clone() };
                let is_memory = matches!(self.items[it].work, Work::Scatter { .. } | Work::Flow(_));
                is_memory && first.is_whole_item(it)
            });
        is_number && is_own && self.is_last_read(&view.source, moment)
    }

    /// The sum along an axis of what is zero wherever the index along it is not a given one, of an array that is
    /// memory: one element, or row, of it. That is the cotangent of what was put there.
    pub(super) fn nest_picked(&mut self, axis: usize, view: &View) -> Option<View> {
        let item = item_of(view)?;
        let Work::Prim(Prim::Select) = self.items[item].work else { return None };
        let args = self.items.through(item, view);
        let [mask, value, zero] = args.as_slice() else { return None };
        let is_memory = match value.source {
            Source::Memory(_) => true,
            Source::Item(it, _) => {
                matches!(self.items[it].work, Work::Scatter { .. } | Work::Flow(_))
            }
            Source::Iota | Source::Same(_) => false,
        };
        // What was overwritten since the choice was made shows something else.
        let is_overwritten = self.items.all.iter().any(
            |it| matches!(&it.work, Work::Scatter { into, .. } if into.source == value.source),
        );
        let is_zero = zero.source == Source::Same(Atom::Real(0.0));
        if view.elem != ir::Type::Real || !is_zero || !is_memory || is_overwritten {
            return None;
        }
        let (mut found, mut conditions) = (vec![None; view.sizes.len()], Vec::new());
        self.compared(mask, view, &mut found, &mut conditions)?;
        let index = found[axis].take()?;
        let Source::Same(mut at) = index.source else { return None };
        let mut rest = view.sizes.clone();
        let size = rest.remove(axis);
        let inside = self.holds_index(&index, &size);
        if let Some(View { source: Source::Same(holds), .. }) = inside {
            let args = vec![holds, at, Atom::Int(0)];
            at = self.early(Early::Prim(Prim::Select, args, INT))?;
        }
        let by = |it: usize| match it.cmp(&axis) {
            Ordering::Less => Lin::axis(it),
            Ordering::Equal => Lin { terms: Vec::new(), offset: vec![(at, 1)] },
            Ordering::Greater => Lin::axis(it - 1),
        };
        let moved = |it: &View| it.mapped(rest.clone(), &by);
        conditions = conditions.iter().map(moved).collect();
        conditions.extend(inside.as_ref().map(moved));
        for (other, index) in found.iter().enumerate() {
            let Some(index) = index else { continue };
            let here = View::iota(&view.sizes[other]);
            let here = here.mapped(view.sizes.clone(), &|_| Lin::axis(other));
            let args = vec![moved(&here), moved(index)];
            conditions.push(self.push_prim(Prim::Eq, &rest, args, &ir::Type::Bool));
        }
        let mut res = moved(value);
        if let Some(all) = self.all_of(&rest, conditions) {
            let args = vec![all, res, moved(zero)];
            res = self.push_prim(Prim::Select, &rest, args, &ir::Type::Real);
        }
        // A sum begins with zero: there is no negative one.
        Some(self.push_prim(Prim::Add, &rest, vec![res, moved(zero)], &ir::Type::Real))
    }

    /// Which index a condition asks for along axes of an array, and what else; nothing if it is another condition.
    fn compared(
        &self,
        mask: &View,
        of: &View,
        found: &mut [Option<View>],
        conditions: &mut Vec<View>,
    ) -> Option<()> {
        if mask.varies().next().is_none() {
            conditions.push(mask.clone());
            return Some(());
        }
        let item = item_of(mask)?;
        let Work::Prim(prim) = self.items[item].work else { return None };
        let args = self.items.through(item, mask);
        let (x, y) = match args.as_slice() {
            [x, y] => (x, y),
            // As a lazy conjunction is written.
            [x, y, no] if no.source == Source::Same(Atom::Bool(false)) => (x, y),
            _ => return None,
        };
        if prim == Prim::And || prim == Prim::Select {
            self.compared(x, of, found, conditions)?;
            return self.compared(y, of, found, conditions);
        }
        if prim != Prim::Eq {
            return None;
        }
        let along = |it: &View| match (&it.source, it.map.first()?.as_axis()) {
            (Source::Iota, Some(axis)) if it.dims[0] == of.sizes[axis] => Some(axis),
            _ => None,
        };
        let (axis, index) = along(x).map(|it| (it, y)).or_else(|| Some((along(y)?, x)))?;
        let is_new = found[axis].is_none() && index.varies().next().is_none();
        is_new.then(|| found[axis] = Some(index.clone()))
    }

    /// Whether there is a place with these indices, where that is not known.
    fn holds_place(&mut self, indices: &[View], into: &View) -> Vec<View> {
        let pairs = indices.iter().zip(&into.sizes);
        pairs.filter_map(|(index, size)| self.holds_index(index, size)).collect()
    }

    /// Whether an index is one along an axis of this size; nothing if that is known.
    fn holds_index(&mut self, index: &View, size: &ir::Size) -> Option<View> {
        let index = index.mapped(Vec::new(), &Lin::axis);
        if self.is_checked(&index, size) {
            return None;
        }
        let end = self.early(Early::Size(size.clone()))?;
        let low = self.truth(Prim::Ge, &index, View::same(Atom::Int(0), &INT))?;
        let high = self.truth(Prim::Lt, &index, View::same(end, &INT))?;
        self.truth(Prim::And, &low, high)
    }

    /// A truth value of two scalars, in front of all items if these are there.
    fn truth(&mut self, prim: Prim, x: &View, y: View) -> Option<View> {
        let bool_ = ir::Type::Bool;
        if let (Source::Same(x), Source::Same(y)) = (&x.source, &y.source) {
            let early = Early::Prim(prim, vec![*x, *y], bool_.clone());
            return Some(View::same(self.early(early)?, &bool_));
        }
        Some(self.push_prim(prim, &[], vec![x.clone(), y], &bool_))
    }

    /// All of these conditions under these sizes, if there are any.
    fn all_of(&mut self, sizes: &[ir::Size], conditions: Vec<View>) -> Option<View> {
        let to = |it: &View| it.mapped(sizes.to_vec(), &Lin::axis);
        let all = conditions.iter().map(to).collect::<Vec<View>>().into_iter();
        all.reduce(|x, y| self.push_prim(Prim::And, sizes, vec![x, y], &ir::Type::Bool))
    }

    /// Whether the run has ended before where an index is out of range.
    fn is_checked(&self, index: &View, size: &ir::Size) -> bool {
        let Source::Same(index) = index.source else { return false };
        let is_it = |it: &Before| match it {
            Before::Check(Check::Index { index: of, size: below, .. }) => {
                *of == index && below == size
            }
            Before::Check(_) | Before::Is(..) => false,
        };
        match (index, size.as_constant()) {
            (Atom::Int(index), Some(size)) => (0..size).contains(&index),
            _ => self.items.before.iter().any(is_it),
        }
    }
}
