//! Every traced value is one variable, and tracing takes linear time.

use cotan::Backend;
use cotan::trace::{Array, Real, build, trace};

use crate::trace::{assert_gradient, numbers, traced};

fn lets(text: &str) -> usize {
    text.lines().filter(|it| it.trim_start().starts_with("let ")).count()
}

/// `x + x` a thousand times is `2^1000 x` in a thousand statements; as a tree it would have `2^1000`.
#[test]
fn a_doubling_chain_has_a_statement_for_each_step() {
    let f = traced(&["x"], |x: Real| (0..1000).fold(x, |x, _| x + x));
    assert_eq!(lets(f.source()), 1000);
    let wanted = 2.0_f64.powi(1000);
    assert_eq!(numbers(&f.backend(Backend::Interp), (1.0,)), [wanted]);
    assert_eq!(numbers(&f.backend(Backend::Interp).grad(), (1.0,)), [wanted]);
}

#[test]
fn a_value_is_computed_once_wherever_it_is_used() {
    let f = traced(&["x"], |x: Array<1>| {
        let total = x.exp().sum();
        build(x.len(), |i| x.row(i).exp() / total).sum() + total
    });
    assert_eq!(f.source().matches("sum(").count(), 2);
    // The first part is 1.
    assert_gradient(&f, ([0.0, 1.0],), &[1.0, std::f64::consts::E]);
}

/// Neither the stack nor the time grows with more than the number of statements.
#[test]
fn a_hundred_thousand_statements() {
    let f =
        trace(|x: Real| (0..100_000).fold(x, |x, at| if at % 2 == 0 { x.sin() } else { x + 1.0 }));
    let f = f.unwrap();
    assert_eq!(lets(f.source()), 100_000);
    let wanted = (0..100_000).fold(0.5_f64, |x, at| if at % 2 == 0 { x.sin() } else { x + 1.0 });
    assert_eq!(numbers(&f.backend(Backend::Interp), (0.5,)), [wanted]);
}

/// A trace inside of a trace is one of its own.
#[test]
fn traces_nest_and_run_on_threads() {
    let outer = traced(&["x"], |x: Real| {
        let inner = trace(|y: Real| y * 3.0).unwrap();
        x * numbers(&inner, (2.0,))[0]
    });
    assert_eq!(numbers(&outer, (5.0,)), [30.0]);
    let threads: Vec<_> = (1..4)
        .map(|k| std::thread::spawn(move || trace(move |x: Real| x * f64::from(k)).unwrap()))
        .collect();
    for (k, thread) in (1..4).zip(threads) {
        assert_eq!(numbers(&thread.join().unwrap(), (1.0,)), [f64::from(k)]);
    }
}

/// A closure that panics leaves no trace open.
#[test]
fn after_a_panic_tracing_goes_on() {
    let caught = std::panic::catch_unwind(|| {
        let panics = |x: Real| build(3, |_| -> Real { panic!("as it should, with {x:?}") });
        trace(panics).is_ok()
    });
    assert!(caught.is_err());
    assert_eq!(numbers(&traced(&["x"], |x: Real| x + 1.0), (1.0,)), [2.0]);
}
