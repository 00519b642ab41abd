//! Which results depend on which inputs: the transformation of this method, with sets for derivatives.
//!
//! Paper: Section 11.3; `linear/domain.rs` has the instance. The paper's form has its own, which runs terms
//! (`paper/dependence.rs`).
//! Requires: dialect FirstOrder or Bulk without `Op::Derivative`, flat, without tangents of sum types.
//! Ensures: dialect Delta. The definition takes and gives what that of a derivative does, with sets.

use base::Name;
use ir::Program;

use super::METHOD;
use crate::bulk::derived::{jvp, vjp};
use crate::bulk::work::Work;
use crate::bulk::{Mode, Refused, next};
use crate::linear::domain::Domain;
use crate::linear::tangent::primal_of;

/// Which way sets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By push-forwards: for each real of the active parameters a set comes in, and for each real of the
    /// results one goes out.
    Forward,
    /// By pull-backs: the other way round.
    Reverse,
}

/// The program with a definition that moves sets as a derivative by these parameters moves numbers, and what
/// that is called.
pub fn dependence(
    program: &Program,
    def: &Name,
    active: &[bool],
    way: Way,
) -> Result<(Program, Name), Refused> {
    let refused = |reason: &str| Refused { span: None, reason: reason.into() };
    if !program.defs.contains_key(def) {
        return Err(refused("there is no such definition"));
    }
    if !matches!(next(program, def), Ok(None)) {
        return Err(refused("a derivative operator is inside"));
    }
    // Tangents are their own tangents, and these are of reals.
    if program.datas.keys().any(|it| primal_of(it).is_some()) {
        return Err(refused("a derivative of a sum type is inside"));
    }
    let mut work = Work::new(program.clone(), Mode::Chad, METHOD);
    work.code.domain = Domain::Sets;
    let made = match way {
        Way::Forward => jvp(&mut work, def, active),
        Way::Reverse => vjp(&mut work, def, active),
    };
    work.finish_jobs();
    match work.refused.take() {
        Some(refused) => Err(refused),
        None => Ok((work.into_program(), made)),
    }
}
