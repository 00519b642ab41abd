//! Tests of a program that are compiled together say what they say one by one.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use std::fmt::Write;

use cotan::{Backend, Compiler, Options, Style, TestOutcome};

/// What became of each test, with the messages of those that failed.
fn outcomes(text: &str, backend: Backend) -> Vec<Option<String>> {
    let options = Options { backend, ..Options::default() };
    let mut program = Compiler::new(options).compile("tests.cot", text).unwrap();
    let n_tests = program.n_tests();
    let outcome = |index: usize| match program.run_test(index).outcome {
        TestOutcome::Passed => None,
        TestOutcome::Failed(report) => Some(report.render(Style::Plain)),
    };
    (0..n_tests).map(outcome).collect()
}

/// Both back ends, which tell errors in the same words.
fn failed(text: &str) -> Vec<usize> {
    let interp = outcomes(text, Backend::Interp);
    assert_eq!(outcomes(text, Backend::Auto), interp);
    (0..interp.len()).filter(|it| interp[*it].is_some()).collect()
}

const NONE: [usize; 0] = [];

#[test]
fn one_test_and_none() {
    assert_eq!(failed("def one = 1"), NONE);
    assert_eq!(failed("test \"yes\" = 1 + 1 == 2"), NONE);
    assert_eq!(failed("test \"no\" = 1 + 1 == 3"), [0]);
}

#[test]
fn more_than_fit_into_one_entry_point() {
    let mut text = String::new();
    for i in 0..40 {
        let sum = if i % 13 == 5 { 2 * i + 1 } else { 2 * i };
        writeln!(text, "test \"{i}\" = {i} + {i} == {sum}").unwrap();
    }
    assert_eq!(failed(&text), [5, 18, 31]);
}

#[test]
fn each_that_is_false_ends_in_an_error_or_is_refused_leaves_the_others_alone() {
    let text = "
        data Stored = Stored((Real) -> Real)
        def value(s: Stored, x: Real): Real = match s { Stored(f) => f(x) }
        def at(x: [n]Real, i: Int): Real = x[i]
        test \"plain\" = at([1.0, 2.0], 1) == 2.0
        test \"gradient\" = grad(\\x => x * x)(3.0) ~= 6.0
        test \"false\" = at([1.0, 2.0], 0) == 2.0
        test \"out of bounds\" = at([1.0, 2.0], 2) == 2.0
        test \"no number\" = 1 / 0 == 1
        test \"stored\" = value(Stored(\\x => x * x), 3.0) == 9.0
        test \"stored and false\" = value(Stored(\\x => x * x), 3.0) == 8.0
        test \"long\" = fold(\\s, i => s + 1, 0, build i < 6000000 => i) == 6000000
        test \"last\" = true";
    assert_eq!(failed(text), [2, 3, 4, 6]);
}
