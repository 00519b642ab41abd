//! Rewrites of bindings and functions.

use base::Name;

use super::{Context, projected};
use crate::chad::paper::term::{Side, Term, apply, bind, lambda, pair, plus, var};
use crate::tuning::SMALL_LAMBDA;

pub(super) fn lam_app_let(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Apply(t, a) = term else { return None };
    if let Term::Lambda(x, _, e) = &**t {
        Some(bind(x, (**a).clone(), (**e).clone()))
    } else {
        None
    }
}

/// A binding with a name that does not occur in these terms.
fn apart(context: &mut Context, term: &Term, others: &[&Term]) -> Option<(Name, Term, Term)> {
    let Term::Let(y, a, b) = term else { return None };
    let (a, b) = ((**a).clone(), (**b).clone());
    if !others.iter().any(|it| it.free().contains(y)) {
        return Some((y.clone(), a, b));
    }
    let other = context.supply.fresh(y);
    let b = b.substitute(y, &var(&other), &mut context.supply);
    Some((other, a, b))
}

pub(super) fn rotate(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(x, t, e) = term else { return None };
    let (y, a, b) = apart(context, t, &[e])?;
    Some(bind(&y, a, bind(x, b, (**e).clone())))
}

pub(super) fn pair_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(x, t, e) = term else { return None };
    let Term::Pair(a, b) = &**t else { return None };
    let [x1, x2] = [x, x].map(|it| context.supply.fresh(it));
    let both = pair(var(&x1), var(&x2));
    let e = e.substitute(x, &both, &mut context.supply);
    Some(bind(&x1, (**a).clone(), bind(&x2, (**b).clone(), e)))
}

pub(super) fn zip_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(x, t, e) = term else { return None };
    let Term::Zip(a, b) = &**t else { return None };
    let [x1, x2] = [x, x].map(|it| context.supply.fresh(it));
    let both = Term::Zip(Box::new(var(&x1)), Box::new(var(&x2)));
    let e = e.substitute(x, &both, &mut context.supply);
    Some(bind(&x1, (**a).clone(), bind(&x2, (**b).clone(), e)))
}

/// How often a variable is evaluated at most, as far as one can see; and how often it is written.
#[derive(Clone, Copy, Default)]
struct Uses {
    written: usize,
    is_repeated: bool,
}

fn uses(name: &Name, term: &Term, is_repeated: bool, res: &mut Uses) {
    if let Term::Var(it) = term
        && it == name
    {
        res.written += 1;
        res.is_repeated |= is_repeated;
    }
    let binds_a_body =
        matches!(term, Term::Lambda(..) | Term::Map(..) | Term::Build(..) | Term::Loop(_));
    term.visit(&mut |names, it| {
        if !names.contains(&name) {
            uses(name, it, is_repeated || (binds_a_body && !names.is_empty()), res);
        }
    });
}

/// Whether it takes no longer than a variable.
fn is_cheap(term: &Term) -> bool {
    if let Term::Fst(t) | Term::Snd(t) = term {
        return is_cheap(t);
    }
    let is_constant = matches!(term, Term::Real(_) | Term::Int(_) | Term::Size(_) | Term::Unit);
    is_constant || matches!(term, Term::Var(_) | Term::Zero(_))
}

pub(super) fn inline(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(x, a, e) = term else { return None };
    let mut found = Uses::default();
    uses(x, e, false, &mut found);
    let is_once = found.written <= 1
        && (!found.is_repeated || matches!(**a, Term::Lambda(..)) || found.written == 0);
    (is_cheap(a) || is_once).then(|| e.substitute(x, a, &mut context.supply))
}

pub(super) fn lam_inline(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(f, t, e) = term else { return None };
    let is_small = matches!(**t, Term::Lambda(..)) && t.size() <= SMALL_LAMBDA;
    is_small.then(|| e.substitute(f, t, &mut context.supply))
}

fn proj(context: &mut Context, side: Side, term: &Term) -> Option<Term> {
    let (x, a, e) = apart(context, term, &[])?;
    Some(bind(&x, a, projected(side, e)))
}

pub(super) fn proj1(context: &mut Context, term: &Term) -> Option<Term> {
    if let Term::Fst(t) = term { proj(context, Side::Left, t) } else { None }
}

pub(super) fn proj2(context: &mut Context, term: &Term) -> Option<Term> {
    if let Term::Snd(t) = term { proj(context, Side::Right, t) } else { None }
}

pub(super) fn plus1(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Plus(t, b) = term else { return None };
    let (x, e, a) = apart(context, t, &[b])?;
    Some(bind(&x, e, plus(a, (**b).clone())))
}

pub(super) fn plus2(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Plus(a, t) = term else { return None };
    let (x, e, b) = apart(context, t, &[a])?;
    Some(bind(&x, e, plus((**a).clone(), b)))
}

pub(super) fn apply_let(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Apply(t, b) = term else { return None };
    let (x, a, e) = apart(context, t, &[b])?;
    Some(bind(&x, a, apply(e, (**b).clone())))
}

pub(super) fn pair_let(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Pair(t, s) = term else { return None };
    if let Some((x, a, e)) = apart(context, t, &[s]) {
        return Some(bind(&x, a, pair(e, (**s).clone())));
    }
    let (x, a, e) = apart(context, s, &[t])?;
    Some(bind(&x, a, pair((**t).clone(), e)))
}

pub(super) fn map_let(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Map(y, body, t) = term else { return None };
    let (x, a, e) = apart(context, t, &[body])?;
    Some(bind(&x, a, Term::Map(y.clone(), body.clone(), Box::new(e))))
}

pub(super) fn sum_let(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Sum(ty, t) = term else { return None };
    let (x, a, e) = apart(context, t, &[])?;
    Some(bind(&x, a, Term::Sum(ty.clone(), Box::new(e))))
}

pub(super) fn lam_pair_split(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Let(f, t, e) = term else { return None };
    let Term::Lambda(x, ty, body) = &**t else { return None };
    let Term::Pair(a, b) = &**body else { return None };
    let [f1, f2] = [f, f].map(|it| context.supply.fresh(it));
    let [x1, x2] = [x, x].map(|it| context.supply.fresh(it));
    let half = |x: &Name| [apply(var(&f1), var(x)), apply(var(&f2), var(x))];
    let [one, other] = half(&x1);
    let both = lambda(&x1, ty, pair(one, other));
    let e = e.substitute(f, &both, &mut context.supply);
    let b = b.substitute(x, &var(&x2), &mut context.supply);
    let (first, second) = (lambda(x, ty, (**a).clone()), lambda(&x2, ty, b));
    Some(bind(&f1, first, bind(&f2, second, e)))
}
