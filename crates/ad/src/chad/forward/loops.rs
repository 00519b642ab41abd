//! Loops: the tangents of the state are part of the state.

use std::collections::BTreeSet;

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Loop, Op, Prim, Size, Stmt, Type, Var};

use super::Forward;

/// A loop with tangents: what it begins with, its state and its body, each with tangents behind the
/// values. The body gives the state and then what is collected, which of it moves being known.
struct Moving {
    inits: Vec<Atom>,
    state: Vec<Binder>,
    body: Block,
    on: Vec<bool>,
}

impl Forward<'_> {
    pub(super) fn scan(&mut self, stmt: &Stmt, inits: &[Atom], arrays: &[Atom], step: &Loop) {
        let mut step = step.clone();
        step.body.results.extend(step.body.results.clone());
        let last: Vec<Binder> =
            step.state.iter().map(|it| self.work.code.fresh(it.ty.clone())).collect();
        let binders: Vec<Binder> = last.into_iter().chain(stmt.binders.clone()).collect();
        self.fold(&binders, inits, arrays, &step);
    }

    pub(super) fn iterate(
        &mut self,
        stmt: &Stmt,
        (count, index): (&Atom, Var),
        (inits, state): (&[Atom], &[Binder]),
        body: &Block,
    ) {
        let size = self.work.code.prim(Prim::Max, vec![count.clone(), Atom::Int(0)]);
        let size = ir::signature::atom_size(&size).expect("an Int");
        let all = self.work.code.one(Op::Array(ArrayOp::Iota(size)));
        let elems = vec![Binder { var: index, ty: Type::Int }];
        let step = Loop { state: state.to_vec(), elems, body: body.clone() };
        self.fold(&stmt.binders, inits, &[all], &step);
    }

    pub(super) fn fold(
        &mut self,
        binders: &[Binder],
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) {
        let mut active = self.moving();
        let (on, _) = self.work.loop_activity(inits, arrays, step, &mut active);
        self.work.code.declare(&step.elems);
        let (mut sources, mut elems) = (arrays.to_vec(), step.elems.clone());
        for (array, elem) in arrays.iter().zip(&step.elems) {
            for (leaf, ty) in self.work.code.leaves(&elem.ty).into_iter().enumerate() {
                if let Some(tangent) = self.tangent(array, leaf) {
                    let own = self.work.code.fresh(ty);
                    self.tangents.insert((elem.var, leaf), Atom::Var(own.var));
                    sources.push(tangent);
                    elems.push(own);
                }
            }
        }
        let made = self.steps((inits, &step.state, &on), &step.body);
        let Moving { inits, state, body, on } = made;
        let step_ = Loop { state, elems, body };
        let op = ControlOp::Fold { inits, arrays: sources, step: step_ };
        self.bind_loop(binders, (step.state.len(), None), &on, Op::Control(op));
    }

    /// The condition sees the values.
    pub(super) fn while_(
        &mut self,
        stmt: &Stmt,
        (inits, state): (&[Atom], &[Binder]),
        cond: &Block,
        body: &Block,
    ) {
        let mut active = self.moving();
        let (on, _) = self.work.state_activity(inits, state, body, &mut active);
        let n_state = state.len();
        let made = self.steps((inits, state, &on), body);
        let Moving { inits, state, body, on } = made;
        let cond = cond.clone();
        let op = Op::Control(ControlOp::While { inits, state, cond, body });
        // The count stands between the state and what is collected.
        let mut binders = stmt.binders.clone();
        let count = (binders.len() > n_state).then(|| binders.remove(n_state).var);
        self.bind_loop(&binders, (n_state, count), &on, op);
    }

    pub(super) fn build(&mut self, stmt: &Stmt, sizes: &[Size], indices: &[Var], body: &Block) {
        indices.iter().for_each(|it| self.work.code.builder.declare(*it, Type::Int));
        let Moving { body, on, .. } = self.steps((&[], &[], &[]), body);
        let (sizes, indices) = (sizes.to_vec(), indices.to_vec());
        let op = Op::Control(ControlOp::Build { sizes, indices, body });
        self.bind_loop(&stmt.binders, (0, None), &on, op);
    }

    fn moving(&self) -> BTreeSet<Var> {
        self.tangents.keys().map(|it| it.0).collect()
    }

    fn steps(&mut self, (inits, state, on): (&[Atom], &[Binder], &[bool]), body: &Block) -> Moving {
        self.work.code.declare(state);
        self.work.check_sizes(state, on);
        let (mut all_inits, mut all_state) = (inits.to_vec(), state.to_vec());
        let mut types = Vec::new();
        for ((init, binder), on) in inits.iter().zip(state).zip(on) {
            let leaves = if *on { self.work.code.leaves(&binder.ty) } else { Vec::new() };
            all_inits.extend(self.tangents_as(init, &leaves));
            for (leaf, ty) in leaves.iter().enumerate() {
                let own = self.work.code.fresh(ty.clone());
                self.tangents.insert((binder.var, leaf), Atom::Var(own.var));
                all_state.push(own);
            }
            types.push(leaves);
        }
        self.opened(body);
        let (next, collected) = body.results.split_at(state.len());
        let mut results = next.to_vec();
        for (result, leaves) in next.iter().zip(&types) {
            results.extend(self.tangents_as(result, leaves));
        }
        results.extend(collected.iter().cloned());
        let mut on = on.to_vec();
        for result in collected {
            on.push(self.has_tangent(result));
            if self.has_tangent(result) {
                let leaves = self.leaves_of(result);
                results.extend(self.tangents_as(result, &leaves));
            }
        }
        let body = self.work.code.builder.close(results);
        Moving { inits: all_inits, state: all_state, body, on }
    }

    /// Binds the results of a loop: the state, its tangents, perhaps a count, what was collected, and
    /// the tangents of that.
    fn bind_loop(
        &mut self,
        binders: &[Binder],
        (n_state, count): (usize, Option<Var>),
        on: &[bool],
        op: Op,
    ) {
        self.work.code.declare(binders);
        let (mut vars, mut tangents) = (Vec::new(), Vec::new());
        let (state, collected) = binders.split_at(n_state);
        for (part, on, count) in [(state, &on[..n_state], None), (collected, &on[n_state..], count)]
        {
            vars.extend(count);
            vars.extend(part.iter().map(|it| it.var));
            for (binder, _) in part.iter().zip(on).filter(|it| *it.1) {
                for (leaf, ty) in self.work.code.leaves(&binder.ty).into_iter().enumerate() {
                    let var = self.work.code.fresh(ty).var;
                    tangents.push((binder.clone(), leaf, var));
                    vars.push(var);
                }
            }
        }
        self.work.code.bind(&vars, op);
        for (binder, leaf, var) in tangents {
            self.set(&binder, leaf, Atom::Var(var));
        }
    }
}
