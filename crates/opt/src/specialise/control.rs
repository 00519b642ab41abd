//! Branches and loops: functions that come out of them are handed on by their leaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{Arm, ArrayOp, Atom, Binder, Block, ControlOp, Lambda, Loop, Op, Size, Type, Var};

use super::body::Body;
use super::value::{Exact, Value};
use super::{Reason, Result};

/// Values that come out of branches or loops, and what of them is left when the program runs.
pub(super) struct Handed {
    values: Vec<Value>,
    exact: Exact,
}

/// A block and what is bound in front of it.
pub(super) type Branch = (Vec<Binder>, Block);

impl Handed {
    /// The values, of which these are the leaves.
    pub(super) fn rebuild(&self, results: Vec<Value>) -> Vec<Value> {
        let mut results = results.into_iter().map(|it| match it {
            Value::Atom(atom) => atom,
            Value::Size(_) | Value::Tuple(_) | Value::Closure(_) => {
                unreachable!("statements bind variables")
            }
            Value::Chosen(_) | Value::Tangent(_) => unreachable!("statements bind variables"),
        });
        let mut next = |_: &Atom| results.next().expect("as many results as leaves");
        let values = self.values.iter();
        values
            .map(|it| match it.is_static() {
                true => self.exact.rebuild(it, &mut next, &|_| None),
                false => Value::Atom(next(&Atom::Bool(true))),
            })
            .collect()
    }
}

impl Body<'_, '_> {
    pub(super) fn if_(
        &mut self,
        cond: &Atom,
        then: &Block,
        otherwise: &Block,
    ) -> Result<Vec<Value>> {
        let cond = self.plain_atom(cond)?;
        let (mut blocks, handed) = self.branches(&[(&[], then), (&[], otherwise)])?;
        let (_, otherwise) = blocks.pop().expect("as many blocks come out as went in");
        let (_, then) = blocks.pop().expect("as many blocks come out as went in");
        let results = self.emit(Op::Control(ControlOp::If { cond, then, otherwise }))?;
        Ok(handed.rebuild(results))
    }

    pub(super) fn match_(
        &mut self,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) -> Result<Vec<Value>> {
        let value = self.plain_atom(value)?;
        let branches = arms.iter().map(|it| (&*it.fields, &it.body));
        let branches: Vec<_> = branches.chain(otherwise.map(|it| (&[][..], it))).collect();
        let (mut blocks, handed) = self.branches(&branches)?;
        let otherwise = otherwise.and_then(|_| blocks.pop()).map(|it| it.1);
        let arms = arms.iter().zip(blocks);
        let arms =
            arms.map(|(arm, (fields, body))| Arm { con: arm.con.clone(), fields, body }).collect();
        let results = self.emit(Op::Control(ControlOp::Match { value, arms, otherwise }))?;
        Ok(handed.rebuild(results))
    }

    /// Blocks of which one runs, each with what it binds in front of it.
    fn branches(&mut self, branches: &[(&[Binder], &Block)]) -> Result<(Vec<Branch>, Handed)> {
        let mut blocks = Vec::new();
        let mut values: Vec<Vec<Value>> = Vec::new();
        let before = self.builder.next_var();
        for (fields, block) in branches {
            let fields = fields.iter().map(|it| self.bind(it)).collect::<Result<Vec<_>>>()?;
            self.builder.open();
            values.push(self.block(block)?);
            blocks.push((fields, self.builder.close(Vec::new())));
        }
        self.join(blocks, values, before)
    }

    /// Blocks, with what they give, of which one runs; variables from `before` on are bound in them.
    pub(super) fn join(
        &mut self,
        mut blocks: Vec<Branch>,
        mut values: Vec<Vec<Value>>,
        before: u32,
    ) -> Result<(Vec<Branch>, Handed)> {
        if self.is_left() {
            for ((_, block), values) in blocks.iter_mut().zip(&mut values) {
                let empty = Block { stmts: Vec::new(), results: Vec::new() };
                let results = self.builder.reopen(std::mem::replace(block, empty));
                *values = self.all_plain(values)?;
                *block = self.builder.close(results);
            }
        }
        self.agree(&mut blocks, &mut values)?;
        let handed = self.handed(&values, Var(before), Reason::ChosenFunction)?;
        let mut res = Vec::new();
        for ((fields, block), values) in blocks.into_iter().zip(&values) {
            self.builder.reopen(block);
            let results = self.leaves(values, &handed)?;
            res.push((fields, self.builder.close(results)));
        }
        Ok((res, handed))
    }

    /// What several blocks agree on: the same functions, of which no size is known only inside.
    fn handed(&mut self, values: &[Vec<Value>], inside: Var, reason: Reason) -> Result<Handed> {
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let mut exact = Exact::default();
        let statics = values.iter().flatten().filter(|it| it.is_static());
        statics.for_each(|it| exact.add_value(it, &type_of));
        let shape = |it: &Value| exact.shape(it, &type_of, &|_| None);
        let first = values.first().cloned().unwrap_or_default();
        let agree = |(a, b): (&Value, &Value)| match (a.is_static(), b.is_static()) {
            (true, true) => shape(a) == shape(b),
            (false, false) => true,
            (true, false) | (false, true) => false,
        };
        let are_known = exact.0.iter().all(|it| *it < inside);
        match are_known && values[1..].iter().all(|it| first.iter().zip(it).all(agree)) {
            true => Ok(Handed { values: first, exact }),
            false => self.leave(reason),
        }
    }

    /// What is left of the results of a block; never nothing, because every statement binds something.
    fn leaves(&mut self, values: &[Value], handed: &Handed) -> Result<Vec<Atom>> {
        let mut res = Vec::new();
        for value in values {
            match value.is_static() {
                true => res.extend(handed.exact.leaves(value)),
                false => res.push(self.plain(value)?),
            }
        }
        if res.is_empty() {
            res.push(Atom::Bool(true));
        }
        Ok(res)
    }

    pub(super) fn build(
        &mut self,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) -> Result<Vec<Value>> {
        let sizes = sizes.iter().map(|it| self.frame.size(it)).collect();
        let indices = indices.iter().map(|it| self.index(*it)).collect::<Result<_>>()?;
        let body = self.plain_block(body)?;
        self.emit(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    fn index(&mut self, var: Var) -> Result<Var> {
        Ok(self.bind(&Binder { var, ty: Type::Int })?.var)
    }

    fn plain_block(&mut self, block: &Block) -> Result<Block> {
        self.builder.open();
        let values = self.block(block)?;
        let results = values.iter().map(|it| self.plain(it)).collect::<Result<_>>()?;
        Ok(self.builder.close(results))
    }

    pub(super) fn filter(&mut self, array: &Atom, predicate: &Lambda) -> Result<Vec<Value>> {
        let array = self.plain_atom(array)?;
        let params = predicate.params.iter().map(|it| self.bind(it)).collect::<Result<_>>()?;
        let body = self.plain_block(&predicate.body)?;
        self.emit(Op::Array(ArrayOp::Filter {
            array,
            predicate: Arc::new(Lambda { params, body }),
        }))
    }

    pub(super) fn loop_(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Result<(Vec<Atom>, Vec<Atom>, Loop, Handed)> {
        let arrays = self.plains(arrays)?;
        let (inits, state, handed) = self.state(inits, &step.state)?;
        let elems = step.elems.iter().map(|it| self.bind(it)).collect::<Result<_>>()?;
        let body = self.step(&step.body, &handed)?;
        Ok((inits, arrays, Loop { state, elems, body }, handed))
    }

    pub(super) fn iterate(
        &mut self,
        count: &Atom,
        index: Var,
        inits: &[Atom],
        state: &[Binder],
        body: &Block,
    ) -> Result<Vec<Value>> {
        let count = self.plain_atom(count)?;
        let index = self.index(index)?;
        let (inits, state, handed) = self.state(inits, state)?;
        let body = self.step(body, &handed)?;
        let results =
            self.emit(Op::Control(ControlOp::Iterate { count, index, inits, state, body }))?;
        Ok(handed.rebuild(results))
    }

    pub(super) fn while_(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        cond: &Block,
        body: &Block,
    ) -> Result<Vec<Value>> {
        let (inits, state, handed) = self.state(inits, state)?;
        let cond = self.plain_block(cond)?;
        let body = self.step(body, &handed)?;
        let results = self.emit(Op::Control(ControlOp::While { inits, state, cond, body }))?;
        Ok(handed.rebuild(results))
    }

    /// The state of a loop: the leaves of its initial values, and variables for them.
    fn state(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
    ) -> Result<(Vec<Atom>, Vec<Binder>, Handed)> {
        let mut values: Vec<Value> = inits.iter().map(|it| self.value(it)).collect();
        if self.is_left() {
            values = self.all_plain(&values)?;
        }
        let next = Var(self.builder.next_var());
        let handed = self.handed(&[values], next, Reason::FunctionInLoop)?;
        let mut binders = Vec::new();
        for (binder, value) in state.iter().zip(&handed.values) {
            if !value.is_static() {
                binders.push(self.bind(binder)?);
                continue;
            }
            let mut leaf = |atom: &Atom| {
                let ty = self.builder.type_of(atom);
                let var = self.builder.fresh(ty.clone());
                binders.push(Binder { var, ty });
                Atom::Var(var)
            };
            let inside = handed.exact.rebuild(value, &mut leaf, &|_| None);
            self.frame.env.insert(binder.var, inside);
        }
        if binders.is_empty() {
            binders.push(Binder { var: self.builder.fresh(Type::Bool), ty: Type::Bool });
        }
        let inits = self.leaves(&handed.values.clone(), &handed)?;
        Ok((inits, binders, handed))
    }

    /// The body of a loop, which gives the same functions as the loop begins with.
    fn step(&mut self, body: &Block, handed: &Handed) -> Result<Block> {
        let inside = Var(self.builder.next_var());
        self.builder.open();
        let mut values = self.block(body)?;
        for (value, init) in values.iter_mut().zip(&handed.values) {
            if value.is_static() && !init.is_static() {
                *value = Value::Atom(self.plain(value)?);
            }
        }
        let both = [handed.values.clone(), values.clone()];
        let both = self.handed(&both, inside, Reason::FunctionInLoop)?;
        let known: BTreeSet<&Var> = handed.exact.0.iter().collect();
        if !both.exact.0.iter().all(|it| known.contains(it)) {
            return self.leave(Reason::FunctionInLoop);
        }
        let results = self.leaves(&values, handed)?;
        Ok(self.builder.close(results))
    }
}
