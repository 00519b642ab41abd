//! Which functions may be active twice: those that can reach themselves in the graph of calls.

use std::collections::BTreeSet;

use loops::{Block, Module, Node};

/// Marks them.
pub(crate) fn mark_recursive(module: &mut Module) {
    let mut calls: Vec<BTreeSet<usize>> = Vec::new();
    for func in &module.funcs {
        let mut found = BTreeSet::new();
        callees(&func.body, &mut found);
        calls.push(found);
    }
    for (at, func) in module.funcs.iter_mut().enumerate() {
        func.recursive = reaches(&calls, at);
    }
}

/// Whether a function can call itself, through others or not.
fn reaches(calls: &[BTreeSet<usize>], from: usize) -> bool {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = calls[from].iter().copied().collect();
    while let Some(at) = open.pop() {
        if at == from {
            return true;
        }
        if seen.insert(at) {
            open.extend(&calls[at]);
        }
    }
    false
}

fn callees(block: &Block, found: &mut BTreeSet<usize>) {
    for node in block {
        match node {
            Node::Call { func, .. } => {
                found.insert(*func);
            }
            Node::Loop(it) => callees(&it.body, found),
            Node::Chunks(it) => callees(&it.body, found),
            Node::While(it) => {
                callees(&it.before, found);
                callees(&it.body, found);
            }
            Node::If { then, otherwise, .. } => {
                callees(then, found);
                callees(otherwise, found);
            }
            Node::Switch { arms, otherwise, .. } => {
                arms.iter().for_each(|it| callees(&it.body, found));
                callees(otherwise, found);
            }
            Node::Scope(block) => callees(block, found),
            Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } => {}
            Node::Make { .. } | Node::Both { .. } | Node::Check { .. } | Node::Kernel(_) => {}
        }
    }
}
