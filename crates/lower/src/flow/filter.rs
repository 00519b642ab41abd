//! The elements of an array that satisfy a predicate.

use ir::{Lambda, Prim, Stmt};
use loops::{Atom, Kind, Loop, Node, Scalar, State};

use super::memory::{Frees, scoped};
use crate::context::{Lower, Operand};

impl<'a> Lower<'a, '_> {
    /// How many there are, and those, at the beginning of memory that has room for all.
    pub(super) fn filter(&mut self, stmt: &'a Stmt, array: &ir::Atom, predicate: &'a Lambda) {
        let [n_kept, kept] = stmt.binders.as_slice() else {
            panic!("compiler bug: a filter has two results");
        };
        let view = self.view(array);
        let count = self.size(&view.sizes[0]);
        let ty = self.type_of(array);
        let rows = self.rows(&ty, None);
        let (index, n) = (self.fresh(Scalar::Int), self.fresh(Scalar::Int));
        let (body, next) = self.repeated(&[], |it| {
            let param = &predicate.params[0];
            it.define_elem(param, &view, Atom::Var(index));
            let keep = it.block(&predicate.body, &[None])[0];
            let (then, ()) = it.within(|it| {
                let wanted = it.row_wanted(&rows, Atom::Var(n));
                let row = match it.operand(&ir::Atom::Var(param.var)) {
                    Operand::Scalar(atom) => atom,
                    Operand::Array(view) => Atom::Var(it.contiguous(&view)),
                };
                it.put_row(&rows, Atom::Var(n), row, wanted);
            });
            let (otherwise, results) = Default::default();
            it.emit(Node::If { cond: keep, then, otherwise, results });
            let one = it.prim(Scalar::Int, Prim::Select, &[keep, Atom::Int(1), Atom::Int(0)]);
            it.prim(Scalar::Int, Prim::Add, &[Atom::Var(n), one])
        });
        let body = scoped(body, Frees::Each);
        let last = self.declare(n_kept);
        let state = vec![State { var: n, init: Atom::Int(0), next, last }];
        let (kind, accs) = (Kind::Seq, Vec::new());
        self.emit(Node::Loop(Box::new(Loop { var: index, count, kind, state, accs, body })));
        self.define_var(kept, rows.array);
    }
}
