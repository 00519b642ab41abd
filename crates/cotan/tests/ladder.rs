//! The ladder from dual numbers to the tape, as executable specifications.
//!
//! Krawiec et al. and Smeding and Vakar reach reverse mode step by step. Every step is a file here:
//! a choice of D[R], with everything else of the language mapped over it by one small evaluator,
//! which has nothing in common with `eval` but the values of primitives on scalars. Each rung must
//! agree with the next and with the library on all programs (`agree.rs`), and takes as many
//! operations as its section says (`cost.rs`).

#![allow(clippy::disallowed_methods, reason = "tests read the files they are about")]

mod agree;
mod arrays;
mod cost;
mod krawiec_delta;
mod krawiec_shared;
mod krawiec_vectors;
mod machine;
mod programs;
mod rung;
mod rungs;
mod scalar;
mod smeding_arrays;
mod smeding_cayley;
mod smeding_contributions;
mod smeding_naive;
mod smeding_staged;
mod value;
