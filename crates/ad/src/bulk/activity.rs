//! Which values depend on an active input as far as derivatives go; a fixed point over loops and
//! recursion.

use std::collections::BTreeSet;

use base::Name;
use ir::{
    Atom, Binder, Block, ControlOp, DeltaOp, Dependence, DeriveOp, FunctionOp, Loop, Op, Stmt, Var,
    partial, walk,
};

use super::work::Work;
use crate::linear::code::var_of;

impl Work {
    /// Which results of a definition are active if the parameters of the mask are.
    pub(crate) fn active_results(&mut self, name: &Name, mask: &[bool]) -> Vec<bool> {
        let key = (name.clone(), mask.to_vec());
        if let Some(known) = self.active.get(&key) {
            return known.clone();
        }
        let n_results = self.code.program().defs.get(name).map_or(0, |it| it.results.len());
        self.active.insert(key.clone(), vec![false; n_results]);
        if let Some(unsettled) = &mut self.unsettled {
            *unsettled = true;
            return vec![false; n_results];
        }
        self.unsettled = Some(true);
        while self.unsettled == Some(true) {
            self.unsettled = Some(false);
            let keys: Vec<_> = self.active.keys().cloned().collect();
            for key in keys {
                let found = self.once(&key.0, &key.1);
                if self.active.get(&key) != Some(&found) {
                    self.active.insert(key, found);
                    self.unsettled = Some(true);
                }
            }
        }
        self.unsettled = None;
        self.active[&key].clone()
    }

    fn once(&mut self, name: &Name, mask: &[bool]) -> Vec<bool> {
        let Some(def) = self.code.program().defs.get(name).cloned() else { return Vec::new() };
        let on = def.params.iter().zip(mask).filter(|(it, on)| **on && self.is_smooth(it));
        let mut active: BTreeSet<Var> = on.map(|(it, _)| it.var).collect();
        self.activity(&def.body, &mut active)
    }

    fn is_smooth(&self, binder: &Binder) -> bool {
        self.code.has_reals(&binder.ty, &mut BTreeSet::new())
    }

    /// Which results of a block are active; adds what is active inside of it.
    pub(crate) fn activity(&mut self, block: &Block, active: &mut BTreeSet<Var>) -> Vec<bool> {
        for stmt in &block.stmts {
            let found = self.stmt_activity(stmt, active);
            let on = stmt.binders.iter().zip(found).filter(|(it, on)| *on && self.is_smooth(it));
            let on: Vec<Var> = on.map(|(it, _)| it.var).collect();
            active.extend(on);
        }
        block.results.iter().map(|it| is_active(it, active)).collect()
    }

    fn stmt_activity(&mut self, stmt: &Stmt, active: &mut BTreeSet<Var>) -> Vec<bool> {
        let all = |on: bool| vec![on; stmt.binders.len()];
        match &stmt.op {
            Op::Prim(prim, args) => {
                let counts = |(at, it): (usize, &Atom)| {
                    is_active(it, active) && !partial::is_zero(*prim, at)
                };
                all(args.iter().enumerate().any(counts))
            }
            Op::Derive(DeriveOp::StopGradient(_)) | Op::Equal(..) | Op::Close(..) => all(false),
            Op::Size(_) => all(false),
            Op::Control(ControlOp::If { then, otherwise, .. }) => {
                let then = self.activity(then, active);
                either(then, self.activity(otherwise, active))
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let on = is_active(value, active);
                let mut res = all(false);
                for arm in arms {
                    let fields = arm.fields.iter().filter(|it| on && self.is_smooth(it));
                    active.extend(fields.map(|it| it.var).collect::<Vec<Var>>());
                    res = either(res, self.activity(&arm.body, active));
                }
                match otherwise {
                    Some(block) => either(res, self.activity(block, active)),
                    None => res,
                }
            }
            Op::Control(ControlOp::Build { body, .. }) => self.activity(body, active),
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let step = self.loop_activity(inits, arrays, step, active);
                step.1
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                self.loop_activity(inits, arrays, step, active).0
            }
            Op::Control(ControlOp::Iterate { inits, state, body, .. })
            | Op::Control(ControlOp::While { inits, state, body, .. }) => {
                let (state, mut results) = self.state_activity(inits, state, body, active);
                if let Op::Control(ControlOp::While { .. }) = &stmt.op
                    && results.len() > state.len()
                {
                    results.insert(state.len(), false);
                }
                results
            }
            Op::Function(FunctionOp::Call { def, args, .. }) => {
                let mask: Vec<bool> = args.iter().map(|it| is_active(it, active)).collect();
                match mask.contains(&true) {
                    false => all(false),
                    true if self.code.program().customs.contains_key(def) => all(true),
                    true => self.active_results(def, &mask),
                }
            }
            Op::Copy(_) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => {
                all(uses(&stmt.op, active))
            }
            Op::Array(op) => all(match op.dependence() {
                Dependence::Discrete(_) => false,
                Dependence::Moves(operands) | Dependence::Adds(operands) => {
                    operands.iter().any(|it| is_active(it, active))
                }
                Dependence::Product { array, .. } | Dependence::Extremum { array, .. } => {
                    is_active(array, active)
                }
                Dependence::Sorts(array) | Dependence::Filters { array, .. } => {
                    is_active(array, active)
                }
            }),
            Op::Function(FunctionOp::Lambda(_))
            | Op::Function(FunctionOp::Apply(..))
            | Op::Derive(DeriveOp::Lift { .. })
            | Op::Derive(DeriveOp::Primal { .. }) => all(false),
            Op::Derive(DeriveOp::OfFunction { .. }) | Op::Derive(DeriveOp::OfDefinition { .. }) => {
                all(false)
            }
            Op::Derive(DeriveOp::Pair { tangent: it, .. })
            | Op::Derive(
                DeriveOp::Checkpoint { value: it, .. } | DeriveOp::Tell { value: it, .. },
            )
            | Op::Derive(DeriveOp::Tangent { value: it, .. }) => all(is_active(it, active)),
            Op::Delta(DeltaOp::Pullback { .. }) => all(false),
            Op::Delta(DeltaOp::Combine(_))
            | Op::Delta(DeltaOp::Zeros(_))
            | Op::Delta(DeltaOp::Strip(_)) => all(uses(&stmt.op, active)),
        }
    }

    /// Which parts of the state of a loop over arrays are active, and which results of its body.
    pub(crate) fn loop_activity(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
        active: &mut BTreeSet<Var>,
    ) -> (Vec<bool>, Vec<bool>) {
        let on = arrays.iter().zip(&step.elems).filter(|(it, _)| is_active(it, active));
        let on: Vec<Var> = on.map(|(_, it)| it.var).collect();
        active.extend(on);
        self.state_activity(inits, &step.state, &step.body, active)
    }

    /// Which parts of the state of any loop are active, and which results of its body.
    pub(crate) fn state_activity(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        body: &Block,
        active: &mut BTreeSet<Var>,
    ) -> (Vec<bool>, Vec<bool>) {
        let mut on: Vec<bool> = inits.iter().map(|it| is_active(it, active)).collect();
        loop {
            let vars = state.iter().zip(&on).filter(|(_, on)| **on).map(|(it, _)| it.var);
            active.extend(vars.collect::<Vec<Var>>());
            let results = self.activity(body, active);
            let next = either(on.clone(), results[..on.len()].to_vec());
            if next == on {
                return (on.clone(), either_first(on, results));
            }
            on = next;
        }
    }
}

/// The state after a loop is active if it is so in any step.
fn either_first(state: Vec<bool>, mut results: Vec<bool>) -> Vec<bool> {
    results[..state.len()].copy_from_slice(&state);
    results
}

fn either(left: Vec<bool>, right: Vec<bool>) -> Vec<bool> {
    left.into_iter().zip(right).map(|(a, b)| a || b).collect()
}

/// Whether an atom is active.
pub(crate) fn is_active(atom: &Atom, active: &BTreeSet<Var>) -> bool {
    var_of(atom).is_some_and(|it| active.contains(&it))
}

fn uses(op: &Op, active: &BTreeSet<Var>) -> bool {
    !walk::free_vars_op(op).is_disjoint(active)
}
