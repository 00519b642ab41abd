//! What operations do to scalars and buffers; nothing here knows programs or frames.

pub mod elementwise;
pub(crate) mod lanes;
pub mod movement;
pub mod reduce;
pub mod scalar;
mod select;
pub mod sort;
