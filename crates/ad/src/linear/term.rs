//! What a Delta term is: a linear program over what a definition computed.
//!
//! A variable `x: [sh]Real` that is active has a Delta, a variable of the tangent type that stands for
//! how `x` depends on the inputs, linearly. The statements that define Deltas are the *Delta term*; what
//! it needs of the values of the definition is in its factors, its indices, and in what branches, loops
//! and calls saved for it. `apply.rs` runs a term with tangents, `transpose.rs` with cotangents.
//!
//! Paper: Smeding, Konarski et al., form (6) of Section 7: first all values and then the term.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{Binder, Block, Def, Spans, Stmt, Var, walk};

use super::code::var_of;

/// A definition and its Delta term.
#[derive(Debug)]
pub(crate) struct Linearised {
    pub(crate) def: Arc<Def>,
    /// The statements of the definition, with what the Delta term needs, and its results.
    pub(crate) primal: Block,
    /// The Delta term. Its results are the Deltas of the results that are active.
    pub(crate) term: Block,
    /// For statements of the term, by their first variable, how many of `primal` came before.
    pub(crate) places: BTreeMap<Var, usize>,
    /// The Deltas of the parameters that are active.
    pub(crate) inputs: Vec<Option<Binder>>,
    /// Which results are active.
    pub(crate) results: Vec<bool>,
    pub(crate) next_var: u32,
    pub(crate) spans: Spans,
    /// Every variable of the term that is a Delta.
    pub(crate) linear: BTreeSet<Var>,
}

/// A Delta term without statements that no result depends on, so that nothing is saved for them. Every
/// operation of a term is total.
pub(crate) fn prune(block: Block) -> Block {
    let mut needed: BTreeSet<Var> = block.results.iter().filter_map(var_of).collect();
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in block.stmts.into_iter().rev() {
        if stmt.binders.iter().any(|it| needed.contains(&it.var)) {
            needed.extend(walk::free_vars_op(&stmt.op));
            needed.extend(stmt.binders.iter().flat_map(|it| it.ty.size_vars()));
            kept.push(stmt);
        }
    }
    kept.reverse();
    Block { stmts: kept, results: block.results }
}
