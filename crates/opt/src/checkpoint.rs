//! Loops whose derivative keeps a state now and then, and runs the steps between again, ir to ir.
//!
//! A loop becomes one of pieces: each runs some steps, in a definition of its own. That definition has
//! clauses: its derivative is that of the steps, made when it is asked for. So what is kept is what a
//! piece starts from, and what its steps leave for the way back is there for one piece at a time.
//! For `n` steps and pieces of the square root of `n`, both are as many as that root, and each step is
//! done once more. Pieces may have pieces: with `l` levels it is the `l`-th root, and `l - 1` times more.
//!
//! So `n` steps are `l n` in all: a level goes through each of them once. What a level keeps is freed
//! together, so all of its pieces have the same memory and the same length, and levels of `k_1, .., k_l`
//! pieces take `k_1 + .. + k_l` states for `k_1 .. k_l` steps, the most where they are equal. The binomial
//! schedule frees states one by one: `s` of them are enough for `C(s + r, r)` steps by `r n - C(s + r, r - 1)`.
//! On two levels there is nothing to be gained by it; on more, counted loops have it (`checkpoint/binomial.rs`,
//! `docs/internals/bulk.md`).
//!
//! `checkpoint n s` in a step, which is `s`, says that the loop around it has pieces of `n` steps; if `n`
//! is not positive, or only a step knows it, that of the square root. Several in a step are levels, the
//! last one outermost.
//!
//! Where derivatives are differentiated, up to `HIGHEST_ORDER`, the clauses are such definitions in their turn, so
//! they keep nothing either but what a piece starts from.
//!
//! A `while` does not know how many steps it takes: without a number, its pieces get longer by one step
//! each, so that both are of the order of the root again.
//!
//! Requires: dialect FirstOrder, verified, without tuples.
//! Ensures: the same dialect and results, to the bit; no `checkpoint` is left.
//! Cost: linear in the program; a piece has twice as many definitions for each order of derivatives.
//! Not done: scans, whose states are results, folds that collect values, and loops of definitions that
//! call themselves, whose derivative would be asked for inside of itself.
//! The papers are Griewank, Achieving logarithmic growth of temporal and spatial complexity in reverse
//! automatic differentiation, and Griewank and Walther, Algorithm 799: revolve.
//! Tests: `tests/programs/language/checkpoint.cot`; memory and counts: `crates/cotan/tests/checkpoints.rs`; text:
//! `crates/opt/tests/checkpoint.rs`, `crates/cotan/tests/cases/passes/a_loop_runs_in_pieces.case`.
//!
//! Example. `iterate x1 < 100 (x2 = x3) { .. }` is `iterate x4 < 10 (x2 = x3) { .. call "f.again" }`; that
//! calls `f.steps`, which is `iterate x1 < 10 (..) { .. }`, and has the derivatives of `f.steps` as clauses.

mod binomial;
mod define;
mod pieces;
mod quiet;
mod sweep;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Name;
use ir::{
    Atom, Binder, Block, Builder, CallGraph, ControlOp, Def, DeriveOp, Need, Op, Operator, Program,
    Stmt, Type, graph, walk,
};

use crate::tuning::HIGHEST_ORDER;
use pieces::{Every, has_places, is_long};

/// Which loops keep checkpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Checkpoints {
    /// Those that say so.
    #[default]
    Marked,
    /// All that are differentiated, on so many levels; those that say so as they say.
    All(u32),
}

/// The program with loops in pieces.
pub fn checkpoint(program: &Program, which: Checkpoints) -> Program {
    let differentiated = match which {
        Checkpoints::Marked => BTreeSet::new(),
        Checkpoints::All(_) => differentiated(program),
    };
    let levels = |name: &Name| match which {
        Checkpoints::All(levels) if differentiated.contains(name) => Some(levels),
        Checkpoints::All(_) | Checkpoints::Marked => None,
    };
    let recursive = CallGraph::new(program, &Need::ALL).recursive();
    let orders = orders(program);
    let mut builder = Builder::growing(program.clone());
    for (name, def) in &program.defs {
        let levels = levels(name);
        if levels.is_none() && !has_mark(&def.body) {
            continue;
        }
        if recursive.contains(name) {
            let body = unmarked(&def.body);
            let made = Def { body, ..(**def).clone() };
            builder.program_mut().defs.insert(name.clone(), Arc::new(made));
            continue;
        }
        let order = orders.get(name).copied().unwrap_or(1);
        let mut pass = Pass { builder, def: def.clone(), levels, order, n_pieces: 0 };
        pass.definition();
        builder = pass.builder;
    }
    let made = builder.into_program();
    let customs = made.customs.iter().filter(|it| !program.customs.contains_key(it.0));
    let clauses = customs.flat_map(|it| [&it.1.vjp, &it.1.jvp]).flatten().cloned();
    let clauses: Vec<Name> = clauses.collect();
    quiet::quieten(made, &clauses)
}

/// The program without checkpoints: every `checkpoint n s` is `s`.
pub fn drop_checkpoints(program: &Program) -> Program {
    let mut res = program.clone();
    for def in res.defs.values_mut().filter(|it| has_mark(&it.body)) {
        let body = unmarked(&def.body);
        *def = Arc::new(Def { body, ..(**def).clone() });
    }
    res
}

/// The definitions that derivatives go through.
fn differentiated(program: &Program) -> BTreeSet<Name> {
    let callees = program.defs.values().flat_map(|it| graph::callees(&it.body));
    let targets: BTreeSet<Name> =
        callees.filter(|it| it.0 == Need::Derivative).map(|it| it.1.clone()).collect();
    CallGraph::new(program, &[Need::Call]).reachable(&targets)
}

/// How often each definition may be differentiated, one derivative of the other; those that are not are left out.
/// What differentiates itself has no bound but `HIGHEST_ORDER`.
fn orders(program: &Program) -> BTreeMap<Name, u32> {
    let mut found: BTreeMap<Name, u32> = BTreeMap::new();
    let mut open: Vec<(Name, u32)> = program.defs.keys().map(|it| (it.clone(), 0)).collect();
    while let Some((name, order)) = open.pop() {
        let known = found.get(&name).copied();
        let Some(def) = program.defs.get(&name).filter(|_| known.is_none_or(|it| it < order))
        else {
            continue;
        };
        let calls = graph::callees(&def.body).into_iter().filter(|it| it.0 == Need::Call);
        open.extend(calls.map(|(_, callee)| (callee.clone(), order)));
        let clauses = program.customs.get(&name).into_iter().flat_map(|it| [&it.vjp, &it.jvp]);
        open.extend(clauses.flatten().map(|it| (it.clone(), order.saturating_sub(1))));
        targets(&def.body, &mut |operator, target| {
            let more = if let Operator::Hvp | Operator::Hessian = operator { 2 } else { 1 };
            open.push((target.clone(), (order + more).min(HIGHEST_ORDER)));
        });
        found.insert(name, order);
    }
    found.retain(|_, order| *order > 0);
    found
}

/// The operators in a block, and what they differentiate.
fn targets(block: &Block, found: &mut dyn FnMut(Operator, &Name)) {
    for stmt in &block.stmts {
        if let Op::Derive(DeriveOp::OfDefinition { operator, def, .. }) = &stmt.op {
            found(*operator, def);
        }
        walk::blocks(&stmt.op).iter().for_each(|it| targets(it.1, found));
    }
}

/// Whether there is a `checkpoint` in a block.
fn has_mark(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_mark(it.1));
    block.stmts.iter().any(|it| mark(&it.op).is_some() || inside(&it.op))
}

/// The number and the value of a `checkpoint`.
fn mark(op: &Op) -> Option<(&Atom, &Atom)> {
    if let Op::Derive(DeriveOp::Checkpoint { every, value }) = op {
        Some((every, value))
    } else {
        None
    }
}

fn unmarked(block: &Block) -> Block {
    let stmt = |it: &Stmt| {
        let op = match mark(&it.op) {
            Some((_, value)) => Op::Copy(value.clone()),
            None => walk::map_blocks(&it.op, &mut |_, it| unmarked(it)),
        };
        Stmt { binders: it.binders.clone(), op }
    };
    let stmts = block.stmts.iter().map(stmt).collect();
    Block { stmts, results: block.results.clone() }
}

struct Pass {
    builder: Builder<'static>,
    /// The definition whose loops are looked at.
    def: Arc<Def>,
    /// How many levels its loops have that say nothing.
    levels: Option<u32>,
    /// How often it may be differentiated, one derivative of the other.
    order: u32,
    /// How many pieces have names.
    n_pieces: u32,
}

impl Pass {
    fn definition(&mut self) {
        let def = self.def.clone();
        let outer = self.builder.begin(def.next_var);
        def.size_params.iter().for_each(|it| self.builder.declare(*it, Type::Int));
        self.declare(&def.params);
        let body = self.block(&def.body);
        let (next_var, mut spans) = self.builder.end(outer);
        spans.0.extend(def.spans.0.iter().map(|(var, span)| (*var, *span)));
        let made = Def { body, next_var, spans, ..(*def).clone() };
        self.builder.program_mut().defs.insert(def.name.clone(), Arc::new(made));
    }

    fn declare(&mut self, binders: &[Binder]) {
        binders.iter().for_each(|it| self.builder.declare(it.var, it.ty.clone()));
    }

    /// Inner loops first, so that their pieces are called by those of the outer ones.
    fn block(&mut self, block: &Block) -> Block {
        self.builder.open();
        for stmt in &block.stmts {
            let every = self.every(&stmt.op);
            let op = walk::map_blocks(&stmt.op, &mut |bound, it| {
                self.declare(bound);
                self.block(it)
            });
            let op = match mark(&op) {
                Some((_, value)) => Op::Copy(value.clone()),
                None => op,
            };
            let stmt = Stmt { binders: stmt.binders.clone(), op };
            if every.is_empty() || !self.in_pieces(&stmt, &every) {
                self.builder.push(stmt);
            }
        }
        self.builder.close(block.results.clone())
    }

    /// The lengths of the pieces of a loop, outermost first; none if it stays whole.
    fn every(&self, op: &Op) -> Vec<Every> {
        let Op::Control(
            ControlOp::Iterate { .. } | ControlOp::Fold { .. } | ControlOp::While { .. },
        ) = op
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let blocks = walk::blocks(op);
        blocks.iter().for_each(|it| marks(it.1, &mut found));
        if !found.is_empty() {
            let bound: BTreeSet<_> = blocks
                .iter()
                .flat_map(|(binders, it)| {
                    binders.iter().map(|it| it.var).chain(walk::bound_vars(it)).collect::<Vec<_>>()
                })
                .collect();
            let is_inside = |it: &Atom| matches!(it, Atom::Var(var) if bound.contains(var));
            let every = |it: &Atom| match is_inside(it) {
                true => Every::Root(2),
                false => Every::Steps(it.clone()),
            };
            return found.iter().rev().map(every).collect();
        }
        match self.levels {
            Some(levels) if is_long(op, &self.builder) => match levels {
                3.. if has_places(op, &self.builder) => vec![Every::Places(levels - 1)],
                _ => (2..=levels).rev().map(Every::Root).collect(),
            },
            Some(_) | None => Vec::new(),
        }
    }
}

/// The numbers of the checkpoints of a step, each once; those of loops inside are theirs.
fn marks(block: &Block, found: &mut Vec<Atom>) {
    for stmt in &block.stmts {
        if let Some((every, _)) = mark(&stmt.op)
            && !found.contains(every)
        {
            found.push(every.clone());
        }
        if let Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }) = &stmt.op {
            walk::blocks(&stmt.op).iter().for_each(|it| marks(it.1, found));
        }
    }
}
