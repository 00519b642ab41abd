//! Branches, loops, calls and sum types, backwards.

use std::collections::BTreeSet;

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, FunctionOp, Loop, Op, Prim, Size, Stmt, Type,
    Var, walk,
};

use super::Transpose;
use crate::linear::arrays::Cotangents;
use crate::linear::code::{Transposed, atoms, var_of};
use crate::linear::tangent::tangent_con;

impl Transpose<'_> {
    pub(super) fn control(&mut self, stmt: &Stmt, op: &ControlOp, cotangents: Vec<Option<Atom>>) {
        match op {
            ControlOp::If { cond, then, otherwise } => {
                let blocks = [(&[][..], then), (&[][..], otherwise)];
                self.branches(&blocks, &cotangents, |mut blocks| {
                    let otherwise = blocks.pop().expect("two branches");
                    let then = blocks.pop().expect("two branches");
                    ControlOp::If { cond: cond.clone(), then, otherwise }
                });
            }
            ControlOp::Match { value, arms, otherwise } => {
                let mut blocks: Vec<(&[Binder], &Block)> =
                    arms.iter().map(|it| (&*it.fields, &it.body)).collect();
                blocks.extend(otherwise.as_ref().map(|it| (&[][..], it)));
                self.branches(&blocks, &cotangents, |blocks| {
                    let mut blocks = blocks.into_iter();
                    let arms = arms.iter().zip(&mut blocks);
                    let arms = arms.map(|(arm, body)| Arm { body, ..arm.clone() }).collect();
                    ControlOp::Match { value: value.clone(), arms, otherwise: blocks.next() }
                });
            }
            ControlOp::Build { sizes, indices, body } => {
                self.build(sizes, indices, body, cotangents);
            }
            ControlOp::Fold { inits, arrays, step } => {
                self.fold(stmt, inits, arrays, step, cotangents);
            }
            ControlOp::Scan { .. } | ControlOp::Iterate { .. } | ControlOp::While { .. } => {
                super::not_linear(stmt);
            }
        }
    }

    /// The Deltas of outside that blocks use.
    fn captured(&self, blocks: &[&Block], bound: &[Binder]) -> Vec<Var> {
        let mut res: BTreeSet<Var> = BTreeSet::new();
        for block in blocks {
            res.extend(walk::free_vars_block(block).intersection(self.linear));
        }
        bound.iter().for_each(|it| {
            res.remove(&it.var);
        });
        // What is a part of another one of them has its sum in that.
        res.iter().copied().filter(|it| !self.parts.is_within(*it, &res)).collect()
    }

    /// The branch that was taken adds to the cotangents of what it captured.
    fn branches(
        &mut self,
        blocks: &[(&[Binder], &Block)],
        cotangents: &[Option<Atom>],
        op: impl FnOnce(Vec<Block>) -> ControlOp,
    ) {
        let bodies: Vec<&Block> = blocks.iter().map(|it| it.1).collect();
        let captured = self.captured(&bodies, &[]);
        if captured.is_empty() {
            return;
        }
        captured.iter().for_each(|it| self.settle(*it));
        let mut transposed = Vec::new();
        for (bound, block) in blocks {
            let before = (self.cotangents.clone(), self.parts.apart.clone());
            self.code.declare(bound);
            self.code.builder.open();
            self.block(block, cotangents.to_vec());
            let sums = captured.iter().map(|it| self.take_or_zeros(*it)).collect();
            transposed.push(self.code.builder.close(sums));
            (self.cotangents, self.parts.apart) = before;
        }
        let sums = self.code.emit(Op::Control(op(transposed)));
        self.cotangents.extend(captured.into_iter().zip(sums));
    }

    /// From the last step to the first: the state is the cotangent of the state, and the sums of what
    /// the body captured.
    fn fold(
        &mut self,
        stmt: &Stmt,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
        cotangents: Vec<Option<Atom>>,
    ) {
        let bound: Vec<Binder> = step.state.iter().chain(&step.elems).cloned().collect();
        let captured = self.captured(&[&step.body], &bound);
        self.code.declare(&bound);
        let n_state = step.state.len();
        let (mut first, mut state) = (Vec::new(), Vec::new());
        for (binder, cotangent) in step.state.iter().zip(&cotangents) {
            let init = match cotangent {
                Some(it) => it.clone(),
                None => self.code.zeros(&binder.ty),
            };
            first.push(self.code.fit(init, &binder.ty));
            state.push(self.code.fresh(binder.ty.clone()));
        }
        for var in &captured {
            first.push(self.take_or_zeros(*var));
            let ty = self.code.type_of(&Atom::Var(*var));
            state.push(self.code.fresh(ty));
        }
        let (mut sources, mut elems) = (Vec::new(), Vec::new());
        for (array, elem) in arrays.iter().zip(&step.elems) {
            if !self.linear.contains(&elem.var) {
                sources.push(self.code.one(Op::Array(ArrayOp::Reverse(array.clone()))));
                elems.push(elem.clone());
            }
        }
        let mut given: Vec<Option<Atom>> =
            state[..n_state].iter().map(|it| Some(Atom::Var(it.var))).collect();
        for cotangent in &cotangents[n_state..] {
            given.push(cotangent.clone().map(|array| {
                let Type::Array(_, elem) = self.code.type_of(&array) else {
                    panic!("compiler bug: an array")
                };
                let elem = self.code.fresh((*elem).clone());
                sources.push(self.code.one(Op::Array(ArrayOp::Reverse(array))));
                elems.push(elem.clone());
                Atom::Var(elem.var)
            }));
        }
        if sources.is_empty() {
            let size = self.code.sizes_of(&arrays[0]).remove(0);
            sources.push(self.code.one(Op::Array(ArrayOp::Iota(size))));
            elems.push(self.code.fresh(Type::Int));
        }

        let before = (std::mem::take(&mut self.cotangents), std::mem::take(&mut self.parts.apart));
        self.cotangents.extend(captured.iter().copied().zip(atoms(&state[n_state..])));
        self.code.builder.open();
        self.block(&step.body, given);
        let mut results: Vec<Atom> =
            step.state.iter().map(|it| self.take_or_zeros(it.var)).collect();
        results.extend(captured.iter().map(|it| self.take_or_zeros(*it)));
        let active: Vec<&Atom> = std::iter::zip(arrays, &step.elems)
            .filter(|(array, elem)| self.linear.contains(&elem.var) && self.is_active(array))
            .map(|(array, _)| array)
            .collect();
        for elem in step.elems.iter().filter(|it| self.linear.contains(&it.var)) {
            let sum = self.take_or_zeros(elem.var);
            let array = std::iter::zip(arrays, &step.elems).find(|it| it.1.var == elem.var);
            if array.is_some_and(|it| self.is_active(it.0)) {
                results.push(sum);
            }
        }
        let body = self.code.builder.close(results);
        (self.cotangents, self.parts.apart) = before;
        let n_sums = state.len();
        let step = Loop { state, elems, body };
        let mut sums =
            self.code.emit(Op::Control(ControlOp::Fold { inits: first, arrays: sources, step }));
        let collected = sums.split_off(n_sums);
        let outer = sums.split_off(n_state);
        self.cotangents.extend(captured.into_iter().zip(outer));
        for (init, sum) in inits.iter().zip(sums) {
            self.contribute(init, sum);
        }
        for (array, rows) in active.into_iter().zip(collected) {
            let rows = self.code.one(Op::Array(ArrayOp::Reverse(rows)));
            self.contribute(array, rows);
        }
        debug_assert_eq!(stmt.binders.len(), cotangents.len());
    }

    /// A loop over all elements that adds up what each contributes to what it captured.
    fn build(
        &mut self,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
        cotangents: Vec<Option<Atom>>,
    ) {
        let (body, mapped) = self.mapped(sizes, indices, body);
        let mut captured = self.captured(&[&body], &[]);
        captured.retain(|it| mapped.iter().all(|(_, elem)| elem.var != *it));
        if captured.is_empty() && mapped.is_empty() {
            return;
        }
        indices.iter().for_each(|it| self.code.builder.declare(*it, Type::Int));
        mapped.iter().for_each(|it| self.code.declare(std::slice::from_ref(&it.1)));
        let count = sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        let (mut first, mut state) = (Vec::new(), Vec::new());
        for var in &captured {
            first.push(self.take_or_zeros(*var));
            let ty = self.code.type_of(&Atom::Var(*var));
            state.push(self.code.fresh(ty));
        }
        let mut sources = vec![self.code.one(Op::Array(ArrayOp::Iota(count.clone())))];
        let mut elems = vec![self.code.fresh(Type::Int)];
        let mut given = Vec::new();
        for cotangent in cotangents {
            given.push(cotangent.map(|array| {
                let op = Op::Array(ArrayOp::Reshape {
                    array,
                    rank: sizes.len(),
                    sizes: vec![count.clone()],
                });
                let rows = self.code.one(op);
                let Type::Array(_, elem) = self.code.type_of(&rows) else {
                    panic!("compiler bug: an array")
                };
                let elem = self.code.fresh((*elem).clone());
                sources.push(rows);
                elems.push(elem.clone());
                Atom::Var(elem.var)
            }));
        }
        let before = (std::mem::take(&mut self.cotangents), std::mem::take(&mut self.parts.apart));
        self.cotangents.extend(captured.iter().copied().zip(atoms(&state)));
        self.code.builder.open();
        self.positions(indices, sizes, Atom::Var(elems[0].var));
        self.block(&body, given);
        let mut sums: Vec<Atom> = captured.iter().map(|it| self.take_or_zeros(*it)).collect();
        sums.extend(mapped.iter().map(|(_, elem)| self.take_or_zeros(elem.var)));
        let body = self.code.builder.close(sums);
        (self.cotangents, self.parts.apart) = before;
        let step = Loop { state, elems, body };
        let mut sums =
            self.code.emit(Op::Control(ControlOp::Fold { inits: first, arrays: sources, step }));
        let rows = sums.split_off(captured.len());
        self.cotangents.extend(captured.into_iter().zip(sums));
        for ((array, _), rows) in mapped.into_iter().zip(rows) {
            let op = Op::Array(ArrayOp::Reshape { array: rows, rank: 1, sizes: sizes.to_vec() });
            let rows = self.code.one(op);
            self.contribute(&array, rows);
        }
    }

    /// Deltas that are read at the indices of a build and nowhere else: what is contributed to their
    /// elements makes an array, without sums.
    fn mapped(
        &self,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) -> (Block, Vec<(Atom, Binder)>) {
        let here: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        let reads = |stmt: &Stmt| {
            let Op::Array(ArrayOp::Index { array, indices }) = &stmt.op else { return None };
            let mapped = *indices == here && self.is_active(array);
            mapped.then(|| (array.clone(), stmt.binders[0].clone()))
        };
        let mut mapped = Vec::new();
        let outside = walk::free_vars_block(body);
        let mut body = body.clone();
        let mut found: Vec<(Atom, Binder)> = body.stmts.iter().filter_map(reads).collect();
        found.retain(|(array, _)| var_of(array).is_some_and(|it| outside.contains(&it)));
        for (array, elem) in found {
            let rest = Block {
                stmts: body
                    .stmts
                    .iter()
                    .filter(|it| it.binders[0].var != elem.var)
                    .cloned()
                    .collect(),
                results: body.results.clone(),
            };
            let var = var_of(&array).expect("a Delta is a variable");
            let same_sizes = self.code.sizes_of(&array).starts_with(sizes);
            if same_sizes && !walk::free_vars_block(&rest).contains(&var) {
                body = rest;
                mapped.push((array, elem));
            }
        }
        (body, mapped)
    }

    /// The indices of a build from the number of its element.
    fn positions(&mut self, indices: &[Var], sizes: &[Size], number: Atom) {
        let mut rest = number;
        for (at, (var, size)) in indices.iter().zip(sizes).enumerate().rev() {
            if at == 0 {
                self.code.bind(&[*var], Op::Copy(rest));
                return;
            }
            let size = self.code.int(size);
            let op = Op::Prim(Prim::Rem, vec![rest.clone(), size.clone()]);
            self.code.bind(&[*var], op);
            rest = self.code.prim(Prim::Div, vec![rest, size]);
        }
    }

    pub(super) fn call(
        &mut self,
        stmt: &Stmt,
        def: &Name,
        sizes: &[Size],
        args: &[Atom],
        cotangents: Vec<Option<Atom>>,
    ) {
        let mut given = Vec::new();
        for (binder, cotangent) in stmt.binders.iter().zip(cotangents) {
            given.push(match cotangent {
                Some(it) => it,
                None => self.code.zeros(&binder.ty),
            });
        }
        let linear = self.code.transposed.get(def).cloned();
        match linear.unwrap_or_else(|| panic!("compiler bug: {def} is not linear")) {
            Transposed::Get(con) => {
                let (delta, own) = args.split_last().expect("a tangent");
                let mut ty = self.code.type_of(delta);
                // Cotangents have the sizes of this call, whatever the tangent calls them.
                if let Type::Data(_, _, called) = &mut ty {
                    *called = sizes.to_vec();
                }
                let args = own.iter().cloned().chain(given).collect();
                let value = self.code.one(Op::Con { ty, con: tangent_con(&con), args });
                self.contribute(delta, value);
            }
            Transposed::By(rev, n_inputs) => {
                let (point, inputs) = args.split_at(args.len() - n_inputs);
                let args = point.iter().cloned().chain(given).collect();
                self.sums(
                    inputs,
                    Op::Function(FunctionOp::Call {
                        def: rev,
                        types: Vec::new(),
                        sizes: sizes.to_vec(),
                        args,
                    }),
                );
            }
            Transposed::Adding(rev, n_inputs) => {
                let (point, inputs) = args.split_at(args.len() - n_inputs);
                let mut all: Vec<Atom> = point.iter().cloned().chain(given).collect();
                for input in inputs {
                    let sum = match var_of(input) {
                        Some(var) if self.linear.contains(&var) => self.take_or_zeros(var),
                        Some(_) | None => {
                            let ty = self.code.type_of(input);
                            self.code.zeros(&ty)
                        }
                    };
                    all.push(sum);
                }
                self.sums(
                    inputs,
                    Op::Function(FunctionOp::Call {
                        def: rev,
                        types: Vec::new(),
                        sizes: sizes.to_vec(),
                        args: all,
                    }),
                );
            }
        }
    }

    /// Contributes what an operation gives to Deltas.
    fn sums(&mut self, inputs: &[Atom], op: Op) {
        let sums = self.code.emit(op);
        for (input, sum) in inputs.iter().zip(sums) {
            self.contribute(input, sum);
        }
    }
}
