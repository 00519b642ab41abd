//! Method `chad`: combinatory homomorphic automatic differentiation, ir to ir.
//!
//! `Γ ⊢ t : τ`   becomes   `D1[Γ] ⊢ D[t] : D1[τ] × (D2[τ] ⊸ D2[Γ])`
//!
//! A term becomes its value and its pull-back, a linear function from the cotangent of the result to
//! the cotangents of the environment. `chad/reverse.rs` is the figure of reverse mode, one arm per
//! construct with the value and the pull-back side by side; `chad/forward.rs` is its mirror image.
//! `chad/paper.rs` is the paper's own form, to read and to measure against. What the (co)tangent of a real is
//! is a parameter (`linear/domain.rs`): reals give derivatives, sets give dependence (`chad/dependence.rs`).
//!
//! Paper: Vákár and Smeding, CHAD: Combinatory Homomorphic Automatic Differentiation, TOPLAS 2022,
//! Sections 7.3 to 7.5.
//! Requires: dialect FirstOrder or Bulk without `Op::Derivative`, flat.
//! Ensures: dialect FirstOrder; the first results are those of the input.
//! Cost: that of the input times a constant, and the size of what is differentiated. The paper's form,
//! where a pull-back gives a tuple as wide as the environment, is quadratic. Here a pull-back adds to
//! the *sums* of an environment, which are variables; what nobody contributed to is absent, and is
//! zero. A linear function of the target language is code of the compiler that is run once, so it
//! leaves statements and no function; what a branch, a step or a call has to remember for it is put
//! into a value of a sum type, which is the closure of the pull-back.
//! Not done: loops whose steps change the size of an active state are refused.

mod dependence;
mod forward;
pub mod paper;
mod reverse;
mod stages;
mod types;

use std::rc::Rc;
use std::sync::Arc;

use ir::{Def, Var};

use crate::bulk::apart;
use crate::bulk::dual::Deltas;
use crate::bulk::work::{Method, Work};
pub use dependence::{Way, dependence};
pub use stages::{gradient, inside};

/// A place of the environment: a leaf of a variable.
type Slot = (Var, usize);

/// What operators are made of.
pub(crate) const METHOD: Method = Method {
    // For runs that are kept for directions: a push-forward apart from the values that it needs.
    linearise: |work: &mut Work, def: &Arc<Def>, mask: &[bool]| {
        apart::linearise(work, def, mask, Rc::new(Deltas))
    },
    jvp: forward::derived::jvp,
    vjp: reverse::derived::vjp,
    pull_backs: Some(reverse::call::define),
};
