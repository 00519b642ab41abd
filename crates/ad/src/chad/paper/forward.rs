//! Forward mode: `D1(Γ) ⊢ D(t) : D1(τ) * (D2(Γ) -o D2(τ))`. The mirror image of `reverse.rs`, arm by arm.
//!
//! Paper: Sections 7.3 and 7.4, with `let` as Appendix B.2 has it; `map` of Section 10; sums as in the
//! reference code of Section 11.2, `build`, indexing and sums of arrays in the same manner. A tangent of a sum
//! has a part for each side, and the side that a value is not on is zero.

mod repeated;

use base::Name;
use ir::Prim;

use super::environment::{Environment, element, parts};
use super::term::{
    MapDerivative, Side, Term, apply, bind, fst, lambda, linear_apply, linear_lambda, pair, plus,
    snd, tuple, var,
};
use super::types::Type;
use super::typing::{Language, operation, type_of};

/// `D1(τ)`: what a primal is.
pub fn primal(ty: &Type) -> Type {
    if let Type::Function(from, to) = ty {
        let push_forward = tangent(from).linear_to(&tangent(to));
        return primal(from).to(&primal(to).times(&push_forward));
    }
    ty.map(&primal)
}

/// `D2(τ)`: what a tangent is.
pub fn tangent(ty: &Type) -> Type {
    match ty {
        Type::Real => Type::Real,
        Type::Int | Type::Unit => Type::Unit,
        Type::Pair(one, other) | Type::Sum(one, other) => tangent(one).times(&tangent(other)),
        Type::Function(from, to) => primal(from).to(&tangent(to)),
        Type::Array(size, elem) => tangent(elem).array(size),
        Type::Linear(..) | Type::Copower(..) | Type::List(_) => {
            panic!("compiler bug: {ty} is no type of the source language")
        }
    }
}

/// `D(t)` of a source term in a context, and the type of the term.
pub fn forward(context: &[(Name, Type)], term: &Term) -> Result<(Term, Type), String> {
    type_of(Language::Source, context, term)?;
    let mut forward = Forward { env: Environment::new(tangent) };
    context.iter().for_each(|it| forward.env.push(&it.0, &it.1));
    let term = term.anew(&mut forward.env.names);
    Ok(forward.term(&term))
}

struct Forward {
    env: Environment,
}

impl Forward {
    fn term(&mut self, term: &Term) -> (Term, Type) {
        match term {
            Term::Real(_) => self.constant(term, Type::Real),

            Term::Int(_) | Term::Size(_) => self.constant(term, Type::Int),

            Term::Op(prim, args) => self.op(*prim, args),

            Term::Var(x) => {
                let (ty, skip) = self.env.find(x);
                let v = self.env.names.fresh("v");
                let of = Term::Proj(skip, Box::new(var(&v)));
                (pair(var(x), linear_lambda(&v, &self.env.space(), of)), ty)
            }

            Term::Let(x, t, s) => {
                let (t, ty) = self.term(t);
                let x = (x.clone(), self.env.prime(x));
                let (s, res) = self.under(&x.0, &ty, s);
                let y = self.env.names("y");
                let v = self.env.names.fresh("v");
                let all = pair(var(&v), linear_apply(var(&x.1), var(&v)));
                let body = linear_apply(var(&y.1), all);
                let both = pair(var(&y.0), linear_lambda(&v, &self.env.space(), body));
                let inner = self.env.both(&y, s, both);
                (self.env.both(&x, t, inner), res)
            }

            Term::Unit => self.constant(term, Type::Unit),

            Term::Pair(t, s) => {
                let ((t, one), (s, other)) = (self.term(t), self.term(s));
                let (x, y) = (self.env.names("x"), self.env.names("y"));
                let v = self.env.names.fresh("v");
                let left = linear_apply(var(&x.1), var(&v));
                let body = pair(left, linear_apply(var(&y.1), var(&v)));
                let ty = one.times(&other);
                let push_forward = linear_lambda(&v, &self.env.space(), body);
                let both = pair(pair(var(&x.0), var(&y.0)), push_forward);
                let inner = self.env.both(&y, s, both);
                (self.env.both(&x, t, inner), ty)
            }

            Term::Fst(t) => self.one(t, |x, ty| (fst(x), parts(ty).0, Box::new(fst))),

            Term::Snd(t) => self.one(t, |x, ty| (snd(x), parts(ty).1, Box::new(snd))),

            Term::Lambda(x, from, t) => self.lambda(x, from, t),

            Term::Apply(t, s) => {
                let ((t, function), (s, _)) = (self.term(t), self.term(s));
                let (_, to) = parts(&function);
                let (x, y, z) = (self.env.names("x"), self.env.names("y"), self.env.names("z"));
                let v = self.env.names.fresh("v");
                let context = apply(linear_apply(var(&x.1), var(&v)), var(&y.0));
                let argument = linear_apply(var(&z.1), linear_apply(var(&y.1), var(&v)));
                let push_forward = linear_lambda(&v, &self.env.space(), plus(context, argument));
                let both = pair(var(&z.0), push_forward);
                let called = self.env.both(&z, apply(var(&x.0), var(&y.0)), both);
                let inner = self.env.both(&y, s, called);
                (self.env.both(&x, t, inner), to)
            }

            Term::Inject(side, other, t) => self.one(t, |x, ty| {
                let value = Term::Inject(*side, primal(other), Box::new(x));
                let zero = Term::Zero(tangent(other));
                match side {
                    Side::Left => (value, ty.or(other), Box::new(|it| pair(it, zero))),
                    Side::Right => (value, other.or(ty), Box::new(|it| pair(zero, it))),
                }
            }),

            Term::Case(t, a, s, b, r) => {
                let (t, ty) = self.term(t);
                let (left, right) = parts(&ty);
                let x = self.env.names("x");
                let (s, res) = self.arm(&x.1, a, &left, s, fst);
                let (r, _) = self.arm(&x.1, b, &right, r, snd);
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
                let all = pair(var(&v), Term::Unit);
                let body = linear_apply(snd(at(&i2)), all);
                let body = Term::Build(size.clone(), i2, Box::new(body));
                let ty = elem.array(size);
                let both = pair(value, linear_lambda(&v, &self.env.space(), body));
                (bind(&y, lambda(i, &Type::Int, t), both), ty)
            }

            Term::Index(t, s) => {
                let ((t, ty), (s, _)) = (self.term(t), self.term(s));
                let (x, i) = (self.env.names("x"), self.env.names("i"));
                let elem = element(&ty);
                let v = self.env.names.fresh("v");
                let along = linear_apply(var(&x.1), var(&v));
                let body = Term::Index(Box::new(along), Box::new(var(&i.0)));
                let push_forward = linear_lambda(&v, &self.env.space(), body);
                let value = Term::Index(Box::new(var(&x.0)), Box::new(var(&i.0)));
                let inner = self.env.both(&i, s, pair(value, push_forward));
                (self.env.both(&x, t, inner), elem)
            }

            Term::Sum(elem, t) => self.one(t, |x, _| {
                let space = tangent(elem);
                let body = move |v: Term| Term::Sum(space, Box::new(v));
                (Term::Sum(elem.clone(), Box::new(x)), elem.clone(), Box::new(body))
            }),

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
        let zero = Term::Zero(tangent(&ty));
        (pair(term.clone(), linear_lambda(&v, &self.env.space(), zero)), ty)
    }

    fn op(&mut self, prim: Prim, args: &[Term]) -> (Term, Type) {
        let args: Vec<(Term, Type)> = args.iter().map(|it| self.term(it)).collect();
        let types: Vec<Type> = args.iter().map(|it| it.1.clone()).collect();
        let ty = operation(prim, &types).expect("a source term is well typed");
        let names: Vec<(Name, Name)> = args.iter().map(|_| self.env.names("x")).collect();
        let values: Vec<Term> = names.iter().map(|it| var(&it.0)).collect();
        let v = self.env.names.fresh("v");
        let body = if ty == Type::Real {
            let all = names.iter().map(|it| linear_apply(var(&it.1), var(&v))).collect();
            Term::Derivative(prim, values.clone(), Box::new(tuple(all)))
        } else {
            Term::Zero(tangent(&ty))
        };
        let both = pair(Term::Op(prim, values), linear_lambda(&v, &self.env.space(), body));
        let bound = names.iter().zip(args).rev();
        (bound.fold(both, |res, (it, (arg, _))| self.env.both(it, arg, res)), ty)
    }

    /// A former of one term: from its value and type, the value, its type, and what becomes of a tangent.
    fn one(
        &mut self,
        term: &Term,
        f: impl FnOnce(Term, &Type) -> (Term, Type, Box<dyn FnOnce(Term) -> Term>),
    ) -> (Term, Type) {
        let (term, ty) = self.term(term);
        let x = self.env.names("x");
        let v = self.env.names.fresh("v");
        let (value, res, body) = f(var(&x.0), &ty);
        let body = body(linear_apply(var(&x.1), var(&v)));
        let both = pair(value, linear_lambda(&v, &self.env.space(), body));
        (self.env.both(&x, term, both), res)
    }

    fn lambda(&mut self, x: &Name, from: &Type, t: &Term) -> (Term, Type) {
        let (t, to) = self.under(x, from, t);
        let y = self.env.names.fresh("y");
        let z = self.env.names("z");
        let [x1, x2] = [x, x].map(|it| self.env.names.fresh(it));
        let [v1, v2] = ["v", "v"].map(|it| self.env.names.fresh(it));
        let argument = linear_apply(var(&z.1), pair(Term::Zero(self.env.space()), var(&v1)));
        let both = pair(var(&z.0), linear_lambda(&v1, &tangent(from), argument));
        let called = self.env.both(&z, apply(var(&y), var(&x1)), both);
        let value = lambda(&x1, &primal(from), called);
        let all = pair(var(&v2), Term::Zero(tangent(from)));
        let captured = linear_apply(snd(apply(var(&y), var(&x2))), all);
        let ty = from.to(&to);
        let power = lambda(&x2, &primal(from), captured);
        let both = pair(value, linear_lambda(&v2, &self.env.space(), power));
        (bind(&y, lambda(x, &primal(from), t), both), ty)
    }

    /// An arm of a case: the tangent of what it binds is a part of that of the value, which `x'` gives.
    fn arm(
        &mut self,
        derivative: &Name,
        name: &Name,
        ty: &Type,
        term: &Term,
        of: impl FnOnce(Term) -> Term,
    ) -> (Box<Term>, Type) {
        let (term, res) = self.under(name, ty, term);
        let y = self.env.names("y");
        let v = self.env.names.fresh("v");
        let all = pair(var(&v), of(linear_apply(var(derivative), var(&v))));
        let body = linear_apply(var(&y.1), all);
        let both = pair(var(&y.0), linear_lambda(&v, &self.env.space(), body));
        (Box::new(self.env.both(&y, term, both)), res)
    }

    fn map(&mut self, x: &Name, t: &Term, s: &Term) -> (Term, Type) {
        let (s, array) = self.term(s);
        let from = element(&array);
        let (t, to) = self.under(x, &from, t);
        let y = self.env.names.fresh("y");
        let z = self.env.names("z");
        let [x1, x2] = [x, x].map(|it| self.env.names.fresh(it));
        let [v, w] = ["v", "w"].map(|it| self.env.names.fresh(it));
        let body = Box::new(fst(apply(var(&y), var(&x1))));
        let value = Term::Map(x1, body, Box::new(var(&z.0)));
        let derivative = Term::MapDerivative(Box::new(MapDerivative {
            body: linear_apply(snd(apply(var(&y), var(&x2))), var(&w)),
            element: x2,
            tangent: w,
            over: var(&z.0),
            outer: var(&v),
            along: linear_apply(var(&z.1), var(&v)),
        }));
        let ty = array.map(&|_| to.clone());
        let both = pair(value, linear_lambda(&v, &self.env.space(), derivative));
        let inner = self.env.both(&z, s, both);
        (bind(&y, lambda(x, &primal(&from), t), inner), ty)
    }
}

fn no_source<T>(term: &Term) -> T {
    panic!("compiler bug: `{}` is no term of the source language", term.brief())
}
