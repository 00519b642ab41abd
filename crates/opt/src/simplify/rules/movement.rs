//! Rules for what moves elements without looking at them.

use ir::{ArrayOp, Op, Size, Type};

use super::axes::{composed, replicate, transpose, without};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact(
        "transpose-identity",
        "`transpose [0, 1] a` -> `a`; `transpose [1, 0, 2] a` -> `transpose [1, 0] a`",
        &[On::Transpose],
        transpose_identity,
    ),
    Rule::exact(
        "transpose-transpose",
        "`transpose p (transpose q a)` -> `transpose (q . p) a`",
        &[On::Transpose],
        transpose_transpose,
    ),
    Rule::exact(
        "transpose-replicate",
        "`transpose [0, 2, 1] (replicate n a)` -> `replicate n (transpose [1, 0] a)`, and so for \
         every replicated axis that comes to the front",
        &[On::Transpose],
        transpose_replicate,
    ),
    Rule::exact(
        "transpose-replicate-transpose",
        "`transpose p (replicate n (transpose q a))` -> one transpose of `replicate n a`, where \
         nobody else needs the inner ones",
        &[On::Transpose],
        transpose_replicate_transpose,
    ),
    Rule::exact(
        "reshape-identity",
        "`reshape 1 [n] a` -> `a`, where `a: [n]T`",
        &[On::Reshape],
        reshape_identity,
    ),
    Rule::exact(
        "reshape-reshape",
        "`reshape s (reshape t a)` -> `reshape s a`",
        &[On::Reshape],
        reshape_reshape,
    ),
    Rule::exact(
        "reshape-replicate",
        "`reshape [n * m] (replicate n (replicate m x))` -> `replicate (n * m) x`",
        &[On::Reshape],
        reshape_replicate,
    ),
    Rule::exact("reverse-reverse", "`reverse (reverse a)` -> `a`", &[On::Reverse], reverse_reverse),
    Rule::exact(
        "reverse-replicate",
        "`reverse (replicate n x)` -> `replicate n x`",
        &[On::Reverse],
        reverse_replicate,
    ),
    Rule::exact(
        "slice-whole",
        "`slice 0 (0..n) a` -> `a`, where `a: [n]T`",
        &[On::Slice],
        slice_whole,
    ),
    Rule::exact(
        "slice-replicate",
        "`slice 0 (a..b) (replicate n x)` -> `replicate (b - a) x`",
        &[On::Slice],
        slice_replicate,
    ),
    Rule::exact(
        "slice-slice",
        "`slice 0 (a..b) (slice 0 (c..d) x)` -> `slice 0 (c + a..c + b) x`",
        &[On::Slice],
        slice_slice,
    ),
    Rule::exact("concat-one", "`concat (a)` -> `a`", &[On::Concat], concat_one),
    Rule::exact(
        "concat-concat",
        "`concat (concat a b) c` -> `concat a b c`, where nobody else reads `concat a b`",
        &[On::Concat],
        concat_concat,
    ),
    Rule::exact("sized-known", "`sized a [n]` -> `a`, where `a: [n]T`", &[On::Sized], sized_known),
];

fn transpose_identity(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    let moved = permutation.iter().enumerate().rposition(|(at, it)| at != *it);
    let Some(last) = moved else { return Some(Step::Value(array.clone())) };
    let shorter = last + 1 < permutation.len();
    shorter.then(|| Step::Op(transpose(array.clone(), permutation[..=last].to_vec())))
}

fn transpose_transpose(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    let inner = forward.facts.op_of(array)?;
    let Op::Array(ArrayOp::Transpose { array, permutation: first }) = inner else { return None };
    Some(Step::Op(transpose(array.clone(), composed(first, permutation))))
}

fn transpose_replicate_transpose(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    let inner = forward.facts.op_of(array)?;
    let Op::Array(ArrayOp::Replicate { size, value }) = inner else { return None };
    let innermost = forward.facts.op_of(value)?;
    let Op::Array(ArrayOp::Transpose { array: inner, permutation: first }) = innermost else {
        return None;
    };
    if !forward.facts.is_used_once(array) || !forward.facts.is_used_once(value) {
        return None;
    }
    let first: Vec<usize> = [0].into_iter().chain(first.iter().map(|it| it + 1)).collect();
    let array = forward.emit(replicate(size.clone(), inner.clone()))?;
    Some(Step::Op(transpose(array, composed(&first, permutation))))
}

fn transpose_replicate(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
    let front = permutation[0];
    let mut outer = Vec::new();
    let mut rest = array.clone();
    let size = loop {
        let inner = forward.facts.op_of(&rest)?;
        let Op::Array(ArrayOp::Replicate { size, value }) = inner else { return None };
        let (size, value) = (size.clone(), value.clone());
        rest = value;
        if outer.len() == front {
            break size;
        }
        outer.push(size);
    };
    let rest = forward.replicated(rest, &outer)?;
    let value = forward.emit(transpose(rest, without(permutation, front)))?;
    Some(Step::Op(replicate(size, value)))
}

fn reshape_identity(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reshape { array, rank, sizes }) = op else { return None };
    let from = forward.facts.sizes_of(array)?;
    (from.get(..*rank) == Some(sizes)).then(|| Step::Value(array.clone()))
}

fn reshape_reshape(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reshape { array, rank, sizes }) = op else { return None };
    let inner = forward.facts.op_of(array)?;
    let Op::Array(ArrayOp::Reshape { array, rank: first, sizes: between }) = inner else {
        return None;
    };
    let (array, sizes) = (array.clone(), sizes.clone());
    let both = Op::Array(ArrayOp::Reshape { array, rank: *first, sizes });
    let depth = forward.facts.depth();
    let fails = forward.facts.can_fail(op, depth) || forward.facts.can_fail(&both, depth);
    (between.len() == *rank && !fails).then_some(Step::Op(both))
}

fn reshape_replicate(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reshape { array, rank, sizes }) = op else { return None };
    if forward.facts.can_fail(op, forward.facts.depth()) {
        return None;
    }
    let mut value = array.clone();
    for _ in 0..*rank {
        let inner = forward.facts.op_of(&value)?;
        let Op::Array(ArrayOp::Replicate { value: inner, .. }) = inner else { return None };
        value = inner.clone();
    }
    let value = forward.replicated(value, sizes)?;
    (forward.facts.type_of(&value)? == ty).then_some(Step::Value(value))
}

fn reverse_reverse(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reverse(array)) = op else { return None };
    let Op::Array(ArrayOp::Reverse(inner)) = forward.facts.op_of(array)? else { return None };
    Some(Step::Value(inner.clone()))
}

fn reverse_replicate(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reverse(array)) = op else { return None };
    let same = matches!(forward.facts.op_of(array)?, Op::Array(ArrayOp::Replicate { .. }));
    same.then(|| Step::Value(array.clone()))
}

fn slice_whole(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op else { return None };
    let whole =
        from.as_constant() == Some(0) && forward.facts.sizes_of(array)?.get(*axis) == Some(to);
    whole.then(|| Step::Value(array.clone()))
}

fn slice_replicate(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op else { return None };
    let Op::Array(ArrayOp::Replicate { size, value }) = forward.facts.op_of(array)?.clone() else {
        return None;
    };
    if forward.facts.can_fail(op, forward.facts.depth()) {
        return None;
    }
    let Some(axis) = axis.checked_sub(1) else {
        return Some(Step::Op(replicate(to.sub(from), value)));
    };
    let value = forward.emit(slice(value, axis, from.clone(), to.clone()))?;
    Some(Step::Op(replicate(size, value)))
}

fn slice(array: ir::Atom, axis: usize, from: Size, to: Size) -> Op {
    Op::Array(ArrayOp::Slice { array, axis, from, to })
}

fn slice_slice(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op else { return None };
    let inner = forward.facts.op_of(array)?;
    let Op::Array(ArrayOp::Slice { array, axis: first, from: start, .. }) = inner else {
        return None;
    };
    let both = slice(array.clone(), *axis, start.add(from), start.add(to));
    let depth = forward.facts.depth();
    let fails = forward.facts.can_fail(op, depth) || forward.facts.can_fail(&both, depth);
    (first == axis && !fails).then_some(Step::Op(both))
}

fn concat_one(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Concat(arrays)) = op else { return None };
    let [array] = &**arrays else { return None };
    Some(Step::Value(array.clone()))
}

fn concat_concat(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Concat(arrays)) = op else { return None };
    let mut all = Vec::new();
    for array in arrays {
        match forward.facts.op_of(array).filter(|_| forward.facts.is_used_once(array)) {
            Some(Op::Array(ArrayOp::Concat(inner))) => all.extend(inner.iter().cloned()),
            Some(_) | None => all.push(array.clone()),
        }
    }
    (all.len() > arrays.len()).then_some(Step::Op(Op::Array(ArrayOp::Concat(all))))
}

fn sized_known(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Sized { array, .. }) = op else { return None };
    (forward.facts.type_of(array)? == ty).then(|| Step::Value(array.clone()))
}
