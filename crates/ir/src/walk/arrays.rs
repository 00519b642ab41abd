//! Operations on arrays: visited and rewritten, side by side.

use std::sync::Arc;

use super::rewrite::{Rewrite, rewrite_atoms, rewrite_lambda, rewrite_sizes};
use super::visit::{Visit, visit_atoms, visit_lambda, visit_sizes};
use crate::op::ArrayOp;

/// What an operation on arrays consists of.
pub(super) fn visit_array<'a, V: Visit<'a> + ?Sized>(op: &'a ArrayOp, by: &mut V) {
    match op {
        ArrayOp::Literal { elem, parts } => {
            by.ty(elem);
            visit_atoms(parts, by);
        }
        ArrayOp::Index { array, indices } => {
            by.atom(array);
            visit_atoms(indices, by);
        }
        ArrayOp::Slice { array, axis: _, from, to } => {
            by.atom(array);
            by.size(from);
            by.size(to);
        }
        ArrayOp::Reduce { reduction: _, axis: _, array } => by.atom(array),
        ArrayOp::Gather { array, indices, mask } => {
            by.atom(array);
            visit_atoms(indices, by);
            mask.iter().for_each(|it| by.atom(it));
        }
        ArrayOp::Scatter { into, indices, values, mask } => {
            by.atom(into);
            visit_atoms(indices, by);
            by.atom(values);
            mask.iter().for_each(|it| by.atom(it));
        }
        ArrayOp::Replicate { size, value } => {
            by.size(size);
            by.atom(value);
        }
        ArrayOp::Iota(size) => by.size(size),
        ArrayOp::Transpose { array, permutation: _ } => by.atom(array),
        ArrayOp::Reshape { array, rank: _, sizes } => {
            by.atom(array);
            visit_sizes(sizes, by);
        }
        ArrayOp::Argmax(array) | ArrayOp::Argmin(array) | ArrayOp::Reverse(array) => by.atom(array),
        ArrayOp::Sort(array) | ArrayOp::Argsort(array) => by.atom(array),
        ArrayOp::Concat(arrays) => visit_atoms(arrays, by),
        ArrayOp::Filter { array, predicate } => {
            by.atom(array);
            visit_lambda(predicate, by);
        }
        ArrayOp::Sized { array, size } => {
            by.atom(array);
            by.size(size);
        }
    }
}

/// The operation with everything in it rewritten, in the order in which it is visited.
pub(super) fn rewrite_array(op: &ArrayOp, by: &mut dyn Rewrite) -> ArrayOp {
    match op {
        ArrayOp::Literal { elem, parts } => {
            ArrayOp::Literal { elem: by.ty(elem), parts: rewrite_atoms(parts, by) }
        }
        ArrayOp::Index { array, indices } => {
            ArrayOp::Index { array: by.atom(array), indices: rewrite_atoms(indices, by) }
        }
        ArrayOp::Slice { array, axis, from, to } => ArrayOp::Slice {
            array: by.atom(array),
            axis: *axis,
            from: by.size(from),
            to: by.size(to),
        },
        ArrayOp::Reduce { reduction, axis, array } => {
            ArrayOp::Reduce { reduction: *reduction, axis: *axis, array: by.atom(array) }
        }
        ArrayOp::Argmax(array) => ArrayOp::Argmax(by.atom(array)),
        ArrayOp::Argmin(array) => ArrayOp::Argmin(by.atom(array)),
        ArrayOp::Gather { array, indices, mask } => {
            let array = by.atom(array);
            let indices = rewrite_atoms(indices, by);
            ArrayOp::Gather { array, indices, mask: mask.as_ref().map(|it| by.atom(it)) }
        }
        ArrayOp::Scatter { into, indices, values, mask } => ArrayOp::Scatter {
            into: by.atom(into),
            indices: rewrite_atoms(indices, by),
            values: by.atom(values),
            mask: mask.as_ref().map(|it| by.atom(it)),
        },
        ArrayOp::Replicate { size, value } => {
            ArrayOp::Replicate { size: by.size(size), value: by.atom(value) }
        }
        ArrayOp::Iota(size) => ArrayOp::Iota(by.size(size)),
        ArrayOp::Transpose { array, permutation } => {
            ArrayOp::Transpose { array: by.atom(array), permutation: permutation.clone() }
        }
        ArrayOp::Reshape { array, rank, sizes } => {
            ArrayOp::Reshape { array: by.atom(array), rank: *rank, sizes: rewrite_sizes(sizes, by) }
        }
        ArrayOp::Reverse(array) => ArrayOp::Reverse(by.atom(array)),
        ArrayOp::Concat(arrays) => ArrayOp::Concat(rewrite_atoms(arrays, by)),
        ArrayOp::Sort(array) => ArrayOp::Sort(by.atom(array)),
        ArrayOp::Argsort(array) => ArrayOp::Argsort(by.atom(array)),
        ArrayOp::Filter { array, predicate } => {
            let array = by.atom(array);
            ArrayOp::Filter { array, predicate: Arc::new(rewrite_lambda(predicate, by)) }
        }
        ArrayOp::Sized { array, size } => {
            ArrayOp::Sized { array: by.atom(array), size: by.size(size) }
        }
    }
}
