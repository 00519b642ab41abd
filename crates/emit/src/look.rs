//! What is asked about blocks before they are printed.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Atom, Block, Func, Kind, Loop, Node, State, Type, Value, Var};

use crate::prims::is_operator;
use crate::tuning::SHORT_FUNCTION;

/// Whether there is nothing in it that takes long.
pub(crate) fn is_flat(block: &Block) -> bool {
    block.iter().all(|node| match node {
        Node::Let { .. }
        | Node::Alloc { .. }
        | Node::Store { .. }
        | Node::Make { .. }
        | Node::Both { .. }
        | Node::Check { .. } => true,
        Node::If { then, otherwise, .. } => is_flat(then) && is_flat(otherwise),
        Node::Switch { arms, otherwise, .. } => {
            arms.iter().all(|it| is_flat(&it.body)) && is_flat(otherwise)
        }
        Node::Scope(block) => is_flat(block),
        Node::Loop(it) => it.kind == Kind::Unroll && is_flat(&it.body),
        Node::Chunks(_) | Node::While(_) | Node::Call { .. } | Node::Kernel(_) => false,
    })
}

/// About how many lines a loop is when it is unrolled.
pub(crate) fn length(it: &Loop) -> usize {
    match it.count {
        Atom::Int(count) => length_of(&it.body).saturating_mul(usize::try_from(count).unwrap_or(0)),
        Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => usize::MAX,
    }
}

fn length_of(block: &Block) -> usize {
    let lengths = block.iter().map(|node| match node {
        Node::Let { value: Value::Prim(prim, _), .. } if !is_operator(*prim) => SHORT_FUNCTION,
        Node::Both { .. } => 2 * SHORT_FUNCTION,
        Node::Loop(it) if it.kind == Kind::Unroll => length(it),
        Node::Loop(it) => length_of(&it.body),
        Node::Chunks(it) => length_of(&it.body),
        Node::While(it) => length_of(&it.before).saturating_add(length_of(&it.body)),
        Node::If { then, otherwise, .. } => length_of(then).saturating_add(length_of(otherwise)),
        Node::Switch { arms, otherwise, .. } => {
            let arms = arms.iter().map(|it| length_of(&it.body));
            arms.fold(length_of(otherwise), usize::saturating_add)
        }
        Node::Scope(block) => length_of(block),
        Node::Let { .. }
        | Node::Alloc { .. }
        | Node::Store { .. }
        | Node::Make { .. }
        | Node::Check { .. }
        | Node::Call { .. }
        | Node::Kernel(_) => 1,
    });
    lengths.fold(0, usize::saturating_add)
}

/// Arrays that nothing else refers to: not handed on by state, branches, boxes, results or calls. So
/// they need not live longer than the C block that they are in.
pub(crate) fn private_arrays(func: &Func) -> BTreeSet<Var> {
    let mut allocated = BTreeSet::new();
    let mut escaped = BTreeSet::new();
    let mut escape = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            escaped.insert(*var);
        }
    };
    func.results.iter().for_each(&mut escape);
    loops::walk(&func.body, &mut |node| match node {
        Node::Alloc { array, lanes: None, .. } => {
            allocated.insert(*array);
        }
        Node::Let { value: Value::Atom(atom), .. } => escape(atom),
        Node::Let { value: Value::Part { array, .. }, .. } => escape(&Atom::Var(*array)),
        Node::Store { value, .. } => escape(value),
        Node::Loop(it) => states(&it.state, &mut escape),
        Node::While(it) => states(&it.state, &mut escape),
        Node::If { results, .. } => {
            for phi in results {
                [&phi.then, &phi.otherwise].into_iter().for_each(&mut escape);
            }
        }
        Node::Switch { results, .. } => {
            for choice in results {
                choice.arms.iter().chain([&choice.otherwise]).for_each(&mut escape);
            }
        }
        Node::Make { fields, .. } => fields.iter().for_each(&mut escape),
        Node::Call { args, .. } => args.iter().for_each(&mut escape),
        Node::Chunks(it) => {
            // A task has only pointers; and several run on other stacks, but look at this one.
            loops::free(&it.body).into_iter().for_each(|var| escape(&Atom::Var(var)));
        }
        Node::Let { .. }
        | Node::Both { .. }
        | Node::Alloc { .. }
        | Node::Check { .. }
        | Node::Scope(_)
        | Node::Kernel(_) => {}
    });
    allocated.retain(|it| !escaped.contains(it) && matches!(func.ty(*it), Type::Array(_)));
    allocated
}

fn states(state: &[State], escape: &mut impl FnMut(&Atom)) {
    for it in state {
        escape(&it.init);
        escape(&it.next);
    }
}

/// What variables are that checks of indices are made of.
pub(crate) fn bounds(func: &Func) -> BTreeMap<Var, Value> {
    let mut res = BTreeMap::new();
    loops::walk(&func.body, &mut |node| {
        if let Node::Let { var, value } = node
            && let Value::Prim(Prim::And | Prim::Ge | Prim::Lt, _) = value
        {
            res.insert(*var, value.clone());
        }
    });
    res
}

/// Whether it may leave something in the arena.
pub(crate) fn allocates(block: &Block) -> bool {
    let mut res = false;
    loops::walk(block, &mut |node| {
        res |= matches!(node, Node::Alloc { .. } | Node::Call { .. } | Node::Make { .. });
    });
    res
}
