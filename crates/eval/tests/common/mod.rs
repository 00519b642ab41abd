//! What the tests share: programs from text, and values from Rust.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of these")]

use std::sync::Arc;

use base::Name;
use eval::{
    Array, Evaluator, Fault, Limits, NoDerivatives, Precision, RunError, Tolerance, Value, equal,
};
use ir::Program;

pub const LIMITS: Limits =
    Limits { memory: 4 << 30, precision: Precision::F64, mode: eval::Mode::Reverse };

pub fn evaluator(text: &str, limits: Limits) -> Evaluator {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}\n{text}"));
    Evaluator::new(Arc::new(program), Box::new(NoDerivatives), limits)
}

/// Calls `main`.
pub fn main(text: &str, sizes: &[i64], args: Vec<Value>) -> Result<Vec<Value>, RunError> {
    evaluator(text, LIMITS).call(&Name::new("main"), sizes, args)
}

/// The body of a definition of one parameter `x1: [x0]Real`, run on an array.
pub fn on_reals(result: &str, body: &str, input: &[f64]) -> Result<Value, RunError> {
    let text = format!("def main[x0](x1: [x0]Real) -> (x2: {result}) {{ {body} }}");
    let args = vec![reals(input)];
    main(&text, &[input.len() as i64], args).map(|mut it| it.remove(0))
}

pub fn fault(res: Result<Vec<Value>, RunError>) -> Fault {
    match res {
        Ok(values) => panic!("{values:?}"),
        Err(error) => error.fault,
    }
}

pub fn reals(data: &[f64]) -> Value {
    Value::array(Array::reals(data.to_vec()))
}

pub fn ints(data: &[i64]) -> Value {
    Value::array(Array::ints(data.to_vec()))
}

pub fn matrix(rows: &[&[f64]]) -> Value {
    let shape = vec![rows.len(), rows.first().map_or(0, |it| it.len())];
    let data = array::Buffer::Real(rows.concat());
    Value::from(array::Dense { shape, data })
}

pub fn pair(x: Value, y: Value) -> Value {
    Value::pair(x, y)
}

#[track_caller]
pub fn assert_equal(found: &Value, expected: &Value) {
    let mut seen = 0;
    let same = equal(found, expected, Tolerance::Exact, &mut seen).expect("no functions");
    assert!(same, "found {found:?}\nexpected {expected:?}");
}

#[track_caller]
pub fn assert_close(found: &Value, expected: &Value) {
    let mut seen = 0;
    let same =
        equal(found, expected, Tolerance::close(Precision::F64), &mut seen).expect("no functions");
    assert!(same, "found {found:?}\nexpected {expected:?}");
}
