//! Rules for primitives: identities that hold to the bit, or up to the sign of zero where that is said.
//! A constant may also be a whole array of it.

use ir::{Atom, Literal, Op, Prim, Type};

use super::constants::constant;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact("copy", "`x = a` -> `a`", &[On::Copy], copy),
    Rule::exact("size-known", "`size [3]` -> `3`, `size [n]` -> `n`", &[On::Size], size_known),
    Rule::exact(
        "constant",
        "`2 + 3` -> `5`; of reals, where it is the same in single precision",
        &[On::AnyPrim],
        of_constants,
    ),
    Rule::exact(
        "twice",
        "`- (- x)` -> `x`, `not (not x)` -> `x`",
        &[On::Prim(Prim::Neg), On::Prim(Prim::Not)],
        twice,
    ),
    Rule::exact("add-minus-zero", "`x + -0.0` -> `x`", &[On::Prim(Prim::Add)], add_minus_zero),
    Rule::loose("add-zero", "`x + 0.0` -> `x`", &[On::Prim(Prim::Add)], add_zero),
    Rule::exact("sub-zero", "`x - 0.0` -> `x`", &[On::Prim(Prim::Sub)], sub_zero),
    Rule::loose("sub-minus-zero", "`x - -0.0` -> `x`", &[On::Prim(Prim::Sub)], sub_minus_zero),
    Rule::exact(
        "times-one",
        "`x * 1.0` -> `x`, `x / 1.0` -> `x`, `x ** 1.0` -> `x`",
        &[On::Prim(Prim::Mul), On::Prim(Prim::Div), On::Prim(Prim::Pow)],
        times_one,
    ),
    // `scale` forgets the sign of zero.
    Rule::loose("scale-one", "`scale x 1.0` -> `x`", &[On::Prim(Prim::Scale)], times_one),
    // The power is not rounded correctly.
    Rule::loose("power-two", "`x ** 2.0` -> `x * x`", &[On::Prim(Prim::Pow)], power_two),
    // What the derivative of a quotient divides by once more. The inner product is `1.0 / y`, so that nothing
    // overflows that did not before.
    Rule::loose(
        "quotient-again",
        "`(c / y) / y` -> `(c / y) * ((c / y) * (1.0 / c))`, where `c` is a literal: a division takes as \
         long as several products",
        &[On::Prim(Prim::Div)],
        quotient_again,
    ),
    Rule::exact("times-minus-one", "`x * -1.0` -> `-x`", &[On::Prim(Prim::Mul)], times_minus_one),
    Rule::loose(
        "scale-minus-one",
        "`scale x -1.0` -> `-x`",
        &[On::Prim(Prim::Scale)],
        times_minus_one,
    ),
    Rule::exact("scale-zero", "`scale x 0.0` -> `0.0`", &[On::Prim(Prim::Scale)], scale_zero),
    Rule::exact(
        "power-zero",
        "`x ** 0.0` -> `1.0`, of NaN too",
        &[On::Prim(Prim::Pow)],
        power_zero,
    ),
    Rule::exact(
        "int-zero",
        "`i + 0` -> `i`, `i - 0` -> `i`",
        &[On::Prim(Prim::Add), On::Prim(Prim::Sub)],
        int_zero,
    ),
    Rule::exact(
        "int-one",
        "`i * 1` -> `i`, `i / 1` -> `i`, `i ** 1` -> `i`",
        &[On::Prim(Prim::Mul), On::Prim(Prim::Div), On::Prim(Prim::Pow)],
        int_one,
    ),
    Rule::exact("int-times-zero", "`i * 0` -> `0`", &[On::Prim(Prim::Mul)], int_times_zero),
    Rule::exact(
        "and-constant",
        "`and x true` -> `x`, `and x false` -> `false`",
        &[On::Prim(Prim::And)],
        and_constant,
    ),
    Rule::exact(
        "or-constant",
        "`or x false` -> `x`, `or x true` -> `true`",
        &[On::Prim(Prim::Or)],
        or_constant,
    ),
    Rule::exact(
        "minus-zero-minus",
        "`-0.0 - x` -> `-x`, `0 - i` -> `-i`",
        &[On::Prim(Prim::Sub)],
        minus_zero_minus,
    ),
    Rule::loose("zero-minus", "`0.0 - x` -> `-x`", &[On::Prim(Prim::Sub)], zero_minus),
    // Comparisons are left alone for NaN.
    Rule::exact("same-int", "`i - i` -> `0`", &[On::Prim(Prim::Sub)], same_int),
    Rule::exact(
        "select-constant",
        "`select true x y` -> `x`, `select false x y` -> `y`",
        &[On::Prim(Prim::Select)],
        select_constant,
    ),
    Rule::exact("select-same", "`select c x x` -> `x`", &[On::Prim(Prim::Select)], select_same),
    Rule::exact(
        "select-again",
        "`select c (select c x y) z` -> `select c x z`, `select c x (select c y z)` -> `select c x z`",
        &[On::Prim(Prim::Select)],
        select_again,
    ),
];

fn copy(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Copy(atom) = op else { return None };
    Some(Step::Value(atom.clone()))
}

fn size_known(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Size(size) = op else { return None };
    let value = size.as_constant().map(Atom::Int).or_else(|| size.as_var().copied().map(Atom::Var));
    value.map(Step::Value)
}

fn of_constants(_: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    constant(*prim, args).map(Step::Value)
}

fn twice(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    let Op::Prim(inner, args) = forward.facts.op_of(args.first()?)? else { return None };
    (inner == prim).then(|| Step::Value(args[0].clone()))
}

/// The operand of a primitive of two whose other one is a constant of which something holds: the
/// second, or if the order does not matter, the first.
fn other(forward: &Forward<'_>, op: &Op, holds: impl Fn(&Atom) -> bool) -> Option<Atom> {
    let Op::Prim(prim, args) = op else { return None };
    let [x, y] = &**args else { return None };
    let constant = |it: &Atom| forward.facts.constant_of(it).is_some_and(|it| holds(&it));
    if constant(y) {
        return Some(x.clone());
    }
    let commutes = [Prim::Add, Prim::Mul, Prim::Scale, Prim::And, Prim::Or].contains(prim);
    (commutes && constant(x)).then(|| y.clone())
}

/// The second operand of a difference whose first one is a constant of which something holds.
fn subtracted(forward: &Forward<'_>, op: &Op, holds: impl Fn(&Atom) -> bool) -> Option<Atom> {
    let Op::Prim(Prim::Sub, args) = op else { return None };
    let [x, y] = &**args else { return None };
    forward.facts.constant_of(x).is_some_and(|it| holds(&it)).then(|| y.clone())
}

/// Whether it is this real, of this sign.
fn is_real(atom: &Atom, value: f64) -> bool {
    matches!(atom, Atom::Real(it) if it.0.to_bits() == value.to_bits())
}

fn is_zero(atom: &Atom) -> bool {
    matches!(atom, Atom::Real(it) if it.0 == 0.0)
}

fn negated(forward: &mut Forward<'_>, x: Atom, ty: &Type) -> Option<Step> {
    let value = forward.emit(Op::Prim(Prim::Neg, vec![x]))?;
    forward.as_type(value, ty)
}

fn add_minus_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, -0.0))?;
    forward.as_type(x, ty)
}

fn add_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, 0.0))?;
    forward.as_type(x, ty)
}

fn sub_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, 0.0))?;
    forward.as_type(x, ty)
}

fn sub_minus_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, -0.0))?;
    forward.as_type(x, ty)
}

fn times_one(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, 1.0))?;
    forward.as_type(x, ty)
}

fn power_two(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, 2.0))?;
    let value = forward.emit(Op::Prim(Prim::Mul, vec![x.clone(), x]))?;
    forward.as_type(value, ty)
}

fn quotient_again(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Prim(Prim::Div, args) = op else { return None };
    let [quotient, divisor] = &**args else { return None };
    let Op::Prim(Prim::Div, inner) = forward.facts.op_of(quotient)? else { return None };
    let [dividend, again] = &**inner else { return None };
    let Atom::Real(c) = forward.facts.constant_of(dividend).filter(|_| again == divisor)? else {
        return None;
    };
    // Moderate ones, so that both are as exact.
    if !(1e-3..1e3).contains(&c.0.abs()) || forward.facts.type_of(quotient)? != ty {
        return None;
    }
    let by = Atom::Real(Literal(1.0 / c.0));
    let inverse = forward.emit(Op::Prim(Prim::Mul, vec![quotient.clone(), by]))?;
    Some(Step::Op(Op::Prim(Prim::Mul, vec![quotient.clone(), inverse])))
}

fn times_minus_one(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| is_real(it, -1.0))?;
    negated(forward, x, ty)
}

fn scale_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    other(forward, op, is_zero)?;
    forward.as_type(Atom::Real(Literal(0.0)), ty)
}

fn power_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    other(forward, op, is_zero)?;
    forward.as_type(Atom::Real(Literal(1.0)), ty)
}

fn int_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| *it == Atom::Int(0))?;
    forward.as_type(x, ty)
}

fn int_one(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = other(forward, op, |it| *it == Atom::Int(1))?;
    forward.as_type(x, ty)
}

fn int_times_zero(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    other(forward, op, |it| *it == Atom::Int(0))?;
    forward.as_type(Atom::Int(0), ty)
}

fn and_constant(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let as_it_is = other(forward, op, |it| *it == Atom::Bool(true));
    let never = || other(forward, op, |it| *it == Atom::Bool(false)).map(|_| Atom::Bool(false));
    let value = as_it_is.or_else(never)?;
    forward.as_type(value, ty)
}

fn or_constant(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let as_it_is = other(forward, op, |it| *it == Atom::Bool(false));
    let always = || other(forward, op, |it| *it == Atom::Bool(true)).map(|_| Atom::Bool(true));
    let value = as_it_is.or_else(always)?;
    forward.as_type(value, ty)
}

fn minus_zero_minus(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = subtracted(forward, op, |it| is_real(it, -0.0) || *it == Atom::Int(0))?;
    negated(forward, x, ty)
}

fn zero_minus(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let x = subtracted(forward, op, |it| is_real(it, 0.0))?;
    negated(forward, x, ty)
}

fn same_int(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Prim(Prim::Sub, args) = op else { return None };
    let [x, y] = &**args else { return None };
    let same = x == y && *ty.split_arrays().1 == Type::Int;
    same.then(|| forward.as_type(Atom::Int(0), ty)).flatten()
}

fn select_constant(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Prim(Prim::Select, args) = op else { return None };
    let [c, x, y] = &**args else { return None };
    let Atom::Bool(holds) = forward.facts.constant_of(c)? else { return None };
    forward.as_type(if holds { x.clone() } else { y.clone() }, ty)
}

fn select_again(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Prim(Prim::Select, args) = op else { return None };
    let [condition, x, y] = &**args else { return None };
    let chosen = |it: &Atom, side: usize| match forward.facts.op_of(it) {
        Some(Op::Prim(Prim::Select, inner)) if inner[0] == *condition => Some(inner[side].clone()),
        Some(_) | None => None,
    };
    let (new_x, new_y) = (chosen(x, 1), chosen(y, 2));
    if new_x.is_none() && new_y.is_none() {
        return None;
    }
    let (x, y) = (new_x.unwrap_or(x.clone()), new_y.unwrap_or(y.clone()));
    let op = Op::Prim(Prim::Select, vec![condition.clone(), x, y]);
    (forward.facts.result_type(&op)? == *ty).then_some(Step::Op(op))
}

fn select_same(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Prim(Prim::Select, args) = op else { return None };
    let [_, x, y] = &**args else { return None };
    (x == y).then(|| forward.as_type(x.clone(), ty)).flatten()
}
