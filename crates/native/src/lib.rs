//! The native back end: programs of first order as C, compiled by the system's compiler.

pub mod library;
