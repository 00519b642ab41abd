//! How a value of a given type is computed: top down, with so much fuel.
//!
//! Every rule gives `None` where it does not apply. What is computed stays in scope, so that later
//! rules use it again: that is how values are shared.

use ir::{Atom, ControlOp, DeriveOp, Op, Size, Type};

use crate::scope::Gen;
use crate::shapes;

/// A way to compute a value of a type.
type Rule<'p, 'r> = fn(&mut Gen<'p, 'r>, &Type, usize) -> Option<Atom>;

impl<'p, 'r> Gen<'p, 'r> {
    /// A value of this type; `fuel` is about the number of statements.
    pub(crate) fn value(&mut self, ty: &Type, fuel: usize) -> Atom {
        if fuel == 0 || (fuel < 4 && self.random.once_in(6)) {
            return self.leaf(ty);
        }
        for _ in 0..6 {
            let rule = self.rule(ty);
            if let Some(atom) = rule(self, ty, fuel - 1) {
                return atom;
            }
        }
        self.leaf(ty)
    }

    /// One of the rules that may fit the type.
    fn rule(&mut self, ty: &Type) -> Rule<'p, 'r> {
        let any: &[(usize, Rule<'p, 'r>)] = &[
            (4, Gen::branch),
            (2, Gen::fold),
            (2, Gen::iterate),
            (2, Gen::repeat_while),
            (3, Gen::call),
            (2, Gen::part),
            (4, Gen::element),
            (2, Gen::apply),
            (2, Gen::case),
            (3, Gen::derivative),
            (1, Gen::stop),
        ];
        let numbers: &[(usize, Rule<'p, 'r>)] =
            &[(18, Gen::primitive), (2, Gen::convert), (2, Gen::choose), (5, Gen::reduce)];
        let scalars: &[(usize, Rule<'p, 'r>)] = &[(1, Gen::filtered), (1, Gen::extreme)];
        let tests: &[(usize, Rule<'p, 'r>)] = &[(20, Gen::test)];
        let arrays: &[(usize, Rule<'p, 'r>)] = &[
            (14, Gen::build),
            (3, Gen::scan),
            (2, Gen::literal_array),
            (2, Gen::slice),
            (2, Gen::gather),
            (2, Gen::scatter),
            (2, Gen::replicate),
            (2, Gen::transpose),
            (2, Gen::reshape),
            (2, Gen::reverse),
            (2, Gen::concat),
            (2, Gen::sort),
            (1, Gen::sized),
        ];
        let built: &[(usize, Rule<'p, 'r>)] = &[(20, Gen::composed)];
        let mut rules = any.to_vec();
        if shapes::numbers(ty).is_some() {
            rules.extend(numbers);
        }
        match ty {
            Type::Real | Type::Int => rules.extend(scalars),
            Type::Bool => rules.extend(tests),
            Type::Array(..) => rules.extend(arrays),
            Type::Tuple(_) | Type::Function(..) | Type::Data(..) => rules.extend(built),
            Type::String | Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => {}
        }
        let weights: Vec<usize> = rules.iter().map(|it| it.0).collect();
        rules[self.random.weighted(&weights)].1
    }

    /// Only the branch taken runs.
    fn branch(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (fuel, more) = self.split(fuel);
        let cond = self.value(&Type::Bool, more.min(3));
        let (left, right) = self.split(fuel);
        let also = self.random.once_in(5).then(|| self.plain_type());
        let types: Vec<Type> = [ty.clone()].into_iter().chain(also).collect();
        let then = self.block(&[], |it| types.iter().map(|ty| it.value(ty, left)).collect());
        let otherwise = self.block(&[], |it| types.iter().map(|ty| it.value(ty, right)).collect());
        self.emit(Op::Control(ControlOp::If { cond, then, otherwise })).into_iter().next()
    }

    /// A part of a tuple, or the array of that part.
    fn part(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let fits = |tuple: &Type| {
            let (sizes, inner) = tuple.split_arrays();
            let Type::Tuple(parts) = inner else { return None };
            parts.iter().position(|it| Type::arrays(&sizes, it.clone()) == *ty)
        };
        let found: Vec<(Atom, usize)> =
            self.scope.iter().filter_map(|it| Some((Atom::Var(it.var), fits(&it.ty)?))).collect();
        if !found.is_empty() && !self.random.once_in(4) {
            let (tuple, index) = self.random.pick(&found).clone();
            return Some(self.one(Op::Proj { tuple, index }));
        }
        let mut other = self.any_type();
        let (mut rank, mut part) = (0, ty.clone());
        if let Type::Array(size, elem) = ty
            && self.random.once_in(2)
            && shapes::is_plain(&other)
            && shapes::scalars(&other) < 8
        {
            (rank, part) = (1, (**elem).clone());
            other = Type::array(size.clone(), other);
        }
        let (left, right) = self.split(fuel);
        let index = self.random.below(2);
        let whole = Type::arrays(&ty.split_arrays().0[..rank], part);
        let mut parts = vec![self.value(&other, left.min(4)), self.value(&whole, right)];
        if index == 0 {
            parts.reverse();
        }
        let tuple = self.one(Op::Tuple { rank, parts });
        Some(self.one(Op::Proj { tuple, index }))
    }

    /// A tuple, a function or a value of a sum type put together.
    pub(crate) fn composed(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        match ty {
            Type::Tuple(parts) => {
                let share = fuel / parts.len().max(1);
                let parts = parts.iter().map(|it| self.value(it, share)).collect();
                Some(self.one(Op::Tuple { rank: 0, parts }))
            }
            Type::Function(params, result) => Some(self.lambda(params, result, fuel)),
            Type::Data(..) => self.construct(ty, fuel),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Array(..) => None,
            Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => None,
        }
    }

    /// The value itself, without a derivative.
    fn stop(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        if !self.habits.stops || !shapes::is_plain(ty) {
            return None;
        }
        let value = self.value(ty, fuel);
        Some(self.one(Op::Derive(DeriveOp::StopGradient(value))))
    }

    /// An element or a row of an array.
    fn element(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        if !shapes::is_plain(ty) && !matches!(ty, Type::Data(..)) {
            return None;
        }
        let fits = |array: &Type| {
            let (sizes, inner) = array.split_arrays();
            let taken = sizes.len().checked_sub(ty.split_arrays().0.len())?;
            let row = Type::arrays(&sizes[taken..], inner.clone());
            (taken > 0 && row == *ty).then(|| sizes[..taken].to_vec())
        };
        let found: Vec<(Atom, Vec<Size>)> =
            self.scope.iter().filter_map(|it| Some((Atom::Var(it.var), fits(&it.ty)?))).collect();
        let (array, sizes) = if !found.is_empty() && !self.random.once_in(5) {
            self.random.pick(&found).clone()
        } else {
            let size = self.any_size();
            let array = Type::array(size.clone(), ty.clone());
            if shapes::scalars(&array) > 60 {
                return None;
            }
            (self.value(&array, fuel), vec![size])
        };
        self.index(ty, array, &sizes, fuel.min(2))
    }
}
