//! Primitives: their Deltas are combinations of those of the operands.

use ir::{ArrayOp, Atom, DeltaOp, Op, Partial, Prim, Stmt, Term, Type, partial, partials};

use super::Dual;
use crate::linear::code::real;

impl Dual<'_> {
    /// Figure 15: `Share id (Add (Scale x2 d1) (Scale x1 d2))`, with factors from the one table.
    pub(super) fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        self.keep(stmt);
        let result = Atom::Var(stmt.binders[0].var);
        let ty = stmt.binders[0].ty.clone();
        if !self.work.code.gives_reals(prim, &ty) {
            return;
        }
        let on: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
        let wanted = |at: usize| on[at] && !partial::is_zero(prim, at);
        let partials = partials(&mut self.work.code.builder, prim, args, &result, &wanted);
        let sizes = ty.split_arrays().0;
        let mut terms = Vec::new();
        for (partial, arg) in partials.into_iter().zip(args) {
            let factor = match partial {
                Partial::Zero => continue,
                Partial::One => real(1.0),
                Partial::MinusOne => real(-1.0),
                Partial::Times(factor) => factor,
            };
            let Some(delta) = self.delta(arg) else { continue };
            let delta = self.widened(delta, &sizes);
            terms.push(Term { factor, delta });
        }
        if !terms.is_empty() {
            let delta = self.linear_one(Op::Delta(DeltaOp::Combine(terms)));
            self.set(&stmt.binders[0], delta);
        }
    }

    /// The Delta of a scalar as that of every element of an array.
    pub(super) fn widened(&mut self, delta: Atom, sizes: &[ir::Size]) -> Atom {
        if !self.work.code.sizes_of(&delta).is_empty() {
            return delta;
        }
        let more = |value, size: &ir::Size| {
            self.linear_one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
        };
        sizes.iter().rev().fold(delta, more)
    }

    /// Linear in what it selects from. No mask becomes a factor, so nothing is multiplied by zero.
    pub(super) fn select(&mut self, stmt: &Stmt, args: &[Atom]) {
        self.keep(stmt);
        if *stmt.binders[0].ty.split_arrays().1 != Type::Real {
            return;
        }
        let sizes = stmt.binders[0].ty.split_arrays().0;
        let mut parts = vec![args[0].clone()];
        for arg in &args[1..] {
            let delta = self.delta_or_zeros(arg);
            parts.push(delta);
        }
        if parts.iter().all(|it| self.work.code.sizes_of(it).is_empty()) && !sizes.is_empty() {
            parts[1] = self.widened(parts[1].clone(), &sizes);
        }
        let delta = self.linear_one(Op::Prim(Prim::Select, parts));
        self.set(&stmt.binders[0], delta);
    }
}
