//! Contractions: a sum of products of two arrays over an axis that both have, where each has an axis
//! that the other has not, is a product of matrices for every index of what they share. The runtime
//! has a kernel for it; its operands are memory.

use std::collections::BTreeSet;

use ir::{Prim, Reduction};
use loops::{Atom, Kernel, Matrix, Node, Place, Term};

use crate::context::Lower;
use crate::graph::{Work, item_of};
use crate::nest::{Held, Nest};
use crate::plan::Plan;
use crate::tuning::{LEAST_PRODUCT, THIN_PRODUCT};
use crate::view::{Lin, Source, View};

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

impl Lower<'_, '_> {
    /// Makes sums of products items of their own.
    pub(crate) fn find_products(&mut self) {
        for item in self.graph.n_done..self.graph.items.len() {
            if let Some((product, args)) = self.as_product(item) {
                let it = &mut self.graph.items[item];
                (it.work, it.args) = (Work::Product(product), args);
            }
        }
    }

    fn as_product(&self, item: usize) -> Option<(Product, Vec<View>)> {
        let it = &self.graph.items[item];
        let (Work::Reduce(Reduction::Sum), [view]) = (&it.work, it.args.as_slice()) else {
            return None;
        };
        let source = item_of(view).filter(|it| *it >= self.graph.n_done)?;
        let scaled = match self.graph.items[source].work {
            Work::Prim(Prim::Mul) => false,
            Work::Prim(Prim::Scale) => true,
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => return None,
            Work::Scatter { .. } | Work::Flow(_) | Work::Product(_) => return None,
            Work::Rows { .. } => return None,
        };
        if it.elem != ir::Type::Real || self.times_read(source) != 1 {
            return None;
        }
        let args = self.through(source, view);
        let [a, b] = args.as_slice() else { return None };
        let inner = (0..it.axes.len()).find(|axis| !it.out.contains(axis))?;
        let own = |view: &View| view.varies().collect::<BTreeSet<usize>>();
        let (in_a, in_b) = (own(a), own(b));
        let side = |own: &BTreeSet<usize>, other: &BTreeSet<usize>| {
            let only = own.difference(other).filter(|axis| it.out.contains(axis));
            only.copied()
                .max_by(|x, y| self.estimate(&it.axes[*x]).total_cmp(&self.estimate(&it.axes[*y])))
        };
        let (left, right) = (side(&in_a, &in_b)?, side(&in_b, &in_a)?);
        let product = Product { left, right, inner, scaled };
        let plain = |view: &View, axis: usize| {
            let mut with = view.map.iter().filter(|lin| lin.terms.iter().any(|it| it.0 == axis));
            with.next().is_some_and(|it| it.as_shifted_axis() == Some(axis))
                && with.next().is_none()
        };
        let fits = plain(a, left) && plain(a, inner) && plain(b, right) && plain(b, inner);
        let memory = |view: &View| matches!(view.source, Source::Memory(_) | Source::Item(..));
        let sizes = product.axes().map(|axis| self.estimate(&it.axes[axis]));
        let pays = sizes.iter().all(|it| *it >= THIN_PRODUCT)
            && sizes.iter().product::<f64>() >= LEAST_PRODUCT;
        (fits && pays && memory(a) && memory(b)).then_some((product, args))
    }

    /// How many items read one.
    fn times_read(&self, item: usize) -> usize {
        let reads = |view: &View| usize::from(item_of(view) == Some(item));
        let items = self.graph.items[self.graph.n_done..].iter();
        let own = items.map(|it| {
            it.args.iter().map(reads).sum::<usize>() + usize::from(it.whole.contains(&item))
        });
        own.sum::<usize>() + self.graph.results.iter().map(reads).sum::<usize>()
    }

    /// Whether a product takes part in chunks over a class: the operand without it is small, so that
    /// it stays in the cache.
    pub(crate) fn is_chunked_product(&self, plan: &Plan, item: usize, product: Product) -> bool {
        let Some(batch) = plan.batch_of(&self.graph, item) else { return false };
        let it = &self.graph.items[item];
        let others = product.axes().into_iter().filter(|axis| plan.class(item, *axis) != batch);
        let small: f64 = others.map(|axis| self.estimate(&it.axes[axis])).product();
        let fed = plan.reads[&item].iter().any(|it| item_of(it).is_some());
        let read = plan.readers.get(&item).is_some_and(|it| !it.is_empty());
        small <= 128.0 * 128.0 && (fed || read)
    }

    /// Whether the rows of a product may as well be its columns: nobody needs it as a whole, and both
    /// operands are next to the axis that they share, or both are not. Else one of them would be turned
    /// around on its way into the kernel, which costs more than reading the result with gaps.
    pub(crate) fn is_turnable(&self, plan: &Plan, item: usize) -> bool {
        let it = &self.graph.items[item];
        let Work::Product(product) = it.work else { return false };
        let is_whole = plan.products.get(&item) == Some(&false);
        let last = |at: usize| it.args[at].map.last().and_then(Lin::as_shifted_axis);
        let is_even = (last(0) == Some(product.left)) == (last(1) == Some(product.right));
        is_whole && is_even && !plan.external.contains(&item)
    }

    pub(crate) fn product(&mut self, nest: &mut Nest<'_>, item: usize, product: Product) {
        let args = self.graph.items[item].args.clone();
        let a = self.matrix(nest, item, &args[0], product.left, product.inner);
        let b = self.matrix(nest, item, &args[1], product.inner, product.right);
        let chunk = nest.chunk.as_ref().and_then(|it| it.accs.get(&item)).cloned();
        let add = chunk.is_some();
        let held = chunk.unwrap_or_else(|| nest.held[&item].clone());
        let c = self.held_matrix(nest, item, &held, product);
        let m = self.axis_count(nest, item, product.left);
        let n = self.axis_count(nest, item, product.right);
        let k = self.axis_count(nest, item, product.inner);
        let scaled = product.scaled;
        self.emit(Node::Kernel(Kernel::Product { m, n, k, a, b, c, add, scaled }));
    }

    /// Where a kernel begins along an axis of its own, in memory that is not of the chunk.
    fn begin(&self, nest: &Nest<'_>, class: usize, local: bool) -> Vec<Atom> {
        match &nest.chunk {
            Some(chunk) if chunk.class == class && !local => vec![chunk.start],
            Some(_) | None => Vec::new(),
        }
    }

    fn matrix(
        &mut self,
        nest: &Nest<'_>,
        item: usize,
        view: &View,
        rows: usize,
        columns: usize,
    ) -> Matrix {
        let view = self.resolve(view);
        // For each axis of the memory, which index of the view it is, and its stride.
        let (array, axes, local) = match view.source {
            Source::Memory(array) => {
                let strides = self.strides(&view.dims);
                (array, view.map.iter().cloned().zip(strides).collect::<Vec<_>>(), false)
            }
            Source::Item(source, _) => {
                let held: Held = nest.held[&source].clone();
                let out = self.graph.items[source].out.clone();
                let axes = held.axes.iter().filter_map(|(axis, stride)| {
                    let at = out.iter().position(|it| it == axis)?;
                    Some((view.map[at].clone(), *stride))
                });
                (held.array, axes.collect(), held.local)
            }
            Source::Iota | Source::Same(_) => panic!("compiler bug: an operand without memory"),
        };
        let stride = |axis: usize| {
            let own = axes.iter().find(|it| it.0.as_shifted_axis() == Some(axis));
            own.map_or(Atom::Int(0), |it| it.1)
        };
        let (row_stride, column_stride) = (stride(rows), stride(columns));
        let mut at = Place::new();
        for (lin, stride) in &axes {
            let index = |axis: usize| {
                let class = nest.plan.class(item, axis);
                if axis == rows || axis == columns {
                    return self.begin(nest, class, local);
                }
                let parts = nest.at(class);
                let chunk = nest.chunk.as_ref().is_some_and(|it| it.class == class);
                if local && chunk { parts[1..].to_vec() } else { parts }
            };
            let index: Vec<Vec<Atom>> = (0..self.graph.items[item].axes.len())
                .map(|axis| match lin.terms.iter().any(|it| it.0 == axis) {
                    true => index(axis),
                    false => Vec::new(),
                })
                .collect();
            self.terms(lin, *stride, &|axis| index[axis].clone(), &mut at);
        }
        Matrix { array, at, rows: row_stride, columns: column_stride }
    }

    fn held_matrix(&self, nest: &Nest<'_>, item: usize, held: &Held, product: Product) -> Matrix {
        let mut at = Place::new();
        let (mut rows, mut columns) = (Atom::Int(0), Atom::Int(0));
        for (axis, stride) in &held.axes {
            let class = nest.plan.class(item, *axis);
            let index = if *axis == product.left || *axis == product.right {
                self.begin(nest, class, held.local)
            } else {
                nest.parts(held, class).to_vec()
            };
            at.extend(index.into_iter().map(|index| Term { index, stride: *stride }));
            if *axis == product.left {
                rows = *stride;
            } else if *axis == product.right {
                columns = *stride;
            }
        }
        Matrix { array: held.array, at, rows, columns }
    }
}
