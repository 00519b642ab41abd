//! Two loops that are one, and two calls that are one.

use std::collections::{BTreeMap, BTreeSet};

use ir::walk;
use ir::{ArrayOp, Atom, Binder, Block, ControlOp, FunctionOp, Loop, Op, Stmt, Var};

use super::sums::Own;
use super::{Merger, called};
use crate::inline::{Place, Values, value};
use crate::order::ordered;

impl Merger<'_> {
    /// A block and those inside of it, with what can be done at once done so.
    pub(super) fn everywhere(&mut self, block: &Block) -> Block {
        let mut block = block.clone();
        for stmt in &mut block.stmts {
            stmt.op = walk::map_blocks(&stmt.op, &mut |_, it| self.everywhere(it));
        }
        self.merged(block)
    }

    /// A block with loops and calls merged where that can be done.
    pub(super) fn merged(&mut self, mut block: Block) -> Block {
        while let Some(made) = loops(&block).into_iter().find_map(|it| self.one_loop(&block, it)) {
            block = made;
        }
        let before = block.clone();
        self.in_any_order(&mut block);
        let mut has_merged = false;
        while let Some(made) =
            self.calls(&block).into_iter().find_map(|it| self.one_call(&block, it))
        {
            block = made;
            has_merged = true;
        }
        if has_merged { block } else { before }
    }

    fn own(&self) -> Own<'_> {
        Own { def: &self.pair.back, sums: &self.pair.sums }
    }

    /// Two loops of which the second goes back over what the first one collects, and only adds up.
    fn one_loop(&mut self, block: &Block, (first, second): (usize, usize)) -> Option<Block> {
        let (there, back) = (fold(&block.stmts[first])?, fold(&block.stmts[second])?);
        let n_state = there.step.state.len();
        let own = self.own();
        let sums = |it: (usize, &Binder)| own.added_to(&back.step.body, it.1.var) == Some(it.0);
        if back.binders.len() != back.step.state.len()
            || !back.step.state.iter().enumerate().all(sums)
        {
            return None;
        }
        let (mut arrays, mut elems) = (there.arrays.to_vec(), there.step.elems.clone());
        let mut values = Values::new();
        for (elem, array) in back.step.elems.iter().zip(back.arrays) {
            let array = reversed(block, array)?;
            let collected = there.binders.iter().position(|it| Atom::Var(it.var) == *array);
            match collected.filter(|it| *it >= n_state) {
                Some(at) => {
                    values.insert(elem.var, value(elem.var, &there.step.body.results[at]));
                }
                None => {
                    arrays.push(array.clone());
                    elems.push(elem.clone());
                }
            }
        }
        let behind = walk::rewrite_block(&back.step.body, &mut Place(&values));
        let mut body = there.step.body.clone();
        body.stmts.extend(behind.stmts);
        body.results.splice(n_state..n_state, behind.results);
        let mut binders = there.binders.to_vec();
        binders.splice(n_state..n_state, back.binders.iter().cloned());
        let state = there.step.state.iter().chain(&back.step.state).cloned().collect();
        let inits = there.inits.iter().chain(back.inits).cloned().collect();
        let step = Loop { state, elems, body };
        let stmt = Stmt { binders, op: ControlOp::Fold { inits, arrays, step }.into() };
        let mut made = without_unused(replaced(block, (first, second), stmt)?);
        for stmt in &mut made.stmts {
            if let Op::Control(ControlOp::Fold { step, .. }) = &mut stmt.op {
                step.body = self.merged(step.body.clone());
            }
        }
        Some(made)
    }

    /// Calls in a block of which the second takes what the first one keeps.
    fn calls(&self, block: &Block) -> Vec<(usize, usize)> {
        let mut res = Vec::new();
        for (first, stmt) in block.stmts.iter().enumerate() {
            if called(stmt).is_none_or(|it| *it.0 != self.pair.forth) {
                continue;
            }
            let kept = Atom::Var(stmt.binders[self.pair.kept].var);
            let takes = |it: &Stmt| {
                called(it)
                    .is_some_and(|it| *it.0 == self.pair.back && it.2[self.pair.given] == kept)
            };
            res.extend(block.stmts.iter().position(takes).map(|second| (first, second)));
        }
        res
    }

    fn one_call(&mut self, block: &Block, (first, second): (usize, usize)) -> Option<Block> {
        let (there, back) = (&block.stmts[first], &block.stmts[second]);
        let ((_, sizes, forth), (_, _, given)) = (called(there)?, called(back)?);
        let others = given.iter().enumerate().filter(|it| it.0 != self.pair.given);
        let args = forth.iter().chain(others.map(|it| it.1)).cloned().collect();
        let mut binders = there.binders.clone();
        let kept = binders.remove(self.pair.kept).var;
        binders.extend(back.binders.iter().cloned());
        let (def, sizes) = (self.pair.both.clone(), sizes.to_vec());
        let op = FunctionOp::Call { def, types: Vec::new(), sizes, args }.into();
        let made = replaced(block, (first, second), Stmt { binders, op })?;
        (!walk::free_vars_block(&made).contains(&kept)).then_some(made)
    }

    /// What is added by calls comes first in every sum, in the order of the calls that they are paired with.
    fn in_any_order(&self, block: &mut Block) {
        let n_pairs = self.calls(block).len();
        for at in 0..self.pair.sums.len() {
            if self.pair.sums[at].is_none() {
                continue;
            }
            let mut done = BTreeSet::new();
            for pair in 0..n_pairs {
                let pairs = self.calls(block);
                let last = pairs.len();
                let rank = |it| pairs.iter().position(|pair| pair.1 == it).unwrap_or(last);
                let mut chain = self.chain(block, pairs[pair].1, at);
                if chain.first().is_none_or(|it| !done.insert(it.from)) {
                    continue;
                }
                let places: Vec<(Var, Var)> = chain.iter().map(|it| (it.from, it.to)).collect();
                let mut free: Vec<usize> = chain.iter().map(|it| it.stmt).collect();
                free.sort_unstable();
                chain.sort_by_key(|it| rank(it.stmt));
                let mut stmts: Vec<Stmt> = Vec::new();
                for (link, (from, to)) in chain.iter().zip(places) {
                    let values = Values::from([(link.from, value(link.from, &Atom::Var(from)))]);
                    let Stmt { mut binders, op } = block.stmts[link.stmt].clone();
                    binders[link.binder].var = to;
                    stmts.push(Stmt { binders, op: walk::rewrite_op(&op, &mut Place(&values)) });
                }
                free.into_iter().zip(stmts).for_each(|(at, it)| block.stmts[at] = it);
            }
        }
    }

    /// The statements that add to one after the other, of which a call is one.
    fn chain(&self, block: &Block, call: usize, param: usize) -> Vec<Link> {
        let own = self.own();
        let link = |stmt: usize, from: Var| {
            let binder = own.adds_to(&block.stmts[stmt], from)?;
            let Binder { var: to, ty } = &block.stmts[stmt].binders[binder];
            // Nobody else has what it adds to.
            let mut others = block.stmts.iter().enumerate().filter(|it| it.0 != stmt);
            let is_read = others.any(|it| walk::free_vars_op(&it.1.op).contains(&from));
            let is_given = block.results.contains(&Atom::Var(from));
            let same = self.type_in(block, from).is_none_or(|it| it == ty);
            (!is_read && !is_given && same).then_some(Link { stmt, from, binder, to: *to })
        };
        let Some((_, _, args)) = called(&block.stmts[call]) else { return Vec::new() };
        let Atom::Var(mut from) = args[param] else { return Vec::new() };
        // Back to the first of them.
        while let Some(stmt) =
            block.stmts.iter().position(|it| it.binders.iter().any(|it| it.var == from))
        {
            let vars = walk::free_vars_op(&block.stmts[stmt].op);
            let before =
                vars.into_iter().find(|it| link(stmt, *it).is_some_and(|it| it.to == from));
            let Some(before) = before else { break };
            from = before;
        }
        let mut res = Vec::new();
        while let Some(next) = (0..block.stmts.len()).find_map(|it| link(it, from)) {
            from = next.to;
            res.push(next);
        }
        res
    }

    fn type_in<'b>(&self, block: &'b Block, var: Var) -> Option<&'b ir::Type> {
        let mut binders = block.stmts.iter().flat_map(|it| &it.binders);
        binders.find(|it| it.var == var).map(|it| &it.ty)
    }
}

/// A statement that adds to something, and what that is before and after.
struct Link {
    stmt: usize,
    from: Var,
    binder: usize,
    to: Var,
}

/// A loop over arrays.
struct Fold<'b> {
    binders: &'b [Binder],
    inits: &'b [Atom],
    arrays: &'b [Atom],
    step: &'b Loop,
}

fn fold(stmt: &Stmt) -> Option<Fold<'_>> {
    let Op::Control(ControlOp::Fold { inits, arrays, step }) = &stmt.op else { return None };
    Some(Fold { binders: &stmt.binders, inits, arrays, step })
}

/// Loops of which the second goes through something that the first one collects, backwards.
fn loops(block: &Block) -> Vec<(usize, usize)> {
    let mut res = Vec::new();
    for (second, stmt) in block.stmts.iter().enumerate() {
        for array in fold(stmt).into_iter().flat_map(|it| it.arrays) {
            let Some(Atom::Var(array)) = reversed(block, array) else { continue };
            let collects = |it: &Stmt| {
                fold(it).is_some_and(|it| {
                    let collected = &it.binders[it.step.state.len()..];
                    collected.iter().any(|it| it.var == *array)
                })
            };
            let first = block.stmts.iter().position(collects);
            res.extend(first.filter(|it| !res.contains(&(*it, second))).map(|it| (it, second)));
        }
    }
    res
}

/// What an array is backwards.
fn reversed<'b>(block: &'b Block, array: &Atom) -> Option<&'b Atom> {
    let Atom::Var(array) = array else { return None };
    let stmt = block.stmts.iter().find(|it| it.binders.iter().any(|it| it.var == *array))?;
    let Op::Array(ArrayOp::Reverse(of)) = &stmt.op else { return None };
    Some(of)
}

/// One statement in the place of two, if what it needs can be computed before.
fn replaced(block: &Block, (first, second): (usize, usize), stmt: Stmt) -> Option<Block> {
    let mut stmts = block.stmts.clone();
    stmts[first] = stmt;
    stmts.remove(second);
    Some(Block { stmts: ordered(stmts)?, results: block.results.clone() })
}

/// Without what was kept and collected for what goes back, where nobody reads it any more.
pub(super) fn without_unused(mut block: Block) -> Block {
    loop {
        let mut uses: BTreeMap<Var, usize> = BTreeMap::new();
        let vars = block.stmts.iter().flat_map(|it| {
            let types = it.binders.iter().flat_map(|it| it.ty.size_vars());
            walk::free_vars_op(&it.op).into_iter().chain(types).collect::<Vec<_>>()
        });
        vars.for_each(|it| *uses.entry(it).or_default() += 1);
        for it in &block.results {
            if let Atom::Var(var) = it {
                *uses.entry(*var).or_default() += 1;
            }
        }
        let is_used = |it: &Binder| uses.contains_key(&it.var);
        let n_before = block.stmts.len();
        block.stmts.retain(|it| {
            let keeps = matches!(it.op, Op::Con { .. } | Op::Array(ArrayOp::Reverse(_)));
            !keeps || it.binders.iter().any(is_used)
        });
        let mut changed = block.stmts.len() < n_before;
        for Stmt { binders, op } in &mut block.stmts {
            let Op::Control(ControlOp::Fold { step, .. }) = op else { continue };
            for at in (step.state.len()..binders.len()).rev() {
                if !is_used(&binders[at]) {
                    binders.remove(at);
                    step.body.results.remove(at);
                    changed = true;
                }
            }
        }
        if !changed {
            return block;
        }
    }
}
