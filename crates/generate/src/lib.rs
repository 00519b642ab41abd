//! Random well-typed programs of the core language, smallest first, and shrinking.
//!
//! Everything is made through `ir::Builder`, so it is well typed by construction, and with a bound
//! on the work of a run, so that no test needs a clock. The same seed gives the same program.
//!
//! ```
//! use ir::{Dialect, verify};
//!
//! let program = generate::program(7, 10, Dialect::Source);
//! verify(&program, Dialect::Source)?;
//! let arguments = generate::arguments(7, &program);
//! assert_eq!(arguments.values.len(), program.defs[&generate::main()].params.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to read: `value` chooses how a value of a type is computed, `define` makes definitions,
//! `scope` is what both know about the place they are at, `shrink` makes a program smaller.

mod argument;
mod arrays;
mod calls;
mod define;
mod derive;
mod gather;
mod leaf;
mod library;
mod loops;
mod scalars;
mod scope;
mod shapes;
mod shrink;
mod value;

pub use argument::{Argument, Arguments, arguments};
pub use define::{main, program};
pub use shrink::shrink;
pub use testing::Random;
