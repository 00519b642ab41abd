//! Removes from a Delta term what no result depends on, so that nothing is saved for it. Every
//! operation of a term is total.

use std::collections::BTreeSet;

use ir::{Block, Stmt, Var, walk};

use super::code::var_of;

/// The block without statements that nothing needs.
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
