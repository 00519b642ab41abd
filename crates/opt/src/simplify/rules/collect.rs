//! Rules for what loops collect: what does not depend on their state is no matter of the loop.
//!
//! A loop saves for its derivative whatever a step reads: positions, rows of weights, its own indices.
//! Most of that is known without running it.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, ControlOp, Op, Stmt, Type, Var};

use super::axes::{gather, replicate};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{On, Rule};

pub(super) const RULES: &[Rule] = &[
    // Nothing that would be computed twice.
    Rule::leaving(
        "collect-known",
        "`fold (..) { give s, a }` -> `replicate n a` for what is collected, where `a` is bound \
         outside; `fold (.. i <- is) { x = index a (i); give s, x }` -> `gather a (is)`, and so for \
         slices and integers of the elements",
        &[On::Fold],
        collect_known,
    ),
];

/// What a value of a step is over all steps.
enum Over {
    /// One value, the same in each step.
    Same(Atom),
    /// The array of what it is in each.
    Each(Atom),
}

/// The arrays that a loop goes through, by the variables of their elements.
type Elems = BTreeMap<Var, Atom>;

fn collect_known(forward: &mut Forward<'_>, stmt: &Stmt, op: &Op) -> bool {
    let Op::Control(ControlOp::Fold { arrays, step, .. }) = op else { return false };
    let elems = step.elems.iter().map(|it| it.var).zip(arrays.iter().cloned());
    let elems: Elems = elems.collect();
    let results = step.body.results.iter().zip(&stmt.binders).skip(step.state.len());
    let mut any = false;
    for (result, binder) in results {
        let ty = forward.type_(&binder.ty);
        let value = match over(forward, result, &elems) {
            Some(Over::Each(array)) => Some(array),
            Some(Over::Same(value)) => same_in_all(forward, &ty, value),
            None => None,
        };
        if let Some(value) = value.filter(|it| forward.facts.type_of(it) == Some(&ty)) {
            forward.alias(binder.var, value);
            any = true;
        }
    }
    any
}

fn same_in_all(forward: &mut Forward<'_>, ty: &Type, value: Atom) -> Option<Atom> {
    let Type::Array(size, _) = ty else { return None };
    let op = replicate(size.clone(), value);
    let fails = forward.facts.can_fail(&op, forward.facts.depth());
    if fails { None } else { forward.emit(op) }
}

/// What a value of a step is over all steps, if that is known without running them.
fn over(forward: &mut Forward<'_>, atom: &Atom, elems: &Elems) -> Option<Over> {
    let Atom::Var(var) = atom else { return Some(Over::Same(atom.clone())) };
    if let Some(array) = elems.get(var) {
        return Some(Over::Each(array.clone()));
    }
    if forward.facts.is_outside(atom) {
        return Some(Over::Same(atom.clone()));
    }
    let op = forward.facts.op_of(atom)?.clone();
    let op = if let Op::Array(ArrayOp::Index { array, indices }) = op {
        let Over::Same(array) = over(forward, &array, elems)? else { return None };
        gather(array, all_over(forward, &indices, elems)?)
    } else if let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op {
        let Over::Each(array) = over(forward, &array, elems)? else { return None };
        Op::Array(ArrayOp::Slice { array, axis: axis + 1, from, to })
    } else if let Op::Prim(prim, args) = op {
        if *forward.facts.type_of(atom)? != Type::Int {
            return None;
        }
        Op::Prim(prim, all_over(forward, &args, elems)?)
    } else {
        return None;
    };
    if forward.facts.can_fail(&op, forward.facts.depth()) {
        return None;
    }
    forward.emit(op).map(Over::Each)
}

fn all_over(forward: &mut Forward<'_>, atoms: &[Atom], elems: &Elems) -> Option<Vec<Atom>> {
    let mut res = Vec::new();
    for atom in atoms {
        let (Over::Same(it) | Over::Each(it)) = over(forward, atom, elems)?;
        res.push(it);
    }
    Some(res)
}
