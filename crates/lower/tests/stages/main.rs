//! Programs as items, plans, schedules and nests: a case for each idea of a step.
//!
//! What is printed is a dump. That nests mean what programs mean is a law (`crates/generate/tests/laws/`),
//! and a test over all shipped programs (`crates/cotan/tests/nests.rs`).
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a panic is the way of a test to fail; sources are files"
)]

mod apart;
mod items;
mod nests;
mod plan;
mod schedule;
mod triangles;

use base::Name;
use expect_test::Expect;
use ir::{Dialect, Program};
use lower::{Shown, Stages};

/// What a program is on its way to loops, verified at each step.
fn stages(text: &str, typical: Option<&[i64]>) -> Stages {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let stages = lower::stages(&program, &[Name::new("main")], typical);
    for module in [&stages.nests, &stages.loops] {
        loops::verify(module).unwrap_or_else(|it| panic!("{it}\n{module}"));
    }
    let loops = lower::lower(&program, &[Name::new("main")], typical);
    assert_eq!(stages.loops.text(), loops.text());
    stages
}

/// A part of all stretches, each under where it is.
fn check(text: &str, part: impl Fn(&Shown) -> String, expected: Expect) {
    let stretches = stages(text, None).stretches;
    let parts: Vec<String> =
        stretches.iter().map(|it| format!("{}\n{}", it.place, part(it))).collect();
    expected.assert_eq(&parts.join("\n"));
}
