//! Contributions to a derivative that are multiplied and added in one operation: a sum of which one
//! operand is a `scale` that nobody else reads.
//!
//! It is rounded once instead of twice. What the user wrote has no `scale` in it, and keeps every bit.

use std::collections::BTreeMap;

use ir::Prim;
use loops::{Atom, Block, Func, Node, Value, Var, walk};

/// Contracts all sums of a function.
pub(crate) fn contract(func: &mut Func) {
    let mut reads: BTreeMap<Var, usize> = BTreeMap::new();
    walk(&func.body, &mut |node| node.uses(&mut |var| *reads.entry(var).or_default() += 1));
    for result in &func.results {
        if let Atom::Var(var) = result {
            *reads.entry(*var).or_default() += 1;
        }
    }
    in_block(&mut func.body, &reads);
}

fn in_block(block: &mut Block, reads: &BTreeMap<Var, usize>) {
    // The factors of products that are read once, and where they are.
    let mut products: BTreeMap<Var, (usize, Atom, Atom)> = BTreeMap::new();
    let mut gone = vec![false; block.len()];
    for (at, node) in block.iter_mut().enumerate() {
        node.blocks_mut().into_iter().for_each(|it| in_block(it, reads));
        let Node::Let { var, value } = node else { continue };
        let Value::Prim(prim, args) = value else { continue };
        match (*prim, args.as_slice()) {
            (Prim::Scale, [x, y]) if reads.get(var) == Some(&1) => {
                products.insert(*var, (at, *x, *y));
            }
            (Prim::Add, [x, y]) => {
                let product = |it: &Atom| match it {
                    Atom::Var(var) => products.get(var).copied(),
                    Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
                };
                // The later one: the sum does not wait for it.
                let (first, second) = (product(x), product(y));
                let is_first = first.map(|it| it.0) > second.map(|it| it.0);
                let (found, other) = if is_first { (first, *y) } else { (second, *x) };
                let Some((product_at, a, b)) = found else { continue };
                gone[product_at] = true;
                *value = Value::ScaleAdd(a, b, other);
            }
            _ => {}
        }
    }
    let mut at = 0;
    block.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
}
