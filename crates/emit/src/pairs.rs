//! Functions that are computed together: `sigmoid(x)` and `sigmoid(-x)`, `tanh(x)` and `1 / cosh(x)^2`.
//!
//! A function and its derivative have the same exponential, and gradients need both. Where both stand in
//! one block, the first of them is printed as a call with two results, and the second is there already.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Atom, Block, Func, Node, Value, Var};

use crate::prims::Width;
use crate::printer::{Printer, variable};

/// What is computed together.
#[derive(Clone, Copy)]
struct Pair {
    /// The function of our C.
    name: &'static str,
    of: Var,
    both: [Var; 2],
}

/// The pairs of a function.
#[derive(Default)]
pub(crate) struct Pairs {
    /// By what is printed first.
    pairs: BTreeMap<Var, Pair>,
    /// What is not printed, since it is there already or nobody needs it.
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
    pub(crate) fn new(func: &Func) -> Pairs {
        let mut uses: BTreeMap<Var, usize> = BTreeMap::new();
        loops::walk(&func.body, &mut |node| {
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
                self.add(Pair { name: "sigmoids", of, both: [var, other] }, &order);
            } else if part == Part::Tanh
                && let Some(cosh) = then(Part::Cosh, &of).filter(|it| uses.get(it) == Some(&2))
                && let Some(square) =
                    then(Part::Square, &cosh).filter(|it| uses.get(it) == Some(&1))
                && let Some(slope) = then(Part::Inverse, &square)
            {
                self.gone.extend([cosh, square]);
                self.add(Pair { name: "tanh_slope", of, both: [var, slope] }, &order);
            }
        }
    }

    fn add(&mut self, pair: Pair, order: &BTreeMap<Var, usize>) {
        let [a, b] = pair.both;
        // Of sigmoids of x, -x and -(-x), the one in the middle is in a pair already.
        if pair.both.iter().any(|it| self.pairs.contains_key(it) || self.gone.contains(it)) {
            return;
        }
        let (first, second) = if order.get(&a) < order.get(&b) { (a, b) } else { (b, a) };
        self.pairs.insert(first, pair);
        self.gone.insert(second);
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

impl Printer<'_> {
    /// Prints a variable if it is one of a pair; whether that is done.
    pub(crate) fn paired(&mut self, var: Var) -> bool {
        if self.pairs.gone.contains(&var) {
            return true;
        }
        let Some(Pair { name, of, both }) = self.pairs.pairs.get(&var).copied() else {
            return false;
        };
        for var in both {
            self.known[var.0 as usize] = None;
            let declaration = self.declaration(var);
            self.line(&format!("{declaration};"));
        }
        let is_wide = self.is_vector(var);
        let of = Atom::Var(of);
        let (of, width) = match is_wide {
            true => (self.wide_atom(of), Width::Lanes),
            false => (self.atom(of), Width::One),
        };
        let [a, b] = both.map(|it| format!("&{}", variable(it)));
        let call = self.function_call(name, width, &[of, a, b]);
        self.line(&format!("{call};"));
        true
    }
}
