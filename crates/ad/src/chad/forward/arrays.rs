//! Array operations: what is moved takes its tangent along.

use ir::{ArrayOp, Atom, Dependence, Lambda, Op, Reduction, Stmt};

use super::Forward;
use crate::linear::arrays::on_tangents;

impl Forward<'_> {
    pub(super) fn array_op(&mut self, stmt: &Stmt, op: &ArrayOp) {
        match op.dependence() {
            Dependence::Moves(operands) | Dependence::Adds(operands) => {
                self.linear(stmt, op, &operands);
            }
            Dependence::Product { axis, array } => self.moved(stmt, array, |code, tangent| {
                let array = code.scaled(|code| code.product_factors(axis, array), tangent);
                code.one(Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }))
            }),
            Dependence::Extremum { reduction, axis, array } => {
                self.moved(stmt, array, |code, tangent| {
                    let (indices, some) = code.extremum_at(reduction, axis, array);
                    let (array, mask) = (tangent, Some(some));
                    code.one(Op::Array(ArrayOp::Gather { array, indices, mask }))
                });
            }
            Dependence::Sorts(array) => self.sort(stmt, array),
            Dependence::Filters { array, predicate } => self.filter(stmt, array, predicate),
            Dependence::Discrete(_) => self.keep(stmt),
        }
    }

    /// The same operation on the tangents.
    fn linear(&mut self, stmt: &Stmt, op: &ArrayOp, operands: &[&Atom]) {
        self.keep(stmt);
        for (leaf, ty) in self.work.code.leaves(&stmt.binders[0].ty).into_iter().enumerate() {
            if operands.iter().all(|it| self.tangent(it, leaf).is_none()) {
                continue;
            }
            let tangents: Vec<Atom> =
                operands.iter().map(|it| self.tangent_or_zeros(it, leaf)).collect();
            let tangent = self.work.code.one(on_tangents(op, operands, &tangents, &ty));
            self.set(&stmt.binders[0], leaf, tangent);
        }
    }

    fn sort(&mut self, stmt: &Stmt, array: &Atom) {
        self.moved(stmt, array, |code, tangent| {
            let at = code.one(Op::Array(ArrayOp::Argsort(array.clone())));
            let (array, indices) = (tangent, vec![at]);
            code.one(Op::Array(ArrayOp::Gather { array, indices, mask: None }))
        });
    }

    /// The positions are filtered, and what is there is read.
    fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Lambda) {
        if !self.has_tangent(array) {
            return self.keep(stmt);
        }
        let at = self.work.code.filtered(&stmt.binders, array, predicate);
        for leaf in 0..self.leaves_of(array).len() {
            let Some(array) = self.tangent(array, leaf) else { continue };
            let indices = vec![at.clone()];
            let op = ArrayOp::Gather { array, indices, mask: None };
            let tangent = self.work.code.one(Op::Array(op));
            self.set(&stmt.binders[1], leaf, tangent);
        }
    }
}
