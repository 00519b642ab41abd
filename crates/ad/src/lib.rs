//! The AD transformations, ir to ir, one module each.

pub mod bulk;
pub mod chad;
mod circular;
mod custom;
mod dual;
pub mod flow;
pub mod forward;
mod linear;
pub mod linmap;
pub mod tape;
mod tuning;

pub use custom::endless;
pub use forward::{forward_def, forward_lambda};
pub use tape::{tape_def, tape_lambda};
