//! Loop nests as C, compiled, loaded and called.

pub mod emit;
