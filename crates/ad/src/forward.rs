//! Forward-mode AD by dual numbers, ir to ir.
//!
//! `Γ ⊢ t : τ`   becomes   `D[Γ] ⊢ D[t] : D[τ]`
//!
//! Paper: Krawiec, Krishnaswami, Peyton Jones, Ellis, Fitzgibbon, Eisenberg, Provably correct,
//! asymptotically efficient, higher-order reverse-mode automatic differentiation, POPL 2022,
//! Section 4, Figure 3.
//! Requires: dialect Source, verified.
//! Ensures: dialect Source; the primal parts of the results are the results of the input. Variables
//! keep their numbers, those of dual values too; new ones come after them.
//! Cost: work at most 4 times the work of the input, with the partial derivatives of the table
//! counted as one operation each.
//! Not done: nothing is simplified; a derivative operator stays one, at the next level; the
//! derivatives of called definitions are named and not made (`forward_def` makes each).
//! Tests: `crates/ad/tests/forward.rs`; the cost: `crates/cotan/tests/cost.rs`.
//!
//! Example. `x2: Real = mul x0 x1` with `x0` active and `x1` constant becomes
//! ```text
//! x3: Real = proj x0 0
//! x4: Real = mul x3 x1
//! x5: Real = proj x0 1
//! x6: Real = scale x1 x5
//! x2: (Real, Real) = tuple (x4, x6)
//! ```
//! Departures from the figure. Only what depends on an active input is dualised: a variable is
//! *active* if its type changed, and a constant is lifted (with tangent zero) where it meets an
//! active value. Partial derivatives come from the table of primitives, and are multiplied with
//! tangents by `scale`, which is zero if either factor is. Conditions see primal parts.

mod arrays;
mod control;
mod operands;

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use ir::signature::{derived_name, split_derived};
use ir::{Atom, Binder, Block, Builder, Def, Lambda, Op, Program, Spans, Stmt, Var, walk};

/// D\[f\] of a function whose parameters are all active and whose captured variables are constants;
/// the first variable number that it does not use, and where its variables come from. `next_var` and
/// `spans` are those of the function.
pub fn forward_lambda(
    program: &Program,
    captured: &[Binder],
    lambda: &Lambda,
    next_var: u32,
    spans: &Spans,
) -> (Lambda, u32, Spans) {
    let mut forward = Forward::new(program, next_var, spans);
    captured.iter().for_each(|it| forward.builder.declare(it.var, it.ty.clone()));
    let lambda = forward.lambda(lambda);
    let (next_var, spans) = forward.finish();
    (lambda, next_var, spans)
}

/// The definition of a derived name such as `f'10`, from `f`; if that is derived and not in the
/// program, from its own derivation. `None` if there is no such definition.
pub fn forward_def(program: &Program, name: &Name) -> Option<Def> {
    // What is left to derive, the last one first.
    let mut masks = Vec::new();
    let mut base = name.clone();
    let mut def = loop {
        if let Some(def) = program.defs.get(&base) {
            break Def::clone(def);
        }
        let (shorter, mask) = split_derived(&base)?;
        masks.push(mask);
        base = shorter;
    };
    while let Some(mask) = masks.pop() {
        if mask.len() != def.params.len() {
            return None;
        }
        def = derive_def(program, &def, &mask);
    }
    Some(def)
}

fn derive_def(program: &Program, def: &Def, mask: &[bool]) -> Def {
    let mut forward = Forward::new(program, def.next_var, &def.spans);
    def.size_params.iter().for_each(|it| forward.builder.declare(*it, ir::Type::Int));
    let params = def.params.iter().zip(mask).map(|(it, on)| forward.param(it, *on)).collect();
    let body = forward.dual_block(&def.body);
    let results = def.results.iter().map(|it| Binder { var: it.var, ty: it.ty.dual() }).collect();
    let (next_var, spans) = forward.finish();
    Def {
        name: derived_name(&def.name, mask),
        type_params: def.type_params.clone(),
        size_params: def.size_params.clone(),
        params,
        results,
        body,
        next_var,
        spans,
    }
}

struct Forward<'a> {
    builder: Builder<'a>,
    /// The variables whose values are dual: those whose type is not that of the input.
    active: BTreeSet<Var>,
    /// Where the variables of the input come from.
    spans: &'a Spans,
}

impl<'a> Forward<'a> {
    fn new(program: &'a Program, next_var: u32, spans: &'a Spans) -> Forward<'a> {
        let builder = Builder::new(program, next_var);
        Forward { builder, active: BTreeSet::new(), spans }
    }

    fn finish(self) -> (u32, Spans) {
        let (next_var, mut spans) = self.builder.finish();
        spans.0.extend(&self.spans.0);
        (next_var, spans)
    }

    /// Γ, x: τ becomes D[Γ], x: D[τ] if `active`.
    fn param(&mut self, binder: &Binder, active: bool) -> Binder {
        let ty = if active { binder.ty.dual() } else { binder.ty.clone() };
        if ty != binder.ty {
            self.active.insert(binder.var);
        }
        self.builder.declare(binder.var, ty.clone());
        Binder { var: binder.var, ty }
    }

    fn params(&mut self, binders: &[Binder], active: bool) -> Vec<Binder> {
        binders.iter().map(|it| self.param(it, active)).collect()
    }

    /// D[λx. e] = λx. D[e]
    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let params = self.params(&lambda.params, true);
        Lambda { params, body: self.dual_block(&lambda.body) }
    }

    /// The block with all results dual.
    fn dual_block(&mut self, block: &Block) -> Block {
        let block = self.block(block);
        let results = self.builder.reopen(block);
        let results = self.duals(&results);
        self.builder.close(results)
    }

    /// D[let x = e1 in e2] = let x = D[e1] in D[e2], with results dual if they are active.
    fn block(&mut self, block: &Block) -> Block {
        self.builder.open();
        block.stmts.iter().for_each(|it| self.stmt(it));
        self.builder.close(block.results.clone())
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.binders.first().and_then(|it| self.spans.0.get(&it.var)).copied();
        let outer = self.builder.set_span(None);
        self.builder.set_span(span.or(outer));
        if walk::free_vars_op(&stmt.op).iter().any(|it| self.active.contains(it)) {
            self.active_stmt(stmt);
        } else {
            self.builder.push(stmt.clone());
        }
        self.builder.set_span(outer);
    }

    /// Figure 3: one arm per constructor, in the order of `term.rs`. Something active occurs.
    fn active_stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::Copy(atom) => self.bind(stmt, Op::Copy(atom.clone())),
            Op::Prim(prim, args) => self.prim(stmt, *prim, args),
            Op::Size(size) => self.bind(stmt, Op::Size(size.clone())),

            // D[(e1, e2)] = (D[e1], D[e2])
            Op::Tuple { rank, parts } => {
                let parts = self.duals(parts);
                self.bind(stmt, Op::Tuple { rank: *rank, parts });
            }
            // D[fst e] = fst D[e]
            Op::Proj { tuple, index } => {
                self.bind(stmt, Op::Proj { tuple: tuple.clone(), index: *index });
            }

            // D[inl e] = inl D[e]
            Op::Con { ty, con, args } => {
                let args = self.duals(args);
                self.bind(stmt, Op::Con { ty: ty.dual(), con: con.clone(), args });
            }
            // D[case e of inl x -> e1, ...] = case D[e] of inl x -> D[e1], ...
            Op::Match { value, arms, otherwise } => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }

            Op::Lambda(lambda) => {
                let lambda = self.lambda(lambda);
                self.bind(stmt, Op::Lambda(Arc::new(lambda)));
            }
            // D[e1 e2] = D[e1] D[e2]
            Op::Apply(function, args) => {
                let function = self.dual(function);
                let args = self.duals(args);
                self.bind(stmt, Op::Apply(function, args));
            }
            Op::Call { def, types, sizes, args } => {
                let mask: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
                let (types, sizes, args) = (types.clone(), sizes.clone(), args.clone());
                let def = derived_name(def, &mask);
                self.bind(stmt, Op::Call { def, types, sizes, args });
            }

            Op::If { cond, then, otherwise } => self.if_(stmt, cond, then, otherwise),
            Op::Build { sizes, indices, body } => {
                indices.iter().for_each(|it| self.builder.declare(*it, ir::Type::Int));
                let body = self.block(body);
                let (sizes, indices) = (sizes.clone(), indices.clone());
                self.bind(stmt, Op::Build { sizes, indices, body });
            }
            Op::Fold { inits, arrays, step } => {
                let (inits, step) = self.loop_(inits, arrays, step);
                self.bind(stmt, Op::Fold { inits, arrays: arrays.clone(), step });
            }
            Op::Scan { inits, arrays, step } => {
                let (inits, step) = self.loop_(inits, arrays, step);
                self.bind(stmt, Op::Scan { inits, arrays: arrays.clone(), step });
            }
            Op::Iterate { count, index, inits, state, body } => {
                let inits = self.duals(inits);
                self.builder.declare(*index, ir::Type::Int);
                let state = self.params(state, true);
                let body = self.dual_block(body);
                let (count, index) = (count.clone(), *index);
                self.bind(stmt, Op::Iterate { count, index, inits, state, body });
            }
            Op::While { inits, state, cond, body } => {
                let inits = self.duals(inits);
                let state = self.params(state, true);
                let cond = self.primal_block(cond);
                let body = self.dual_block(body);
                self.bind(stmt, Op::While { inits, state, cond, body });
            }

            Op::Array { elem, parts } => {
                let parts = self.duals(parts);
                self.bind(stmt, Op::Array { elem: elem.dual(), parts });
            }
            Op::Index { .. } | Op::Slice { .. } => self.bind(stmt, stmt.op.clone()),
            Op::Reduce { reduction, axis, array } => self.reduce(stmt, *reduction, *axis, array),
            Op::Argmax(array) => {
                let array = self.primal(array);
                self.bind(stmt, Op::Argmax(array));
            }
            Op::Argmin(array) => {
                let array = self.primal(array);
                self.bind(stmt, Op::Argmin(array));
            }
            Op::Gather { .. } => self.bind(stmt, stmt.op.clone()),
            Op::Scatter { into, indices, values } => self.scatter(stmt, into, indices, values),
            Op::Replicate { .. } | Op::Iota(_) | Op::Transpose { .. } | Op::Reshape { .. } => {
                self.bind(stmt, stmt.op.clone());
            }
            Op::Reverse(_) => self.bind(stmt, stmt.op.clone()),
            Op::Concat(arrays) => {
                let arrays = self.duals(arrays);
                self.bind(stmt, Op::Concat(arrays));
            }
            Op::Sort(array) => self.sort(stmt, array),
            Op::Argsort(array) => {
                let array = self.primal(array);
                self.bind(stmt, Op::Argsort(array));
            }
            Op::Filter { array, predicate } => self.filter(stmt, array, predicate),
            Op::Sized { .. } => self.bind(stmt, stmt.op.clone()),

            Op::Equal(left, right) => {
                let (left, right) = (self.primal(left), self.primal(right));
                self.bind(stmt, Op::Equal(left, right));
            }
            Op::Close(left, right) => {
                let (left, right) = (self.primal(left), self.primal(right));
                self.bind(stmt, Op::Close(left, right));
            }

            // Stays, for the derivatives of this derivative.
            Op::StopGradient(value) => {
                let value = self.primal(value);
                self.bind(stmt, Op::StopGradient(value));
            }
            // See Note [Levels].
            Op::Lift { level, value } => {
                self.bind(stmt, Op::Lift { level: level + 1, value: value.clone() });
            }
            Op::Primal { level, value } => {
                self.bind(stmt, Op::Primal { level: level + 1, value: value.clone() });
            }
            Op::Derive { operator, level, function, args } => {
                let function = self.dual(function);
                let args = self.duals(args);
                let (operator, level) = (*operator, level + 1);
                self.bind(stmt, Op::Derive { operator, level, function, args });
            }
        }
    }

    /// Binds the variables of a statement to what its operation became.
    fn bind(&mut self, stmt: &Stmt, op: Op) {
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        self.builder.bind(&vars, op);
        for binder in &stmt.binders {
            if self.builder.type_of(&Atom::Var(binder.var)) != binder.ty {
                self.active.insert(binder.var);
            }
        }
    }
}

// Note [Levels]
// ~~~~~~~~~~~~~
// Derivative operators nest because D[-] maps them to themselves. `grad f x` is a composition of
// D[f] with operations on dual numbers (pairing x with a direction, taking tangents), and D of these
// operations is the same operations on reals that are pairs already. So an operation says at which
// *level* it works: at level k a real is a perfect tree of pairs of depth k, D<D<...Real>>, and
// the rule is D[op at level k] = op at level k+1. `Lift` at level k maps every such tree v to (v, 0)
// and `Primal` maps (v, w) to v, so that the pair they make or take apart is outside of the k pairs of
// the derivatives that are applied later: D applied last is the innermost pair, as
// D<(Real, Real)> = (D<Real>, D<Real>).
//
// A function value that reaches `Derive` at level k was made by D applied k times, and the interpreter
// applies D once more to that code: its pair is again the innermost one, and captured values are
// constants for it, whatever pairs they have. The interpreter says how the order is put right.
