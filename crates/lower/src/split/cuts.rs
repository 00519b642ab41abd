//! Where tests of the index of a loop change, and what the steps of a loop cost.

use std::collections::BTreeSet;

use ir::Prim;
use loops::{Block, Func, Loop, Node, Scalar, Type, Value, Var, walk};

use super::sums::Sum;

/// Where a test of the index of a loop changes: a step, or none but one.
pub(super) struct Cut {
    /// The first step of what follows.
    pub(super) at: Sum,
    /// Whether it is one step only.
    pub(super) is_single: bool,
}

/// Where a comparison changes as an index counts up.
pub(super) fn cut(prim: Prim, index: Var, x: &Sum, y: &Sum) -> Option<Cut> {
    let mut rest = x.plus(-1, y)?;
    // `by * index + rest` is compared with 0.
    let by = rest.terms.remove(&index)?;
    let (at, prim) = match by {
        1 => (Sum::default().plus(-1, &rest)?, prim),
        -1 => (rest, flipped(prim)?),
        _ => return None,
    };
    let is_single = matches!(prim, Prim::Eq | Prim::Ne);
    if is_single || matches!(prim, Prim::Lt | Prim::Ge) {
        return Some(Cut { at, is_single });
    }
    let at = at.plus(1, &Sum::constant(1))?;
    matches!(prim, Prim::Le | Prim::Gt).then_some(Cut { at, is_single })
}

/// The comparison the other way round.
fn flipped(prim: Prim) -> Option<Prim> {
    const PAIRS: [(Prim, Prim); 6] = [
        (Prim::Lt, Prim::Gt),
        (Prim::Le, Prim::Ge),
        (Prim::Gt, Prim::Lt),
        (Prim::Ge, Prim::Le),
        (Prim::Eq, Prim::Eq),
        (Prim::Ne, Prim::Ne),
    ];
    PAIRS.iter().find(|it| it.0 == prim).map(|it| it.1)
}

/// What may differ from lane to lane of a vector loop: all but the counters of loops inside.
pub(super) fn varying(it: &Loop) -> BTreeSet<Var> {
    let (mut res, mut counters) = (BTreeSet::from([it.var]), BTreeSet::new());
    walk(&it.body, &mut |node| {
        node.defines(&mut |var| {
            res.insert(var);
        });
        if let Node::Loop(it) = node {
            counters.insert(it.var);
        }
    });
    res.difference(&counters).copied().collect()
}

/// The nodes of a block and inside of it.
pub(super) fn size(block: &Block) -> usize {
    let mut res = 0;
    walk(block, &mut |_| res += 1);
    res
}

/// About what a step costs: what keeps elements from being loaded side by side counts more.
pub(super) fn cost(func: &Func, block: &Block) -> usize {
    let mut res = 0;
    walk(block, &mut |node| {
        res += match node {
            Node::Let { var, value: Value::Prim(Prim::Select, _) }
                if func.ty(*var) == Type::Scalar(Scalar::Int) =>
            {
                6
            }
            Node::Let { value: Value::Prim(..) | Value::ScaleAdd(..), .. } => 2,
            Node::Let { value: Value::Load { .. }, .. } | Node::Store { .. } => 3,
            Node::Let { .. } => 1,
            Node::Check { .. } => 6,
            Node::If { .. } => 8,
            Node::Loop(_) | Node::Scope(_) => 1,
            Node::Alloc { .. } | Node::Chunks(_) | Node::While(_) | Node::Switch { .. } => 8,
            Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Kernel(_) => 8,
        };
    });
    res
}
