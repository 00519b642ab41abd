//! Method `linmap`: the derivative of a definition is a linear map, a term; forward mode applies it, and
//! reverse mode its transpose.
//!
//! A definition and a choice of active parameters have one block of let-bound maps (`linmap/rules.rs`), which
//! the laws simplify (`linmap/laws.rs`) and which is applied, statement by statement, as a Delta term
//! (`linmap/apply.rs`). What becomes of such a term is shared with method `bulk`: `crates/ad/src/linear.rs`.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, *Automatic differentiation using linear maps* (2019). Its plan to
//! put maps in the place of their names takes exponential work in reverse mode, see the Note in
//! `linmap/rules.rs`; its Figure 12 takes quadratic work, here a fold saves its states.
//! Requires and ensures: as `bulk`.
//! Cost: as `bulk`, and at most a product of factors more for each operand.

pub mod apply;
mod builtin;
pub mod laws;
pub mod map;
mod parse;
mod print;
mod rules;
mod stages;
pub mod typing;

use std::rc::Rc;
use std::sync::Arc;

use ir::{Def, Var};

use crate::bulk::apart;
use crate::bulk::work::Work;
use crate::linear::term::Linearised;
use map::Map;
use rules::Maps;
pub use stages::{Stages, stages};

/// A map that is bound to a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The variable of the program.
    pub var: Var,
    /// The name of its map.
    pub name: Var,
    /// As the paper writes it.
    pub map: Map,
    /// After the laws.
    pub simple: Map,
}

/// The Delta term of a definition, by linear maps.
pub(crate) fn linearise(work: &mut Work, def: &Arc<Def>, mask: &[bool]) -> Linearised {
    apart::linearise(work, def, mask, Rc::new(Maps::default()))
}
