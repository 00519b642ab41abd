//! How much a whole run does, where the text tells: an estimate, for who decides what a program is worth.
//!
//! Integers are followed through definitions, calls and loops as far as they are known; a loop whose
//! index they depend on has its last step throughout. Nothing is known of `while`, of recursion, and of
//! what is read from arrays.

use std::collections::BTreeMap;

use ir::Prim;

use crate::{Atom, Kernel, Module, Node, Value, Var};

/// Operations of a run of an entry point without parameters; none if they are not known.
pub fn work(module: &Module, entry: usize) -> Option<u64> {
    let mut work = Work { module, done: BTreeMap::new(), active: Vec::new() };
    work.call(*module.entries.get(entry)?, Vec::new())
}

struct Work<'a> {
    module: &'a Module,
    /// Of functions with integers as their arguments.
    done: BTreeMap<(usize, Vec<Option<i64>>), Option<u64>>,
    /// The functions that are being called.
    active: Vec<usize>,
}

type Known = BTreeMap<Var, i64>;

impl Work<'_> {
    fn call(&mut self, number: usize, args: Vec<Option<i64>>) -> Option<u64> {
        if self.active.contains(&number) {
            return None;
        }
        let key = (number, args);
        if let Some(done) = self.done.get(&key) {
            return *done;
        }
        let func = self.module.funcs.get(number)?;
        let params = func.params.iter().zip(&key.1);
        let mut known = params.filter_map(|(var, value)| Some((*var, (*value)?))).collect();
        self.active.push(number);
        let res = self.block(&func.body, &mut known);
        self.active.pop();
        self.done.insert(key, res);
        res
    }

    fn block(&mut self, block: &[Node], known: &mut Known) -> Option<u64> {
        block.iter().try_fold(0u64, |sum, node| Some(sum.saturating_add(self.node(node, known)?)))
    }

    fn node(&mut self, node: &Node, known: &mut Known) -> Option<u64> {
        match node {
            Node::Let { var, value } => {
                if let Some(value) = int_of(value, known) {
                    known.insert(*var, value);
                }
                Some(1)
            }
            Node::Loop(it) => {
                let count = int(it.count, known)?.max(0);
                known.insert(it.var, (count - 1).max(0));
                Some(self.block(&it.body, known)?.saturating_mul(count.cast_unsigned()))
            }
            // As if it were one.
            Node::Chunks(it) => {
                let total = int(it.total, known)?;
                known.insert(it.start, 0);
                known.insert(it.len, total);
                self.block(&it.body, known)
            }
            Node::While(_) => None,
            Node::Call { func, args, .. } => {
                let args = args.iter().map(|it| int(*it, known)).collect();
                self.call(*func, args)
            }
            Node::If { .. } | Node::Switch { .. } | Node::Scope(_) => {
                let blocks = node.blocks().into_iter();
                let mut sum = 1u64;
                for block in blocks {
                    sum = sum.saturating_add(self.block(block, known)?);
                }
                Some(sum)
            }
            Node::Kernel(it) => kernel(it, known),
            Node::Both { .. } => Some(2),
            Node::Alloc { .. } | Node::Store { .. } | Node::Make { .. } | Node::Check { .. } => {
                Some(1)
            }
        }
    }
}

fn kernel(kernel: &Kernel, known: &Known) -> Option<u64> {
    let lengths: &[&Atom] = match kernel {
        Kernel::Fill { len, .. } | Kernel::Copy { len, .. } => &[len],
        Kernel::Sort { len, .. } | Kernel::Argsort { len, .. } => &[len],
        Kernel::Product { m, n, k, .. } => &[m, n, k],
        Kernel::Tell { .. } => &[],
    };
    lengths.iter().try_fold(1u64, |product, it| {
        Some(product.saturating_mul(int(**it, known)?.max(0).cast_unsigned()))
    })
}

fn int(atom: Atom, known: &Known) -> Option<i64> {
    match atom {
        Atom::Var(var) => known.get(&var).copied(),
        Atom::Int(it) => Some(it),
        Atom::Real(_) | Atom::Bool(_) => None,
    }
}

/// The operations that sizes are made of.
fn int_of(value: &Value, known: &Known) -> Option<i64> {
    let (prim, args) = match value {
        Value::Atom(atom) => return int(*atom, known),
        Value::Prim(prim, args) => (*prim, args),
        Value::ScaleAdd(..) | Value::Load { .. } | Value::Part { .. } => return None,
    };
    let args: Vec<i64> = args.iter().map(|it| int(*it, known)).collect::<Option<_>>()?;
    let [a, b] = [args.first().copied()?, args.get(1).copied().unwrap_or_default()];
    if prim == Prim::Add {
        Some(a.wrapping_add(b))
    } else if prim == Prim::Sub {
        Some(a.wrapping_sub(b))
    } else if prim == Prim::Mul {
        Some(a.wrapping_mul(b))
    } else if prim == Prim::Min {
        Some(a.min(b))
    } else if prim == Prim::Max {
        Some(a.max(b))
    } else {
        None
    }
}
