//! Products of matrices: the kernel of the runtime, and where its operands are, which are memory.

use loops::{Atom, Kernel, Matrix, Node, Place, Term};

use super::{Held, Nest, Nests};
use crate::items::Product;
use crate::view::{Source, View};

impl<'a> Nests<'_, 'a, '_> {
    pub(super) fn product(&mut self, nest: &mut Nest<'_, 'a>, item: usize, product: Product) {
        let args = nest.items[item].args.clone();
        let a = self.matrix(nest, item, &args[0], product.left, product.inner);
        let b = self.matrix(nest, item, &args[1], product.inner, product.right);
        let chunk = nest.chunk.as_ref().and_then(|it| it.accs.get(&item)).cloned();
        let add = chunk.is_some();
        let held = chunk.unwrap_or_else(|| nest.held[&item].clone());
        let c = held_matrix(nest, item, &held, product);
        let m = self.axis_count(nest, item, product.left);
        let n = self.axis_count(nest, item, product.right);
        let k = self.axis_count(nest, item, product.inner);
        let scaled = product.scaled;
        self.emit(Node::Kernel(Kernel::Product { m, n, k, a, b, c, add, scaled }));
    }

    fn matrix(
        &mut self,
        nest: &Nest<'_, 'a>,
        item: usize,
        view: &View,
        rows: usize,
        columns: usize,
    ) -> Matrix {
        let view = nest.resolve(view);
        // For each axis of the memory, which index of the view it is, and its stride.
        let (array, axes, local) = match view.source {
            Source::Memory(array) => {
                let strides = self.strides(&view.dims);
                (array, view.map.iter().cloned().zip(strides).collect::<Vec<_>>(), false)
            }
            Source::Item(source, _) => {
                let held: Held = nest.held[&source].clone();
                let out = nest.items[source].out.clone();
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
                    return begin(nest, class, local);
                }
                let parts = nest.at(class);
                let chunk = nest.chunk.as_ref().is_some_and(|it| it.class == class);
                if local && chunk { parts[1..].to_vec() } else { parts }
            };
            let index: Vec<Vec<Atom>> = (0..nest.items[item].axes.len())
                .map(|axis| match lin.terms.iter().any(|it| it.0 == axis) {
                    true => index(axis),
                    false => Vec::new(),
                })
                .collect();
            self.terms(lin, *stride, &|axis| index[axis].clone(), &mut at);
        }
        Matrix { array, at, rows: row_stride, columns: column_stride }
    }
}

fn held_matrix(nest: &Nest<'_, '_>, item: usize, held: &Held, product: Product) -> Matrix {
    let mut at = Place::new();
    let (mut rows, mut columns) = (Atom::Int(0), Atom::Int(0));
    for (axis, stride) in &held.axes {
        let class = nest.plan.class(item, *axis);
        let index = if *axis == product.left || *axis == product.right {
            begin(nest, class, held.local)
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

/// Where a kernel begins along an axis of its own, in memory that is not of the chunk.
fn begin(nest: &Nest<'_, '_>, class: usize, local: bool) -> Vec<Atom> {
    match &nest.chunk {
        Some(chunk) if chunk.class == class && !local => vec![chunk.start],
        Some(_) | None => Vec::new(),
    }
}
