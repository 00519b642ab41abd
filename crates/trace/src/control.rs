//! Choices and loops that the program makes when it runs; those of Rust are made when it is traced.

use std::panic::Location;

use crate::closure::lambda;
use crate::make::{iota, many};
use crate::recorder::{At, Piece, Typed, called, several, with};
use crate::structure::{Element, Traced, nodes};
use crate::value::{Array, Bool, Int};

/// The value of the first closure if the condition holds, else of the second; only that is computed.
#[track_caller]
pub fn cond<R: Traced>(
    condition: impl Into<Bool>,
    yes: impl FnOnce() -> R,
    no: impl FnOnce() -> R,
) -> R {
    let at = Location::caller();
    let (yes, no) = (lambda(at, yes).body, lambda(at, no).body);
    let pieces = [
        Piece::Text("if "),
        Piece::Value(condition.into().0),
        Piece::Text(" then "),
        Piece::Text(&yes),
        Piece::Text(" else "),
        Piece::Text(&no),
    ];
    structure(at, &pieces)
}

/// The last state of a loop over `i` from 0 to `n - 1`.
#[track_caller]
pub fn fold<S: Traced>(n: impl Into<Int>, init: S, step: impl FnOnce(S, Int) -> S) -> S {
    let at = Location::caller();
    let indices = iota(n);
    let step = lambda(at, step).text();
    let init = value(at, &init);
    structure(at, &called("fold", &over(&step, &init, &indices)))
}

/// The states of a loop over `i` from 0 to `n - 1`, each after its step.
#[track_caller]
pub fn scan<S: Element>(n: impl Into<Int>, init: S, step: impl FnOnce(S, Int) -> S) -> S::Many {
    let at = Location::caller();
    let indices = iota(n);
    let step = lambda(at, step).text();
    let init = value(at, &init);
    many::<S>(at, &called("scan", &over(&step, &init, &indices)))
}

/// The step, `n` times.
#[track_caller]
pub fn iterate<S: Traced>(n: impl Into<Int>, init: S, step: impl FnOnce(S) -> S) -> S {
    let at = Location::caller();
    let step = lambda(at, step).text();
    let init = value(at, &init);
    let args = [Piece::Value(n.into().0), Piece::Text(&step), Piece::Text(&init)];
    structure(at, &called("iterate", &args))
}

/// The step, as long as the condition holds.
#[track_caller]
pub fn while_<S: Traced>(
    init: S,
    condition: impl FnOnce(S) -> Bool,
    step: impl FnOnce(S) -> S,
) -> S {
    let at = Location::caller();
    let (condition, step) = (lambda(at, condition).text(), lambda(at, step).text());
    let init = value(at, &init);
    let args = [Piece::Text(&condition), Piece::Text(&step), Piece::Text(&init)];
    structure(at, &called("while", &args))
}

/// The step and the first state of a loop over an array of indices, as arguments.
fn over<'a>(step: &'a str, init: &'a str, indices: &Array<1, Int>) -> [Piece<'a>; 3] {
    [Piece::Text(step), Piece::Text(init), Piece::Value(indices.node)]
}

/// The structure that an operation gives.
pub(crate) fn structure<R: Traced>(at: At, pieces: &[Piece<'_>]) -> R {
    R::take(&mut several(at, &R::shape(), Typed::No, pieces).into_iter())
}

/// A structure as text.
pub(crate) fn value<T: Traced>(at: At, value: &T) -> String {
    with(|it| it.value(at, &T::shape(), &nodes(value))).unwrap_or_default()
}
