//! An element in two parts: what it reads and where, and what it makes of that.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Atom, Binder, ControlOp, Op, Stmt, Type, Var, walk};

use super::Pass;
use super::recipe::substituted;

/// An element.
pub(super) struct Body {
    /// Does not depend on anything that is read; the reads stand last or where they were.
    pub(super) before: Vec<Stmt>,
    /// The rest.
    pub(super) after: Vec<Stmt>,
    pub(super) reads: Vec<Read>,
    /// What depends on reads.
    pub(super) tainted: BTreeSet<Var>,
}

/// An element or a row of a parameter that is read.
pub(super) struct Read {
    /// The parameter, by number.
    pub(super) param: usize,
    pub(super) indices: Vec<Atom>,
    pub(super) ty: Type,
    /// What was read.
    pub(super) value: Var,
    /// The variable in its place, where derivatives are taken.
    pub(super) var: Var,
}

impl Body {
    /// The parts of these statements, which make `result`; none if it cannot be taken apart, or depends on
    /// nothing.
    pub(super) fn new(pass: &mut Pass<'_>, stmts: Vec<Stmt>, result: &Atom) -> Option<Body> {
        let (before, after, reads) = (Vec::new(), Vec::new(), Vec::new());
        let mut res = Body { before, after, reads, tainted: BTreeSet::new() };
        for stmt in &stmts {
            res.statement(pass, stmt)?;
        }
        let Atom::Var(var) = result else { return None };
        (res.tainted.contains(var) && !res.reads.is_empty()).then_some(res)
    }

    fn statement(&mut self, pass: &mut Pass<'_>, stmt: &Stmt) -> Option<()> {
        if let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op
            && let Some((param, _)) = pass.active.get(array)
        {
            let [binder] = &stmt.binders[..] else { return None };
            return self.read(pass, *param, *array, indices, binder);
        }
        let stmt = self.with_numbers(pass, stmt)?;
        let uses = walk::free_vars_op(&stmt.op);
        if uses.iter().any(|it| pass.active.contains_key(it)) {
            let Op::Control(ControlOp::If { cond, then, otherwise }) = &stmt.op else {
                return None;
            };
            let op = self.branches(pass, cond, [then, otherwise])?;
            self.tainted.extend(stmt.binders.iter().map(|it| it.var));
            self.after.push(Stmt { binders: stmt.binders.clone(), op });
            return Some(());
        }
        match self.is_tainted(&stmt.op) {
            true => {
                self.tainted.extend(stmt.binders.iter().map(|it| it.var));
                self.after.push(stmt);
            }
            false => self.before.push(stmt),
        }
        Some(())
    }

    pub(super) fn is_tainted(&self, op: &Op) -> bool {
        walk::free_vars_op(op).iter().any(|it| self.tainted.contains(it))
    }

    pub(super) fn are_tainted(&self, atoms: &[Atom]) -> bool {
        atoms.iter().any(|it| matches!(it, Atom::Var(it) if self.tainted.contains(it)))
    }

    fn read(
        &mut self,
        pass: &mut Pass<'_>,
        param: usize,
        array: Var,
        indices: &[Atom],
        binder: &Binder,
    ) -> Option<()> {
        if self.are_tainted(indices) {
            return None;
        }
        self.tainted.insert(binder.var);
        let is_same = |it: &&Read| it.param == param && it.indices == indices;
        if let Some(known) = self.reads.iter().find(is_same) {
            let op = Op::Copy(Atom::Var(known.var));
            self.after.push(Stmt { binders: vec![binder.clone()], op });
            return Some(());
        }
        let (ty, indices) = (binder.ty.clone(), indices.to_vec());
        let value = pass.builder.fresh(ty.clone());
        let op = Op::Array(ArrayOp::Index { array: Atom::Var(array), indices: indices.clone() });
        self.before.push(Stmt { binders: vec![Binder { var: value, ty: ty.clone() }], op });
        self.reads.push(Read { param, indices, ty, value, var: binder.var });
        Some(())
    }

    /// The statement with reads in the place of parameters that are numbers.
    fn with_numbers(&mut self, pass: &mut Pass<'_>, stmt: &Stmt) -> Option<Stmt> {
        let mut by = BTreeMap::new();
        for var in walk::free_vars_op(&stmt.op) {
            let Some((param, Type::Real)) = pass.active.get(&var).cloned() else { continue };
            let is_same = |it: &&Read| it.param == param;
            let known = self.reads.iter().find(is_same).map(|it| it.var);
            let own = known.unwrap_or_else(|| {
                let [value, own] = [(); 2].map(|()| pass.builder.fresh(Type::Real));
                let binders = vec![Binder { var: value, ty: Type::Real }];
                self.before.push(Stmt { binders, op: Op::Copy(Atom::Var(var)) });
                let ty = Type::Real;
                self.reads.push(Read { param, indices: Vec::new(), ty, value, var: own });
                self.tainted.insert(own);
                own
            });
            by.insert(var, Atom::Var(own));
        }
        Some(substituted(stmt, &by))
    }
}
