//! Rules for branches and loops, and the way through the blocks inside.

use std::sync::Arc;

use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, DeriveOp, FunctionOp, Lambda, Loop, Op, Size,
    Stmt, Type, Var, walk,
};

use super::forward::{Forward, Known};

impl Forward<'_> {
    /// One statement, into the block that is being made.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                self.if_(stmt, cond, then, otherwise)
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                let sizes: Vec<Size> = sizes.iter().map(|it| self.size(it)).collect();
                for (index, size) in indices.iter().zip(&sizes) {
                    self.ranges.insert(*index, size.clone());
                }
                let int = |it: &Var| Binder { var: *it, ty: Type::Int };
                let binders: Vec<Binder> = indices.iter().map(int).collect();
                let body = self.block_of(&binders, body, true);
                self.bind(
                    &stmt.binders,
                    Op::Control(ControlOp::Build { sizes, indices: indices.clone(), body }),
                );
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                self.fold(stmt, inits, arrays, step)
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let (inits, arrays) = (self.atoms(inits), self.atoms(arrays));
                let step = self.loop_(&arrays, step);
                self.bind(&stmt.binders, Op::Control(ControlOp::Scan { inits, arrays, step }));
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                self.iterate(stmt, (count, *index), inits, (state, body));
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let inits = self.atoms(inits);
                self.constant_states(&inits, state, body);
                let state = self.binders(state);
                let cond = self.block_of(&state, cond, true);
                let next = self.block_of(&state, body, true);
                self.last_states(stmt, &inits, &state, body);
                self.bind(
                    &stmt.binders,
                    Op::Control(ControlOp::While { inits, state, cond, body: next }),
                );
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                let array = self.atom(array);
                let params = self.binders(&predicate.params);
                let body = self.block_of(&params, &predicate.body, true);
                let predicate = Arc::new(Lambda { params, body });
                self.bind(&stmt.binders, Op::Array(ArrayOp::Filter { array, predicate }));
            }
            Op::Function(FunctionOp::Call { .. }) | Op::Derive(DeriveOp::OfDefinition { .. }) => {
                let op = walk::rewrite_op(&stmt.op, &mut Known(self));
                if !self.inline_call(stmt, &op) {
                    self.bind(&stmt.binders, op);
                }
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
            | Op::Derive(
                DeriveOp::StopGradient(_) | DeriveOp::Tangent { .. } | DeriveOp::Pair { .. },
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
        for (binder, result) in stmt.binders.iter().zip(self.atoms(&block.results)) {
            self.alias(binder.var, result);
        }
    }

    // if-constant: `if true { a } else { b }` -> `a`
    // if-same: `x = if c { .. give a } else { .. give a }` -> `a`, where it is bound outside
    fn if_(&mut self, stmt: &Stmt, cond: &Atom, then: &Block, otherwise: &Block) {
        let cond = self.atom(cond);
        if let Atom::Bool(cond) = cond {
            return self.inline(stmt, if cond { then } else { otherwise });
        }
        let then = self.block_of(&[], then, false);
        let otherwise = self.block_of(&[], otherwise, false);
        self.same_results(stmt, &[&then, &otherwise]);
        self.bind(&stmt.binders, Op::Control(ControlOp::If { cond, then, otherwise }));
    }

    // match-known: `match con C(a) { C(x) { b } .. }` -> `b` with `a` for `x`
    fn match_(&mut self, stmt: &Stmt, value: &Atom, arms: &[Arm], otherwise: Option<&Block>) {
        let value = self.atom(value);
        if let Some(Op::Con { con, args, .. }) = self.op_of(&value) {
            let args = args.clone();
            let arm = arms.iter().find(|it| it.con == *con);
            let block = arm.map(|it| &it.body).or(otherwise);
            for (field, arg) in arm.iter().flat_map(|it| &it.fields).zip(args) {
                self.alias(field.var, arg);
            }
            if let Some(block) = block {
                return self.inline(stmt, block);
            }
        }
        let mut new_arms = Vec::new();
        for arm in arms {
            let fields = self.binders(&arm.fields);
            let body = self.block_of(&fields, &arm.body, false);
            new_arms.push(Arm { con: arm.con.clone(), fields, body });
        }
        let otherwise = otherwise.map(|it| self.block_of(&[], it, false));
        let bodies = new_arms.iter().map(|it| &it.body).chain(&otherwise);
        self.same_results(stmt, &bodies.collect::<Vec<_>>());
        self.bind(
            &stmt.binders,
            Op::Control(ControlOp::Match { value, arms: new_arms, otherwise }),
        );
    }

    /// Results that all branches have in common, if they are bound outside.
    fn same_results(&mut self, stmt: &Stmt, blocks: &[&Block]) {
        for (at, binder) in stmt.binders.iter().enumerate() {
            let [first, rest @ ..] = blocks else { return };
            let value = first.results[at].clone();
            let same = rest.iter().all(|it| it.results[at] == value);
            let outside = match &value {
                Atom::Var(var) => self.depths.get(var).is_some_and(|it| *it <= self.depth()),
                Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
            };
            if same && outside {
                self.alias(binder.var, value);
            }
        }
    }

    // fold-empty: `fold (s = a) over xs: [0]T` -> `a`
    fn fold(&mut self, stmt: &Stmt, inits: &[Atom], arrays: &[Atom], step: &Loop) {
        let (inits, arrays) = (self.atoms(inits), self.atoms(arrays));
        let ty = arrays.first().and_then(|it| self.type_of(it));
        let n = ty.and_then(|it| it.split_arrays().0.first().and_then(Size::as_constant));
        if n == Some(0) && step.body.results.len() == inits.len() {
            return self.results_are(stmt, inits);
        }
        self.constant_states(&inits, &step.state, &step.body);
        let new_step = self.loop_(&arrays, step);
        self.last_states(stmt, &inits, &new_step.state, &step.body);
        self.collected(stmt, &arrays, &new_step);
        self.bind(&stmt.binders, Op::Control(ControlOp::Fold { inits, arrays, step: new_step }));
    }

    fn results_are(&mut self, stmt: &Stmt, values: Vec<Atom>) {
        for (binder, value) in stmt.binders.iter().zip(values) {
            self.alias(binder.var, value);
        }
    }

    // loop-over-replicate: `fold .. (x <- replicate n a) { b }` -> `b` with `a` for `x`
    // loop-over-iota: the element is known to be less than `n`
    fn loop_(&mut self, arrays: &[Atom], step: &Loop) -> Loop {
        let state = self.binders(&step.state);
        let elems = self.binders(&step.elems);
        for (elem, array) in elems.iter().zip(arrays) {
            if let Some(Op::Array(ArrayOp::Replicate { value, .. })) = self.op_of(array) {
                let value = value.clone();
                self.alias(elem.var, value);
            } else if let Some(Op::Array(ArrayOp::Iota(size))) = self.op_of(array) {
                let size = size.clone();
                self.ranges.insert(elem.var, size);
            }
        }
        let binders: Vec<Binder> = state.iter().chain(&elems).cloned().collect();
        let body = self.affine_elements(&elems, arrays, &step.body);
        let body = self.block_of(&binders, body.as_ref().unwrap_or(&step.body), true);
        Loop { state, elems, body }
    }

    // iterate-never: `iterate 0 (s = a) { b }` -> `a`
    // iterate-once: `iterate 1 (s = a) { b }` -> `b` with `a` for `s`
    fn iterate(
        &mut self,
        stmt: &Stmt,
        (count, index): (&Atom, Var),
        inits: &[Atom],
        (state, body): (&[Binder], &Block),
    ) {
        let (count, inits) = (self.atom(count), self.atoms(inits));
        if let Atom::Int(count) = count {
            if count <= 0 {
                return self.results_are(stmt, inits);
            }
            if count == 1 {
                self.alias(index, Atom::Int(0));
                state.iter().zip(inits).for_each(|(it, init)| self.alias(it.var, init));
                return self.inline(stmt, body);
            }
        }
        if let Some(end) = ir::signature::atom_size(&count) {
            self.ranges.insert(index, end);
        }
        self.constant_states(&inits, state, body);
        let state = self.binders(state);
        let mut binders = vec![Binder { var: index, ty: Type::Int }];
        binders.extend(state.iter().cloned());
        let next = self.block_of(&binders, body, true);
        self.last_states(stmt, &inits, &state, body);
        self.bind(
            &stmt.binders,
            Op::Control(ControlOp::Iterate { count, index, inits, state, body: next }),
        );
    }

    // constant-state: `loop (s = a) { .. give s }` -> `a` for `s`, in the loop and after it
    fn constant_states(&mut self, inits: &[Atom], state: &[Binder], body: &Block) {
        for ((binder, init), next) in state.iter().zip(inits).zip(&body.results) {
            let ty = self.type_(&binder.ty);
            if *next == Atom::Var(binder.var) && self.type_of(init) == Some(ty) {
                self.alias(binder.var, init.clone());
            }
        }
    }

    fn last_states(&mut self, stmt: &Stmt, inits: &[Atom], state: &[Binder], body: &Block) {
        let states = state.iter().zip(inits).zip(&body.results);
        for (((binder, init), next), result) in states.zip(&stmt.binders) {
            let same = *next == Atom::Var(binder.var) && self.atom(next) == *init;
            if same {
                self.alias(result.var, init.clone());
            }
        }
    }
}
