//! Array operations: what is moved takes its tangent along.

use ir::{ArrayOp, Atom, Lambda, Op, Prim, Reduction, Stmt, Type, walk};

use super::Forward;

impl Forward<'_> {
    pub(super) fn array_op(&mut self, stmt: &Stmt, op: &ArrayOp) {
        match op {
            ArrayOp::Literal { parts, .. } => self.array(stmt, parts),
            ArrayOp::Index { array: x, .. }
            | ArrayOp::Gather { array: x, .. }
            | ArrayOp::Slice { array: x, .. }
            | ArrayOp::Replicate { value: x, .. }
            | ArrayOp::Transpose { array: x, .. }
            | ArrayOp::Reshape { array: x, .. }
            | ArrayOp::Reverse(x)
            | ArrayOp::Sized { array: x, .. } => self.same(stmt, x),
            ArrayOp::Scatter { into, indices, values, mask } => {
                self.scatter(stmt, into, (indices, mask.as_ref()), values);
            }
            ArrayOp::Concat(arrays) => self.concat(stmt, arrays),
            ArrayOp::Reduce { reduction, axis, array } => {
                self.reduce(stmt, *reduction, *axis, array);
            }
            ArrayOp::Sort(array) => self.sort(stmt, array),
            ArrayOp::Filter { array, predicate } => self.filter(stmt, array, predicate),
            ArrayOp::Iota(_) | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Argsort(_) => {
                self.keep(stmt)
            }
        }
    }

    /// The same operation on the tangent.
    fn same(&mut self, stmt: &Stmt, operand: &Atom) {
        struct Put<'a>(&'a Atom, Atom);
        impl walk::Rewrite for Put<'_> {
            fn atom(&mut self, atom: &Atom) -> Atom {
                if atom == self.0 { self.1.clone() } else { atom.clone() }
            }
        }
        self.moved(stmt, operand, |code, tangent| {
            code.one(walk::rewrite_op(&stmt.op, &mut Put(operand, tangent)))
        });
    }

    fn array(&mut self, stmt: &Stmt, parts: &[Atom]) {
        self.keep(stmt);
        for (leaf, ty) in self.work.code.leaves(&stmt.binders[0].ty).into_iter().enumerate() {
            let Type::Array(_, elem) = ty else { panic!("compiler bug: an array") };
            let parts = parts.iter().map(|it| self.tangent_or_zeros(it, leaf)).collect();
            let elem = (*elem).clone();
            let tangent = self.work.code.one(Op::Array(ArrayOp::Literal { elem, parts }));
            self.set(&stmt.binders[0], leaf, tangent);
        }
    }

    fn scatter(
        &mut self,
        stmt: &Stmt,
        into: &Atom,
        (indices, mask): (&[Atom], Option<&Atom>),
        values: &Atom,
    ) {
        self.keep(stmt);
        for leaf in 0..self.work.code.leaves(&stmt.binders[0].ty).len() {
            let mut tangent = self.tangent_or_zeros(into, leaf);
            if let Some(values) = self.tangent(values, leaf) {
                let (into, indices, mask) = (tangent, indices.to_vec(), mask.cloned());
                let op = ArrayOp::Scatter { into, indices, values, mask };
                tangent = self.work.code.one(Op::Array(op));
            }
            self.set(&stmt.binders[0], leaf, tangent);
        }
    }

    fn concat(&mut self, stmt: &Stmt, arrays: &[Atom]) {
        self.keep(stmt);
        for leaf in 0..self.work.code.leaves(&stmt.binders[0].ty).len() {
            let parts = arrays.iter().map(|it| self.tangent_or_zeros(it, leaf)).collect();
            let tangent = self.work.code.one(Op::Array(ArrayOp::Concat(parts)));
            self.set(&stmt.binders[0], leaf, tangent);
        }
    }

    fn reduce(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        let sum = |array| Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array });
        match reduction {
            Reduction::Sum => self.same(stmt, array),
            Reduction::Product => self.moved(stmt, array, |code, tangent| {
                let others = code.product_factors(axis, array);
                let terms = code.prim(Prim::Scale, vec![others, tangent]);
                code.one(sum(terms))
            }),
            Reduction::Maximum | Reduction::Minimum => {
                self.moved(stmt, array, |code, tangent| {
                    let (indices, some) = code.extremum_at(reduction, axis, array);
                    let (array, mask) = (tangent, Some(some));
                    code.one(Op::Array(ArrayOp::Gather { array, indices, mask }))
                });
            }
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
