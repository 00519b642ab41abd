//! Derivatives inside of a trace, and what is constant for them.

use std::panic::Location;

use crate::closure::lambda;
use crate::control::{structure, value};
use crate::recorder::{At, Piece, called};
use crate::structure::Traced;
use crate::value::{Array, Real};

/// The gradient of a closure at a point.
#[track_caller]
pub fn grad<A: Traced>(f: impl FnOnce(A) -> Real, at: A) -> A {
    let place = Location::caller();
    derived(place, "grad", lambda(place, f).text(), &[value(place, &at)])
}

/// The value and the gradient of a closure at a point.
#[track_caller]
pub fn value_and_grad<A: Traced>(f: impl FnOnce(A) -> Real, at: A) -> (Real, A) {
    let place = Location::caller();
    derived(place, "value_and_grad", lambda(place, f).text(), &[value(place, &at)])
}

/// The derivative of a closure at a point in a direction.
#[track_caller]
pub fn jvp<A: Traced, B: Traced>(f: impl FnOnce(A) -> B, at: A, direction: A) -> B {
    let place = Location::caller();
    let args = format!("{}, {}", value(place, &at), value(place, &direction));
    derived(place, "jvp", lambda(place, f).text(), &[args])
}

/// The cotangent of a point for a cotangent of what a closure gives there.
#[track_caller]
pub fn vjp<A: Traced, B: Traced>(f: impl FnOnce(A) -> B, at: A, cotangent: B) -> A {
    let place = Location::caller();
    let args = [value(place, &at), value(place, &cotangent)];
    derived(place, "vjp", lambda(place, f).text(), &args)
}

/// The Hessian of a closure at a point, times a direction.
#[track_caller]
pub fn hvp<A: Traced>(f: impl FnOnce(A) -> Real, at: A, direction: A) -> A {
    let place = Location::caller();
    let args = format!("{}, {}", value(place, &at), value(place, &direction));
    derived(place, "hvp", lambda(place, f).text(), &[args])
}

/// All partial derivatives of a closure from vectors to vectors.
#[track_caller]
pub fn jacobian(f: impl FnOnce(Array<1>) -> Array<1>, at: Array<1>) -> Array<2> {
    let place = Location::caller();
    derived(place, "jacobian", lambda(place, f).text(), &[value(place, &at)])
}

/// All second derivatives of a closure of a vector.
#[track_caller]
pub fn hessian(f: impl FnOnce(Array<1>) -> Real, at: Array<1>) -> Array<2> {
    let place = Location::caller();
    derived(place, "hessian", lambda(place, f).text(), &[value(place, &at)])
}

/// The value itself, as a constant for derivatives.
#[track_caller]
pub fn stop_gradient<A: Traced>(x: A) -> A {
    let place = Location::caller();
    let x = value(place, &x);
    structure(place, &called("stop_gradient", &[Piece::Text(&x)]))
}

/// `grad(f)(x)`
fn derived<R: Traced>(at: At, operator: &str, function: String, args: &[String]) -> R {
    let args: String = args.iter().map(|it| format!("({it})")).collect();
    let mut pieces = called(operator, &[Piece::Text(&function)]);
    pieces.push(Piece::Text(&args));
    structure(at, &pieces)
}
