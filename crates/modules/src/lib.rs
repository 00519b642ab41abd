//! Modules: the texts that a program imports, from files or from the standard library, each once.
//!
//! A text is parsed, and so is all that it imports, directly or not. What comes out is a list in which every
//! module stands after those that it imports. What names mean is for the checker to say.

mod disk;
mod error;
mod files;
mod load;
mod standard;

pub use disk::Disk;
pub use files::{Files, Found, Nowhere, Record, Remembered, Texts};
pub use load::{Import, Loaded, Module, load};
pub use standard::{STANDARD, Standard};
