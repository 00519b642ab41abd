//! Primitives, indices, gathers and reductions as items.

use ir::{Prim, Reduction, Size};
use loops::Atom;

use super::{Reading, Work};
use crate::view::{Source, View};

impl Reading<'_, '_, '_> {
    pub(super) fn nest_prim(
        &mut self,
        prim: Prim,
        args: &[ir::Atom],
        sizes: &[Size],
        elem: &ir::Type,
    ) -> View {
        let args: Vec<View> = args.iter().map(|it| self.arg(it)).collect();
        let affine = affine(prim, &args);
        affine.unwrap_or_else(|| self.push_prim(prim, sizes, args, elem))
    }

    pub(super) fn nest_index(&mut self, view: &View, indices: &[Atom]) -> View {
        let row = view.row(indices);
        if !row.sizes.is_empty() {
            return row;
        }
        let elem = row.elem.clone();
        self.push(Work::Copy, Vec::new(), Vec::new(), vec![row], elem)
    }

    pub(super) fn nest_gather(
        &mut self,
        array: View,
        indices: Vec<View>,
        mask: Option<View>,
    ) -> View {
        let n_indices = indices.len();
        let shape = indices.iter().chain(&mask).find(|it| !it.sizes.is_empty());
        let mut axes = shape.map_or(Vec::new(), |it| it.sizes.clone());
        let elem = array.elem.clone();
        let masked = mask.is_some();
        let args: Vec<View> = indices.into_iter().chain(mask).collect();
        let (looked_up, row) = array.sizes.split_at(n_indices);
        // Rows without elements are never read, and their indices are wrong all the same: nobody reads this one,
        // which is there for its check.
        if row.iter().any(|it| it.as_constant().is_none_or(|it| it <= 0)) {
            let nothing = View::same(Atom::Real(0.0), &ir::Type::Real);
            let array = looked_up.iter().rev().fold(nothing, |it, size| it.replicate(size));
            let (work, out) =
                (Work::Gather { array, n_indices, masked }, (0..axes.len()).collect());
            self.push(work, axes.clone(), out, args.clone(), ir::Type::Real);
        }
        axes.extend(row.iter().cloned());
        let out = (0..axes.len()).collect();
        self.push(Work::Gather { array, n_indices, masked }, axes, out, args, elem)
    }

    pub(super) fn nest_reduce(&mut self, reduction: Reduction, axis: usize, view: View) -> View {
        let out = (0..view.sizes.len()).filter(|it| *it != axis).collect();
        let (axes, elem) = (view.sizes.clone(), view.elem.clone());
        self.push(Work::Reduce(reduction), axes, out, vec![view], elem)
    }
}

/// Numbers that go up evenly, moved or stretched, are such numbers again: no item but a view.
fn affine(prim: Prim, args: &[View]) -> Option<View> {
    let [x, y] = args else { return None };
    let (counted, by) = if x.source == Source::Iota { (x, y) } else { (y, x) };
    if counted.sizes.len() < by.sizes.len() {
        return None;
    }
    let (Source::Iota, Source::Same(by)) = (&counted.source, &by.source) else { return None };
    let mut res = counted.clone();
    let [lin] = res.map.as_mut_slice() else { return None };
    match (prim, by) {
        (Prim::Add, by) => lin.offset.push((*by, 1)),
        (Prim::Sub, by) if counted == x => lin.offset.push((*by, -1)),
        (Prim::Mul, Atom::Int(by @ 1..=1024)) => {
            lin.terms.iter_mut().for_each(|it| it.1 *= by);
            lin.offset.iter_mut().for_each(|it| it.1 *= by);
        }
        _ => return None,
    }
    Some(res)
}
