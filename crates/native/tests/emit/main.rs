//! Loops that were written by hand, as C: every node does what it says, in every way to print, and
//! with the feature `instant` as instant code too.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test compiles and runs programs, and a panic is its way to fail"
)]

mod build;
mod control;
#[cfg(feature = "instant")]
mod instantly;
mod kernels;
#[path = "../common/machine.rs"]
mod machine;
mod memory;
mod run;
mod vectors;
