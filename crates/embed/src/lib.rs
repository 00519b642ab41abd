//! Cotan for build scripts: the C that `cotan build` emits is compiled while the crate is built and linked
//! into it, with a Rust function for each C function. The program that comes out needs neither a C compiler
//! nor anything of Cotan when it runs.
//!
//! In `Cargo.toml`, under `[build-dependencies]`, stands `cotan-embed`; in `build.rs`
//!
//! ```no_run
//! embed::Build::new("src/loss.cot").compile();
//! ```
//!
//! and in the crate, wherever the module is to be,
//!
//! ```text
//! include!(concat!(env!("OUT_DIR"), "/loss.rs"));
//!
//! let (value, slope) = loss::value_and_grad_loss(&[1.0, 2.0], 4.0)?;
//! ```
//!
//! The module has the name of the file. Of each definition that takes and gives numbers, arrays, tuples,
//! records and sum types there is a function of the same name, and its derivative by all parameters or those that are asked
//! for: `value_and_grad_f` if it gives one real, else `vjp_f`, which takes the cotangent of the result as its
//! last argument. Arrays of one dimension are slices and vectors, others their sizes and their elements in
//! order, `([usize; 2], Vec<f64>)`; records are structs of the module, sum types enums. Integers have no
//! derivative: in the place of theirs is 0, an array of none, or nothing where a whole parameter has no reals.
//! The slope by an enum is of the variant of the argument; a cotangent of another variant than that of the
//! result counts as 0.
//!
//! What C has no type for, functions, texts and types that contain themselves, is left out, and the
//! documentation of the module says so; [`Build::only`] of such a definition is an error that says why. Handles
//! and `cotan::program!` take types that contain themselves.
//!
//! Everything that is wrong with an argument is a `Fault` of the module: sizes that do not agree, an index out
//! of bounds, a recursion too deep, memory that is not there.

mod build;
mod call;
mod leaves;
mod result;
mod support;

pub use build::{Build, Embedded, Error};
