//! Primitives, indices, slices, gathers and reductions as items, and what they check.

use ir::{Prim, Reduction, Size};
use loops::{Atom, Fault, Scalar};

use super::{Work, fails};
use crate::context::{Lower, scalar_of};
use crate::view::{Source, View};

impl Lower<'_, '_> {
    pub(super) fn nest_prim(
        &mut self,
        prim: Prim,
        args: &[ir::Atom],
        sizes: &[Size],
        elem: &ir::Type,
    ) -> View {
        if sizes.is_empty() {
            let ready: Option<Vec<Atom>> = args.iter().map(|it| self.ready(it)).collect();
            if let Some(args) = ready {
                self.check_prim(prim, &args, elem);
                return View::same(self.prim(scalar_of(elem), prim, &args), elem);
            }
        }
        let args: Vec<View> = args.iter().map(|it| self.arg(it)).collect();
        let affine = affine(prim, &args);
        affine.unwrap_or_else(|| self.push_prim(prim, sizes, args, elem))
    }

    /// Checks what a primitive of Ints needs.
    pub(crate) fn check_prim(&mut self, prim: Prim, args: &[Atom], elem: &ir::Type) {
        if !fails(prim, elem) {
            return;
        }
        let y = args[1];
        if prim == Prim::Pow {
            let holds = self.prim(Scalar::Bool, Prim::Ge, &[y, Atom::Int(0)]);
            return self.check(holds, Fault::NegativePower, vec![y]);
        }
        if matches!(y, Atom::Int(it) if it != 0) {
            return;
        }
        let holds = self.prim(Scalar::Bool, Prim::Ne, &[y, Atom::Int(0)]);
        self.check(holds, Fault::DivisionByZero, Vec::new());
    }

    pub(super) fn nest_slice(&mut self, view: &View, axis: usize, from: &Size, to: &Size) -> View {
        let size = self.size(&view.sizes[axis].clone());
        let (low, high) = (self.size(from), self.size(to));
        let first = self.prim(Scalar::Bool, Prim::Ge, &[low, Atom::Int(0)]);
        let second = self.prim(Scalar::Bool, Prim::Le, &[low, high]);
        let third = self.prim(Scalar::Bool, Prim::Le, &[high, size]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[first, second]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[holds, third]);
        self.check(holds, Fault::Slice, vec![low, high, size]);
        view.slice(axis, low, &to.sub(from))
    }

    /// Whether an index is below a size and not negative.
    pub(crate) fn check_index(&mut self, index: Atom, size: Atom, axis: usize) {
        if let (Atom::Int(index), Atom::Int(size)) = (index, size)
            && (0..size).contains(&index)
        {
            return;
        }
        let low = self.prim(Scalar::Bool, Prim::Ge, &[index, Atom::Int(0)]);
        let high = self.prim(Scalar::Bool, Prim::Lt, &[index, size]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[low, high]);
        self.check(holds, Fault::Index { axis }, vec![index, size]);
    }

    pub(super) fn nest_index(&mut self, view: &View, indices: &[Atom]) -> View {
        for (axis, index) in indices.iter().enumerate() {
            let size = self.size(&view.sizes[axis].clone());
            self.check_index(*index, size, axis);
        }
        let row = view.row(indices);
        if !row.sizes.is_empty() {
            return row;
        }
        match row.source {
            Source::Item(..) => {
                let elem = row.elem.clone();
                self.push(Work::Copy, Vec::new(), Vec::new(), vec![row], elem)
            }
            Source::Memory(_) | Source::Iota | Source::Same(_) => {
                View::same(self.element(&row, &[]), &row.elem)
            }
        }
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
