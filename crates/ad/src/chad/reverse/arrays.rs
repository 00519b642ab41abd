//! Array operations: the pull-back of one that is linear is its transpose.

use ir::{ArrayOp, Atom, Dependence, Lambda, Op, Stmt, Type};

use super::environment::Leaf;
use super::{Pull, Reverse};
use crate::linear::arrays::transposed;

impl Reverse<'_> {
    pub(super) fn array_op(&mut self, stmt: &Stmt, op: &ArrayOp) -> Option<Pull> {
        match op.dependence() {
            Dependence::Moves(operands) | Dependence::Adds(operands) => {
                self.linear(stmt, op, &operands)
            }
            Dependence::Product { axis, array } => self.product(stmt, axis, array),
            Dependence::Extremum { reduction, axis, array } => {
                self.extremum(stmt, reduction, axis, array)
            }
            Dependence::Sorts(array) => self.sort(stmt, array),
            Dependence::Filters { array, predicate } => self.filter(stmt, array, predicate),
            Dependence::Discrete(_) => self.constant(stmt),
        }
    }

    fn linear(&mut self, stmt: &Stmt, op: &ArrayOp, operands: &[&Atom]) -> Option<Pull> {
        self.keep(stmt);
        if !operands.iter().any(|it| self.is_active(it)) {
            return None;
        }
        let op = op.clone();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            transposed(&mut Leaf(it, leaf), &op, v).expect("a linear operation");
        })
    }

    /// By the inverse permutation: each is added where it came from.
    fn sort(&mut self, stmt: &Stmt, array: &Atom) -> Option<Pull> {
        self.keep(stmt);
        if *stmt.binders[0].ty.split_arrays().1 != Type::Real {
            return None;
        }
        let at = self.work.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
        self.scattered(stmt, 0, array, at)
    }

    /// The positions are filtered, and what is there is read.
    fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Lambda) -> Option<Pull> {
        if !self.is_active(array) {
            return self.constant(stmt);
        }
        let at = self.work.code.filtered(&stmt.binders, array, predicate);
        self.scattered(stmt, 1, array, at)
    }

    /// The pull-back of what was read at these positions.
    fn scattered(&mut self, stmt: &Stmt, result: usize, array: &Atom, at: Atom) -> Option<Pull> {
        let array = array.clone();
        self.each_leaf(&stmt.binders[result], move |it, leaf, v| {
            let at = at.clone();
            it.update(&array, leaf, |code, sum| code.added_at(sum, &[at], v, None));
        })
    }
}
