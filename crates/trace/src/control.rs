//! Choices and loops that the program makes when it runs; those of Rust are made when it is traced.

use std::panic::Location;

use crate::closure::lambda;
use crate::make::many;
use crate::recorder::{At, Piece, Typed, several, with};
use crate::structure::{Element, Traced, nodes};
use crate::value::{Bool, Int};

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
    let step = lambda(at, step).text();
    let init = value(at, &init);
    structure(at, &over_iota("fold", &step, &init, n.into()))
}

/// The states of a loop over `i` from 0 to `n - 1`, each after its step.
#[track_caller]
pub fn scan<S: Element>(n: impl Into<Int>, init: S, step: impl FnOnce(S, Int) -> S) -> S::Many {
    let at = Location::caller();
    let step = lambda(at, step).text();
    let init = value(at, &init);
    many::<S>(at, &over_iota("scan", &step, &init, n.into()))
}

/// The step, `n` times.
#[track_caller]
pub fn iterate<S: Traced>(n: impl Into<Int>, init: S, step: impl FnOnce(S) -> S) -> S {
    let at = Location::caller();
    let step = lambda(at, step).text();
    let init = value(at, &init);
    let pieces = [
        Piece::Builtin("iterate"),
        Piece::Text("("),
        Piece::Value(n.into().0),
        Piece::Text(", "),
        Piece::Text(&step),
        Piece::Text(", "),
        Piece::Text(&init),
        Piece::Text(")"),
    ];
    structure(at, &pieces)
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
    let pieces = [
        Piece::Builtin("while"),
        Piece::Text("("),
        Piece::Text(&condition),
        Piece::Text(", "),
        Piece::Text(&step),
        Piece::Text(", "),
        Piece::Text(&init),
        Piece::Text(")"),
    ];
    structure(at, &pieces)
}

/// `fold(step, init, iota(n))`
fn over_iota<'a>(name: &'a str, step: &'a str, init: &'a str, n: Int) -> [Piece<'a>; 10] {
    [
        Piece::Builtin(name),
        Piece::Text("("),
        Piece::Text(step),
        Piece::Text(", "),
        Piece::Text(init),
        Piece::Text(", "),
        Piece::Builtin("iota"),
        Piece::Text("("),
        Piece::Value(n.0),
        Piece::Text("))"),
    ]
}

/// The structure that an operation gives.
pub(crate) fn structure<R: Traced>(at: At, pieces: &[Piece<'_>]) -> R {
    R::take(&mut several(at, &R::shape(), Typed::No, pieces).into_iter())
}

/// A structure as text.
pub(crate) fn value<T: Traced>(at: At, value: &T) -> String {
    with(|it| it.value(at, &T::shape(), &nodes(value))).unwrap_or_default()
}
