//! What a stretch of a block computes, as items that depend on one another.
//!
//! An item computes something at every point of its *domain*, a product of axes: the element of an
//! array, or what is added up, or where something is added. What only shows elements in another order
//! is no item but a view. Scalars are arrays without axes. Statements that are no loop nests (control
//! flow, calls, sorting) are items without a domain that need their operands as a whole.
//!
//! An axis along which nothing varies is left out, so what is invariant is computed once.
//!
//! Checks of what is known before anything runs, and scalars of scalars, come before all items
//! (`items/before.rs`); what an item checks at a point follows from its work.
//!
//! Items say what is computed, and nothing of loops. Statements become items in `items/statement.rs`;
//! `items/print.rs` prints them, `items/verify.rs` says what they satisfy.

mod ahead;
mod before;
mod index;
mod joined;
mod position;
mod print;
mod readers;
mod reading;
mod rows;
mod scatter;
mod statement;
mod turn;
mod update;
mod verify;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut};

use base::Span;
use ir::{Prim, Reduction, Size, Stmt};
use loops::{How, Var};

use crate::view::{Lin, Source, View};

pub(crate) use ahead::Ahead;
pub(crate) use before::{Before, Check, Early};
pub(crate) use joined::joined;
pub(crate) use print::{letter, list};
pub(crate) use reading::Reading;

/// The items of a stretch: statements of a block up to its end, or to one that needs a size that is
/// computed here.
#[derive(Clone, Default)]
pub(crate) struct Items<'a> {
    /// What is done before all of them.
    pub(crate) before: Vec<Before>,
    pub(crate) all: Vec<Item<'a>>,
    /// Variables of the ir that show what items give.
    pub(crate) names: BTreeMap<ir::Var, View>,
    /// What the block gives, if this is its end; otherwise what the rest of it reads.
    pub(crate) results: Vec<View>,
    /// Whether the block goes on.
    pub(crate) goes_on: bool,
    /// Items whose results are positions in range.
    pub(crate) positions: BTreeSet<usize>,
    /// Memory that is there already.
    pub(crate) room: Room,
}

/// Memory that is meant for what items give.
#[derive(Clone, Default)]
pub(crate) struct Room {
    /// For results of control flow.
    pub(crate) flows: BTreeMap<(usize, usize), Var>,
    /// For other items.
    pub(crate) nests: BTreeMap<usize, Var>,
    /// The arrays that are put together of several, by what the statement binds, with where the parts
    /// begin.
    pub(crate) joined: BTreeMap<ir::Var, (Var, Vec<Var>)>,
    /// Memory that is there already, of what scatters change or meant for it, that may be overwritten behind its
    /// last read.
    pub(crate) own: BTreeSet<Var>,
}

/// What is computed together.
#[derive(Clone)]
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
#[derive(Clone)]
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
    /// From its moment on nobody else reads the array, if there is one. One that replaces (`How::Set`) goes to one
    /// element or row, and checks no index: that was done, or the mask says it.
    Scatter { into: View, last_read: Option<usize>, n_indices: usize, masked: bool, how: How },
    /// The sum of the products of two arguments, as a product of matrices.
    Product(Product),
    /// Puts its arguments side by side: rows of an array whose first axes are of these sizes. In memory
    /// those axes may be the innermost ones.
    Rows { sizes: Vec<Size>, inside: bool },
    /// A statement that is no nest.
    Flow(&'a Stmt),
}

/// A product of matrices: axes of the domain of its item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Product {
    /// Rows of the first operand and of the result.
    pub(crate) left: usize,
    /// Columns of the second operand and of the result.
    pub(crate) right: usize,
    /// What is added up.
    pub(crate) inner: usize,
    /// Whether a factor zero makes a product zero, whatever the other one is.
    pub(crate) scaled: bool,
}

impl Product {
    pub(crate) fn axes(&self) -> [usize; 3] {
        [self.left, self.right, self.inner]
    }
}

pub(crate) fn item_of(view: &View) -> Option<usize> {
    match view.source {
        Source::Item(item, _) => Some(item),
        Source::Memory(_) | Source::Iota | Source::Same(_) => None,
    }
}

impl<'a> Index<usize> for Items<'a> {
    type Output = Item<'a>;
    fn index(&self, item: usize) -> &Item<'a> {
        &self.all[item]
    }
}

impl<'a> IndexMut<usize> for Items<'a> {
    fn index_mut(&mut self, item: usize) -> &mut Item<'a> {
        &mut self.all[item]
    }
}

impl<'a> Items<'a> {
    /// A new item, or one that does the same; gives its result.
    pub(crate) fn push(
        &mut self,
        (work, elem): (Work<'a>, ir::Type),
        axes: Vec<Size>,
        out: Vec<usize>,
        args: Vec<View>,
        span: Option<Span>,
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
        let args: Vec<View> = args.collect();
        // The result's own axes, and which of the axes asked for each is.
        let kept_out: Vec<(usize, usize)> =
            out.iter().enumerate().filter_map(|(at, it)| Some((at, new(*it)?))).collect();
        let item = self.all.len();
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
        if let Some(item) = self.same(&work, &kept_axes, &out, &args) {
            return View { source: Source::Item(item, 0), ..view };
        }
        self.all.push(Item { work, axes: kept_axes, out, args, elem, span, whole });
        view
    }

    /// An item that does the same, if there is one and nothing would change if it were done once.
    fn same(&self, work: &Work<'_>, axes: &[Size], out: &[usize], args: &[View]) -> Option<usize> {
        let alike = |it: &Item<'_>| match (&it.work, work) {
            (Work::Prim(x), Work::Prim(y)) => x == y,
            (Work::Reduce(x), Work::Reduce(y)) => x == y,
            (Work::Copy, Work::Copy) => true,
            _ => false,
        };
        let same = |it: &Item<'_>| it.axes == axes && it.out == out && it.args == args;
        self.all.iter().position(|it| alike(it) && same(it))
    }

    /// The arguments of an item, as the reader of a view of it sees them.
    pub(crate) fn through(&self, item: usize, view: &View) -> Vec<View> {
        let it = &self[item];
        // The axes of the domain are those of the result: it reduces nothing.
        let by = |axis: usize| match it.out.iter().position(|out| *out == axis) {
            Some(at) => view.map[at].clone(),
            None => Lin { terms: Vec::new(), offset: Vec::new() },
        };
        it.args.iter().map(|arg| arg.mapped(view.sizes.clone(), &by)).collect()
    }

    /// Whether some of these sizes are computed here.
    pub(crate) fn compute<'s>(&self, sizes: impl IntoIterator<Item = &'s Size>) -> bool {
        let mut vars = sizes.into_iter().flat_map(Size::vars);
        vars.any(|it| self.names.contains_key(&it))
    }
}

fn may_fail(work: &Work<'_>, elem: &ir::Type) -> bool {
    match work {
        Work::Prim(prim) => fails(*prim, elem),
        Work::Gather { .. } | Work::Scatter { .. } | Work::Flow(_) => true,
        Work::Copy | Work::Reduce(_) | Work::Product(_) | Work::Rows { .. } => false,
    }
}

/// Whether a primitive may end the run.
pub(crate) fn fails(prim: Prim, elem: &ir::Type) -> bool {
    matches!(prim, Prim::Div | Prim::Rem | Prim::Pow) && *elem == ir::Type::Int
}
