//! Reverse mode: `D1(Γ) ⊢ D(t) : D1(τ) * (D2(τ) -o D2(Γ))`. The mirror image of `forward.rs`, arm by arm.
//!
//! Paper: Sections 7.3 and 7.5; `map` of Section 10; sums as in the reference code of Section 11.2, `build`,
//! indexing and sums of arrays in the same manner. A cotangent of a sum has a part for each side, and the side
//! that a value is not on is zero.

mod repeated;

use base::Name;
use ir::Prim;

use super::environment::{Environment, element, parts};
use super::term::{
    MapTransposed, Side, Term, apply, bind, fst, lambda, linear_apply, linear_bind, linear_lambda,
    pair, part, plus, snd, var,
};
use super::types::Type;
use super::typing::{Language, operation, type_of};

/// `D1(τ)`: what a primal is.
pub fn primal(ty: &Type) -> Type {
    if let Type::Function(from, to) = ty {
        let pull_back = cotangent(to).linear_to(&cotangent(from));
        return primal(from).to(&primal(to).times(&pull_back));
    }
    ty.map(&primal)
}

/// `D2(τ)`: what a cotangent is.
pub fn cotangent(ty: &Type) -> Type {
    match ty {
        Type::Real => Type::Real,
        Type::Int | Type::Unit => Type::Unit,
        Type::Pair(one, other) | Type::Sum(one, other) => cotangent(one).times(&cotangent(other)),
        Type::Function(from, to) => primal(from).copower(&cotangent(to)),
        Type::Array(size, elem) => cotangent(elem).array(size),
        Type::Linear(..) | Type::Copower(..) | Type::List(_) => {
            panic!("compiler bug: {ty} is no type of the source language")
        }
    }
}

/// `D(t)` of a source term in a context, and the type of the term.
pub fn reverse(context: &[(Name, Type)], term: &Term) -> Result<(Term, Type), String> {
    type_of(Language::Source, context, term)?;
    let mut reverse = Reverse { env: Environment::new(cotangent) };
    context.iter().for_each(|it| reverse.env.push(&it.0, &it.1));
    let term = term.anew(&mut reverse.env.names);
    Ok(reverse.term(&term))
}

struct Reverse {
    env: Environment,
}

impl Reverse {
    fn term(&mut self, term: &Term) -> (Term, Type) {
        match term {
            Term::Real(_) => self.constant(term, Type::Real),

            Term::Int(_) | Term::Size(_) => self.constant(term, Type::Int),

            Term::Op(prim, args) => self.op(*prim, args),

            Term::Var(x) => {
                let (ty, skip) = self.env.find(x);
                let v = self.env.names.fresh("v");
                let at = Term::Coproj(self.env.space(), skip, Box::new(var(&v)));
                (pair(var(x), linear_lambda(&v, &cotangent(&ty), at)), ty)
            }

            Term::Let(x, t, s) => {
                let (t, ty) = self.term(t);
                let x = (x.clone(), self.env.prime(x));
                let (s, res) = self.under(&x.0, &ty, s);
                let y = self.env.names("y");
                let [v, w] = ["v", "w"].map(|it| self.env.names.fresh(it));
                let sum = plus(fst(var(&w)), linear_apply(var(&x.1), snd(var(&w))));
                let body = linear_bind(&w, linear_apply(var(&y.1), var(&v)), sum);
                let both = pair(var(&y.0), linear_lambda(&v, &cotangent(&res), body));
                let inner = self.env.both(&y, s, both);
                (self.env.both(&x, t, inner), res)
            }

            Term::Unit => self.constant(term, Type::Unit),

            Term::Pair(t, s) => {
                let ((t, one), (s, other)) = (self.term(t), self.term(s));
                let (x, y) = (self.env.names("x"), self.env.names("y"));
                let v = self.env.names.fresh("v");
                let left = linear_apply(var(&x.1), fst(var(&v)));
                let body = plus(left, linear_apply(var(&y.1), snd(var(&v))));
                let ty = one.times(&other);
                let pull_back = linear_lambda(&v, &cotangent(&ty), body);
                let both = pair(pair(var(&x.0), var(&y.0)), pull_back);
                let inner = self.env.both(&y, s, both);
                (self.env.both(&x, t, inner), ty)
            }

            Term::Fst(t) => self.one(t, |x, ty| {
                let (one, other) = parts(ty);
                let body = move |v: Term| pair(v, Term::Zero(cotangent(&other)));
                (fst(x), one, Box::new(body))
            }),

            Term::Snd(t) => self.one(t, |x, ty| {
                let (one, other) = parts(ty);
                let body = move |v: Term| pair(Term::Zero(cotangent(&one)), v);
                (snd(x), other, Box::new(body))
            }),

            Term::Lambda(x, from, t) => self.lambda(x, from, t),

            Term::Apply(t, s) => {
                let ((t, function), (s, _)) = (self.term(t), self.term(s));
                let (_, to) = parts(&function);
                let (x, y, z) = (self.env.names("x"), self.env.names("y"), self.env.names("z"));
                let v = self.env.names.fresh("v");
                let call = Term::Copower(Box::new(var(&y.0)), Box::new(var(&v)));
                let context = linear_apply(var(&x.1), call);
                let argument = linear_apply(var(&y.1), linear_apply(var(&z.1), var(&v)));
                let pull_back = linear_lambda(&v, &cotangent(&to), plus(context, argument));
                let both = pair(var(&z.0), pull_back);
                let called = self.env.both(&z, apply(var(&x.0), var(&y.0)), both);
                let inner = self.env.both(&y, s, called);
                (self.env.both(&x, t, inner), to)
            }

            Term::Inject(side, other, t) => self.one(t, |x, ty| {
                let value = Term::Inject(*side, primal(other), Box::new(x));
                match side {
                    Side::Left => (value, ty.or(other), Box::new(fst)),
                    Side::Right => (value, other.or(ty), Box::new(snd)),
                }
            }),

            Term::Case(t, a, s, b, r) => {
                let (t, ty) = self.term(t);
                let (left, right) = parts(&ty);
                let x = self.env.names("x");
                let [zero_left, zero_right] = [&left, &right].map(|it| Term::Zero(cotangent(it)));
                let (s, res) = self.arm(&x.1, a, &left, s, |it| pair(it, zero_right));
                let (r, _) = self.arm(&x.1, b, &right, r, |it| pair(zero_left, it));
                let case = Term::Case(Box::new(var(&x.0)), a.clone(), s, b.clone(), r);
                (self.env.both(&x, t, case), res)
            }

            Term::Map(x, t, s) => self.map(x, t, s),

            Term::Build(size, i, t) => {
                let (t, elem) = self.under(i, &Type::Int, t);
                let y = self.env.names.fresh("y");
                let at = |i: &Name| apply(var(&y), var(i));
                let [i1, i2, v] = ["i", "i", "v"].map(|it| self.env.names.fresh(it));
                let value = Term::Build(size.clone(), i1.clone(), Box::new(fst(at(&i1))));
                let cotangent_at = Term::Index(Box::new(var(&v)), Box::new(var(&i2)));
                let body = fst(linear_apply(snd(at(&i2)), cotangent_at));
                let all = Term::Build(size.clone(), i2, Box::new(body));
                let body = Term::Sum(self.env.space(), Box::new(all));
                let ty = elem.array(size);
                let both = pair(value, linear_lambda(&v, &cotangent(&ty), body));
                (bind(&y, lambda(i, &Type::Int, t), both), ty)
            }

            Term::Index(t, s) => {
                let ((t, ty), (s, _)) = (self.term(t), self.term(s));
                let (x, i) = (self.env.names("x"), self.env.names("i"));
                let elem = element(&ty);
                let v = self.env.names.fresh("v");
                let Type::Array(size, _) = &ty else { panic!("compiler bug: {ty} is no array") };
                let one = Term::OneHot(
                    size.clone(),
                    cotangent(&elem),
                    Box::new(var(&i.0)),
                    Box::new(var(&v)),
                );
                let pull_back = linear_lambda(&v, &cotangent(&elem), linear_apply(var(&x.1), one));
                let value = Term::Index(Box::new(var(&x.0)), Box::new(var(&i.0)));
                let inner = self.env.both(&i, s, pair(value, pull_back));
                (self.env.both(&x, t, inner), elem)
            }

            Term::Sum(elem, t) => {
                let i = self.env.names.fresh("i");
                self.one(t, |x, ty| {
                    let Type::Array(size, _) = ty else { panic!("compiler bug: {ty} is no array") };
                    let size = size.clone();
                    let body = move |v: Term| Term::Build(size.clone(), i, Box::new(v));
                    (Term::Sum(elem.clone(), Box::new(x)), elem.clone(), Box::new(body))
                })
            }

            Term::Loop(it) => self.repeated(it),

            Term::LinearLet(..) | Term::Derivative(..) | Term::Transposed(..) => no_source(term),
            Term::Copower(..) | Term::CopowerCase(..) | Term::LinearLambda(..) => no_source(term),
            Term::LinearApply(..) | Term::Zero(_) | Term::Plus(..) => no_source(term),
            Term::Proj(..) | Term::Coproj(..) | Term::OneHot(..) => no_source(term),
            Term::MapDerivative(_) | Term::MapTransposed(_) => no_source(term),
            Term::Singleton(_) | Term::ToList(_) | Term::Zip(..) => no_source(term),
        }
    }

    /// `D(t)` with one more variable.
    fn under(&mut self, x: &Name, ty: &Type, term: &Term) -> (Term, Type) {
        self.env.push(x, ty);
        let res = self.term(term);
        self.env.pop();
        res
    }

    fn constant(&mut self, term: &Term, ty: Type) -> (Term, Type) {
        let v = self.env.names.fresh("v");
        let zero = Term::Zero(self.env.space());
        (pair(term.clone(), linear_lambda(&v, &cotangent(&ty), zero)), ty)
    }

    fn op(&mut self, prim: Prim, args: &[Term]) -> (Term, Type) {
        let args: Vec<(Term, Type)> = args.iter().map(|it| self.term(it)).collect();
        let types: Vec<Type> = args.iter().map(|it| it.1.clone()).collect();
        let ty = operation(prim, &types).expect("a source term is well typed");
        let names: Vec<(Name, Name)> = args.iter().map(|_| self.env.names("x")).collect();
        let values: Vec<Term> = names.iter().map(|it| var(&it.0)).collect();
        let [v, w] = ["v", "w"].map(|it| self.env.names.fresh(it));
        let body = if ty == Type::Real {
            let all = names
                .iter()
                .enumerate()
                .map(|(at, it)| linear_apply(var(&it.1), part(var(&w), at, names.len())));
            let all = all.reduce(plus).unwrap_or_else(|| Term::Zero(self.env.space()));
            linear_bind(&w, Term::Transposed(prim, values.clone(), Box::new(var(&v))), all)
        } else {
            Term::Zero(self.env.space())
        };
        let both = pair(Term::Op(prim, values), linear_lambda(&v, &cotangent(&ty), body));
        let bound = names.iter().zip(args).rev();
        (bound.fold(both, |res, (it, (arg, _))| self.env.both(it, arg, res)), ty)
    }

    /// A former of one term: from its value and type, the value, its type, and what becomes of a cotangent.
    fn one(
        &mut self,
        term: &Term,
        f: impl FnOnce(Term, &Type) -> (Term, Type, Box<dyn FnOnce(Term) -> Term>),
    ) -> (Term, Type) {
        let (term, ty) = self.term(term);
        let x = self.env.names("x");
        let v = self.env.names.fresh("v");
        let (value, res, body) = f(var(&x.0), &ty);
        let body = linear_apply(var(&x.1), body(var(&v)));
        let both = pair(value, linear_lambda(&v, &cotangent(&res), body));
        (self.env.both(&x, term, both), res)
    }

    fn lambda(&mut self, x: &Name, from: &Type, t: &Term) -> (Term, Type) {
        let (t, to) = self.under(x, from, t);
        let y = self.env.names.fresh("y");
        let z = self.env.names("z");
        let [x1, x2] = [x, x].map(|it| self.env.names.fresh(it));
        let [v1, v2, v3] = ["v", "v", "v"].map(|it| self.env.names.fresh(it));
        let argument = snd(linear_apply(var(&z.1), var(&v1)));
        let both = pair(var(&z.0), linear_lambda(&v1, &cotangent(&to), argument));
        let called = self.env.both(&z, apply(var(&y), var(&x1)), both);
        let value = lambda(&x1, &primal(from), called);
        let captured = fst(linear_apply(snd(apply(var(&y), var(&x2))), var(&v3)));
        let ty = from.to(&to);
        let each =
            Term::CopowerCase(self.env.space(), Box::new(var(&v2)), x2, v3, Box::new(captured));
        let both = pair(value, linear_lambda(&v2, &cotangent(&ty), each));
        (bind(&y, lambda(x, &primal(from), t), both), ty)
    }

    /// An arm of a case: the cotangent of what it binds is one of the value, which `x'` propagates.
    fn arm(
        &mut self,
        derivative: &Name,
        name: &Name,
        ty: &Type,
        term: &Term,
        inject: impl FnOnce(Term) -> Term,
    ) -> (Box<Term>, Type) {
        let (term, res) = self.under(name, ty, term);
        let y = self.env.names("y");
        let [v, w] = ["v", "w"].map(|it| self.env.names.fresh(it));
        let sum = plus(fst(var(&w)), linear_apply(var(derivative), inject(snd(var(&w)))));
        let body = linear_bind(&w, linear_apply(var(&y.1), var(&v)), sum);
        let both = pair(var(&y.0), linear_lambda(&v, &cotangent(&res), body));
        (Box::new(self.env.both(&y, term, both)), res)
    }

    fn map(&mut self, x: &Name, t: &Term, s: &Term) -> (Term, Type) {
        let (s, array) = self.term(s);
        let from = element(&array);
        let (t, to) = self.under(x, &from, t);
        let y = self.env.names.fresh("y");
        let z = self.env.names("z");
        let [x1, x2] = [x, x].map(|it| self.env.names.fresh(it));
        let [v, w, a] = ["v", "w", "a"].map(|it| self.env.names.fresh(it));
        let body = Box::new(fst(apply(var(&y), var(&x1))));
        let value = Term::Map(x1, body, Box::new(var(&z.0)));
        let transposed = Term::MapTransposed(Box::new(MapTransposed {
            space: self.env.space(),
            body: linear_apply(snd(apply(var(&y), var(&x2))), var(&w)),
            element: x2,
            cotangent: w,
            over: var(&z.0),
            along: var(&v),
            rest: linear_apply(var(&z.1), var(&a)),
            array: a,
        }));
        let ty = array.map(&|_| to.clone());
        let both = pair(value, linear_lambda(&v, &cotangent(&ty), transposed));
        let inner = self.env.both(&z, s, both);
        (bind(&y, lambda(x, &primal(&from), t), inner), ty)
    }
}

fn no_source<T>(term: &Term) -> T {
    panic!("compiler bug: `{}` is no term of the source language", term.brief())
}
