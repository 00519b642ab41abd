//! The states of a loop, one after the other. The array of them is where they are: the state of a step
//! is the row that the step before it stored.

use ir::Stmt;
use loops::{Atom, Kind, Loop, Node, Scalar, State, Var};

use super::collect::Rows;
use super::memory::{Frees, holds_boxes, scoped};
use crate::context::Lower;

impl<'a> Lower<'a, '_> {
    /// Goes through arrays and gives the states.
    pub(super) fn scan(
        &mut self,
        stmt: &'a Stmt,
        inits: &[ir::Atom],
        arrays: &[ir::Atom],
        step: &'a ir::Loop,
    ) {
        let (count, views) = self.loop_arrays(arrays);
        let inits: Vec<Atom> = inits.iter().map(|it| self.atom(it)).collect();
        let state: Vec<Var> = step.state.iter().map(|it| self.declare(it)).collect();
        let rows: Vec<Rows> = stmt.binders.iter().map(|it| self.rows(&it.ty, None)).collect();
        let index = self.fresh(Scalar::Int);
        let at = Atom::Var(index);
        let (body, next) = self.repeated(&[], |it| {
            for (binder, view) in step.elems.iter().zip(&views) {
                it.define_elem(binder, view, at);
            }
            let wanted: Vec<Option<Var>> = rows.iter().map(|row| it.row_wanted(row, at)).collect();
            let mut next = it.block(&step.body, &wanted);
            for ((rows, next), wanted) in rows.iter().zip(&mut next).zip(wanted) {
                it.put_row(rows, at, *next, wanted);
                *next = wanted.map_or(*next, Atom::Var);
            }
            next
        });
        let boxes = step.state.iter().any(|it| holds_boxes(&it.ty));
        let body = scoped(body, if boxes { Frees::Later } else { Frees::Each });
        let parts = state.iter().zip(inits).zip(next);
        let parts = parts.map(|((var, init), next)| State {
            var: *var,
            init,
            next,
            last: self.alike(*var),
        });
        let state: Vec<State> = parts.collect();
        for (binder, rows) in stmt.binders.iter().zip(&rows) {
            self.define_var(binder, rows.array);
        }
        let (kind, accs) = (Kind::Seq, Vec::new());
        self.emit(Node::Loop(Box::new(Loop { var: index, count, kind, state, accs, body })));
    }
}
