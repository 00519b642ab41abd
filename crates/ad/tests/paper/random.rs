//! Random well-typed terms, source and target, and values to run them with.
//!
//! All arrays have two elements and all integers are 0 or 1, so that every index is inside.

use ad::chad::paper::meaning::{Machine, Value, array, pair};
use ad::chad::paper::term::{
    Loop, Side, Steps, Term, apply, bind, fst, lambda, linear_apply, linear_bind, linear_lambda,
    pair as both, plus, snd, var,
};
use ad::chad::paper::types::Type;
use base::Name;
use ir::{Literal, Prim, Size};

pub(crate) type Context = Vec<(Name, Type)>;

pub(crate) struct Random {
    state: u64,
    names: usize,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1, names: 0 };
        random.below(2);
        random
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 33) as usize) % n
    }

    pub(crate) fn real(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }

    pub(crate) fn reals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.real()).collect()
    }

    pub(crate) fn name(&mut self) -> Name {
        self.names += 1;
        Name::from(format!("n{}", self.names))
    }

    /// A type of the source language.
    pub(crate) fn ty(&mut self, depth: usize) -> Type {
        match self.below(if depth == 0 { 2 } else { 7 }) {
            0 | 1 => Type::Real,
            2 => Type::Unit,
            3 => self.ty(depth - 1).times(&self.ty(depth - 1)),
            4 => self.ty(depth - 1).or(&self.ty(depth - 1)),
            5 => self.first_order(depth - 1).to(&self.ty(depth - 1)),
            _ => self.ty(depth - 1).array(&two()),
        }
    }

    /// A type without functions and sums.
    pub(crate) fn first_order(&mut self, depth: usize) -> Type {
        match self.below(if depth == 0 { 1 } else { 4 }) {
            0 | 1 => Type::Real,
            2 => self.first_order(depth - 1).times(&self.first_order(depth - 1)),
            _ => self.first_order(depth - 1).array(&two()),
        }
    }

    /// A linear type.
    pub(crate) fn linear_ty(&mut self, depth: usize) -> Type {
        match self.below(if depth == 0 { 2 } else { 7 }) {
            0 | 1 => Type::Real,
            2 => Type::Unit,
            3 => self.linear_ty(depth - 1).times(&self.linear_ty(depth - 1)),
            4 => Type::Real.to(&self.linear_ty(depth - 1)),
            5 => Type::Real.copower(&self.linear_ty(depth - 1)),
            _ => self.linear_ty(depth - 1).array(&two()),
        }
    }

    fn variable(&mut self, context: &Context, ty: &Type) -> Option<Term> {
        let fitting: Vec<&Name> = context.iter().filter(|it| it.1 == *ty).map(|it| &it.0).collect();
        (!fitting.is_empty()).then(|| var(fitting[self.below(fitting.len())]))
    }

    fn under(&mut self, context: &Context, ty: &Type) -> (Name, Context) {
        let name = self.name();
        let mut context = context.clone();
        context.push((name.clone(), ty.clone()));
        (name, context)
    }

    /// A source term of a type.
    pub(crate) fn term(&mut self, context: &Context, ty: &Type, depth: usize) -> Term {
        let is_leaf = depth == 0 || self.below(5) == 0;
        if is_leaf && let Some(found) = self.variable(context, ty) {
            return found;
        }
        if depth == 0 {
            return self.intro(context, ty, 0);
        }
        let less = depth - 1;
        match self.below(9) {
            0 => {
                let bound = self.ty(1);
                let t = self.term(context, &bound, less);
                let (x, inner) = self.under(context, &bound);
                bind(&x, t, self.term(&inner, ty, less))
            }
            1 => {
                let other = self.ty(1);
                fst(self.term(context, &ty.times(&other), less))
            }
            2 => {
                let from = self.first_order(1);
                let function = self.term(context, &from.to(ty), less);
                apply(function, self.term(context, &from, less))
            }
            3 => {
                let (left, right) = (self.ty(0), self.ty(1));
                let t = self.term(context, &left.or(&right), less);
                let (x, one) = self.under(context, &left);
                let (y, other) = self.under(context, &right);
                let (s, r) = (self.term(&one, ty, less), self.term(&other, ty, less));
                Term::Case(Box::new(t), x, Box::new(s), y, Box::new(r))
            }
            4 => {
                let init = self.term(context, ty, less);
                let (state, inner) = self.under(context, ty);
                let (index, inner) = self.under(&inner, &Type::Int);
                let body = self.term(&inner, ty, less);
                let steps = Steps::Count(Term::Int(self.below(3) as i64));
                Term::Loop(Box::new(Loop { steps, state, index, body, init }))
            }
            5 => {
                let at = self.position(context);
                let all = self.term(context, &ty.array(&two()), less);
                Term::Index(Box::new(all), Box::new(at))
            }
            _ => self.intro(context, ty, depth),
        }
    }

    fn position(&mut self, context: &Context) -> Term {
        let constant = self.below(2) as i64;
        self.variable(context, &Type::Int).unwrap_or(Term::Int(constant))
    }

    fn intro(&mut self, context: &Context, ty: &Type, depth: usize) -> Term {
        let less = depth.saturating_sub(1);
        match ty {
            Type::Real => self.real_term(context, depth),
            Type::Int => self.position(context),
            Type::Unit => Term::Unit,
            Type::Pair(one, other) => {
                both(self.term(context, one, less), self.term(context, other, less))
            }
            Type::Sum(one, other) => match self.below(2) {
                0 => {
                    let t = Box::new(self.term(context, one, less));
                    Term::Inject(Side::Left, (**other).clone(), t)
                }
                _ => {
                    let t = Box::new(self.term(context, other, less));
                    Term::Inject(Side::Right, (**one).clone(), t)
                }
            },
            Type::Function(from, to) => {
                let (x, inner) = self.under(context, from);
                lambda(&x, from, self.term(&inner, to, less))
            }
            Type::Array(size, elem) if depth > 0 && self.below(2) == 0 => {
                let from = self.first_order(0);
                let s = self.term(context, &from.array(size), less);
                let (x, inner) = self.under(context, &from);
                Term::Map(x, Box::new(self.term(&inner, elem, less)), Box::new(s))
            }
            Type::Array(size, elem) => {
                let (i, inner) = self.under(context, &Type::Int);
                Term::Build(size.clone(), i, Box::new(self.term(&inner, elem, less)))
            }
            Type::Linear(from, to) => {
                let v = self.name();
                let body = self.linear(context, (&v, from), to, less);
                linear_lambda(&v, from, body)
            }
            Type::Copower(..) | Type::List(_) => panic!("{ty} is no Cartesian type"),
        }
    }

    fn real_term(&mut self, context: &Context, depth: usize) -> Term {
        if depth == 0 {
            let constant = Term::Real(Literal(self.real()));
            return self.variable(context, &Type::Real).unwrap_or(constant);
        }
        let less = depth - 1;
        match self.below(6) {
            0 => Term::Op(Prim::Sin, vec![self.term(context, &Type::Real, less)]),
            1 => Term::Op(Prim::Cos, vec![self.term(context, &Type::Real, less)]),
            2 => {
                let all = self.term(context, &Type::Real.array(&two()), less);
                Term::Sum(Type::Real, Box::new(all))
            }
            n => {
                let prim = [Prim::Add, Prim::Mul, Prim::Sub][n - 3];
                let args = [less, less].map(|it| self.term(context, &Type::Real, it));
                Term::Op(prim, args.to_vec())
            }
        }
    }

    /// A linear term of a type in a linear variable.
    pub(crate) fn linear(
        &mut self,
        context: &Context,
        v: (&Name, &Type),
        ty: &Type,
        depth: usize,
    ) -> Term {
        if *v.1 == *ty && (depth == 0 || self.below(3) == 0) {
            return var(v.0);
        }
        if depth == 0 {
            return Term::Zero(ty.clone());
        }
        let less = depth - 1;
        match self.below(12) {
            0 => plus(self.linear(context, v, ty, less), self.linear(context, v, ty, less)),
            1 => {
                let bound = self.ty(1);
                let t = self.term(context, &bound, less.min(2));
                let (x, inner) = self.under(context, &bound);
                bind(&x, t, self.linear(&inner, v, ty, less))
            }
            2 => {
                let bound = self.linear_ty(1);
                let t = self.linear(context, v, &bound, less);
                let w = self.name();
                let s = self.linear(context, (&w, &bound), ty, less);
                linear_bind(&w, t, s)
            }
            3 => {
                let from = self.linear_ty(1);
                let function = self.intro(context, &from.linear_to(ty), less);
                linear_apply(function, self.linear(context, v, &from, less))
            }
            4 => {
                let other = self.linear_ty(1);
                snd(self.linear(context, v, &other.times(ty), less))
            }
            5 => {
                let (from, to) = (Type::Real, self.linear_ty(1));
                let t = self.linear(context, v, &from.copower(&to), less);
                let (x, inner) = self.under(context, &from);
                let w = self.name();
                let s = self.linear(&inner, (&w, &to), ty, less);
                Term::CopowerCase(ty.clone(), Box::new(t), x, w, Box::new(s))
            }
            6 => {
                let power = Type::Real.to(ty);
                let function = self.linear(context, v, &power, less);
                apply(function, self.term(context, &Type::Real, less.min(2)))
            }
            7 => {
                let at = self.position(context);
                let all = self.linear(context, v, &ty.array(&two()), less);
                Term::Index(Box::new(all), Box::new(at))
            }
            8 => {
                let all = self.linear(context, v, &ty.array(&two()), less);
                Term::Sum(ty.clone(), Box::new(all))
            }
            _ => self.linear_intro(context, v, ty, less),
        }
    }

    fn linear_intro(
        &mut self,
        context: &Context,
        v: (&Name, &Type),
        ty: &Type,
        less: usize,
    ) -> Term {
        match ty {
            Type::Real => {
                let args = [0, 0].map(|_| self.term(context, &Type::Real, 1)).to_vec();
                let two_reals = Type::Real.times(&Type::Real);
                match self.below(2) {
                    0 => {
                        let t = Box::new(self.linear(context, v, &two_reals, less));
                        Term::Derivative(Prim::Mul, args, t)
                    }
                    _ => {
                        let t = Box::new(self.linear(context, v, &Type::Real, less));
                        fst(Term::Transposed(Prim::Mul, args, t))
                    }
                }
            }
            Type::Unit => Term::Unit,
            Type::Pair(one, other) => match self.below(3) {
                0 => {
                    let t = Box::new(self.linear(context, v, other, less));
                    Term::Coproj(ty.clone(), 0, t)
                }
                _ => both(self.linear(context, v, one, less), self.linear(context, v, other, less)),
            },
            Type::Function(from, to) => {
                let (x, inner) = self.under(context, from);
                lambda(&x, from, self.linear(&inner, v, to, less))
            }
            Type::Copower(from, to) => {
                let t = Box::new(self.term(context, from, 1));
                Term::Copower(t, Box::new(self.linear(context, v, to, less)))
            }
            Type::Array(size, elem) => match self.below(2) {
                0 => {
                    let (i, inner) = self.under(context, &Type::Int);
                    let t = self.linear(&inner, v, elem, less);
                    Term::Build(size.clone(), i, Box::new(t))
                }
                _ => {
                    let at = Box::new(self.position(context));
                    let t = Box::new(self.linear(context, v, elem, less));
                    Term::OneHot(size.clone(), (**elem).clone(), at, t)
                }
            },
            Type::Int | Type::Sum(..) | Type::Linear(..) | Type::List(_) => {
                panic!("{ty} is no linear type")
            }
        }
    }

    /// A value of a linear type, or of a source type of first order.
    pub(crate) fn value<'t>(&mut self, machine: &mut Machine<'_>, ty: &Type) -> Value<'t> {
        match ty {
            Type::Real => Value::Real(self.real()),
            Type::Int => Value::Int(self.below(2) as i64),
            Type::Unit => Value::Unit,
            Type::Pair(one, other) => {
                let one = self.value(machine, one);
                pair(one, self.value(machine, other))
            }
            Type::Array(_, elem) => array((0..2).map(|_| self.value(machine, elem)).collect()),
            Type::Copower(from, to) => {
                let all = (0..self.below(3)).map(|_| {
                    let key = self.value(machine, from);
                    pair(key, self.value(machine, to))
                });
                Value::List(std::rc::Rc::new(all.collect()))
            }
            Type::Function(..) => machine.zero(ty).expect("a power has a zero"),
            Type::Sum(..) | Type::Linear(..) | Type::List(_) => panic!("no value of {ty}"),
        }
    }
}

pub(crate) fn two() -> Size {
    Size::constant(2)
}
