//! What statements of a block do with arrays, known before the first of them is read.

use std::collections::BTreeSet;

use ir::{ArrayOp, Atom, Block, Op, Prim, Stmt, Var};

pub(crate) struct Ahead {
    /// Arrays that are transposed, so that another axis is the last one.
    pub(super) transposed: BTreeSet<Var>,
    /// Arrays all of whose elements a statement computes with: a loop goes through them anyway. A choice is none,
    /// as it may be an element that is replaced, or picked.
    pub(super) swept: BTreeSet<Var>,
}

impl Ahead {
    pub(crate) fn of(block: &Block) -> Ahead {
        let transposed = block.stmts.iter().filter_map(transposed).collect();
        let swept = block.stmts.iter().flat_map(swept).collect();
        Ahead { transposed, swept }
    }
}

fn transposed(stmt: &Stmt) -> Option<Var> {
    let Op::Array(ArrayOp::Transpose { array: Atom::Var(var), permutation }) = &stmt.op else {
        return None;
    };
    permutation.last().is_some_and(|it| *it + 1 < permutation.len()).then_some(*var)
}

fn swept(stmt: &Stmt) -> Vec<Var> {
    let Op::Prim(prim, args) = &stmt.op else { return Vec::new() };
    if *prim == Prim::Select {
        return Vec::new();
    }
    let var = |it: &Atom| if let Atom::Var(var) = it { Some(*var) } else { None };
    args.iter().filter_map(var).collect()
}
