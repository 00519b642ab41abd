//! Sum types, branches and calls.

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, FunctionOp, Op, Origin, Size, Stmt, Type};

use super::Forward;
use crate::bulk::derived::jvp;
use crate::linear::tangent::{get_name, tangent_con};

impl Forward<'_> {
    pub(super) fn con(&mut self, stmt: &Stmt, con: &Name, args: &[Atom]) {
        self.keep(stmt);
        let ty = stmt.binders[0].ty.clone();
        let Some(tangent) = self.work.code.leaves(&ty).pop() else { return };
        let n_sizes = self.work.code.n_sizes(&ty, con);
        let mut parts = args[..n_sizes].to_vec();
        for arg in &args[n_sizes..] {
            for leaf in 0..self.leaves_of(arg).len() {
                parts.push(self.tangent_or_zeros(arg, leaf));
            }
        }
        let tangent =
            self.work.code.one(Op::Con { ty: tangent, con: tangent_con(con), args: parts });
        self.set(&stmt.binders[0], 0, tangent);
    }

    /// The condition contributes nothing.
    pub(super) fn if_(&mut self, stmt: &Stmt, cond: &Atom, then: &Block, otherwise: &Block) {
        let mut open = Vec::new();
        for block in [then, otherwise] {
            self.opened(block);
            open.push(self.work.code.builder.close(block.results.clone()));
        }
        self.branches(stmt, open, |mut blocks| {
            let otherwise = blocks.pop().expect("two branches");
            let then = blocks.pop().expect("two branches");
            ControlOp::If { cond: cond.clone(), then, otherwise }
        });
    }

    /// In an arm, the tangents of the fields are those of the tangent of the value.
    pub(super) fn match_(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) {
        let mut open = Vec::new();
        for arm in arms {
            self.work.code.declare(&arm.fields);
            self.work.code.builder.open();
            if let Some(tangent) = self.tangent(value, 0) {
                self.fields(value, arm, tangent);
            }
            let first = self.work.code.builder.close(Vec::new()).stmts;
            self.opened(&arm.body);
            let mut block = self.work.code.builder.close(arm.body.results.clone());
            block.stmts.splice(0..0, first);
            open.push(block);
        }
        if let Some(block) = otherwise {
            self.opened(block);
            open.push(self.work.code.builder.close(block.results.clone()));
        }
        self.branches(stmt, open, |blocks| {
            let mut blocks = blocks.into_iter();
            let arms = arms.iter().zip(&mut blocks);
            let arms = arms.map(|(arm, body)| Arm { body, ..arm.clone() }).collect();
            ControlOp::Match { value: value.clone(), arms, otherwise: blocks.next() }
        });
    }

    fn fields(&mut self, value: &Atom, arm: &Arm, tangent: Atom) {
        let ty = self.work.code.type_of(value);
        let Type::Data(_, _, sizes) = &ty else { panic!("compiler bug: a match of {ty}") };
        let n_sizes = self.work.code.n_sizes(&ty, &arm.con);
        let (own, fields) = arm.fields.split_at(n_sizes);
        let args = own.iter().map(|it| Atom::Var(it.var)).chain([tangent]).collect();
        let (def, sizes) = (get_name(&arm.con), sizes.clone());
        let call = FunctionOp::Call { def, types: Vec::new(), sizes, args };
        let mut tangents = self.work.code.emit(Op::Function(call)).into_iter();
        for field in fields {
            let n_leaves = self.work.code.leaves(&field.ty).len();
            self.set_all(field, tangents.by_ref().take(n_leaves).collect::<Vec<_>>());
        }
    }

    /// Blocks of which one runs: each gives the tangents that any of them has.
    fn branches(
        &mut self,
        stmt: &Stmt,
        blocks: Vec<Block>,
        whole: impl FnOnce(Vec<Block>) -> ControlOp,
    ) {
        self.work.code.declare(&stmt.binders);
        let on = |it: &Self, at: usize| {
            blocks.iter().any(|block| block.results.get(at).is_some_and(|a| it.has_tangent(a)))
        };
        let on: Vec<bool> = (0..stmt.binders.len()).map(|at| on(self, at)).collect();
        let mut made = Vec::new();
        for block in blocks {
            let own = block.results.clone();
            let mut results = self.work.code.builder.reopen(block);
            for (result, _) in own.iter().zip(&on).filter(|it| *it.1) {
                let types = self.leaves_of(result);
                results.extend(self.tangents_as(result, &types));
            }
            made.push(self.work.code.builder.close(results));
        }
        self.bind_with(&stmt.binders, &on, Op::Control(whole(made)));
    }

    /// Binds results, and behind them the tangents of those that have some.
    pub(super) fn bind_with(&mut self, binders: &[Binder], on: &[bool], op: Op) {
        let mut vars: Vec<_> = binders.iter().map(|it| it.var).collect();
        let mut tangents = Vec::new();
        for (binder, _) in binders.iter().zip(on).filter(|it| *it.1) {
            for (leaf, ty) in self.work.code.leaves(&binder.ty).into_iter().enumerate() {
                let var = self.work.code.fresh(ty).var;
                tangents.push((binder.clone(), leaf, var));
                vars.push(var);
            }
        }
        self.work.code.bind(&vars, op);
        for (binder, leaf, var) in tangents {
            self.set(&binder, leaf, Atom::Var(var));
        }
    }

    pub(super) fn call(&mut self, stmt: &Stmt, def: &Name, sizes: &[Size], args: &[Atom]) {
        if self.work.code.program().defs[def].origin == Origin::Cast {
            return self.moved(stmt, &args[0], |_, tangent| tangent);
        }
        let call = |def: Name, args: Vec<Atom>| {
            let (types, sizes) = (Vec::new(), sizes.to_vec());
            Op::Function(FunctionOp::Call { def, types, sizes, args })
        };
        if let Some(custom) = self.work.custom(def) {
            // The clause is the push-forward.
            self.keep(stmt);
            let given = self.with_tangents(args, &vec![true; args.len()]);
            let mut tangents = self.work.code.emit(call(custom.lin, given)).into_iter();
            for binder in &stmt.binders {
                let n_leaves = self.work.code.leaves(&binder.ty).len();
                self.set_all(binder, tangents.by_ref().take(n_leaves).collect::<Vec<_>>());
            }
            return;
        }
        let mask: Vec<bool> = args.iter().map(|it| self.has_tangent(it)).collect();
        if !self.work.active_results(def, &mask).contains(&true) {
            return self.keep(stmt);
        }
        let given = self.with_tangents(args, &mask);
        let derived = jvp(self.work, def, &mask);
        self.bind_with(&stmt.binders, &vec![true; stmt.binders.len()], call(derived, given));
    }

    fn with_tangents(&mut self, args: &[Atom], on: &[bool]) -> Vec<Atom> {
        let mut res = args.to_vec();
        for (arg, _) in args.iter().zip(on).filter(|it| *it.1) {
            let types = self.leaves_of(arg);
            res.extend(self.tangents_as(arg, &types));
        }
        res
    }
}
