//! Arrays: made, taken apart, moved, reduced. Indices are in range by construction, unless the
//! program has the habit of faults.

use std::sync::Arc;

use ir::{ArrayOp, Atom, Binder, ControlOp, Lambda, Op, Prim, Reduction, Size, Type};

use crate::scope::Gen;
use crate::shapes;

impl Gen<'_, '_> {
    /// Element by element, over some of the outer axes.
    pub(crate) fn build(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, inner) = ty.split_arrays();
        let taken = 1 + self.random.below(sizes.len());
        let elem = Type::arrays(&sizes[taken..], inner.clone());
        let sizes = sizes[..taken].to_vec();
        let times = sizes.iter().map(shapes::estimate).product();
        self.repeated(times, |it| {
            let bound: Vec<Binder> = sizes.iter().map(|_| it.binder(&Type::Int)).collect();
            let also = it.random.once_in(8).then_some(Type::Real);
            let body = it.block(&bound, |it| {
                it.positive.extend(sizes.iter().cloned());
                it.indices.extend(bound.iter().map(|it| it.var).zip(sizes.iter().cloned()));
                let value = it.value(&elem, fuel);
                [value].into_iter().chain(also.map(|ty| it.leaf(&ty))).collect()
            });
            let indices = bound.iter().map(|it| it.var).collect();
            it.emit(Op::Control(ControlOp::Build { sizes, indices, body })).into_iter().next()
        })
    }

    /// `array[...]` with one index for each size, of the type `ty`.
    pub(crate) fn index(
        &mut self,
        ty: &Type,
        array: Atom,
        sizes: &[Size],
        fuel: usize,
    ) -> Option<Atom> {
        if self.habits.faults && self.random.once_in(4) {
            let indices = sizes.iter().map(|_| self.value(&Type::Int, fuel)).collect();
            return Some(self.one(Op::Array(ArrayOp::Index { array, indices })));
        }
        // A size that may be 0 is asked for first.
        if let Some(unknown) = sizes.iter().find(|it| !self.is_positive(it)) {
            let size = self.size(unknown);
            let cond = self.prim(Prim::Lt, vec![Atom::Int(0), size]);
            let then = self.block(&[], |it| {
                it.positive.push(unknown.clone());
                vec![it.index(ty, array, sizes, fuel).expect("an index is always possible")]
            });
            let otherwise = self.block(&[], |it| vec![it.leaf(ty)]);
            return Some(self.one(Op::Control(ControlOp::If { cond, then, otherwise })));
        }
        if let [size] = sizes
            && self.random.once_in(5)
        {
            let size = size.clone();
            return Some(self.guarded(ty, array, &size, fuel));
        }
        let indices = sizes.iter().map(|it| self.position(it, fuel)).collect();
        Some(self.one(Op::Array(ArrayOp::Index { array, indices })))
    }

    /// An index that is looked at before it is used.
    fn guarded(&mut self, ty: &Type, array: Atom, size: &Size, fuel: usize) -> Atom {
        let at = self.value(&Type::Int, fuel);
        let size = self.size(size);
        let low = self.prim(Prim::Le, vec![Atom::Int(0), at.clone()]);
        let high = self.prim(Prim::Lt, vec![at.clone(), size]);
        let cond = self.prim(Prim::And, vec![low, high]);
        let then = self
            .block(&[], |it| vec![it.one(Op::Array(ArrayOp::Index { array, indices: vec![at] }))]);
        let otherwise = self.block(&[], |it| vec![it.value(ty, fuel)]);
        self.one(Op::Control(ControlOp::If { cond, then, otherwise }))
    }

    /// An `Int` below a size that is at least 1.
    pub(crate) fn position(&mut self, size: &Size, fuel: usize) -> Atom {
        let known: Vec<Atom> =
            self.indices.iter().filter(|it| it.1 == *size).map(|it| Atom::Var(it.0)).collect();
        if !known.is_empty() && !self.random.once_in(3) {
            return self.random.pick(&known).clone();
        }
        let least = shapes::least(size).max(1);
        if self.random.once_in(3) {
            return Atom::Int(self.random.within(0, least - 1));
        }
        let at = self.value(&Type::Int, fuel);
        let size = self.size(size);
        self.prim(Prim::Rem, vec![at, size])
    }

    pub(crate) fn reduce(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (mut sizes, scalar) = ty.split_arrays();
        let axis = self.random.below(sizes.len() + 1);
        sizes.insert(axis, self.any_size());
        let array = Type::arrays(&sizes, scalar.clone());
        if shapes::scalars(&array) > 60 || sizes.len() > 3 {
            return None;
        }
        let reductions = [
            Reduction::Sum,
            Reduction::Sum,
            Reduction::Product,
            Reduction::Maximum,
            Reduction::Minimum,
        ];
        let mut reduction = *self.random.pick(&reductions);
        // Of nothing they are infinite.
        let bounded = matches!(reduction, Reduction::Sum | Reduction::Product);
        if !bounded && !self.is_positive(&sizes[axis]) && !self.habits.singular {
            reduction = Reduction::Sum;
        }
        let array = self.value(&array, fuel);
        Some(self.one(Op::Array(ArrayOp::Reduce { reduction, axis, array })))
    }

    /// The position of an extreme element, or the element there.
    pub(crate) fn extreme(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let size = self.any_size();
        if !self.is_positive(&size) {
            return None;
        }
        let array = self.value(&Type::array(size, Type::Real), fuel);
        let least = self.random.once_in(2);
        let at = self.one(if least {
            Op::Array(ArrayOp::Argmin(array.clone()))
        } else {
            Op::Array(ArrayOp::Argmax(array.clone()))
        });
        if *ty == Type::Int {
            return Some(at);
        }
        Some(self.one(Op::Array(ArrayOp::Index { array, indices: vec![at] })))
    }

    /// A sum over those elements that satisfy a predicate.
    pub(crate) fn filtered(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let size = self.any_size();
        let (outside, inside) = self.split(fuel);
        let array = self.value(&Type::array(size.clone(), ty.clone()), outside);
        self.repeated(shapes::estimate(&size), |it| {
            let elem = it.binder(ty);
            let body =
                it.block(std::slice::from_ref(&elem), |it| vec![it.value(&Type::Bool, inside)]);
            let predicate = Arc::new(Lambda { params: vec![elem], body });
            let results = it.emit(Op::Array(ArrayOp::Filter { array, predicate }));
            if let Atom::Var(count) = &results[0] {
                it.sizes.push(Size::var(*count));
            }
            let reduction = Reduction::Sum;
            Some(it.one(Op::Array(ArrayOp::Reduce {
                reduction,
                axis: 0,
                array: results[1].clone(),
            })))
        })
    }

    pub(crate) fn literal_array(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        let count = size.as_constant()?;
        let share = fuel / count.max(1) as usize;
        let parts = (0..count).map(|_| self.value(elem, share)).collect();
        Some(self.one(Op::Array(ArrayOp::Literal { elem: (**elem).clone(), parts })))
    }

    pub(crate) fn slice(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (mut sizes, inner) = ty.split_arrays();
        let axis = self.random.below(sizes.len());
        let from = if self.random.once_in(3) { self.any_size() } else { Size::constant(1) };
        let more = Size::constant(self.random.within(0, 1));
        let to = from.add(&sizes[axis]);
        sizes[axis] = to.add(&more);
        let array = self.smaller(&Type::arrays(&sizes, inner.clone()), fuel)?;
        Some(self.one(Op::Array(ArrayOp::Slice { array, axis, from, to })))
    }

    /// A value of the type if it is not too great.
    pub(crate) fn smaller(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        (shapes::scalars(ty) <= 80).then(|| self.value(ty, fuel))
    }

    pub(crate) fn replicate(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        let value = self.value(elem, fuel);
        Some(self.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value })))
    }

    pub(crate) fn transpose(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, inner) = ty.split_arrays();
        let mut permutation: Vec<usize> = (0..sizes.len()).collect();
        for at in 1..sizes.len() {
            permutation.swap(at, self.random.below(at + 1));
        }
        let mut before = sizes.clone();
        for (at, axis) in permutation.iter().enumerate() {
            before[*axis] = sizes[at].clone();
        }
        let array = self.value(&Type::arrays(&before, inner.clone()), fuel);
        Some(self.one(Op::Array(ArrayOp::Transpose { array, permutation })))
    }

    /// From one array of all elements, or with an axis of size 1 more.
    pub(crate) fn reshape(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, inner) = ty.split_arrays();
        let before = if sizes.len() > 1 && self.random.once_in(2) {
            vec![sizes.iter().fold(Size::constant(1), |all, it| all.mul(it))]
        } else if sizes.len() > 1 && self.random.once_in(2) {
            sizes.iter().rev().cloned().collect()
        } else {
            let mut more = sizes.clone();
            more.insert(self.random.below(sizes.len() + 1), Size::constant(1));
            more
        };
        if before.len() > 3 {
            return None;
        }
        let array = self.value(&Type::arrays(&before, inner.clone()), fuel);
        Some(self.one(Op::Array(ArrayOp::Reshape { array, rank: before.len(), sizes })))
    }

    pub(crate) fn reverse(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let array = self.value(ty, fuel);
        Some(self.one(Op::Array(ArrayOp::Reverse(array))))
    }

    pub(crate) fn concat(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        let first = match size.terms().find(|(_, factor)| *factor > 0) {
            Some((vars, _)) if !self.random.once_in(5) => {
                vars.iter().fold(Size::constant(1), |all, var| all.mul(&Size::var(*var)))
            }
            _ => Size::constant(0),
        };
        let rest = size.sub(&first);
        if shapes::least(&rest) < 0 {
            return None;
        }
        let (left, right) = self.split(fuel);
        let first = self.value(&Type::array(first, (**elem).clone()), left);
        let rest = self.value(&Type::array(rest, (**elem).clone()), right);
        let parts = if self.random.once_in(2) { vec![first, rest] } else { vec![rest, first] };
        Some(self.one(Op::Array(ArrayOp::Concat(parts))))
    }

    pub(crate) fn sort(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        let array = self.value(ty, fuel);
        if **elem == Type::Int && self.random.once_in(2) {
            let keys = self.value(&Type::array(size.clone(), Type::Real), fuel / 2);
            return Some(self.one(Op::Array(ArrayOp::Argsort(keys))));
        }
        matches!(**elem, Type::Real | Type::Int).then(|| self.one(Op::Array(ArrayOp::Sort(array))))
    }

    /// What is left of an array after a filter, if it is as many as wanted.
    pub(crate) fn sized(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        if !shapes::is_plain(elem) {
            return None;
        }
        let (outside, inside) = self.split(fuel);
        let array = self.value(ty, outside);
        self.repeated(shapes::estimate(size), |it| {
            let bound = it.binder(elem);
            let body = it
                .block(std::slice::from_ref(&bound), |it| vec![it.value(&Type::Bool, inside / 2)]);
            let predicate = Arc::new(Lambda { params: vec![bound], body });
            let results = it.emit(Op::Array(ArrayOp::Filter { array, predicate }));
            let wanted = it.size(size);
            let cond = it.prim(Prim::Eq, vec![results[0].clone(), wanted]);
            let (array, size) = (results[1].clone(), size.clone());
            let then = it.block(&[], |it| vec![it.one(Op::Array(ArrayOp::Sized { array, size }))]);
            let otherwise = it.block(&[], |it| vec![it.value(ty, inside / 2)]);
            Some(it.one(Op::Control(ControlOp::If { cond, then, otherwise })))
        })
    }
}
