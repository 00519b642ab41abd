//! Runs terms at points, differentiates them at every stage, and compares.

use std::collections::BTreeMap;

use ad::chad::paper::forward::{self, forward};
use ad::chad::paper::lower::{lower, lower_type};
use ad::chad::paper::meaning::{Environment, Machine, Value, array, pair, truth};
use ad::chad::paper::reverse::{self, reverse};
use ad::chad::paper::simplify::simplify;
use ad::chad::paper::term::{Side, Term};
use ad::chad::paper::types::Type;
use ad::chad::paper::typing::{Language, type_of};
use base::Name;
use ir::Prim;

/// What primitives give, by the standard library.
pub(crate) fn primitives(prim: Prim, args: &[Value<'static>]) -> Result<Value<'static>, String> {
    let real = |f: fn(f64) -> f64| match args {
        [Value::Real(x)] => Ok(Value::Real(f(*x))),
        _ => Err(format!("{} of {args:?}", prim.name())),
    };
    let two = |f: fn(f64, f64) -> f64, g: fn(i64, i64) -> i64| match args {
        [Value::Real(x), Value::Real(y)] => Ok(Value::Real(f(*x, *y))),
        [Value::Int(x), Value::Int(y)] => Ok(Value::Int(g(*x, *y))),
        _ => Err(format!("{} of {args:?}", prim.name())),
    };
    match (prim, args) {
        (Prim::Add, _) => two(|x, y| x + y, |x, y| x + y),
        (Prim::Sub, _) => two(|x, y| x - y, |x, y| x - y),
        (Prim::Mul, _) => two(|x, y| x * y, |x, y| x * y),
        (Prim::Div, _) => two(|x, y| x / y, |x, y| x / y),
        (Prim::Scale, _) => two(|x, y| if x == 0.0 || y == 0.0 { 0.0 } else { x * y }, |_, _| 0),
        (Prim::Neg, _) => real(|x| -x),
        (Prim::Sin, _) => real(f64::sin),
        (Prim::Cos, _) => real(f64::cos),
        (Prim::Exp, _) => real(f64::exp),
        (Prim::Tanh, _) => real(f64::tanh),
        (Prim::ToReal, [Value::Int(x)]) => Ok(Value::Real(*x as f64)),
        (Prim::Lt, [Value::Real(x), Value::Real(y)]) => Ok(truth(x < y)),
        (Prim::Lt, [Value::Int(x), Value::Int(y)]) => Ok(truth(x < y)),
        (Prim::Select, [Value::Inject(side, _), x, y]) => {
            Ok(if *side == Side::Left { x.clone() } else { y.clone() })
        }
        _ => Err(format!("{} is not known to the tests", prim.name())),
    }
}

pub(crate) fn machine() -> Machine<'static> {
    Machine { sizes: BTreeMap::new(), primitives: &primitives, cost: 0 }
}

/// A context with values.
pub(crate) struct Point {
    pub(crate) context: Vec<(Name, Type)>,
    pub(crate) values: Vec<Value<'static>>,
}

/// `[("x", "Real", value)]`
pub(crate) fn at(values: &[(&str, &str, Value<'static>)]) -> Point {
    let context = values.iter().map(|it| (Name::new(it.0), it.1.parse().unwrap())).collect();
    Point { context, values: values.iter().map(|it| it.2.clone()).collect() }
}

pub(crate) fn reals(values: &[f64]) -> Value<'static> {
    array(values.iter().map(|it| Value::Real(*it)).collect())
}

/// The reals of a value, in order.
pub(crate) fn leaves(value: &Value<'_>) -> Vec<f64> {
    match value {
        Value::Real(value) => vec![*value],
        Value::Pair(parts) => [leaves(&parts.0), leaves(&parts.1)].concat(),
        Value::Array(parts) => parts.iter().flat_map(leaves).collect(),
        Value::Inject(_, value) => leaves(value),
        Value::Int(_) | Value::Unit | Value::List(_) | Value::Function(_) => Vec::new(),
        Value::Set(_) => panic!("a set is no real"),
    }
}

/// A value of a first-order type with these reals.
pub(crate) fn filled<'t>(ty: &Type, reals: &mut &[f64]) -> Value<'t> {
    match ty {
        Type::Real => {
            let (first, rest) = reals.split_first().expect("enough reals");
            *reals = rest;
            Value::Real(*first)
        }
        Type::Unit => Value::Unit,
        Type::Pair(one, other) => {
            let one = filled(one, reals);
            pair(one, filled(other, reals))
        }
        Type::Array(size, elem) => {
            let size = size.as_constant().expect("a known size");
            array((0..size).map(|_| filled(elem, reals)).collect())
        }
        Type::Int | Type::Sum(..) | Type::Function(..) => panic!("{ty} is no vector"),
        Type::Linear(..) | Type::Copower(..) | Type::List(_) => panic!("{ty} is no vector"),
    }
}

/// A stage of a derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stage {
    Raw,
    Lowered,
    Simplified,
}

pub(crate) const STAGES: [Stage; 3] = [Stage::Raw, Stage::Lowered, Stage::Simplified];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

/// The derivative of a source term, whose type is checked at every stage.
pub(crate) fn derivative(context: &[(Name, Type)], term: &Term, mode: Mode, stage: Stage) -> Term {
    let differentiate = if mode == Mode::Forward { forward } else { reverse };
    let (primal, tangent) = match mode {
        Mode::Forward => {
            (forward::primal as fn(&Type) -> Type, forward::tangent as fn(&Type) -> Type)
        }
        Mode::Reverse => {
            (reverse::primal as fn(&Type) -> Type, reverse::cotangent as fn(&Type) -> Type)
        }
    };
    let (raw, ty) =
        differentiate(context, term).unwrap_or_else(|it| panic!("{it}: {}", term.brief()));
    let own: Vec<(Name, Type)> = context.iter().map(|it| (it.0.clone(), primal(&it.1))).collect();
    let space = context.iter().fold(Type::Unit, |all, it| all.times(&tangent(&it.1)));
    let linear = match mode {
        Mode::Forward => space.linear_to(&tangent(&ty)),
        Mode::Reverse => tangent(&ty).linear_to(&space),
    };
    let wanted = primal(&ty).times(&linear);
    assert_eq!(type_of(Language::Target, &own, &raw), Ok(wanted.clone()), "{}", raw.brief());
    if stage == Stage::Raw {
        return raw;
    }
    let own: Vec<(Name, Type)> = own.iter().map(|it| (it.0.clone(), lower_type(&it.1))).collect();
    let lowered = lower(&raw);
    let wanted = Ok(lower_type(&wanted));
    assert_eq!(type_of(Language::Lowered, &own, &lowered), wanted, "{}", lowered.brief());
    if stage == Stage::Lowered {
        return lowered;
    }
    let simple = simplify(&own, &lowered).term;
    assert_eq!(type_of(Language::Lowered, &own, &simple), wanted, "{}", simple.brief());
    simple
}

/// The value, the derivative applied to what is given, and what both cost.
pub(crate) fn differentiated(
    point: &Point,
    source: &Term,
    mode: Mode,
    stage: Stage,
    along: &[f64],
) -> (Vec<f64>, Vec<f64>, u64) {
    let term = derivative(&point.context, source, mode, stage);
    let mut machine = machine();
    let mut env = Environment::default();
    for (it, value) in point.context.iter().zip(&point.values) {
        env = env.with(&it.0, value.clone());
    }
    let both = machine.run(&env, &term).unwrap_or_else(|it| panic!("{it}: {}", term.brief()));
    let (value, linear) = both.parts().unwrap();
    let mut rest = along;
    let given = match mode {
        Mode::Forward => {
            let space = point
                .context
                .iter()
                .fold(Type::Unit, |all, it| all.times(&forward::tangent(&it.1)));
            filled(&space, &mut rest)
        }
        Mode::Reverse => {
            let ty = type_of(Language::Source, &point.context, source).unwrap();
            filled(&reverse::cotangent(&ty), &mut rest)
        }
    };
    assert!(rest.is_empty(), "{rest:?} is left over");
    let res = machine.apply(&linear, given);
    let res = res.unwrap_or_else(|it| panic!("{it}: {}", term.brief()));
    (leaves(&value), leaves(&res), machine.cost)
}

pub(crate) fn assert_close(what: &str, found: &[f64], wanted: &[f64]) {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * (1.0 + y.abs());
    let is_same = found.len() == wanted.len() && found.iter().zip(wanted).all(near);
    assert!(is_same, "{what}: {found:?}, not {wanted:?}");
}

/// A fact at every stage.
pub(crate) fn fact(
    point: &Point,
    text: &str,
    mode: Mode,
    along: &[f64],
    value: &[f64],
    wanted: &[f64],
) {
    let source: Term = text.parse().unwrap_or_else(|it| panic!("{it}: {text}"));
    for stage in STAGES {
        let (found, derivative, _) = differentiated(point, &source, mode, stage, along);
        assert_close(&format!("value of {text} ({stage:?})"), &found, value);
        assert_close(&format!("derivative of {text} ({mode:?}, {stage:?})"), &derivative, wanted);
    }
}
