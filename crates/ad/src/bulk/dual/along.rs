//! Forward mode in one run: the Delta term runs along with the program, so that nothing is saved. Blocks
//! give the tangents of their results behind these, loops have those of their state beside it, and calls
//! are calls of `f.jvp`.
//!
//! Paper: Krawiec et al., Figure 3, with the parts of a pair as variables of their own.

use std::collections::BTreeSet;

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, FunctionOp, Loop, Op, Size, Stmt, Type, Var};

use super::{Dual, Part};
use crate::bulk::code::with_sizes;
use crate::bulk::derived::jvp;

/// The result at each place of a block, if it has a tangent: its type.
type Types = [Option<Type>];

impl Dual<'_> {
    /// The block with the tangents of those results for which a type is given, in groups: the first
    /// `n_state` results, their tangents, the others, their tangents.
    pub(super) fn along(&mut self, part: Part, types: &Types, n_state: usize) -> Block {
        let results = self.code.builder.reopen(part.primal);
        let mut tangents = Vec::new();
        for (delta, ty) in part.deltas.into_iter().zip(types) {
            tangents.push(match (delta, ty) {
                (Some(delta), Some(ty)) => Some(self.fit(delta, ty)),
                (None, Some(ty)) => Some(self.term_zeros(ty)),
                (_, None) => None,
            });
        }
        let results = grouped(&results, &tangents, n_state);
        self.code.builder.close(results)
    }

    /// A statement that gives tangents behind its results, in the same groups.
    fn bind_along(&mut self, binders: &[Binder], types: &Types, n_state: usize, op: Op) {
        let vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        let fresh = |it: &Option<Type>| it.as_ref().map(|_| self.code.fresh(Type::unit()).var);
        let tangents: Vec<Option<Var>> = types.iter().map(fresh).collect();
        let all = grouped(&vars, &tangents, n_state);
        self.keep_as(&all, op);
        for (binder, tangent) in binders.iter().zip(tangents) {
            if let Some(tangent) = tangent {
                self.set(binder, Atom::Var(tangent));
            }
        }
    }

    pub(super) fn branches_along(
        &mut self,
        stmt: &Stmt,
        parts: Vec<Part>,
        types: &Types,
        op: &dyn Fn(Vec<Block>) -> Op,
    ) {
        let n_results = stmt.binders.len();
        let mut blocks = Vec::new();
        for part in parts {
            // Sizes that the statement gives are what the block gives.
            let of = |var: Var| {
                let at = stmt.binders.iter().position(|it| it.var == var)?;
                part.primal.results.get(at).cloned()
            };
            let inside = |ty: &Option<Type>| ty.as_ref().map(|it| with_sizes(it, &of));
            let types: Vec<Option<Type>> = types.iter().map(inside).collect();
            blocks.push(self.along(part, &types, n_results));
        }
        self.bind_along(&stmt.binders, types, n_results, op(blocks));
    }

    /// An arm of the match of an active value: the tangents of the fields are in that of the value.
    pub(super) fn arm_along(
        &mut self,
        arm: &Arm,
        smooth: &[(Binder, Type)],
        get: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> Part {
        self.code.builder.open();
        let tangents = get(self);
        for ((field, _), tangent) in smooth.iter().zip(tangents) {
            self.set(field, tangent);
        }
        let first = self.code.builder.close(Vec::new()).stmts;
        let mut part = self.part(&arm.body);
        part.primal.stmts.splice(0..0, first);
        part
    }

    pub(super) fn fold_along(
        &mut self,
        binders: &[Binder],
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.code.work.loop_activity(inits, arrays, step, &mut active);
        self.code.declare(&step.state);
        self.code.declare(&step.elems);
        let (mut arrays, mut elems) = (arrays.to_vec(), step.elems.clone());
        for (array, elem) in arrays.clone().iter().zip(&step.elems) {
            if let Some(delta) = self.delta(array) {
                let ty = self.code.work.tangent(&elem.ty).expect("an active element");
                elems.push(self.input(elem.var, ty));
                arrays.push(delta);
            }
        }
        let (inits, state, body, types) = self.step_along(inits, &step.state, &on, &step.body);
        let step_ = Loop { state, elems, body };
        let op = Op::Control(ControlOp::Fold { inits, arrays, step: step_ });
        self.bind_along(binders, &types, step.state.len(), op);
    }

    pub(super) fn while_along(
        &mut self,
        stmt: &Stmt,
        (inits, state): (&[Atom], &[Binder]),
        cond: &Block,
        body: &Block,
    ) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.code.work.state_activity(inits, state, body, &mut active);
        self.code.declare(state);
        let n_state = state.len();
        let (inits, state, body, mut types) = self.step_along(inits, state, &on, body);
        if types.len() > n_state {
            // Between the state and what is collected is the number of steps.
            types.insert(n_state, None);
        }
        let op = Op::Control(ControlOp::While { inits, state, cond: cond.clone(), body });
        self.bind_along(&stmt.binders, &types, n_state, op);
    }

    /// Initial values, state and body of a loop, each with tangents; the types of those of its results.
    fn step_along(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        on: &[bool],
        body: &Block,
    ) -> (Vec<Atom>, Vec<Binder>, Block, Vec<Option<Type>>) {
        let (mut inits, mut both) = (inits.to_vec(), state.to_vec());
        let names = |var: Var| {
            let at = state.iter().position(|it| it.var == var)?;
            inits.get(at).cloned()
        };
        let first: Vec<Type> = state.iter().map(|it| with_sizes(&it.ty, &names)).collect();
        for at in (0..state.len()).filter(|it| on[*it]) {
            let delta = self.delta_or_zeros(&inits[at]);
            let ty = self.code.work.tangent(&first[at]).expect("an active state");
            let delta = self.fit(delta, &ty);
            inits.push(delta);
        }
        both.extend(self.state_deltas(state, on));
        let part = self.part(body);
        let mut types = Vec::new();
        for (at, delta) in part.deltas.iter().enumerate() {
            let ty = match (state.get(at), delta) {
                (Some(_), _) if !on[at] => None,
                (None, None) => None,
                (Some(_), _) | (None, Some(_)) => {
                    let ty = self.code.type_of(&part.primal.results[at]);
                    self.code.work.tangent(&ty)
                }
            };
            types.push(ty);
        }
        let body = self.along(part, &types, state.len());
        (inits, both, body, types)
    }

    pub(super) fn build_along(
        &mut self,
        stmt: &Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) {
        indices.iter().for_each(|it| self.code.builder.declare(*it, Type::Int));
        let part = self.part(body);
        let mut types = Vec::new();
        for (delta, result) in part.deltas.iter().zip(&part.primal.results) {
            let ty = self.code.type_of(result);
            types.push(if delta.is_some() { self.code.work.tangent(&ty) } else { None });
        }
        let n_results = types.len();
        let body = self.along(part, &types, n_results);
        let (sizes, indices) = (sizes.to_vec(), indices.to_vec());
        self.bind_along(
            &stmt.binders,
            &types,
            n_results,
            Op::Control(ControlOp::Build { sizes, indices, body }),
        );
    }

    pub(super) fn call_along(
        &mut self,
        stmt: &Stmt,
        (def, mask): (&Name, &[bool]),
        sizes: &[Size],
        args: &[Atom],
    ) {
        let name = jvp(self.code.work, def, mask);
        let deltas: Vec<Atom> = args.iter().filter_map(|it| self.delta(it)).collect();
        let args = args.iter().cloned().chain(deltas).collect();
        let op = Op::Function(FunctionOp::Call {
            def: name,
            types: Vec::new(),
            sizes: sizes.to_vec(),
            args,
        });
        let mut types = Vec::new();
        for binder in &stmt.binders {
            types.push(self.code.work.tangent(&binder.ty));
        }
        self.bind_along(&stmt.binders, &types, types.len(), op);
    }
}

/// The first `n_state`, their tangents, the others, their tangents.
fn grouped<T: Clone>(values: &[T], tangents: &[Option<T>], n_state: usize) -> Vec<T> {
    let (first, rest) = values.split_at(n_state);
    let (of_first, of_rest) = tangents.split_at(n_state);
    let groups = first.iter().chain(of_first.iter().flatten());
    groups.chain(rest).chain(of_rest.iter().flatten()).cloned().collect()
}
