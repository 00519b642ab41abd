//! The rewrites of Table 1, and a few of ours, each by its name. All are for lowered terms.
//!
//! Paper: Appendix B, Table 1. A rule goes in one direction, and what it gives costs no more than what it
//! takes: `letInline` puts nothing that computes into a body that may run often. `x + 0.0` stays, since it is
//! not `x` for all reals; a zero that is a term is another matter.

mod arrays;

mod lets;

use base::Name;
use ir::{Literal, Prim};

use super::term::{Side, Term, apply, bind, fst, pair, plus, snd};
use super::types::Type;
use super::typing::{Language, type_of};
use super::walk::Supply;

/// What a rule may look at besides the term.
pub struct Context {
    /// The variables in scope.
    pub types: Vec<(Name, Type)>,
    /// New names.
    pub supply: Supply,
}

impl Context {
    /// The type of a term here.
    pub fn type_of(&self, term: &Term) -> Option<Type> {
        type_of(Language::Lowered, &self.types, term).ok()
    }
}

/// A rewrite.
pub struct Rule {
    /// As in the paper.
    pub name: &'static str,
    /// What it does.
    pub equation: &'static str,
    /// The right side, if the term is a left one.
    pub rewrite: fn(&mut Context, &Term) -> Option<Term>,
}

const fn rule(
    name: &'static str,
    equation: &'static str,
    rewrite: fn(&mut Context, &Term) -> Option<Term>,
) -> Rule {
    Rule { name, equation, rewrite }
}

/// Table 1, in its order. `mapPairSplit` gives a `zip`, which the table means by its pair: an array of pairs.
pub const TABLE: &[Rule] = &[
    rule("lamAppLet", "(λx. e) a = let x = a in e", lets::lam_app_let),
    rule("letRotate", "let x = (let y = a in b) in e = let y = a in let x = b in e", lets::rotate),
    rule(
        "letPairSplit",
        "let x = (a, b) in e = let x1 = a in let x2 = b in e[(x1, x2)/x]",
        lets::pair_split,
    ),
    rule("letInline", "let x = a in e = e[a/x], a cheap or used at most once", lets::inline),
    rule("pairProj1", "fst (a, b) = a", pair_proj1),
    rule("pairProj2", "snd (a, b) = b", pair_proj2),
    rule("pairEta", "(fst a, snd a) = a", pair_eta),
    rule("letProj1", "fst (let x = a in e) = let x = a in fst e", lets::proj1),
    rule("letProj2", "snd (let x = a in e) = let x = a in snd e", lets::proj2),
    rule("plusZero1", "plus zero a = a", plus_zero1),
    rule("plusZero2", "plus a zero = a", plus_zero2),
    rule("plusPair", "plus (a, b) (c, d) = (plus a c, plus b d)", plus_pair),
    rule("plusLet1", "plus (let x = e in a) b = let x = e in plus a b", lets::plus1),
    rule("plusLet2", "plus a (let x = e in b) = let x = e in plus a b", lets::plus2),
    rule("algebra", "scale(k, zero) = zero, scale(1, x) = x, -zero = zero", algebra),
    rule(
        "letLamPairSplit",
        "let f = λx. (a, b) in e = let f1 = λx. a in let f2 = λx. b in e[λx. (f1 x, f2 x)/f]",
        lets::lam_pair_split,
    ),
    rule(
        "mapPairSplit",
        "map (λx. (b, c)) a = let a' = a in zip (map (λx. b) a') (map (λx. c) a')",
        arrays::map_pair_split,
    ),
    rule("mapZero", "map (λx. zero) a = zero", arrays::map_zero),
    rule("sumZip", "sum (zip a b) = (sum a, sum b)", arrays::sum_zip),
    rule("sumZero", "sum zero = zero", arrays::sum_zero),
    rule("sumSingleton", "sum (map (λx. [x]) e) = toList e", arrays::sum_singleton),
];

/// What the table lacks to get rid of copowers of functions that are known (Section 9.4), and what `build`
/// needs as `map` does.
pub const OURS: &[Rule] = &[
    rule("caseOfKnown", "case inl a of inl x -> s | inr y -> r = let x = a in s", case_of_known),
    rule("letLamInline", "let f = λx. a in e = e[λx. a/f], if a is small", lets::lam_inline),
    rule("letApply", "(let x = a in e) b = let x = a in e b", lets::apply_let),
    rule("zeroProj", "fst zero = zero, snd zero = zero", zero_proj),
    rule("zeroApply", "zero a = zero", zero_apply),
    rule("plusApply", "(plus f g) a = let x = a in plus (f x) (g x)", plus_apply),
    rule("pairLet", "(let x = a in e, b) = let x = a in (e, b)", lets::pair_let),
    rule("mapLet", "map f (let x = a in e) = let x = a in map f e", lets::map_let),
    rule("sumLet", "sum (let x = a in e) = let x = a in sum e", lets::sum_let),
    rule("letZipSplit", "let x = zip a b in e = let x1 = a in let x2 = b in ..", lets::zip_split),
    rule("mapId", "map (λx. x) a = a", arrays::map_id),
    rule("mapMap", "map f (map g a) = map (f . g) a", arrays::map_map),
    rule("mapZip", "map fst (zip a b) = a, map snd (zip a b) = b", arrays::map_zip),
    rule("mapToList", "map f (toList a) = toList (map f a)", arrays::map_to_list),
    rule("sumToList", "sum (toList a) = sum a", arrays::sum_to_list),
    rule("sumOne", "sum [a] = a, sum (map f [a]) = f a", arrays::sum_one),
    rule(
        "sumMapZero",
        "sum (map (λx. zero) a) = zero, sum (map f zero) = zero",
        arrays::sum_map_zero,
    ),
    rule(
        "mapLetSplit",
        "map (λx. let y = a in e) s = map (λ(x, y). e) (zip s (map (λx. a) s)), e a pair",
        arrays::map_let_split,
    ),
    rule(
        "sumPlus",
        "sum (map (λx. plus a b) s) = plus (sum (map (λx. a) s)) (sum (map (λx. b) s)) of lists",
        arrays::sum_plus,
    ),
    rule(
        "sumMapPlus",
        "sum (map f (plus a b)) = plus (sum (map f a)) (sum (map f b)) of lists a, b",
        arrays::sum_map_plus,
    ),
    rule("buildPairSplit", "build (b, c) = zip (build b) (build c)", arrays::build_pair_split),
    rule("buildZero", "build zero = zero", arrays::build_zero),
    rule("indexBuild", "(build i. t)[j] = t[j/i]", arrays::index_build),
    rule("indexZip", "(zip a b)[j] = (a[j], b[j])", arrays::index_zip),
    rule("indexZero", "zero[j] = zero", arrays::index_zero),
];

fn pair_proj1(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Fst(t) = term else { return None };
    if let Term::Pair(a, _) = &**t { Some((**a).clone()) } else { None }
}

fn pair_proj2(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Snd(t) = term else { return None };
    if let Term::Pair(_, b) = &**t { Some((**b).clone()) } else { None }
}

fn pair_eta(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Pair(t, s) = term else { return None };
    let (Term::Fst(a), Term::Snd(b)) = (&**t, &**s) else { return None };
    (a == b).then(|| (**a).clone())
}

fn plus_zero1(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Plus(t, s) = term else { return None };
    matches!(**t, Term::Zero(_)).then(|| (**s).clone())
}

fn plus_zero2(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Plus(t, s) = term else { return None };
    matches!(**s, Term::Zero(_)).then(|| (**t).clone())
}

fn plus_pair(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Plus(t, s) = term else { return None };
    let (Term::Pair(a, b), Term::Pair(c, d)) = (&**t, &**s) else { return None };
    let side = |one: &Term, other: &Term| plus(one.clone(), other.clone());
    Some(pair(side(a, c), side(b, d)))
}

/// `scale` gives zero if either factor is; the paper's `0 * x` is that.
fn algebra(_: &mut Context, term: &Term) -> Option<Term> {
    let is_zero = |it: &Term| matches!(it, Term::Zero(_)) || *it == Term::Real(Literal(0.0));
    let Term::Op(prim, args) = term else { return None };
    match (prim, &args[..]) {
        (Prim::Scale, [k, x]) if is_zero(k) || is_zero(x) => Some(Term::Zero(Type::Real)),
        (Prim::Scale, [k, x]) if *k == Term::Real(Literal(1.0)) => Some(x.clone()),
        (Prim::Neg, [Term::Zero(ty)]) => Some(Term::Zero(ty.clone())),
        (_, _) => None,
    }
}

fn case_of_known(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Case(t, x, s, y, r) = term else { return None };
    let Term::Inject(side, _, a) = &**t else { return None };
    let (name, arm) = if *side == Side::Left { (x, s) } else { (y, r) };
    Some(bind(name, (**a).clone(), (**arm).clone()))
}

fn zero_proj(_: &mut Context, term: &Term) -> Option<Term> {
    let of = |it: &Term| {
        if let Term::Zero(Type::Pair(a, b)) = it { Some((a.clone(), b.clone())) } else { None }
    };
    if let Term::Fst(t) = term {
        return of(t).map(|it| Term::Zero((*it.0).clone()));
    }
    let Term::Snd(t) = term else { return None };
    of(t).map(|it| Term::Zero((*it.1).clone()))
}

fn zero_apply(_: &mut Context, term: &Term) -> Option<Term> {
    let Term::Apply(t, _) = term else { return None };
    if let Term::Zero(Type::Function(_, to)) = &**t {
        Some(Term::Zero((**to).clone()))
    } else {
        None
    }
}

fn plus_apply(context: &mut Context, term: &Term) -> Option<Term> {
    let Term::Apply(t, a) = term else { return None };
    let Term::Plus(f, g) = &**t else { return None };
    let x = context.supply.fresh("x");
    let both = plus(
        apply((**f).clone(), Term::Var(x.clone())),
        apply((**g).clone(), Term::Var(x.clone())),
    );
    Some(bind(&x, (**a).clone(), both))
}

/// The first or the second part.
fn projected(side: Side, term: Term) -> Term {
    match side {
        Side::Left => fst(term),
        Side::Right => snd(term),
    }
}
