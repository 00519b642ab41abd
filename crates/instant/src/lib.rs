//! Loop nests as machine code, in milliseconds and without a C compiler: bytes from data, for the processor that
//! this runs on. Nothing is run here, and nothing is unsafe; `native` puts the bytes into memory and calls them
//! as it calls C.
//!
//! The code is made by Cranelift, a function at a time, and is scalar: a vector loop is a loop, and tasks run one
//! after the other on the thread of the caller. So what is added up is added up from the first to the last,
//! and results are those of the interpreter of loop nests (`crates/loop_eval`), to the bit but for large products
//! of matrices. What a primitive means is said by functions in Rust that the interpreter calls too
//! (`crates/eval/src/kernels/scalar.rs`), where it is more than an instruction or two.
//!
//! Reals are `f64` in registers, also in single precision: there every result is rounded to what `f32` can say.
//!
//! A function takes the context, its arguments, and where its results go, eight bytes each. It gives 0, or 1 if
//! it failed, which its caller passes on; why, stands in the context.
//!
//! Tests: `crates/cotan/tests/instant.rs`.
#![cfg(feature = "cranelift")]

mod context;
mod function;
mod image;
mod kernels;
mod memory;
mod nodes;
mod prims;
mod steps;

pub use context::Offsets;
pub use image::{Code, Linked, compile};

use ir::Prim;

/// How code is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether reals have 32 bits.
    pub single: bool,
    /// After how many steps of loops and calls it gives up, so that better code may be made.
    pub most_steps: Option<u64>,
    /// Where things are in what code is called with.
    pub offsets: Offsets,
}

/// What code calls that it is not itself, or whose address it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Callee {
    /// The address of what a primitive means, on reals.
    OnReals(Prim),
    /// The address of what a primitive means, on integers.
    OnInts(Prim),
    /// `meaning, x -> y` of reals.
    Unary,
    /// `meaning, x, y -> z` of reals.
    Binary,
    /// `meaning, x, y -> z` of integers.
    IntBinary,
    /// `k, x -> y`
    Polygamma,
    /// `context, count, size -> address`, 0 if there is no memory.
    Alloc,
    /// `start, len, size, bits`
    Fill,
    /// `into, from, bytes`
    Copy,
    /// `context, words, flags -> failed`: sizes, and three words for each matrix.
    Product,
    /// `from, into, len, kind`
    Sort,
    /// `from, into, len, kind`
    Argsort,
    /// `total, bytes -> elements of a chunk`
    Chunk,
    /// `context, saying, every, text, kind, rank, sizes, data`
    Tell,
    /// The addresses of the texts of the program, and of one for those that it does not know.
    Texts,
}

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// For this processor none is made.
    Processor(String),
    /// Cranelift does not accept a function: which, and why.
    Function(String, String),
}
