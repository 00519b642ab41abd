//! When variables are read, so that the memory of an array is used again once nobody reads it any
//! more.
//!
//! Moments are numbers. A statement reads its operands at one moment; what happens inside of it comes
//! after that. Of the branches of a conditional only one runs: what happens in another one is not
//! later. That the step of a loop comes back is not said here: it owns nothing from outside
//! (`flow/memory.rs`).

use std::collections::BTreeMap;
use std::ops::Range;

use ir::{Atom, Block, ControlOp, Def, Op, Stmt, Var, walk};

/// The moments of a definition.
#[derive(Default)]
pub(crate) struct Uses {
    /// When a variable is read; twice at one moment if a statement reads it twice.
    reads: BTreeMap<Var, Vec<usize>>,
    /// From when to when a statement is, by what it binds first.
    stmts: BTreeMap<Var, Range<usize>>,
    /// Of each conditional, from when to when its branches are.
    branches: Vec<Vec<Range<usize>>>,
    now: usize,
}

impl Uses {
    pub(crate) fn of(def: &Def) -> Uses {
        let mut uses = Uses::default();
        uses.block(&def.body);
        uses
    }

    /// From when to when the statement is that binds this first.
    pub(crate) fn moment(&self, first: Option<Var>) -> Range<usize> {
        first.and_then(|it| self.stmts.get(&it)).cloned().unwrap_or(0..usize::MAX)
    }

    /// How often a variable is read from a moment on.
    pub(crate) fn left(&self, var: Var, from: usize) -> usize {
        let reads = self.reads.get(&var).into_iter().flatten();
        reads.filter(|at| **at >= from && !self.exclude(from, **at)).count()
    }

    /// Whether two moments are in different branches of a conditional.
    fn exclude(&self, x: usize, y: usize) -> bool {
        self.branches.iter().any(|branches| {
            let of = |moment: usize| branches.iter().position(|it| it.contains(&moment));
            matches!((of(x), of(y)), (Some(x), Some(y)) if x != y)
        })
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|it| self.stmt(it));
        block.results.iter().for_each(|it| self.read(it));
        self.now += 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let start = self.now;
        let (stmts, results) = Default::default();
        let nothing = Block { stmts, results };
        let own = walk::map_blocks(&stmt.op, &mut |_, _| nothing.clone());
        walk::rewrite_op(&own, &mut Reads(self));
        self.now += 1;
        let mut inside = Vec::new();
        for (_, block) in walk::blocks(&stmt.op) {
            let start = self.now;
            self.block(block);
            inside.push(start..self.now);
        }
        if let Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }) = stmt.op {
            self.branches.push(inside);
        }
        if let Some(first) = stmt.binders.first() {
            self.stmts.insert(first.var, start..self.now);
        }
    }

    fn read(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.reads.entry(*var).or_default().push(self.now);
        }
    }
}

struct Reads<'u>(&'u mut Uses);

impl walk::Rewrite for Reads<'_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.0.read(atom);
        atom.clone()
    }
}
