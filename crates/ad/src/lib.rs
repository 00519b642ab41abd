//! The AD transformations, ir to ir, one module each.

pub mod forward;

pub use forward::{forward_def, forward_lambda};
