//! Rules for single elements, and for rows: the index goes to where the element comes from.

use ir::{ArrayOp, Atom, Op, Size, Type};

use super::axes::index;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact("index-nothing", "`index a ()` -> `a`", &[On::Index], index_nothing),
    Rule::exact("index-literal", "`index [a, b] (1)` -> `b`", &[On::Index], index_literal),
    Rule::exact(
        "index-prim",
        "`index (add xs ys) (i)` -> `add (index xs (i)) (index ys (i))`, where nobody else needs \
         the sum and the index is taken where the sum was made",
        &[On::Index],
        index_prim,
    ),
    Rule::exact(
        "index-replicate",
        "`index (replicate n x) (i)` -> `x`, in bounds",
        &[On::Index],
        index_replicate,
    ),
    Rule::exact("index-iota", "`index (iota n) (i)` -> `i`, in bounds", &[On::Index], index_iota),
    Rule::exact(
        "index-reverse",
        "`index (reverse a) (i)` -> `index a (n - 1 - i)`, in bounds",
        &[On::Index],
        index_reverse,
    ),
    Rule::exact(
        "index-transpose",
        "`index (transpose [1, 0] a) (i, j)` -> `index a (j, i)`, in bounds",
        &[On::Index],
        index_transpose,
    ),
    Rule::exact(
        "index-gather",
        "`index (gather a (is)) (j)` -> `index a (index is (j))`, where the gather cannot fail and \
         nobody else needs it",
        &[On::Index],
        index_gather,
    ),
];

fn index_nothing(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Index { array, indices }) = op else { return None };
    indices.is_empty().then(|| Step::Value(array.clone()))
}

fn index_literal(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Index { array, indices }) = op else { return None };
    let Op::Array(ArrayOp::Literal { parts, .. }) = forward.facts.op_of(array)? else {
        return None;
    };
    let [Atom::Int(at), rest @ ..] = &**indices else { return None };
    let part = parts.get(usize::try_from(*at).ok()?)?.clone();
    Some(Step::Op(index(part, rest.to_vec())))
}

fn index_prim(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Index { array, indices }) = op else { return None };
    let Op::Prim(prim, args) = forward.facts.op_of(array)?.clone() else { return None };
    let rank = forward.facts.sizes_of(array)?.len();
    let movable = is_movable(forward, array);
    if rank != indices.len() || !movable || forward.facts.prim_can_fail(prim, &args) {
        return None;
    }
    let args = elements(forward, &args, indices)?;
    Some(Step::Op(Op::Prim(prim, args)))
}

/// The operation that binds an array, and the indices that are known to be in bounds of it.
fn in_bounds(forward: &Forward<'_>, op: &Op) -> Option<(Op, Vec<Atom>)> {
    let Op::Array(ArrayOp::Index { array, indices }) = op else { return None };
    let depth = forward.facts.depth();
    let known = !indices.is_empty() && forward.facts.all_in_bounds(array, indices, None, depth);
    let of = forward.facts.op_of(array)?;
    known.then(|| (of.clone(), indices.clone()))
}

fn index_replicate(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (Op::Array(ArrayOp::Replicate { value, .. }), indices) = in_bounds(forward, op)? else {
        return None;
    };
    Some(Step::Op(index(value, indices[1..].to_vec())))
}

fn index_iota(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (Op::Array(ArrayOp::Iota(_)), indices) = in_bounds(forward, op)? else { return None };
    Some(Step::Value(indices[0].clone()))
}

fn index_reverse(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (Op::Array(ArrayOp::Reverse(array)), mut indices) = in_bounds(forward, op)? else {
        return None;
    };
    let (sizes, first) = (forward.facts.sizes_of(&array)?, forward.facts.affine(&indices[0])?);
    let last = sizes[0].sub(&Size::constant(1));
    indices[0] = forward.emit(Op::Size(last.sub(&first.offset)))?;
    Some(Step::Op(index(array, indices)))
}

fn index_transpose(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (of, indices) = in_bounds(forward, op)?;
    let Op::Array(ArrayOp::Transpose { array, permutation }) = of else { return None };
    if indices.len() < permutation.len() {
        return None;
    }
    let mut moved = indices.clone();
    for (index, axis) in indices.into_iter().zip(permutation) {
        moved[axis] = index;
    }
    Some(Step::Op(index(array, moved)))
}

fn index_gather(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Index { array, .. }) = op else { return None };
    let movable = is_movable(forward, array);
    let (of, indices) = in_bounds(forward, op)?;
    let Op::Array(ArrayOp::Gather { array, indices: positions, mask: None }) = &of else {
        return None;
    };
    let rank = forward.facts.positions_shape(positions).len();
    if rank > indices.len() || !movable || forward.facts.can_fail(&of, forward.facts.depth()) {
        return None;
    }
    let (at, rest) = indices.split_at(rank);
    let mut moved = elements(forward, positions, at)?;
    moved.extend(rest.iter().cloned());
    Some(Step::Op(index(array.clone(), moved)))
}

/// Whether nobody else needs an array, and it was made in this block.
fn is_movable(forward: &Forward<'_>, array: &Atom) -> bool {
    forward.facts.is_used_once(array) && forward.facts.is_here(array)
}

/// The elements of arrays at a place; scalars stay.
fn elements(forward: &mut Forward<'_>, arrays: &[Atom], indices: &[Atom]) -> Option<Vec<Atom>> {
    let mut res = Vec::new();
    for array in arrays {
        let is_array = matches!(forward.facts.type_of(array)?, Type::Array(..));
        res.push(match is_array {
            false => array.clone(),
            true => forward.emit(index(array.clone(), indices.to_vec()))?,
        });
    }
    Some(res)
}
