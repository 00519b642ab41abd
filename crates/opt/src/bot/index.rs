//! `index` is pushed into what it is of, before anything else: Fig. 10.
//!
//! The array must be computed in the same block, used for nothing else, and cannot fail: then its
//! statement goes away, and the element alone is computed where it is asked for. Left as they are:
//! what the paper has as normal forms, and what would cost more or fail elsewhere; see the Note at the
//! end of `bot/index/moved.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::walk::{self, Rewrite};
use ir::{
    Arm, ArrayOp, Atom, Block, Builder, ControlOp, Def, Lambda, Loop, Op, Prim, Program, Reduction,
    Size, Stmt, Var,
};

use super::facts::{DefFacts, Facts};

mod moved;

/// The program with all indices pushed.
pub(super) fn push_indices(program: &Program) -> Program {
    let facts = Facts::new(program);
    let push = |def: &Arc<Def>| match facts.def(&def.name) {
        Some(own) => Arc::new(push_def(program, own, def)),
        None => Arc::clone(def),
    };
    let defs = program.defs.iter().map(|(name, def)| (name.clone(), push(def))).collect();
    Program { defs, ..program.clone() }
}

fn push_def(program: &Program, facts: &DefFacts, def: &Def) -> Def {
    let mut uses = Uses::default();
    walk::rewrite_block(&def.body, &mut uses);
    let mut builder = Builder::new(program, def.next_var);
    facts.types().for_each(|(var, ty)| builder.declare(*var, ty.clone()));
    let (local, dead) = (BTreeMap::new(), BTreeSet::new());
    let mut push = Push { builder, facts, def, uses: uses.0, local, dead };
    let body = push.block(&def.body);
    let (next_var, mut spans) = push.builder.finish();
    spans.0.extend(def.spans.0.iter().map(|(var, span)| (*var, *span)));
    Def { body, next_var, spans, ..def.clone() }
}

/// How often each variable occurs.
#[derive(Default)]
struct Uses(BTreeMap<Var, usize>);

impl Rewrite for Uses {
    fn atom(&mut self, atom: &Atom) -> Atom {
        if let Atom::Var(var) = atom {
            *self.0.entry(*var).or_default() += 1;
        }
        atom.clone()
    }
}

/// The work on one definition.
struct Push<'a, 'p> {
    builder: Builder<'p>,
    facts: &'a DefFacts,
    def: &'a Def,
    uses: BTreeMap<Var, usize>,
    /// The statements of the block so far.
    local: BTreeMap<Var, Stmt>,
    /// Those that went away.
    dead: BTreeSet<Var>,
}

impl Push<'_, '_> {
    fn block(&mut self, block: &Block) -> Block {
        let outside = std::mem::take(&mut self.local);
        self.builder.open();
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.local = outside;
        let block = self.builder.close(block.results.clone());
        self.without_dead(block)
    }

    fn without_dead(&self, mut block: Block) -> Block {
        block.stmts.retain(|it| it.binders.iter().all(|it| !self.dead.contains(&it.var)));
        block
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let outside = self.set_span(stmt);
        let op = if let Op::Array(ArrayOp::Index { array, indices }) = &stmt.op {
            self.index(array, indices, self.facts.fails(stmt))
        } else {
            self.inside(&stmt.op)
        };
        let new = Stmt { binders: stmt.binders.clone(), op };
        self.builder.push(new.clone());
        self.builder.set_span(outside);
        if let [binder] = stmt.binders.as_slice()
            && !self.facts.fails(stmt)
        {
            self.local.insert(binder.var, new);
        }
    }

    fn set_span(&mut self, stmt: &Stmt) -> Option<base::Span> {
        let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
        self.builder.set_span(span)
    }

    /// The operation with the blocks inside of it gone through.
    fn inside(&mut self, op: &Op) -> Op {
        let mut op = op.clone();
        match &mut op {
            Op::Control(ControlOp::If { then, otherwise, .. }) => {
                *then = self.block(then);
                *otherwise = self.block(otherwise);
            }
            Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
                for Arm { body, .. } in arms {
                    *body = self.block(body);
                }
                if let Some(it) = otherwise {
                    *it = self.block(it);
                }
            }
            Op::Control(ControlOp::Build { body, .. } | ControlOp::Iterate { body, .. }) => {
                *body = self.block(body)
            }
            Op::Control(
                ControlOp::Fold { step: Loop { body, .. }, .. }
                | ControlOp::Scan { step: Loop { body, .. }, .. },
            ) => {
                *body = self.block(body);
            }
            Op::Control(ControlOp::While { cond, body, .. }) => {
                *cond = self.block(cond);
                *body = self.block(body);
            }
            Op::Array(ArrayOp::Filter { predicate, .. }) => {
                let body = self.block(&predicate.body);
                *predicate = Arc::new(Lambda { params: predicate.params.clone(), body });
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
            | Op::Delta(_) => {}
        }
        op
    }

    /// The rule that applies, or the index itself. `fails` says whether an index may be out of bounds.
    fn index(&mut self, array: &Atom, ix: &[Atom], fails: bool) -> Op {
        if ix.is_empty() {
            return self.index_of_nothing(array);
        }
        let normal = Op::Array(ArrayOp::Index { array: array.clone(), indices: ix.to_vec() });
        let Atom::Var(var) = array else { return normal };
        let Some(stmt) = self.local.get(var).filter(|_| self.uses.get(var) == Some(&1)).cloned()
        else {
            return normal;
        };
        let pushed = self.pushed(&stmt, ix, fails);
        if pushed.is_some() {
            self.dead.insert(*var);
        }
        pushed.unwrap_or(normal)
    }

    fn pushed(&mut self, stmt: &Stmt, ix: &[Atom], fails: bool) -> Option<Op> {
        match &stmt.op {
            Op::Copy(array) => Some(self.index_of_let(array, ix, fails)),
            Op::Array(ArrayOp::Index { array, indices }) => {
                Some(self.index_of_index(array, indices, ix, fails))
            }
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                Some(self.index_of_cond(cond, (then, otherwise), ix, fails))
            }
            Op::Prim(prim, args) => Some(self.index_of_op(*prim, args, ix, fails)),
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                self.index_of_sum(*reduction, *axis, array, ix, fails)
            }
            Op::Array(ArrayOp::Literal { elem, parts }) if ix.len() > 1 => {
                Some(self.index_of_array(elem, parts, ix, fails))
            }
            Op::Array(ArrayOp::Replicate { value, .. }) if !fails => {
                Some(self.index_of_replicate(value, ix, fails))
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                self.index_of_transpose(array, permutation, ix, fails)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                self.index_of_reshape(array, *rank, sizes, ix, fails)
            }
            Op::Array(ArrayOp::Gather { array, indices, mask: None }) => {
                Some(self.index_of_gather(array, indices, ix, fails))
            }
            // Normal forms, and what is no array or does not pay.
            Op::Array(
                ArrayOp::Literal { .. }
                | ArrayOp::Scatter { .. }
                | ArrayOp::Replicate { .. }
                | ArrayOp::Gather { .. },
            ) => None,
            Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => None,
        }
    }

    /// A statement in front of the one being made.
    fn before(&mut self, array: &Atom, ix: &[Atom], fails: bool) -> Atom {
        let op = self.index(array, ix, fails);
        if let Op::Copy(atom) = op { atom } else { self.builder.one(op) }
    }

    fn rank(&self, atom: &Atom) -> usize {
        self.builder.type_of(atom).split_arrays().0.len()
    }

    /// `index t []  ~>  t`
    fn index_of_nothing(&self, array: &Atom) -> Op {
        Op::Copy(array.clone())
    }

    /// `index (let x = v in t) ix  ~>  let x = v in index t ix`
    fn index_of_let(&mut self, array: &Atom, ix: &[Atom], fails: bool) -> Op {
        self.index(array, ix, fails)
    }

    /// `index (index t [u1, ..., um]) [t1, ..., tn]  ~>  index t [u1, ..., um, t1, ..., tn]`
    fn index_of_index(&mut self, array: &Atom, outer: &[Atom], ix: &[Atom], fails: bool) -> Op {
        let all: Vec<Atom> = outer.iter().chain(ix).cloned().collect();
        self.index(array, &all, fails)
    }

    /// `index (cond b u v) [t1, ..., tn]
    ///   ~>  let i1 = t1 ... in cond b (index u [i1, ..., in]) (index v [i1, ..., in])`
    fn index_of_cond(
        &mut self,
        cond: &Atom,
        (then, otherwise): (&Block, &Block),
        ix: &[Atom],
        fails: bool,
    ) -> Op {
        let then = self.index_at_end(then, ix, fails);
        let otherwise = self.index_at_end(otherwise, ix, fails);
        Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise })
    }

    fn index_at_end(&mut self, block: &Block, ix: &[Atom], fails: bool) -> Block {
        let results = self.builder.reopen(block.clone());
        let mut local = BTreeMap::new();
        for stmt in &block.stmts {
            if let [binder] = stmt.binders.as_slice()
                && !self.facts.fails(stmt)
            {
                local.insert(binder.var, stmt.clone());
            }
        }
        let outside = std::mem::replace(&mut self.local, local);
        let results = results.iter().map(|it| self.before(it, ix, fails)).collect();
        self.local = outside;
        let block = self.builder.close(results);
        self.without_dead(block)
    }

    /// `index (op t u) [t1, ..., tn]
    ///   ~>  let i1 = t1 ... in op (index t [i1, ..., in]) (index u [i1, ..., in])`
    fn index_of_op(&mut self, prim: Prim, args: &[Atom], ix: &[Atom], fails: bool) -> Op {
        let mut elements = Vec::new();
        for arg in args {
            let array = self.rank(arg) > 0;
            elements.push(if array { self.before(arg, ix, fails) } else { arg.clone() });
        }
        Op::Prim(prim, elements)
    }

    /// `index (sumOuter t) ix  ~>  sumOuter (index (tr_{1, ..., n, 0} t) ix)`
    ///
    /// Instead of being transposed, `t` is gathered at all positions of the axis.
    fn index_of_sum(
        &mut self,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
        ix: &[Atom],
        fails: bool,
    ) -> Option<Op> {
        if axis >= ix.len() {
            let array = self.before(array, ix, fails);
            return Some(Op::Array(ArrayOp::Reduce { reduction, axis: axis - ix.len(), array }));
        }
        // Of nothing to be summed, nothing would be out of bounds.
        if fails {
            return None;
        }
        let size: Size = self.builder.type_of(array).split_arrays().0.get(axis)?.clone();
        let positions = self.builder.one(Op::Array(ArrayOp::Iota(size)));
        let mut indices = ix.to_vec();
        indices.insert(axis, positions);
        let gather = Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: None });
        let array = self.builder.one(gather);
        Some(Op::Array(ArrayOp::Reduce { reduction, axis: 0, array }))
    }

    /// `index [t1, ..., tk] [u1, ..., un]  ~>  let i2 = u2 ... in
    ///   index [index t1 [i2, ..., in], ..., index tk [i2, ..., in]] [u1]   if n > 1`
    fn index_of_array(&mut self, elem: &ir::Type, parts: &[Atom], ix: &[Atom], fails: bool) -> Op {
        let n_rest = ix.len() - 1;
        let parts = parts.iter().map(|it| self.before(it, &ix[1..], fails)).collect();
        let (sizes, inner) = elem.split_arrays();
        let elem = ir::Type::arrays(&sizes[n_rest..], inner.clone());
        let array = self.builder.one(Op::Array(ArrayOp::Literal { elem, parts }));
        Op::Array(ArrayOp::Index { array, indices: vec![ix[0].clone()] })
    }

    /// `index (replicate k t) [u1, ..., un]  ~>  index t [u2, ..., un]   if n > 0`
    ///
    /// Only where `u1` is in bounds for sure, since nothing checks it any more.
    fn index_of_replicate(&mut self, value: &Atom, ix: &[Atom], fails: bool) -> Op {
        self.index(value, &ix[1..], fails)
    }

    /// `index (gather (k ::: sh) t (\(i ::: is). ix)) (u ::: ix')
    ///   ~>  index (gather sh t (\is. let i = u in ix)) ix'`
    /// and `index (gather [] t (\[]. ix)) ix'  ~>  index (index t ix) ix'`
    fn index_of_gather(&mut self, array: &Atom, indices: &[Atom], ix: &[Atom], fails: bool) -> Op {
        let rank = indices.iter().map(|it| self.rank(it)).max().unwrap_or(0);
        let (outer, rest) = ix.split_at(rank.min(ix.len()));
        let mut found = Vec::new();
        for index in indices {
            let scalar = self.rank(index) == 0;
            found.push(if scalar { index.clone() } else { self.before(index, outer, fails) });
        }
        if outer.len() < rank {
            return Op::Array(ArrayOp::Gather { array: array.clone(), indices: found, mask: None });
        }
        found.extend(rest.iter().cloned());
        self.index(array, &found, fails)
    }
}
