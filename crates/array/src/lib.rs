//! Dense arrays of one element type: shape, buffer, and reading and writing them as `.npy`.

pub mod dense;
mod header;
pub mod npy;
pub mod shape;

pub use dense::{Buffer, Dense};
pub use npy::{NpyError, read, write};
pub use shape::{MOST_ELEMENTS, Shape, count};
