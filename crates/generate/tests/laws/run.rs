//! Runs programs by every method, on flat lists of reals.

use std::sync::Arc;

use array::{Buffer, Dense, Shape};
use base::Name;
use cotan::Via;
use cotan::dev::Step;
use eval::{Array, Derive, Elems, Evaluator, Fault, Limits, Mode, Precision, Value};
use generate::Argument;
use ir::signature::taped_of;
use ir::{Binder, Def, Lambda, Program, Spans};
use opt::Checkpoints;

/// The methods that the interpreter runs as it goes: the first is compared with each of the others, and
/// then with those that make programs.
pub(crate) const METHODS: &[Method] = &[
    Method { name: "forward", mode: Mode::Forward },
    Method { name: "tape", mode: Mode::Reverse },
];

/// The methods that make programs, and how many random programs of all go by each.
const PROGRAMS: &[(&str, u64)] = &[("bulk", 2), ("linmap", 2), ("chad", 2), ("forward", 1)];

/// A method whose derivative operators are run by the interpreter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Method {
    name: &'static str,
    mode: Mode,
}

/// The passes of a method that makes programs, another one for every seed.
pub(crate) fn passes(seed: u64) -> &'static [Step] {
    let all: u64 = PROGRAMS.iter().map(|it| it.1).sum();
    let mut left = seed % all;
    let chosen = PROGRAMS.iter().find(|(_, share)| {
        let is_here = left < *share;
        left = left.saturating_sub(*share);
        is_here
    });
    let name = chosen.expect("there are as many shares").0;
    let via = Via::named(name).and_then(Via::method);
    via.and_then(cotan::Method::passes).expect("a method that makes programs")
}

/// Which loops run in pieces: of some programs all, on several levels.
pub(crate) fn checkpoints(seed: u64) -> Checkpoints {
    match seed % 9 {
        levels @ 2..=3 => Checkpoints::All(levels as u32),
        _ => Checkpoints::Marked,
    }
}

/// The methods of the table that have no row here.
#[allow(dead_code, reason = "only the tests with fixed seeds ask")]
pub(crate) fn without_row() -> Vec<&'static str> {
    let is_row = |it: &cotan::Method| match it.passes() {
        Some(_) => PROGRAMS.iter().any(|row| row.0 == it.name),
        None => METHODS.iter().any(|row| row.name == it.name),
    };
    cotan::METHODS.iter().filter(|it| !is_row(it)).map(|it| it.name).collect()
}

/// A program made ready to run by a method.
pub(crate) enum Runner {
    Interpreted(Box<Evaluator>),
}

impl Runner {
    pub(crate) fn new(method: Method, program: &Arc<Program>) -> Runner {
        Runner::with_precision(method, program, Precision::F64)
    }

    pub(crate) fn with_precision(
        method: Method,
        program: &Arc<Program>,
        precision: Precision,
    ) -> Runner {
        Runner::Interpreted(at_precision(method.mode, program, precision))
    }

    /// Calls a definition.
    pub(crate) fn call(
        &mut self,
        def: &str,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Fault> {
        match self {
            Runner::Interpreted(evaluator) => {
                evaluator.call(&Name::read(def), sizes, args).map_err(|it| it.fault)
            }
        }
    }
}

/// Runs a program.
pub(crate) fn evaluator(mode: Mode, program: &Arc<Program>) -> Box<Evaluator> {
    at_precision(mode, program, Precision::F64)
}

fn at_precision(mode: Mode, program: &Arc<Program>, precision: Precision) -> Box<Evaluator> {
    let limits = Limits { memory: 1 << 28, precision, mode };
    Box::new(Evaluator::new(Arc::clone(program), Box::new(Derivatives), limits))
}

/// Runs a program by forward mode, with a run for each direction.
pub(crate) fn one_by_one(program: &Arc<Program>) -> Box<Evaluator> {
    let mut evaluator = evaluator(Mode::Forward, program);
    evaluator.one_direction_at_a_time();
    evaluator
}

struct Derivatives;

impl Derive for Derivatives {
    fn forward_lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        ad::forward_lambda(program, captured, lambda, next_var, spans)
    }

    fn def(&self, program: &Program, name: &Name) -> Option<Def> {
        let Some((base, mask)) = taped_of(name) else {
            return ad::forward_def(program, name);
        };
        Some(ad::tape_def(program, &ad::forward_def(program, base)?, mask))
    }

    fn reverse_lambda(
        &self,
        program: &Program,
        captured: (&[Binder], &[bool]),
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        ad::tape_lambda(program, captured, lambda, next_var, spans)
    }
}

/// The value that a description means.
pub(crate) fn value(argument: &Argument) -> Value {
    match argument {
        Argument::Real(x) => Value::Real(*x),
        Argument::Int(x) => Value::Int(*x),
        Argument::Bool(x) => Value::Bool(*x),
        Argument::Tuple(parts) => Value::tuple(parts.iter().map(value).collect()),
        Argument::Array(dense) => Value::from(dense.clone()),
        Argument::Tuples(shape, parts) => {
            let parts = parts.iter().map(|it| array(&value(it))).collect();
            Value::array(Array { shape: Shape::new(shape), elems: Elems::Tuple(parts) })
        }
    }
}

fn array(value: &Value) -> Array {
    let Value::Array(array) = value else { panic!("an array of tuples has arrays as parts") };
    (**array).clone()
}

/// The reals of a value in order, and everything else of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Leaves {
    pub(crate) reals: Vec<f64>,
    pub(crate) others: Vec<i64>,
}

impl Leaves {
    /// Those of several values.
    pub(crate) fn of(values: &[Value]) -> Leaves {
        let mut res = Leaves::default();
        values.iter().for_each(|it| res.add(it));
        res
    }

    /// Whether no bit differs, but for those of numbers that are none.
    pub(crate) fn same_bits(&self, other: &Leaves) -> bool {
        let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        self.others == other.others
            && self.reals.len() == other.reals.len()
            && self.reals.iter().zip(&other.reals).all(same)
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Real(x) => self.reals.push(*x),
            Value::Int(x) => self.others.push(*x),
            Value::Bool(x) => self.others.push(i64::from(*x)),
            Value::Tuple(parts) => parts.iter().for_each(|it| self.add(it)),
            Value::Array(array) => self.add_array(array),
            Value::Data(data) => {
                self.others.push(data.con.tag as i64);
                data.fields.iter().for_each(|it| self.add(it));
            }
            Value::Str(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
                panic!("no result of `main`: {value:?}")
            }
        }
    }

    fn add_array(&mut self, array: &Array) {
        self.others.extend(array.shape.iter().map(|it| *it as i64));
        match &array.elems {
            Elems::Real(data) => self.reals.extend(data.iter()),
            Elems::Int(data) => self.others.extend(data.iter()),
            Elems::Bool(data) => self.others.extend(data.iter().map(|it| i64::from(*it))),
            // One without elements may not know that it is of tuples.
            Elems::Tuple(_) if array.shape.contains(&0) => {}
            Elems::Tuple(parts) => parts.iter().for_each(|it| self.add_array(it)),
            Elems::Boxed(data) => data.iter().for_each(|it| self.add(it)),
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                panic!("no result of `main`: {array:?}")
            }
        }
    }
}

/// What becomes of everything that is no real.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Others {
    Kept,
    Zero,
}

/// The same value with other reals, in order.
pub(crate) fn with_reals(
    value: &Value,
    reals: &mut dyn Iterator<Item = f64>,
    others: Others,
) -> Value {
    let keep = others == Others::Kept;
    match value {
        Value::Real(_) => Value::Real(reals.next().expect("as many reals")),
        Value::Int(x) => Value::Int(if keep { *x } else { 0 }),
        Value::Bool(x) => Value::Bool(keep && *x),
        Value::Tuple(parts) => {
            Value::tuple(parts.iter().map(|it| with_reals(it, reals, others)).collect())
        }
        Value::Array(array) => array_with_reals(array, reals, others),
        Value::Str(_) | Value::Data(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
            panic!("no argument of `main`: {value:?}")
        }
    }
}

fn array_with_reals(source: &Array, reals: &mut dyn Iterator<Item = f64>, others: Others) -> Value {
    let keep = others == Others::Kept;
    let dense = |data| Value::from(Dense { shape: source.shape.to_vec(), data });
    match &source.elems {
        Elems::Real(data) => dense(Buffer::Real(reals.take(data.len()).collect())),
        Elems::Int(data) => {
            dense(Buffer::Int(data.iter().map(|it| if keep { *it } else { 0 }).collect()))
        }
        Elems::Bool(data) => dense(Buffer::Bool(data.iter().map(|it| keep && *it).collect())),
        Elems::Tuple(parts) => {
            let part = |it: &Array, reals: &mut dyn Iterator<Item = f64>| {
                array(&array_with_reals(it, reals, others))
            };
            let parts = parts.iter().map(|it| part(it, reals)).collect();
            Value::array(Array { shape: source.shape.clone(), elems: Elems::Tuple(parts) })
        }
        // No element says what they are.
        Elems::Boxed(data) if data.is_empty() => Value::array(source.clone()),
        Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
            panic!("no argument of `main`: {source:?}")
        }
    }
}
