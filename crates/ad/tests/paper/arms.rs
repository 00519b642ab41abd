//! The transformation arm by arm, on random parts: values are computed once, the two modes are mirror images,
//! and functions of any type go through it.

use std::collections::BTreeMap;

use ad::chad::paper::term::{
    Loop, Side, Steps, Term, apply, bind, fst, lambda, pair, snd, tuple, var,
};
use ad::chad::paper::types::Type;
use base::Name;
use ir::{Literal, Prim};

use super::facts::{FIGURE_1A, FIGURE_1B, FIGURE_2A, FIGURE_2B};
use super::laws::{central, context, dot, run, values};
use super::random::{Context, Random, two};
use super::support::{Mode, Stage, assert_close, derivative, differentiated, leaves};

/// How often each primitive is said, apart from derivatives of primitives.
fn said(term: &Term, all: &mut BTreeMap<&'static str, usize>) {
    if let Term::Op(prim, _) = term {
        *all.entry(prim.name()).or_default() += 1;
    }
    term.visit(&mut |_, part| said(part, all));
}

/// Insight 1: a value and its derivative are one program, and no primitive of the program is in it twice.
#[test]
fn insight_1_values_are_computed_once() {
    let check = |context: &Context, term: &Term| {
        let mut wanted = BTreeMap::new();
        said(term, &mut wanted);
        for mode in [Mode::Forward, Mode::Reverse] {
            let mut found = BTreeMap::new();
            said(&derivative(context, term, mode, Stage::Raw), &mut found);
            assert_eq!(found, wanted, "{mode:?} of {}", term.brief());
        }
    };
    let of = |names: &[(&str, &str)]| -> Context {
        names.iter().map(|it| (Name::new(it.0), it.1.parse().unwrap())).collect()
    };
    check(&of(&[("x", "Real")]), &FIGURE_1A.parse().unwrap());
    let four = [("x1", "Real"), ("x2", "Real"), ("x3", "Real"), ("x4", "Real")];
    check(&of(&four), &FIGURE_1B.parse().unwrap());
    check(&of(&[("x", "Real")]), &FIGURE_2A.parse().unwrap());
    check(&of(&[("x1", "Real"), ("x2", "[5]Real")]), &FIGURE_2B.parse().unwrap());
    for seed in 0..200 {
        let mut random = Random::new(seed + 60_000);
        let ty = random.ty(2);
        check(&context(), &random.term(&context(), &ty, 4));
    }
}

/// The arm of the transformation that a term is; none if it is of another language.
fn arm(term: &Term) -> Option<&'static str> {
    match term {
        Term::Var(_) => Some("variable"),
        Term::Let(..) => Some("let"),
        Term::Real(_) | Term::Int(_) | Term::Size(_) | Term::Unit => Some("constant"),
        Term::Op(..) => Some("operation"),
        Term::Pair(..) => Some("pair"),
        Term::Fst(_) => Some("fst"),
        Term::Snd(_) => Some("snd"),
        Term::Lambda(..) => Some("function"),
        Term::Apply(..) => Some("application"),
        Term::Inject(Side::Left, ..) => Some("inl"),
        Term::Inject(Side::Right, ..) => Some("inr"),
        Term::Case(..) => Some("case"),
        Term::Build(..) => Some("build"),
        Term::Index(..) => Some("index"),
        Term::Map(..) => Some("map"),
        Term::Sum(..) => Some("sum"),
        Term::Loop(it) => Some(match it.steps {
            Steps::Count(_) => "iterate",
            Steps::While(..) => "while",
        }),
        Term::LinearLet(..) | Term::Derivative(..) | Term::Transposed(..) => None,
        Term::Copower(..) | Term::CopowerCase(..) | Term::LinearLambda(..) => None,
        Term::LinearApply(..) | Term::Zero(_) | Term::Plus(..) => None,
        Term::Proj(..) | Term::Coproj(..) | Term::OneHot(..) => None,
        Term::MapDerivative(_) | Term::MapTransposed(_) => None,
        Term::Singleton(_) | Term::ToList(_) | Term::Zip(..) => None,
    }
}

/// All that [`arm`] tells apart.
const ARMS: [&str; 18] = [
    "variable",
    "let",
    "constant",
    "operation",
    "pair",
    "fst",
    "snd",
    "function",
    "application",
    "inl",
    "inr",
    "case",
    "build",
    "index",
    "map",
    "sum",
    "iterate",
    "while",
];

/// A term of random parts whose outermost construct that matters is this arm. Functions are applied, and sides
/// looked at, since only what is of first order can be seen.
fn with_arm(random: &mut Random, arm: &str) -> Term {
    let context = context();
    let real = Type::Real;
    let pairs = real.times(&real);
    let mut inner = context.clone();
    let x = Name::new("bound");
    inner.push((x.clone(), real.clone()));
    let mut term = |ty: &Type| random.term(&context, ty, 2);
    match arm {
        "variable" => var(&Name::new("xs")),
        "let" => {
            let t = term(&real);
            bind(&x, t, random.term(&inner, &pairs, 2))
        }
        "constant" => tuple(vec![Term::Real(Literal(0.5)), Term::Unit, Term::Size(two())]),
        "operation" => Term::Op(Prim::Mul, vec![term(&real), term(&real)]),
        "pair" => pair(term(&real), term(&pairs)),
        "fst" => fst(term(&pairs.times(&real))),
        "snd" => snd(term(&real.times(&pairs))),
        "function" | "application" => {
            let t = term(&real);
            apply(lambda(&x, &real, random.term(&inner, &pairs, 2)), t)
        }
        "inl" | "inr" | "case" => {
            let side = if arm == "inr" { Side::Right } else { Side::Left };
            let t = Term::Inject(side, real.clone(), Box::new(term(&real)));
            let arms = [0, 1].map(|_| Box::new(random.term(&inner, &pairs, 2)));
            let [s, r] = arms;
            Term::Case(Box::new(t), x.clone(), s, x, r)
        }
        "build" => {
            inner.pop();
            inner.push((x.clone(), Type::Int));
            Term::Build(two(), x, Box::new(random.term(&inner, &real, 2)))
        }
        "index" => Term::Index(Box::new(term(&pairs.array(&two()))), Box::new(Term::Int(1))),
        "map" => {
            let s = Box::new(term(&real.array(&two())));
            Term::Map(x, Box::new(random.term(&inner, &pairs, 2)), s)
        }
        "sum" => Term::Sum(pairs.clone(), Box::new(term(&pairs.array(&two())))),
        "iterate" | "while" => {
            let init = term(&real);
            let index = Name::new("step");
            inner.push((index.clone(), Type::Int));
            let body = random.term(&inner, &real, 2);
            let seen = Name::new("seen");
            let small = Term::Op(Prim::Lt, vec![var(&seen), Term::Real(Literal(0.5))]);
            let (steps, body) = match arm {
                "iterate" => (Steps::Count(Term::Int(2)), body),
                // The state grows by more than 1 / 2 each time, so it ends.
                _ => {
                    let sine = Term::Op(Prim::Sin, vec![body]);
                    let shifted = Term::Op(Prim::Add, vec![var(&x), Term::Real(Literal(1.75))]);
                    (Steps::While(seen, small), Term::Op(Prim::Add, vec![shifted, sine]))
                }
            };
            Term::Loop(Box::new(Loop { steps, state: x, index, body, init }))
        }
        _ => panic!("no arm `{arm}`"),
    }
}

/// Section 6: the two files are mirror images, so `<D t v, w> = <v, D^t t w>`, arm by arm on random parts; and
/// both are what central differences are.
#[test]
fn section_6_every_arm_is_transposed() {
    let mut n_seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, name) in ARMS.iter().enumerate() {
        for seed in 0..12 {
            let seed = 70_000 + 100 * number as u64 + seed;
            let mut random = Random::new(seed);
            let term = with_arm(&mut random, name);
            fn count(term: &Term, n_seen: &mut BTreeMap<&str, usize>) {
                *n_seen.entry(arm(term).expect("a source term")).or_default() += 1;
                term.visit(&mut |_, part| count(part, n_seen));
            }
            count(&term, &mut n_seen);
            assert_derivative(&term, seed, &mut random);
        }
    }
    let never = ARMS.iter().filter(|it| n_seen.get(*it).is_none_or(|it| *it < 12));
    assert_eq!(never.count(), 0, "{n_seen:?}");
}

/// Theorem A at one point: forward against central differences, reverse against forward.
fn assert_derivative(term: &Term, seed: u64, random: &mut Random) {
    let point = values(&context(), seed);
    let along = random.reals(4);
    let weights = random.reals(leaves(&run(&point, term)).len());
    let (_, tangent, _) = differentiated(&point, term, Mode::Forward, Stage::Raw, &along);
    let numeric = central(&point, term, &along);
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-5 * (1.0 + y.abs());
    let is_near = tangent.len() == numeric.len() && tangent.iter().zip(&numeric).all(near);
    assert!(is_near, "{}: {tangent:?}, not {numeric:?}", term.brief());
    let (_, cotangent, _) = differentiated(&point, term, Mode::Reverse, Stage::Raw, &weights);
    assert_close(&term.brief(), &[dot(&cotangent, &along)], &[dot(&tangent, &weights)]);
}

/// Lemmas 2.1 and 2.2, as a property: related functions take related arguments to related results. Functions of
/// functions are applied to functions that capture, and what comes out is of first order.
#[test]
fn lemma_2_1_functions_of_higher_type() {
    for seed in 0..100 {
        let mut random = Random::new(seed + 80_000);
        let (one, other, to) =
            (random.first_order(1), random.first_order(1), random.first_order(1));
        let second = one.to(&other);
        let argument = match seed % 3 {
            0 => second,
            1 => second.to(&Type::Real),
            _ => Type::Real.to(&second),
        };
        let function = argument.to(&to);
        let term =
            apply(random.term(&context(), &function, 4), random.term(&context(), &argument, 3));
        assert_derivative(&term, seed, &mut random);
    }
}
