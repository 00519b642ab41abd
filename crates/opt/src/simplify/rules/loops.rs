//! Rules for loops.

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Loop, Op, Prim, Size, Stmt, Type, walk};

use crate::simplify::facts::{Affine, Along};
use crate::simplify::forward::Forward;
use crate::simplify::rule::{Entered, On, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule::entering("fold-empty", "`fold (s = a) over xs: [0]T` -> `a`", &[On::Fold], fold_empty),
    Rule::entering(
        "iterate-never",
        "`iterate 0 (s = a) { b }` -> `a`",
        &[On::Iterate],
        iterate_never,
    ),
    Rule::entering(
        "iterate-once",
        "`iterate 1 (s = a) { b }` -> `b` with `a` for `s`",
        &[On::Iterate],
        iterate_once,
    ),
    Rule::entering(
        "constant-state",
        "`loop (s = a) { .. give s }` -> `a` for `s` in the loop",
        &[On::Fold, On::Iterate, On::While],
        constant_state,
    ),
    Rule::entering(
        "loop-over-replicate",
        "`fold .. (x <- replicate n a) { b }` -> `b` with `a` for `x`",
        &[On::Fold, On::Scan],
        loop_over_replicate,
    ),
    Rule::entering(
        "loop-over-iota",
        "`fold .. (i <- iota n) { b }` -> `b`, where `i` is known to be less than `n`",
        &[On::Fold, On::Scan],
        loop_over_iota,
    ),
    Rule::entering(
        "loop-over-affine",
        "`fold .. (i <- iota n, j <- 2 * iota n) { b }` -> `2 * i` for `j`, and the same backwards",
        &[On::Fold, On::Scan],
        loop_over_affine,
    ),
    Rule::leaving(
        "constant-result",
        "`loop (s = a) { .. give s }` -> `a` for `s` after the loop",
        &[On::Fold, On::Iterate, On::While],
        constant_result,
    ),
];

fn fold_empty(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Op::Control(ControlOp::Fold { inits, arrays, step }) = &stmt.op else {
        return Entered::Not;
    };
    let first = arrays.first().map(|it| forward.atom(it));
    let sizes = first.and_then(|it| forward.facts.sizes_of(&it));
    let n = sizes.and_then(|it| it.first().and_then(Size::as_constant));
    if n != Some(0) || step.body.results.len() != inits.len() {
        return Entered::Not;
    }
    forward.results_are(stmt, forward.atoms(inits));
    Entered::Gone
}

fn iterate_never(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Op::Control(ControlOp::Iterate { count, inits, .. }) = &stmt.op else {
        return Entered::Not;
    };
    if !matches!(forward.atom(count), Atom::Int(it) if it <= 0) {
        return Entered::Not;
    }
    forward.results_are(stmt, forward.atoms(inits));
    Entered::Gone
}

fn iterate_once(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Op::Control(ControlOp::Iterate { count, index, inits, state, body }) = &stmt.op else {
        return Entered::Not;
    };
    if forward.atom(count) != Atom::Int(1) {
        return Entered::Not;
    }
    let inits = forward.atoms(inits);
    forward.alias(*index, Atom::Int(0));
    state.iter().zip(inits).for_each(|(it, init)| forward.alias(it.var, init));
    forward.inline(stmt, body);
    Entered::Gone
}

/// The initial values, the state and the body of a loop.
fn parts(op: &Op) -> Option<(&[Atom], &[Binder], &Block)> {
    let Op::Control(op) = op else { return None };
    match op {
        ControlOp::Fold { inits, step, .. } => Some((inits, &step.state, &step.body)),
        ControlOp::Iterate { inits, state, body, .. }
        | ControlOp::While { inits, state, body, .. } => Some((inits, state, body)),
        ControlOp::Scan { .. }
        | ControlOp::Build { .. }
        | ControlOp::If { .. }
        | ControlOp::Match { .. } => None,
    }
}

fn constant_state(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Some((inits, state, body)) = parts(&stmt.op) else { return Entered::Not };
    let inits = forward.atoms(inits);
    let mut entered = Entered::Not;
    for ((binder, init), next) in state.iter().zip(inits).zip(&body.results) {
        let ty = forward.type_(&binder.ty);
        if *next == Atom::Var(binder.var) && forward.facts.type_of(&init) == Some(&ty) {
            forward.alias(binder.var, init);
            entered = Entered::Known;
        }
    }
    entered
}

fn constant_result(forward: &mut Forward<'_>, stmt: &Stmt, _: &Op) -> bool {
    let Some((inits, state, body)) = parts(&stmt.op) else { return false };
    let inits = forward.atoms(inits);
    let mut any = false;
    let states = state.iter().zip(inits).zip(&body.results);
    for (((binder, init), next), result) in states.zip(&stmt.binders) {
        if *next == Atom::Var(binder.var) && forward.atom(next) == init {
            forward.alias(result.var, init);
            any = true;
        }
    }
    any
}

/// The arrays that a loop goes through, and its step.
fn over(op: &Op) -> Option<(&[Atom], &Loop)> {
    let Op::Control(ControlOp::Fold { arrays, step, .. } | ControlOp::Scan { arrays, step, .. }) =
        op
    else {
        return None;
    };
    Some((arrays, step))
}

fn loop_over_replicate(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Some((arrays, step)) = over(&stmt.op) else { return Entered::Not };
    let mut entered = Entered::Not;
    for (elem, array) in step.elems.iter().zip(forward.atoms(arrays)) {
        if let Some(Op::Array(ArrayOp::Replicate { value, .. })) = forward.facts.op_of(&array) {
            forward.alias(elem.var, value.clone());
            entered = Entered::Known;
        }
    }
    entered
}

fn loop_over_iota(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Some((arrays, step)) = over(&stmt.op) else { return Entered::Not };
    let mut entered = Entered::Not;
    for (elem, array) in step.elems.iter().zip(forward.atoms(arrays)) {
        if let Some(Op::Array(ArrayOp::Iota(size))) = forward.facts.op_of(&array) {
            forward.facts.declare_range(elem.var, size.clone());
            entered = Entered::Known;
        }
    }
    entered
}

fn loop_over_affine(forward: &mut Forward<'_>, stmt: &Stmt) -> Entered {
    let Some((arrays, step)) = over(&stmt.op) else { return Entered::Not };
    let (arrays, elems) = (forward.atoms(arrays), forward.binders(&step.elems));
    let Some(body) = affine_elements(forward, &elems, &arrays, &step.body) else {
        return Entered::Not;
    };
    let mut stmt = stmt.clone();
    if let Op::Control(ControlOp::Fold { step, .. } | ControlOp::Scan { step, .. }) = &mut stmt.op {
        step.body = body;
    }
    Entered::Instead(stmt)
}

/// The body of a loop with the elements of affine arrays computed from the position.
fn affine_elements(
    forward: &mut Forward<'_>,
    elems: &[Binder],
    arrays: &[Atom],
    body: &Block,
) -> Option<Block> {
    let form = |it: &Atom| forward.facts.affine(it).filter(|it| it.sizes.len() == 1);
    let forms: Vec<Option<Affine>> = arrays.iter().map(form).collect();
    let (at, along) = forms.iter().enumerate().find_map(|(at, form)| {
        let form = form.as_ref()?;
        match form.along() {
            Along::Axis(0) if form.offset.as_constant() == Some(0) => Some((at, 1)),
            Along::Backwards(0) => Some((at, -1)),
            Along::Axis(_) | Along::Backwards(_) | Along::Nothing | Along::Other => None,
        }
    })?;
    let size = forms[at].as_ref()?.sizes[0].clone();
    forward.facts.declare_range(elems[at].var, size.clone());
    let place = Atom::Var(elems[at].var);
    let mut stmts = Vec::new();
    let used = walk::free_vars_block(body);
    for (other, form) in forms.iter().enumerate() {
        if other == at || !used.contains(&elems[other].var) {
            continue;
        }
        let Some(Affine { coefficients, offset, .. }) = form else { continue };
        let [coefficient] = coefficients.as_slice() else { continue };
        let Some(factor) = coefficient.as_constant() else { continue };
        // At place `p` counted backwards, the position is `n - 1 - p`.
        let last = size.sub(&Size::constant(1));
        let start = if along > 0 { offset.clone() } else { offset.add(&last.scale(factor)) };
        let mut value = |forward: &mut Forward<'_>, op: Op| {
            let var = forward.fresh_at(forward.span);
            stmts.push(Stmt { binders: vec![Binder { var, ty: Type::Int }], op });
            Atom::Var(var)
        };
        let factor = Atom::Int(factor.checked_mul(along)?);
        let scaled = value(forward, Op::Prim(Prim::Mul, vec![place.clone(), factor]));
        let start = value(forward, Op::Size(start));
        let sum = value(forward, Op::Prim(Prim::Add, vec![scaled, start]));
        let op = Op::Copy(sum);
        stmts.push(Stmt { binders: vec![elems[other].clone()], op });
    }
    (!stmts.is_empty()).then(|| {
        stmts.extend(body.stmts.iter().cloned());
        Block { stmts, results: body.results.clone() }
    })
}
