//! Branches and loops.
//!
//! A result of branches is active if it is in one of them; the others lift it. The state of a loop is
//! dual as soon as anything in the loop is active, so no fixed point is needed.

use std::sync::Arc;

use ir::{Arm, ArrayOp, Atom, Block, ControlOp, Lambda, Loop, Op, Stmt};

use super::{Dual, Numbers};

impl<N: Numbers> Dual<'_, N> {
    pub(super) fn match_(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) {
        let active = self.is_active(value);
        let fields: Vec<_> = arms.iter().map(|it| self.params(&it.fields, active)).collect();
        let blocks: Vec<&Block> = arms.iter().map(|it| &it.body).chain(otherwise).collect();
        let mut blocks = self.branches(&blocks);
        let otherwise = otherwise.and_then(|_| blocks.pop());
        let arms = arms.iter().zip(fields).zip(blocks);
        let arms =
            arms.map(|((arm, fields), body)| Arm { con: arm.con.clone(), fields, body }).collect();
        self.bind(stmt, Op::Control(ControlOp::Match { value: value.clone(), arms, otherwise }));
    }

    pub(super) fn if_(&mut self, stmt: &Stmt, cond: &Atom, then: &Block, otherwise: &Block) {
        let mut blocks = self.branches(&[then, otherwise]);
        let otherwise = blocks.pop().expect("as many blocks come out as went in");
        let then = blocks.pop().expect("as many blocks come out as went in");
        self.bind(stmt, Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise }));
    }

    fn branches(&mut self, blocks: &[&Block]) -> Vec<Block> {
        let blocks: Vec<Block> = blocks.iter().map(|it| self.block(it)).collect();
        let count = blocks.first().map_or(0, |it| it.results.len());
        let is_active = |at: usize| blocks.iter().any(|it| self.is_active(&it.results[at]));
        let active: Vec<bool> = (0..count).map(is_active).collect();
        blocks.into_iter().map(|it| self.lift_results(it, &active)).collect()
    }

    fn lift_results(&mut self, block: Block, active: &[bool]) -> Block {
        let results = self.builder.reopen(block);
        let results = results.into_iter().zip(active);
        let results = results.map(|(it, active)| if *active { self.dual(&it) } else { it });
        let results = results.collect();
        self.builder.close(results)
    }

    /// A loop over arrays: its initial values and its body.
    pub(super) fn loop_(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> (Vec<Atom>, Loop) {
        let inits = self.duals(inits);
        let state = self.params(&step.state, true);
        let elems = step.elems.iter().zip(arrays);
        let elems = elems.map(|(it, array)| self.param(it, self.is_active(array))).collect();
        let body = self.dual_block(&step.body);
        (inits, Loop { state, elems, body })
    }

    /// The elements pass with their tangents; the predicate sees their primal parts.
    pub(super) fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Lambda) {
        let params = self.params(&predicate.params, self.is_active(array));
        let body = self.primal_block(&predicate.body);
        let predicate = Arc::new(Lambda { params, body });
        self.bind(stmt, Op::Array(ArrayOp::Filter { array: array.clone(), predicate }));
    }
}
