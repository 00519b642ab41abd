//! Lowering: linear functions become functions, copowers lists of pairs, and everything else that is linear a
//! term like others. Zero and plus stay, as in the reference code of the paper.
//!
//! Paper: Section 9.2, in direct style: what it says of `lid`, composition, `lswap`, `leval`, `lpair` and the
//! projections is what functions, applications and pairs of a term with a linear variable become. Section 10
//! for `Dmap` and its transpose; derivatives of primitives are written out by the one table.
//! Requires: a term of the target language. Ensures: one of the lowered language, of the lowered type.

use ir::Prim;
use ir::prim::Rule;

use super::derivative::{Partial, partials, real_operands};
use super::term::{Term, bind, fst, pair, part, plus, snd, tuple, var};
use super::types::Type;
use super::walk::Supply;

/// What a type becomes.
pub fn lower_type(ty: &Type) -> Type {
    match ty {
        Type::Linear(from, to) => lower_type(from).to(&lower_type(to)),
        Type::Copower(from, to) => lower_type(from).times(&lower_type(to)).list(),
        Type::Real | Type::Int | Type::Unit | Type::Pair(..) => ty.map(&lower_type),
        Type::Sum(..) | Type::Function(..) | Type::Array(..) | Type::List(_) => ty.map(&lower_type),
    }
}

/// What a term becomes.
pub fn lower(term: &Term) -> Term {
    let mut supply = Supply::default();
    let term = term.anew(&mut supply);
    go(&term, &mut supply)
}

fn go(term: &Term, supply: &mut Supply) -> Term {
    let term = term.map_parts(&mut |it| go(it, supply));
    match term {
        Term::LinearLambda(v, ty, t) => Term::Lambda(v, lower_type(&ty), t),
        Term::LinearApply(t, s) => Term::Apply(t, s),
        Term::LinearLet(v, t, s) => Term::Let(v, t, s),
        Term::Lambda(x, ty, t) => Term::Lambda(x, lower_type(&ty), t),
        Term::Inject(side, ty, t) => Term::Inject(side, lower_type(&ty), t),
        Term::Zero(ty) => Term::Zero(lower_type(&ty)),
        Term::Sum(ty, t) => Term::Sum(lower_type(&ty), t),
        Term::OneHot(size, ty, t, s) => Term::OneHot(size, lower_type(&ty), t, s),
        // {(t, -)}
        Term::Copower(t, s) => Term::Singleton(Box::new(Term::Pair(t, s))),
        // lcopowfold
        Term::CopowerCase(ty, t, x, v, s) => {
            let p = supply.fresh("p");
            let body = bind(&x, fst(var(&p)), bind(&v, snd(var(&p)), *s));
            Term::Sum(lower_type(&ty), Box::new(Term::Map(p, Box::new(body), t)))
        }
        Term::Proj(skip, t) => snd((0..skip).fold(*t, |it, _| fst(it))),
        Term::Coproj(ty, skip, t) => coprojection(&lower_type(&ty), skip, *t),
        Term::Derivative(prim, args, t) => derivative(prim, args, *t, supply),
        Term::Transposed(prim, args, t) => transposed(prim, args, *t, supply),
        Term::MapDerivative(it) => {
            let [p, outer] = ["p", "v"].map(|it| supply.fresh(it));
            let w = pair(var(&outer), snd(var(&p)));
            let body = bind(&it.element, fst(var(&p)), bind(&it.tangent, w, it.body));
            let zip = Term::Zip(Box::new(it.over), Box::new(it.along));
            bind(&outer, it.outer, Term::Map(p, Box::new(body), Box::new(zip)))
        }
        Term::MapTransposed(it) => {
            let [p, zs, one, other] = ["p", "zs", "w", "w"].map(|it| supply.fresh(it));
            let body = bind(&it.element, fst(var(&p)), bind(&it.cotangent, snd(var(&p)), it.body));
            let zip = Term::Zip(Box::new(it.over), Box::new(it.along));
            let half = |w, body| Term::Map(w, Box::new(body), Box::new(var(&zs)));
            let first = half(one.clone(), fst(var(&one)));
            let second = half(other.clone(), snd(var(&other)));
            let first = Term::Sum(lower_type(&it.space), Box::new(first));
            let sum = plus(first, bind(&it.array, second, it.rest));
            bind(&zs, Term::Map(p, Box::new(body), Box::new(zip)), sum)
        }
        Term::Var(_) | Term::Let(..) | Term::Real(_) | Term::Int(_) | Term::Size(_) => term,
        Term::Op(..) | Term::Unit | Term::Pair(..) | Term::Fst(_) | Term::Snd(_) => term,
        Term::Apply(..) | Term::Case(..) | Term::Build(..) | Term::Index(..) => term,
        Term::Map(..) | Term::Loop(_) | Term::Plus(..) => term,
        Term::Singleton(_) | Term::ToList(_) | Term::Zip(..) => term,
    }
}

/// `(((0, 0), t), 0)`
fn coprojection(ty: &Type, skip: usize, term: Term) -> Term {
    let Type::Pair(rest, last) = ty else { panic!("compiler bug: {ty} is no environment") };
    match skip {
        0 => pair(Term::Zero((**rest).clone()), term),
        _ => pair(coprojection(rest, skip - 1, term), Term::Zero((**last).clone())),
    }
}

/// Binds terms to names, which is nothing for variables and constants.
fn named(terms: Vec<Term>, supply: &mut Supply, f: impl FnOnce(Vec<Term>) -> Term) -> Term {
    let (mut atoms, mut bound) = (Vec::new(), Vec::new());
    for term in terms {
        if matches!(term, Term::Var(_) | Term::Real(_) | Term::Int(_)) {
            atoms.push(term);
        } else {
            let name = supply.fresh("a");
            atoms.push(var(&name));
            bound.push((name, term));
        }
    }
    bound.into_iter().rev().fold(f(atoms), |res, (name, term)| bind(&name, term, res))
}

fn derivative(prim: Prim, args: Vec<Term>, tangent: Term, supply: &mut Supply) -> Term {
    let w = supply.fresh("w");
    let body = named(args, supply, |args| {
        let of = args.len();
        let all = partials(prim, &args).into_iter().enumerate();
        let all = all.filter_map(|(at, it)| scaled(it, part(var(&w), at, of)));
        all.reduce(plus).unwrap_or(Term::Zero(Type::Real))
    });
    bind(&w, tangent, body)
}

fn transposed(prim: Prim, args: Vec<Term>, cotangent: Term, supply: &mut Supply) -> Term {
    let w = supply.fresh("w");
    let body = named(args, supply, |args| {
        let all = partials(prim, &args).into_iter().zip(real_operands(prim));
        let all = all.map(|(it, is_real)| {
            let zero = match (is_real, prim.row().rule) {
                (true, _) => Type::Real,
                (false, Rule::Choose) => Type::Unit.times(&Type::Unit),
                (false, _) => Type::Unit,
            };
            scaled(it, var(&w)).unwrap_or(Term::Zero(zero))
        });
        tuple(all.collect())
    });
    bind(&w, cotangent, body)
}

/// A (co)tangent times a partial derivative; none, if that is zero.
fn scaled(partial: Partial, by: Term) -> Option<Term> {
    match partial {
        Partial::Zero => None,
        Partial::One => Some(by),
        Partial::MinusOne => Some(Term::Op(Prim::Neg, vec![by])),
        Partial::Times(term) => Some(Term::Op(Prim::Scale, vec![term, by])),
    }
}
