//! Loops, and builds that are left, which the paper does not have.
//!
//! A loop collects what the Delta term of its body needs in each step, and the Delta term is a loop
//! over what was collected: `fold` and `scan` again, `iterate` as a fold over its indices, `while` as
//! a fold over as many steps as it took.

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Loop, Op, Size, Stmt, Type, Var, walk};

use crate::bulk::dual::{Bound, Dual, State};
use crate::linear::saved::locals;
use crate::linear::steps::{Kept, Sources};

impl Dual<'_> {
    pub(super) fn fold_apart(
        &mut self,
        binders: &[Binder],
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
        span: Option<Span>,
    ) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.work.loop_activity(inits, arrays, step, &mut active);
        self.work.code.declare(&step.state);
        self.work.code.declare(&step.elems);
        self.check_sizes(&step.state, &on, span);
        let state = self.state_deltas(&step.state, &on);
        let mut sources: Sources = Vec::new();
        for (array, elem) in arrays.iter().zip(&step.elems) {
            if let Some(delta) = self.delta(array) {
                let ty = self.work.code.tangent(&elem.ty).expect("an active element");
                let elem = self.input(elem.var, ty);
                sources.push((delta, elem));
            }
        }
        let (body, term, results) = self.step(&step.body, &step.state, &on);

        let bound: Vec<Binder> = step.state.iter().chain(&step.elems).cloned().collect();
        let elems: BTreeSet<Var> = step.elems.iter().map(|it| it.var).collect();
        let locals = locals(&body, &bound);
        let term = self.work.code.with_views(&body, term, &locals);
        let kept = self.work.code.kept(&self.def.name, &term, &locals, &elems);
        let body = self.work.code.with_kept(body, &kept);
        let n_more = body.results.len() - binders.len();
        let more: Vec<Var> = (0..n_more).map(|_| self.work.code.fresh(Type::unit()).var).collect();
        let vars: Vec<Var> = binders.iter().map(|it| it.var).chain(more.clone()).collect();
        let step_ = Loop { body, ..step.clone() };
        let (inits_, arrays_) = (inits.to_vec(), arrays.to_vec());
        self.keep_as(
            &vars,
            Op::Control(ControlOp::Fold { inits: inits_, arrays: arrays_, step: step_ }),
        );

        let free = walk::free_vars_block(&term);
        let mut names = BTreeMap::new();
        if let Kept::Each(_) = &kept {
            for (array, elem) in arrays.iter().zip(&step.elems) {
                if free.contains(&elem.var) {
                    self.work.code.source(&mut sources, &mut names, array.clone(), elem);
                }
            }
        }
        if sources.is_empty() && more.is_empty() {
            self.work.code.source(&mut sources, &mut names, arrays[0].clone(), &step.elems[0]);
        }
        let more: Vec<Atom> = more.into_iter().map(Atom::Var).collect();
        let body = self.term_body(term, &kept, &more, &mut sources, names);
        self.term_fold(binders, inits, (&on, &results), state, sources, body);
    }

    pub(super) fn while_apart(
        &mut self,
        (binders, span): Bound<'_>,
        (inits, state): State<'_>,
        cond: &Block,
        body: &Block,
    ) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.work.state_activity(inits, state, body, &mut active);
        self.work.code.declare(state);
        self.check_sizes(state, &on, span);
        let deltas = self.state_deltas(state, &on);
        let n_collected = body.results.len() - state.len();
        let (body, term, results) = self.step(body, state, &on);

        let locals = locals(&body, state);
        let term = self.work.code.with_views(&body, term, &locals);
        let kept = self.work.code.kept(&self.def.name, &term, &locals, &BTreeSet::new());
        let mut body = self.work.code.with_kept(body, &kept);
        if body.results.len() == state.len() {
            // Something has to be collected, so that the steps are counted.
            body.results.push(Atom::Bool(true));
        }
        let n_more = body.results.len() - state.len() - n_collected;
        let more: Vec<Var> = (0..n_more).map(|_| self.work.code.fresh(Type::unit()).var).collect();
        let mut vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        if n_collected == 0 {
            vars.push(self.work.code.fresh(Type::Int).var);
        }
        vars.extend(&more);
        let (inits_, state_, cond) = (inits.to_vec(), state.to_vec(), cond.clone());
        self.keep_as(
            &vars,
            Op::Control(ControlOp::While { inits: inits_, state: state_, cond, body }),
        );

        let (mut sources, mut names) = (Vec::new(), BTreeMap::new());
        let more: Vec<Atom> = more.into_iter().map(Atom::Var).collect();
        if let Kept::Each(vars) = &kept
            && vars.is_empty()
        {
            let array = match more.first() {
                Some(array) => array.clone(),
                None => Atom::Var(binders[state.len() + 1].var),
            };
            let Type::Array(_, elem) = self.work.code.type_of(&array) else {
                panic!("compiler bug: an array")
            };
            let elem = Binder { var: Var(u32::MAX), ty: (*elem).clone() };
            self.work.code.source(&mut sources, &mut names, array, &elem);
        }
        let body = self.term_body(term, &kept, &more, &mut sources, names);
        let mut binders = binders.to_vec();
        if n_collected > 0 {
            binders.remove(state.len());
        }
        self.term_fold(&binders, inits, (&on, &results), deltas, sources, body);
    }

    pub(super) fn build_apart(
        &mut self,
        stmt: &Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) {
        indices.iter().for_each(|it| self.work.code.builder.declare(*it, Type::Int));
        let (body, term, results) = self.step(body, &[], &[]);
        if !results.contains(&true) {
            return self.keep(stmt);
        }
        let bound: Vec<Binder> =
            indices.iter().map(|it| Binder { var: *it, ty: Type::Int }).collect();
        let (locals, again) = (locals(&body, &bound), indices.iter().copied().collect());
        let term = self.work.code.with_views(&body, term, &locals);
        let kept = self.work.code.kept(&self.def.name, &term, &locals, &again);
        let body = self.work.code.with_kept(body, &kept);
        let n_more = body.results.len() - stmt.binders.len();
        let more: Vec<Var> = (0..n_more).map(|_| self.work.code.fresh(Type::unit()).var).collect();
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).chain(more.clone()).collect();
        let (sizes, indices) = (sizes.to_vec(), indices.to_vec());
        self.keep_as(
            &vars,
            Op::Control(ControlOp::Build { sizes: sizes.clone(), indices: indices.clone(), body }),
        );

        let again: Vec<Var> = indices.iter().map(|_| self.work.code.fresh(Type::Int).var).collect();
        let at: Vec<Atom> = again.iter().map(|it| Atom::Var(*it)).collect();
        let names: BTreeMap<Var, Atom> = indices.iter().copied().zip(at.iter().cloned()).collect();
        let (mut sources, more) = (Vec::new(), more.into_iter().map(Atom::Var).collect::<Vec<_>>());
        let mut body = self.term_body_of(term, &kept, &more, sizes.len(), &mut sources, names);
        let mut reads = Vec::new();
        for (array, elem) in sources {
            let op = Op::Array(ArrayOp::Index { array, indices: at.clone() });
            reads.push(Stmt { binders: vec![elem], op });
        }
        body.stmts.splice(0..0, reads);
        let deltas = self.linear(Op::Control(ControlOp::Build { sizes, indices: again, body }));
        let active = stmt.binders.iter().zip(&results).filter(|(_, on)| **on);
        for ((binder, _), delta) in active.zip(deltas) {
            self.set(binder, delta);
        }
    }

    /// The body of a loop and its term; which results of the body are active.
    fn step(&mut self, body: &Block, state: &[Binder], on: &[bool]) -> (Block, Block, Vec<bool>) {
        let part = self.part(body);
        let mut types = Vec::new();
        for (at, delta) in part.deltas.iter().enumerate() {
            let ty = match state.get(at) {
                Some(state) if on[at] => self.work.code.tangent(&state.ty),
                Some(_) => None,
                None if delta.is_some() => {
                    let ty = self.work.code.type_of(&part.primal.results[at]);
                    self.work.code.tangent(&ty)
                }
                None => None,
            };
            types.push(ty);
        }
        let results = types.iter().map(Option::is_some).collect();
        let (body, term) = self.finish(part, &types);
        (body, term, results)
    }

    /// Sizes of the state that change from step to step have no loop of Deltas.
    fn check_sizes(&mut self, state: &[Binder], on: &[bool], span: Option<Span>) {
        let vars: BTreeSet<Var> = state.iter().map(|it| it.var).collect();
        let mut active = state.iter().zip(on).filter(|(_, on)| **on);
        if active.any(|(it, _)| it.ty.size_vars().iter().any(|var| vars.contains(var))) {
            self.refuse(span, "the steps of a loop change the size of its state");
        }
    }

    fn term_body(
        &mut self,
        term: Block,
        kept: &Kept,
        arrays: &[Atom],
        sources: &mut Sources,
        names: BTreeMap<Var, Atom>,
    ) -> Block {
        self.term_body_of(term, kept, arrays, 1, sources, names)
    }

    /// The term as the body of a loop over what was kept, in arrays of so many dimensions.
    fn term_body_of(
        &mut self,
        term: Block,
        kept: &Kept,
        arrays: &[Atom],
        rank: usize,
        sources: &mut Sources,
        mut names: BTreeMap<Var, Atom>,
    ) -> Block {
        match kept {
            Kept::Each(vars) => {
                for (array, var) in arrays.iter().zip(vars) {
                    let ty = self.work.code.type_of(&Atom::Var(*var));
                    self.work.code.source(
                        sources,
                        &mut names,
                        array.clone(),
                        &Binder { var: *var, ty },
                    );
                }
                walk::substitute_block(&term, &names)
            }
            Kept::Packed(needs, ty, con) => {
                debug_assert!(rank >= 1 && arrays.len() == 1, "one value for each step");
                let saved = self.work.code.fresh(ty.clone());
                sources.push((arrays[0].clone(), saved.clone()));
                // What is saved first: an index that sizes mention is among it.
                let mut arm = self.work.code.saved_arm(ty, con, needs, term);
                arm.body = walk::substitute_block(&arm.body, &names);
                let value = Atom::Var(saved.var);
                let op = Op::Control(ControlOp::Match { value, arms: vec![arm], otherwise: None });
                let stmt = self.work.code.fresh_stmt(op);
                self.linear.extend(stmt.binders.iter().map(|it| it.var));
                self.work.code.declare(&stmt.binders);
                let results = stmt.binders.iter().map(|it| Atom::Var(it.var)).collect();
                Block { stmts: vec![stmt], results }
            }
        }
    }

    /// The loop of Deltas; says what the results of the loop depend on.
    fn term_fold(
        &mut self,
        binders: &[Binder],
        inits: &[Atom],
        (on, results): (&[bool], &[bool]),
        state: Vec<Binder>,
        sources: Sources,
        body: Block,
    ) {
        let mut first = Vec::new();
        for (init, _) in inits.iter().zip(on).filter(|(_, on)| **on) {
            let delta = self.delta_or_zeros(init);
            let at = first.len();
            let delta = self.fit(delta, &state[at].ty.clone());
            first.push(delta);
        }
        let (arrays, elems) = sources.into_iter().unzip();
        let step = Loop { state, elems, body };
        let deltas = self.linear(Op::Control(ControlOp::Fold { inits: first, arrays, step }));
        let active = binders.iter().zip(results).filter(|(_, on)| **on);
        for ((binder, _), delta) in active.zip(deltas) {
            self.set(binder, delta);
        }
    }
}
