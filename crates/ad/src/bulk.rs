//! Method `bulk`: the derivative of a first-order program as a program, made once.
//!
//! A definition becomes its Delta term, a linear program over what the definition computed
//! (`bulk/dual.rs`); forward mode runs the term with tangents (`linear/apply.rs`), reverse mode is its
//! transpose (`linear/transpose.rs`). Both are programs of the same language, so derivatives nest.
//!
//! Paper: Smeding, Konarski et al., Sections 6 and 7 and Appendix A, and beyond it branches, loops,
//! calls, recursion and sum types: these save what their Delta terms need.
//! Requires: dialect FirstOrder, flat; what is differentiated in the dialect Bulk.
//! Ensures: the same without `Op::Derivative`.
//! Cost: the work of a gradient is at most 5 times that of the definition for all examples
//! (`crates/cotan/tests/cost.rs`; 5.4 for a bare fold of two operations); its size is linear in
//! that of the definition and of what it calls, and so is the time it takes to make.
//! Not done: loops whose steps change the size of an active state, and definitions that are
//! differentiated inside of themselves, are refused.

mod activity;
mod along;
pub(crate) mod apart;
pub(crate) mod call;
mod custom;
pub(crate) mod derived;
pub(crate) mod dual;
mod lanes;
mod operators;
pub(crate) mod stages;
pub(crate) mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Block, CallGraph, Def, DeriveOp, Need, Op, Program, graph, walk};

use dual::Deltas;
pub use stages::{gradient, inside};
use work::{Method, Work};

/// A derivative that this method does not make, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The place in the source, if it is known.
    pub span: Option<Span>,
    /// What is in the way, as a sentence without its end.
    pub reason: String,
}

/// Which derivatives operators are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `f.vjp` and `f.jvp`, whichever is less work.
    Mixed,
    /// `f.jvp` alone: one run for each real.
    Forward,
    /// As `Mixed`, of linear maps.
    Maps,
    /// As `Mixed`, with derivatives that method `chad` makes.
    Chad,
}

/// A definition whose derivative operators can be expanded: there are none in what they differentiate.
pub struct Next {
    /// The definition.
    pub def: Name,
    /// What it differentiates, which has to be brought into the dialect Bulk first.
    pub differentiated: BTreeSet<Name>,
}

/// The next definition to expand of what an entry point needs, from the inside out; none if there is no
/// derivative operator any more.
pub fn next(program: &Program, entry: &Name) -> Result<Option<Next>, Refused> {
    let graph = CallGraph::new(program, &Need::ALL);
    let mut differentiated: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for name in graph.reachable([entry]) {
        let needed = graph::callees(&program.defs[&name].body).into_iter();
        let needed = needed.filter(|it| it.0 == Need::Derivative).map(|it| it.1.clone());
        let needed: BTreeSet<Name> = needed.collect();
        if !needed.is_empty() {
            differentiated.insert(name, needed);
        }
    }
    let mut stuck = None;
    for (name, needed) in &differentiated {
        let inside = graph.reachable(needed);
        if !inside.iter().any(|it| differentiated.contains_key(it)) {
            return Ok(Some(Next { def: name.clone(), differentiated: needed.clone() }));
        }
        if inside.contains(name) {
            stuck = Some(first_span(&program.defs[name]));
        }
    }
    match stuck {
        None => Ok(None),
        Some(span) => {
            let reason = "a definition is differentiated inside of itself".into();
            Err(Refused { span, reason })
        }
    }
}

/// The program with calls of derived definitions in the place of the derivative operators of one.
pub fn expand(program: Program, name: &Name, mode: Mode) -> Result<Program, Refused> {
    if !program.defs.contains_key(name) {
        return Err(Refused { span: None, reason: format!("there is no definition {name}") });
    }
    let mut work = Work::new(program, mode, method(mode));
    let def = work.def(name);
    let expanded = operators::expand(&mut work, &def);
    work.code.define(expanded);
    work.finish_jobs();
    if let Some(mut refused) = work.refused {
        refused.span = refused.span.or_else(|| first_span(&def));
        return Err(refused);
    }
    Ok(work.into_program())
}

/// What this method does in a mode.
pub(crate) fn method(mode: Mode) -> Method {
    let linearise = |work: &mut Work, def: &Arc<Def>, mask: &[bool]| {
        apart::linearise(work, def, mask, Rc::new(Deltas))
    };
    let (vjp, pull_backs) = (derived::vjp_transposed, None);
    match mode {
        Mode::Mixed => Method { linearise, jvp: derived::jvp_behind, vjp, pull_backs },
        Mode::Forward => Method { linearise, jvp: along::jvp_along, vjp, pull_backs },
        Mode::Maps => Method {
            linearise: crate::linmap::linearise,
            jvp: derived::jvp_behind,
            vjp,
            pull_backs,
        },
        Mode::Chad => crate::chad::METHOD,
    }
}

/// The place of the first derivative operator of a definition.
fn first_span(def: &ir::Def) -> Option<Span> {
    fn find(block: &Block) -> Option<ir::Var> {
        block.stmts.iter().find_map(|stmt| {
            if let Op::Derive(DeriveOp::OfDefinition { .. }) = &stmt.op {
                return stmt.binders.first().map(|it| it.var);
            }
            walk::blocks(&stmt.op).into_iter().find_map(|(_, it)| find(it))
        })
    }
    def.spans.0.get(&find(&def.body)?).copied()
}
