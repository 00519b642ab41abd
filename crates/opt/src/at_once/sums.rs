//! What is only added to: an array or a number that is passed on, each time with something added.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Block, ControlOp, Def, Op, Prim, Stmt, Type, Var, walk};

use super::called;

/// For each parameter of a definition that goes back, the result that is it with something added.
pub(super) fn of(def: &Def, given: usize) -> Vec<Option<usize>> {
    let mut res = Vec::new();
    for (at, param) in def.params.iter().enumerate() {
        let fits = |it: &usize| {
            let mut sums = vec![None; def.params.len()];
            sums[at] = Some(*it);
            let own = Own { def: &def.name, sums: &sums };
            def.results[*it].ty == param.ty && own.added_to(&def.body, param.var) == Some(*it)
        };
        let is_real = *param.ty.split_arrays().1 == Type::Real;
        let found = (at != given && is_real).then(|| (0..def.results.len()).find(fits));
        res.push(found.flatten());
    }
    res
}

/// What is known of calls of one definition.
pub(super) struct Own<'d> {
    pub(super) def: &'d base::Name,
    pub(super) sums: &'d [Option<usize>],
}

impl Own<'_> {
    /// The result of a block that is a variable with something added; nothing else may be done with it.
    pub(super) fn added_to(&self, block: &Block, var: Var) -> Option<usize> {
        let mut readers = block.stmts.iter().filter(|it| walk::free_vars_op(&it.op).contains(&var));
        let reader = readers.next();
        let mut results = block.results.iter().enumerate().filter(|it| *it.1 == Atom::Var(var));
        let result = results.next().map(|it| it.0);
        if readers.next().is_some() || results.next().is_some() {
            return None;
        }
        match (reader, result) {
            (Some(stmt), None) => {
                let at = self.adds_to(stmt, var)?;
                self.added_to(block, stmt.binders[at].var)
            }
            (None, result) => result,
            (Some(_), Some(_)) => None,
        }
    }

    /// The value that a statement gives which is a variable with something added, if that is all that it does
    /// with it.
    pub(super) fn adds_to(&self, stmt: &Stmt, var: Var) -> Option<usize> {
        let is_var = |it: &Atom| *it == Atom::Var(var);
        if let Op::Control(op) = &stmt.op {
            return self.chosen(op, var);
        }
        let alone = Block { stmts: vec![stmt.clone()], results: Vec::new() };
        let uses: BTreeMap<Var, usize> = walk::count_uses(&alone);
        if uses.get(&var) != Some(&1) {
            return None;
        }
        if let Some((def, _, args)) = called(stmt) {
            let at = args.iter().position(is_var)?;
            return (def == self.def).then(|| self.sums[at]).flatten();
        }
        match &stmt.op {
            Op::Copy(it) => is_var(it).then_some(0),
            Op::Array(ArrayOp::Scatter { into, .. }) => is_var(into).then_some(0),
            Op::Prim(Prim::Add, args) => args.iter().any(is_var).then_some(0),
            Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => {
                None
            }
            Op::Equal(..) | Op::Close(..) | Op::Array(_) | Op::Control(_) => None,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => None,
        }
    }

    fn chosen(&self, op: &ControlOp, var: Var) -> Option<usize> {
        let is_var = |it: &&Atom| **it == Atom::Var(var);
        match op {
            ControlOp::Fold { inits, arrays, step } => {
                let at = inits.iter().position(|it| is_var(&it))?;
                let once = inits.iter().chain(arrays).filter(is_var).count() == 1;
                let is_inside = walk::free_vars_block(&step.body).contains(&var);
                let same = self.added_to(&step.body, step.state[at].var) == Some(at);
                (once && !is_inside && same).then_some(at)
            }
            ControlOp::If { then, otherwise, .. } => {
                let at = self.added_to(then, var)?;
                (self.added_to(otherwise, var) == Some(at)).then_some(at)
            }
            ControlOp::Match { arms, otherwise, .. } => {
                let blocks = arms.iter().map(|it| &it.body).chain(otherwise);
                let mut all = blocks.map(|it| self.added_to(it, var));
                let first = all.next()??;
                all.all(|it| it == Some(first)).then_some(first)
            }
            ControlOp::Build { .. } | ControlOp::Scan { .. } => None,
            ControlOp::Iterate { .. } | ControlOp::While { .. } => None,
        }
    }
}
