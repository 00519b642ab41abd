//! What a node uses, what it defines, which blocks are inside of it.

use std::collections::BTreeSet;

use crate::{Atom, Block, Kernel, Matrix, Node, Place, Value, Var};

/// Goes through a block and the blocks inside, in order.
pub fn walk<'a>(block: &'a [Node], f: &mut impl FnMut(&'a Node)) {
    for node in block {
        f(node);
        for inner in node.blocks() {
            walk(inner, f);
        }
    }
}

/// The variables that a block uses and does not define, ascending.
pub fn free(block: &[Node]) -> BTreeSet<Var> {
    let (mut used, mut defined) = (BTreeSet::new(), BTreeSet::new());
    walk(block, &mut |node| {
        node.uses(&mut |var| {
            used.insert(var);
        });
        node.defines(&mut |var| {
            defined.insert(var);
        });
    });
    used.difference(&defined).copied().collect()
}

impl Node {
    /// The blocks inside, in the order in which they run.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Node::Loop(it) => vec![&it.body],
            Node::Chunks(it) => vec![&it.body],
            Node::While(it) => vec![&it.before, &it.body],
            Node::If { then, otherwise, .. } => vec![then, otherwise],
            Node::Switch { arms, otherwise, .. } => {
                arms.iter().map(|it| &it.body).chain([otherwise]).collect()
            }
            Node::Scope(block) => vec![block],
            Node::Let { .. }
            | Node::Alloc { .. }
            | Node::Store { .. }
            | Node::Make { .. }
            | Node::Both { .. }
            | Node::Call { .. }
            | Node::Check { .. }
            | Node::Kernel(_) => Vec::new(),
        }
    }

    /// The blocks inside, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Node::Loop(it) => vec![&mut it.body],
            Node::Chunks(it) => vec![&mut it.body],
            Node::While(it) => vec![&mut it.before, &mut it.body],
            Node::If { then, otherwise, .. } => vec![then, otherwise],
            Node::Switch { arms, otherwise, .. } => {
                arms.iter_mut().map(|it| &mut it.body).chain([otherwise]).collect()
            }
            Node::Scope(block) => vec![block],
            Node::Let { .. }
            | Node::Alloc { .. }
            | Node::Store { .. }
            | Node::Make { .. }
            | Node::Both { .. }
            | Node::Call { .. }
            | Node::Check { .. }
            | Node::Kernel(_) => Vec::new(),
        }
    }

    /// The variables that it mentions itself, not in its blocks; those of `next`, `value` and of
    /// branches, which stand for what a block gives, are among them.
    pub fn uses(&self, f: &mut impl FnMut(Var)) {
        match self {
            Node::Let { value, .. } => value_uses(value, f),
            Node::Both { of, .. } => atom(*of, f),
            Node::Alloc { len, .. } => atom(*len, f),
            Node::Store { array, at, value, .. } => {
                f(*array);
                place(at, f);
                atom(*value, f);
            }
            Node::Loop(it) => {
                atom(it.count, f);
                for state in &it.state {
                    atom(state.init, f);
                    atom(state.next, f);
                }
                for acc in &it.accs {
                    atom(acc.init, f);
                    atom(acc.value, f);
                }
            }
            Node::Chunks(it) => {
                [it.total, it.bytes, it.work].into_iter().for_each(|it| atom(it, f));
                for acc in &it.accs {
                    f(acc.into);
                    atom(acc.len, f);
                }
            }
            Node::While(it) => {
                for state in &it.state {
                    atom(state.init, f);
                    atom(state.next, f);
                }
                atom(it.cond, f);
            }
            Node::If { cond, results, .. } => {
                atom(*cond, f);
                for phi in results {
                    atom(phi.then, f);
                    atom(phi.otherwise, f);
                }
            }
            Node::Switch { value, results, .. } => {
                atom(*value, f);
                for choice in results {
                    choice.arms.iter().for_each(|it| atom(*it, f));
                    atom(choice.otherwise, f);
                }
            }
            Node::Make { fields, .. } => fields.iter().for_each(|it| atom(*it, f)),
            Node::Call { args, .. } => args.iter().for_each(|it| atom(*it, f)),
            Node::Check { holds, values, .. } => {
                atom(*holds, f);
                values.iter().for_each(|it| atom(*it, f));
            }
            Node::Scope(_) => {}
            Node::Kernel(kernel) => kernel_uses(kernel, f),
        }
    }

    /// The variables that it defines itself: for what follows it or for its blocks.
    pub fn defines(&self, f: &mut impl FnMut(Var)) {
        match self {
            Node::Let { var, .. } | Node::Make { var, .. } => f(*var),
            Node::Both { results, .. } => results.iter().for_each(|it| f(*it)),
            Node::Alloc { array, .. } => f(*array),
            Node::Loop(it) => {
                f(it.var);
                for state in &it.state {
                    f(state.var);
                    f(state.last);
                }
                it.accs.iter().for_each(|it| f(it.var));
            }
            Node::Chunks(it) => {
                f(it.start);
                f(it.len);
                it.accs.iter().for_each(|it| f(it.array));
            }
            Node::While(it) => {
                for state in &it.state {
                    f(state.var);
                    f(state.last);
                }
            }
            Node::If { results, .. } => results.iter().for_each(|it| f(it.var)),
            Node::Switch { arms, results, .. } => {
                arms.iter().flat_map(|it| &it.fields).for_each(|it| f(*it));
                results.iter().for_each(|it| f(it.var));
            }
            Node::Call { results, .. } => results.iter().for_each(|it| f(*it)),
            Node::Store { .. } | Node::Check { .. } | Node::Scope(_) | Node::Kernel(_) => {}
        }
    }
}

fn atom(it: Atom, f: &mut impl FnMut(Var)) {
    match it {
        Atom::Var(var) => f(var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => {}
    }
}

fn place(at: &Place, f: &mut impl FnMut(Var)) {
    for term in at {
        atom(term.index, f);
        atom(term.stride, f);
    }
}

fn value_uses(value: &Value, f: &mut impl FnMut(Var)) {
    match value {
        Value::Atom(it) => atom(*it, f),
        Value::Prim(_, operands) => operands.iter().for_each(|it| atom(*it, f)),
        Value::ScaleAdd(a, b, c) => [a, b, c].into_iter().for_each(|it| atom(*it, f)),
        Value::Load { array, at } | Value::Part { array, at } => {
            f(*array);
            place(at, f);
        }
    }
}

fn kernel_uses(kernel: &Kernel, f: &mut impl FnMut(Var)) {
    match kernel {
        Kernel::Fill { array, at, len, value } => {
            f(*array);
            place(at, f);
            atom(*len, f);
            atom(*value, f);
        }
        Kernel::Copy { from, from_at, into, into_at, len } => {
            f(*from);
            place(from_at, f);
            f(*into);
            place(into_at, f);
            atom(*len, f);
        }
        Kernel::Product { m, n, k, a, b, c, .. } => {
            [m, n, k].into_iter().for_each(|it| atom(*it, f));
            for Matrix { array, at, rows, columns } in [a, b, c] {
                f(*array);
                place(at, f);
                atom(*rows, f);
                atom(*columns, f);
            }
        }
        Kernel::Tell { saying: _, every, text, value, sizes } => {
            [every, text, value].into_iter().chain(sizes).for_each(|it| atom(*it, f));
        }
        Kernel::Sort { from, into, len } | Kernel::Argsort { from, into, len } => {
            f(*from);
            f(*into);
            atom(*len, f);
        }
    }
}
