//! Rules for primitives of what is the same along an axis, or moved: it is done once, and repeated or
//! moved afterwards.

use ir::{ArrayOp, Atom, Op, Size, Type};

use super::axes::{replicate, transpose};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};

pub(super) const RULES: &[Rule] = &[
    Rule::exact(
        "prim-of-replicates",
        "`add (replicate n x) (replicate n y)` -> `replicate n (add x y)`",
        &[On::AnyPrim],
        prim_of_replicates,
    ),
    Rule::exact(
        "prim-of-repeated",
        "`add (transpose [1, 0] (replicate n xs)) (transpose [1, 0] (replicate n ys))` -> \
         `transpose [1, 0] (replicate n (add xs ys))`, for any axis along which all operands are \
         repeated; scalars are along all",
        &[On::AnyPrim],
        prim_of_repeated,
    ),
    Rule::exact(
        "prim-of-scalar",
        "`add (replicate n x) ys` -> `add x ys`",
        &[On::AnyPrim],
        prim_of_scalar,
    ),
    Rule::exact(
        "prim-of-transposes",
        "`mul (transpose p xs) (transpose p ys)` -> `transpose p (mul xs ys)`, also with scalars \
         among them; where nobody else needs the transposed arrays",
        &[On::AnyPrim],
        prim_of_transposes,
    ),
];

fn prim_of_replicates(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    // Of no elements nothing fails.
    if forward.facts.prim_can_fail(*prim, args) {
        return None;
    }
    let mut common: Option<Size> = None;
    let mut inner = Vec::new();
    for arg in args {
        match forward.facts.op_of(arg) {
            Some(Op::Array(ArrayOp::Replicate { size, value })) => {
                if common.as_ref().is_some_and(|it| it != size) {
                    return None;
                }
                common = Some(size.clone());
                inner.push(value.clone());
            }
            Some(_) | None if forward.facts.is_array(arg) => return None,
            Some(_) | None => inner.push(arg.clone()),
        }
    }
    let size = common?;
    let value = forward.emit(Op::Prim(*prim, inner))?;
    Some(Step::Op(replicate(size, value)))
}

fn prim_of_repeated(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    // Of no elements nothing fails.
    if forward.facts.prim_can_fail(*prim, args) {
        return None;
    }
    let array = args.iter().find(|it| forward.facts.is_array(it))?;
    let sizes = forward.facts.sizes_of(array)?;
    let repeated = |axis: &usize| args.iter().all(|it| forward.facts.is_repeated(it, *axis));
    let axis = (0..sizes.len()).find(repeated)?;
    let args = args.iter().map(|it| forward.unrepeated(it, axis)).collect::<Option<Vec<_>>>()?;
    let value = forward.emit(Op::Prim(*prim, args))?;
    forward.repeated(value, &sizes[axis], axis)
}

fn prim_of_scalar(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    let facts = &forward.facts;
    let scalar = |it: &Atom| facts.scalar_of(it).filter(|_| facts.is_array(it));
    let scalars: Vec<Option<Atom>> = args.iter().map(scalar).collect();
    let mut both = args.iter().zip(&scalars);
    let stays = both.any(|(it, as_scalar)| facts.is_array(it) && as_scalar.is_none());
    if !stays || scalars.iter().all(Option::is_none) {
        return None;
    }
    let new = args.iter().zip(scalars).map(|(it, scalar)| scalar.unwrap_or_else(|| it.clone()));
    Some(Step::Op(Op::Prim(*prim, new.collect())))
}

fn prim_of_transposes(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Prim(prim, args) = op else { return None };
    let arrays = args.iter().filter(|it| forward.facts.is_array(it)).count();
    let mut common: Option<Vec<usize>> = None;
    let mut inner = Vec::new();
    for arg in args {
        match forward.facts.op_of(arg) {
            Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                let same = common.as_ref().is_none_or(|it| it == permutation);
                if !same || arrays < 2 || !forward.facts.is_used_once(arg) {
                    return None;
                }
                common = Some(permutation.clone());
                inner.push(array.clone());
            }
            Some(_) | None if forward.facts.is_array(arg) => return None,
            Some(_) | None => inner.push(arg.clone()),
        }
    }
    let permutation = common?;
    let array = forward.emit(Op::Prim(*prim, inner))?;
    Some(Step::Op(transpose(array, permutation)))
}
