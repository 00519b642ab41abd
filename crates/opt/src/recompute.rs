//! What a loop saves for the loop that goes back over its steps, and what that one computes again,
//! ir to ir.
//!
//! The derivative of a loop is two: the first collects what the second needs, one array for each
//! value. Where a few values determine the others by cheap operations, it is enough to keep those few.
//! Which ones is a minimal cut (`recompute/cut.rs`): a value is kept, or it is computed again of
//! others; what is not cheap, the state of the loop and its elements are never computed again.
//!
//! The model of costs: a scalar that is kept costs a write and a read, `KEPT`; an element of an array
//! that is there anyway, and what is collected for somebody else too, only a read; arrays as many
//! scalars as `per_element` says. Sums, products, comparisons and the like are cheap and cost 1, a
//! gather a read, and what shows elements in another order or more often nothing.
//! Nothing is changed unless what is computed again costs less than what is not kept any more.
//!
//! Requires: dialect Bulk, verified, without tuples.
//! Ensures: the same dialect, definitions and results, to the bit, and the same errors at run time.
//! Cost: for a loop of n statements that collects k values, n times k.
//! Not done: loops that lie in different blocks, and so what inner loops save in each step of an outer
//! one.
//! No paper of ours has it; the cut is that of Ford and Fulkerson.
//! Tests: `crates/opt/tests/recompute.rs`; on all examples: `crates/cotan/tests/native.rs`.
//!
//! Example. `a, c = fold (s = 1.0) (x = xs) { t = mul s x; u = add t x; give u, t }` with `t` for the
//! way back collects nothing new if the states are collected anyway: `t = mul s x` is computed there.

mod cut;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Span;
use ir::walk::{self, Rewrite};
use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, Def, Loop, Op, Program, Size, Spans, Stmt, Type, Var,
};

use cut::cheapest;
use steps::Steps;

/// The program with less saved in loops.
pub fn recompute(program: &Program) -> Program {
    let mut res = program.clone();
    for def in res.defs.values_mut() {
        let spans = def.spans.0.clone();
        let mut pass = Pass { next_var: def.next_var, spans, has_changed: false };
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
    has_changed: bool,
}

/// A loop that collects, and the loop that goes back over what it collected.
struct Pair<'a> {
    /// Positions of the statements.
    first: usize,
    second: usize,
    /// What the first one binds in a step in front of its body, and the arrays of elements.
    state: &'a [Binder],
    elems: Vec<(&'a Binder, &'a Atom)>,
    body: &'a Block,
    /// The binder of the first one that is collected first.
    offset: usize,
    is_while: bool,
    /// For each collected result, if only the second one reads it: the statement that reverses it, and
    /// the element that it is there.
    links: Vec<Option<(usize, usize)>>,
}

impl Pass {
    /// A new variable at the place of another.
    fn fresh(&mut self, like: Var) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = self.spans.get(&like) {
            self.spans.insert(var, *span);
        }
        var
    }

    fn block(&mut self, block: &Block) -> Block {
        let inner = |it: &Stmt| {
            let op = walk::map_blocks(&it.op, &mut |_, it| self.block(it));
            Stmt { binders: it.binders.clone(), op }
        };
        let stmts = block.stmts.iter().map(inner).collect();
        let mut block = Block { stmts, results: block.results.clone() };
        // Every pair once; those that are changed collect other values afterwards.
        let mut readers = readers(&block);
        for first in (0..block.stmts.len()).rev() {
            let Some(pair) = pair(&block, &readers, first) else { continue };
            if let Some(made) = self.changed(&block, &pair) {
                self.has_changed = true;
                // Nothing has moved up to the first loop.
                block = made;
                readers = self::readers(&block);
            }
        }
        block
    }

    /// The block with less collected, if that pays.
    fn changed(&mut self, block: &Block, pair: &Pair<'_>) -> Option<Block> {
        let steps = Steps::new(pair);
        let kept = cheapest(&steps.nodes)?;
        let again = steps.again(&kept);
        let before: u64 = steps.needed().filter_map(|it| steps.nodes[it].cost).sum();
        let all = steps.nodes.iter().enumerate();
        let after: u64 = all.filter(|it| kept[it.0]).filter_map(|it| it.1.cost).sum();
        let work: u64 = again.iter().map(|it| steps.work(*it)).sum();
        let pays = after + work < before;
        pays.then(|| self.rewritten(block, pair, &steps, &kept, &again)).flatten()
    }

    /// None if one of the loops would have nothing left that counts its steps.
    fn rewritten(
        &mut self,
        block: &Block,
        pair: &Pair<'_>,
        steps: &Steps<'_>,
        kept: &[bool],
        again: &[usize],
    ) -> Option<Block> {
        let mut stmts = block.stmts.clone();
        let Op::Control(ControlOp::Fold { arrays, step: back, .. }) = &block.stmts[pair.second].op
        else {
            return None;
        };
        let (mut arrays, mut back) = (arrays.clone(), back.clone());
        let (mut first_binders, mut first_body) =
            (block.stmts[pair.first].binders.clone(), pair.body.clone());
        let size = first_binders.get(pair.offset)?.ty.sizes().first().copied()?.clone();
        // What stands for the values of the first loop in the second.
        let mut names: BTreeMap<Var, Atom> = BTreeMap::new();
        let mut is_dropped = vec![false; pair.links.len()];
        let mut dropped_elems = BTreeSet::new();
        let mut dropped_stmts = BTreeSet::new();
        let n_state = pair.state.len();
        for (at, link) in pair.links.iter().enumerate() {
            let Some((reverse, elem)) = *link else { continue };
            let Some(node) = steps.of_atom(&pair.body.results[n_state + at]) else { continue };
            let var = back.elems[elem].var;
            if kept[node] && !names.contains_key(&steps.binders[node].var) {
                names.insert(steps.binders[node].var, Atom::Var(var));
            } else {
                is_dropped[at] = true;
                dropped_elems.insert(elem);
                dropped_stmts.insert(reverse);
            }
        }
        let mut new_stmts = Vec::new();
        for (node, binder) in steps.binders.iter().enumerate() {
            if !kept[node] || names.contains_key(&binder.var) {
                continue;
            }
            let array = match pair.array_of(block, binder.var) {
                Some(array) => array,
                None => {
                    let var = self.fresh(binder.var);
                    let ty = Type::array(size.clone(), binder.ty.clone());
                    first_binders.push(Binder { var, ty });
                    first_body.results.push(Atom::Var(binder.var));
                    Atom::Var(var)
                }
            };
            let (reversed, elem) = (self.fresh(binder.var), self.fresh(binder.var));
            let ty = Type::array(size.clone(), binder.ty.clone());
            let op = Op::Array(ArrayOp::Reverse(array));
            new_stmts.push(Stmt { binders: vec![Binder { var: reversed, ty }], op });
            arrays.push(Atom::Var(reversed));
            back.elems.push(Binder { var: elem, ty: binder.ty.clone() });
            names.insert(binder.var, Atom::Var(elem));
        }
        let mut body = Vec::new();
        for node in again {
            let binder = &steps.binders[*node];
            let var = self.fresh(binder.var);
            let op = walk::rewrite_op(steps.ops[*node], &mut Names(&names));
            body.push(Stmt { binders: vec![Binder { var, ty: binder.ty.clone() }], op });
            names.insert(binder.var, Atom::Var(var));
        }
        // What was an element is computed in front of the body, or known from outside.
        let mut elements: BTreeMap<Var, Atom> = BTreeMap::new();
        for (at, link) in pair.links.iter().enumerate().filter(|it| is_dropped[it.0]) {
            let Some((_, elem)) = *link else { continue };
            let value = Names(&names).atom(&pair.body.results[n_state + at]);
            elements.insert(back.elems[elem].var, value);
        }
        body.extend(back.body.stmts.iter().map(|it| walk::rewrite_stmt(it, &mut Names(&elements))));
        let results = back.body.results.iter().map(|it| Names(&elements).atom(it)).collect();
        back.body = Block { stmts: body, results };
        without(&mut back.elems, |at| dropped_elems.contains(&at));
        without(&mut arrays, |at| dropped_elems.contains(&at));
        let is_gone = |at: usize, offset: usize| {
            at.checked_sub(offset).and_then(|it| is_dropped.get(it)).copied().unwrap_or(false)
        };
        without(&mut first_binders, |at| is_gone(at, pair.offset));
        without(&mut first_body.results, |at| is_gone(at, n_state));
        let is_counted = !pair.is_while || first_binders.len() > pair.offset;
        if arrays.is_empty() || !is_counted {
            return None;
        }
        stmts[pair.first].binders = first_binders;
        set_body(&mut stmts[pair.first].op, first_body);
        if let Op::Control(ControlOp::Fold { arrays: old, step, .. }) = &mut stmts[pair.second].op {
            *old = arrays;
            *step = back;
        }
        stmts.splice(pair.second..pair.second, new_stmts);
        // All of them are in front of the second loop.
        without(&mut stmts, |at| dropped_stmts.contains(&at));
        Some(Block { stmts, results: block.results.clone() })
    }
}

impl Pair<'_> {
    /// The array of what a variable is in each step, if there is one anyway.
    fn array_of(&self, block: &Block, var: Var) -> Option<Atom> {
        if let Some((_, array)) = self.elems.iter().find(|it| it.0.var == var) {
            return Some((*array).clone());
        }
        let collected = block.stmts[self.first].binders.get(self.offset..)?;
        let given = self.body.results.get(self.state.len()..)?;
        let mut all = self.links.iter().zip(given).zip(collected);
        let found = all.find(|((link, it), _)| link.is_none() && **it == Atom::Var(var));
        found.map(|(_, binder)| Atom::Var(binder.var))
    }
}

fn without<T>(items: &mut Vec<T>, drop: impl Fn(usize) -> bool) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        !drop(at - 1)
    });
}

fn set_body(op: &mut Op, new: Block) {
    if let Op::Control(
        ControlOp::Fold { step: Loop { body, .. }, .. } | ControlOp::While { body, .. },
    ) = op
    {
        *body = new;
    }
}

struct Names<'a>(&'a BTreeMap<Var, Atom>);

impl Rewrite for Names<'_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.0.get(var).unwrap_or(atom).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        size.substitute(&mut |var| match self.0.get(var).and_then(ir::signature::atom_size) {
            Some(size) => size,
            None => Size::var(*var),
        })
    }
}

/// The statements that mention a variable; the results of the block are one more.
type Readers = BTreeMap<Var, Vec<usize>>;

fn readers(block: &Block) -> Readers {
    let mut res = Readers::new();
    for (at, stmt) in block.stmts.iter().enumerate() {
        for var in walk::free_vars_op(&stmt.op) {
            res.entry(var).or_default().push(at);
        }
    }
    for atom in &block.results {
        if let Atom::Var(var) = atom {
            res.entry(*var).or_default().push(block.stmts.len());
        }
    }
    res
}

/// The loop at a position and the one that goes back over it.
fn pair<'a>(block: &'a Block, readers: &Readers, first: usize) -> Option<Pair<'a>> {
    let stmt = &block.stmts[first];
    let is_while = matches!(stmt.op, Op::Control(ControlOp::While { .. }));
    let (state, elems, body, offset) =
        if let Op::Control(ControlOp::Fold { arrays, step, .. }) = &stmt.op {
            (&step.state, step.elems.iter().zip(arrays).collect(), &step.body, step.state.len())
        } else if let Op::Control(ControlOp::While { state, body, .. }) = &stmt.op {
            // The number of steps is in front.
            (state, Vec::new(), body, state.len() + 1)
        } else {
            return None;
        };
    let collected = stmt.binders.get(offset..).filter(|it| !it.is_empty())?;
    let mut second = None;
    let mut links = Vec::new();
    for binder in collected {
        let link = link(block, readers, binder.var);
        let link = link.filter(|it| second.is_none_or(|that| that == it.1));
        second = second.or(link.map(|it| it.1));
        links.push(link.map(|(reverse, _, elem)| (reverse, elem)));
    }
    Some(Pair { first, second: second?, state, elems, body, offset, is_while, links })
}

/// If all that is done with an array is to be reversed and gone through by one loop: the positions of
/// both, and of the element.
fn link(block: &Block, readers: &Readers, array: Var) -> Option<(usize, usize, usize)> {
    let [reverse] = readers.get(&array)?.as_slice() else { return None };
    let stmt = block.stmts.get(*reverse)?;
    let Op::Array(ArrayOp::Reverse(_)) = stmt.op else { return None };
    let reversed = stmt.binders.first()?.var;
    let [second] = readers.get(&reversed)?.as_slice() else { return None };
    let Op::Control(ControlOp::Fold { inits, arrays, step }) = &block.stmts.get(*second)?.op else {
        return None;
    };
    let elem = arrays.iter().position(|it| *it == Atom::Var(reversed))?;
    let is_once = arrays.iter().filter(|it| **it == Atom::Var(reversed)).count() == 1;
    let is_init = inits.contains(&Atom::Var(reversed));
    let is_read_inside = walk::free_vars_block(&step.body).contains(&reversed);
    (is_once && !is_init && !is_read_inside).then_some((*reverse, *second, elem))
}
