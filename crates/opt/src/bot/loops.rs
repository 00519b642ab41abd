//! Loops under dimensions: one loop whose state is a batch, if the number of steps is the same
//! everywhere.
//!
//! `build k (\i. fold t xs step)  ~>  fold (build k (\i. t)) (tr (build k (\i. xs))) step'`
//! where `step'` is the step under the dimension of `i`.

use std::collections::BTreeMap;

use ir::{Atom, Binder, Block, ControlOp, Loop, Op, Size, Type, Var, walk};

use super::Vectorise;
use super::held::{Dims, Held, union};

/// A loop body under dimensions.
struct Step {
    state: Vec<Binder>,
    /// The dimensions of the state.
    dims: Vec<Dims>,
    body: Block,
    /// The dimensions of further results of the body.
    more: Vec<Dims>,
}

/// A loop under dimensions.
struct Steps {
    inits: Vec<Atom>,
    step: Step,
    elems: Vec<Binder>,
}

impl Vectorise<'_, '_> {
    pub(super) fn fold(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Option<Vec<Held>> {
        let (arrays, Steps { inits, step: done, elems }) = self.steps(inits, arrays, step)?;
        let step = Loop { state: done.state, elems, body: done.body };
        let results = self.builder.emit(Op::Control(ControlOp::Fold { inits, arrays, step }));
        let (last, collected) = results.split_at(done.dims.len());
        let mut res: Vec<Held> =
            last.iter().zip(&done.dims).map(|(it, dims)| Held::over(dims, it.clone())).collect();
        for (array, dims) in collected.iter().zip(&done.more) {
            res.push(Held::over(dims, self.own_axis_back(array.clone(), dims.len())));
        }
        Some(res)
    }

    pub(super) fn scan(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Option<Vec<Held>> {
        let (arrays, Steps { inits, step: done, elems }) = self.steps(inits, arrays, step)?;
        let step = Loop { state: done.state, elems, body: done.body };
        let results = self.builder.emit(Op::Control(ControlOp::Scan { inits, arrays, step }));
        let mut res = Vec::new();
        for (array, dims) in results.into_iter().zip(&done.dims) {
            res.push(Held::over(dims, self.own_axis_back(array, dims.len())));
        }
        Some(res)
    }

    /// What `fold` and `scan` have in common.
    fn steps(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Option<(Vec<Atom>, Steps)> {
        let inits = self.all_held(inits);
        let arrays = self.all_held(arrays);
        let mut elems = Vec::new();
        let mut turned = Vec::new();
        for (array, elem) in arrays.iter().zip(&step.elems) {
            turned.push(self.own_axis_first(array));
            elems.push((elem.clone(), array.dims.clone()));
        }
        Some((turned, self.step(&inits, &step.state, &elems, &step.body)?))
    }

    pub(super) fn iterate(
        &mut self,
        count: &Atom,
        index: Var,
        inits: &[Atom],
        (state, body): (&[Binder], &Block),
    ) -> Option<Vec<Held>> {
        let count = self.held(count);
        if !count.dims.is_empty() {
            return None;
        }
        let inits = self.all_held(inits);
        let counter = (Binder { var: index, ty: Type::Int }, Dims::new());
        let Steps { inits, step: done, .. } = self.step(&inits, state, &[counter], body)?;
        let (state, body) = (done.state, done.body);
        let op = Op::Control(ControlOp::Iterate { count: count.atom, index, inits, state, body });
        let results = self.builder.emit(op);
        Some(results.into_iter().zip(done.dims).map(|(it, dims)| Held::over(&dims, it)).collect())
    }

    /// A loop with these initial values; `None` if a size of the state differs between positions.
    fn step(
        &mut self,
        inits: &[Held],
        state: &[Binder],
        elems: &[(Binder, Dims)],
        body: &Block,
    ) -> Option<Steps> {
        let mut dims = self.state_dims(inits, state, elems, body);
        let changing = |it: &Var| state.iter().any(|binder| binder.var == *it);
        let depends = dims.iter().any(|it| !it.is_empty());
        if depends && state.iter().flat_map(|it| it.ty.size_vars()).any(|it| changing(&it)) {
            return None;
        }
        let mut binders = Vec::new();
        for (binder, dims) in elems {
            binders.push(self.binder(binder, dims)?);
        }
        let mut step = self.try_step(state, &dims, body)?;
        if step.is_none() {
            let all = dims.iter().fold(self.dims.clone(), |sum, it| union(&sum, it));
            dims = vec![all; state.len()];
            step = self.try_step(state, &dims, body)?;
        }
        let step = step.expect("compiler bug: a state depends on more than all dimensions");
        let inits = inits.iter().zip(&dims).map(|(it, dims)| self.expand(it, dims, &[])).collect();
        Some(Steps { inits, step, elems: binders })
    }

    fn binder(&mut self, binder: &Binder, dims: &Dims) -> Option<Binder> {
        let ty = Type::arrays(&self.sizes_of(dims), self.ty(&binder.ty)?);
        self.builder.declare(binder.var, ty.clone());
        self.env.insert(binder.var, Held::over(dims, Atom::Var(binder.var)));
        Some(Binder { var: binder.var, ty })
    }

    /// The body under a state of these dimensions; nothing if its results have more.
    fn try_step(&mut self, state: &[Binder], dims: &[Dims], body: &Block) -> Option<Option<Step>> {
        let mut new = Vec::new();
        for (binder, dims) in state.iter().zip(dims) {
            new.push(self.binder(binder, dims)?);
        }
        self.open();
        let work = std::mem::replace(&mut self.work, Size::constant(0));
        let held = self.block(body);
        self.work = work;
        let fits = Self::fits(&held, dims);
        let mut results = Vec::new();
        if fits {
            for (at, it) in held.iter().enumerate() {
                let dims = dims.get(at).unwrap_or(&it.dims);
                results.push(self.expand(it, dims, &[]));
            }
        }
        let body = self.close(results);
        let more = held.iter().skip(state.len()).map(|it| it.dims.clone()).collect();
        let step = Step { state: new, dims: dims.to_vec(), body, more };
        Some(fits.then_some(step))
    }

    /// The dimensions of a state: those of the initial values and of all that its next values are
    /// computed from, at least.
    fn state_dims(
        &self,
        inits: &[Held],
        state: &[Binder],
        elems: &[(Binder, Dims)],
        body: &Block,
    ) -> Vec<Dims> {
        let mut res: Vec<Dims> = inits.iter().map(|it| it.dims.clone()).collect();
        loop {
            let mut known: BTreeMap<Var, Dims> = BTreeMap::new();
            known.extend(state.iter().map(|it| it.var).zip(res.iter().cloned()));
            known.extend(elems.iter().map(|(it, dims)| (it.var, dims.clone())));
            for stmt in &body.stmts {
                let free = walk::free_vars_op(&stmt.op);
                let of = |it: &Var| known.get(it).cloned().unwrap_or_else(|| self.dims_of(*it));
                let dims = free.iter().fold(self.forced(stmt), |dims, it| union(&dims, &of(it)));
                known.extend(stmt.binders.iter().map(|it| (it.var, dims.clone())));
            }
            let next = body.results.iter().zip(&res).map(|(result, dims)| match result {
                Atom::Var(var) => {
                    let more = known.get(var).cloned().unwrap_or_else(|| self.dims_of(*var));
                    union(dims, &more)
                }
                Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => dims.clone(),
            });
            let next: Vec<Dims> = next.collect();
            if next == res {
                return res;
            }
            res = next;
        }
    }
}
