//! CHAD as the paper has it, as a language of its own: source and target language, transformation,
//! lowering and simplification.
//!
//! This is what method `chad` is measured against: dense environments, one pair for each variable in scope,
//! and copowers that are lists. It is what `cotan stages --via chad` prints as the paper's form; no program
//! is compiled by it. Terms are trees with pairs, as in the paper, and not the statements of the ir.
//!
//! Paper: Vákár and Smeding, CHAD: Combinatory Homomorphic Automatic Differentiation, TOPLAS 2022,
//! Sections 3, 4, 5.4, 7, 9, 10 and Appendix B.
//! Loops and `fold`, which the paper only names, are compositions of their steps.
//! Not done: scans and loops that collect, recursion and recursive types, and derivatives of one's own.

pub mod types;

pub mod term;

pub mod walk;

pub mod typing;

mod print;

mod parse;

pub mod meaning;

pub mod dependence;

pub mod forward;

pub mod reverse;

mod derivative;

mod environment;

pub mod lower;

pub mod simplify;

pub mod rules;

pub mod from_ir;

mod stages;

pub use stages::stages;
