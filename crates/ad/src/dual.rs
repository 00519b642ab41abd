//! Dual numbers, ir to ir: everything that the methods of dual numbers have in common.
//!
//! `Γ ⊢ t : τ`   becomes   `D[Γ] ⊢ D[t] : D[τ]`
//!
//! Paper: Krawiec, Krishnaswami, Peyton Jones, Ellis, Fitzgibbon, Eisenberg, Provably correct,
//! asymptotically efficient, higher-order reverse-mode automatic differentiation, POPL 2022,
//! Figures 3 and 9. D\[-\] is homomorphic but for reals: what a real is paired with, and what a
//! primitive does to that, is the business of [`Numbers`], one implementation per method
//! (`forward.rs`, `tape.rs`).
//! Requires: dialect Source, verified.
//! Ensures: the primal parts of the results are the results of the input. Variables keep their
//! numbers, those of dual values too; new ones come after them.
//! Not done: nothing is simplified; the derivatives of called definitions are named and not made.
//!
//! Departures from the figures. Only what depends on an active input is dualised: a variable is
//! *active* if its type changed, and a constant is lifted (paired with zero) where it meets an
//! active value. Partial derivatives come from the table of primitives. Conditions see primal parts.
//! Below, the *tangent* of a value is what its reals are paired with, whatever the method.

mod arrays;
mod control;
mod operands;

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

use base::{Name, Saying};
use ir::{
    Atom, Binder, Block, Builder, ControlOp, Def, DeriveOp, FunctionOp, Lambda, Op, Origin,
    Partial, Program, Spans, Stmt, Type, Var,
};
use ir::{Literal, walk};

/// What reals are paired with.
pub(crate) trait Numbers: Sized {
    /// D{T}.
    fn dual(ty: &Type) -> Type;

    /// The name of the derivative of a definition.
    fn name(def: &Name, mask: &[bool]) -> Name;

    /// Every real with the zero tangent: D[r] = (r, 0).
    fn lift(value: Atom) -> Op;

    /// The value without its tangents.
    fn primal(value: Atom) -> Op;

    /// The zero tangent of a real.
    fn zero(builder: &mut Builder<'_>) -> Atom;

    /// The tangent of the result of a primitive: the sum of partial derivatives times tangents.
    /// There is at least one, and none of the partials is zero.
    fn combine(builder: &mut Builder<'_>, terms: Vec<(Partial, Atom)>) -> Atom;

    /// The product of the rows of an array, which has as many dimensions as `row` and one more, and its
    /// tangent: the sum of the tangents of rows, each times the product of the others. That is zero
    /// where one of these is zero, whatever the rest is.
    fn product(dual: &mut Dual<'_, Self>, row: &Type, rows: Atom, tangents: Atom) -> [Atom; 2];

    /// A dual value, of which `told` is the primal part, and whose tangent or cotangent is told with the
    /// text when it is known.
    fn traced(builder: &mut Builder<'_>, text: Atom, told: Atom, dual: Atom) -> Op;

    /// The level at which an operation on dual numbers works after D. See Note [Levels] in
    /// `forward.rs`.
    fn level(level: u32) -> u32;
}

/// D[f] of a function whose parameters are all active, and of what it captured those of the mask;
/// the first variable number that it does not use, and where its variables come from. `next_var`
/// and `spans` are those of the function.
pub(crate) fn derive_lambda<N: Numbers>(
    program: &Program,
    (captured, mask): (&[Binder], &[bool]),
    lambda: &Lambda,
    next_var: u32,
    spans: &Spans,
) -> (Lambda, u32, Spans) {
    let mut dual = Dual::<N>::new(program, next_var, spans);
    for (binder, active) in captured.iter().zip(mask) {
        dual.param(binder, *active);
    }
    let lambda = dual.lambda(lambda);
    let (next_var, spans) = dual.finish();
    (lambda, next_var, spans)
}

/// D[f] of a definition; the parameters of the mask are active.
pub(crate) fn derive_def<N: Numbers>(program: &Program, def: &Def, mask: &[bool]) -> Def {
    let mut dual = Dual::<N>::new(program, def.next_var, &def.spans);
    def.size_params.iter().for_each(|it| dual.builder.declare(*it, Type::Int));
    let params = def.params.iter().zip(mask).map(|(it, on)| dual.param(it, *on)).collect();
    let body = dual.dual_block(&def.body);
    let results = def.results.iter().map(|it| Binder { var: it.var, ty: N::dual(&it.ty) });
    let results = results.collect();
    let (next_var, spans) = dual.finish();
    Def {
        name: N::name(&def.name, mask),
        type_params: def.type_params.clone(),
        size_params: def.size_params.clone(),
        params,
        results,
        body,
        next_var,
        spans,
        origin: Origin::Derivative,
    }
}

/// The work on one function.
pub(crate) struct Dual<'a, N> {
    pub(crate) builder: Builder<'a>,
    /// The variables whose values are dual: those whose type is not that of the input.
    active: BTreeSet<Var>,
    /// Where the variables of the input come from.
    spans: &'a Spans,
    numbers: PhantomData<N>,
}

/// `trace` or `report`.
pub(crate) fn tell(saying: Saying, every: Atom, text: Atom, value: Atom) -> Op {
    Op::Derive(DeriveOp::Tell { saying, every, text, value })
}

fn has_functions(ty: &Type) -> bool {
    matches!(ty, Type::Function(..)) || ty.parts().into_iter().any(has_functions)
}

pub(crate) fn real(value: f64) -> Atom {
    Atom::Real(Literal(value))
}

impl<'a, N: Numbers> Dual<'a, N> {
    fn new(program: &'a Program, next_var: u32, spans: &'a Spans) -> Dual<'a, N> {
        let builder = Builder::new(program, next_var);
        Dual { builder, active: BTreeSet::new(), spans, numbers: PhantomData }
    }

    fn finish(self) -> (u32, Spans) {
        let (next_var, mut spans) = self.builder.finish();
        spans.0.extend(&self.spans.0);
        (next_var, spans)
    }

    /// Γ, x: τ becomes D[Γ], x: D[τ] if `active`.
    fn param(&mut self, binder: &Binder, active: bool) -> Binder {
        let ty = if active { N::dual(&binder.ty) } else { binder.ty.clone() };
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

    /// Figures 3 and 9: one arm per constructor, in the order of `op.rs`. Something active occurs.
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
                self.bind(stmt, Op::Con { ty: N::dual(ty), con: con.clone(), args });
            }
            // D[case e of inl x -> e1, ...] = case D[e] of inl x -> D[e1], ...
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }

            // Without reals there are no tangents: the same function of the primal parts.
            Op::Function(FunctionOp::Lambda(lambda))
                if N::dual(&stmt.binders[0].ty) == stmt.binders[0].ty =>
            {
                self.primal_lambda(stmt, lambda);
            }
            Op::Function(FunctionOp::Lambda(lambda)) => {
                let lambda = self.lambda(lambda);
                self.bind(stmt, Op::Function(FunctionOp::Lambda(Arc::new(lambda))));
            }
            // D[e1 e2] = D[e1] D[e2]
            Op::Function(FunctionOp::Apply(function, args)) => {
                let function = self.dual(function);
                let args = self.duals(args);
                self.bind(stmt, Op::Function(FunctionOp::Apply(function, args)));
            }
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                let mask: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
                let (types, sizes, args) = (types.clone(), sizes.clone(), args.clone());
                let def = N::name(def, &mask);
                self.bind(stmt, Op::Function(FunctionOp::Call { def, types, sizes, args }));
            }

            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                self.if_(stmt, cond, then, otherwise)
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                indices.iter().for_each(|it| self.builder.declare(*it, Type::Int));
                let body = self.block(body);
                let (sizes, indices) = (sizes.clone(), indices.clone());
                self.bind(stmt, Op::Control(ControlOp::Build { sizes, indices, body }));
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let (inits, step) = self.loop_(inits, arrays, step);
                self.bind(
                    stmt,
                    Op::Control(ControlOp::Fold { inits, arrays: arrays.clone(), step }),
                );
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let (inits, step) = self.loop_(inits, arrays, step);
                self.bind(
                    stmt,
                    Op::Control(ControlOp::Scan { inits, arrays: arrays.clone(), step }),
                );
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                let inits = self.duals(inits);
                self.builder.declare(*index, Type::Int);
                let state = self.params(state, true);
                let body = self.dual_block(body);
                let (count, index) = (count.clone(), *index);
                self.bind(
                    stmt,
                    Op::Control(ControlOp::Iterate { count, index, inits, state, body }),
                );
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let inits = self.duals(inits);
                let state = self.params(state, true);
                let cond = self.primal_block(cond);
                let body = self.dual_block(body);
                self.bind(stmt, Op::Control(ControlOp::While { inits, state, cond, body }));
            }

            Op::Array(op) => self.array(stmt, op),

            Op::Equal(left, right) => {
                let (left, right) = (self.primal(left), self.primal(right));
                self.bind(stmt, Op::Equal(left, right));
            }
            Op::Close(left, right) => {
                let (left, right) = (self.primal(left), self.primal(right));
                self.bind(stmt, Op::Close(left, right));
            }

            Op::Derive(DeriveOp::Checkpoint { value, .. }) => {
                self.bind(stmt, Op::Copy(value.clone()));
            }
            Op::Derive(DeriveOp::Tell { saying, every, text, value }) => {
                let [every, text, primal] = [every, text, value].map(|it| self.primal(it));
                let told = tell(*saying, every, text.clone(), primal);
                let told = self.builder.one(told);
                let dual = match saying {
                    Saying::Value if !has_functions(&self.builder.type_of(&told)) => {
                        N::traced(&mut self.builder, text, told, value.clone())
                    }
                    Saying::Value | Saying::Report => Op::Copy(value.clone()),
                    // Of derivatives of derivatives, nothing more is told.
                    Saying::Tangent | Saying::Cotangent => Op::Copy(value.clone()),
                };
                self.bind(stmt, dual);
            }
            // Stays, for the derivatives of this derivative.
            Op::Derive(DeriveOp::StopGradient(value)) => {
                let value = self.primal(value);
                self.bind(stmt, Op::Derive(DeriveOp::StopGradient(value)));
            }
            // See Note [Levels] in `forward.rs`.
            Op::Derive(DeriveOp::Lift { level, value }) => {
                self.bind(
                    stmt,
                    Op::Derive(DeriveOp::Lift { level: N::level(*level), value: value.clone() }),
                );
            }
            Op::Derive(DeriveOp::Primal { level, value }) => {
                self.bind(
                    stmt,
                    Op::Derive(DeriveOp::Primal { level: N::level(*level), value: value.clone() }),
                );
            }
            Op::Derive(DeriveOp::Tangent { level, value }) => {
                self.bind(
                    stmt,
                    Op::Derive(DeriveOp::Tangent { level: N::level(*level), value: value.clone() }),
                );
            }
            Op::Derive(DeriveOp::Pair { beside, level, value, tangent }) => {
                let (beside, level) = (*beside, N::level(*level));
                let (value, tangent) = (self.dual(value), self.dual(tangent));
                self.bind(stmt, Op::Derive(DeriveOp::Pair { beside, level, value, tangent }));
            }
            Op::Derive(DeriveOp::OfFunction { operator, level, function, args }) => {
                let function = self.dual(function);
                let args = self.duals(args);
                let (operator, level) = (*operator, N::level(*level));
                self.bind(
                    stmt,
                    Op::Derive(DeriveOp::OfFunction { operator, level, function, args }),
                );
            }

            Op::Derive(DeriveOp::OfDefinition { .. }) => {
                panic!("compiler bug: an operator of a definition in source")
            }
            Op::Delta(_) => {
                panic!("compiler bug: what reverse mode made is not differentiated again")
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
