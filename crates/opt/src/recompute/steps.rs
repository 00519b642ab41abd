//! The values of a step, what keeping each costs, and what each is computed of.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Atom, Binder, Op, Type, Var, walk};

use super::Pair;
use super::cut::Node;
use crate::tuning::{KEPT, READ};

/// The values of a step as a graph.
pub(super) struct Steps<'a> {
    pub(super) binders: Vec<Binder>,
    /// How they are computed, of those that are computed again.
    pub(super) ops: Vec<&'a Op>,
    pub(super) nodes: Vec<Node>,
    at: BTreeMap<Var, usize>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(pair: &Pair<'a>) -> Steps<'a> {
        let mut steps =
            Steps { binders: Vec::new(), ops: Vec::new(), nodes: Vec::new(), at: BTreeMap::new() };
        const NONE: &Op = &Op::Copy(Atom::Bool(false));
        for binder in pair.state {
            steps.add(binder, KEPT, None, NONE);
        }
        for (binder, _) in &pair.elems {
            steps.add(binder, READ, None, NONE);
        }
        for stmt in &pair.body.stmts {
            for binder in &stmt.binders {
                let operands = price(&stmt.op).map(|_| steps.operands(&stmt.op));
                steps.add(binder, KEPT, operands, &stmt.op);
            }
        }
        let inner: BTreeSet<Var> = steps.at.keys().copied().collect();
        for (binder, node) in steps.binders.iter().zip(&mut steps.nodes) {
            // Arrays of sizes that differ from step to step are not arrays.
            let is_plain =
                matches!(binder.ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
            if !is_plain || binder.ty.size_vars().iter().any(|it| inner.contains(it)) {
                (node.cost, node.operands) = (None, None);
            }
        }
        let results = pair.body.results.get(pair.state.len()..).unwrap_or_default();
        for (link, atom) in pair.links.iter().zip(results) {
            let Some(node) = steps.of_atom(atom) else { continue };
            let size = per_element(&steps.binders[node].ty);
            match link {
                Some(_) => {
                    steps.nodes[node].is_needed = true;
                    // What is kept can be kept.
                    steps.nodes[node].cost.get_or_insert(KEPT * size);
                }
                // Somebody else needs it.
                None => steps.nodes[node].cost = Some(READ * size),
            }
        }
        steps
    }

    fn add(&mut self, binder: &Binder, cost: u64, operands: Option<Vec<usize>>, op: &'a Op) {
        self.at.insert(binder.var, self.nodes.len());
        let cost = Some(cost * per_element(&binder.ty));
        self.nodes.push(Node { cost, operands, is_needed: false });
        self.binders.push(binder.clone());
        self.ops.push(op);
    }

    /// The values of the step that an operation reads.
    fn operands(&self, op: &Op) -> Vec<usize> {
        walk::free_vars_op(op).iter().filter_map(|it| self.at.get(it).copied()).collect()
    }

    pub(super) fn of_atom(&self, atom: &Atom) -> Option<usize> {
        match atom {
            Atom::Var(var) => self.at.get(var).copied(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        }
    }

    pub(super) fn needed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|it| self.nodes[*it].is_needed)
    }

    /// What it costs to compute a value again.
    pub(super) fn work(&self, node: usize) -> u64 {
        price(self.ops[node]).unwrap_or(KEPT) * per_element(&self.binders[node].ty)
    }

    /// What is computed again if some values are kept, in order.
    pub(super) fn again(&self, kept: &[bool]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<usize> = self.needed().filter(|it| !kept[*it]).collect();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                let operands = self.nodes[node].operands.iter().flatten();
                open.extend(operands.filter(|it| !kept[**it]));
            }
        }
        seen.into_iter().collect()
    }
}

/// For how many scalars a value counts; sizes are not known.
pub(super) fn per_element(ty: &Type) -> u64 {
    match ty.split_arrays().0.len() {
        0 => 1,
        1 => 16,
        2 => 256,
        _ => 4096,
    }
}

/// What an element of the result of an operation costs, if that is no more than keeping it. What is read is
/// in bounds, as it was before.
fn price(op: &Op) -> Option<u64> {
    match op {
        Op::Prim(prim, _) => prim.is_cheap().then_some(1),
        Op::Copy(_) | Op::Array(ArrayOp::Index { .. }) => Some(1),
        // Neighbours in a grid, for one: an index, and what is there.
        Op::Array(ArrayOp::Gather { .. }) => Some(READ),
        // The same elements in another order, or more than once: whoever reads them reads the array. A product of
        // two matrices is made of such, with an axis more than either.
        Op::Array(
            ArrayOp::Replicate { .. }
            | ArrayOp::Transpose { .. }
            | ArrayOp::Slice { .. }
            | ArrayOp::Reverse(_)
            | ArrayOp::Iota(_),
        ) => Some(0),
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
