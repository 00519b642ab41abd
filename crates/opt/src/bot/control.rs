//! Conditionals, matches and calls under dimensions.

use std::sync::Arc;

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, FunctionOp, Lambda, Op, Prim, Size, Stmt, Type,
    Var,
};

use super::Vectorise;
use super::cost::{self, Bound};
use super::held::{Dims, Held, union, union_all, within};
use super::mask::{can_be_masked, has_zero};

impl Vectorise<'_, '_> {
    pub(super) fn if_(
        &mut self,
        stmt: &Stmt,
        cond: &Atom,
        then: &Block,
        otherwise: &Block,
    ) -> Option<Vec<Held>> {
        let held = self.held(cond);
        if held.dims.is_empty() {
            return Some(self.if_of_invariant(held.atom, then, otherwise));
        }
        let plain = stmt.binders.iter().all(|it| has_zero(&it.ty));
        let written = cost::written(stmt);
        if plain && self.is_maskable(then, &written) && self.is_maskable(otherwise, &written) {
            return Some(self.build_of_cond(&held, then, otherwise));
        }
        None
    }

    /// `build_of_cond`. `build k (\i. cond b u v)  ~>  select (build k (\i. b)) (build k (\i. u)) (build k (\i. v))`
    ///
    /// The paper indexes `[u, v]`, for its `cond` is strict. Here each branch stands under a mask, so
    /// that nothing in it fails where the input does not run it.
    fn build_of_cond(&mut self, cond: &Held, then: &Block, otherwise: &Block) -> Vec<Held> {
        let work = self.work.clone();
        self.conditions.push((cond.clone(), true));
        let yes = self.block(then);
        self.conditions.pop();
        self.conditions.push((cond.clone(), false));
        let no = self.block(otherwise);
        self.conditions.pop();
        self.work = work;
        let choose =
            |(yes, no): (Held, Held)| self.elementwise(Prim::Select, &[cond.clone(), yes, no]);
        yes.into_iter().zip(no).map(choose).collect()
    }

    /// `build k (\i. if b u v)  ~>  if b (build k (\i. u)) (build k (\i. v))   if i is not free in b`
    fn if_of_invariant(&mut self, cond: Atom, then: &Block, otherwise: &Block) -> Vec<Held> {
        let mut branches = self.branches(vec![(&[], then), (&[], otherwise)]);
        let otherwise = branches.1.pop().expect("two branches");
        let then = branches.1.pop().expect("two branches");
        let results = self.builder.emit(Op::Control(ControlOp::If { cond, then, otherwise }));
        branches.0.iter().zip(results).map(|(dims, atom)| Held::over(dims, atom)).collect()
    }

    /// Blocks of which one is run: the dimensions of each result, and the blocks.
    fn branches(&mut self, blocks: Vec<(&[Binder], &Block)>) -> (Vec<Dims>, Vec<Block>) {
        let mut done: Vec<(Block, Vec<Held>)> = Vec::new();
        for (binders, block) in blocks {
            for binder in binders {
                self.declare_plain(binder);
            }
            self.open();
            let work = self.work.clone();
            let held = self.block(block);
            self.work = work;
            done.push((self.close(Vec::new()), held));
        }
        let n_results = done.first().map_or(0, |it| it.1.len());
        let common =
            |at: usize| done.iter().fold(Dims::new(), |dims, it| union(&dims, &it.1[at].dims));
        let dims: Vec<Dims> = (0..n_results).map(common).collect();
        let mut blocks = Vec::new();
        for (block, held) in done {
            self.builder.reopen(block);
            self.shared.push(Default::default());
            let results =
                held.iter().zip(&dims).map(|(it, dims)| self.expand(it, dims, &[])).collect();
            blocks.push(self.close(results));
        }
        (dims, blocks)
    }

    /// A variable in front of a block that depends on no dimension.
    fn declare_plain(&mut self, binder: &Binder) -> Binder {
        let ty = self.ty(&binder.ty).expect("compiler bug: a size depends on an index");
        self.builder.declare(binder.var, ty.clone());
        self.env.insert(binder.var, Held::plain(Atom::Var(binder.var)));
        Binder { var: binder.var, ty }
    }

    /// A value that is the same everywhere is matched once.
    pub(super) fn match_(
        &mut self,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) -> Option<Vec<Held>> {
        let value = self.held(value);
        if !value.dims.is_empty() {
            return None;
        }
        let blocks: Vec<(&[Binder], &Block)> =
            arms.iter().map(|it| (&*it.fields, &it.body)).collect();
        let all = blocks.into_iter().chain(otherwise.map(|it| (&[][..], it))).collect();
        let (dims, mut blocks) = self.branches(all);
        let otherwise = otherwise.and_then(|_| blocks.pop());
        let mut new = Vec::new();
        for (arm, body) in arms.iter().zip(blocks) {
            let fields = arm.fields.iter().map(|it| self.declare_plain(it)).collect();
            new.push(Arm { con: arm.con.clone(), fields, body });
        }
        let op = Op::Control(ControlOp::Match { value: value.atom, arms: new, otherwise });
        let results = self.builder.emit(op);
        Some(dims.iter().zip(results).map(|(dims, atom)| Held::over(dims, atom)).collect())
    }

    /// Outside of any build.
    pub(super) fn while_(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        cond: &Block,
        body: &Block,
    ) -> Op {
        let inits = inits.iter().map(|it| self.plain(it)).collect();
        let state = state.iter().map(|it| self.declare_plain(it)).collect();
        let cond = self.plain_block(cond);
        let body = self.plain_block(body);
        Op::Control(ControlOp::While { inits, state, cond, body })
    }

    /// Outside of any build.
    pub(super) fn filter(&mut self, array: &Atom, predicate: &Lambda) -> Op {
        let array = self.plain(array);
        let params = predicate.params.iter().map(|it| self.declare_plain(it)).collect();
        let body = self.plain_block(&predicate.body);
        Op::Array(ArrayOp::Filter { array, predicate: Arc::new(Lambda { params, body }) })
    }

    fn plain_block(&mut self, block: &Block) -> Block {
        self.open();
        let results = self.block(block);
        let results = results.iter().map(|it| self.atom(it)).collect();
        self.close(results)
    }

    /// A definition that does not call itself is called once for all positions, see `bot/batched.rs`.
    pub(super) fn call(
        &mut self,
        stmt: &Stmt,
        def: &Name,
        sizes: &[Size],
        args: &[Atom],
    ) -> Option<Vec<Held>> {
        let sizes = self.all_sizes(sizes)?;
        let held = self.all_held(args);
        let dims = union(&union_all(&held), &self.forced(stmt));
        let mask = if self.facts.fails(stmt) { self.mask() } else { None };
        if dims.is_empty() || self.all.is_recursive(def) || self.is_size_param(def, &held) {
            return None;
        }
        let patterns = held.iter().map(|it| it.dims.iter().map(|dim| position(&dims, *dim)));
        let patterns: Vec<Vec<usize>> = patterns.map(Iterator::collect).collect();
        let name = self.batched_defs.request(def, dims.len(), patterns, mask.is_some());
        let outer = self.sizes_of(&dims);
        let mut binders = Vec::new();
        for binder in &stmt.binders {
            let ty = Type::arrays(&outer, self.ty(&binder.ty)?);
            binders.push(Binder { var: binder.var, ty });
        }
        let mask = mask.map(|it| self.expand(&it, &dims, &[]));
        let args = mask.into_iter().chain(held.iter().map(|it| self.atom(it))).collect();
        let sizes = outer.into_iter().chain(sizes).collect();
        self.builder.push(Stmt {
            binders,
            op: Op::Function(FunctionOp::Call { def: name, types: Vec::new(), sizes, args }),
        });
        let over = |it: &Binder| Held::over(&dims, Atom::Var(it.var));
        Some(stmt.binders.iter().map(over).collect())
    }

    /// Whether a parameter is a size in the signature but depends on a dimension.
    fn is_size_param(&self, def: &Name, args: &[Held]) -> bool {
        let Some(def) = self.batched_defs.source.defs.get(def) else { return true };
        let types = def.params.iter().chain(&def.results);
        let sizes: Vec<Var> = types.flat_map(|it| it.ty.size_vars()).collect();
        let results = def.results.iter().any(|it| sizes.contains(&it.var));
        let mut params = def.params.iter().zip(args);
        results || params.any(|(it, held)| sizes.contains(&it.var) && !held.dims.is_empty())
    }

    /// Whether a branch is cheap beside what was done and the arrays that it gives, and nothing in it fails under a
    /// mask. Under a mask, the whole has been found cheap already.
    fn is_maskable(&self, block: &Block, written: &Size) -> bool {
        let cheap = || {
            let cost = cost::block(self.all, self.facts, block, Bound::Most);
            cost.is_some_and(|it| cost::is_cheap(&it.sub(written), &self.work))
        };
        can_be_masked(self.all, self.facts, block) && (!self.conditions.is_empty() || cheap())
    }

    /// Whether the results of a body fit the dimensions of a state.
    pub(super) fn fits(results: &[Held], state: &[Dims]) -> bool {
        results.iter().zip(state).all(|(it, dims)| within(&it.dims, dims))
    }
}

fn position(dims: &Dims, dim: super::held::Dim) -> usize {
    dims.iter().position(|it| *it == dim).expect("the dimensions are those of the arguments")
}
