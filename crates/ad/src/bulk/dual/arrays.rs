//! Array operations.

use std::sync::Arc;

use ir::{ArrayOp, Atom, DeltaOp, Dependence, Lambda, Op, Prim, Reduction, Stmt, Term};

use super::{Dual, Rules};
use crate::linear::arrays::on_tangents;

/// The rules of method `bulk`: a Delta for each statement.
pub(crate) struct Deltas;

impl Rules for Deltas {
    fn prim(&self, dual: &mut Dual<'_>, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        match prim == Prim::Select {
            true => dual.select(stmt, args),
            false => dual.prim(stmt, prim, args),
        }
    }

    fn array(&self, dual: &mut Dual<'_>, stmt: &Stmt, op: &ArrayOp) {
        match op.dependence() {
            Dependence::Moves(operands) | Dependence::Adds(operands) => {
                dual.linear_op(stmt, op, &operands);
            }
            Dependence::Product { axis, array } => dual.product(stmt, axis, array),
            Dependence::Extremum { reduction, axis, array } => {
                dual.extremum(stmt, reduction, axis, array);
            }
            Dependence::Sorts(array) => dual.sort(stmt, array),
            Dependence::Filters { array, predicate } => dual.filter(stmt, array, predicate),
            Dependence::Discrete(_) => dual.keep(stmt),
        }
    }
}

impl Dual<'_> {
    /// Figure 14: a linear operation is its own derivative.
    fn linear_op(&mut self, stmt: &Stmt, op: &ArrayOp, operands: &[&Atom]) {
        self.keep(stmt);
        if operands.iter().all(|it| self.delta(it).is_none()) {
            return;
        }
        let Some(ty) = self.work.code.tangent(&stmt.binders[0].ty) else { return };
        let deltas: Vec<Atom> = operands.iter().map(|it| self.delta_or_zeros(it)).collect();
        let delta = self.linear_one(on_tangents(op, operands, &deltas, &ty));
        self.set(&stmt.binders[0], delta);
    }

    /// The Deltas go where their elements go.
    pub(super) fn sort(&mut self, stmt: &Stmt, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let at = self.work.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
        let delta = self.linear_one(Op::Array(ArrayOp::Gather {
            array: delta,
            indices: vec![at],
            mask: None,
        }));
        self.set(&stmt.binders[0], delta);
    }

    /// The positions are filtered, and what is there is gathered.
    fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Arc<Lambda>) {
        let indices = vec![self.work.code.filtered(&stmt.binders, array, predicate)];
        let Some(delta) = self.delta(array) else { return };
        let gather = ArrayOp::Gather { array: delta, indices, mask: None };
        let delta = self.linear_one(Op::Array(gather));
        self.set(&stmt.binders[1], delta);
    }

    fn product(&mut self, stmt: &Stmt, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let factor = self.work.code.product_factors(axis, array);
        let delta = self.linear_one(Op::Delta(DeltaOp::Combine(vec![Term { factor, delta }])));
        let sum = ArrayOp::Reduce { reduction: Reduction::Sum, axis, array: delta };
        let delta = self.linear_one(Op::Array(sum));
        self.set(&stmt.binders[0], delta);
    }

    /// The Delta is that of the first greatest (least) element; zero if there is none.
    fn extremum(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let (indices, some) = self.work.code.extremum_at(reduction, axis, array);
        let op = ArrayOp::Gather { array: delta, indices, mask: Some(some) };
        let delta = self.linear_one(Op::Array(op));
        self.set(&stmt.binders[0], delta);
    }
}
