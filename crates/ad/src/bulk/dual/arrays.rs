//! Array operations.

use std::sync::Arc;

use ir::{ArrayOp, Atom, DeltaOp, Lambda, Op, Prim, Reduction, Stmt, Term, Type, walk};

use super::{Dual, Rules};

/// The rules of method `bulk`: a Delta for each statement.
pub(crate) struct Deltas;

impl Rules for Deltas {
    fn prim(&self, dual: &mut Dual<'_>, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        match prim == Prim::Select {
            true => dual.select(stmt, args),
            false => dual.prim(stmt, prim, args),
        }
    }

    /// One arm per constructor, in the order of `term.rs`.
    fn array(&self, dual: &mut Dual<'_>, stmt: &Stmt, op: &ArrayOp) {
        match op {
            ArrayOp::Literal { elem, parts } => dual.array(stmt, elem, parts),
            ArrayOp::Reduce { reduction, axis, array } => {
                dual.reduce(stmt, *reduction, *axis, array);
            }
            ArrayOp::Scatter { into, indices, values, mask } => {
                dual.scatter(stmt, into, (indices, mask.as_ref()), values);
            }
            ArrayOp::Concat(arrays) => dual.concat(stmt, arrays),
            ArrayOp::Sort(array) => dual.sort(stmt, array),
            ArrayOp::Filter { array, predicate } => dual.filter(stmt, array, predicate),
            // The same operation on the Delta.
            ArrayOp::Index { array: x, .. } | ArrayOp::Slice { array: x, .. } => dual.same(stmt, x),
            ArrayOp::Gather { array: x, .. } => dual.same(stmt, x),
            ArrayOp::Replicate { value: x, .. } => dual.same(stmt, x),
            ArrayOp::Transpose { array: x, .. } => dual.same(stmt, x),
            ArrayOp::Reshape { array: x, .. } | ArrayOp::Sized { array: x, .. } => {
                dual.same(stmt, x);
            }
            ArrayOp::Reverse(x) => dual.same(stmt, x),
            // What is discrete.
            ArrayOp::Iota(_) | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) => dual.keep(stmt),
            ArrayOp::Argsort(_) => dual.keep(stmt),
        }
    }
}

impl Dual<'_> {
    /// Figure 14: a linear operation is its own derivative.
    pub(super) fn same(&mut self, stmt: &Stmt, operand: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(operand) else { return };
        struct Put<'a>(&'a Atom, Atom);
        impl walk::Rewrite for Put<'_> {
            fn atom(&mut self, atom: &Atom) -> Atom {
                if atom == self.0 { self.1.clone() } else { atom.clone() }
            }
        }
        let op = walk::rewrite_op(&stmt.op, &mut Put(operand, delta));
        let delta = self.linear_one(op);
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn array(&mut self, stmt: &Stmt, elem: &Type, parts: &[Atom]) {
        self.keep(stmt);
        let Some(elem) = self.work.code.tangent(elem) else { return };
        let parts = parts.iter().map(|it| self.delta_or_zeros(it)).collect();
        let delta = self.linear_one(Op::Array(ArrayOp::Literal { elem, parts }));
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn concat(&mut self, stmt: &Stmt, arrays: &[Atom]) {
        self.keep(stmt);
        let arrays = arrays.iter().map(|it| self.delta_or_zeros(it)).collect();
        let delta = self.linear_one(Op::Array(ArrayOp::Concat(arrays)));
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn scatter(
        &mut self,
        stmt: &Stmt,
        into: &Atom,
        (indices, mask): (&[Atom], Option<&Atom>),
        values: &Atom,
    ) {
        self.keep(stmt);
        let (into, values) = (self.delta_or_zeros(into), self.delta_or_zeros(values));
        let (indices, mask) = (indices.to_vec(), mask.cloned());
        let delta = self.linear_one(Op::Array(ArrayOp::Scatter { into, indices, values, mask }));
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
    pub(super) fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Arc<Lambda>) {
        let at = self.work.code.filtered(stmt, array, predicate);
        let kept = &stmt.binders[1];
        let Some(delta) = self.delta(array) else { return };
        let op = ArrayOp::Gather { array: delta, indices: vec![at], mask: None };
        let delta = self.linear_one(Op::Array(op));
        self.set(kept, delta);
    }

    pub(super) fn reduce(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        match reduction {
            Reduction::Sum => self.same(stmt, array),
            Reduction::Product => self.product(stmt, axis, array),
            Reduction::Maximum | Reduction::Minimum => {
                self.extremum(stmt, reduction, axis, array);
            }
        }
    }

    /// The factor of each element is the product of those before and those after it, which is right
    /// also where elements are zero: `scale` makes it zero then, whatever the others are.
    fn product(&mut self, stmt: &Stmt, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let factor = self.work.code.products_of_others(axis, array);
        let delta = self.linear_one(Op::Delta(DeltaOp::Combine(vec![Term { factor, delta }])));
        let delta = self.linear_one(Op::Array(ArrayOp::Reduce {
            reduction: Reduction::Sum,
            axis,
            array: delta,
        }));
        self.set(&stmt.binders[0], delta);
    }

    /// The Delta is that of the first greatest (least) element; zero if there is none.
    fn extremum(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let (indices, some) = self.work.code.extremum(reduction, axis, array);
        let op = Op::Array(ArrayOp::Gather { array: delta, indices, mask: Some(some) });
        let delta = self.linear_one(op);
        self.set(&stmt.binders[0], delta);
    }
}
