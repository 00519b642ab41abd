//! Who may overwrite an array, and when memory is given back.
//!
//! An array is owned under the name of one variable. Where a second name for it arises (a field of a
//! box, the result of a branch, what a call may give back), nobody owns it any more: nobody would know
//! when the other name is read for the last time. The step of a loop runs many times, so that it
//! must not overwrite what was there before the loop: it owns the state and what it allocates.

use std::collections::BTreeSet;

use ir::{Binder, Type};
use loops::{Atom, Block, Node, Scalar, Var};

use crate::context::{Known, Lower, scalar_of};

/// When the memory of a step is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frees {
    /// After each step.
    Each,
    /// Not before the loop has ended: the state or what is collected points to memory of a step.
    Later,
}

impl Known<'_, '_> {
    /// Something else may point to this from now on.
    pub(crate) fn escape(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.owned.remove(&var);
            self.escaped.insert(var);
        }
    }
}

impl Lower<'_, '_> {
    /// Writes what runs many times: a block that owns nothing but these arrays.
    pub(super) fn repeated<T>(
        &mut self,
        own: &[Var],
        write: impl FnOnce(&mut Self) -> T,
    ) -> (Block, T) {
        let own: BTreeSet<Var> = own.iter().copied().collect();
        let outer = std::mem::replace(&mut self.owned, own);
        self.n_loops += 1;
        let res = self.within(write);
        self.n_loops -= 1;
        self.owned = outer.difference(&self.escaped).copied().collect();
        res
    }
}

/// The block, with its memory given back at its end if it takes any.
pub(super) fn scoped(block: Block, frees: Frees) -> Block {
    if frees == Frees::Later || !allocates(&block) {
        return block;
    }
    vec![Node::Scope(block)]
}

/// The body of a function with these results, besides those in memory of the caller: its memory is given back
/// if they do not point to it.
pub(crate) fn whole_body<'b>(body: Block, results: impl Iterator<Item = &'b Binder>) -> Block {
    let points = |it: &Binder| matches!(it.ty, Type::Array(..)) || holds_boxes(&it.ty);
    let mut results = results;
    scoped(body, if results.any(points) { Frees::Later } else { Frees::Each })
}

/// Whether values of a type are boxes, or hold some.
pub(super) fn holds_boxes(ty: &Type) -> bool {
    scalar_of(ty) == Scalar::Box
}

/// Whether a block may take memory that it does not give back itself.
fn allocates(block: &Block) -> bool {
    block.iter().any(|node| match node {
        Node::Alloc { .. } | Node::Make { .. } | Node::Call { .. } => true,
        // A product may need room for its operands.
        Node::Kernel(_) => true,
        Node::Scope(_) | Node::Chunks(_) => false,
        Node::Let { .. } | Node::Both { .. } => false,
        Node::Store { .. } | Node::Check { .. } => false,
        Node::Loop(it) => allocates(&it.body),
        Node::While(it) => allocates(&it.before) || allocates(&it.body),
        Node::If { then, otherwise, .. } => allocates(then) || allocates(otherwise),
        Node::Switch { arms, otherwise, .. } => {
            arms.iter().any(|it| allocates(&it.body)) || allocates(otherwise)
        }
    })
}
