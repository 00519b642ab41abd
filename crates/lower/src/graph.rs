//! The statements of a block as items that depend on one another.
//!
//! An item computes something at every point of its *domain*, a product of axes: the element of an
//! array, or what is added up, or where something is added. What only shows elements in another order
//! is no item but a view. Scalars are arrays without axes. Statements that are no loop nests (control
//! flow, calls, sorting) are items without a domain that need their operands as a whole.
//!
//! An axis along which nothing varies is left out, so what is invariant is computed once.

mod index;
mod joined;
mod position;
mod readers;
mod rows;
mod scatter;
mod turn;

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use ir::{ArrayOp, ControlOp, DeriveOp, Op, Prim, Reduction, Size, Stmt, walk};
use loops::{Atom, Fault, Scalar, Var};

use crate::context::{Lower, Operand};
use crate::product::Product;
use crate::view::{Lin, Source, View};

/// A block that is being lowered.
#[derive(Default)]
pub(crate) struct Graph<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// How many items are done.
    pub(crate) n_done: usize,
    /// What results of items are, where they are there.
    pub(crate) resolved: BTreeMap<(usize, usize), Operand>,
    /// What the block gives.
    pub(crate) results: Vec<View>,
    /// Items whose results are positions in range.
    pub(crate) positions: BTreeSet<usize>,
    /// Memory that is meant for results of control flow.
    pub(crate) asked: BTreeMap<(usize, usize), Var>,
    /// Memory that is meant for items which are parts of a larger array.
    pub(crate) placed: BTreeMap<usize, Var>,
    /// The arrays that these are parts of, by what the statement binds, with where the parts begin.
    pub(crate) joined: BTreeMap<ir::Var, (Var, Vec<Var>)>,
}

/// What is computed together.
pub(crate) struct Item<'a> {
    pub(crate) work: Work<'a>,
    /// The sizes of its domain.
    pub(crate) axes: Vec<Size>,
    /// The axes that its result has.
    pub(crate) out: Vec<usize>,
    /// What it reads at a point: views whose axes are those of the domain.
    pub(crate) args: Vec<View>,
    /// What its result is made of.
    pub(crate) elem: ir::Type,
    /// Where it is in the source.
    pub(crate) span: Option<Span>,
    /// The items it needs as a whole.
    pub(crate) whole: BTreeSet<usize>,
}

/// What an item does.
pub(crate) enum Work<'a> {
    /// A primitive of its arguments.
    Prim(Prim),
    /// Its argument.
    Copy,
    /// An element of an array that can be anywhere: the first arguments are indices, then comes the
    /// mask. Further indices are the last axes of the domain.
    Gather { array: View, n_indices: usize, masked: bool },
    /// Combines its argument over the axes that it does not give.
    Reduce(Reduction),
    /// Adds to elements that can be anywhere: values, indices, mask.
    /// From its moment on nobody else reads the array, if there is one.
    Scatter { into: View, last_read: Option<usize>, n_indices: usize, masked: bool },
    /// The sum of the products of two arguments, as a product of matrices.
    Product(Product),
    /// Puts its arguments side by side: rows of an array whose first axes are of these sizes. In memory
    /// those axes may be the innermost ones.
    Rows { sizes: Vec<Size>, inside: bool },
    /// A statement that is no nest.
    Flow(&'a Stmt),
}

pub(crate) fn item_of(view: &View) -> Option<usize> {
    match view.source {
        Source::Item(item, _) => Some(item),
        Source::Memory(_) | Source::Iota | Source::Same(_) => None,
    }
}

impl Graph<'_> {
    /// An item that does the same, if there is one and nothing would change if it were done once.
    fn same(&self, work: &Work<'_>, axes: &[Size], out: &[usize], args: &[View]) -> Option<usize> {
        let alike = |it: &Item<'_>| match (&it.work, work) {
            (Work::Prim(x), Work::Prim(y)) => x == y,
            (Work::Reduce(x), Work::Reduce(y)) => x == y,
            (Work::Copy, Work::Copy) => true,
            _ => false,
        };
        let mut items = self.items.iter().enumerate().skip(self.n_done);
        let same = |it: &Item<'_>| it.axes == axes && it.out == out && it.args == args;
        items.find(|(_, it)| alike(it) && same(it)).map(|it| it.0)
    }
}

impl<'a> Lower<'a, '_> {
    /// An operand as a view, without axes if it is a scalar.
    pub(crate) fn arg(&mut self, atom: &ir::Atom) -> View {
        match self.operand(atom) {
            Operand::Scalar(it) => View::same(it, &self.type_of(atom)),
            Operand::Array(view) => self.resolve(&view),
        }
    }

    /// The view of what is there already, if it is.
    pub(crate) fn resolve(&self, view: &View) -> View {
        let Source::Item(item, result) = view.source else { return view.clone() };
        match self.graph.resolved.get(&(item, result)) {
            Some(Operand::Array(there)) => {
                there.mapped(view.sizes.clone(), &|axis| view.map[axis].clone())
            }
            Some(Operand::Scalar(atom)) => View {
                source: Source::Same(*atom),
                dims: Vec::new(),
                map: Vec::new(),
                ..view.clone()
            },
            None => view.clone(),
        }
    }

    /// A scalar that is there already.
    fn ready(&mut self, atom: &ir::Atom) -> Option<Atom> {
        let view = self.arg(atom);
        match view.source {
            Source::Same(it) if view.sizes.is_empty() => Some(it),
            Source::Memory(_) if view.sizes.is_empty() => Some(self.element(&view, &[])),
            Source::Same(_) | Source::Memory(_) | Source::Iota | Source::Item(..) => None,
        }
    }

    /// Makes sure that the variables of sizes are there.
    pub(crate) fn ready_sizes<'s>(&mut self, sizes: impl IntoIterator<Item = &'s Size>) {
        for var in sizes.into_iter().flat_map(Size::vars) {
            if let Some(Operand::Array(view)) = self.values.get(&var).cloned() {
                if item_of(&self.resolve(&view)).is_some() {
                    let span = self.span;
                    self.flush(None);
                    self.span = span;
                }
                let view = self.resolve(&view);
                let atom = self.element(&view, &[]);
                self.values.insert(var, Operand::Scalar(atom));
            }
        }
    }

    /// An array whose sizes are there: a filter, for one, only tells when it ran.
    fn measured(&mut self, array: &ir::Atom) -> View {
        let view = self.arg(array);
        self.ready_sizes(&view.sizes);
        self.arg(array)
    }

    /// A new item; gives its result.
    pub(crate) fn push(
        &mut self,
        work: Work<'a>,
        axes: Vec<Size>,
        out: Vec<usize>,
        args: Vec<View>,
        elem: ir::Type,
    ) -> View {
        let fails = may_fail(&work, &elem);
        let sizes: Vec<Size> = out.iter().map(|it| axes[*it].clone()).collect();
        let used: BTreeSet<usize> = args.iter().flat_map(View::varies).collect();
        let kept: Vec<usize> =
            (0..axes.len()).filter(|it| fails || used.contains(it) || !out.contains(it)).collect();
        let new = |axis: usize| kept.iter().position(|it| *it == axis);
        let kept_axes: Vec<Size> = kept.iter().map(|it| axes[*it].clone()).collect();
        let args = args.iter().map(|it| {
            it.mapped(kept_axes.clone(), &|axis| Lin::axis(new(axis).unwrap_or(usize::MAX)))
        });
        let args = args.collect();
        // The result's own axes, and which of the axes asked for each is.
        let kept_out: Vec<(usize, usize)> =
            out.iter().enumerate().filter_map(|(at, it)| Some((at, new(*it)?))).collect();
        let item = self.graph.items.len();
        let view = View {
            source: Source::Item(item, 0),
            dims: kept_out.iter().map(|it| kept_axes[it.1].clone()).collect(),
            map: kept_out.iter().map(|it| Lin::axis(it.0)).collect(),
            sizes,
            elem: elem.clone(),
        };
        let mut whole = BTreeSet::new();
        if let Work::Gather { array: it, .. } | Work::Scatter { into: it, .. } = &work {
            whole.extend(item_of(it));
        }
        let out: Vec<usize> = kept_out.into_iter().map(|it| it.1).collect();
        let args: Vec<View> = args;
        if let Some(item) = self.graph.same(&work, &kept_axes, &out, &args) {
            return View { source: Source::Item(item, 0), ..view };
        }
        let span = self.span;
        self.graph.items.push(Item { work, axes: kept_axes, out, args, elem, span, whole });
        view
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
        let item = self.graph.items.len();
        let mut whole = BTreeSet::new();
        let end = self.uses.moment(stmt.binders.first().map(|it| it.var)).end;
        for var in walk::free_vars_op(&stmt.op) {
            if let Some(Operand::Array(view)) = self.values.get(&var).cloned() {
                let view = self.resolve(&view);
                whole.extend(item_of(&view));
                if self.may_overwrite(&stmt.op, &view) && self.uses.left(var, end) == 0 {
                    whole.extend(self.done_before(&view.source, end));
                }
            }
        }
        // Statements of this kind keep their order.
        let flows = self.graph.items.iter().enumerate().skip(self.graph.n_done);
        whole.extend(
            flows.filter(|it| matches!(it.1.work, Work::Flow(_))).map(|it| it.0).next_back(),
        );
        for (at, binder) in stmt.binders.iter().enumerate() {
            self.define(binder, Operand::Array(View::item(item, at, &binder.ty)));
        }
        let (axes, out, args, span) = (Vec::new(), Vec::new(), Vec::new(), self.span);
        let work = Work::Flow(stmt);
        self.graph.items.push(Item { work, axes, out, args, elem: ir::Type::Int, span, whole });
    }

    /// Adds a statement.
    pub(crate) fn add_stmt(&mut self, stmt: &'a Stmt) {
        let var = stmt.binders.first().map(|it| it.var);
        self.span = var.and_then(|it| self.def.spans.0.get(&it)).copied();
        if let Some(view) = self.nest(stmt) {
            let operand = match view.source {
                Source::Same(atom) if view.sizes.is_empty() => Operand::Scalar(atom),
                Source::Memory(_) | Source::Iota | Source::Same(_) | Source::Item(..) => {
                    Operand::Array(view)
                }
            };
            self.define(&stmt.binders[0], operand);
        } else {
            let sizes: Vec<Size> =
                walk::types(&stmt.op).into_iter().flat_map(|it| it.split_arrays().0).collect();
            self.ready_sizes(&sizes);
            if let Op::Array(ArrayOp::Concat(arrays)) = &stmt.op {
                self.place_parts(&stmt.binders[0], arrays);
            }
            self.push_flow(stmt);
        }
    }

    /// What a statement binds, if it is a view or a nest.
    fn nest(&mut self, stmt: &'a Stmt) -> Option<View> {
        let ty = &stmt.binders.first()?.ty;
        let (sizes, elem) = ty.split_arrays();
        for binder in &stmt.binders {
            let sizes = binder.ty.split_arrays().0;
            self.ready_sizes(&sizes);
            self.check_fits(&sizes);
        }
        let view = match &stmt.op {
            Op::Copy(atom)
            | Op::Derive(DeriveOp::StopGradient(atom) | DeriveOp::Checkpoint { value: atom, .. }) => {
                self.arg(atom)
            }
            Op::Prim(prim, args) => self.nest_prim(*prim, args, &sizes, elem),
            Op::Size(size) => {
                self.ready_sizes([size]);
                View::same(self.size(size), elem)
            }
            Op::Array(ArrayOp::Replicate { size, value }) => {
                self.ready_sizes([size]);
                self.check_natural(size);
                self.arg(value).replicate(size)
            }
            Op::Array(ArrayOp::Iota(size)) => {
                self.check_natural(size);
                View::iota(size)
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                self.arg(array).transpose(permutation)
            }
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                self.ready_sizes([from, to]);
                let view = self.measured(array);
                self.nest_slice(&view, *axis, from, to)
            }
            Op::Array(ArrayOp::Reverse(array)) => {
                let view = self.measured(array);
                let size = self.size(&view.sizes[0]);
                let last = self.sub(size, Atom::Int(1));
                view.reverse(last)
            }
            Op::Array(ArrayOp::Index { array, indices }) => {
                let view = self.measured(array);
                let ready: Option<Vec<Atom>> = indices.iter().map(|it| self.ready(it)).collect();
                match ready {
                    Some(indices) => self.nest_index(&view, &indices),
                    None => {
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
                self.nest_scatter(moment, (into, values), indices, mask.as_ref())
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                let view = self.arg(array);
                self.nest_reduce(*reduction, *axis, view)
            }
            Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) => {
                let greatest = matches!(stmt.op, Op::Array(ArrayOp::Argmax(_)));
                let view = self.measured(array);
                let size = self.size(&view.sizes[0]);
                let some = self.prim(Scalar::Bool, Prim::Gt, &[size, Atom::Int(0)]);
                self.check(some, Fault::NoGreatest, Vec::new());
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
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => return None,
        };
        Some(view)
    }
}

fn may_fail(work: &Work<'_>, elem: &ir::Type) -> bool {
    match work {
        Work::Prim(prim) => fails(*prim, elem),
        Work::Gather { .. } | Work::Scatter { .. } | Work::Flow(_) => true,
        Work::Copy | Work::Reduce(_) | Work::Product(_) | Work::Rows { .. } => false,
    }
}

fn fails(prim: Prim, elem: &ir::Type) -> bool {
    matches!(prim, Prim::Div | Prim::Rem | Prim::Pow) && *elem == ir::Type::Int
}
