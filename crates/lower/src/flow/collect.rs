//! What loops collect: one row of an array for every step.
//!
//! If the number of steps is known, there is room for all rows before the loop. If not, there is room
//! for some, and twice as much whenever that is full; what was outgrown stays in the arena, which is
//! less than what is there in the end.

use ir::{Binder, Type};
use loops::{Atom, How, Node, Phi, Place, Scalar, State, Term, Value, Var};

use super::memory::holds_boxes;
use crate::context::{Known, scalar_of};
use crate::tuning::FIRST_ROWS;

/// An array of rows.
pub(super) struct Rows {
    pub(super) array: Var,
    /// The type of a row.
    ty: Type,
    /// How many scalars a row is.
    stride: Atom,
}

/// Rows for which there may have to be more room: before a loop, in a step.
pub(super) struct Growing {
    /// The array before the loop.
    first: Var,
    /// Its name at the beginning of a step.
    var: Var,
    /// With room for one more row.
    pub(super) rows: Rows,
}

impl Known<'_, '_> {
    /// Room for all rows of an array of this type, where it is meant to be.
    pub(super) fn rows(&mut self, ty: &Type, asked: Option<Var>) -> Rows {
        let array = asked.filter(|_| !holds_boxes(ty)).unwrap_or_else(|| self.room(ty));
        self.rows_in(array, ty)
    }

    /// Room for all rows and for one more.
    pub(super) fn rows_and_one(&mut self, ty: &Type) -> Rows {
        let Type::Array(size, row) = ty else { panic!("compiler bug: {ty:?} has no rows") };
        let more = Type::array(size.add(&ir::Size::constant(1)), (**row).clone());
        let array = self.room(&more);
        self.rows_in(array, ty)
    }

    fn rows_in(&mut self, array: Var, ty: &Type) -> Rows {
        let Type::Array(_, row) = ty else { panic!("compiler bug: {ty:?} has no rows") };
        let stride = self.count(&row.split_arrays().0);
        Rows { array, ty: (**row).clone(), stride }
    }

    /// Where a row will be, if it is an array.
    pub(super) fn row_wanted(&mut self, rows: &Rows, at: Atom) -> Option<Var> {
        let Type::Array(..) = rows.ty else { return None };
        let part = self.fresh_array(scalar_of(&rows.ty));
        let value = Value::Part { array: rows.array, at: rows.place(at) };
        self.emit(Node::Let { var: part, value });
        Some(part)
    }

    /// Puts a row there; `wanted` is where it will be if it is an array.
    pub(super) fn put_row(&mut self, rows: &Rows, at: Atom, row: Atom, wanted: Option<Var>) {
        match wanted {
            Some(into) => self.put(row, into, &rows.ty),
            None => self.store(rows.array, rows.place(at), row, How::Set),
        }
    }

    /// Room for some rows, before a loop.
    pub(super) fn growing(&mut self, binder: &Binder) -> Growing {
        let scalar = scalar_of(&binder.ty);
        let (first, var) = (self.fresh_array(scalar), self.fresh_array(scalar));
        let array = self.fresh_array(scalar);
        self.check_fits(&binder.ty.split_arrays().0[1..]);
        let rows = self.rows_in(array, &binder.ty);
        let len = self.mul(Atom::Int(FIRST_ROWS), rows.stride);
        self.emit(Node::Alloc { array: first, len, lanes: None });
        Growing { first, var, rows }
    }

    /// At the beginning of a step: room for row number `n`. Gives for how many there is room then.
    pub(super) fn grow(&mut self, all: &[Growing], n: Atom, room: Atom) -> Atom {
        let is_full = self.prim(Scalar::Bool, ir::Prim::Eq, &[n, room]);
        let (then, (more, longer)) = self.within(|it| {
            let more = it.mul(Atom::Int(2), room);
            let longer: Vec<Var> = all.iter().map(|growing| it.longer(growing, n, more)).collect();
            (more, longer)
        });
        let new_room = self.fresh(Scalar::Int);
        let mut results = vec![Phi { var: new_room, then: more, otherwise: room }];
        for (growing, longer) in all.iter().zip(longer) {
            let (then, otherwise) = (Atom::Var(longer), Atom::Var(growing.var));
            results.push(Phi { var: growing.rows.array, then, otherwise });
        }
        self.emit(Node::If { cond: is_full, then, otherwise: Vec::new(), results });
        Atom::Var(new_room)
    }

    fn longer(&mut self, growing: &Growing, n: Atom, room: Atom) -> Var {
        let array = self.fresh_array(scalar_of(&growing.rows.ty));
        let len = self.mul(room, growing.rows.stride);
        self.emit(Node::Alloc { array, len, lanes: None });
        let used = self.mul(n, growing.rows.stride);
        self.copy(growing.var, array, used);
        array
    }

    /// The parts of the state of a loop that say where the rows are; the array after the loop becomes
    /// the binder.
    pub(super) fn grown(&mut self, growing: &Growing, binder: &Binder) -> State {
        let last = self.declare(binder);
        let (init, next) = (Atom::Var(growing.first), Atom::Var(growing.rows.array));
        State { var: growing.var, init, next, last }
    }
}

/// For how many rows there is room before a loop.
pub(super) fn first_room() -> Atom {
    Atom::Int(FIRST_ROWS)
}

impl Rows {
    /// The row at a position.
    pub(super) fn part(&self, at: Atom) -> Value {
        Value::Part { array: self.array, at: self.place(at) }
    }

    fn place(&self, at: Atom) -> Place {
        vec![Term { index: at, stride: self.stride }]
    }
}
