//! The surface language: text to AST and back. Parsing never fails; it returns what it
//! understood together with diagnostics.

pub mod ast;
