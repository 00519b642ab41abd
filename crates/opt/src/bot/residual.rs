//! What remains a `build`: statements without a form for a batch, and arrays whose size depends on
//! the position.

use std::collections::BTreeSet;

use ir::{Atom, Block, ControlOp, Op, Stmt, Type, Var, walk};

use super::Vectorise;
use super::held::{Dim, Dims, Held, union};

impl Vectorise<'_, '_> {
    /// Statements that remain a build over what they depend on. Inside of it they are as outside of
    /// any build, and builds in them are rewritten.
    pub(super) fn residual(&mut self, stmts: &[Stmt], outputs: &[Var]) {
        let mut dims = Dims::new();
        for stmt in stmts {
            dims = union(&dims, &union(&self.dims_of_op(&stmt.op), &self.forced(stmt)));
        }
        let sizes = self.sizes_of(&dims);
        let outside = (std::mem::take(&mut self.dims), std::mem::take(&mut self.conditions));
        let indices: Vec<Var> = dims.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let lanes = self.lanes.clone();
        self.lanes.extend(dims.iter().copied().zip(indices.iter().map(|it| Atom::Var(*it))));
        self.open();
        self.read_sizes(stmts);
        stmts.iter().for_each(|it| self.stmt(it));
        let mut results: Vec<Atom> = outputs.iter().map(|it| self.plain(&Atom::Var(*it))).collect();
        if results.is_empty() {
            // They may fail, and a statement is known by its first result to who drops what nobody needs.
            results.push(Atom::Bool(true));
        }
        let body = self.close(results);
        (self.dims, self.conditions) = outside;
        self.lanes = lanes;
        let results = self.builder.emit(Op::Control(ControlOp::Build { sizes, indices, body }));
        for (var, atom) in outputs.iter().zip(results) {
            self.env.insert(*var, Held::over(&dims, atom));
        }
    }

    /// Reads the sizes that depend on the position and that blocks inside give arrays of. If such a
    /// block were the first to read one, it would not be known where the array is.
    fn read_sizes(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let blocks = walk::blocks(&stmt.op);
            if blocks.is_empty() {
                continue;
            }
            for var in stmt.binders.iter().flat_map(|it| it.ty.size_vars()) {
                if self.env.contains_key(&var) {
                    self.held(&Atom::Var(var));
                }
            }
            blocks.iter().for_each(|it| self.read_sizes(&it.1.stmts));
        }
    }

    /// An operation on a batch whose error does not depend on the elements, so that it cannot be left
    /// to empty arrays: `if k > 0 { build_of_... } else { build k (\i. t) }`.
    pub(super) fn unless_empty(&mut self, stmt: &Stmt, forced: &[Dim]) -> Option<Vec<Held>> {
        if !self.conditions.is_empty() {
            return None;
        }
        let dims = union(&self.dims_of_op(&stmt.op), forced);
        let cond = self.not_empty(forced)?;
        self.open();
        let outside = std::mem::take(&mut self.dims);
        let held = self.vectorised(stmt);
        self.dims = outside;
        let results = held.iter().flatten().map(|it| self.expand(it, &dims, &[])).collect();
        let then = self.close(results);
        held?;
        self.open();
        let outputs: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        self.residual(std::slice::from_ref(stmt), &outputs);
        let held: Vec<Held> = outputs.iter().map(|it| self.env[it].clone()).collect();
        let results = held.iter().map(|it| self.expand(it, &dims, &[])).collect();
        let otherwise = self.close(results);
        let results = self.builder.emit(Op::Control(ControlOp::If { cond, then, otherwise }));
        Some(results.into_iter().map(|it| Held::over(&dims, it)).collect())
    }

    /// Whether the size of a result is known only when it runs, or differs between positions.
    pub(super) fn is_irregular(&self, stmt: &Stmt) -> bool {
        if self.dims_of_op(&stmt.op).is_empty() && self.forced(stmt).is_empty() {
            return false;
        }
        let own = |it: &Var| stmt.binders.iter().any(|binder| binder.var == *it);
        let mut sizes = stmt.binders.iter().flat_map(|it| it.ty.size_vars());
        sizes.any(|it| own(&it) || !self.dims_of(it).is_empty())
    }

    /// Where the statements end that mention an array of irregular size, from one on.
    pub(super) fn irregular_end(&self, block: &Block, start: usize) -> usize {
        let mut end = start + 1;
        let mut local: BTreeSet<Var> = BTreeSet::new();
        let mut irregular: BTreeSet<Var> = BTreeSet::new();
        let mut seen = start;
        loop {
            for stmt in &block.stmts[seen..end] {
                local.extend(stmt.binders.iter().map(|it| it.var));
                for binder in &stmt.binders {
                    let sizes = binder.ty.size_vars();
                    if sizes.iter().any(|it| local.contains(it) || !self.dims_of(*it).is_empty()) {
                        irregular.insert(binder.var);
                    }
                }
            }
            seen = end;
            let mentions = |op: &Op| !walk::free_vars_op(op).is_disjoint(&irregular);
            let last = (end..block.stmts.len()).rev().find(|it| mentions(&block.stmts[*it].op));
            match last {
                Some(last) => end = last + 1,
                None => return end,
            }
        }
    }
}

/// The variables of some statements that are used after them.
pub(super) fn used_after(block: &Block, start: usize, end: usize) -> Vec<Var> {
    let mut used: BTreeSet<Var> = BTreeSet::new();
    for stmt in &block.stmts[end..] {
        used.extend(walk::free_vars_op(&stmt.op));
    }
    for result in &block.results {
        if let Atom::Var(var) = result {
            used.insert(*var);
        }
    }
    let bound = block.stmts[start..end].iter().flat_map(|it| &it.binders);
    bound.map(|it| it.var).filter(|it| used.contains(it)).collect()
}
