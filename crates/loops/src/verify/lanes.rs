//! Arrays with lanes stay where they are known.

use std::collections::BTreeSet;

use crate::{Atom, Func, Kernel, Node, Value};

/// Arrays with lanes are loaded, stored, filled and copied, and nothing else: nobody else knows how
/// they are laid out.
pub(super) fn handed_on(func: &Func) -> Result<(), String> {
    let mut laned = BTreeSet::new();
    let mut wrong = None;
    crate::walk(&func.body, &mut |node| match node {
        Node::Alloc { array, lanes: Some(_), .. } => {
            laned.insert(*array);
        }
        Node::Let { var, value: Value::Part { array, .. } } if laned.contains(array) => {
            laned.insert(*var);
        }
        Node::Let { value: Value::Load { .. }, .. }
        | Node::Store { .. }
        | Node::Chunks(_)
        | Node::Kernel(Kernel::Fill { .. } | Kernel::Copy { .. }) => {}
        Node::Let { .. }
        | Node::Alloc { .. }
        | Node::Loop(_)
        | Node::While(_)
        | Node::If { .. }
        | Node::Switch { .. }
        | Node::Make { .. }
        | Node::Both { .. }
        | Node::Call { .. }
        | Node::Check { .. }
        | Node::Scope(_)
        | Node::Kernel(_) => node.uses(&mut |var| {
            if laned.contains(&var) {
                wrong = Some(var);
            }
        }),
    });
    let result = func.results.iter().find_map(|it| match it {
        Atom::Var(var) if laned.contains(var) => Some(*var),
        Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
    });
    match wrong.or(result) {
        Some(var) => Err(format!("{var} has lanes and is handed on")),
        None => Ok(()),
    }
}
