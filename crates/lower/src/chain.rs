//! Loops whose derivatives wait for themselves: what a step makes of a tangent or of a cotangent is linear, and
//! is written so that the next step waits for one product and sum only.
//!
//! The states `s` of a loop that the step takes linearly to `sum A s + b`, by operations of derivatives, are
//! computed as that: `A` and `b` depend on nothing that the step before computed last, so they are ready
//! early. `r * (1 - x) * ds - r * x * ds + ..` is three operations behind each other, `A * ds + b` is one.
//!
//! Up to rounding, as derivatives are; what the user wrote has no `scale` in it, and keeps every bit. A
//! product of factors that is out of the range of reals, while their product with a state is not, is lost.
//!
//! Done where an estimate says that the loop waits, not where it has much to do: `time` below.

mod form;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Atom, Block, Func, Kind, Node, Scalar, State, Type, Value, Var, walk};

use form::Maker;

use crate::tuning::{CHAIN_GAIN, CHAIN_STATES, CHAIN_STEPS, COMPUTED, DIVIDED, IN_FLIGHT};

/// Rewrites the loops of a function.
pub(crate) fn chain(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    in_block(func, &mut body);
    func.body = body;
}

/// Lanes side by side wait together already: nothing is done inside of a vector loop.
fn in_block(func: &mut Func, block: &mut Block) {
    for node in block {
        if let Node::Loop(it) = node {
            if it.kind == Kind::Vector {
                continue;
            }
            in_block(func, &mut it.body);
            let kept: Vec<Atom> = it.accs.iter().map(|it| it.value).collect();
            if it.kind == Kind::Seq {
                step(func, &mut it.state, &mut it.body, &kept);
            }
        } else if let Node::While(it) = node {
            in_block(func, &mut it.body);
            step(func, &mut it.state, &mut it.body, &[]);
        } else {
            node.blocks_mut().into_iter().for_each(|it| in_block(func, it));
        }
    }
}

/// A step that is scalars only.
fn step(func: &mut Func, state: &mut [State], body: &mut Block, kept: &[Atom]) {
    let plain = |it: &Node| matches!(it, Node::Let { .. } | Node::Store { .. });
    if state.is_empty() || !body.iter().all(plain) {
        return;
    }
    let real = |it: &State| func.ty(it.var) == Type::Scalar(Scalar::Real);
    let alone = |it: &State| {
        let forms = Maker::new(0).forms(body, &BTreeSet::from([it.var]));
        forms.of(it.next).is_some_and(|it| it.is_derivative)
    };
    let mut linear: BTreeSet<Var> =
        state.iter().filter(|it| real(it) && alone(it)).map(|it| it.var).collect();
    let (mut maker, forms) = loop {
        let mut maker = Maker::new(func.vars.len());
        let forms = maker.forms(body, &linear);
        let is_linear = |it: &State| forms.of(it.next).is_some();
        let left: BTreeSet<Var> = state
            .iter()
            .filter(|it| linear.contains(&it.var) && is_linear(it))
            .map(|it| it.var)
            .collect();
        if left == linear {
            break (maker, forms);
        }
        linear = left;
    };
    if linear.is_empty() || linear.len() > CHAIN_STATES {
        return;
    }
    let mut after = body.clone();
    let mut nexts: BTreeMap<Var, Atom> = BTreeMap::new();
    for it in state.iter().filter(|it| linear.contains(&it.var)) {
        let Some(form) = forms.of(it.next) else { return };
        // Its own state last: the others are waited for meanwhile.
        if form.is_derivative {
            nexts.insert(it.var, maker.sum(&form, it.var));
        }
    }
    after.append(&mut maker.made);
    let all_nexts = |it: &State| nexts.get(&it.var).copied().unwrap_or(it.next);
    let new: Vec<(Var, Atom)> = state.iter().map(|it| (it.var, all_nexts(it))).collect();
    let old: Vec<(Var, Atom)> = state.iter().map(|it| (it.var, it.next)).collect();
    drop_unused(&mut after, new.iter().map(|it| it.1).chain(kept.iter().copied()));
    if time(&after, &new) > CHAIN_GAIN * time(body, &old) {
        return;
    }
    func.vars.extend(maker.reals.iter().map(|()| Type::Scalar(Scalar::Real)));
    *body = after;
    for (it, (_, next)) in state.iter_mut().zip(new) {
        it.next = next;
    }
}

/// Takes away what nobody reads.
fn drop_unused(body: &mut Block, kept: impl Iterator<Item = Atom>) {
    let mut used: BTreeSet<Var> = BTreeSet::new();
    used.extend(kept.filter_map(var_of));
    let mut res = Vec::new();
    for node in body.drain(..).rev() {
        if let Node::Let { var, .. } = &node
            && !used.contains(var)
        {
            continue;
        }
        node.uses(&mut |var| {
            used.insert(var);
        });
        res.push(node);
    }
    res.reverse();
    *body = res;
}

/// How long a step takes, in operations that wait for each other: as long as what one waits for the one
/// before, and as long as its operations if none waits.
fn time(body: &[Node], state: &[(Var, Atom)]) -> f64 {
    let mut work = 0.0;
    walk(body, &mut |node| work += latency(node).min(DIVIDED));
    // When the states are there, after so many steps.
    let mut ready: BTreeMap<Var, f64> = state.iter().map(|it| (it.0, 0.0)).collect();
    let latest = |it: &BTreeMap<Var, f64>| it.values().copied().fold(0.0, f64::max);
    let mut half = 0.0;
    for step in 0..2 * CHAIN_STEPS {
        if step == CHAIN_STEPS {
            half = latest(&ready);
        }
        let mut at: BTreeMap<Var, f64> = ready.clone();
        for node in body {
            let Node::Let { var, .. } = node else { continue };
            let mut start: f64 = f64::NEG_INFINITY;
            node.uses(&mut |it| start = start.max(at.get(&it).copied().unwrap_or(start)));
            at.insert(*var, start + latency(node));
        }
        let of = |it: &Atom| var_of(*it).and_then(|it| at.get(&it)).copied();
        ready = state.iter().map(|it| (it.0, of(&it.1).unwrap_or(f64::NEG_INFINITY))).collect();
    }
    let waited = (latest(&ready) - half) / CHAIN_STEPS as f64;
    waited.max(work / IN_FLIGHT)
}

/// How long something takes, as a part of the time of a product.
fn latency(node: &Node) -> f64 {
    let Node::Let { value, .. } = node else { return 1.0 };
    match value {
        Value::Atom(_) | Value::Part { .. } => 0.0,
        Value::ScaleAdd(..) | Value::Load { .. } => 1.0,
        // It is a sign of the operation behind it.
        Value::Prim(Prim::Neg, _) => 0.0,
        Value::Prim(prim, _) if [Prim::Add, Prim::Sub, Prim::Mul, Prim::Scale].contains(prim) => {
            1.0
        }
        Value::Prim(prim, _) if [Prim::Div, Prim::Sqrt].contains(prim) => DIVIDED,
        Value::Prim(..) => COMPUTED,
    }
}

fn var_of(atom: Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
    }
}
