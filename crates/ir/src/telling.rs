//! Which definitions and statements say something when they run: `trace` and `report`.
//!
//! Who changes how often something is done asks here first.

use std::collections::BTreeSet;

use base::Name;

use crate::graph;
use crate::op::{DeriveOp, Op};
use crate::term::{Block, Program};
use crate::walk;

/// The definitions that say something, or need one that does.
pub fn tellers(program: &Program) -> BTreeSet<Name> {
    let own = |block: &Block| says(block, &BTreeSet::new());
    let defs = program.defs.iter();
    let mut res: BTreeSet<Name> =
        defs.filter(|it| own(&it.1.body)).map(|it| it.0.clone()).collect();
    // Most programs say nothing.
    while !res.is_empty() {
        let before = res.len();
        for (name, def) in &program.defs {
            if !res.contains(name) && graph::callees(&def.body).iter().any(|it| res.contains(it.1))
            {
                res.insert(name.clone());
            }
        }
        if res.len() == before {
            break;
        }
    }
    res
}

/// Whether an operation says something: itself, in its blocks, or by what it needs of these definitions.
pub fn tells(op: &Op, tellers: &BTreeSet<Name>) -> bool {
    matches!(op, Op::Derive(DeriveOp::Tell { .. }))
        || graph::needed_by(op).is_some_and(|it| tellers.contains(it.1))
        || walk::blocks(op).iter().any(|it| says(it.1, tellers))
}

fn says(block: &Block, tellers: &BTreeSet<Name>) -> bool {
    block.stmts.iter().any(|it| tells(&it.op, tellers))
}
