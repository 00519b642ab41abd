//! Rewrites of arrays and lists.

use super::Context;
use crate::chad::paper::term::{Term, bind, fst, pair, plus, snd, var};
use crate::chad::paper::types::Type;

pub(super) fn map_pair_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, t, a) = term else { return None };
    let Term::Pair(b, c) = &**t else { return None };
    let (array, other) = (context.supply.fresh("a"), context.supply.fresh(x));
    let c = c.substitute(x, &var(&other), &mut context.supply);
    let half = |x, body| Box::new(Term::Map(x, body, Box::new(var(&array))));
    let both = Term::Zip(half(x.clone(), b.clone()), half(other, Box::new(c)));
    Some(bind(&array, (**a).clone(), both))
}

pub(super) fn map_zero(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(_, t, _) = term else { return None };
    if !matches!(**t, Term::Zero(_)) {
        return None;
    }
    // A list of zeros is not the empty one, which is the zero of lists; `sumMapZero` is for these.
    context.type_of(term).filter(|it| matches!(it, Type::Array(..))).map(Term::Zero)
}

pub(super) fn sum_zip(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(Type::Pair(one, other), t) = term else { return None };
    let Term::Zip(a, b) = &**t else { return None };
    let (one, other) = ((**one).clone(), (**other).clone());
    Some(pair(Term::Sum(one, a.clone()), Term::Sum(other, b.clone())))
}

pub(super) fn sum_zero(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty, t) = term else { return None };
    matches!(**t, Term::Zero(_)).then(|| Term::Zero(ty.clone()))
}

pub(super) fn sum_singleton(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(_, t) = term else { return None };
    let Term::Map(x, body, e) = &**t else { return None };
    let is_own = |it: &Term| if let Term::Var(name) = it { name == x } else { false };
    let Term::Singleton(one) = &**body else { return None };
    if !is_own(one) {
        // [f x] for every x is the list of those.
        let all = Term::Map(x.clone(), one.clone(), e.clone());
        return Some(listed(context, all));
    }
    Some(listed(context, (**e).clone()))
}

fn listed(context: &Context, term: Term) -> Term {
    match context.type_of(&term) {
        Some(Type::List(_)) => term,
        Some(_) | None => Term::ToList(Box::new(term)),
    }
}

pub(super) fn map_id(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, t, a) = term else { return None };
    let Term::Var(name) = &**t else { return None };
    (name == x).then(|| (**a).clone())
}

pub(super) fn map_map(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, f, t) = term else { return None };
    let Term::Map(y, g, a) = &**t else { return None };
    let other = context.supply.fresh(y);
    let g = g.substitute(y, &var(&other), &mut context.supply);
    Some(Term::Map(other, Box::new(bind(x, g, (**f).clone())), a.clone()))
}

pub(super) fn map_zip(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, t, s) = term else { return None };
    let Term::Zip(a, b) = &**s else { return None };
    match () {
        () if **t == fst(var(x)) => Some((**a).clone()),
        () if **t == snd(var(x)) => Some((**b).clone()),
        () => None,
    }
}

pub(super) fn map_to_list(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, t, s) = term else { return None };
    let Term::ToList(a) = &**s else { return None };
    Some(Term::ToList(Box::new(Term::Map(x.clone(), t.clone(), a.clone()))))
}

pub(super) fn sum_to_list(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty, t) = term else { return None };
    if let Term::ToList(a) = &**t { Some(Term::Sum(ty.clone(), a.clone())) } else { None }
}

pub(super) fn sum_one(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(_, t) = term else { return None };
    if let Term::Singleton(a) = &**t {
        return Some((**a).clone());
    }
    let Term::Map(x, f, s) = &**t else { return None };
    if let Term::Singleton(a) = &**s { Some(bind(x, (**a).clone(), (**f).clone())) } else { None }
}

pub(super) fn sum_map_zero(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty, t) = term else { return None };
    let Term::Map(_, f, s) = &**t else { return None };
    let is_zero = |it: &Term| matches!(it, Term::Zero(_));
    // Elements of an array that are zero may be taken to something else; a list that is zero has none.
    let is_empty = matches!(**s, Term::Zero(Type::List(_)));
    (is_zero(f) || is_empty).then(|| Term::Zero(ty.clone()))
}

pub(super) fn map_let_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(x, t, s) = term else { return None };
    let Term::Let(y, a, e) = &**t else { return None };
    let is_split = matches!(**e, Term::Pair(..)) || matches!(**e, Term::Let(..));
    if !is_split || !context.type_of(s).is_some_and(|it| matches!(it, Type::Array(..))) {
        return None;
    }
    let (q, array) = (context.supply.fresh("q"), context.supply.fresh("a"));
    let e = e.substitute(y, &snd(var(&q)), &mut context.supply);
    let e = e.substitute(x, &fst(var(&q)), &mut context.supply);
    let bound = Term::Map(x.clone(), a.clone(), Box::new(var(&array)));
    let zip = Term::Zip(Box::new(var(&array)), Box::new(bound));
    Some(bind(&array, (**s).clone(), Term::Map(q, Box::new(e), Box::new(zip))))
}

pub(super) fn sum_plus(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty @ Type::List(_), t) = term else { return None };
    let Term::Map(x, body, s) = &**t else { return None };
    let Term::Plus(a, b) = &**body else { return None };
    let (array, other) = (context.supply.fresh("a"), context.supply.fresh(x));
    let b = b.substitute(x, &var(&other), &mut context.supply);
    let half = |x, body| {
        let all = Term::Map(x, body, Box::new(var(&array)));
        Term::Sum(ty.clone(), Box::new(all))
    };
    let both = plus(half(x.clone(), a.clone()), half(other, Box::new(b)));
    Some(bind(&array, (**s).clone(), both))
}

pub(super) fn sum_map_plus(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty, t) = term else { return None };
    let Term::Map(x, f, s) = &**t else { return None };
    let Term::Plus(a, b) = &**s else { return None };
    if !context.type_of(s).is_some_and(|it| matches!(it, Type::List(_))) {
        return None;
    }
    let other = context.supply.fresh(x);
    let g = f.substitute(x, &var(&other), &mut context.supply);
    let half = |x, f, of: &Term| {
        let all = Term::Map(x, f, Box::new(of.clone()));
        Term::Sum(ty.clone(), Box::new(all))
    };
    Some(plus(half(x.clone(), f.clone(), a), half(other, Box::new(g), b)))
}

pub(super) fn build_pair_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Build(size, i, t) = term else { return None };
    let Term::Pair(b, c) = &**t else { return None };
    let other = context.supply.fresh(i);
    let c = c.substitute(i, &var(&other), &mut context.supply);
    let half = |i, body| Box::new(Term::Build(size.clone(), i, body));
    Some(Term::Zip(half(i.clone(), b.clone()), half(other, Box::new(c))))
}

pub(super) fn build_zero(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Build(size, _, t) = term else { return None };
    if let Term::Zero(ty) = &**t { Some(Term::Zero(ty.array(size))) } else { None }
}

pub(super) fn index_build(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Index(t, j) = term else { return None };
    if let Term::Build(_, i, e) = &**t { Some(bind(i, (**j).clone(), (**e).clone())) } else { None }
}

pub(super) fn index_zip(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Index(t, j) = term else { return None };
    // An index that computes would be computed twice.
    let is_cheap = matches!(**j, Term::Var(_) | Term::Int(_));
    let Term::Zip(a, b) = &**t else { return None };
    is_cheap.then(|| pair(Term::Index(a.clone(), j.clone()), Term::Index(b.clone(), j.clone())))
}

pub(super) fn index_zero(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Index(t, _) = term else { return None };
    if let Term::Zero(Type::Array(_, elem)) = &**t {
        Some(Term::Zero((**elem).clone()))
    } else {
        None
    }
}
