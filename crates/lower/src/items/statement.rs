//! From statements to items: a view, an item, or an item that is no nest.
//!
//! What is known before anything runs (sizes, scalars of scalars, checks of them) is there already: it comes
//! in front of the nests (`items/before.rs`).

use std::collections::BTreeSet;

use ir::{ArrayOp, ControlOp, DeriveOp, Op, Prim, Reduction, Size, Stmt, walk};
use loops::Atom;

use super::position::is_row_position;
use super::{Item, Reading, Work, item_of};
use crate::context::Operand;
use crate::view::{Source, View};

impl<'a> Reading<'_, 'a, '_> {
    /// The sizes that have to be there when a statement becomes items: a filter, for one, only tells
    /// when it ran.
    pub(crate) fn sizes_before(&self, stmt: &Stmt) -> Vec<Size> {
        let mut res: Vec<Size> =
            stmt.binders.iter().flat_map(|it| it.ty.split_arrays().0).collect();
        if !is_row_position(&stmt.op) {
            res.extend(walk::types(&stmt.op).into_iter().flat_map(|it| it.split_arrays().0));
        }
        let Op::Array(op) = &stmt.op else {
            if let Op::Size(size) = &stmt.op {
                res.push(size.clone());
            }
            return res;
        };
        match op {
            ArrayOp::Replicate { size, .. } => res.push(size.clone()),
            ArrayOp::Slice { array, from, to, .. } => {
                res.extend([from.clone(), to.clone()]);
                res.extend(self.sizes_of(array));
            }
            ArrayOp::Reverse(array)
            | ArrayOp::Index { array, .. }
            | ArrayOp::Argmax(array)
            | ArrayOp::Argmin(array) => res.extend(self.sizes_of(array)),
            ArrayOp::Concat(arrays) => res.extend(arrays.iter().flat_map(|it| self.sizes_of(it))),
            ArrayOp::Literal { .. } | ArrayOp::Reduce { .. } | ArrayOp::Iota(_) => {}
            ArrayOp::Gather { .. } | ArrayOp::Scatter { .. } | ArrayOp::Transpose { .. } => {}
            ArrayOp::Reshape { .. } | ArrayOp::Sized { .. } | ArrayOp::Filter { .. } => {}
            ArrayOp::Sort(_) | ArrayOp::Argsort(_) => {}
        }
        res
    }

    fn sizes_of(&self, atom: &ir::Atom) -> Vec<Size> {
        let ir::Atom::Var(var) = atom else { return Vec::new() };
        match self.meaning(*var) {
            Some(Operand::Array(view)) => view.sizes,
            Some(Operand::Scalar(_)) | None => Vec::new(),
        }
    }

    /// A new item of the statement that is being lowered; gives its result.
    pub(crate) fn push(
        &mut self,
        work: Work<'a>,
        axes: Vec<Size>,
        out: Vec<usize>,
        args: Vec<View>,
        elem: ir::Type,
    ) -> View {
        let span = self.span;
        self.items.push((work, elem), axes, out, args, span)
    }

    /// A primitive, element by element, under these sizes.
    pub(crate) fn push_prim(
        &mut self,
        prim: Prim,
        sizes: &[Size],
        args: Vec<View>,
        elem: &ir::Type,
    ) -> View {
        let out = (0..sizes.len()).collect();
        self.push(Work::Prim(prim), sizes.to_vec(), out, args, elem.clone())
    }

    /// A statement that is no nest.
    fn push_flow(&mut self, stmt: &'a Stmt) {
        let item = self.items.all.len();
        let mut whole = BTreeSet::new();
        let end = self.uses.moment(stmt.binders.first().map(|it| it.var)).end;
        for var in walk::free_vars_op(&stmt.op) {
            if let Some(Operand::Array(view)) = self.meaning(var) {
                whole.extend(item_of(&view));
                if self.may_overwrite(&stmt.op, &view) && self.uses.left(var, end) == 0 {
                    whole.extend(self.done_before(&view.source, end));
                }
            }
        }
        // Statements of this kind keep their order.
        let flows = self.items.all.iter().enumerate();
        whole.extend(
            flows.filter(|it| matches!(it.1.work, Work::Flow(_))).map(|it| it.0).next_back(),
        );
        for (at, binder) in stmt.binders.iter().enumerate() {
            self.define(binder, Operand::Array(View::item(item, at, &binder.ty)));
        }
        let (axes, out, args, span) = (Vec::new(), Vec::new(), Vec::new(), self.span);
        let work = Work::Flow(stmt);
        self.items.all.push(Item { work, axes, out, args, elem: ir::Type::Int, span, whole });
    }

    /// Adds a statement; `early` is the scalar that was computed for it before.
    pub(crate) fn add_stmt(&mut self, stmt: &'a Stmt, early: Option<Atom>) {
        if let Some(view) = self.nest(stmt, early) {
            let operand = match view.source {
                Source::Same(atom) if view.sizes.is_empty() => Operand::Scalar(atom),
                Source::Memory(_) | Source::Iota | Source::Same(_) | Source::Item(..) => {
                    Operand::Array(view)
                }
            };
            self.define(&stmt.binders[0], operand);
        } else {
            self.push_flow(stmt);
        }
    }

    /// What a statement binds, if it is a view or a nest.
    fn nest(&mut self, stmt: &'a Stmt, early: Option<Atom>) -> Option<View> {
        let ty = &stmt.binders.first()?.ty;
        let (sizes, elem) = ty.split_arrays();
        let view = match &stmt.op {
            Op::Copy(atom)
            | Op::Derive(DeriveOp::StopGradient(atom) | DeriveOp::Checkpoint { value: atom, .. }) => {
                self.arg(atom)
            }
            Op::Prim(prim, args) => match early {
                Some(it) => View::same(it, elem),
                None => {
                    let var = stmt.binders.first().map(|it| it.var);
                    let moment = self.uses.moment(var).start;
                    match self.nest_update((moment, var), *prim, args) {
                        Some(view) => view,
                        None => self.nest_prim(*prim, args, &sizes, elem),
                    }
                }
            },
            Op::Size(_) => View::same(early?, elem),
            Op::Array(ArrayOp::Replicate { size, value }) => self.arg(value).replicate(size),
            Op::Array(ArrayOp::Iota(size)) => View::iota(size),
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                self.arg(array).transpose(permutation)
            }
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                self.arg(array).slice(*axis, early?, &to.sub(from))
            }
            Op::Array(ArrayOp::Reverse(array)) => self.arg(array).reverse(early?),
            Op::Array(ArrayOp::Index { array, indices }) => {
                let view = self.arg(array);
                let ready: Option<Vec<Atom>> = indices.iter().map(|it| self.ready(it)).collect();
                match (early, ready) {
                    (Some(it), _) => View::same(it, &view.elem),
                    (None, Some(indices)) => self.nest_index(&view, &indices),
                    (None, None) => {
                        let indices = indices.iter().map(|it| self.arg(it)).collect();
                        self.nest_gather(view, indices, None)
                    }
                }
            }
            Op::Array(ArrayOp::Gather { array, indices, mask }) => {
                let view = self.arg(array);
                let indices = indices.iter().map(|it| self.arg(it)).collect();
                let mask = mask.as_ref().map(|it| self.arg(it));
                self.nest_gather(view, indices, mask)
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
                let moment = self.uses.moment(stmt.binders.first().map(|it| it.var)).start;
                self.nest_scatter(moment, (into, values), (indices, mask.as_ref()), early)
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                let view = self.arg(array);
                let is_sum = *reduction == Reduction::Sum;
                match is_sum.then(|| self.nest_picked(*axis, &view)).flatten() {
                    Some(view) => view,
                    None => self.nest_reduce(*reduction, *axis, view),
                }
            }
            Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) => {
                let greatest = matches!(stmt.op, Op::Array(ArrayOp::Argmax(_)));
                let view = self.arg(array);
                self.nest_position(greatest, &view)
            }
            Op::Control(ControlOp::If { .. } | ControlOp::Build { .. }) => {
                return self.nest_rows(&stmt.op);
            }
            Op::Array(ArrayOp::Literal { parts, .. }) => {
                return self.nest_array(stmt.binders[0].var, parts, &sizes, elem);
            }
            Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            // By `flow.rs`, as all that is no nest.
            | Op::Array(
                ArrayOp::Concat(_)
                | ArrayOp::Sort(_)
                | ArrayOp::Argsort(_)
                | ArrayOp::Filter { .. }
                | ArrayOp::Reshape { .. }
                | ArrayOp::Sized { .. },
            )
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => return None,
        };
        Some(view)
    }
}
