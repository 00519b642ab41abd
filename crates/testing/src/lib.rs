//! What tests share: the `.case` format, which is read, compared and blessed, sanitizers for compiled
//! code ([`sanitizer`]), and random texts ([`texts`]).
//!
//! A case is a sentence, an input, and sections that say what some command makes of it:
//!
//! ```text
//! # The product rule meets the chain rule: d(sin x * sin x) = 2 sin x cos x.
//! -- input
//! def f(x: Real): Real = sin(x) * sin(x)
//! -- grad f 0.5
//! 0.8414709848078965
//! -- print f
//! def f(x0: Real) -> (x2: Real) { ... }
//! ```
//!
//! Sections named `run`, `eval`, `grad`, `jvp` and `close` are facts: they come from outside our
//! code, are compared with the tolerance of [`close`], and are never rewritten. All others are
//! dumps: exact text, rewritten under `BLESS=1`. `CASE=product_rule cargo test` runs the cases
//! whose file name contains that word.
//!
//! A crate registers its commands in a `tests/cases.rs`:
//!
//! ```no_run
//! testing::run_cases("tests/cases/words", &|command, input| match command {
//!     "count" => Ok(input.split_whitespace().count().to_string()),
//!     other => Err(format!("no command `{other}`")),
//! });
//! ```
#![allow(
    clippy::disallowed_methods,
    reason = "test support reads case files and the variables BLESS, CASE and CI"
)]

pub mod case;
pub mod close;
mod random;
mod run;
pub mod sanitizer;
pub mod texts;

pub use case::{Case, Section};
pub use random::Random;
pub use run::{Command, Mode, run_cases, try_cases};
