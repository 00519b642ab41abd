//! Common subexpressions: an operation that was done before, in the same block or in one around it, is
//! not done again.
//!
//! A table beside the rules, and not a pass after them: rules look for values that are there already
//! (`x == y`, `op_of`), so two names for one value would keep them from applying, and what they emit has
//! to be found again at once, or the program grows before it shrinks.

use std::collections::HashMap;

use ir::{Atom, DeriveOp, Op, walk};

/// What operations gave, for each block around a place, the outermost first.
#[derive(Default)]
pub(super) struct Common {
    /// Never gone through.
    blocks: Vec<HashMap<Op, Vec<Atom>>>,
}

impl Common {
    pub(super) fn enter(&mut self) {
        self.blocks.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    // common: `x = op a; y = op a` -> `x = op a`, with `x` for `y`
    pub(super) fn find(&self, op: &Op) -> Option<&[Atom]> {
        self.blocks.iter().rev().find_map(|it| it.get(op)).map(Vec::as_slice)
    }

    /// Says what an operation gave in the block of this depth; one with blocks inside is not looked for.
    pub(super) fn note(&mut self, op: &Op, values: Vec<Atom>, depth: usize) {
        if walk::blocks(op).is_empty() {
            self.blocks[depth].insert(op.clone(), values);
        }
    }
}

/// Whether it is worth the while to look for a statement of several results.
pub(super) fn may_repeat(op: &Op) -> bool {
    walk::blocks(op).is_empty() && !matches!(op, Op::Derive(DeriveOp::OfDefinition { .. }))
}
