//! Index arithmetic is done where it is used, ir to ir.
//!
//! `simplify` takes what does not depend on a loop out of it, positions and tests of positions too. Compiled
//! code computes these for nothing wherever an element is computed, and a mask that stands in front of a loop
//! would be an array in memory, of which nobody knows any more where it holds: so they go back into the
//! blocks that use them.
//!
//! Requires: dialect Bulk, verified, without tuples.
//! Ensures: the same dialect, definitions and results, to the bit.
//! Cost: work of the order of what the blocks do anyway: what is moved is used element by element there.
//! Not done: what a block reads one element of, or hands on as a whole.
//! No paper of ours has it.
//! Tests: `crates/opt/tests/sink.rs`; on all examples: `crates/cotan/tests/native.rs`.
//!
//! Example. `i = iota [n]; m = eq i 0; iterate (x = y) { z = select m x 0.0; .. }` becomes
//! `iterate (x = y) { i = iota [n]; m = eq i 0; z = select m x 0.0; .. }`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Span;
use ir::{
    ArrayOp, Atom, Binder, Block, Def, Op, Prim, Program, Size, Spans, Stmt, Type, Var, walk,
};

use crate::tuning::MOST_SUNK;

/// The program with index arithmetic inside of loops.
pub fn sink(program: &Program) -> Program {
    let mut res = program.clone();
    for def in res.defs.values_mut() {
        let mut scalars: BTreeSet<Var> = def.size_params.iter().copied().collect();
        note_scalars(&def.params, &mut scalars);
        scalars_of(&def.body, &mut scalars);
        let spans = def.spans.0.clone();
        let mut pass = Pass { next_var: def.next_var, spans, scalars, has_changed: false };
        let body = pass.block(&def.body);
        if pass.has_changed {
            let (next_var, spans) = (pass.next_var, Spans(pass.spans));
            *def = Arc::new(Def { body, next_var, spans, ..(**def).clone() });
        }
    }
    res
}

struct Pass {
    next_var: u32,
    spans: BTreeMap<Var, Span>,
    /// The variables that are Ints or truth values.
    scalars: BTreeSet<Var>,
    has_changed: bool,
}

/// Index arithmetic in front of a statement, by what it binds.
type Known<'a> = BTreeMap<Var, &'a Stmt>;

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut known = Known::new();
        let mut stmts = Vec::new();
        let mut moved = BTreeSet::new();
        for stmt in &block.stmts {
            let op = walk::map_blocks(&stmt.op, &mut |_, it| {
                let it = self.with_own(it, &known, &mut moved);
                self.block(&it)
            });
            stmts.push(Stmt { binders: stmt.binders.clone(), op });
            if let [binder] = stmt.binders.as_slice()
                && self.is_index_arithmetic(&known, binder, &stmt.op)
            {
                known.insert(binder.var, stmt);
            }
        }
        let mut block = Block { stmts, results: block.results.clone() };
        if !moved.is_empty() {
            self.has_changed = true;
            drop_unused(&mut block, &moved);
        }
        block
    }

    /// A block with copies of the index arithmetic that it uses.
    fn with_own(&mut self, block: &Block, known: &Known<'_>, moved: &mut BTreeSet<Var>) -> Block {
        let free = walk::free_vars_block(block);
        let used =
            free.iter().filter(|it| known.contains_key(it) && is_used_by_element(block, **it));
        let mut wanted: BTreeSet<Var> = BTreeSet::new();
        let mut open: Vec<Var> = used.copied().collect();
        while let Some(var) = open.pop() {
            if wanted.insert(var) {
                let needs = walk::free_vars_op(&known[&var].op).into_iter();
                open.extend(needs.filter(|it| known.contains_key(it)));
            }
        }
        if wanted.is_empty() || wanted.len() > MOST_SUNK {
            return block.clone();
        }
        moved.extend(&wanted);
        let mut names: BTreeMap<Var, Var> = BTreeMap::new();
        let mut stmts = Vec::new();
        // Numbers of variables say nothing of their order.
        let mut rest: Vec<Var> = wanted.into_iter().collect();
        while !rest.is_empty() {
            let is_open = |it: &Var, rest: &[Var]| {
                walk::free_vars_op(&known[it].op).iter().any(|by| rest.contains(by))
            };
            let Some(at) = rest.iter().position(|it| !is_open(it, &rest)) else { break };
            let var = rest.remove(at);
            let new = Var(self.next_var);
            self.next_var += 1;
            if let Some(span) = self.spans.get(&var).copied() {
                self.spans.insert(new, span);
            }
            let one = Block { stmts: vec![known[&var].clone()], results: Vec::new() };
            names.insert(var, new);
            let one = walk::rename_block(&one, &mut |it| names.get(&it).copied().unwrap_or(it));
            stmts.extend(one.stmts);
        }
        let own = |(var, _): &(&Var, &Var)| is_used_by_element(block, **var);
        let by = names.iter().filter(own).map(|(old, new)| (*old, Atom::Var(*new))).collect();
        let block = walk::substitute_block(block, &by);
        stmts.extend(block.stmts);
        Block { stmts, results: block.results }
    }

    /// Whether it is an array of Ints or truth values that positions and scalars tell by cheap operations.
    fn is_index_arithmetic(&self, known: &Known<'_>, binder: &Binder, op: &Op) -> bool {
        let (sizes, inner) = binder.ty.split_arrays();
        if sizes.is_empty() || !matches!(inner, Type::Int | Type::Bool) {
            return false;
        }
        let plain = |it: &Atom| match it {
            Atom::Int(_) | Atom::Bool(_) => true,
            Atom::Var(var) => self.scalars.contains(var) || known.contains_key(var),
            Atom::Real(_) | Atom::Str(_) => false,
        };
        match op {
            // A size that is a variable or a number is one of an array, and not negative.
            Op::Array(ArrayOp::Iota(size)) => is_plain(size),
            Op::Array(ArrayOp::Replicate { size, value }) => is_plain(size) && plain(value),
            Op::Array(ArrayOp::Transpose { array, .. }) => plain(array),
            Op::Prim(prim, args) => is_cheap(*prim) && args.iter().all(plain),
            Op::Array(_) | Op::Copy(_) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => false,
            Op::Con { .. } | Op::Equal(..) | Op::Close(..) | Op::Control(_) => false,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => false,
        }
    }
}

fn is_plain(size: &Size) -> bool {
    size.as_constant().is_some_and(|it| it >= 0)
        || matches!(size.vars().as_slice(), [var] if *size == Size::var(*var))
}

fn is_cheap(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Neg
            | Prim::Min
            | Prim::Max
            | Prim::Lt
            | Prim::Le
            | Prim::Gt
            | Prim::Ge
            | Prim::Eq
            | Prim::Ne
            | Prim::And
            | Prim::Or
            | Prim::Not
            | Prim::Select
    )
}

/// Whether all that a block does with an array is done element by element.
fn is_used_by_element(block: &Block, var: Var) -> bool {
    let is = |it: &Atom| *it == Atom::Var(var);
    let whole = |op: &Op| {
        if let Op::Array(ArrayOp::Gather { array, .. }) = op {
            return is(array);
        }
        if let Op::Array(ArrayOp::Scatter { into, values, .. }) = op {
            return is(into) || is(values);
        }
        let is_inside = |it: &(Vec<Binder>, &Block)| walk::free_vars_block(it.1).contains(&var);
        let own = walk::map_blocks(op, &mut |_, _| Block { stmts: vec![], results: vec![] });
        let mentions = !matches!(op, Op::Prim(..)) && walk::free_vars_op(&own).contains(&var);
        mentions
            || walk::blocks(op).iter().any(|it| is_inside(it) && !is_used_by_element(it.1, var))
    };
    !block.results.iter().any(is) && !block.stmts.iter().any(|it| whole(&it.op))
}

/// Takes away what was moved and is not used any more.
fn drop_unused(block: &mut Block, moved: &BTreeSet<Var>) {
    let mut used: BTreeSet<Var> = BTreeSet::new();
    for atom in &block.results {
        if let Atom::Var(var) = atom {
            used.insert(*var);
        }
    }
    let mut kept = Vec::new();
    while let Some(stmt) = block.stmts.pop() {
        let gone = |it: &Binder| moved.contains(&it.var) && !used.contains(&it.var);
        if stmt.binders.iter().all(gone) && !stmt.binders.is_empty() {
            continue;
        }
        used.extend(walk::free_vars_op(&stmt.op));
        kept.push(stmt);
    }
    kept.reverse();
    block.stmts = kept;
}

fn note_scalars(binders: &[Binder], into: &mut BTreeSet<Var>) {
    let scalars = binders.iter().filter(|it| matches!(it.ty, Type::Int | Type::Bool));
    into.extend(scalars.map(|it| it.var));
}

fn scalars_of(block: &Block, into: &mut BTreeSet<Var>) {
    for stmt in &block.stmts {
        note_scalars(&stmt.binders, into);
        for (binders, block) in walk::blocks(&stmt.op) {
            note_scalars(&binders, into);
            scalars_of(block, into);
        }
    }
}
