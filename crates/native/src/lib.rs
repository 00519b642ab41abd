//! Emitted C, compiled, kept, loaded and called: all that touches files, processes and memory that Rust does
//! not check.
//!
//! [`Toolchain`] finds the compiler, [`Cache`] keeps what it made, [`Module`] is loaded code, and a
//! [`Function`] is an entry point of it that is ready to be called.
//!
//! Who trusts whom: C code is believed to do what its loops say, and whoever calls it is believed to
//! give arrays as long as their sizes say. Everything else is checked: kinds of arguments, and that
//! what results point to is memory of the call.
#![warn(clippy::undocumented_unsafe_blocks)]
#![allow(
    unsafe_code,
    reason = "A12: compiled code is called here, and its memory is read; every block says why it is right"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "A1: a compiler is run, and what it made is kept in files"
)]

mod abi;
mod ahead;
mod arena;
mod cache;
mod call;
mod checksum;
mod compile;
mod failure;
mod folder;
mod heap;
mod interrupt;
mod load;
#[cfg(feature = "instant")]
mod mapped;
mod note;
mod pool;
mod process;
mod product;
mod results;
#[cfg(feature = "instant")]
mod runtime;
mod system;
mod tell;
mod toolchain;
mod tuning;

pub use ahead::{Ahead, Wanted};
pub use arena::{ask_for_pages, can_reserve, release_memory};
pub use base::Stop;
#[doc(hidden)]
pub use cache::unfinished as unfinished_name;
pub use cache::{Cache, CacheState, Key};
pub use call::{Function, Input};
pub use failure::{Failed, Unavailable};
pub use heap::{Field, Heap, Pointer};
pub use interrupt::{is_interrupted, stop_on_interrupt};
pub use load::{Border, Module, Width};
#[cfg(feature = "instant")]
pub use mapped::offsets;
pub use results::{Element, Extent, Kept, Results, Word};
#[doc(hidden)]
pub use system::with_fault;
pub use toolchain::{Toolchain, vector_bits};
