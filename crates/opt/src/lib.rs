//! Passes that are not differentiation, ir to ir, one module each.

pub mod specialise;

pub use specialise::{Reason, Refusal, specialise};
