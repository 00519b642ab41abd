//! The linear core of differentiation, which does not know who asks: what a Delta term is (`term`), how
//! it is applied to tangents (`apply`) and to cotangents (`transpose`), what tangents are and how their
//! zeros and sums are made (`tangent`), what stands beside a real (`domain`), what is saved for a term (`saved`).
//!
//! Modules in the order in which they use each other.

pub(crate) mod apply;
pub(crate) mod arrays;
pub(crate) mod code;
pub(crate) mod convert;
pub(crate) mod domain;
pub(crate) mod leaves;
pub(crate) mod reductions;
pub(crate) mod saved;
pub(crate) mod steps;
mod sums;
pub(crate) mod tangent;
pub(crate) mod term;
pub(crate) mod transpose;
