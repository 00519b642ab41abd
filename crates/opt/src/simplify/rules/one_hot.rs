//! Rules for sums of arrays that are zero but for one element in every row, as the derivative of a
//! minimum, a maximum or an element at a given position is: only that element is computed.
//!
//! The array `X` is *one-hot* along an axis if it is zero wherever the index along it is not `e`, an
//! array over some of the other axes. `scatter zeros (i, e) v` is, and so is what linear operations
//! make of it: a product of `k` elements of a row with zeros is one product with the element at `e`.
//!
//! The element at `e` of the other factors is computed from what they are computed from, not taken
//! out of an array: the row then need not be in memory, and one of its elements costs a small part
//! of what all cost.
//!
//! Up to the sign of zeros: `Exactness::UpToRounding`. Not done for rows of few elements.

mod compared;

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Literal, Op, Prim, Reduction, Size, Type, Var};

use super::axes::without;
use crate::simplify::facts::Along;
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule, Step};
use crate::tuning::SHORT_ROW;

/// Values that one rule looks at; more would be a program of its own.
const MAX_VALUES: usize = 64;

pub(super) const RULES: &[Rule] = &[
    Rule::loose(
        "sum-one-hot",
        "`sum 0 X`, where `X: [n][k]Real` is one-hot along its second axis -> `scatter zeros (e) (X at \
         e)`; `sum 1 X` -> `X at e`",
        &[On::Reduce],
        sum_one_hot,
    ),
    compared::RULE,
];

/// Where an array is not zero.
#[derive(Clone, Debug, PartialEq)]
struct Hot {
    /// The axis along which at most one element is not zero.
    axis: usize,
    /// Which one: a scalar, or an array.
    index: Atom,
    /// Whether there is one: a scalar, or an array.
    mask: Option<Atom>,
    /// The axes of the array that the axes of the index and of the mask are.
    own: Vec<usize>,
}

/// What was found for values, by name and by where they are not zero.
#[derive(Default)]
struct Seen {
    hot: BTreeMap<Var, Option<Hot>>,
    picked: BTreeMap<(Var, String), Option<Atom>>,
}

impl Hot {
    /// Where an array is not zero whose axis `new(i)` is axis `i` of this one.
    fn moved(&self, new: &dyn Fn(usize) -> usize) -> Hot {
        let own = self.own.iter().map(|it| new(*it)).collect();
        Hot { axis: new(self.axis), own, ..self.clone() }
    }
}

fn sum_one_hot(forward: &mut Forward<'_>, op: &Op, _: &Type) -> Option<Step> {
    let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }) = op else {
        return None;
    };
    let axis = *axis;
    let mut seen = Seen::default();
    let hot = forward.hot(array, &mut seen)?;
    if axis != hot.axis && !hot.own.contains(&axis) {
        return None;
    }
    let sizes = forward.facts.sizes_of(array)?;
    let picked = forward.picked(array, &hot, &mut seen)?;
    let others: Vec<usize> = (0..sizes.len()).filter(|it| *it != hot.axis).collect();
    if axis == hot.axis {
        let Some(mask) = &hot.mask else { return Some(Step::Value(picked)) };
        let mask = forward.placed(mask, &hot.own, &others, &sizes)?;
        let zero = Atom::Real(Literal(0.0));
        return Some(Step::Op(Op::Prim(Prim::Select, vec![mask, picked, zero])));
    }
    let target: Vec<usize> = (0..sizes.len()).filter(|it| *it != axis).collect();
    let (explicit, positions) = positions(&target, &hot);
    let indices = forward.indices(&target[..explicit], &positions, &hot, &sizes)?;
    let mask = match &hot.mask {
        Some(mask) => Some(forward.placed(mask, &hot.own, &positions, &sizes)?),
        None => None,
    };
    let rows = target[explicit..].iter().copied();
    let order: Vec<usize> = positions.iter().copied().chain(rows).collect();
    let values = forward.placed(&picked, &others, &order, &sizes)?;
    let into: Vec<Size> = target.iter().map(|it| sizes[*it].clone()).collect();
    let into = Type::arrays(&into, Type::Real);
    let into = forward.zeros(&into)?;
    Some(Step::Op(Op::Array(ArrayOp::Scatter { into, indices, values, mask })))
}

impl Forward<'_> {
    /// Where an array is not zero, if there is at most one place in every row.
    fn hot(&self, atom: &Atom, seen: &mut Seen) -> Option<Hot> {
        let Atom::Var(var) = atom else { return None };
        if let Some(known) = seen.hot.get(var) {
            return known.clone();
        }
        if seen.hot.len() >= MAX_VALUES {
            return None;
        }
        seen.hot.insert(*var, None);
        let found = self.hot_op(self.facts.op_of(atom)?, seen);
        seen.hot.insert(*var, found.clone());
        found
    }

    fn hot_op(&self, op: &Op, seen: &mut Seen) -> Option<Hot> {
        if let Op::Array(ArrayOp::Scatter { into, indices, mask, .. }) = op {
            return self.hot_scatter(into, indices, mask.as_ref());
        }
        if let Op::Array(ArrayOp::Replicate { value, .. }) = op {
            return self.hot(value, seen).map(|it| it.moved(&|axis| axis + 1));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op {
            let to = |axis| permutation.iter().position(|it| *it == axis).unwrap_or(axis);
            return self.hot(array, seen).map(|it| it.moved(&to));
        }
        if let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }) = op {
            let hot = self.hot(array, seen)?;
            let stays = hot.axis != *axis && !hot.own.contains(axis);
            return stays.then(|| hot.moved(&|it| if it > *axis { it - 1 } else { it }));
        }
        let Op::Prim(prim, args) = op else { return None };
        match &**args {
            [x] if *prim == Prim::Neg => self.hot(x, seen),
            [x, y] if *prim == Prim::Scale => self.hot(x, seen).or_else(|| self.hot(y, seen)),
            [x, y] if *prim == Prim::Add => {
                let hot = self.hot(x, seen)?;
                (self.hot(y, seen)? == hot).then_some(hot)
            }
            [_, x, y] if *prim == Prim::Select && self.facts.is_zero(y) => self.hot(x, seen),
            [_, x, y] if *prim == Prim::Select && self.facts.is_zero(x) => self.hot(y, seen),
            [] | [_] | [_, _] | [_, _, _] | [_, _, _, _, ..] => None,
        }
    }

    /// `scatter zeros (i, e) v`: all indices but one go along axes of their own, and all of those.
    fn hot_scatter(&self, into: &Atom, indices: &[Atom], mask: Option<&Atom>) -> Option<Hot> {
        let ty = self.facts.type_of(into)?;
        let (sizes, elem) = ty.split_arrays();
        if *elem != Type::Real || !self.facts.is_zero(into) {
            return None;
        }
        let all: Vec<Atom> = indices.iter().chain(mask).cloned().collect();
        let shape = self.facts.positions_shape(&all);
        let mut own = vec![None; shape.len()];
        let mut free = None;
        for (at, index) in indices.iter().enumerate() {
            let form = self.facts.affine(index);
            let form = form.filter(|it| it.offset.as_constant() == Some(0));
            match form.map(|it| it.along()) {
                Some(Along::Axis(axis)) if own[axis].is_none() && shape[axis] == sizes[at] => {
                    own[axis] = Some(at);
                }
                Some(_) | None if free.is_none() => free = Some(at),
                Some(_) | None => return None,
            }
        }
        let (axis, own) = (free?, own.into_iter().collect::<Option<Vec<usize>>>()?);
        let few = sizes[axis].as_constant().is_some_and(|it| it <= SHORT_ROW);
        let index = indices[axis].clone();
        (!few).then(|| Hot { axis, index, mask: mask.cloned(), own })
    }

    /// The elements of an array at the places that are not zero in another one: without that axis.
    fn picked(&mut self, atom: &Atom, hot: &Hot, seen: &mut Seen) -> Option<Atom> {
        let Atom::Var(var) = atom else { return Some(atom.clone()) };
        if !self.facts.is_array(atom) {
            return Some(atom.clone());
        }
        let key = (*var, format!("{hot:?}"));
        if let Some(known) = seen.picked.get(&key) {
            return known.clone();
        }
        if seen.picked.len() >= MAX_VALUES {
            return None;
        }
        let found = if self.facts.is_repeated(atom, hot.axis) {
            self.unrepeated(atom, hot.axis)
        } else {
            let op = self.facts.op_of(atom).cloned();
            op.and_then(|it| self.picked_op(&it, hot, seen))
                .or_else(|| self.picked_element(atom, hot))
        };
        seen.picked.insert(key, found.clone());
        found
    }

    fn picked_op(&mut self, op: &Op, hot: &Hot, seen: &mut Seen) -> Option<Atom> {
        if let Op::Array(ArrayOp::Scatter { into, indices, values, mask }) = op {
            let same = self.hot_scatter(into, indices, mask.as_ref())? == *hot;
            return same.then(|| self.scattered(into, indices.len(), values, hot)).flatten();
        }
        if let Op::Array(ArrayOp::Replicate { size, value }) = op {
            if hot.own.contains(&0) {
                return None;
            }
            let value = self.picked(value, &hot.moved(&|axis| axis - 1), seen)?;
            return self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }));
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op {
            let from = |axis: usize| permutation.get(axis).copied().unwrap_or(axis);
            let array = self.picked(array, &hot.moved(&from), seen)?;
            let permutation = without(permutation, from(hot.axis));
            return self.emit(Op::Array(ArrayOp::Transpose { array, permutation }));
        }
        if let Op::Array(ArrayOp::Reduce { reduction, axis, array }) = op {
            let inner = hot.moved(&|it| if it >= *axis { it + 1 } else { it });
            let array = self.picked(array, &inner, seen)?;
            let axis = if *axis > inner.axis { axis - 1 } else { *axis };
            return self.emit(Op::Array(ArrayOp::Reduce { reduction: *reduction, axis, array }));
        }
        let Op::Prim(prim, args) = op else { return None };
        if self.facts.prim_can_fail(*prim, args) {
            return None;
        }
        let args = args.iter().map(|it| self.picked(it, hot, seen)).collect::<Option<_>>()?;
        self.emit(Op::Prim(*prim, args))
    }

    /// What was scattered, in the order of the axes that it was scattered to.
    fn scattered(
        &mut self,
        into: &Atom,
        n_indices: usize,
        values: &Atom,
        hot: &Hot,
    ) -> Option<Atom> {
        let sizes = self.facts.sizes_of(into)?;
        let from: Vec<usize> = hot.own.iter().copied().chain(n_indices..sizes.len()).collect();
        let others: Vec<usize> = (0..sizes.len()).filter(|it| *it != hot.axis).collect();
        self.placed(values, &from, &others, &sizes)
    }

    /// Elements taken out of an array, or of what it repeats.
    fn picked_element(&mut self, atom: &Atom, hot: &Hot) -> Option<Atom> {
        let sizes = self.facts.sizes_of(atom)?;
        let mut base = atom.clone();
        let mut axes: Vec<usize> = (0..sizes.len()).collect();
        loop {
            let op = self.facts.op_of(&base).cloned();
            if let Some(Op::Array(ArrayOp::Replicate { value, .. })) = op {
                axes.remove(0);
                base = value;
            } else if let Some(Op::Array(ArrayOp::Transpose { array, permutation })) = op {
                let mut inner = axes.clone();
                for (to, from) in permutation.iter().enumerate() {
                    inner[*from] = axes[to];
                }
                (base, axes) = (array, inner);
            } else {
                break;
            }
        }
        let (explicit, positions) = positions(&axes, hot);
        let indices = self.indices(&axes[..explicit], &positions, hot, &sizes)?;
        let mask = match &hot.mask {
            Some(mask) => Some(self.placed(mask, &hot.own, &positions, &sizes)?),
            None => None,
        };
        let op = Op::Array(ArrayOp::Gather { array: base, indices, mask });
        if self.facts.can_fail(&op, self.facts.depth()) {
            return None;
        }
        let found = self.emit(op)?;
        let rows = axes[explicit..].iter().copied();
        let from: Vec<usize> = positions.iter().copied().chain(rows).collect();
        let others: Vec<usize> = (0..sizes.len()).filter(|it| *it != hot.axis).collect();
        self.placed(&found, &from, &others, &sizes)
    }

    /// An index for each of these axes, as arrays over the positions.
    fn indices(
        &mut self,
        axes: &[usize],
        positions: &[usize],
        hot: &Hot,
        sizes: &[Size],
    ) -> Option<Vec<Atom>> {
        let mut res = Vec::new();
        for axis in axes {
            res.push(if *axis == hot.axis {
                self.placed(&hot.index, &hot.own, positions, sizes)?
            } else {
                let iota = self.emit(Op::Array(ArrayOp::Iota(sizes[*axis].clone())))?;
                self.placed(&iota, &[*axis], positions, sizes)?
            });
        }
        Some(res)
    }

    /// An array over some axes, `from`, as one over others, `to`, along which it is repeated; a scalar is
    /// what it is.
    fn placed(
        &mut self,
        atom: &Atom,
        from: &[usize],
        to: &[usize],
        sizes: &[Size],
    ) -> Option<Atom> {
        if !self.facts.is_array(atom) {
            return Some(atom.clone());
        }
        let mut array = atom.clone();
        let mut axes = from.to_vec();
        for axis in to.iter().rev().filter(|it| !from.contains(it)) {
            array = self
                .emit(Op::Array(ArrayOp::Replicate { size: sizes[*axis].clone(), value: array }))?;
            axes.insert(0, *axis);
        }
        let place = |axis: &usize| axes.iter().position(|it| it == axis);
        let permutation = to.iter().map(place).collect::<Option<Vec<usize>>>()?;
        self.emit(Op::Array(ArrayOp::Transpose { array, permutation }))
    }
}

/// How many of the axes of an array need an index where elements of it are taken or added to, the rest
/// being rows, and the axes that the indices have then.
fn positions(axes: &[usize], hot: &Hot) -> (usize, Vec<usize>) {
    let last = axes.iter().rposition(|it| *it == hot.axis || hot.own.contains(it));
    let explicit = last.map_or(0, |it| it + 1);
    let mut res: Vec<usize> = hot.own.iter().chain(&axes[..explicit]).copied().collect();
    res.retain(|it| *it != hot.axis);
    res.sort_unstable();
    res.dedup();
    (explicit, res)
}
