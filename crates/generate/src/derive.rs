//! Derivative operators, nested, of small functions that capture what is around them.

use ir::{Atom, DeriveOp, Dialect, Op, Operator, Size, Type};

use crate::scope::Gen;
use crate::shapes;

/// Derivative operators inside of one another.
const DEEPEST: u32 = 2;

/// What is inside of an operator is small: derivatives of derivatives grow fast.
const MOST_FUEL: usize = 6;

impl Gen<'_, '_> {
    /// The derivative of a function, of the type wanted.
    pub(crate) fn derivative(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let allowed = self.dialect != Dialect::FirstOrder && self.derivatives < DEEPEST;
        if !allowed || !shapes::is_plain(ty) {
            return None;
        }
        let fuel = fuel.min(MOST_FUEL);
        match self.random.below(8) {
            0 if self.random.once_in(2) => self.kept_jvp(ty, fuel),
            0 => self.jvp(ty, fuel),
            1 if self.random.once_in(2) => self.kept_vjp(ty, fuel),
            1 => self.vjp(ty, fuel),
            2 | 3 => self.gradient(Operator::Grad, ty, fuel),
            4 => self.gradient(Operator::Hvp, ty, fuel),
            5 => self.value_and_grad(ty, fuel),
            6 => self.jacobian(ty, fuel),
            _ => self.hessian(ty, fuel),
        }
    }

    /// A small function; the parts of a tuple may become several parameters.
    fn small_function(
        &mut self,
        argument: &Type,
        result: &Type,
        runs: u64,
        fuel: usize,
    ) -> Option<(Atom, Vec<Type>)> {
        let mut params = vec![argument.clone()];
        if let Type::Tuple(parts) = argument
            && parts.len() > 1
            && self.random.once_in(2)
        {
            params = parts.clone();
        }
        self.repeated(runs, |it| {
            it.derivatives += 1;
            let function = it.lambda(&params, result, fuel);
            it.derivatives -= 1;
            Some((function, params))
        })
    }

    fn values(&mut self, types: &[Type], fuel: usize) -> Vec<Atom> {
        types.iter().map(|ty| self.value(ty, fuel / types.len().max(1))).collect()
    }

    fn derive(&mut self, operator: Operator, function: Atom, args: Vec<Atom>) -> Atom {
        self.one(Op::Derive(DeriveOp::OfFunction { operator, level: 0, function, args }))
    }

    fn jvp(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let argument = self.plain_type();
        let (function, _) = self.small_function(&argument, ty, 3, fuel)?;
        let args = self.values(&[argument.clone(), argument], fuel / 2);
        Some(self.derive(Operator::Jvp, function, args))
    }

    fn vjp(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let result = self.plain_type();
        let runs = 2 * shapes::scalars(ty);
        let (function, mut types) = self.small_function(ty, &result, runs, fuel)?;
        types.push(result);
        let args = self.values(&types, fuel / 2);
        Some(self.derive(Operator::Vjp, function, args))
    }

    /// `{ (y, k) = linearise f x; vjp k (x, y) }`
    fn kept_vjp(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let result = self.plain_type();
        let runs = 3 * shapes::scalars(ty);
        let (function, types) = self.small_function(ty, &result, runs, fuel)?;
        let mut point = self.values(&types, fuel / 2);
        let [value, kept] = self.linearised(function, &point);
        point.push(value);
        Some(self.derive(Operator::Vjp, kept, point))
    }

    /// `{ (y, k) = linearise f x; jvp k (x, dx) }`
    fn kept_jvp(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let argument = self.plain_type();
        let (function, types) = self.small_function(&argument, ty, 4, fuel)?;
        let point = self.values(&types, fuel / 2);
        let [_, kept] = self.linearised(function, &point);
        let whole = match &*point {
            [single] => single.clone(),
            _ => self.one(Op::Tuple { rank: 0, parts: point }),
        };
        let direction = self.value(&argument, fuel / 2);
        Some(self.derive(Operator::Jvp, kept, vec![whole, direction]))
    }

    /// The value, and the function that remembers this run of it.
    fn linearised(&mut self, function: Atom, point: &[Atom]) -> [Atom; 2] {
        let tuple = self.derive(Operator::Linearise, function, point.to_vec());
        [0, 1].map(|index| self.one(Op::Proj { tuple: tuple.clone(), index }))
    }

    fn gradient(&mut self, operator: Operator, ty: &Type, fuel: usize) -> Option<Atom> {
        let runs = 4 * shapes::scalars(ty);
        let (function, mut types) = self.small_function(ty, &Type::Real, runs, fuel)?;
        if operator == Operator::Hvp {
            types = vec![ty.clone(), ty.clone()];
        }
        let args = self.values(&types, fuel / 2);
        Some(self.derive(operator, function, args))
    }

    /// One part of `(value, gradient)`.
    fn value_and_grad(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let index = if *ty == Type::Real { self.random.below(2) } else { 1 };
        let argument = if index == 1 { ty.clone() } else { self.plain_type() };
        let runs = 2 * shapes::scalars(&argument);
        let (function, types) = self.small_function(&argument, &Type::Real, runs, fuel)?;
        let args = self.values(&types, fuel / 2);
        let tuple = self.derive(Operator::ValueAndGrad, function, args);
        Some(self.one(Op::Proj { tuple, index }))
    }

    /// Of a function from reals to reals, both of any rank that fits.
    fn jacobian(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (result, argument) = self.halves(ty, None)?;
        let runs = 2 * shapes::scalars(ty);
        let (function, types) = self.small_function(&argument, &result, runs, fuel)?;
        let args = self.values(&types, fuel / 2);
        Some(self.derive(Operator::Jacobian, function, args))
    }

    fn hessian(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (rank, half) = (ty.split_arrays().0.len(), ty.split_arrays().0.len() / 2);
        let (left, right) = self.halves(ty, Some(half))?;
        if left != right || rank % 2 != 0 {
            return None;
        }
        let runs = 4 * shapes::scalars(ty);
        let (function, types) = self.small_function(&left, &Type::Real, runs, fuel)?;
        let args = self.values(&types, fuel / 2);
        Some(self.derive(Operator::Hessian, function, args))
    }

    /// `[s0]...Real` and `[sk]...Real` of `[s0]...[sk]...Real`.
    fn halves(&mut self, ty: &Type, at: Option<usize>) -> Option<(Type, Type)> {
        let (sizes, scalar) = ty.split_arrays();
        let at = at.unwrap_or_else(|| self.random.below(sizes.len() + 1));
        let reals = |sizes: &[Size]| Type::arrays(sizes, Type::Real);
        (*scalar == Type::Real).then(|| (reals(&sizes[..at]), reals(&sizes[at..])))
    }
}
