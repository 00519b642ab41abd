//! The way forward through statements that have blocks inside, or several results.

use std::sync::Arc;

use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, DeriveOp, FunctionOp, Lambda, Loop, Op, Stmt,
    Type, Var,
};

use super::forward::Forward;

impl Forward<'_> {
    /// One statement, into the block that is being made.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::Control(_) | Op::Array(ArrayOp::Filter { .. }) => self.with_blocks(stmt),
            Op::Function(FunctionOp::Call { .. }) => self.with_blocks(stmt),
            Op::Derive(DeriveOp::OfDefinition { .. }) => self.with_blocks(stmt),
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Derive(
                DeriveOp::StopGradient(_)
                | DeriveOp::Checkpoint { .. }
                | DeriveOp::Tell { .. }
                | DeriveOp::Tangent { .. }
                | DeriveOp::Pair { .. },
            ) => self.simple(stmt),
            Op::Function(_)
            | Op::Derive(
                DeriveOp::Lift { .. } | DeriveOp::Primal { .. } | DeriveOp::OfFunction { .. },
            )
            | Op::Delta(_) => {
                panic!("compiler bug: simplify is for programs of first order: {stmt}")
            }
        }
    }

    /// A block in the place of the statement that chooses it.
    pub(super) fn inline(&mut self, stmt: &Stmt, block: &Block) {
        self.stmts(block);
        let results = self.atoms(&block.results);
        self.results_are(stmt, results);
    }

    /// The results of a statement are known.
    pub(super) fn results_are(&mut self, stmt: &Stmt, values: Vec<Atom>) {
        for (binder, value) in stmt.binders.iter().zip(values) {
            self.alias(binder.var, value);
        }
    }

    /// A statement with blocks inside or several results: rules, the blocks, rules again.
    fn with_blocks(&mut self, stmt: &Stmt) {
        let Some(stmt) = self.entered(stmt) else { return };
        let op = self.op_inside(&stmt.op);
        self.left(&stmt, &op);
        self.bind(&stmt.binders, op);
    }

    /// The operation with known values put in, and the blocks inside gone through.
    fn op_inside(&mut self, op: &Op) -> Op {
        match op {
            Op::Control(op) => Op::Control(self.control_inside(op)),
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                let array = self.atom(array);
                let params = self.binders(&predicate.params);
                let body = self.block_of(&params, &predicate.body, true);
                let predicate = Arc::new(Lambda { params, body });
                Op::Array(ArrayOp::Filter { array, predicate })
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => self.op(op),
        }
    }

    fn control_inside(&mut self, op: &ControlOp) -> ControlOp {
        match op {
            ControlOp::If { cond, then, otherwise } => {
                let cond = self.atom(cond);
                let then = self.block_of(&[], then, false);
                let otherwise = self.block_of(&[], otherwise, false);
                ControlOp::If { cond, then, otherwise }
            }
            ControlOp::Match { value, arms, otherwise } => {
                let value = self.atom(value);
                let mut new_arms = Vec::new();
                for arm in arms {
                    let fields = self.binders(&arm.fields);
                    let body = self.block_of(&fields, &arm.body, false);
                    new_arms.push(Arm { con: arm.con.clone(), fields, body });
                }
                let otherwise = otherwise.as_ref().map(|it| self.block_of(&[], it, false));
                ControlOp::Match { value, arms: new_arms, otherwise }
            }
            ControlOp::Build { sizes, indices, body } => {
                let sizes: Vec<_> = sizes.iter().map(|it| self.size(it)).collect();
                for (index, size) in indices.iter().zip(&sizes) {
                    self.facts.declare_range(*index, size.clone());
                }
                let int = |it: &Var| Binder { var: *it, ty: Type::Int };
                let binders: Vec<Binder> = indices.iter().map(int).collect();
                let body = self.block_of(&binders, body, true);
                ControlOp::Build { sizes, indices: indices.clone(), body }
            }
            ControlOp::Fold { inits, arrays, step } => {
                let (inits, arrays) = (self.atoms(inits), self.atoms(arrays));
                ControlOp::Fold { inits, arrays, step: self.loop_inside(step) }
            }
            ControlOp::Scan { inits, arrays, step } => {
                let (inits, arrays) = (self.atoms(inits), self.atoms(arrays));
                ControlOp::Scan { inits, arrays, step: self.loop_inside(step) }
            }
            ControlOp::Iterate { count, index, inits, state, body } => {
                let (count, inits) = (self.atom(count), self.atoms(inits));
                if let Some(end) = ir::signature::atom_size(&count) {
                    self.facts.declare_range(*index, end);
                }
                let state = self.binders(state);
                let mut binders = vec![Binder { var: *index, ty: Type::Int }];
                binders.extend(state.iter().cloned());
                let body = self.block_of(&binders, body, true);
                ControlOp::Iterate { count, index: *index, inits, state, body }
            }
            ControlOp::While { inits, state, cond, body } => {
                let (inits, state) = (self.atoms(inits), self.binders(state));
                let cond = self.block_of(&state, cond, true);
                let body = self.block_of(&state, body, true);
                ControlOp::While { inits, state, cond, body }
            }
        }
    }

    fn loop_inside(&mut self, step: &Loop) -> Loop {
        let state = self.binders(&step.state);
        let elems = self.binders(&step.elems);
        let binders: Vec<Binder> = state.iter().chain(&elems).cloned().collect();
        let body = self.block_of(&binders, &step.body, true);
        Loop { state, elems, body }
    }
}
