//! The macros of the library: `cotan::program!`, which checks a program while Rust compiles and gives its
//! definitions as Rust functions, `#[derive(Cotan)]`, which makes Rust types values of programs, and
//! `#[derive(Structure)]`, which makes structs of traced values.
//!
//! They know types and run nothing, so that the library can depend on them.

mod derive;
mod program;
mod structure;

use proc_macro::TokenStream;

/// A program that is checked while Rust compiles, as a module of typed Rust functions.
///
/// From a file, whose path is relative to the `Cargo.toml` of the crate; the module has the name of the file,
/// or another one that is given:
///
/// ```text
/// cotan::program!("src/loss.cot", grad(loss), jacobian(residuals, w) as by_weights);
/// cotan::program!(pub mod fit in "src/loss.cot");
/// ```
///
/// From a text:
///
/// ```text
/// cotan::program!(mod loss = "def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0", grad(loss, w));
/// ```
///
/// Behind the program stand the derivatives that the module is to have: an operator of Cotan, the definition,
/// and the parameters that it is by, all if there are none. `grad(loss)` becomes the function `grad_loss`,
/// or has the name behind `as`.
///
/// With `f32` among them the program computes in single precision, and its reals are `f32`.
///
/// `Real`, `Int` and `Bool` are `f64`, `i64` and `bool`; `[n]Real` is taken as `&[f64]` and given as
/// `Vec<f64>`, `[n][m]Real` is a `cotan::Shaped`; tuples are
/// tuples, records structs and sum types enums of the module. Every function gives a `Result`, since a
/// program may index out of bounds. Definitions that Rust has no type for, such as those that take functions,
/// are left out, and the documentation of the module says why. Its `PROGRAM` is the program itself, for
/// whatever else is to be done with it.
///
/// The macro writes `::cotan`, so the library must not be renamed.
#[proc_macro]
pub fn program(input: TokenStream) -> TokenStream {
    program::expand(input.into()).unwrap_or_else(|it| it.to_compile_error()).into()
}

/// A Rust struct or enum as a value of programs: a struct with named fields is a record, one without names a
/// tuple, an enum a sum type. `#[cotan(name = "..")]` at a field or a variant gives its name in Cotan if it
/// is another one.
#[proc_macro_derive(Cotan, attributes(cotan))]
pub fn cotan(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    derive::expand(&input).unwrap_or_else(|it| it.to_compile_error()).into()
}

/// A Rust struct of traced values: it is to Cotan what the tuple of its fields is. With `#[cotan(record)]` it is
/// the record of the program that has its name, with `#[cotan(record = "..")]` the one of another name; then
/// `#[cotan(name = "..")]` at a field gives its name in Cotan. Its fields are traced values, or such structs
/// that can be cloned.
#[proc_macro_derive(Structure, attributes(cotan))]
pub fn structure(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    structure::expand(&input).unwrap_or_else(|it| it.to_compile_error()).into()
}
