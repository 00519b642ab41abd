//! Loops in pieces: where a test of the index is true for some steps and false for the others, each piece
//! knows what it is.
//!
//! `for i < n { x = select(i < k, a, 0.0); .. }` becomes a loop of the steps below `k`, in which `x` is `a`,
//! and one of the others, in which it is 0.0: what is added up there is not computed, and a loop in which
//! nothing is left is gone. So a sum under `c < r` is a triangular loop, and of `if i == 0 then .. else
//! x[i - 1]` there is a first step, and a loop that reads its neighbour without a mask and without a check.
//!
//! A check that is known to hold is taken away wherever it is.
//!
//! Requires: a verified function. Ensures: the same, and the same results up to the order in which sums are
//! added up. Cost: loops are tried one test at a time; a body has at most [`LARGEST_SPLIT`] nodes.
//! Tests: `tests/programs/bulk/pieces.cot`, by `crates/cotan/tests/nests.rs` and `crates/cotan/tests/native.rs`.

mod cuts;
mod piece;
mod sums;

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Acc, Atom, Block, Func, Kind, Loop, Node, Scalar, Type, Value, Var, walk};

use crate::tuning::{LARGEST_SPLIT, SPLIT_AGAIN, SPLIT_GAIN};
use cuts::{Cut, cost, cut, size, varying};
use piece::{Copy, can_be_copied, is_neutral, sweep};
use sums::{Facts, Sum};

/// Splits the loops of a function.
pub(crate) fn split(func: &mut Func) {
    let facts = Facts::new(tame(&func.body));
    let body = std::mem::take(&mut func.body);
    let bools = BTreeMap::new();
    let mut pass = Split { func, facts, bools, varying: BTreeSet::new(), has_changed: false };
    let body = pass.block(body, SPLIT_AGAIN);
    let has_changed = pass.has_changed;
    func.body = body;
    if has_changed {
        let mut live: BTreeSet<Var> = func.results.iter().filter_map(|it| var_of(*it)).collect();
        let mut body = std::mem::take(&mut func.body);
        sweep(func, &mut body, &mut live);
        func.body = body;
        func.compact();
    }
}

/// Numbers of elements and of steps, and what counts them.
fn tame(block: &Block) -> BTreeSet<Var> {
    let mut res = BTreeSet::new();
    walk(block, &mut |node| match node {
        Node::Loop(it) => {
            res.insert(it.var);
            res.extend(var_of(it.count));
        }
        Node::Chunks(it) => {
            res.extend([it.start, it.len]);
            res.extend(var_of(it.total));
        }
        Node::Alloc { len, .. } => res.extend(var_of(*len)),
        Node::Let { .. } | Node::Store { .. } | Node::While(_) | Node::If { .. } => {}
        Node::Switch { .. }
        | Node::Make { .. }
        | Node::Both { .. }
        | Node::Call { .. }
        | Node::Check { .. } => {}
        Node::Scope(_) | Node::Kernel(_) => {}
    });
    res
}

fn var_of(atom: Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
    }
}

/// The work on a function.
struct Split<'a> {
    func: &'a mut Func,
    facts: Facts,
    /// What truth values are bound to.
    bools: BTreeMap<Var, Value>,
    /// What may differ from lane to lane of the vector loop around.
    varying: BTreeSet<Var>,
    has_changed: bool,
}

/// A part of the steps of a loop, from one bound to the next.
struct Piece {
    nodes: Block,
    accs: Vec<Acc>,
    var: Var,
    count: Atom,
    is_single: bool,
}

impl Split<'_> {
    fn block(&mut self, block: Block, deep: usize) -> Block {
        let mut res = Block::new();
        for node in block {
            self.node(node, deep, &mut res);
        }
        res
    }

    fn node(&mut self, mut node: Node, deep: usize, into: &mut Block) {
        match &mut node {
            Node::Let { var, value } => self.note(*var, value),
            Node::Check { holds, .. } if self.holds(*holds) => {
                self.has_changed = true;
                return;
            }
            Node::Loop(it) => {
                self.facts.counts(it.var, it.count);
                if let Some(nodes) = self.in_pieces(it, deep) {
                    self.has_changed = true;
                    nodes.into_iter().for_each(|it| self.node(it, deep - 1, into));
                    return;
                }
                let outside = self.varying.clone();
                if it.kind == Kind::Vector && outside.is_empty() {
                    self.varying = varying(it);
                }
                let more = Sum::var(it.var).plus(1, &Sum::constant(1));
                let step = self.facts.begin_step(it.count, more);
                it.body = self.block(std::mem::take(&mut it.body), deep);
                self.facts.end_step(step);
                self.varying = outside;
            }
            Node::Chunks(it) => {
                self.facts.counts(it.start, it.total);
                self.facts.not_below(it.len, Sum::constant(0));
                let rest = self.facts.sum(it.total);
                if let Some(rest) = rest.and_then(|total| total.plus(-1, &Sum::var(it.start))) {
                    self.facts.not_above(it.len, rest);
                }
                let more = Sum::var(it.start).plus(1, &Sum::var(it.len));
                let step = self.facts.begin_step(it.total, more);
                it.body = self.block(std::mem::take(&mut it.body), deep);
                self.facts.end_step(step);
            }
            Node::While(_) | Node::If { .. } | Node::Switch { .. } | Node::Scope(_) => {
                for block in node.blocks_mut() {
                    *block = self.block(std::mem::take(block), deep);
                }
            }
            Node::Alloc { .. }
            | Node::Store { .. }
            | Node::Make { .. }
            | Node::Both { .. }
            | Node::Call { .. } => {}
            Node::Check { .. } | Node::Kernel(_) => {}
        }
        into.push(node);
    }

    fn note(&mut self, var: Var, value: &Value) {
        match self.func.ty(var) {
            Type::Scalar(Scalar::Int) => self.facts.note(var, value),
            Type::Scalar(Scalar::Bool) => {
                self.bools.insert(var, value.clone());
            }
            Type::Scalar(Scalar::Real | Scalar::Box) | Type::Array(_) => {}
        }
    }

    /// Whether a condition is known to hold.
    fn holds(&self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return atom == Atom::Bool(true) };
        match self.bools.get(&var) {
            Some(Value::Prim(Prim::And, args)) => args.iter().all(|it| self.holds(*it)),
            Some(Value::Prim(Prim::Or, args)) => args.iter().any(|it| self.holds(*it)),
            Some(Value::Prim(prim, args)) => match args.as_slice() {
                [x, y] if self.is_int(*x) => self.facts.decide(*prim, *x, *y) == Some(true),
                _ => false,
            },
            Some(_) | None => false,
        }
    }

    fn is_int(&self, atom: Atom) -> bool {
        self.func.atom_type(atom) == Type::Scalar(Scalar::Int)
    }

    /// The loop as several, if that is worth the while.
    fn in_pieces(&mut self, it: &Loop, deep: usize) -> Option<Block> {
        let few = matches!(it.count, Atom::Int(0..=8));
        let fits = deep > 0 && it.state.is_empty() && it.kind != Kind::Unroll && !few;
        if !fits || !can_be_copied(&it.body) || size(&it.body) > LARGEST_SPLIT {
            return None;
        }
        let mut tried: Vec<Sum> = Vec::new();
        for cut in self.cuts(it) {
            if tried.contains(&cut.at) {
                continue;
            }
            let n_vars = self.func.vars.len();
            if let Some(res) = self.split_at(it, &cut) {
                return Some(res);
            }
            self.func.vars.truncate(n_vars);
            tried.push(cut.at);
        }
        None
    }

    /// Where tests in the body of a loop change, as sums of what is there before the loop.
    fn cuts(&self, it: &Loop) -> Vec<Cut> {
        let mut inside: BTreeSet<Var> = BTreeSet::from([it.var]);
        walk(&it.body, &mut |node| {
            node.defines(&mut |var| {
                inside.insert(var);
            });
        });
        let is_before = |it: &Var| {
            let tame = self.facts.tame.contains(it);
            tame && !inside.contains(it) && !self.varying.contains(it)
        };
        let mut facts = self.facts.clone();
        let mut res = Vec::new();
        walk(&it.body, &mut |node| {
            let Node::Let { var, value } = node else { return };
            if self.func.ty(*var) == Type::Scalar(Scalar::Int) {
                facts.note(*var, value);
            }
            if let Value::Prim(prim, args) = value
                && let [x, y] = args.as_slice()
                && self.is_int(*x)
                && let (Some(x), Some(y)) = (facts.sum(*x), facts.sum(*y))
                && let Some(cut) = cut(*prim, it.var, &x, &y)
                && cut.at.terms.keys().all(&is_before)
            {
                res.push(cut);
            }
        });
        res
    }

    /// The loop in two or three pieces; nothing if that is not worth the while.
    fn split_at(&mut self, it: &Loop, cut: &Cut) -> Option<Block> {
        let facts = self.facts.clone();
        let mut res = Block::new();
        let count = self.facts.sum(it.count)?;
        let next = cut.at.plus(1, &Sum::constant(1))?;
        let bounds = if cut.is_single { vec![&cut.at, &next] } else { vec![&cut.at] };
        let zero = Sum::constant(0);
        let mut pieces = Vec::new();
        let (mut from, mut least) = (Atom::Int(0), &zero);
        for (at, bound) in bounds.iter().map(|it| Some(*it)).chain([None]).enumerate() {
            let to = match bound {
                Some(bound) => self.within(bound, &count, it.count, &mut res),
                None => it.count,
            };
            let greatest = bound.unwrap_or(&count);
            let empty = from == to
                || self.facts.is_above(least, greatest, 0)
                || (at == 0 && self.facts.is_above(&zero, greatest, 0));
            if !empty {
                let is_single = cut.is_single && at == 1;
                pieces.push(self.piece(it, (from, to), (least, greatest), is_single, &mut res)?);
            }
            (from, least) = (to, greatest);
        }
        let long: Vec<usize> =
            pieces.iter().filter(|it| !it.is_single).map(|it| cost(self.func, &it.nodes)).collect();
        let mean = long.iter().sum::<usize>() as f64 / long.len().max(1) as f64;
        let before = cost(self.func, &it.body) as f64;
        if long.is_empty() || mean > SPLIT_GAIN * before {
            self.facts = facts;
            return None;
        }
        self.join(it, pieces, &mut res);
        Some(res)
    }

    /// A bound of a piece, between 0 and the number of steps.
    fn within(&mut self, bound: &Sum, count: &Sum, count_atom: Atom, into: &mut Block) -> Atom {
        let zero = Sum::constant(0);
        if self.facts.is_above(&zero, bound, 0) {
            return Atom::Int(0);
        }
        if self.facts.is_above(bound, count, 0) {
            return count_atom;
        }
        let mut atom = self.computed(bound, into);
        if !self.facts.is_above(bound, &zero, 0) {
            atom = self.prim(Prim::Max, [atom, Atom::Int(0)], into);
        }
        if !self.facts.is_above(count, bound, 0) {
            atom = self.prim(Prim::Min, [atom, count_atom], into);
        }
        atom
    }

    fn prim(&mut self, prim: Prim, args: [Atom; 2], into: &mut Block) -> Atom {
        let var = self.func.fresh(Type::Scalar(Scalar::Int));
        self.facts.tame.insert(var);
        into.push(Node::Let { var, value: Value::Prim(prim, args.to_vec()) });
        Atom::Var(var)
    }

    /// The value of a sum.
    fn computed(&mut self, sum: &Sum, into: &mut Block) -> Atom {
        let mut res: Option<Atom> = None;
        for (var, by) in &sum.terms {
            let term = match by {
                1 => Atom::Var(*var),
                _ => self.prim(Prim::Mul, [Atom::Var(*var), Atom::Int(*by)], into),
            };
            res = Some(match res {
                None => term,
                Some(it) => self.prim(Prim::Add, [it, term], into),
            });
        }
        match (res, sum.constant) {
            (None, it) => Atom::Int(it),
            (Some(it), 0) => it,
            (Some(it), by) => self.prim(Prim::Add, [it, Atom::Int(by)], into),
        }
    }

    /// The steps between two bounds, which are sums that the index is not below and that it is below.
    fn piece(
        &mut self,
        it: &Loop,
        (from, to): (Atom, Atom),
        (least, below): (&Sum, &Sum),
        is_single: bool,
        into: &mut Block,
    ) -> Option<Piece> {
        let count = match (from, to) {
            (Atom::Int(0), to) => to,
            (Atom::Int(from), Atom::Int(to)) => Atom::Int(to - from),
            (from, to) => self.prim(Prim::Sub, [to, from], into),
        };
        let var = self.func.fresh(Type::Scalar(Scalar::Int));
        let mut nodes = Block::new();
        let index = match from {
            Atom::Int(0) => var,
            Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
                let index = self.func.fresh(Type::Scalar(Scalar::Int));
                let value = Value::Prim(Prim::Add, vec![from, Atom::Var(var)]);
                nodes.push(Node::Let { var: index, value });
                index
            }
        };
        self.facts.tame.extend([var, index]);
        // It is known as what it was in the whole loop, and by the bounds of the piece.
        self.facts.counts(index, it.count);
        self.facts.not_below(index, least.clone());
        self.facts.not_above(index, below.plus(-1, &Sum::constant(1))?);
        let parts = match from {
            Atom::Int(0) => vec![Atom::Var(var)],
            Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
                vec![from, Atom::Var(var)]
            }
        };
        let values = BTreeMap::from([(it.var, Atom::Var(index))]);
        let parts = (it.var, parts);
        let mut copy = Copy { func: self.func, facts: &mut self.facts, values, parts };
        nodes.extend(copy.block(&it.body));
        let mut accs = Vec::new();
        for acc in &it.accs {
            let value = copy.atom(acc.value);
            accs.push(Acc { value, ..acc.clone() });
        }
        let mut live: BTreeSet<Var> = accs.iter().filter_map(|it| var_of(it.value)).collect();
        sweep(self.func, &mut nodes, &mut live);
        Some(Piece { nodes, accs, var, count, is_single })
    }

    /// The pieces one after the other; what they combine is handed on.
    fn join(&mut self, it: &Loop, pieces: Vec<Piece>, into: &mut Block) {
        let mut totals: Vec<Atom> = it.accs.iter().map(|acc| acc.init).collect();
        let does = |it: &Piece| {
            !it.nodes.is_empty() || !it.accs.iter().all(|acc| is_neutral(acc.how, acc.value))
        };
        for piece in pieces.into_iter().filter(does) {
            let mut accs = Vec::new();
            for (acc, total) in piece.accs.into_iter().zip(&mut totals) {
                if is_neutral(acc.how, acc.value) {
                    continue;
                }
                let var = self.func.fresh(self.func.ty(acc.var));
                accs.push(Acc { var, init: *total, ..acc });
                *total = Atom::Var(var);
            }
            let kind = if piece.is_single { Kind::Seq } else { it.kind };
            let (var, count, state, body) = (piece.var, piece.count, Vec::new(), piece.nodes);
            into.push(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
        }
        for (acc, total) in it.accs.iter().zip(totals) {
            into.push(Node::Let { var: acc.var, value: Value::Atom(total) });
        }
    }
}
