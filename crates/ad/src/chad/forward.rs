//! Forward mode: the value of every term, and its push-forward.
//!
//! Paper: Vákár and Smeding, Section 7.4, one arm per row, in the order of `reverse.rs`, which is the
//! mirror image of this file: where a pull-back adds to the cotangents of the operands, a push-forward
//! reads their tangents. The linear function `D2[Γ] ⊸ D2[τ]` is applied where it is made, so the tangent
//! of a variable is a variable, and is absent if it is zero.
//!
//! Example. `x2 = mul x0 x1` keeps its value, and its tangent is
//! ```text
//! x2' = scale x1 x0' + scale x0 x1'
//! ```

mod arrays;
mod control;
pub(super) mod derived;
mod loops;
mod prim;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Saying;
use ir::{
    Atom, Binder, Block, ControlOp, Def, DeriveOp, FunctionOp, Op, Prim, Spans, Stmt, Type,
    Unfinished, Var, walk,
};

use super::Slot;
use crate::bulk::work::Work;
use crate::linear::code::{Code, var_of};
use crate::linear::domain::Domain;

/// The work on one definition.
struct Forward<'w> {
    work: &'w mut Work,
    /// The definition that waits while this one is made.
    outer: Unfinished,
    def: Arc<Def>,
    /// The tangent of the environment; what is absent is zero.
    tangents: BTreeMap<Slot, Atom>,
}

impl<'w> Forward<'w> {
    fn new(work: &'w mut Work, def: &Arc<Def>) -> Forward<'w> {
        let outer = work.code.builder.begin(def.next_var);
        let res = Forward { work, outer, def: def.clone(), tangents: BTreeMap::new() };
        def.size_params.iter().for_each(|it| res.work.code.builder.declare(*it, Type::Int));
        res.work.code.declare(&def.params);
        res.work.code.declare(&def.results);
        res.work.code.declare_block(&def.body);
        res
    }
}

impl Forward<'_> {
    /// The end of the definition: the first variable that it does not use, and where they come from.
    fn end(self) -> (u32, Spans) {
        let (next_var, mut spans) = self.work.code.builder.end(self.outer);
        for (var, span) in &self.def.spans.0 {
            spans.0.entry(*var).or_insert(*span);
        }
        (next_var, spans)
    }

    /// D[let x = t in s]: values and tangents in order. The block is left open.
    fn opened(&mut self, block: &Block) {
        self.work.code.builder.open();
        for stmt in &block.stmts {
            let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
            let outer = self.work.code.builder.set_span(span);
            self.stmt(stmt);
            self.work.code.builder.set_span(outer);
        }
    }

    fn keep(&mut self, stmt: &Stmt) {
        self.work.code.builder.push(stmt.clone());
    }

    /// The figure.
    fn stmt(&mut self, stmt: &Stmt) {
        if !walk::free_vars_op(&stmt.op).into_iter().any(|it| self.is_moving(it)) {
            return self.keep(stmt);
        }
        match &stmt.op {
            // x'
            Op::Copy(atom) | Op::Derive(DeriveOp::Checkpoint { value: atom, .. }) => {
                self.moved(stmt, atom, |_, dx| dx);
            }

            Op::Derive(DeriveOp::Tell { saying: Saying::Value, text, value, .. }) => {
                let text = text.clone();
                self.moved(stmt, value, move |code, dx| code.traced(Saying::Tangent, &text, dx));
            }
            Op::Derive(DeriveOp::Tell { value, .. }) => self.moved(stmt, value, |_, dx| dx),

            // D[op(x1, ..)]' = Dop(x1, ..; x1', ..)
            Op::Prim(Prim::Select, args) if self.selects() => self.select(stmt, args),
            Op::Prim(prim, args) => self.prim(stmt, *prim, args),

            // D[(x1, x2)]' = (x1', x2')
            Op::Tuple { parts, .. } => self.tuple(stmt, parts),
            // D[x.i]' = x'.i
            Op::Proj { tuple, index } => self.proj(stmt, tuple, *index),

            // D[K x]' = K.d x'
            Op::Con { con, args, .. } => self.con(stmt, con, args),
            Op::Control(op) => self.control(stmt, op),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args);
            }
            Op::Array(op) => self.array_op(stmt, op),

            // A direction that was checked against a value: it is still the direction.
            Op::Derive(DeriveOp::Pair { tangent: x, .. } | DeriveOp::Tangent { value: x, .. }) => {
                self.moved(stmt, x, |_, dx| dx);
            }

            // What is discrete, and where derivatives are cut off: 0.
            Op::Size(_) | Op::Equal(..) | Op::Close(..) => self.keep(stmt),
            Op::Derive(DeriveOp::StopGradient(_)) => self.keep(stmt),

            Op::Function(FunctionOp::Lambda(_) | FunctionOp::Apply(..)) | Op::Delta(_) => {
                panic!("compiler bug: not of first order: {}", stmt.op)
            }
            Op::Derive(
                DeriveOp::Lift { .. }
                | DeriveOp::Primal { .. }
                | DeriveOp::OfFunction { .. }
                | DeriveOp::OfDefinition { .. },
            ) => panic!("compiler bug: an operator is left: {}", stmt.op),
        }
    }

    fn control(&mut self, stmt: &Stmt, op: &ControlOp) {
        match op {
            ControlOp::Match { value, arms, otherwise } => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }
            ControlOp::If { cond, then, otherwise } => self.if_(stmt, cond, then, otherwise),
            ControlOp::Build { sizes, indices, body } => self.build(stmt, sizes, indices, body),
            ControlOp::Fold { inits, arrays, step } => {
                self.fold(&stmt.binders, inits, arrays, step);
            }
            ControlOp::Scan { inits, arrays, step } => self.scan(stmt, inits, arrays, step),
            ControlOp::Iterate { count, index, inits, state, body } => {
                self.iterate(stmt, (count, *index), (inits, state), body);
            }
            ControlOp::While { inits, state, cond, body } => {
                self.while_(stmt, (inits, state), cond, body);
            }
        }
    }

    /// Whether (co)tangents are selected where values are. A set has all that the result may be of: the
    /// pattern of a Jacobian is that of the branches taken, and here none is.
    fn selects(&self) -> bool {
        self.work.code.domain == Domain::Reals
    }

    fn is_moving(&self, var: Var) -> bool {
        self.tangents.range((var, 0)..=(var, usize::MAX)).next().is_some()
    }

    fn has_tangent(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.is_moving(it))
    }

    fn leaves_of(&mut self, atom: &Atom) -> Vec<Type> {
        let ty = self.work.code.type_of(atom);
        self.work.code.leaves(&ty)
    }

    fn tangent(&self, atom: &Atom, leaf: usize) -> Option<Atom> {
        self.tangents.get(&(var_of(atom)?, leaf)).cloned()
    }

    fn tangent_or_zeros(&mut self, atom: &Atom, leaf: usize) -> Atom {
        if let Some(tangent) = self.tangent(atom, leaf) {
            return tangent;
        }
        let ty = self.leaves_of(atom).swap_remove(leaf);
        self.work.code.zeros(&ty)
    }

    /// The tangents of all leaves of an operand, under the sizes of these types.
    fn tangents_as(&mut self, atom: &Atom, types: &[Type]) -> Vec<Atom> {
        let mut res = Vec::new();
        for (leaf, ty) in types.iter().enumerate() {
            let tangent = match self.tangent(atom, leaf) {
                Some(tangent) => self.work.code.fit(tangent, ty),
                None => self.work.code.zeros(ty),
            };
            res.push(tangent);
        }
        res
    }

    /// Says what the tangent of a leaf is.
    fn set(&mut self, binder: &Binder, leaf: usize, tangent: Atom) {
        let ty = self.work.code.leaves(&binder.ty).swap_remove(leaf);
        let tangent = self.work.code.fit(tangent, &ty);
        self.tangents.insert((binder.var, leaf), tangent);
    }

    fn set_all(&mut self, binder: &Binder, tangents: impl IntoIterator<Item = Atom>) {
        for (leaf, tangent) in tangents.into_iter().enumerate() {
            self.set(binder, leaf, tangent);
        }
    }

    /// A statement that only moves what its operand has: the tangents move along.
    fn moved(&mut self, stmt: &Stmt, operand: &Atom, along: impl Fn(&mut Code, Atom) -> Atom) {
        self.keep(stmt);
        let n_leaves = self.work.code.leaves(&stmt.binders[0].ty).len();
        for leaf in 0..n_leaves {
            if let Some(tangent) = self.tangent(operand, leaf) {
                let tangent = along(&mut self.work.code, tangent);
                self.set(&stmt.binders[0], leaf, tangent);
            }
        }
    }
}
