//! `simplify` on all examples and the tests of all programs. The cases of its rules are in
//! `crates/opt/tests/simplify/`.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

mod examples;

#[path = "../common/first_order.rs"]
mod first_order;

#[allow(dead_code, reason = "not every test takes the headers apart")]
#[path = "../common/examples.rs"]
mod sources;
