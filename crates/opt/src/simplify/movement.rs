//! Rules for what moves elements without looking at them, and for reductions.

use ir::{ArrayOp, Atom, Literal, Op, Reduction, Size, Type};

use super::forward::{Forward, Step};

impl Forward<'_> {
    /// The sizes of an array.
    pub(super) fn sizes_of(&self, atom: &Atom) -> Option<Vec<Size>> {
        self.type_of(atom).map(|it| it.split_arrays().0)
    }

    pub(super) fn transpose(&mut self, array: &Atom, permutation: &[usize]) -> Option<Step> {
        // transpose-identity: `transpose [0, 1] a` -> `a`; `[1, 0, 2]` -> `[1, 0]`
        let moved = permutation.iter().enumerate().rposition(|(at, it)| at != *it);
        let Some(last) = moved else { return Some(Step::Value(array.clone())) };
        if last + 1 < permutation.len() {
            let permutation = permutation[..=last].to_vec();
            return Some(Step::Op(Op::Array(ArrayOp::Transpose {
                array: array.clone(),
                permutation,
            })));
        }
        // transpose-transpose: `transpose p (transpose q a)` -> `transpose (q . p) a`
        if let Op::Array(ArrayOp::Transpose { array, permutation: inner }) = self.op_of(array)? {
            let rank = permutation.len().max(inner.len());
            let at = |p: &[usize], axis: usize| p.get(axis).copied().unwrap_or(axis);
            let permutation = (0..rank).map(|it| at(inner, at(permutation, it))).collect();
            return Some(Step::Op(Op::Array(ArrayOp::Transpose {
                array: array.clone(),
                permutation,
            })));
        }
        self.transpose_replicate(array, permutation)
            .or_else(|| self.transpose_replicate_transpose(array, permutation))
    }

    // transpose-replicate-transpose: `transpose p (replicate n (transpose q a))` -> one transpose of
    // `replicate n a`, where nobody else needs the inner ones
    fn transpose_replicate_transpose(
        &mut self,
        array: &Atom,
        permutation: &[usize],
    ) -> Option<Step> {
        let Op::Array(ArrayOp::Replicate { size, value }) = self.op_of(array)? else { return None };
        let Op::Array(ArrayOp::Transpose { array: inner, permutation: first }) =
            self.op_of(value)?
        else {
            return None;
        };
        if !self.is_used_once(array) || !self.is_used_once(value) {
            return None;
        }
        let (size, value) = (size.clone(), inner.clone());
        let first: Vec<usize> = [0].into_iter().chain(first.iter().map(|it| it + 1)).collect();
        let rank = permutation.len().max(first.len());
        let at = |p: &[usize], axis: usize| p.get(axis).copied().unwrap_or(axis);
        let both = (0..rank).map(|it| at(&first, at(permutation, it))).collect();
        let array = self.emit(Op::Array(ArrayOp::Replicate { size, value }))?;
        Some(Step::Op(Op::Array(ArrayOp::Transpose { array, permutation: both })))
    }

    // transpose-replicate: `transpose [0, 2, 1] (replicate n a)` -> `replicate n (transpose [1, 0] a)`,
    // and so for every replicated axis that comes to the front
    fn transpose_replicate(&mut self, array: &Atom, permutation: &[usize]) -> Option<Step> {
        let front = permutation[0];
        let mut outer = Vec::new();
        let mut rest = array.clone();
        let size = loop {
            let Op::Array(ArrayOp::Replicate { size, value }) = self.op_of(&rest)? else {
                return None;
            };
            let (size, value) = (size.clone(), value.clone());
            rest = value;
            if outer.len() == front {
                break size;
            }
            outer.push(size);
        };
        for size in outer.into_iter().rev() {
            rest = self.emit(Op::Array(ArrayOp::Replicate { size, value: rest }))?;
        }
        let permutation: Vec<usize> = without(permutation, front);
        let value = self.emit(Op::Array(ArrayOp::Transpose { array: rest, permutation }))?;
        Some(Step::Op(Op::Array(ArrayOp::Replicate { size, value })))
    }

    pub(super) fn reshape(&mut self, array: &Atom, rank: usize, sizes: &[Size]) -> Option<Step> {
        let from = self.sizes_of(array)?;
        // reshape-identity: `reshape 1 [n] a` -> `a`, where `a: [n]T`
        if from.get(..rank) == Some(sizes) {
            return Some(Step::Value(array.clone()));
        }
        let op = Op::Array(ArrayOp::Reshape { array: array.clone(), rank, sizes: sizes.to_vec() });
        if self.can_fail(&op, self.depth()) {
            return None;
        }
        // reshape-reshape: `reshape s (reshape t a)` -> `reshape s a`
        if let Op::Array(ArrayOp::Reshape { array: inner, rank: inner_rank, sizes: between }) =
            self.op_of(array)?
            && between.len() == rank
        {
            let (array, rank) = (inner.clone(), *inner_rank);
            let op = Op::Array(ArrayOp::Reshape { array, rank, sizes: sizes.to_vec() });
            return (!self.can_fail(&op, self.depth())).then_some(Step::Op(op));
        }
        // reshape-replicate: `reshape [n * m] (replicate n (replicate m x))` -> `replicate (n * m) x`
        let mut value = array.clone();
        for _ in 0..rank {
            let Op::Array(ArrayOp::Replicate { value: inner, .. }) = self.op_of(&value)? else {
                return None;
            };
            value = inner.clone();
        }
        let ty = self.type_of(&value)?;
        for size in sizes.iter().rev() {
            value = self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))?;
        }
        (self.type_of(&value)? == Type::arrays(sizes, ty)).then_some(Step::Value(value))
    }

    // reverse-reverse: `reverse (reverse a)` -> `a`; reverse-replicate: of equals, nothing changes
    pub(super) fn reverse(&self, array: &Atom) -> Option<Step> {
        let op = self.op_of(array)?;
        if let Op::Array(ArrayOp::Reverse(inner)) = op {
            return Some(Step::Value(inner.clone()));
        }
        matches!(op, Op::Array(ArrayOp::Replicate { .. })).then(|| Step::Value(array.clone()))
    }

    pub(super) fn slice(
        &mut self,
        array: &Atom,
        axis: usize,
        from: &Size,
        to: &Size,
    ) -> Option<Step> {
        // slice-whole: `slice 0 (0..n) a` -> `a`, where `a: [n]T`
        if from.as_constant() == Some(0) && self.sizes_of(array)?.get(axis) == Some(to) {
            return Some(Step::Value(array.clone()));
        }
        let op = Op::Array(ArrayOp::Slice {
            array: array.clone(),
            axis,
            from: from.clone(),
            to: to.clone(),
        });
        if self.can_fail(&op, self.depth()) {
            return None;
        }
        let inner = self.op_of(array)?.clone();
        // slice-replicate: `slice 0 (a..b) (replicate n x)` -> `replicate (b - a) x`
        if let Op::Array(ArrayOp::Replicate { size, value }) = inner {
            if axis == 0 {
                return Some(Step::Op(Op::Array(ArrayOp::Replicate { size: to.sub(from), value })));
            }
            let (from, to) = (from.clone(), to.clone());
            let value =
                self.emit(Op::Array(ArrayOp::Slice { array: value, axis: axis - 1, from, to }))?;
            return Some(Step::Op(Op::Array(ArrayOp::Replicate { size, value })));
        }
        // slice-slice: `slice 0 (a..b) (slice 0 (c..d) x)` -> `slice 0 (c + a..c + b) x`
        if let Op::Array(ArrayOp::Slice { array, axis: inner_axis, from: start, .. }) = inner
            && inner_axis == axis
        {
            let op =
                Op::Array(ArrayOp::Slice { array, axis, from: start.add(from), to: start.add(to) });
            return (!self.can_fail(&op, self.depth())).then_some(Step::Op(op));
        }
        None
    }

    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
    ) -> Option<Step> {
        // sum-zeros: `sum (replicate n 0.0)` -> `0.0`
        if reduction == Reduction::Sum && self.is_zero(array) {
            let op = Op::Array(ArrayOp::Reduce { reduction, axis, array: array.clone() });
            let ty = self.result_types(&op, &[ir::Var(0)]).ok()?.pop()?;
            let zero = match ty.split_arrays().1 == &Type::Int {
                true => Atom::Int(0),
                false => Atom::Real(Literal(0.0)),
            };
            return self.as_type(zero, &ty);
        }
        let inner = self.op_of(array)?.clone();
        // reduce-transpose: `sum 0 (transpose [1, 0] a)` -> `sum 1 a`
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = inner {
            let from = permutation.get(axis).copied().unwrap_or(axis);
            let array = self.emit(Op::Array(ArrayOp::Reduce { reduction, axis: from, array }))?;
            let permutation = without(&permutation, from);
            return match permutation.len() < 2 {
                true => Some(Step::Value(array)),
                false => Some(Step::Op(Op::Array(ArrayOp::Transpose { array, permutation }))),
            };
        }
        // reduce-replicate: `sum 1 (replicate n a)` -> `replicate n (sum 0 a)`
        if let Op::Array(ArrayOp::Replicate { size, value }) = inner
            && axis > 0
        {
            let value =
                self.emit(Op::Array(ArrayOp::Reduce { reduction, axis: axis - 1, array: value }))?;
            return Some(Step::Op(Op::Array(ArrayOp::Replicate { size, value })));
        }
        if reduction == Reduction::Sum { self.sum_of(axis, array) } else { None }
    }
}

/// A permutation of the axes that are left when one is gone.
pub(super) fn without(permutation: &[usize], gone: usize) -> Vec<usize> {
    let kept = permutation.iter().filter(|it| **it != gone);
    kept.map(|it| if *it > gone { it - 1 } else { *it }).collect()
}
