//! `simplify` on all examples and the tests of all programs. The cases of its rules are in
//! `crates/opt/tests/simplify/`.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

mod examples;
