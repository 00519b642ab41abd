//! What loops hand on from step to step.
//!
//! Scalars are variables. An array of a fixed size has two buffers: a step reads one, stores its new
//! value into the other, and the two change places. If a step changes the array in place, there is one
//! buffer and nothing is moved: `n` steps that update one element each cost `n`, not `n` times the size.
//! An array whose size is part of the state is wherever the step put it. An array that is collected before
//! every step is in the row of its step, and a step stores the new one into the next row.

use std::collections::BTreeMap;

use ir::{Binder, Type};
use loops::{Atom, State, Var};

use super::collect::Rows;
use super::memory::{Frees, holds_boxes};
use crate::context::Known;

/// The state of a loop, before its steps are written.
pub(super) struct Carried {
    parts: Vec<Part>,
    pub(super) frees: Frees,
}

/// A part of the state.
struct Part {
    /// Its name in a step.
    var: Var,
    /// Its value before the first step; of an array with two buffers, memory of its own.
    init: Atom,
    keeps: Keeps,
}

/// Where a part of the state is.
enum Keeps {
    /// In a variable: a scalar, or a pointer to wherever it is.
    Variable,
    /// In memory of its own; a step may store into this one.
    Buffers { other: Var, ty: Type },
    /// In the row of the step; a step stores into the next one.
    Rows { other: Var, ty: Type, last: Var },
}

/// How a part of the state goes from one step to the next.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Becomes(Atom),
    InPlace,
    Swapped,
    InNextRow,
}

/// The state as its steps leave it.
pub(super) struct Stepped {
    next: Vec<Next>,
}

impl Carried {
    /// Where the step should store the arrays of its new state.
    pub(super) fn wanted(&self) -> Vec<Option<Var>> {
        let buffer = |it: &Part| match it.keeps {
            Keeps::Buffers { other, .. } | Keeps::Rows { other, .. } => Some(other),
            Keeps::Variable => None,
        };
        self.parts.iter().map(buffer).collect()
    }

    /// The arrays that a step may overwrite.
    pub(super) fn own(&self) -> Vec<Var> {
        let own = |it: &Part| matches!(it.keeps, Keeps::Buffers { .. }).then_some(it.var);
        self.parts.iter().filter_map(own).collect()
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }
}

impl Known<'_, '_> {
    /// Takes the initial values and defines the names of the state. `results` is what the loop gives, and
    /// `rows` are those of the parts that are collected before every step, with how many there are.
    pub(super) fn begin_state(
        &mut self,
        state: &[Binder],
        inits: &[ir::Atom],
        results: &[Binder],
        rows: &BTreeMap<usize, (&Rows, Atom)>,
    ) -> Carried {
        let vars: Vec<ir::Var> = state.iter().map(|it| it.var).collect();
        // A box that outlives the step may point to an array of the state: nothing is written over.
        let boxes = results.iter().any(|it| holds_boxes(&it.ty));
        let varies = |ty: &Type| boxes || ty.size_vars().iter().any(|it| vars.contains(it));
        let moment = self.uses.moment(results.first().map(|it| it.var)).start;
        let mut parts = Vec::new();
        let mut frees = Frees::Each;
        for (at, (binder, init)) in state.iter().zip(inits).enumerate() {
            if let Some((rows, count)) = rows.get(&at) {
                let init = self.first_row(rows, init);
                let (other, last) = (self.alike(init), self.alike(init));
                let value = rows.part(*count);
                self.emit(loops::Node::Let { var: last, value });
                let (init, keeps) =
                    (Atom::Var(init), Keeps::Rows { other, ty: binder.ty.clone(), last });
                parts.push(Part { var: self.declare(binder), init, keeps });
                continue;
            }
            let is_array = matches!(binder.ty, Type::Array(..));
            if holds_boxes(&binder.ty) || is_array && varies(&binder.ty) {
                frees = Frees::Later;
            }
            let (init, keeps) = if !is_array {
                (self.scalar(init), Keeps::Variable)
            } else if varies(&binder.ty) {
                let init = self.atom(init);
                self.escape(init);
                (init, Keeps::Variable)
            } else {
                let init = self.own_memory(init, &binder.ty, moment);
                let other = self.alike(init);
                (Atom::Var(init), Keeps::Buffers { other, ty: binder.ty.clone() })
            };
            parts.push(Part { var: self.declare(binder), init, keeps });
        }
        Carried { parts, frees }
    }

    /// An initial value in the first row.
    fn first_row(&mut self, rows: &Rows, init: &ir::Atom) -> Var {
        let view = self.view(init);
        let first = self.alike(rows.array);
        self.emit(loops::Node::Let { var: first, value: rows.part(Atom::Int(0)) });
        self.copy_view(&view, first);
        first
    }

    /// In front of a step: where the parts of the state are that are in rows, and where they go.
    pub(super) fn enter_rows(
        &mut self,
        carried: &Carried,
        rows: &BTreeMap<usize, (&Rows, Atom)>,
        at: Atom,
    ) {
        for (part, (rows, _)) in rows {
            let it = &carried.parts[*part];
            let Keeps::Rows { other, .. } = it.keeps else { continue };
            let var = it.var;
            self.emit(loops::Node::Let { var, value: rows.part(at) });
            let next = self.add(at, Atom::Int(1));
            self.emit(loops::Node::Let { var: other, value: rows.part(next) });
        }
    }

    /// A new variable of the type of another.
    pub(super) fn alike(&mut self, var: Var) -> Var {
        let ty = self.func.ty(var);
        self.func.fresh(ty)
    }

    /// An array in memory that nobody else has: its own if nobody reads it afterwards, else a copy.
    fn own_memory(&mut self, atom: &ir::Atom, ty: &Type, moment: usize) -> Var {
        let view = self.view(atom);
        if let Some(array) = self.owned_memory(&view)
            && self.is_last_read(&view.source, moment)
        {
            return array;
        }
        let array = self.room(ty);
        self.copy_view(&view, array);
        array
    }

    /// Within a step: makes sure that the new state is where the next step looks for it.
    pub(super) fn settle_state(&mut self, carried: &Carried, results: &[Atom]) -> Stepped {
        let mut next = Vec::new();
        for (part, result) in carried.parts.iter().zip(results) {
            next.push(match &part.keeps {
                Keeps::Variable => Next::Becomes(*result),
                Keeps::Buffers { .. } if *result == Atom::Var(part.var) => Next::InPlace,
                Keeps::Rows { other, ty, .. } => {
                    self.put(*result, *other, ty);
                    Next::InNextRow
                }
                Keeps::Buffers { other, ty } => {
                    self.put(*result, *other, ty);
                    Next::Swapped
                }
            });
        }
        Stepped { next }
    }

    /// An array that is in memory somewhere is in this memory too.
    pub(crate) fn put(&mut self, from: Atom, into: Var, ty: &Type) {
        let Atom::Var(from) = from else { panic!("compiler bug: {from:?} is no array") };
        if from != into {
            let len = self.count(&ty.split_arrays().0);
            self.copy(from, into, len);
        }
    }

    /// After the steps are written and before the loop: the state for the loop. Defines the results.
    pub(super) fn end_state(
        &mut self,
        carried: Carried,
        stepped: &Stepped,
        results: &[Binder],
    ) -> Vec<State> {
        let mut state = Vec::new();
        for ((part, next), binder) in carried.parts.into_iter().zip(&stepped.next).zip(results) {
            let Part { var, init, keeps } = part;
            match (next, keeps) {
                (_, Keeps::Rows { last, .. }) => self.define_var(binder, last),
                (Next::Becomes(next), _) => {
                    let last = self.declare(binder);
                    state.push(State { var, init, next: *next, last });
                }
                (Next::InPlace, _) => {
                    let Atom::Var(memory) = init else { continue };
                    self.emit(loops::Node::Let { var, value: loops::Value::Atom(init) });
                    self.define_var(binder, memory);
                }
                (Next::Swapped, Keeps::Buffers { other, ty }) => {
                    let second = Atom::Var(self.room(&ty));
                    let (last, unused) = (self.declare(binder), self.alike(other));
                    let next = Atom::Var(other);
                    state.push(State { var, init, next, last });
                    let (init, next) = (second, Atom::Var(var));
                    state.push(State { var: other, init, next, last: unused });
                    self.owned.insert(last);
                }
                (Next::Swapped | Next::InNextRow, _) => {}
            }
        }
        state
    }
}
