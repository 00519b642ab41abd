//! Memory of arrays whose rows are written side by side, and what is written there at a point.

use loops::{Atom, How, Place, Term, Var};

use crate::items::{Items, Work};
use crate::view::{Lin, Source, View};

use super::{Held, Nest, Nests};

impl<'a> Nests<'_, 'a, '_> {
    /// Memory for the array.
    pub(crate) fn rows_memory(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        if nest.held.contains_key(&item) {
            return;
        }
        let view = rows_view(nest.items, item, Var(0));
        let natural = view.is_contiguous();
        let wanted = nest.items.room.nests.get(&item).copied().filter(|_| natural);
        let array = match wanted {
            Some(array) => array,
            None => self.room(&ir::Type::arrays(&view.dims, view.elem.clone())),
        };
        self.strides(&view.dims);
        nest.held.insert(item, Held { array, axes: Vec::new(), local: false });
    }

    /// Writes the elements of all rows at a point.
    pub(crate) fn rows_at_point(&mut self, nest: &mut Nest<'_, 'a>, item: usize, args: &[View]) {
        let array = nest.held[&item].array;
        let view = rows_view(nest.items, item, array);
        let Work::Rows { sizes, .. } = &nest.items[item].work else { return };
        let counts: Vec<i64> = sizes.iter().filter_map(ir::Size::as_constant).collect();
        nest.forget(array);
        for (number, arg) in args.iter().enumerate() {
            let value = self.read(nest, item, arg);
            let (mut left, mut at) = (number as i64, vec![0; counts.len()]);
            for (place, count) in at.iter_mut().zip(&counts).rev() {
                (*place, left) = (left % count, left / count);
            }
            let place = self.row_place(nest, item, &view, &at);
            self.store(array, place, value, How::Set);
        }
    }

    fn row_place(&mut self, nest: &Nest<'_, 'a>, item: usize, view: &View, at: &[i64]) -> Place {
        let strides = self.strides(&view.dims);
        let mut place = Place::new();
        for (lin, stride) in view.map.iter().zip(strides) {
            let Some(axis) = lin.as_axis() else { continue };
            let parts = match at.get(axis) {
                Some(0) => Vec::new(),
                Some(at) => vec![Atom::Int(*at)],
                None => nest.at(nest.plan.class(item, axis - at.len())),
            };
            place.extend(parts.into_iter().map(|index| Term { index, stride }));
        }
        place
    }
}

/// The array in memory, with its axes in the order that was asked for.
pub(super) fn rows_view(items: &Items<'_>, item: usize, array: Var) -> View {
    let it = &items[item];
    let Work::Rows { sizes: first, inside } = &it.work else {
        panic!("compiler bug: item {item} has no rows")
    };
    let sizes: Vec<ir::Size> = first.iter().chain(&it.axes).cloned().collect();
    let (n, rank) = (first.len(), sizes.len());
    let order: Vec<usize> =
        if *inside { (n..rank).chain(0..n).collect() } else { (0..rank).collect() };
    View {
        source: Source::Memory(array),
        dims: order.iter().map(|it| sizes[*it].clone()).collect(),
        map: order.iter().map(|it| Lin::axis(*it)).collect(),
        sizes,
        elem: it.elem.clone(),
    }
}
