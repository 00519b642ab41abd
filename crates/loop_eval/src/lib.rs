//! The meaning of loop nests: runs them as they are written, one step after the other.
//!
//! It is there to be compared with: `lower` with the interpreter of the ir, emitted code with this.
//! So it is strict where C is not: who reads or writes outside of an array, or an array that is freed,
//! or depends on an element that nobody wrote, gets [`Ended::Wrong`], which is a fault of the compiler.
//!
//! Lanes and chunks. A vector loop has one lane here, and chunks are of a length that is given, each with
//! accumulators of its own: the language leaves both to the machine, so results agree up to rounding.
//!
//! Elements that nobody wrote may be read, as C may, as long as nothing comes of it: operations on them
//! give [`Value::Unknown`] again, and `select` leaves it behind.

mod kernels;
mod memory;
mod prims;
mod run;

use std::rc::Rc;

pub use memory::Pointer;

/// A value in a run.
#[derive(Clone, Debug)]
pub enum Value {
    /// An element that nobody wrote, or what was made of one.
    Unknown,
    /// A real.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A value of a sum type: its tag and fields.
    Box(Rc<(u32, Vec<Value>)>),
    /// The place of an element of an array.
    Array(Pointer),
}

/// An argument of an entry point.
#[derive(Clone, Debug)]
pub enum Input {
    /// A scalar.
    Scalar(Value),
    /// An array.
    Array(Vec<Value>),
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// For each result; of an array, all that is behind the place it begins at.
    pub results: Vec<Input>,
    /// What it took.
    pub cost: Cost,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Primitives on scalars.
    pub operations: u64,
    /// Bytes of elements that were read.
    pub read: u64,
    /// Bytes of elements that were written.
    pub written: u64,
}

/// Why a run gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A check did not hold: its site and values.
    Check(u32, Vec<i64>),
    /// It takes more nodes than it may.
    Long,
    /// Calls are nested deeper than they may.
    Deep,
    /// The module does what it must not.
    Wrong(String),
}

/// How a run is done.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes that may run.
    pub nodes: u64,
    /// Elements of a chunk.
    pub chunk: i64,
    /// Whether reals have 32 bits.
    pub single: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { nodes: 10_000_000, chunk: 3, single: false }
    }
}

/// Runs an entry point of a module.
pub fn run(
    module: &loops::Module,
    entry: usize,
    inputs: &[Input],
    limits: Limits,
) -> Result<Outcome, Ended> {
    run::run(module, entry, inputs, limits)
}
