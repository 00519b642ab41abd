//! All tests of the crate in one program, which is linked once and keeps all cores busy to its end:
//! `cargo test -p cotan --test all native::` runs those of `native.rs`.

mod additive;
mod arrays;
mod attacks;
mod back_ends;
mod bot;
mod bulk;
mod calls;
mod cases;
mod checkpoints;
mod common;
mod cost;
mod data;
mod derive;
mod directions;
mod docs;
mod examples;
mod fit;
mod handles;
#[cfg(feature = "instant")]
mod instant;
mod ladder;
mod library;
mod linmap;
mod loops;
mod macros;
mod manual;
mod modules;
mod native;
mod nests;
mod operators;
mod overloading;
mod prepared;
mod programs;
mod readme;
mod reverse;
mod self_convolution;
mod simplify;
mod specialise;
mod standard;
mod tell;
mod tidy;
mod together;
mod trace;
mod update;
mod whole;
