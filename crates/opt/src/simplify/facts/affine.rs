//! Arrays of integers as affine functions of their position: what index arrays look like when they
//! come out of loops that became operations on whole arrays.

use ir::{ArrayOp, Atom, Op, Prim, Size, Type};

use super::Facts;
use crate::tuning::AFFINE_TERMS;

/// The array `a[i0, i1, ...] = offset + coefficients[0] * i0 + ...`; a scalar has no axes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simplify) struct Affine {
    pub(in crate::simplify) sizes: Vec<Size>,
    pub(in crate::simplify) coefficients: Vec<Size>,
    pub(in crate::simplify) offset: Size,
}

/// How an index goes along the axes of the result.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simplify) enum Along {
    /// It is the same everywhere.
    Nothing,
    /// It is the position along this axis, plus the offset.
    Axis(usize),
    /// It counts down along this axis from its size less one.
    Backwards(usize),
    /// Anything else.
    Other,
}

impl Affine {
    pub(in crate::simplify) fn scalar(offset: Size) -> Affine {
        Affine { sizes: Vec::new(), coefficients: Vec::new(), offset }
    }

    /// Whether it is worth the while, and right: integers wrap around, sizes do not.
    fn is_plain(&self) -> bool {
        let all = || self.coefficients.iter().chain([&self.offset]);
        all().map(|it| it.terms().count()).sum::<usize>() <= AFFINE_TERMS
            && all().all(Size::is_exact)
    }

    pub(in crate::simplify) fn depends_on(&self, axis: usize) -> bool {
        self.coefficients.get(axis).is_some_and(|it| it.as_constant() != Some(0))
    }

    pub(in crate::simplify) fn along(&self) -> Along {
        let mut axes = (0..self.sizes.len()).filter(|it| self.depends_on(*it));
        let (first, second) = (axes.next(), axes.next());
        match (first, second) {
            (None, _) => Along::Nothing,
            (Some(_), Some(_)) => Along::Other,
            (Some(axis), None) => {
                let last = self.sizes[axis].sub(&Size::constant(1));
                match self.coefficients[axis].as_constant() {
                    Some(1) => Along::Axis(axis),
                    Some(-1) if self.offset == last => Along::Backwards(axis),
                    Some(_) | None => Along::Other,
                }
            }
        }
    }

    fn plus(&self, other: &Affine) -> Option<Affine> {
        if self.sizes.is_empty() && !other.sizes.is_empty() {
            return other.plus(self);
        }
        let mut res = self.clone();
        res.offset = res.offset.add(&other.offset);
        if !other.sizes.is_empty() && other.sizes.len() != self.sizes.len() {
            return None;
        }
        for (sum, it) in res.coefficients.iter_mut().zip(&other.coefficients) {
            *sum = sum.add(it);
        }
        Some(res)
    }

    fn times(&self, factor: &Size) -> Affine {
        let coefficients = self.coefficients.iter().map(|it| it.mul(factor)).collect();
        let sizes = self.sizes.clone();
        Affine { sizes, coefficients, offset: self.offset.mul(factor) }
    }
}

impl Facts<'_> {
    /// The affine form of an operand of type `Int`, or of an array of those.
    pub(in crate::simplify) fn affine(&self, atom: &Atom) -> Option<Affine> {
        match atom {
            Atom::Int(value) => Some(Affine::scalar(Size::constant(*value))),
            Atom::Var(var) => match self.affine.get(*var) {
                Some(it) => Some(it.clone()),
                None if self.types.get(*var) == Some(&Type::Int) => {
                    Some(Affine::scalar(Size::var(*var)))
                }
                None => None,
            },
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
        }
    }

    /// The affine forms of indices, those of scalars as of arrays.
    pub(in crate::simplify) fn forms(
        &self,
        indices: &[Atom],
        shape: &[Size],
    ) -> Option<Vec<Affine>> {
        let form = |it: &Atom| {
            let mut form = self.affine(it)?;
            if form.sizes.is_empty() {
                form.sizes = shape.to_vec();
                form.coefficients = vec![Size::constant(0); shape.len()];
            }
            Some(form)
        };
        indices.iter().map(form).collect()
    }

    /// Whether one of these indices is known to change along an axis.
    pub(in crate::simplify) fn any_depends_on(&self, indices: &[Atom], axis: usize) -> bool {
        indices.iter().filter_map(|it| self.affine(it)).any(|it| it.depends_on(axis))
    }

    /// Indices with scalars for arrays of one value, if one array stays and something changes.
    pub(in crate::simplify) fn scalar_indices(&self, indices: &[Atom]) -> Option<Vec<Atom>> {
        let new: Vec<Atom> =
            indices.iter().map(|it| self.scalar_of(it).unwrap_or_else(|| it.clone())).collect();
        let is_array = |it: &Atom| matches!(self.type_of(it), Some(Type::Array(..)));
        (new != indices && new.iter().any(is_array)).then_some(new)
    }

    /// The affine form of what an operation gives.
    pub(super) fn affine_op(&self, op: &Op) -> Option<Affine> {
        self.affine_form(op).filter(Affine::is_plain)
    }

    fn affine_form(&self, op: &Op) -> Option<Affine> {
        let one = || Size::constant(1);
        if let Op::Size(size) = op {
            return Some(Affine::scalar(size.clone()));
        }
        if let Op::Array(ArrayOp::Iota(size)) = op {
            let (sizes, coefficients) = (vec![size.clone()], vec![one()]);
            return Some(Affine { sizes, coefficients, offset: Size::constant(0) });
        }
        if let Op::Array(ArrayOp::Replicate { size, value }) = op {
            let mut res = self.affine(value)?;
            res.sizes.insert(0, size.clone());
            res.coefficients.insert(0, Size::constant(0));
            return Some(res);
        }
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op {
            let from = self.affine(array)?;
            let mut res = from.clone();
            for (to, axis) in permutation.iter().enumerate() {
                res.sizes[to] = from.sizes[*axis].clone();
                res.coefficients[to] = from.coefficients[*axis].clone();
            }
            return Some(res);
        }
        if let Op::Array(ArrayOp::Reverse(array)) = op {
            let mut res = self.affine(array)?;
            let last = res.sizes[0].sub(&one());
            res.offset = res.offset.add(&res.coefficients[0].mul(&last));
            res.coefficients[0] = res.coefficients[0].scale(-1);
            return Some(res);
        }
        if let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op {
            let mut res = self.affine(array)?;
            res.offset = res.offset.add(&res.coefficients[*axis].mul(from));
            res.sizes[*axis] = to.sub(from);
            return Some(res);
        }
        if let Op::Array(ArrayOp::Index { array, indices }) = op {
            return self.affine_at(array, indices);
        }
        if let Op::Array(ArrayOp::Gather { array, indices, mask: None }) = op {
            return self.affine_at(array, indices);
        }
        if let Op::Prim(prim, args) = op {
            return self.affine_prim(*prim, args);
        }
        None
    }

    /// An affine array at affine positions.
    fn affine_at(&self, array: &Atom, indices: &[Atom]) -> Option<Affine> {
        let from = self.affine(array)?;
        let indices = indices.iter().map(|it| self.affine(it)).collect::<Option<Vec<_>>>()?;
        let mut res = Affine::scalar(from.offset.clone());
        for (index, coefficient) in indices.iter().zip(&from.coefficients) {
            let term = index.times(coefficient);
            res = res.plus(&term)?;
        }
        res.sizes.extend(from.sizes.into_iter().skip(indices.len()));
        res.coefficients.extend(from.coefficients.into_iter().skip(indices.len()));
        Some(res)
    }

    fn affine_prim(&self, prim: Prim, args: &[Atom]) -> Option<Affine> {
        let args = args.iter().map(|it| self.affine(it)).collect::<Option<Vec<_>>>()?;
        let [x, rest @ ..] = &*args else { return None };
        if prim == Prim::Neg {
            return Some(x.times(&Size::constant(-1)));
        }
        let [y] = rest else { return None };
        if prim == Prim::Add {
            x.plus(y)
        } else if prim == Prim::Sub {
            x.plus(&y.times(&Size::constant(-1)))
        } else if prim == Prim::Mul {
            let (factor, other) = if x.along() == Along::Nothing { (x, y) } else { (y, x) };
            let same_rank = factor.sizes.is_empty() || factor.sizes.len() == other.sizes.len();
            let constant = factor.along() == Along::Nothing;
            (constant && same_rank).then(|| other.times(&factor.offset))
        } else {
            None
        }
    }
}
