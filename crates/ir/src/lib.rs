//! The typed core language: data, text, invariants, builder.
//!
//! A-normal form with nested blocks, unique typed binders, several results per statement; sizes are
//! `Int` variables that types mention. What is printed can be read back, and `verify` says which
//! invariant a program breaks.
//!
//! ```
//! use ir::{Dialect, Program, verify};
//!
//! let text = "\
//! def mean[x0](x1: [x0]Real) -> (x2: Real) {
//!   x3: Real = sum 0 x1
//!   x4: Int = size [x0]
//!   x5: Real = real x4
//!   x6: Real = div x3 x5
//!   give x6
//! }
//! ";
//! let program: Program = text.parse()?;
//! verify(&program, Dialect::Source)?;
//! assert_eq!(program.to_string(), text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to read: `term`, `op` and `types` are the data, `prim` the table of primitives, `typing` the
//! typing rules, `print` and `parse` the text (the grammar is in the header of `parse`).
//! A pass makes statements with `build`, and goes through programs with `walk`.

pub mod build;
pub mod dialect;
mod facts;
pub mod graph;
pub mod op;
pub mod parse;
pub mod partial;
pub mod prim;
pub mod print;
pub mod signature;
pub mod size;
mod telling;
pub mod term;
pub mod types;
pub mod typing;
mod var_map;
pub mod verify;
pub mod walk;

pub use build::{Builder, Unfinished};
pub use dialect::Dialect;
pub use facts::Dependence;
pub use graph::{CallGraph, Need};
pub use op::{
    ArrayOp, Beside, ControlOp, DeltaOp, DeriveOp, FunctionOp, Linear, Op, Operator, Reduction,
    Term,
};
pub use parse::ParseError;
pub use partial::{Partial, partials};
pub use prim::Prim;
pub use signature::{MAX_LEVEL, Signature};
pub use size::{MOST_ELEMENTS, Polynomial, Size, TOO_LARGE, bounded_sum};
pub use telling::{tellers, tells};
pub use term::{
    Arm, Atom, Binder, Block, Custom, Def, Lambda, Literal, Loop, Origin, Program, Spans, Stmt, Var,
};
pub use types::{ConDecl, DataDecl, Type};
pub use var_map::VarMap;
pub use verify::{VerifyError, verify, verify_def};
