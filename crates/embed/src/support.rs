//! What all functions of a generated module share: faults, sizes, memory.

use proc_macro2::TokenStream;

/// It as Rust.
pub(crate) fn support() -> TokenStream {
    include_str!("support.txt").parse().expect("compiler bug: it is Rust")
}
