//! Sums along an axis of what is zero wherever the index along it is not a given one, since it was selected so:
//! directions of a Jacobian, `build k => build i => if i == k then 1.0 else 0.0`, are.
//!
//! To the bit: a sum starts from `0.0`, and adding zeros of either sign changes nothing of it.

use ir::{ArrayOp, Atom, Op, Prim, Reduction, Type};

use super::super::axes::zero_of;
use super::{Hot, Seen};
use crate::simplify::facts::Along;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};
use crate::tuning::SHORT_ROW;

pub(super) const RULE: Rule = Rule::exact(
    "sum-selected-row",
    "`sum k X`, where `X` is a product with `select (eq i e) v 0.0` of a scalar `v`, `i` goes along the axis \
     `k`, and `e` is in bounds and does not -> `add (X at e) 0.0`",
    &[On::Reduce],
    sum_selected_row,
);

/// Operations between a comparison and a sum; more would be a program of its own.
const DEPTH: usize = 16;

fn sum_selected_row(forward: &mut Forward<'_>, op: &Op, ty: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }) = op else {
        return None;
    };
    let size = forward.facts.sizes_of(array)?.get(*axis)?.clone();
    let few = size.as_constant().is_some_and(|it| it <= SHORT_ROW);
    if few || *ty.split_arrays().1 != Type::Real {
        return None;
    }
    let hot = forward.selected(array, *axis, DEPTH)?;
    let index = forward.facts.affine(&hot.index)?;
    if !forward.facts.in_bounds(&index, &size, forward.facts.depth()) {
        return None;
    }
    let picked = forward.picked(array, &hot, &mut Seen::default())?;
    Some(Step::Op(Op::Prim(Prim::Add, vec![picked, zero_of(ty)])))
}

impl Forward<'_> {
    /// Where an array is not zero along this axis.
    fn selected(&mut self, atom: &Atom, axis: usize, depth: usize) -> Option<Hot> {
        let (depth, op) = (depth.checked_sub(1)?, self.facts.op_of(atom)?.clone());
        if let Op::Array(ArrayOp::Replicate { value, .. }) = &op {
            return Some(self.selected(value, axis.checked_sub(1)?, depth)?.moved(&|it| it + 1));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = &op {
            let from = permutation.get(axis).copied().unwrap_or(axis);
            let to = |axis| permutation.iter().position(|it| *it == axis).unwrap_or(axis);
            return self.selected(array, from, depth).map(|it| it.moved(&to));
        }
        let Op::Prim(prim, args) = &op else { return None };
        match (prim, &**args) {
            (Prim::Neg, [x]) => self.selected(x, axis, depth),
            (Prim::Scale, [x, y]) => {
                self.selected(x, axis, depth).or_else(|| self.selected(y, axis, depth))
            }
            (Prim::Add, [x, y]) => {
                let hot = self.selected(x, axis, depth)?;
                (self.selected(y, axis, depth)? == hot).then_some(hot)
            }
            // The diagonal of what is an array anyway is not computed once more.
            (Prim::Select, [where_, value, zero])
                if self.facts.is_zero(zero) && self.facts.scalar_of(value).is_some() =>
            {
                self.compared(where_, axis, depth)
            }
            _ => None,
        }
    }

    /// Which index along an axis a condition asks for.
    fn compared(&mut self, atom: &Atom, axis: usize, depth: usize) -> Option<Hot> {
        let (depth, op) = (depth.checked_sub(1)?, self.facts.op_of(atom)?.clone());
        if let Op::Array(ArrayOp::Replicate { value, .. }) = &op {
            return Some(self.compared(value, axis.checked_sub(1)?, depth)?.moved(&|it| it + 1));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = &op {
            let from = permutation.get(axis).copied().unwrap_or(axis);
            let to = |axis| permutation.iter().position(|it| *it == axis).unwrap_or(axis);
            return self.compared(array, from, depth).map(|it| it.moved(&to));
        }
        let Op::Prim(Prim::Eq, args) = &op else { return None };
        let [x, y] = &**args else { return None };
        let rank = self.facts.sizes_of(atom)?.len();
        let goes_along = |it: &Atom, facts: &crate::simplify::facts::Facts<'_>| {
            let form = facts.affine(it);
            form.is_some_and(|it| {
                it.along() == Along::Axis(axis) && it.offset.as_constant() == Some(0)
            })
        };
        let index = if goes_along(x, &self.facts) {
            y
        } else if goes_along(y, &self.facts) {
            x
        } else {
            return None;
        };
        if !self.facts.is_repeated(index, axis) {
            return None;
        }
        let is_array = self.facts.is_array(index);
        let index = self.unrepeated(index, axis)?;
        let own = if is_array { (0..rank).filter(|it| *it != axis).collect() } else { Vec::new() };
        Some(Hot { axis, index, mask: None, own })
    }
}
