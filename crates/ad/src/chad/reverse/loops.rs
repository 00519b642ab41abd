//! Loops: the steps forwards, keeping what their pull-backs need, and then the pull-backs from the last
//! step to the first.
//!
//! Paper: Section 10 names them. The cotangent of the state is the state of the loop that goes back, and
//! beside it are the sums of what the body mentions of outside, so that each step adds to them in place.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Loop, Op, Prim, Size, Stmt, Type, Var};

use super::environment::{Sum, changed};
use super::{Pull, Reverse};
use crate::linear::code::atoms;
use crate::linear::steps::{Kept, Sources};

/// The pull-back of a loop, closed.
struct Back {
    /// For each part of the state that is active, what it began with, its result, and the leaves of its
    /// cotangent inside of a step.
    state: Vec<(Atom, Var, Vec<Binder>)>,
    /// For each collected result that is active, its variable, and the leaves of the cotangent of what
    /// one step gave.
    collected: Vec<(Var, Vec<Binder>)>,
    /// The arrays that the loop goes through and that are active; a step gives the leaves of the
    /// cotangents of their elements behind everything else.
    arrays: Vec<Atom>,
    sums: Vec<Sum>,
    pull: Block,
    kept: Kept,
    /// The arrays of what was kept.
    saved: Vec<Var>,
    /// The arrays whose elements the pull-back reads again.
    again: Vec<(Atom, Binder)>,
    n_steps: Size,
}

impl Reverse<'_> {
    pub(super) fn scan(
        &mut self,
        stmt: &Stmt,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Option<Pull> {
        let mut step = step.clone();
        step.body.results.extend(step.body.results.clone());
        let last: Vec<Binder> =
            step.state.iter().map(|it| self.work.code.fresh(it.ty.clone())).collect();
        let binders: Vec<Binder> = last.into_iter().chain(stmt.binders.clone()).collect();
        self.fold(&binders, inits, arrays, &step)
    }

    pub(super) fn iterate(
        &mut self,
        stmt: &Stmt,
        (count, index): (&Atom, Var),
        (inits, state): (&[Atom], &[Binder]),
        body: &Block,
    ) -> Option<Pull> {
        let size = self.work.code.prim(Prim::Max, vec![count.clone(), Atom::Int(0)]);
        let size = ir::signature::atom_size(&size).expect("an Int");
        let all = self.work.code.one(Op::Array(ArrayOp::Iota(size)));
        let elems = vec![Binder { var: index, ty: Type::Int }];
        let step = Loop { state: state.to_vec(), elems, body: body.clone() };
        self.fold(&stmt.binders, inits, &[all], &step)
    }

    pub(super) fn fold(
        &mut self,
        binders: &[Binder],
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Option<Pull> {
        let mut active = self.active.clone();
        let (on, _) = self.work.loop_activity(inits, arrays, step, &mut active);
        self.work.code.declare(&step.elems);
        let bound: Vec<Binder> = step.state.iter().chain(&step.elems).cloned().collect();
        let mut elems = Vec::new();
        for (array, elem) in arrays.iter().zip(&step.elems) {
            if self.is_active(array) && self.activate(elem) {
                elems.push((array.clone(), elem.clone()));
            }
        }
        let vars: Vec<Var> = elems.iter().map(|it| it.1.var).collect();
        let (body, mut back) =
            self.steps((inits, &step.state, &on), binders, &step.body, (&bound, &vars));
        back.arrays = elems.into_iter().map(|it| it.0).collect();
        back.n_steps = self.work.code.sizes_of(&arrays[0]).remove(0);
        let again: BTreeSet<Var> = step.elems.iter().map(|it| it.var).collect();
        back.kept = self.kept(&body, &bound, &mut back.pull, &again);
        let (body, saved) = self.with_kept(body, &back.kept);
        let vars: Vec<Var> = binders.iter().map(|it| it.var).chain(saved.clone()).collect();
        let (inits, arrays) = (inits.to_vec(), arrays.to_vec());
        let step_ = Loop { body, ..step.clone() };
        self.work.code.bind(
            &vars,
            Op::Control(ControlOp::Fold { inits, arrays: arrays.clone(), step: step_ }),
        );
        back.saved = saved;
        back.again = arrays.into_iter().zip(step.elems.clone()).collect();
        self.ended(binders, back)
    }

    pub(super) fn while_(
        &mut self,
        stmt: &Stmt,
        (inits, state): (&[Atom], &[Binder]),
        cond: &Block,
        body: &Block,
    ) -> Option<Pull> {
        let mut active = self.active.clone();
        let (on, _) = self.work.state_activity(inits, state, body, &mut active);
        let n_collected = body.results.len() - state.len();
        // The count stands between the state and what is collected.
        let mut binders = stmt.binders.clone();
        let count = match n_collected {
            0 => self.work.code.fresh(Type::Int).var,
            _ => binders.remove(state.len()).var,
        };
        self.work.code.builder.declare(count, Type::Int);
        let (body, mut back) = self.steps((inits, state, &on), &binders, body, (state, &[]));
        back.kept = self.kept(&body, state, &mut back.pull, &BTreeSet::new());
        let (mut body, saved) = self.with_kept(body, &back.kept);
        let mut vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        vars.insert(state.len(), count);
        vars.extend(&saved);
        if body.results.len() == state.len() {
            // Something has to be collected, so that the steps are counted.
            body.results.push(Atom::Bool(true));
            vars.push(self.work.code.fresh(Type::unit()).var);
        }
        let (inits, state, cond) = (inits.to_vec(), state.to_vec(), cond.clone());
        self.work.code.bind(&vars, Op::Control(ControlOp::While { inits, state, cond, body }));
        back.saved = saved;
        back.n_steps = Size::var(count);
        self.ended(&binders, back)
    }

    /// The values of a step and its pull-back, before it is known what is kept of it.
    fn steps(
        &mut self,
        (inits, state, on): (&[Atom], &[Binder], &[bool]),
        results: &[Binder],
        body: &Block,
        (bound, elems): (&[Binder], &[Var]),
    ) -> (Block, Back) {
        self.work.code.declare(state);
        self.work.check_sizes(state, on);
        let bound = bound.iter().map(|it| it.var).collect();
        let sums = self.captured(&[body], &bound);
        let active: Vec<&Binder> = state.iter().zip(on).filter(|it| *it.1).map(|it| it.0).collect();
        active.iter().for_each(|it| {
            self.activate(it);
        });
        let part = self.part(body);
        let (mut cotangents, mut states, mut collected) = (Vec::new(), Vec::new(), Vec::new());
        for (at, result) in part.values.results.iter().enumerate() {
            let ty = match state.get(at) {
                Some(state) if on[at] => Some(state.ty.clone()),
                None if self.is_active(result) => Some(self.work.code.type_of(result)),
                Some(_) | None => None,
            };
            let Some(ty) = ty else {
                cotangents.push(Vec::new());
                continue;
            };
            let leaves = self.work.code.leaves(&ty).into_iter();
            let leaves: Vec<Binder> = leaves.map(|it| self.work.code.fresh(it)).collect();
            cotangents.push(atoms(&leaves));
            match inits.get(at) {
                Some(init) => states.push((init.clone(), results[at].var, leaves)),
                None => collected.push((results[at].var, leaves)),
            }
        }
        let vars: Vec<Var> = active.iter().map(|it| it.var).collect();
        let (values, pull) = self.pulled(part, cotangents, &sums, |it| {
            let before = vars.iter().flat_map(|var| it.take_or_zeros(*var)).collect::<Vec<_>>();
            let elems = elems.iter().flat_map(|var| it.take_or_zeros(*var)).collect::<Vec<_>>();
            before.into_iter().chain(elems).collect()
        });
        let mut pulls = [pull];
        let sums = changed(sums, &mut pulls);
        let [pull] = pulls;
        let (arrays, saved, again) = (Vec::new(), Vec::new(), Vec::new());
        let (kept, n_steps) = (Kept::Each(Vec::new()), Size::constant(0));
        let back =
            Back { state: states, collected, arrays, sums, pull, kept, saved, again, n_steps };
        (values, back)
    }

    /// Says which results are active, and that there is a loop back.
    fn ended(&mut self, binders: &[Binder], back: Back) -> Option<Pull> {
        let state = back.state.iter().map(|it| it.1);
        let results: BTreeSet<Var> = state.chain(back.collected.iter().map(|it| it.0)).collect();
        let mut any = false;
        for binder in binders.iter().filter(|it| results.contains(&it.var)) {
            any |= self.activate(binder);
        }
        any.then(|| Box::new(move |it: &mut Reverse<'_>| it.back(back)) as Pull)
    }

    /// The loop back.
    fn back(&mut self, back: Back) {
        let found: Vec<_> = back.state.iter().map(|it| self.take_all(it.1)).collect();
        let rows: Vec<_> = back.collected.iter().map(|it| self.take_all(it.0)).collect();
        if found.iter().chain(&rows).all(Option::is_none) {
            return;
        }
        let (mut inits, mut state) = (Vec::new(), Vec::new());
        for ((_, result, leaves), found) in back.state.iter().zip(found) {
            let found = found.unwrap_or_else(|| self.take_or_zeros(*result));
            for (cotangent, leaf) in found.into_iter().zip(leaves) {
                inits.push(self.work.code.fit(cotangent, &leaf.ty));
                state.push(leaf.clone());
            }
        }
        let n_state = state.len();
        for sum in &back.sums {
            inits.push(self.sum_or_zeros(sum.slot));
            state.push(sum.given.clone());
        }
        let (mut sources, mut names): (Sources, _) = (Vec::new(), BTreeMap::new());
        let free = ir::walk::free_vars_block(&back.pull);
        if let Kept::Each(_) = &back.kept {
            for (array, elem) in back.again.iter().filter(|it| free.contains(&it.1.var)) {
                self.work.code.source(&mut sources, &mut names, array.clone(), elem);
            }
        }
        let saved: Vec<Atom> = back.saved.iter().map(|it| Atom::Var(*it)).collect();
        let mut zeros = Vec::new();
        for ((_, leaves), rows) in back.collected.iter().zip(rows) {
            match rows {
                Some(rows) => sources.extend(rows.into_iter().zip(leaves.clone())),
                None => zeros.extend(leaves.clone()),
            }
        }
        let inside = self.unpacked(&back.pull, &back.kept, &saved, &mut sources, &mut names);
        let body = self.with_zeros(&zeros, inside, (n_state, back.sums.len()));
        if sources.is_empty() {
            let all = self.work.code.one(Op::Array(ArrayOp::Iota(back.n_steps.clone())));
            sources.push((all, self.work.code.fresh(Type::Int)));
        }
        let (mut arrays, mut elems) = (Vec::new(), Vec::new());
        for (array, elem) in sources {
            arrays.push(self.work.code.one(Op::Array(ArrayOp::Reverse(array))));
            elems.push(elem);
        }
        let step = Loop { state, elems, body };
        let mut results = self.work.code.emit(Op::Control(ControlOp::Fold { inits, arrays, step }));
        let rows = results.split_off(n_state + back.sums.len());
        let sums = results.split_off(n_state);
        self.sums.extend(back.sums.iter().map(|it| it.slot).zip(sums));
        let mut results = results.into_iter();
        for (init, _, leaves) in &back.state {
            self.contribute_all(init, results.by_ref().take(leaves.len()).collect());
        }
        let mut rows = rows.into_iter();
        for array in &back.arrays {
            let n_leaves = self.leaves_of(array).len();
            for leaf in 0..n_leaves {
                let row = rows.next().expect("a row for each leaf");
                let row = self.work.code.one(Op::Array(ArrayOp::Reverse(row)));
                self.contribute(array, leaf, row);
            }
        }
    }

    /// The body with zeros for cotangents that are absent. A step gives the cotangent of the state, of
    /// elements, and sums; a loop wants its state first, so the sums come before the elements.
    fn with_zeros(
        &mut self,
        zeros: &[Binder],
        body: Block,
        (n_state, n_sums): (usize, usize),
    ) -> Block {
        self.work.code.builder.open();
        for binder in zeros {
            let zero = self.work.code.zeros(&binder.ty);
            self.work.code.bind(&[binder.var], Op::Copy(zero));
        }
        let mut first = self.work.code.builder.close(Vec::new()).stmts;
        first.extend(body.stmts);
        let mut results = body.results;
        let mut elems = results.split_off(n_state);
        let sums = elems.split_off(elems.len() - n_sums);
        results.extend(sums.into_iter().chain(elems));
        Block { stmts: first, results }
    }

    /// D[build]: a loop over all elements, each of which adds to the sums of what it mentions.
    pub(super) fn build(
        &mut self,
        stmt: &Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) -> Option<Pull> {
        indices.iter().for_each(|it| self.work.code.builder.declare(*it, Type::Int));
        let bound: Vec<Binder> =
            indices.iter().map(|it| Binder { var: *it, ty: Type::Int }).collect();
        let (values, mut back) = self.steps((&[], &[], &[]), &stmt.binders, body, (&bound, &[]));
        let again: BTreeSet<Var> = indices.iter().copied().collect();
        back.kept = self.kept(&values, &bound, &mut back.pull, &again);
        let (values, saved) = self.with_kept(values, &back.kept);
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).chain(saved.clone()).collect();
        let (sizes, indices) = (sizes.to_vec(), indices.to_vec());
        let op = Op::Control(ControlOp::Build {
            sizes: sizes.clone(),
            indices: indices.clone(),
            body: values,
        });
        self.work.code.bind(&vars, op);
        back.saved = saved;
        let mut any = false;
        for binder in &stmt.binders {
            let on = back.collected.iter().any(|it| it.0 == binder.var);
            any |= on && self.activate(binder);
        }
        any.then(|| {
            Box::new(move |it: &mut Reverse<'_>| it.unbuild(back, &sizes, &indices)) as Pull
        })
    }

    fn unbuild(&mut self, back: Back, sizes: &[Size], indices: &[Var]) {
        let rows: Vec<_> = back.collected.iter().map(|it| self.take_all(it.0)).collect();
        if rows.iter().all(Option::is_none) || back.sums.is_empty() {
            return;
        }
        let count = sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        let number = self.work.code.fresh(Type::Int);
        let all = self.work.code.one(Op::Array(ArrayOp::Iota(count.clone())));
        let (mut sources, mut zeros): (Sources, _) = (vec![(all, number.clone())], Vec::new());
        let mut given: Sources = Vec::new();
        for ((_, leaves), rows) in back.collected.iter().zip(rows) {
            match rows {
                Some(rows) => given.extend(rows.into_iter().zip(leaves.clone())),
                None => zeros.extend(leaves.clone()),
            }
        }
        let again: Vec<Var> = indices.iter().map(|_| self.work.code.fresh(Type::Int).var).collect();
        let at = again.iter().map(|it| Atom::Var(*it));
        let mut names: BTreeMap<Var, Atom> = indices.iter().copied().zip(at).collect();
        let saved: Vec<Atom> = back.saved.iter().map(|it| Atom::Var(*it)).collect();
        let inside = self.unpacked(&back.pull, &back.kept, &saved, &mut given, &mut names);
        for (array, elem) in given {
            let op = Op::Array(ArrayOp::Reshape {
                array,
                rank: sizes.len(),
                sizes: vec![count.clone()],
            });
            sources.push((self.work.code.one(op), elem));
        }
        let inside = self.with_zeros(&zeros, inside, (0, back.sums.len()));
        self.work.code.builder.open();
        self.positions_from(&again, sizes, Atom::Var(number.var));
        let mut body = self.work.code.builder.close(inside.results);
        body.stmts.extend(inside.stmts);
        let inits = back.sums.iter().map(|it| it.slot).collect::<Vec<_>>();
        let inits = inits.into_iter().map(|it| self.sum_or_zeros(it)).collect();
        let state = back.sums.iter().map(|it| it.given.clone()).collect();
        let (arrays, elems) = sources.into_iter().unzip();
        let step = Loop { state, elems, body };
        let sums = self.work.code.emit(Op::Control(ControlOp::Fold { inits, arrays, step }));
        self.sums.extend(back.sums.iter().map(|it| it.slot).zip(sums));
    }

    /// The indices of a build from the number of its element.
    fn positions_from(&mut self, indices: &[Var], sizes: &[Size], number: Atom) {
        let mut rest = number;
        for (at, (var, size)) in indices.iter().zip(sizes).enumerate().rev() {
            if at == 0 {
                self.work.code.bind(&[*var], Op::Copy(rest));
                return;
            }
            let size = self.work.code.int(size);
            self.work.code.bind(&[*var], Op::Prim(Prim::Rem, vec![rest.clone(), size.clone()]));
            rest = self.work.code.prim(Prim::Div, vec![rest, size]);
        }
    }
}
