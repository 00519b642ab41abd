//! Calls of definitions of the program that a trace becomes part of.

use std::panic::Location;

use crate::closure::{Closure, is_constructor, is_name, lambda};
use crate::error;
use crate::recorder::{At, Piece, Typed, several, with};
use crate::shape::Shape;
use crate::structure::{Traced, nodes};

/// A definition, something of the prelude or a constructor, of these arguments: `call("f", (x, y))`,
/// `call("f", x)`, `call("Circle", r)`. One argument that is a tuple is written `call("f", ((x, y),))`.
#[track_caller]
pub fn call<R: Traced>(name: &str, args: impl Traced) -> R {
    let at = Location::caller();
    let args = arguments(at, &args);
    named(at, name, &format!("({args})"))
}

/// As [`call`], of a definition whose first parameter is a function: `call_with("twice", |x: Real| x * w, y)`.
/// The closure may use values of the trace around it.
#[track_caller]
pub fn call_with<R: Traced, P, F: Closure<P>>(name: &str, f: F, args: impl Traced) -> R {
    let at = Location::caller();
    let f = lambda(at, f).text();
    let args = arguments(at, &args);
    let comma = if args.is_empty() { "" } else { ", " };
    named(at, name, &format!("({f}{comma}{args})"))
}

/// A definition or a constructor without parameters: `constant("pi")`, `constant("Nothing")`.
#[track_caller]
pub fn constant<R: Traced>(name: &str) -> R {
    named(Location::caller(), name, "")
}

fn named<R: Traced>(at: At, name: &str, args: &str) -> R {
    with(|it| match is_name(name) || is_constructor(name) {
        true => {
            it.calls.insert(name.to_owned());
        }
        false => it.complain(error::no_name(at, name)),
    });
    let shape = R::shape();
    let pieces = [Piece::Text(name), Piece::Text(args)];
    R::take(&mut several(at, &shape, Typed::Yes, &pieces).into_iter())
}

/// The parts of a tuple one by one, or something else alone.
fn arguments<A: Traced>(at: At, args: &A) -> String {
    let nodes = nodes(args);
    let texts = with(|it| match A::shape() {
        one @ (Shape::Leaf(_) | Shape::Record(..)) => vec![it.value(at, &one, &nodes)],
        Shape::Tuple(parts) => {
            let mut rest = &*nodes;
            let mut text = |part: &Shape| {
                let (own, others) = rest.split_at(part.kinds().len());
                rest = others;
                it.value(at, part, own)
            };
            parts.iter().map(&mut text).collect()
        }
    });
    texts.unwrap_or_default().join(", ")
}
