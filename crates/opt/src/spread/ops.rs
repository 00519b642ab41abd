//! Operations position by position.

use ir::{ArrayOp, Atom, Binder, DeriveOp, Literal, Op, Prim, Reduction, Size, Type};

use super::axes::Axes;
use super::{Spread, number, positions, small_axes};

/// The value of an operation on constants, as far as positions are concerned.
pub(super) fn constant(op: &Op) -> Option<Atom> {
    if let Op::Copy(it) = op {
        return Some(it.clone());
    }
    let Op::Prim(prim, args) = op else { return None };
    let [Atom::Int(x), Atom::Int(y)] = args.as_slice() else { return None };
    if *prim == Prim::Add {
        x.checked_add(*y).map(Atom::Int)
    } else if *prim == Prim::Sub {
        x.checked_sub(*y).map(Atom::Int)
    } else if *prim == Prim::Mul {
        x.checked_mul(*y).map(Atom::Int)
    } else {
        None
    }
}

impl Spread<'_> {
    /// The parts of what an operation gives, or its value if it has no small axes; `None` if it needs its
    /// operands in one piece.
    pub(super) fn by_parts(&mut self, binder: &Binder, op: &Op) -> Option<Vec<Atom>> {
        if self.is_too_much(&binder.ty) {
            return None;
        }
        let of_result = Axes::of(&binder.ty);
        let wanted = self.split.contains(&binder.var);
        match op {
            Op::Copy(it) | Op::Derive(DeriveOp::Checkpoint { value: it, .. }) if wanted => {
                self.parts(it)
            }
            // The program may be differentiated yet.
            Op::Derive(DeriveOp::StopGradient(it)) if wanted => {
                let parts = self.parts(it)?;
                parts
                    .into_iter()
                    .map(|part| self.emit(Op::Derive(DeriveOp::StopGradient(part))))
                    .collect()
            }
            Op::Prim(prim, args) if wanted => {
                let n = of_result.sizes().iter().product();
                let args: Option<Vec<Vec<Atom>>> =
                    args.iter()
                        .map(|it| {
                            if self.has_axes(it) {
                                self.parts(it)
                            } else {
                                Some(vec![it.clone(); n])
                            }
                        })
                        .collect();
                let args = args?;
                let one = |at: usize| args.iter().map(|it| it[at].clone()).collect();
                (0..n).map(|at| self.emit(Op::Prim(*prim, one(at)))).collect()
            }
            Op::Array(ArrayOp::Iota(size)) if wanted => {
                let size = size.as_constant()?;
                Some((0..size).map(Atom::Int).collect())
            }
            Op::Array(ArrayOp::Replicate { value, .. }) if wanted => {
                self.replicate(&of_result, op, value)
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) if wanted => {
                self.transpose(&of_result, array, permutation)
            }
            Op::Array(ArrayOp::Literal { parts, .. }) if wanted => {
                let mut res = Vec::new();
                for part in parts {
                    let small = self.type_of(part).and_then(|it| small_axes(&it)).is_some();
                    if small { res.extend(self.parts(part)?) } else { res.push(part.clone()) }
                }
                Some(res)
            }
            Op::Array(ArrayOp::Concat(parts)) if wanted && of_result.place(0).is_some() => {
                let mut res = Vec::new();
                for part in parts {
                    let known = self.type_of(part)?.split_arrays().0.first()?.as_constant()?;
                    if known > 0 {
                        res.extend(self.parts(part)?);
                    }
                }
                Some(res)
            }
            Op::Array(ArrayOp::Reverse(array)) if wanted => self.reverse(array),
            Op::Array(ArrayOp::Slice { array, axis, from, to }) if self.is_split(array) => {
                self.slice(&of_result, array, *axis, (from, to))
            }
            Op::Array(ArrayOp::Index { array, indices }) if self.is_split(array) => {
                self.index(&of_result, array, indices)
            }
            Op::Array(ArrayOp::Gather { array, indices, mask })
                if wanted && self.is_split(array) =>
            {
                self.gather(&of_result, array, indices, mask.as_ref())
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) if self.is_split(array) => {
                self.reduce(*reduction, *axis, array)
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask: None })
                if wanted && self.is_split(into) =>
            {
                self.scatter(into, indices, values)
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => None,
        }
    }

    fn has_axes(&self, atom: &Atom) -> bool {
        matches!(self.type_of(atom), Some(Type::Array(..)))
    }

    fn axes(&self, atom: &Atom) -> Option<Axes> {
        Some(Axes::of(&self.type_of(atom)?))
    }

    /// The parts of an array, or itself.
    fn parts_or_self(&mut self, atom: &Atom) -> Option<Vec<Atom>> {
        let small = self.type_of(atom).and_then(|it| small_axes(&it)).is_some();
        if small { self.parts(atom) } else { Some(vec![atom.clone()]) }
    }

    fn replicate(&mut self, to: &Axes, op: &Op, value: &Atom) -> Option<Vec<Atom>> {
        let Op::Array(ArrayOp::Replicate { size, .. }) = op else { return None };
        let parts = self.parts_or_self(value)?;
        if to.place(0).is_some() {
            let n = size.as_constant()?;
            return Some((0..n).flat_map(|_| parts.clone()).collect());
        }
        parts
            .into_iter()
            .map(|value| self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value })))
            .collect()
    }

    fn transpose(&mut self, to: &Axes, array: &Atom, by: &[usize]) -> Option<Vec<Atom>> {
        let from = self.axes(array)?;
        let parts = self.parts(array)?;
        let axis = |at: usize| by.get(at).copied().unwrap_or(at);
        let inner: Vec<usize> = to.others().iter().map(|it| from.inside(axis(*it))).collect();
        let sizes = from.sizes();
        let mut res = Vec::new();
        for position in positions(&to.sizes()) {
            let mut there = vec![0; sizes.len()];
            for ((at, _), index) in to.small.iter().zip(&position) {
                there[from.place(axis(*at))?] = *index;
            }
            let part = parts[number(&sizes, &there)].clone();
            res.push(self.permuted(&part, inner.clone())?);
        }
        Some(res)
    }

    fn reverse(&mut self, array: &Atom) -> Option<Vec<Atom>> {
        let axes = self.axes(array)?;
        let parts = self.parts(array)?;
        if axes.place(0).is_none() {
            return parts
                .into_iter()
                .map(|it| self.emit(Op::Array(ArrayOp::Reverse(it))))
                .collect();
        }
        let sizes = axes.sizes();
        let from = |mut it: Vec<usize>| {
            it[0] = sizes[0] - 1 - it[0];
            parts[number(&sizes, &it)].clone()
        };
        Some(positions(&sizes).into_iter().map(from).collect())
    }

    fn slice(
        &mut self,
        to: &Axes,
        array: &Atom,
        axis: usize,
        (first, end): (&Size, &Size),
    ) -> Option<Vec<Atom>> {
        let from = self.axes(array)?;
        let Some(place) = from.place(axis) else {
            let axis = from.inside(axis);
            let (from, to) = (first.clone(), end.clone());
            let parts = self.parts(array)?;
            let one = |array| {
                Op::Array(ArrayOp::Slice { array, axis, from: from.clone(), to: to.clone() })
            };
            return parts.into_iter().map(|it| self.emit(one(it))).collect();
        };
        let (first, end) = (first.as_constant()?, end.as_constant()?);
        let sizes = from.sizes();
        if first < 0 || first >= end || end > sizes[place] as i64 || to.place(axis).is_none() {
            return None;
        }
        let parts = self.parts(array)?;
        let from = |mut it: Vec<usize>| {
            it[place] += first as usize;
            parts[number(&sizes, &it)].clone()
        };
        Some(positions(&to.sizes()).into_iter().map(from).collect())
    }

    fn index(&mut self, to: &Axes, array: &Atom, indices: &[Atom]) -> Option<Vec<Atom>> {
        let from = self.axes(array)?;
        let sizes = from.sizes();
        let mut fixed = Vec::new();
        let mut open = Vec::new();
        for (axis, index) in indices.iter().enumerate() {
            match (from.place(axis), index) {
                (None, _) => open.push(index.clone()),
                (Some(at), Atom::Int(it)) if (0..sizes[at] as i64).contains(it) => {
                    fixed.push(*it as usize);
                }
                (Some(_), _) => return None,
            }
        }
        let parts = self.parts(array)?;
        let mut res = Vec::new();
        for position in positions(&to.sizes()) {
            let position: Vec<usize> = fixed.iter().copied().chain(position).collect();
            let array = parts[number(&sizes, &position)].clone();
            if open.is_empty() {
                res.push(array);
            } else {
                res.push(self.emit(Op::Array(ArrayOp::Index { array, indices: open.clone() }))?);
            }
        }
        Some(res)
    }

    /// Where the axes that are looked up are not small.
    fn gather(
        &mut self,
        to: &Axes,
        array: &Atom,
        indices: &[Atom],
        mask: Option<&Atom>,
    ) -> Option<Vec<Atom>> {
        let from = self.axes(array)?;
        let small = |it: &Atom| self.type_of(it).and_then(|it| small_axes(&it)).is_some();
        let mut looked_up = indices.iter().chain(mask);
        if (0..indices.len()).any(|it| from.place(it).is_some()) || looked_up.any(small) {
            return None;
        }
        if from.sizes() != to.sizes() {
            return None;
        }
        let parts = self.parts(array)?;
        let one = |array| {
            Op::Array(ArrayOp::Gather { array, indices: indices.to_vec(), mask: mask.cloned() })
        };
        parts.into_iter().map(|it| self.emit(one(it))).collect()
    }

    fn reduce(&mut self, reduction: Reduction, axis: usize, array: &Atom) -> Option<Vec<Atom>> {
        let from = self.axes(array)?;
        let elem = self.type_of(array)?.split_arrays().1.clone();
        let parts = self.parts(array)?;
        let Some(place) = from.place(axis) else {
            let axis = from.inside(axis);
            let one = |array| Op::Array(ArrayOp::Reduce { reduction, axis, array });
            return parts.into_iter().map(|it| self.emit(one(it))).collect();
        };
        let (prim, start) = match (reduction, &elem) {
            // It starts with zero: a sum of negative zeros is none.
            (Reduction::Sum, Type::Real) => (Prim::Add, Some(Atom::Real(Literal(0.0)))),
            (Reduction::Sum, Type::Int) => (Prim::Add, None),
            (Reduction::Product, Type::Real | Type::Int) => (Prim::Mul, None),
            (Reduction::Maximum, Type::Real | Type::Int) => (Prim::Max, None),
            (Reduction::Minimum, Type::Real | Type::Int) => (Prim::Min, None),
            _ => return None,
        };
        let better = [(Prim::Max, Prim::Ge), (Prim::Min, Prim::Le)];
        let better = better.iter().find(|it| it.0 == prim).map(|it| it.1);
        let better = better.filter(|_| self.is_differentiated && elem == Type::Real);
        let sizes = from.sizes();
        let mut left = sizes.clone();
        left.remove(place);
        let mut res = Vec::new();
        for position in positions(&left) {
            let mut sum = start.clone();
            for at in 0..sizes[place] {
                let mut there = position.clone();
                there.insert(place, at);
                let part = parts[number(&sizes, &there)].clone();
                sum = Some(match (sum, better) {
                    (None, _) => part,
                    (Some(sum), Some(better)) => self.chosen(better, sum, part)?,
                    (Some(sum), None) => self.emit(Op::Prim(prim, vec![sum, part]))?,
                });
            }
            res.push(sum?);
        }
        Some(res)
    }

    /// The first if it is better or NaN, which is what `min` and `max` give, with the derivative of what it is.
    fn chosen(&mut self, better: Prim, first: Atom, second: Atom) -> Option<Atom> {
        let is_better = self.emit(Op::Prim(better, vec![first.clone(), second.clone()]))?;
        let is_nan = self.emit(Op::Prim(Prim::IsNan, vec![first.clone()]))?;
        let is_first = self.emit(Op::Prim(Prim::Or, vec![is_better, is_nan]))?;
        self.emit(Op::Prim(Prim::Select, vec![is_first, first, second]))
    }

    /// Along which axis an operation counts from zero.
    pub(super) fn counts_along(&self, op: &Op) -> Option<usize> {
        let of = |it: &Atom| match it {
            Atom::Var(var) => self.counting.get(var).copied(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        };
        if let Op::Array(ArrayOp::Iota(_)) = op {
            return Some(0);
        }
        if let Op::Copy(it) = op {
            return of(it);
        }
        if let Op::Array(ArrayOp::Replicate { value, .. }) = op {
            return Some(of(value)? + 1);
        }
        let Op::Array(ArrayOp::Transpose { array, permutation }) = op else { return None };
        let axis = of(array)?;
        let rank = self.type_of(array)?.split_arrays().0.len();
        (0..rank).find(|at| permutation.get(*at).copied().unwrap_or(*at) == axis)
    }

    /// Where the places are known: along small axes they are numbers, along the others each element
    /// goes to where it is.
    fn scatter(&mut self, into: &Atom, indices: &[Atom], values: &Atom) -> Option<Vec<Atom>> {
        let to = self.axes(into)?;
        let (sizes, own) = (to.sizes(), to.small.iter().filter(|it| it.0 < indices.len()).count());
        let point = indices.iter().find(|it| self.has_axes(it));
        let point = point.map_or(Some(Type::Int), |it| self.type_of(it))?;
        let points = Axes::of(&point);
        let n = points.sizes().iter().product();
        let mut places = Vec::new();
        let mut along = Vec::new();
        for (axis, index) in indices.iter().enumerate() {
            if to.place(axis).is_none() {
                let Atom::Var(var) = index else { return None };
                let counted = *self.counting.get(var)?;
                let size = |ty: &Type, axis: usize| ty.split_arrays().0.get(axis).cloned();
                if size(&point, counted)? != size(&self.type_of(into)?, axis)? {
                    return None;
                }
                along.push(counted);
                continue;
            }
            let apart = self.has_axes(index) && !points.small.is_empty();
            places.push(if apart { self.parts(index)? } else { vec![index.clone(); n] });
        }
        // Each of the large axes of the points is one of the target, in order.
        if along != points.others() {
            return None;
        }
        let rows: usize = sizes[own..].iter().product();
        let mut at = Vec::new();
        for point in 0..n {
            let mut position = Vec::new();
            for (place, size) in places.iter().zip(&sizes) {
                let Atom::Int(index) = place.get(point)? else { return None };
                if !(0..*size as i64).contains(index) {
                    return None;
                }
                position.push(*index as usize);
            }
            at.push(number(&sizes[..own], &position));
        }
        let mut res = self.parts(into)?;
        let values = self.parts_or_self(values)?;
        if values.len() != n * rows {
            return None;
        }
        for (point, to) in at.into_iter().enumerate() {
            for row in 0..rows {
                let (old, new) = (res[to * rows + row].clone(), values[point * rows + row].clone());
                res[to * rows + row] = self.emit(Op::Prim(Prim::Add, vec![old, new]))?;
            }
        }
        Some(res)
    }
}
