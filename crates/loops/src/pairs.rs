//! Functions that are computed together: `sigmoid(x)` and `sigmoid(-x)`, `tanh(x)` and `1 / cosh(x)^2`.
//!
//! A function and its derivative have the same exponential, and gradients need both. Where both stand in
//! one block, the first of them becomes [`Node::Both`], and the second is there already.
//!
//! Requires: a verified function. Ensures: the same, and the same results but for their last bits.
//! Tests: `crates/loops/tests/pairs.rs`.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;

use crate::{Atom, Block, Both, Func, Node, Value, Var};

/// Puts the pairs of a function together.
pub fn pairs(func: &mut Func) {
    let found = Pairs::new(func);
    if !found.pairs.is_empty() {
        found.put(&mut func.body);
    }
}

/// What is computed together.
#[derive(Clone, Copy)]
struct Pair {
    both: Both,
    of: Var,
    results: [Var; 2],
}

/// The pairs of a function.
#[derive(Default)]
struct Pairs {
    /// By what comes first.
    pairs: BTreeMap<Var, Pair>,
    /// What is there already then, or what nobody needs.
    gone: BTreeSet<Var>,
}

/// What may be a part of a pair, of one variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Sigmoid,
    Neg,
    Tanh,
    Cosh,
    Square,
    Inverse,
}

impl Pairs {
    fn new(func: &Func) -> Pairs {
        let mut uses: BTreeMap<Var, usize> = BTreeMap::new();
        crate::walk(&func.body, &mut |node| {
            node.uses(&mut |var| *uses.entry(var).or_default() += 1);
        });
        for result in &func.results {
            if let Atom::Var(var) = result {
                *uses.entry(*var).or_default() += 1;
            }
        }
        let mut res = Pairs::default();
        res.find(&func.body, &uses);
        res
    }

    fn find(&mut self, block: &Block, uses: &BTreeMap<Var, usize>) {
        let (mut parts, mut order) = (BTreeMap::new(), BTreeMap::new());
        for (at, node) in block.iter().enumerate() {
            node.blocks().iter().for_each(|it| self.find(it, uses));
            if let Node::Let { var, value: Value::Prim(prim, args) } = node
                && let Some(part) = part(*prim, args)
            {
                parts.insert(part, *var);
                order.insert(*var, at);
            }
        }
        for (&(part, of), &var) in &parts {
            let then = |part: Part, of: &Var| parts.get(&(part, *of)).copied();
            if part == Part::Sigmoid
                && let Some(other) = then(Part::Neg, &of).and_then(|it| then(Part::Sigmoid, &it))
            {
                self.add(Pair { both: Both::Sigmoids, of, results: [var, other] }, &order);
            } else if part == Part::Tanh
                && let Some(cosh) = then(Part::Cosh, &of).filter(|it| uses.get(it) == Some(&2))
                && let Some(square) =
                    then(Part::Square, &cosh).filter(|it| uses.get(it) == Some(&1))
                && let Some(slope) = then(Part::Inverse, &square)
            {
                self.gone.extend([cosh, square]);
                self.add(Pair { both: Both::TanhSlope, of, results: [var, slope] }, &order);
            }
        }
    }

    fn add(&mut self, pair: Pair, order: &BTreeMap<Var, usize>) {
        let [a, b] = pair.results;
        // Of sigmoids of x, -x and -(-x), the one in the middle is in a pair already.
        if pair.results.iter().any(|it| self.pairs.contains_key(it) || self.gone.contains(it)) {
            return;
        }
        let (first, second) = if order.get(&a) < order.get(&b) { (a, b) } else { (b, a) };
        self.pairs.insert(first, pair);
        self.gone.insert(second);
    }

    fn put(&self, block: &mut Block) {
        block.retain_mut(|node| {
            node.blocks_mut().into_iter().for_each(|it| self.put(it));
            let Node::Let { var, .. } = node else { return true };
            if self.gone.contains(var) {
                return false;
            }
            if let Some(Pair { both, of, results }) = self.pairs.get(var).copied() {
                *node = Node::Both { both, of: Atom::Var(of), results };
            }
            true
        });
    }
}

fn part(prim: Prim, args: &[Atom]) -> Option<(Part, Var)> {
    Some(match (prim, args) {
        (Prim::Sigmoid, [Atom::Var(x)]) => (Part::Sigmoid, *x),
        (Prim::Neg, [Atom::Var(x)]) => (Part::Neg, *x),
        (Prim::Tanh, [Atom::Var(x)]) => (Part::Tanh, *x),
        (Prim::Cosh, [Atom::Var(x)]) => (Part::Cosh, *x),
        (Prim::Mul, [Atom::Var(x), Atom::Var(y)]) if x == y => (Part::Square, *x),
        (Prim::Div, [Atom::Real(one), Atom::Var(x)]) if *one == 1.0 => (Part::Inverse, *x),
        (_, _) => return None,
    })
}
