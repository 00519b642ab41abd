//! Rules that make sums smaller before they are taken: what is the same along an axis goes out of its
//! sum.

use ir::{ArrayOp, Atom, Literal, Op, Prim, Reduction, Type};

use super::axes::sum;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};
use crate::tuning::SUM_TERMS;

pub(super) const RULES: &[Rule] = &[
    Rule::loose(
        "sum-sum-scale",
        "`sum 0 (sum 1 (scale c xs))` -> `sum 0 (scale c (sum 0 xs))`, where `c` is the same along \
         the outer axis: a product of matrices that is added up is a product with what is added up",
        &[On::Reduce],
        sum_sum_scale,
    ),
    Rule::loose("sum-neg", "`sum (neg xs)` -> `neg (sum xs)`", &[On::Reduce], sum_neg),
    // The derivative of a square is a sum of twice the same, for every element.
    Rule::loose(
        "sum-twice",
        "`sum (add xs xs)` -> `add s s`, where `s` is `sum xs`",
        &[On::Reduce],
        sum_twice,
    ),
    // For a `c` that is not finite, up to what cancels.
    Rule::loose(
        "sum-scale",
        "`sum (scale c xs)` -> `scale c (sum xs)`, where `c` is the same along the axis",
        &[On::Reduce],
        sum_scale,
    ),
    Rule::exact(
        "sum-select",
        "`sum (select c xs 0.0)` -> `select c (sum xs) 0.0`, where `c` is the same along the axis",
        &[On::Reduce],
        sum_select,
    ),
    Rule::loose(
        "add-selects",
        "`add (select c x 0.0) (select c 0.0 y)` -> `select c x y`",
        &[On::Prim(Prim::Add)],
        add_selects,
    ),
    // Sums over several axes may be products of matrices, and stay.
    Rule::loose(
        "add-sums",
        "`add (sum xs) (sum ys)` -> `sum (add xs ys)`, where nobody else needs the sums; also if \
         other terms stand between them",
        &[On::Prim(Prim::Add)],
        add_sums,
    ),
];

/// The axis and the array of a sum.
fn summed(op: &Op) -> Option<(usize, &Atom)> {
    let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }) = op else {
        return None;
    };
    Some((*axis, array))
}

fn sum_neg(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (axis, array) = summed(op)?;
    let Op::Prim(Prim::Neg, args) = forward.facts.op_of(array)? else { return None };
    let xs = args.first()?.clone();
    let sum = forward.emit(sum(axis, xs))?;
    Some(Step::Op(Op::Prim(Prim::Neg, vec![sum])))
}

fn sum_twice(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (axis, array) = summed(op)?;
    let Op::Prim(Prim::Add, args) = forward.facts.op_of(array)? else { return None };
    let [xs, ys] = &**args else { return None };
    if xs != ys {
        return None;
    }
    let xs = xs.clone();
    let sum = forward.emit(sum(axis, xs))?;
    Some(Step::Op(Op::Prim(Prim::Add, vec![sum.clone(), sum])))
}

fn sum_scale(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (axis, array) = summed(op)?;
    scaled_sum(forward, axis, array).map(Step::Op)
}

/// The sum of a product of which a factor is the same along the axis, as a product.
fn scaled_sum(forward: &mut Forward<'_>, axis: usize, array: &Atom) -> Option<Op> {
    let Op::Prim(Prim::Scale, args) = forward.facts.op_of(array)?.clone() else { return None };
    let [x, y] = &*args else { return None };
    let mut by = |factor: &Atom, xs: &Atom| {
        if !forward.facts.is_array(xs) || !forward.facts.is_repeated(factor, axis) {
            return None;
        }
        let factor = forward.unrepeated(factor, axis)?;
        let sum = forward.emit(sum(axis, xs.clone()))?;
        Some(Op::Prim(Prim::Scale, vec![factor, sum]))
    };
    by(x, y).or_else(|| by(y, x))
}

fn sum_sum_scale(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (outer, array) = summed(op)?;
    let (inner, xs) = summed(forward.facts.op_of(array)?)?;
    if !forward.facts.is_used_once(array) {
        return None;
    }
    let xs = xs.clone();
    let outer = if outer < inner { outer } else { outer + 1 };
    let inner = if inner < outer { inner } else { inner - 1 };
    let scaled = scaled_sum(forward, outer, &xs)?;
    let array = forward.emit(scaled)?;
    Some(Step::Op(sum(inner, array)))
}

fn sum_select(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let (axis, array) = summed(op)?;
    let Op::Prim(Prim::Select, args) = forward.facts.op_of(array)?.clone() else { return None };
    let [c, x, y] = &*args else { return None };
    let (some, zero) = if forward.facts.is_zero(y) { (x, y) } else { (y, x) };
    let facts = &forward.facts;
    if !facts.is_zero(zero) || !facts.is_array(some) || !facts.is_repeated(c, axis) {
        return None;
    }
    let c = forward.unrepeated(c, axis)?;
    let zero = forward.facts.scalar_of(zero)?;
    // A negative zero is none in a sum.
    let zero = if let Atom::Real(_) = zero { Atom::Real(Literal(0.0)) } else { zero };
    let sum = forward.emit(sum(axis, some.clone()))?;
    let branches = if some == x { [sum, zero] } else { [zero, sum] };
    Some(Step::Op(Op::Prim(Prim::Select, [c].into_iter().chain(branches).collect())))
}

fn add_sums(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(Prim::Add, args) = op else { return None };
    let (mut all, mut left) = (Vec::new(), SUM_TERMS);
    args.iter().for_each(|it| terms(forward, it, &mut left, &mut all));
    let sums: Vec<(usize, Atom, Type)> = all
        .iter()
        .enumerate()
        .filter_map(|(at, it)| {
            let array = row_summed(forward, it).filter(|_| forward.facts.is_used_once(it))?;
            let ty = forward.facts.type_of(&array)?.clone();
            Some((at, array, ty))
        })
        .collect();
    let alike = |x: &(usize, Atom, Type)| {
        let same = |y: &&(usize, Atom, Type)| y.0 > x.0 && x.2 == y.2 && all[x.0] != all[y.0];
        sums.iter().find(same).map(|y| (x.clone(), y.clone()))
    };
    let ((first, xs, _), (second, ys, _)) = sums.iter().find_map(alike)?;
    let array = forward.emit(Op::Prim(Prim::Add, vec![xs, ys]))?;
    let others = all.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
    let mut op = sum(0, array);
    for (_, other) in others {
        let so_far = forward.emit(op)?;
        op = Op::Prim(Prim::Add, vec![so_far, other.clone()]);
    }
    Some(Step::Op(op))
}

/// The terms of a sum whose parts nobody else needs; of so many sums in it at most, so that looking at all sums of
/// a long chain takes no square of its length.
fn terms(forward: &Forward<'_>, atom: &Atom, left: &mut usize, into: &mut Vec<Atom>) {
    match forward.facts.op_of(atom) {
        Some(Op::Prim(Prim::Add, args))
            if *left > 0
                && forward.facts.is_used_once(atom)
                && forward.facts.type_of(atom) == Some(&Type::Real) =>
        {
            *left -= 1;
            args.iter().for_each(|it| terms(forward, it, left, into));
        }
        Some(_) | None => into.push(atom.clone()),
    }
}

/// The array of one axis that a value is the sum of.
fn row_summed(forward: &Forward<'_>, atom: &Atom) -> Option<Atom> {
    let (_, array) = summed(forward.facts.op_of(atom)?)?;
    let ty = forward.facts.type_of(array)?;
    matches!(ty, Type::Array(_, elem) if **elem == Type::Real).then(|| array.clone())
}

fn add_selects(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(Prim::Add, args) = op else { return None };
    let [a, b] = &**args else { return None };
    let facts = &forward.facts;
    let (Op::Prim(Prim::Select, a), Op::Prim(Prim::Select, b)) = (facts.op_of(a)?, facts.op_of(b)?)
    else {
        return None;
    };
    let ([c, x, y], [d, z, w]) = (&**a, &**b) else { return None };
    if c != d {
        return None;
    }
    let chosen = if facts.is_zero(y) && facts.is_zero(z) {
        [c, x, w]
    } else if facts.is_zero(x) && facts.is_zero(w) {
        [c, z, y]
    } else {
        return None;
    };
    Some(Step::Op(Op::Prim(Prim::Select, chosen.into_iter().cloned().collect())))
}
