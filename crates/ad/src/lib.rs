//! The AD transformations, ir to ir, one module each.

pub mod forward;

pub use forward::{Derivative, forward_def, forward_lambda};
