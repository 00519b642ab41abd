//! How great sizes are at most in a branch, by its condition: where `n <= 8` holds, `n` is a few, whatever it
//! usually is. Recursions that cut a problem into parts end in such a branch.

use std::collections::BTreeMap;

use ir::{Atom, Block, Op, Prim, Var, walk};

/// The most that variables are.
pub(super) type Most = Vec<(Var, i64)>;

/// For conditions, what is known where they hold, and where they do not.
pub(super) type Branches = BTreeMap<Var, [Most; 2]>;

/// Adds the conditions of a block and of the blocks inside.
pub(super) fn branches(block: &Block, into: &mut Branches) {
    for stmt in &block.stmts {
        if let (Op::Prim(prim, args), [binder]) = (&stmt.op, &stmt.binders[..])
            && let Some(known) = condition(*prim, args, into)
        {
            into.insert(binder.var, known);
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| branches(it.1, into));
    }
}

fn condition(prim: Prim, args: &[Atom], known: &Branches) -> Option<[Most; 2]> {
    let of = |atom: &Atom| match atom {
        Atom::Var(var) => known.get(var).cloned().unwrap_or_default(),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Default::default(),
    };
    let both = |mut one: Most, other: Most| {
        one.extend(other);
        one
    };
    Some(match (prim, args) {
        (Prim::And, [x, y]) => [both(of(x)[0].clone(), of(y)[0].clone()), Most::new()],
        (Prim::Or, [x, y]) => [Most::new(), both(of(x)[1].clone(), of(y)[1].clone())],
        (Prim::Not, [x]) => {
            let [holds, not] = of(x);
            [not, holds]
        }
        (_, [Atom::Var(var), Atom::Int(bound)]) => compared(prim, *var, *bound)?,
        (_, [Atom::Int(bound), Atom::Var(var)]) => compared(turned(prim)?, *var, *bound)?,
        _ => return None,
    })
}

fn compared(prim: Prim, var: Var, bound: i64) -> Option<[Most; 2]> {
    let below = matches!(prim, Prim::Lt | Prim::Ge);
    let most = vec![(var, if below { bound.checked_sub(1)? } else { bound })];
    if matches!(prim, Prim::Le | Prim::Lt | Prim::Eq) {
        Some([most, Most::new()])
    } else if matches!(prim, Prim::Gt | Prim::Ge | Prim::Ne) {
        Some([Most::new(), most])
    } else {
        None
    }
}

/// The comparison with its sides changed.
fn turned(prim: Prim) -> Option<Prim> {
    let pairs = [
        (Prim::Lt, Prim::Gt),
        (Prim::Le, Prim::Ge),
        (Prim::Gt, Prim::Lt),
        (Prim::Ge, Prim::Le),
        (Prim::Eq, Prim::Eq),
        (Prim::Ne, Prim::Ne),
    ];
    pairs.into_iter().find(|it| it.0 == prim).map(|it| it.1)
}
