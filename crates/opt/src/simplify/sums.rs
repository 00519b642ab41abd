//! Rules that make sums smaller before they are taken: what is the same along an axis goes out of its
//! sum.

use ir::{ArrayOp, Atom, Op, Prim, Reduction, Type};

use super::Exactness;
use super::forward::{Forward, Step};

/// Sums of more terms are looked at in parts.
const MOST_TERMS: usize = 16;

impl Forward<'_> {
    pub(super) fn sum_of(&mut self, axis: usize, array: &Atom) -> Option<Step> {
        if let Some(step) = self.sum_one_hot(axis, array) {
            return Some(step);
        }
        let loose = self.exactness == Exactness::UpToRounding;
        let op = self.op_of(array)?.clone();
        if let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: inner, array: xs }) =
            &op
            && loose
            && self.is_used_once(array)
        {
            return self.sum_sum_scale(axis, *inner, xs);
        }
        let Op::Prim(prim, args) = op else { return None };
        match &*args {
            // sum-neg: `sum (neg xs)` -> `neg (sum xs)`, up to the sign of zero
            [xs] if prim == Prim::Neg && loose => {
                let sum = self.sum(axis, xs)?;
                Some(Step::Op(Op::Prim(prim, vec![sum])))
            }
            [x, y] if prim == Prim::Scale && loose => {
                self.sum_scale(axis, x, y).or_else(|| self.sum_scale(axis, y, x))
            }
            [c, x, y] if prim == Prim::Select => self.sum_select(axis, c, x, y),
            [] | [_] | [_, _] | [_, _, _] | [_, _, _, _, ..] => None,
        }
    }

    fn sum(&mut self, axis: usize, array: &Atom) -> Option<Atom> {
        self.emit(Op::Array(ArrayOp::Reduce {
            reduction: Reduction::Sum,
            axis,
            array: array.clone(),
        }))
    }

    // sum-scale: `sum (scale c xs)` -> `scale c (sum xs)`, where `c` is the same along the axis; up to
    // rounding, and for a `c` that is not finite, up to what cancels
    fn sum_scale(&mut self, axis: usize, factor: &Atom, xs: &Atom) -> Option<Step> {
        if !self.is_array(xs) || !self.is_repeated(factor, axis) {
            return None;
        }
        let factor = self.unrepeated(factor, axis)?;
        let sum = self.sum(axis, xs)?;
        Some(Step::Op(Op::Prim(Prim::Scale, vec![factor, sum])))
    }

    // sum-sum-scale: `sum 0 (sum 1 (scale c xs))` -> `sum 0 (scale c (sum 0 xs))`, where `c` is the same
    // along the outer axis: a product of matrices that is added up is a product with what is added up
    fn sum_sum_scale(&mut self, outer: usize, inner: usize, array: &Atom) -> Option<Step> {
        let Op::Prim(Prim::Scale, args) = self.op_of(array)?.clone() else { return None };
        let [x, y] = &*args else { return None };
        let outer = if outer < inner { outer } else { outer + 1 };
        let inner = if inner < outer { inner } else { inner - 1 };
        let Step::Op(scaled) =
            self.sum_scale(outer, x, y).or_else(|| self.sum_scale(outer, y, x))?
        else {
            return None;
        };
        let array = self.emit(scaled)?;
        Some(Step::Op(Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: inner, array })))
    }

    // sum-select: `sum (select c xs 0.0)` -> `select c (sum xs) 0.0`, where `c` is the same along the axis
    fn sum_select(&mut self, axis: usize, c: &Atom, x: &Atom, y: &Atom) -> Option<Step> {
        let (some, zero) = if self.is_zero(y) { (x, y) } else { (y, x) };
        if !self.is_zero(zero) || !self.is_array(some) || !self.is_repeated(c, axis) {
            return None;
        }
        let c = self.unrepeated(c, axis)?;
        let zero = self.scalar_of(zero)?;
        // A negative zero is none in a sum.
        let zero = if let Atom::Real(_) = zero { Atom::Real(ir::Literal(0.0)) } else { zero };
        let sum = self.sum(axis, some)?;
        let branches = if some == x { [sum, zero] } else { [zero, sum] };
        Some(Step::Op(Op::Prim(Prim::Select, [c].into_iter().chain(branches).collect())))
    }

    // add-sums: `add (sum xs) (sum ys)` -> `sum (add xs ys)`, where nobody else needs the sums; also if
    // other terms stand between them; up to rounding. Sums over several axes may be products of
    // matrices, and stay.
    pub(super) fn add_sums(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        if prim != Prim::Add || self.exactness != Exactness::UpToRounding {
            return None;
        }
        let mut terms = Vec::new();
        args.iter().for_each(|it| self.terms(it, &mut terms));
        let sums: Vec<(usize, Atom, Type)> = terms
            .iter()
            .enumerate()
            .filter_map(|(at, it)| {
                let array = self.row_summed(it).filter(|_| self.is_used_once(it))?;
                let ty = self.type_of(&array)?;
                Some((at, array, ty))
            })
            .collect();
        let alike = |x: &(usize, Atom, Type)| {
            let same =
                |y: &&(usize, Atom, Type)| y.0 > x.0 && x.2 == y.2 && terms[x.0] != terms[y.0];
            sums.iter().find(same).map(|y| (x.clone(), y.clone()))
        };
        let ((first, xs, _), (second, ys, _)) = sums.iter().find_map(alike)?;
        let array = self.emit(Op::Prim(Prim::Add, vec![xs, ys]))?;
        let sum = Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array });
        let others = terms.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
        let mut op = sum;
        for (_, other) in others {
            let so_far = self.emit(op)?;
            op = Op::Prim(Prim::Add, vec![so_far, other.clone()]);
        }
        Some(Step::Op(op))
    }

    /// The terms of a sum whose parts nobody else needs.
    fn terms(&self, atom: &Atom, into: &mut Vec<Atom>) {
        match self.op_of(atom) {
            Some(Op::Prim(Prim::Add, args))
                if into.len() < MOST_TERMS
                    && self.is_used_once(atom)
                    && self.type_of(atom) == Some(Type::Real) =>
            {
                args.clone().iter().for_each(|it| self.terms(it, into));
            }
            Some(_) | None => into.push(atom.clone()),
        }
    }

    /// The array of one axis that a value is the sum of.
    fn row_summed(&self, atom: &Atom) -> Option<Atom> {
        let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, array, .. }) =
            self.op_of(atom)?
        else {
            return None;
        };
        let ty = self.type_of(array)?;
        matches!(ty, Type::Array(_, elem) if *elem == Type::Real).then(|| array.clone())
    }

    // add-selects: `add (select c x 0.0) (select c 0.0 y)` -> `select c x y`, up to the sign of zero
    pub(super) fn add_selects(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        let [a, b] = args else { return None };
        if prim != Prim::Add || self.exactness != Exactness::UpToRounding {
            return None;
        }
        let (Op::Prim(Prim::Select, a), Op::Prim(Prim::Select, b)) =
            (self.op_of(a)?, self.op_of(b)?)
        else {
            return None;
        };
        let ([c, x, y], [d, z, w]) = (&**a, &**b) else { return None };
        if c != d {
            return None;
        }
        let chosen = if self.is_zero(y) && self.is_zero(z) {
            [c, x, w]
        } else if self.is_zero(x) && self.is_zero(w) {
            [c, z, y]
        } else {
            return None;
        };
        Some(Step::Op(Op::Prim(Prim::Select, chosen.into_iter().cloned().collect())))
    }
}
