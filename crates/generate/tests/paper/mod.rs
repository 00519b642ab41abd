//! The paper's form of CHAD against `tape`: random programs that its language can say, at random points.

mod scalars;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ad::chad::paper::dependence::rows;
use ad::chad::paper::forward::{self, forward};
use ad::chad::paper::from_ir::{Function, from_ir};
use ad::chad::paper::lower::{lower, lower_type};
use ad::chad::paper::meaning::{Environment, Machine, Value as PaperValue, array, pair, truth};
use ad::chad::paper::reverse::{self, reverse};
use ad::chad::paper::simplify::simplify;
use ad::chad::paper::term::Term;
use ad::chad::paper::types::Type as PaperType;
use base::Name;
use eval::{Array, Elems, Mode, Value};
use generate::Random;
use ir::{Dialect, Program, Type};

use crate::laws::run::{Leaves, Others, evaluator, value, with_reals};
use crate::laws::wrap::wrap;

/// How many programs; most are said, and each takes milliseconds.
const PROGRAMS: u64 = 1200;

/// Terms that are not larger are simplified too.
const SMALL: usize = 40;

/// Whether the reals of a value have the same order here and there: no arrays of tuples.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Real | Type::Int | Type::Bool => true,
        Type::Tuple(parts) => parts.iter().all(is_plain),
        Type::Array(..) => matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool),
        Type::String | Type::Function(..) | Type::Var(_) | Type::Data(..) => false,
        Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

fn from_value(value: &Value) -> PaperValue<'static> {
    match value {
        Value::Real(x) => PaperValue::Real(*x),
        Value::Int(x) => PaperValue::Int(*x),
        Value::Bool(x) => truth(*x),
        Value::Tuple(parts) => {
            parts.iter().map(from_value).reduce(pair).unwrap_or(PaperValue::Unit)
        }
        Value::Array(it) => from_array(it, &it.shape, &mut 0),
        Value::Str(_) | Value::Data(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
            panic!("no argument of `main`: {value:?}")
        }
    }
}

fn from_array(all: &Array, shape: &[usize], at: &mut usize) -> PaperValue<'static> {
    if let [size, inner @ ..] = shape {
        return array((0..*size).map(|_| from_array(all, inner, at)).collect());
    }
    *at += 1;
    match &all.elems {
        Elems::Real(data) => PaperValue::Real(data[*at - 1]),
        Elems::Int(data) => PaperValue::Int(data[*at - 1]),
        Elems::Bool(data) => truth(data[*at - 1]),
        Elems::Tuple(_)
        | Elems::Boxed(_)
        | Elems::Delta(_)
        | Elems::Dual(..)
        | Elems::Lanes(..) => {
            panic!("no array of scalars")
        }
    }
}

/// A (co)tangent of a value with these reals, in order.
fn along<'t>(
    ty: &PaperType,
    value: &PaperValue<'t>,
    reals: &mut dyn Iterator<Item = f64>,
) -> PaperValue<'t> {
    match (ty, value) {
        (PaperType::Real, _) => PaperValue::Real(reals.next().expect("as many reals")),
        (PaperType::Pair(one, other), PaperValue::Pair(parts)) => {
            let one = along(one, &parts.0, reals);
            pair(one, along(other, &parts.1, reals))
        }
        (PaperType::Array(_, elem), PaperValue::Array(parts)) => {
            array(parts.iter().map(|it| along(elem, it, reals)).collect())
        }
        (PaperType::Sum(..), _) => pair(PaperValue::Unit, PaperValue::Unit),
        (PaperType::Int | PaperType::Unit, _) => PaperValue::Unit,
        (_, _) => panic!("no value of {ty}: {value:?}"),
    }
}

fn reals(value: &PaperValue<'_>) -> Vec<f64> {
    match value {
        PaperValue::Real(x) => vec![*x],
        PaperValue::Pair(parts) => [reals(&parts.0), reals(&parts.1)].concat(),
        PaperValue::Array(parts) => parts.iter().flat_map(reals).collect(),
        PaperValue::Int(_) | PaperValue::Unit | PaperValue::Inject(..) => Vec::new(),
        PaperValue::Set(_) | PaperValue::List(_) | PaperValue::Function(_) => {
            panic!("no result of `main`")
        }
    }
}

/// What `tape` gives: values, and cotangents for random weights.
struct Wanted {
    value: Vec<f64>,
    weights: Vec<f64>,
    gradient: Vec<f64>,
}

fn by_tape(seed: u64, program: &Program, sizes: &[i64], args: &[Value]) -> Option<Wanted> {
    let mut evaluator = evaluator(Mode::Reverse, &Arc::new(wrap(program)));
    let results = evaluator.call(&generate::main(), sizes, args.to_vec()).ok()?;
    let value = Leaves::of(&results).reals;
    let mut random = Random::new(seed + 1);
    let weights: Vec<f64> = value.iter().map(|_| 1.0 + random.below(8) as f64 / 4.0).collect();
    let mut rest = weights.iter().copied();
    let seeds = results.iter().map(|it| with_reals(it, &mut rest, Others::Zero));
    let all = args.iter().cloned().chain(seeds).collect();
    let gradient = evaluator.call(&Name::new("main_vjp"), sizes, all).ok()?;
    Some(Wanted { value, weights, gradient: Leaves::of(&gradient).reals })
}

/// Values, tangents or cotangents of one stage.
fn by_paper(
    function: &Function,
    term: &Term,
    sizes: &BTreeMap<ir::Var, i64>,
    args: &[PaperValue<'static>],
    given: impl Fn(&PaperValue<'_>) -> PaperValue<'static>,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let mut machine = Machine { sizes: sizes.clone(), primitives: &scalars::primitive, cost: 0 };
    let bound = function.params.iter().zip(args);
    let env = bound.fold(Environment::default(), |env, it| env.with(&it.0.0, it.1.clone()));
    let (value, linear) = machine.run(&env, term)?.parts()?;
    let derivative = machine.apply(&linear, given(&value))?;
    Ok((reals(&value), reals(&derivative)))
}

fn agree(found: &[f64], wanted: &[f64]) -> bool {
    let largest = wanted.iter().fold(1.0_f64, |all, it| all.max(it.abs()));
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-7 * largest;
    found.len() == wanted.len() && found.iter().zip(wanted).all(near)
}

/// The pattern of the Jacobian by sets in the place of cotangents: all that the gradient depends on is in it. Gives
/// whether it is the one that the tape records; that has both operands of a choice, and this one what is
/// multiplied by zero.
fn check_pattern(
    program: &Program,
    function: &Function,
    (raw, ty): (&Term, &PaperType),
    sizes: (&BTreeMap<ir::Var, i64>, &[i64]),
    (args, own): (&[Value], &[PaperValue<'static>]),
    gradient: &[f64],
) -> Result<bool, String> {
    let mut evaluator = evaluator(Mode::Reverse, &Arc::new(wrap(program)));
    let active = vec![true; args.len()];
    let recorded = evaluator.pattern(&generate::main(), sizes.1, args, &active);
    let recorded = recorded.map_err(|it| format!("no pattern by the tape: {it:?}"))?;
    let mut machine = Machine { sizes: sizes.0.clone(), primitives: &scalars::primitive, cost: 0 };
    let bound = function.params.iter().zip(own);
    let env = bound.fold(Environment::default(), |env, it| env.with(&it.0.0, it.1.clone()));
    let found = rows(&mut machine, &env, (raw, ty))?;
    let mut is_same = true;
    for (at, row) in found.iter().enumerate() {
        let own = &recorded.columns[recorded.starts[at]..recorded.starts[at + 1]];
        let own: BTreeSet<usize> = own.iter().map(|it| *it as usize).collect();
        is_same &= own == *row;
    }
    let is_missing = |at: &usize| gradient[*at] != 0.0 && found.iter().all(|it| !it.contains(at));
    if let Some(at) = (0..gradient.len()).find(is_missing) {
        return Err(format!("nothing depends on {at}, whose derivative is {}", gradient[at]));
    }
    match found.len() + 1 == recorded.starts.len() {
        true => Ok(is_same),
        false => Err(format!("{} rows, by the tape {}", found.len(), recorded.starts.len() - 1)),
    }
}

/// What became of a program.
enum Checked {
    /// The paper's language has no word for it, or there is no derivative.
    Left,
    /// Derivatives agree; whether the patterns of Jacobians are the same.
    Compared { is_pattern_same: bool },
}

/// Whether a program was compared.
fn check(seed: u64, program: &Program) -> Result<Checked, String> {
    let main = &program.defs[&generate::main()];
    let Ok(function) = from_ir(program, &main.name) else { return Ok(Checked::Left) };
    let mut types = main.params.iter().chain(&main.results);
    if function.body.size() > 400 || !types.all(|it| is_plain(&it.ty)) {
        return Ok(Checked::Left);
    }
    let arguments = generate::arguments(seed, program);
    let args: Vec<Value> = arguments.values.iter().map(value).collect();
    let Some(wanted) = by_tape(seed, program, &arguments.sizes, &args) else {
        return Ok(Checked::Left);
    };
    let all = [&wanted.value[..], &wanted.gradient].concat();
    if all.iter().any(|it| !it.is_finite() || it.abs() > 1e6) {
        return Ok(Checked::Left);
    }
    let own: Vec<PaperValue<'static>> = args.iter().map(from_value).collect();
    let sizes = main.size_params.iter().copied().zip(arguments.sizes.iter().copied()).collect();
    let (raw, ty) = reverse(&function.params, &function.body)?;
    let weights =
        |value: &PaperValue<'_>| along(&ty, &forget(value), &mut wanted.weights.iter().copied());
    let all_sizes = (&sizes, &arguments.sizes[..]);
    let values = (&args[..], &own[..]);
    let gradient = &wanted.gradient;
    let is_pattern_same =
        check_pattern(program, &function, (&raw, &ty), all_sizes, values, gradient)?;
    let lowered = lower(&raw);
    let mut stages = vec![("raw", raw), ("lowered", lowered.clone())];
    if function.body.size() <= SMALL {
        let context: Vec<(Name, PaperType)> = function
            .params
            .iter()
            .map(|it| (it.0.clone(), lower_type(&reverse::primal(&it.1))))
            .collect();
        stages.push(("simplified", simplify(&context, &lowered).term));
    }
    for (stage, term) in &stages {
        let (value, gradient) = by_paper(&function, term, &sizes, &own, weights)?;
        if !agree(&value, &wanted.value) || !agree(&gradient, &wanted.gradient) {
            return Err(format!("{stage}: {gradient:?}, not {:?}", wanted.gradient));
        }
    }
    // Forward mode along the gradient is the gradient times itself.
    let (raw, _) = forward(&function.params, &function.body)?;
    let mut rest = wanted.gradient.iter().copied();
    let space = function.params.iter().zip(&own).fold(PaperValue::Unit, |all, (it, value)| {
        assert_eq!(forward::tangent(&it.1), reverse::cotangent(&it.1), "of first order");
        pair(all, along(&it.1, value, &mut rest))
    });
    let (_, tangent) = by_paper(&function, &raw, &sizes, &own, |_| space.clone())?;
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(x, y)| x * y).sum();
    let found: f64 = dot(&tangent, &wanted.weights);
    let square: f64 = dot(&wanted.gradient, &wanted.gradient);
    match agree(&[found], &[square]) {
        true => Ok(Checked::Compared { is_pattern_same }),
        false => Err(format!("forward: {found}, not {square}")),
    }
}

/// A value of first order, wherever it goes.
fn forget(value: &PaperValue<'_>) -> PaperValue<'static> {
    match value {
        PaperValue::Real(x) => PaperValue::Real(*x),
        PaperValue::Int(x) => PaperValue::Int(*x),
        PaperValue::Unit => PaperValue::Unit,
        PaperValue::Inject(side, _) => truth(*side == ad::chad::paper::term::Side::Left),
        PaperValue::Pair(parts) => pair(forget(&parts.0), forget(&parts.1)),
        PaperValue::Array(parts) => array(parts.iter().map(forget).collect()),
        PaperValue::Set(_) | PaperValue::List(_) | PaperValue::Function(_) => {
            panic!("no result of `main`")
        }
    }
}

/// Every fifth program is run where functions may have no derivative.
#[test]
fn the_papers_form_agrees_with_tape() {
    // Terms are deep.
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(|| {
        let (mut compared, mut same) = (0, 0);
        for seed in 0..PROGRAMS {
            let size = (1 + seed * 10 / PROGRAMS) as usize;
            let program = generate::program(seed, size, Dialect::Source);
            match check(seed, &program) {
                Ok(Checked::Left) => {}
                Ok(Checked::Compared { is_pattern_same }) => {
                    compared += 1;
                    same += u64::from(is_pattern_same);
                }
                Err(why) => panic!("seed {seed}, size {size}: {why}\n{program}"),
            }
        }
        (compared, same)
    });
    let compared = thread.expect("a thread").join();
    let (compared, same) = compared.unwrap_or_else(|it| std::panic::resume_unwind(it));
    assert!(compared > PROGRAMS / 4, "only {compared} of {PROGRAMS} programs are compared");
    // Sets go through factors that are zero, and only through the operand that is chosen.
    assert!(10 * same >= 9 * compared, "{same} of {compared} patterns are the same");
}
