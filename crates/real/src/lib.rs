//! Derivatives by overloading: generic Rust code over [`Real`], run with numbers that carry derivatives.
//!
//! Paper: Krawiec et al., Section 8, and Section 2 for dual numbers. [`Dual`] has `N` tangents beside a
//! value, and nests; [`Var`] is recorded on a [`Tape`] of its own, and nothing is global, so threads do
//! not meet. Functions and their partials are those of Cotan's table (`crates/ir/src/prim.rs`), kinks
//! included: `crates/cotan/tests/overloading.rs` compares them.
//!
//! ```
//! use real::{Real, grad, hessian};
//!
//! fn rosenbrock<R: Real>(x: &[R]) -> R {
//!     let (a, b) = (R::of(1.0) - x[0], x[1] - x[0] * x[0]);
//!     a * a + R::of(100.0) * b * b
//! }
//!
//! assert_eq!(grad(|x| rosenbrock(x), &[1.0, 2.0]), [-400.0, 200.0]);
//! assert_eq!(hessian(|x| rosenbrock(x), &[1.0, 2.0]), [[402.0, -400.0], [-400.0, 200.0]]);
//! ```

mod derive;
mod dual;
mod functions;
mod real;
pub mod special;
mod tape;
mod var;

pub use derive::{grad, grad_forward, hessian, hvp, jacobian, jvp, value_and_grad, vjp};
pub use dual::Dual;
pub use real::Real;
pub use tape::Tape;
pub use var::Var;
