//! Reads in branches: they are done before, under the same condition.

use std::collections::BTreeSet;

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Literal, Op, Stmt, Type, Var, walk};

use super::Pass;
use super::body::{Body, Read};

/// Which branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    Then,
    Otherwise,
}

/// A read that was found in a branch.
struct Found {
    array: Var,
    param: usize,
    indices: Vec<Atom>,
    binder: Binder,
}

impl Body {
    /// The conditional without reads in its branches.
    pub(super) fn branches(
        &mut self,
        pass: &mut Pass<'_>,
        cond: &Atom,
        [then, otherwise]: [&Block; 2],
    ) -> Option<Op> {
        if self.are_tainted(std::slice::from_ref(cond)) {
            return None;
        }
        let then = self.branch(pass, cond, Branch::Then, then)?;
        let otherwise = self.branch(pass, cond, Branch::Otherwise, otherwise)?;
        Some(Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise }))
    }

    fn branch(
        &mut self,
        pass: &mut Pass<'_>,
        cond: &Atom,
        branch: Branch,
        block: &Block,
    ) -> Option<Block> {
        let (mut plain, mut left, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut tainted: BTreeSet<Var> = BTreeSet::new();
        for stmt in &block.stmts {
            let uses = walk::free_vars_op(&stmt.op);
            let depends = self.is_tainted(&stmt.op) || uses.iter().any(|it| tainted.contains(it));
            if let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op
                && let Some((param, _)) = pass.active.get(array)
            {
                let [binder] = &stmt.binders[..] else { return None };
                if depends {
                    return None;
                }
                tainted.insert(binder.var);
                let (param, array, indices) = (*param, *array, indices.clone());
                found.push(Found { array, param, indices, binder: binder.clone() });
                continue;
            }
            if uses.iter().any(|it| pass.active.contains_key(it)) {
                return None;
            }
            match depends {
                true => tainted.extend(stmt.binders.iter().map(|it| it.var)),
                false => plain.push(stmt.clone()),
            }
            left.push(stmt.clone());
        }
        let own: BTreeSet<Var> = walk::bound_vars(block);
        let mentions = |it: &Found| it.binder.ty.size_vars().iter().any(|var| own.contains(var));
        if found.iter().any(mentions) {
            return None;
        }
        if block
            .results
            .iter()
            .any(|it| matches!(it, Atom::Var(it) if pass.active.contains_key(it)))
        {
            return None;
        }
        self.hoist(pass, cond, branch, plain, found);
        Some(Block { stmts: left, results: block.results.clone() })
    }

    /// Adds the reads of a branch to what comes before; where the branch is not taken, they are zero and the
    /// positions -1.
    fn hoist(
        &mut self,
        pass: &mut Pass<'_>,
        cond: &Atom,
        branch: Branch,
        plain: Vec<Stmt>,
        found: Vec<Found>,
    ) {
        if found.is_empty() {
            return;
        }
        let (mut taken, mut results) = (plain, Vec::new());
        for it in &found {
            let indices = it.indices.clone();
            let op = Op::Array(ArrayOp::Index { array: Atom::Var(it.array), indices });
            taken.push(Stmt { binders: vec![it.binder.clone()], op });
            results.push(Atom::Var(it.binder.var));
            results.extend(it.indices.iter().cloned());
        }
        let taken = pass.renamed(&Block { stmts: taken, results });
        let mut not = Block { stmts: Vec::new(), results: Vec::new() };
        let mut binders = Vec::new();
        for it in found {
            let ty = it.binder.ty.clone();
            not.results.push(zero(pass, &ty, &mut not.stmts));
            not.results.extend(it.indices.iter().map(|_| Atom::Int(-1)));
            let value = pass.builder.fresh(ty.clone());
            binders.push(Binder { var: value, ty: ty.clone() });
            let positions = it.indices.iter().map(|_| pass.builder.fresh(Type::Int));
            let positions: Vec<Var> = positions.collect();
            binders.extend(positions.iter().map(|var| Binder { var: *var, ty: Type::Int }));
            let indices = positions.into_iter().map(Atom::Var).collect();
            let var = it.binder.var;
            self.tainted.insert(var);
            self.reads.push(Read { param: it.param, indices, ty, value, var });
        }
        let (then, otherwise) = match branch {
            Branch::Then => (taken, not),
            Branch::Otherwise => (not, taken),
        };
        let op = Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise });
        self.before.push(Stmt { binders, op });
    }
}

/// Zeros of a type.
fn zero(pass: &mut Pass<'_>, ty: &Type, stmts: &mut Vec<Stmt>) -> Atom {
    let (mut value, mut inner) = (Atom::Real(Literal(0.0)), Type::Real);
    for size in ty.split_arrays().0.into_iter().rev() {
        inner = Type::array(size.clone(), inner);
        let var = pass.builder.fresh(inner.clone());
        let op = Op::Array(ArrayOp::Replicate { size, value });
        stmts.push(Stmt { binders: vec![Binder { var, ty: inner.clone() }], op });
        value = Atom::Var(var);
    }
    value
}
