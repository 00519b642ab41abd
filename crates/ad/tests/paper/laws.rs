//! The equations of Figures 4 and 6 on random terms, and what Section 7 says of derivatives.

use ad::chad::paper::meaning::{Environment, Machine, Value};
use ad::chad::paper::term::{
    Term, apply, bind, fst, lambda, linear_apply, linear_bind, linear_lambda, pair, plus, snd, var,
};
use ad::chad::paper::types::Type;
use ad::chad::paper::typing::{Language, linear_type_of, type_of};
use ad::chad::paper::walk::Supply;
use base::Name;

use super::random::{Context, Random};
use super::support::{Mode, Point, Stage, assert_close, differentiated, leaves, machine};

/// How many terms; each takes well below a millisecond.
const TERMS: u64 = 600;

const DEPTH: usize = 4;

pub(crate) fn context() -> Context {
    let of = |name: &str, ty: &str| (Name::new(name), ty.parse().unwrap());
    vec![of("x", "Real"), of("y", "Real"), of("xs", "[2]Real")]
}

/// What can be seen of a value: functions at points, and of copowers all that folds can tell, of which these are
/// two.
fn seen<'t>(
    machine: &mut Machine<'_>,
    value: &Value<'t>,
    ty: &Type,
    random: &mut Random,
) -> Vec<f64> {
    match ty {
        Type::Real | Type::Unit | Type::Int => leaves(value),
        Type::Pair(one, other) => {
            let (x, y) = value.parts().unwrap();
            let mut res = seen(machine, &x, one, random);
            res.extend(seen(machine, &y, other, random));
            res
        }
        Type::Array(_, elem) => {
            let all = value.elements().unwrap();
            all.iter().flat_map(|it| seen(machine, it, elem, random)).collect()
        }
        Type::Function(from, to) | Type::Linear(from, to) => {
            let at = random.value(machine, from);
            let res = machine.apply(value, at).unwrap();
            seen(machine, &res, to, random)
        }
        Type::Copower(_, to) => {
            let zero = machine.zero(to).unwrap();
            let state = random.below(1 << 20) as u64;
            let mut res = [1.0, 2.0].map(|_| seen(machine, &zero, to, &mut Random::new(state)));
            for part in value.elements().unwrap().iter() {
                let (key, part) = part.parts().unwrap();
                let key = leaves(&key)[0];
                let part = seen(machine, &part, to, &mut Random::new(state));
                for (res, factor) in res.iter_mut().zip([1.0, key.sin() + 2.0]) {
                    res.iter_mut().zip(&part).for_each(|(sum, it)| *sum += factor * it);
                }
            }
            res.concat()
        }
        Type::Sum(one, other) => {
            let Value::Inject(side, value) = value else { panic!("no sum") };
            let is_left = *side == ad::chad::paper::term::Side::Left;
            let mut res = vec![f64::from(u8::from(is_left))];
            res.extend(seen(machine, value, if is_left { one } else { other }, random));
            res
        }
        Type::List(_) => panic!("no list is seen"),
    }
}

/// Values of variables, the same for the same seed.
fn point<'t>(context: &'t Context, seed: u64) -> Environment<'t> {
    let (mut machine, mut random) = (machine(), Random::new(seed));
    context.iter().fold(Environment::default(), |env, it| {
        let value = random.value(&mut machine, &it.1);
        env.with(&it.0, value)
    })
}

/// Both sides have the type and the meaning.
fn equal(
    law: &str,
    context: &Context,
    v: Option<(&Name, &Type)>,
    ty: &Type,
    sides: [&Term; 2],
    seed: u64,
) {
    let mut all = context.clone();
    let found = sides.map(|it| match v {
        Some(v) => linear_type_of(context, v, it),
        None => type_of(Language::Target, context, it),
    });
    for (it, side) in found.iter().zip(sides) {
        assert_eq!(*it, Ok(ty.clone()), "{law}: {}", side.brief());
    }
    all.extend(v.map(|it| (it.0.clone(), it.1.clone())));
    let env = point(&all, seed);
    let [one, other] = sides.map(|it| {
        let mut machine = machine();
        let value = machine.run(&env, it).unwrap_or_else(|why| panic!("{why}: {}", it.brief()));
        seen(&mut machine, &value, ty, &mut Random::new(seed + 1))
    });
    let what = format!("{law}\n{}\n{}", sides[0].brief(), sides[1].brief());
    assert_close(&what, &one, &other);
}

#[test]
fn random_terms_are_typed_and_read_back() {
    let context = context();
    for seed in 0..TERMS {
        let mut random = Random::new(seed);
        let ty = random.ty(2);
        let term = random.term(&context, &ty, DEPTH);
        assert_eq!(type_of(Language::Source, &context, &term), Ok(ty), "{term}");
        assert_eq!(term.to_string().parse::<Term>(), Ok(term.clone()), "{term}");
        let (v, from, to) = (Name::new("v"), random.linear_ty(2), random.linear_ty(2));
        let term = random.linear(&context, (&v, &from), &to, DEPTH);
        assert_eq!(linear_type_of(&context, (&v, &from), &term), Ok(to), "{term}");
        let closed = linear_lambda(&v, &from, term);
        assert_eq!(closed.to_string().parse::<Term>(), Ok(closed.clone()), "{closed}");
    }
}

#[test]
fn figure_4() {
    let context = context();
    for seed in 0..TERMS {
        let mut random = Random::new(seed + 10_000);
        let mut supply = Supply::default();
        let (bound, ty) = (random.ty(1), random.ty(2));
        let x = random.name();
        let mut inner = context.clone();
        inner.push((x.clone(), bound.clone()));
        let t = random.term(&context, &bound, DEPTH - 1);
        let s = random.term(&inner, &ty, DEPTH - 1);
        let put = s.substitute(&x, &t, &mut supply);
        let eq = |law, ty: &Type, one: &Term, other: &Term| {
            equal(law, &context, None, ty, [one, other], seed);
        };
        eq("let x = t in s = s[t/x]", &ty, &bind(&x, t.clone(), s.clone()), &put);
        eq("(λx. s) t = s[t/x]", &ty, &apply(lambda(&x, &bound, s.clone()), t.clone()), &put);
        let r = random.term(&context, &ty, DEPTH - 1);
        eq("fst (t, s) = t", &bound, &fst(pair(t.clone(), r.clone())), &t);
        eq("snd (t, s) = s", &ty, &snd(pair(t.clone(), r.clone())), &r);
        let both = bound.times(&ty);
        let p = random.term(&context, &both, DEPTH - 1);
        eq("t = (fst t, snd t)", &both, &p, &pair(fst(p.clone()), snd(p.clone())));
        let u = random.term(&context, &Type::Unit, DEPTH - 1);
        eq("t = ()", &Type::Unit, &u, &Term::Unit);
        let from = random.first_order(1);
        let function = from.to(&ty);
        let f = random.term(&context, &function, DEPTH - 1);
        let y = random.name();
        let eta = lambda(&y, &from, apply(f.clone(), var(&y)));
        eq("t = λx. t x", &function, &f, &eta);
    }
}

#[test]
fn figure_6() {
    let context = context();
    for seed in 0..TERMS {
        let mut random = Random::new(seed + 20_000);
        let mut supply = Supply::default();
        let (v, w) = (Name::new("v"), Name::new("w"));
        let (from, middle, to) = (random.linear_ty(1), random.linear_ty(1), random.linear_ty(2));
        let t = random.linear(&context, (&v, &from), &middle, DEPTH - 1);
        let s = random.linear(&context, (&w, &middle), &to, DEPTH - 1);
        let put = s.substitute(&w, &t, &mut supply);
        let eq = |law, ty: &Type, one: &Term, other: &Term| {
            equal(law, &context, Some((&v, &from)), ty, [one, other], seed);
        };
        eq("let v = t in s = s[t/v]", &to, &linear_bind(&w, t.clone(), s.clone()), &put);
        let called = linear_apply(linear_lambda(&w, &middle, s.clone()), t.clone());
        eq("(λv. t) • s = t[s/v]", &to, &called, &put);
        let function = linear_lambda(&w, &middle, s.clone());
        let eta = linear_lambda(&v, &middle, linear_apply(function.clone(), var(&v)));
        let linear = middle.linear_to(&to);
        equal("t = λv. t • v", &context, None, &linear, [&function, &eta], seed);
        monoid(&mut random, &context, (&v, &from), &to, seed);
        let zero = Term::Zero(middle.clone());
        let at_zero = s.substitute(&w, &zero, &mut supply);
        eq("t[0/v] = 0", &to, &at_zero, &Term::Zero(to.clone()));
        let r = random.linear(&context, (&v, &from), &middle, DEPTH - 1);
        let sum = s.substitute(&w, &plus(t.clone(), r.clone()), &mut supply);
        let apart = plus(put, s.substitute(&w, &r, &mut supply));
        eq("t[s + r/v] = t[s/v] + t[r/v]", &to, &sum, &apart);
        copowers(&mut random, &context, (&v, &from), (&middle, &to), seed);
    }
}

fn monoid(random: &mut Random, context: &Context, v: (&Name, &Type), ty: &Type, seed: u64) {
    let [t, s, r] = [0, 1, 2].map(|_| random.linear(context, v, ty, DEPTH - 1));
    let eq = |law, one: &Term, other: &Term| equal(law, context, Some(v), ty, [one, other], seed);
    let zero = Term::Zero(ty.clone());
    eq("t + 0 = t", &plus(t.clone(), zero.clone()), &t);
    eq("0 + t = t", &plus(zero, t.clone()), &t);
    let left = plus(plus(t.clone(), s.clone()), r.clone());
    eq("(t + s) + r = t + (s + r)", &left, &plus(t.clone(), plus(s.clone(), r)));
    eq("t + s = s + t", &plus(t.clone(), s.clone()), &plus(s, t));
}

/// Beta and eta of copowers; and what Insight 6 says no fold can tell apart.
fn copowers(
    random: &mut Random,
    context: &Context,
    v: (&Name, &Type),
    (part, to): (&Type, &Type),
    seed: u64,
) {
    let mut supply = Supply::default();
    let eq = |law, one: &Term, other: &Term| equal(law, context, Some(v), to, [one, other], seed);
    let (x, w, c) = (random.name(), random.name(), random.name());
    let copower = Type::Real.copower(part);
    let mut inner = context.clone();
    inner.push((x.clone(), Type::Real));
    let body = random.linear(&inner, (&w, part), to, DEPTH - 1);
    let each = |of: Term, body: &Term| {
        let body = Box::new(body.clone());
        Term::CopowerCase(to.clone(), Box::new(of), x.clone(), w.clone(), body)
    };
    let one =
        |key: &Term, value: &Term| Term::Copower(Box::new(key.clone()), Box::new(value.clone()));
    let key = random.term(context, &Type::Real, 2);
    let [s, r] = [0, 1].map(|_| random.linear(context, v, part, DEPTH - 1));
    let put = body.substitute(&x, &key, &mut supply).substitute(&w, &s, &mut supply);
    eq("case !t ⊗ s of !x ⊗ v -> r = r[t/x, s/v]", &each(one(&key, &s), &body), &put);
    let t = random.linear(context, (&c, &copower), to, DEPTH - 1);
    let all = random.linear(context, v, &copower, DEPTH - 1);
    let whole = t.substitute(&c, &all, &mut supply);
    let each_one = t.substitute(&c, &one(&var(&x), &var(&w)), &mut supply);
    eq("t[s/x] = case s of !y ⊗ v -> t[!y ⊗ v/x]", &whole, &each(all.clone(), &each_one));
    let twice = plus(all.clone(), plus(one(&key, &s), one(&key, &r)));
    let merged = plus(all.clone(), one(&key, &plus(s, r)));
    eq("Insight 6: pairs of one key", &each(twice, &body), &each(merged, &body));
    let with_zero = plus(all.clone(), one(&key, &Term::Zero(part.clone())));
    eq("Insight 6: a pair with zero", &each(with_zero, &body), &each(all, &body));
}

/// The point as the transformations take it.
pub(crate) fn values(context: &Context, seed: u64) -> Point {
    let (mut machine, mut random) = (machine(), Random::new(seed));
    let values = context.iter().map(|it| random.value(&mut machine, &it.1)).collect();
    Point { context: context.clone(), values }
}

pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

/// Theorem A (8.3) against central differences, and Section 6: forward and reverse are transposes, at every
/// stage.
#[test]
fn theorem_a_on_random_terms() {
    let context = context();
    let mut n_functions = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed + 30_000);
        let ty = random.first_order(1);
        let term = random.term(&context, &ty, DEPTH);
        n_functions += usize::from(term.brief().contains("->"));
        let point = values(&context, seed);
        let along = random.reals(4);
        let size = if ty == Type::Real { 1 } else { leaves(&run(&point, &term)).len() };
        let weights = random.reals(size);
        let numeric = central(&point, &term, &along);
        // Rules look at all of a term often.
        let stages: &[Stage] = match term.size() <= 30 {
            true => &[Stage::Raw, Stage::Lowered, Stage::Simplified],
            false => &[Stage::Raw],
        };
        for stage in stages {
            let (value, tangent, _) = differentiated(&point, &term, Mode::Forward, *stage, &along);
            let what = format!("{stage:?} of {}", term.brief());
            assert_close(&what, &value, &leaves(&run(&point, &term)));
            let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-5 * (1.0 + y.abs());
            assert!(tangent.iter().zip(&numeric).all(near), "{what}: {tangent:?} {numeric:?}");
            let (_, cotangent, _) = differentiated(&point, &term, Mode::Reverse, *stage, &weights);
            assert_close(&what, &[dot(&cotangent, &along)], &[dot(&tangent, &weights)]);
        }
    }
    assert!(n_functions > 20, "only {n_functions} terms have functions");
}

pub(crate) fn run(point: &Point, term: &Term) -> Value<'static> {
    let names: Vec<Name> = point.context.iter().map(|it| it.0.clone()).collect();
    let env = names.iter().zip(&point.values);
    let env = env.fold(Environment::default(), |env, it| env.with(it.0, it.1.clone()));
    let value = machine().run(&env, term).unwrap_or_else(|it| panic!("{it}: {}", term.brief()));
    owned(&value)
}

/// A value of first order has no terms in it.
fn owned(value: &Value<'_>) -> Value<'static> {
    super::support::reals(&leaves(value))
}

pub(crate) fn central(point: &Point, term: &Term, along: &[f64]) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let [above, below] = [STEP, -STEP].map(|step| {
        let mut rest = along;
        let mut moved = Vec::new();
        for value in &point.values {
            let here: Vec<f64> = leaves(value);
            let there: Vec<f64> = here.iter().zip(rest).map(|(x, v)| x + step * v).collect();
            rest = &rest[here.len()..];
            moved.push(match matches!(value, Value::Real(_)) {
                true => Value::Real(there[0]),
                false => super::support::reals(&there),
            });
        }
        leaves(&run(&Point { context: point.context.clone(), values: moved }, term))
    });
    above.iter().zip(below).map(|(x, y)| (x - y) / (2.0 * STEP)).collect()
}

/// Section 7.2: what is equal has equal derivatives.
#[test]
fn derivatives_respect_figure_4() {
    let context = context();
    for seed in 0..100 {
        let mut random = Random::new(seed + 40_000);
        let mut supply = Supply::default();
        let bound = random.ty(1);
        let x = random.name();
        let mut inner = context.clone();
        inner.push((x.clone(), bound.clone()));
        let t = random.term(&context, &bound, 3);
        let s = random.term(&inner, &Type::Real, 3);
        let put = s.substitute(&x, &t, &mut supply);
        let point = values(&context, seed);
        let f = lambda(&x, &bound, s.clone());
        let eta = {
            let y = random.name();
            lambda(&y, &bound, apply(f.clone(), var(&y)))
        };
        let others = [
            bind(&x, t.clone(), s),
            apply(f, t.clone()),
            apply(eta, t),
            fst(pair(put.clone(), Term::Unit)),
            snd(pair(Term::Unit, put.clone())),
        ];
        let along = random.reals(4);
        for (mode, along) in [(Mode::Forward, &along[..]), (Mode::Reverse, &along[..1])] {
            let (_, wanted, _) = differentiated(&point, &put, mode, Stage::Raw, along);
            for other in &others {
                let (_, found, _) = differentiated(&point, other, mode, Stage::Raw, along);
                assert_close(&other.brief(), &found, &wanted);
            }
        }
    }
}

/// Corollary 7.1: identities and compositions.
#[test]
fn corollary_7_1_functor() {
    let context = context();
    for seed in 0..100 {
        let mut random = Random::new(seed + 50_000);
        let middle = random.first_order(1);
        let t = random.term(&context, &middle, 3);
        let x = Name::new("z");
        let own = vec![(x.clone(), middle.clone())];
        let s = random.term(&own, &Type::Real, 3);
        let composed = bind(&x, t.clone(), s.clone());
        let point = values(&context, seed);
        let along = random.reals(4);
        let (value, tangent, _) = differentiated(&point, &t, Mode::Forward, Stage::Raw, &along);
        let mut rest = &value[..];
        let there =
            Point { context: own, values: vec![super::support::filled(&middle, &mut rest)] };
        let (last, wanted, _) = differentiated(&there, &s, Mode::Forward, Stage::Raw, &tangent);
        let (found, derivative, _) =
            differentiated(&point, &composed, Mode::Forward, Stage::Raw, &along);
        assert_close("value", &found, &last);
        assert_close(&composed.brief(), &derivative, &wanted);
        let (_, back, _) = differentiated(&there, &s, Mode::Reverse, Stage::Raw, &[1.5]);
        let (_, wanted, _) = differentiated(&point, &t, Mode::Reverse, Stage::Raw, &back);
        let (_, found, _) = differentiated(&point, &composed, Mode::Reverse, Stage::Raw, &[1.5]);
        assert_close(&composed.brief(), &found, &wanted);
        let identity = Term::Var(x);
        let n = value.len();
        let weights = random.reals(n);
        for mode in [Mode::Forward, Mode::Reverse] {
            let (_, found, _) = differentiated(&there, &identity, mode, Stage::Raw, &weights);
            assert_close("identity", &found, &weights);
        }
    }
}
