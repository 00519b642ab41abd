//! Programs of Cotan written as Rust closures: a closure is run once, on values that write down what is done
//! with them.
//!
//! The text that comes out is a definition of Cotan, so that everything else, types, sizes, derivatives, code,
//! is done by the same compiler. Every traced value is one variable of that text, so what Rust shares stays
//! shared (the `tlet` of the dual-arrays paper, appendix B, is not needed); the control flow of Rust is
//! static, that of [`cond`], [`fold`] and the like is part of the program.
//!
//! Nothing here panics: what is wrong is kept, with the place in the Rust program, and told by [`record`].

mod arrays;
mod call;
mod closure;
mod control;
mod derive;
mod error;
mod functions;
mod make;
mod node;
mod operators;
mod recorder;
mod shape;
mod solve;
mod structure;
mod value;

pub use call::{call, call_with, constant};
pub use closure::{Closure, Setting, record};
pub use control::{cond, fold, iterate, scan, while_};
pub use derive::{grad, hessian, hvp, jacobian, jvp, stop_gradient, value_and_grad, vjp};
pub use functions::{differ, equal};
pub use make::{build, data, iota, replicate, stack};
pub use node::{Base, Kind, Node};
pub use shape::Shape;
pub use solve::{fixed_point, minimiser, root, vector_fixed_point, vector_minimiser, vector_root};
pub use structure::{Element, Rows, Structure, Traced};
pub use value::{Array, Bool, Int, Leaf, Number, Opaque, Operand, Real, Scalar};
