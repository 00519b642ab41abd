//! Programs written as Rust closures: traced, then run and differentiated by every method and back end.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

mod errors;
mod facts;
mod loops;
mod primitives;
mod sharing;
mod sizes;
mod sums;

use cotan::trace::{Closure, trace, trace_named};
use cotan::{Backend, Function, Inputs, Precision, Program, Via};

/// What a closure computes.
#[track_caller]
fn traced<P, F: Closure<P>>(params: &[&str], f: F) -> Function {
    trace_named(params, f).unwrap_or_else(|it| panic!("{it}"))
}

/// The function by every method in the interpreter, compiled, and in single precision, with how exact each is.
fn ways(f: &Function) -> Vec<(Function, f64)> {
    let interp = f.backend(Backend::Interp);
    let mut res: Vec<(Function, f64)> = Via::all().map(|it| (interp.via(it), 1e-9)).collect();
    res.push((f.backend(Backend::Native), 1e-9));
    res.push((interp.precision(Precision::F32), 1e-4));
    res
}

/// All numbers of a result, in order.
fn numbers(f: &Function, inputs: impl Inputs) -> Vec<f64> {
    let answer = f.call(inputs).unwrap_or_else(|it| panic!("{it}\n{}", f.source()));
    let text = answer.to_text();
    let words = text.split(['[', ']', '(', ')', ',', ' ']).filter(|it| !it.is_empty());
    words.map(|it| it.parse().unwrap()).collect()
}

#[track_caller]
fn assert_close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{found:?} for {wanted:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        let error = (found - wanted).abs() / wanted.abs().max(1.0);
        assert!(error <= tolerance, "{found} for {wanted}");
    }
}

/// The function gives these numbers in every way, and so does the program that its text is.
#[track_caller]
fn assert_gives(f: &Function, inputs: impl Inputs, wanted: &[f64]) {
    for (way, tolerance) in ways(f) {
        assert_close(&numbers(&way, &inputs), wanted, tolerance);
    }
    let formatted = cotan::format("trace.cot", f.source()).unwrap();
    let read = Program::new(&formatted).unwrap().function("traced").unwrap();
    assert_close(&numbers(&read.backend(Backend::Interp), &inputs), wanted, 1e-9);
}

/// Every way gives this gradient.
#[track_caller]
fn assert_gradient(f: &Function, inputs: impl Inputs, wanted: &[f64]) {
    for (way, tolerance) in ways(f) {
        assert_close(&numbers(&way.grad(), &inputs), wanted, tolerance);
    }
}

/// A closure of one real and its derivative.
#[track_caller]
fn assert_scalar<P, F: Closure<P>>(f: F, x: f64, value: f64, derivative: f64) {
    let f = trace(f).unwrap_or_else(|it| panic!("{it}"));
    assert_gives(&f, (x,), &[value]);
    assert_gradient(&f, (x,), &[derivative]);
}
