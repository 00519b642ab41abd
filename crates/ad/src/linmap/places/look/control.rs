//! The places of what has blocks, and of calls.

use std::collections::BTreeSet;

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, Loop, Op, Type, Var, walk};

use super::super::{Along, Places};
use super::Look;
use crate::linear::code::var_of;
use crate::tuning::DEEPEST_WALK;

impl Look<'_> {
    pub(super) fn control(&mut self, op: &ControlOp, binders: &[Binder]) -> Vec<Places> {
        if self.depth >= DEEPEST_WALK as usize {
            return self.anything(&Op::Control(op.clone()), binders);
        }
        match op {
            ControlOp::If { then, otherwise, .. } => {
                self.branches(&[(&[], then), (&[], otherwise)])
            }
            ControlOp::Match { value, arms, otherwise } => {
                let of = self.of(value);
                for arm in arms {
                    self.fields_of(value, arm, &of);
                }
                let arms = arms.iter().map(|it| (&*it.fields, &it.body));
                let otherwise = otherwise.iter().map(|it| (&[][..], it));
                self.branches(&arms.chain(otherwise).collect::<Vec<_>>())
            }
            ControlOp::Build { indices, body, .. } => self.build(indices, body, binders),
            ControlOp::Fold { inits, arrays, step } => {
                let (state, collected) = self.steps(inits, arrays, &[], step);
                state.into_iter().chain(collected).collect()
            }
            ControlOp::Scan { inits, arrays, step } => {
                let (state, _) = self.steps(inits, arrays, &[], step);
                state.iter().map(|it| it.turned(|axis| Along::Axis(axis + 1))).collect()
            }
            ControlOp::Iterate { index, inits, state, body, .. } => {
                self.steps(inits, &[], &ints(&[*index]), &repeated(state, body)).0
            }
            ControlOp::While { inits, state, body, .. } => {
                let (mut res, collected) = self.steps(inits, &[], &[], &repeated(state, body));
                if !collected.is_empty() {
                    // The number of steps.
                    res.push(Places::default());
                }
                res.extend(collected);
                res
            }
        }
    }

    /// The fields of a value of a sum type.
    fn fields_of(&mut self, value: &Atom, arm: &Arm, of: &Places) {
        self.declare(&arm.fields);
        let known = var_of(value).and_then(|it| self.fields.get(&it)).cloned().unwrap_or_default();
        for (at, field) in arm.fields.iter().enumerate() {
            self.places.insert(field.var, of.clone());
            if let Some(int) = known.get(&(arm.con.clone(), at)) {
                self.ints.insert(field.var, *int);
            }
        }
    }

    /// What the results of blocks depend on of which one runs.
    fn branches(&mut self, blocks: &[(&[Binder], &Block)]) -> Vec<Places> {
        let mut res: Option<Vec<Places>> = None;
        for (bound, block) in blocks {
            let own = self.block(block);
            let bound = bound_by(bound, block);
            let own: Vec<Places> = own.iter().map(|it| it.moved(|it| left(it, &bound))).collect();
            res = Some(match res {
                None => own,
                Some(all) => all.into_iter().zip(own).map(|(all, own)| all.and(own)).collect(),
            });
        }
        res.unwrap_or_default()
    }

    fn build(&mut self, indices: &[Var], body: &Block, binders: &[Binder]) -> Vec<Places> {
        let own = ints(indices);
        self.declare(&own);
        let found = self.block(body);
        let bound = bound_by(&own, body);
        let outside = |it: Along| {
            let at = |var: Var| indices.iter().position(|it| *it == var);
            match it {
                Along::Axis(axis) => Along::Axis(axis + indices.len()),
                Along::Var(var) => at(var).map_or(left(it, &bound), Along::Axis),
                Along::Int(_) | Along::Param(_) | Along::Step(_) | Along::All => it,
            }
        };
        for (binder, atom) in binders.iter().zip(&body.results) {
            self.note(binder.var, atom, &outside);
        }
        found.iter().map(|it| it.moved(outside)).collect()
    }

    /// What the state of a loop depends on after any number of steps, and what it collects.
    fn steps(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        more: &[Binder],
        step: &Loop,
    ) -> (Vec<Places>, Vec<Places>) {
        let depth = self.depth;
        self.depth += 1;
        let bound: Vec<Binder> = [more, &step.state, &step.elems].concat();
        let all_bound = bound_by(&bound, &step.body);
        let in_step = |axis: usize| match axis.checked_sub(1) {
            Some(axis) => Along::Axis(axis),
            None => Along::Step(depth),
        };
        let mut state: Vec<Places> = inits.iter().map(|it| self.of(it)).collect();
        let collected = loop {
            self.declare(&bound);
            for (array, elem) in arrays.iter().zip(&step.elems) {
                let places = self.of(array).turned(in_step);
                self.places.insert(elem.var, places);
                self.note(elem.var, array, &|it| it.turned(&in_step));
            }
            for (binder, places) in step.state.iter().zip(&state) {
                self.places.insert(binder.var, places.clone());
            }
            let mut found = self.block(&step.body);
            let collected = found.split_off(state.len());
            let outside = |it: Along| match it {
                Along::Step(at) if at >= depth => Along::All,
                Along::Axis(_) | Along::Int(_) | Along::Param(_) => it,
                Along::Step(_) | Along::All => it,
                Along::Var(_) => left(it, &all_bound),
            };
            let next: Vec<Places> = std::iter::zip(&state, found)
                .map(|(all, own)| all.clone().and(own.moved(outside)))
                .collect();
            if next == state {
                break collected;
            }
            state = next;
        };
        self.depth -= 1;
        let behind = |it: Along| match it {
            Along::Axis(axis) => Along::Axis(axis + 1),
            Along::Step(at) if at == depth => Along::Axis(0),
            Along::Step(at) if at > depth => Along::All,
            Along::Int(_) | Along::Param(_) | Along::Step(_) | Along::All => it,
            Along::Var(_) => left(it, &all_bound),
        };
        (state, collected.iter().map(|it| it.moved(behind)).collect())
    }

    /// What the results of a call depend on: the places of the callee, of arguments.
    pub(super) fn call(&mut self, def: &Name, args: &[Atom], binders: &[Binder]) -> Vec<Places> {
        let Some(known) = self.known_of(&(def.clone(), self.what)) else {
            return vec![Places::default(); binders.len()];
        };
        let through = |result: &Places| {
            let mut res = Places::default();
            for place in &result.0 {
                let arg = self.of(&args[place.param]);
                let along = |axis: usize| {
                    let along = place.along[axis];
                    if let Along::Param(at) = along { self.int(&args[at]) } else { along }
                };
                res = res.and(arg.turned(along));
            }
            res
        };
        known.iter().map(through).collect()
    }
}

/// The step of a loop that goes through no arrays.
fn repeated(state: &[Binder], body: &Block) -> Loop {
    Loop { state: state.to_vec(), elems: Vec::new(), body: body.clone() }
}

fn ints(vars: &[Var]) -> Vec<Binder> {
    vars.iter().map(|it| Binder { var: *it, ty: Type::Int }).collect()
}

/// All that is bound in front of a block and in it.
fn bound_by(binders: &[Binder], block: &Block) -> BTreeSet<Var> {
    let mut res = walk::bound_vars(block);
    res.extend(binders.iter().map(|it| it.var));
    res
}

/// Where it is outside of a block that binds these.
fn left(along: Along, bound: &BTreeSet<Var>) -> Along {
    match along {
        Along::Var(var) if bound.contains(&var) => Along::All,
        Along::Axis(_) | Along::Int(_) | Along::Var(_) => along,
        Along::Param(_) | Along::Step(_) | Along::All => along,
    }
}
