//! Loops that hand a state on: over arrays, counted, and as long as a condition holds.

use std::collections::BTreeMap;

use ir::{Binder, Block, Prim, Stmt, Type};
use loops::{Atom, Kind, Loop, Node, Scalar, State, Var, While};

use super::collect::{Growing, Rows, first_room};
use super::memory::{Frees, holds_boxes, scoped};
use super::state::{Carried, Stepped};
use crate::context::{Lower, Operand};
use crate::view::View;

/// Initial values and names of a state.
type Start<'s> = (&'s [ir::Atom], &'s [Binder]);

/// The parts of a counted loop besides its state.
struct Counted<'s> {
    count: Atom,
    index: Var,
    /// Arrays whose elements a step sees.
    elems: Vec<(&'s Binder, View)>,
}

impl<'a> Lower<'a, '_> {
    /// Goes through arrays.
    pub(super) fn fold(
        &mut self,
        stmt: &'a Stmt,
        asked: &[Option<Var>],
        inits: &'a [ir::Atom],
        (arrays, step): (&[ir::Atom], &'a ir::Loop),
    ) {
        let (count, views) = self.loop_arrays(arrays);
        let index = self.fresh(Scalar::Int);
        let counted = Counted { count, index, elems: step.elems.iter().zip(views).collect() };
        self.counted((stmt, asked), &counted, (inits, &step.state), &step.body);
    }

    /// A number of times.
    pub(super) fn iterate(
        &mut self,
        stmt: &'a Stmt,
        asked: &[Option<Var>],
        (count, index): (&ir::Atom, ir::Var),
        start: Start<'a>,
        body: &'a Block,
    ) {
        let count = self.scalar(count);
        let index = self.declare(&Binder { var: index, ty: Type::Int });
        self.counted((stmt, asked), &Counted { count, index, elems: Vec::new() }, start, body);
    }

    fn counted(
        &mut self,
        (stmt, asked): (&'a Stmt, &[Option<Var>]),
        counted: &Counted<'a>,
        (inits, state): Start<'a>,
        body: &'a Block,
    ) {
        let (last, collected) = stmt.binders.split_at(state.len());
        let asked = asked.get(state.len()..).unwrap_or_default();
        let in_rows = in_rows(state, &stmt.binders, asked, body);
        let mut rows: Vec<Rows> = Vec::new();
        for (at, binder) in collected.iter().enumerate() {
            let asked = asked.get(at).copied().flatten();
            rows.push(match in_rows.values().any(|it| *it == at) {
                true => self.rows_and_one(&binder.ty),
                false => self.rows(&binder.ty, asked),
            });
        }
        let own = in_rows.iter().map(|(part, at)| (*part, (&rows[*at], counted.count)));
        let own: BTreeMap<usize, (&Rows, Atom)> = own.collect();
        let carried = self.begin_state(state, inits, &stmt.binders, &own);
        let index = Atom::Var(counted.index);
        let (step, stepped) = self.repeated(&carried.own(), |it| {
            it.enter_rows(&carried, &own, index);
            for (binder, view) in &counted.elems {
                it.define_elem(binder, view, index);
            }
            let there: Vec<usize> = in_rows.values().copied().collect();
            it.step(&carried, (&rows.iter().collect::<Vec<_>>(), &there), index, body)
        });
        let body = scoped(step, frees(&carried, collected));
        let state = self.end_state(carried, &stepped, last);
        for (binder, rows) in collected.iter().zip(&rows) {
            self.define_var(binder, rows.array);
        }
        let (var, count, accs) = (counted.index, counted.count, Vec::new());
        self.emit(Node::Loop(Box::new(Loop { var, count, kind: Kind::Seq, state, accs, body })));
    }

    /// The size of the arrays that a loop goes through, and what they have become.
    pub(super) fn loop_arrays(&mut self, arrays: &[ir::Atom]) -> (Atom, Vec<View>) {
        let views: Vec<View> = arrays.iter().map(|it| self.view(it)).collect();
        let count = views.first().map_or(Atom::Int(0), |it| self.size(&it.sizes[0]));
        (count, views)
    }

    /// The name of an element, or of a row, which is not moved.
    pub(super) fn define_elem(&mut self, binder: &Binder, view: &View, index: Atom) {
        let operand = match binder.ty {
            Type::Array(..) => Operand::Array(view.row(&[index])),
            Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Data(..)
            | Type::Dual(_) => Operand::Scalar(self.element(view, &[index])),
            Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_) => {
                panic!("compiler bug: {:?} is no type of first order", binder.ty)
            }
        };
        self.define(binder, operand);
    }

    /// One step: the body, its new state where it belongs, and what is collected, at a position.
    /// Rows that are parts of the state are there.
    fn step(
        &mut self,
        carried: &Carried,
        (rows, there): (&[&Rows], &[usize]),
        at: Atom,
        body: &'a Block,
    ) -> Stepped {
        let mut wanted = carried.wanted();
        for (number, rows) in rows.iter().enumerate() {
            let is_there = there.contains(&number);
            wanted.push(if is_there { None } else { self.row_wanted(rows, at) });
        }
        let results = self.block(body, &wanted);
        let (next, more) = results.split_at(carried.len());
        let all = rows.iter().zip(more).zip(&wanted[carried.len()..]).enumerate();
        for (_, ((rows, row), wanted)) in all.filter(|it| !there.contains(&it.0)) {
            self.put_row(rows, at, *row, *wanted);
        }
        self.settle_state(carried, next)
    }

    /// As long as a condition holds.
    pub(super) fn while_op(
        &mut self,
        stmt: &'a Stmt,
        (inits, state): Start<'a>,
        cond: &'a Block,
        body: &'a Block,
    ) {
        let carried = self.begin_state(state, inits, &stmt.binders, &BTreeMap::new());
        let (last, more) = stmt.binders.split_at(carried.len());
        let (n_steps, collected) = more.split_first().unzip();
        let collected = collected.unwrap_or_default();
        let growing: Vec<Growing> = collected.iter().map(|it| self.growing(it)).collect();
        let (n, room) = (self.fresh(Scalar::Int), self.fresh(Scalar::Int));
        let (before, holds) = self.repeated(&[], |it| it.block(cond, &[None]));
        let before = scoped(before, Frees::Each);
        let (grow, new_room) = self.repeated(&[], |it| match growing.is_empty() {
            true => Atom::Var(room),
            false => it.grow(&growing, Atom::Var(n), Atom::Var(room)),
        });
        let rows: Vec<&Rows> = growing.iter().map(|it| &it.rows).collect();
        let (step, (stepped, next_n)) = self.repeated(&carried.own(), |it| {
            let stepped = it.step(&carried, (&rows, &[]), Atom::Var(n), body);
            let next_n = match n_steps {
                Some(_) => it.prim(Scalar::Int, Prim::Add, &[Atom::Var(n), Atom::Int(1)]),
                None => Atom::Var(n),
            };
            (stepped, next_n)
        });
        let mut body = grow;
        body.extend(scoped(step, frees(&carried, collected)));
        let mut state = self.end_state(carried, &stepped, last);
        if let Some(binder) = n_steps {
            let last = self.declare(binder);
            state.push(State { var: n, init: Atom::Int(0), next: next_n, last });
            let last = self.fresh(Scalar::Int);
            state.push(State { var: room, init: first_room(), next: new_room, last });
        }
        for (binder, growing) in collected.iter().zip(&growing) {
            let part = self.grown(growing, binder);
            state.push(part);
        }
        self.emit(Node::While(Box::new(While { state, before, cond: holds[0], body })));
    }
}

/// The parts of a state that a step collects as they were before it, with where among what is collected:
/// arrays of a fixed size, if nobody has asked for them elsewhere.
fn in_rows(
    state: &[Binder],
    results: &[Binder],
    asked: &[Option<Var>],
    body: &Block,
) -> BTreeMap<usize, usize> {
    let mut res = BTreeMap::new();
    let varies = |ty: &Type| ty.size_vars().iter().any(|it| state.iter().any(|by| by.var == *it));
    if results.iter().any(|it| holds_boxes(&it.ty)) {
        return res;
    }
    let collected = body.results.iter().skip(state.len()).enumerate();
    for (at, result) in collected.filter(|it| asked.get(it.0).is_none_or(Option::is_none)) {
        let part = state.iter().position(|it| *result == ir::Atom::Var(it.var));
        let Some(part) = part else { continue };
        let ty = &state[part].ty;
        if matches!(ty, Type::Array(..)) && !varies(ty) {
            res.entry(part).or_insert(at);
        }
    }
    res
}

/// When the memory of a step is given back: what is collected may point to it too.
fn frees(carried: &Carried, collected: &[Binder]) -> Frees {
    match collected.iter().any(|it| holds_boxes(&it.ty)) {
        true => Frees::Later,
        false => carried.frees,
    }
}
