//! The meaning of the core language: ir to values, obvious rather than fast.
//!
//! `eval` is the reference that everything else must agree with. It counts operations, runs
//! everything, never overflows the stack, and has a memory limit that ends in a clear error.

mod array;
mod bulk;
mod call;
mod closure;
mod code;
mod control;
mod cost;
mod custom;
mod delta;
mod derivative;
mod directions;
mod dual;
mod equal;
mod error;
mod eval;
mod filter;
mod forward;
mod gradients;
mod kept;
pub mod kernels;
mod link;
mod liveness;
mod memory;
mod names;
mod no_derivatives;
mod operands;
mod point;
mod positions;
mod push;
mod record;
mod reverse;
mod rows;
mod run;
mod sparsity;
mod stack;
mod tape;
mod taped;
mod tell;
mod trace;
mod tree;
mod tuning;
mod value;

pub use array::{Array, Element, Elems, Slice};
pub use closure::{Closure, Turn, Way};
pub use code::LambdaCode;
pub use cost::{Cost, Counters};
pub use delta::{Delta, DeltaTerm};
pub use equal::{Tolerance, equal};
pub use error::{Fault, Mismatch, RunError};
pub use eval::{Derive, Evaluator, Limits, Mode};
pub use kernels::elementwise::Precision;
pub use memory::live;
pub use no_derivatives::NoDerivatives;
pub use real::special;
pub use sparsity::Pattern;
pub use tape::{Id, TapeStats};
pub use trace::Trace;
pub use value::{Constructor, Data, Fields, Value};
