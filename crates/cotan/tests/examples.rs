//! The examples: their tests pass, and their derivatives agree with central differences, by
//! every method of differentiation.
//!
//! An example starts with three lines: `-- derivative: EXPR`, `-- function: F`, `-- at: X, Y`.
//! EXPR is compared with central differences of F at (X, Y), and the nested derivative
//! `hvp(F)` with central differences of `grad(F)`, leaf by leaf.

#![allow(clippy::disallowed_methods, reason = "tests read the files they are about")]

use crate::common::methods::{METHODS, disagreements};
use crate::common::sources;
use crate::common::sources::{Source, examples, numbers};
use cotan::{Backend, Compiled, Compiler, Options, Precision, Via};

struct Example {
    name: String,
    program: Compiled,
    function: String,
    at: String,
    derivative: String,
}

fn load(source: &Source, via: Via) -> Example {
    let name = format!("{} via {via:?}", source.name);
    let header = |key: &str| source.header(key).to_string();
    let (function, at, derivative) = (header("function"), header("at"), header("derivative"));
    let compiled = Compiler::new(Options { via, backend: Backend::Interp, ..Options::default() })
        .compile(&name, &source.text);
    let program = compiled.unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)));
    Example { name, program, function, at, derivative }
}

impl Example {
    fn eval(&mut self, expression: &str) -> String {
        let answer = self.program.eval(expression, &[]);
        let name = &self.name;
        answer.unwrap_or_else(|it| panic!("{name}: {}", it.render(cotan::Style::Plain))).to_text()
    }

    fn reals(&mut self, expression: &str) -> Vec<f64> {
        numbers(&self.eval(expression)).into_iter().map(|(_, it)| it).collect()
    }
}

/// The printed value with every real moved by a multiple of its direction.
fn moved(text: &str, direction: &[f64], step: f64) -> String {
    let mut res = text.to_string();
    for ((range, value), dx) in numbers(text).into_iter().zip(direction).rev() {
        res.replace_range(range, &format!("({:?})", value + step * dx));
    }
    res
}

fn assert_close(name: &str, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{name}: {what}: {found:?} against {expected:?}");
    let scale = expected.iter().fold(1.0f64, |largest, it| largest.max(it.abs()));
    for (a, b) in found.iter().zip(expected) {
        let close = (a - b).abs() <= tolerance * scale;
        assert!(close, "{name}: {what}: {found:?}\ncentral differences: {expected:?}");
    }
}

/// A direction without symmetry.
fn direction(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.3 + 0.7 * ((i * 7 % 5) as f64) / 5.0).collect()
}

/// Every example by every method.
fn all() -> impl Iterator<Item = Example> {
    examples().into_iter().flat_map(|it| METHODS.map(|via| load(&it, via)))
}

#[test]
fn their_tests_pass() {
    let mut count = 0;
    for mut example in all() {
        for index in 0..example.program.n_tests() {
            let result = example.program.run_test(index);
            assert!(
                matches!(result.outcome, cotan::TestOutcome::Passed),
                "{}: {}",
                example.name,
                result.name
            );
            count += 1;
        }
    }
    assert!(count >= METHODS.len() * 3 * 15, "only {count} tests");
}

#[test]
fn methods_agree_on_their_derivatives() {
    let mut wrong = Vec::new();
    for source in examples() {
        let gradient = [source.header("derivative").to_string()];
        wrong.extend(disagreements(&source.name, &source.text, Precision::F64, &gradient));
    }
    assert!(wrong.is_empty(), "{}\n{} disagreements", wrong.join("\n"), wrong.len());
}

#[test]
fn their_derivatives_agree_with_central_differences() {
    for source in examples() {
        let mut reference = load(&source, METHODS[0]);
        let expected = by_differences(&mut reference);
        for via in METHODS {
            let mut example = load(&source, via);
            let derivative = example.derivative.clone();
            let found = example.reals(&derivative);
            assert_close(&example.name, &derivative, &found, &expected, 2e-6);
        }
    }
}

/// The gradient of the function of an example by central differences, leaf by leaf.
fn by_differences(example: &mut Example) -> Vec<f64> {
    let (function, header) = (example.function.clone(), example.at.clone());
    let at = example.eval(&format!("({header})"));
    let call = |point: &str| format!("({function})({})", arguments(&header, point));
    let points: Vec<f64> = numbers(&at).into_iter().map(|(_, it)| it).collect();
    assert!(!points.is_empty(), "{}: no reals in {at}", example.name);
    let mut res = Vec::new();
    for (leaf, x) in points.iter().enumerate() {
        let h = 1e-5 * x.abs().max(0.01);
        let unit: Vec<f64> =
            (0..points.len()).map(|it| if it == leaf { 1.0 } else { 0.0 }).collect();
        let up = example.reals(&call(&moved(&at, &unit, h)));
        let down = example.reals(&call(&moved(&at, &unit, -h)));
        res.push((up[0] - down[0]) / (2.0 * h));
    }
    res
}

#[test]
fn their_nested_derivatives_agree_with_central_differences() {
    for mut example in all() {
        let function = example.function.clone();
        let header = example.at.clone();
        let at = example.eval(&format!("({header})"));
        let v = direction(numbers(&at).len());
        // A little aside, where no branch of the program is met only in the point itself.
        let at = direction_like(
            &at,
            &numbers(&moved(&at, &v, 0.01)).iter().map(|(_, it)| *it).collect::<Vec<f64>>(),
        );
        let along = direction_like(&at, &v);
        let found = example.reals(&format!("hvp({function})({at}, {along})"));
        let gradient = |point: &str| format!("grad({function})({})", arguments(&header, point));
        let h = 1e-5;
        let up = example.reals(&gradient(&moved(&at, &v, h)));
        let down = example.reals(&gradient(&moved(&at, &v, -h)));
        let expected: Vec<f64> = up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        assert_close(&example.name, "hvp", &found, &expected, 2e-5);
    }
}

/// The printed value with the numbers of a direction in the place of its reals.
fn direction_like(text: &str, v: &[f64]) -> String {
    let mut res = text.to_string();
    for ((range, _), dx) in numbers(text).into_iter().zip(v).rev() {
        res.replace_range(range, &format!("{dx:?}"));
    }
    res
}

/// Several arguments are printed as a tuple; a call takes them without its parentheses.
fn arguments<'a>(at: &str, point: &'a str) -> &'a str {
    let inner = point.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    inner.filter(|_| sources::arguments(at).len() > 1).unwrap_or(point)
}
