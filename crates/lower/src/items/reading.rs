//! Statements on their way to items, on top of what is known: names of what is not there yet.
//!
//! Nothing is written here but scalars that are known before all items, and noted with them (`early`). What else has
//! to be written before is told as data (`items/before.rs`).

use std::ops::{Deref, DerefMut};

use ir::{FunctionOp, Op};
use loops::Atom;

use super::{Ahead, Early, Items, item_of};
use crate::context::{Known, Operand};
use crate::handed::Handed;
use crate::view::{Source, View};

/// What statements of a block have become, to which more are added.
pub(crate) struct Reading<'s, 'a, 'w> {
    pub(crate) known: &'s mut Known<'a, 'w>,
    pub(crate) items: &'s mut Items<'a>,
    /// What statements of the block do with arrays.
    pub(crate) ahead: &'s Ahead,
    /// What definitions change in place.
    pub(crate) handed: &'s Handed,
}

impl<'a, 'w> Deref for Reading<'_, 'a, 'w> {
    type Target = Known<'a, 'w>;
    fn deref(&self) -> &Known<'a, 'w> {
        self.known
    }
}

impl DerefMut for Reading<'_, '_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.known
    }
}

impl Reading<'_, '_, '_> {
    /// An operand as a view, without axes if it is a scalar.
    pub(crate) fn arg(&mut self, atom: &ir::Atom) -> View {
        let waiting = match atom {
            ir::Atom::Var(var) => self.items.names.get(var),
            ir::Atom::Real(_) | ir::Atom::Int(_) | ir::Atom::Bool(_) | ir::Atom::Str(_) => None,
        };
        if let Some(view) = waiting {
            return view.clone();
        }
        match self.operand(atom) {
            Operand::Scalar(it) => View::same(it, &self.type_of(atom)),
            Operand::Array(view) => view,
        }
    }

    /// A scalar that is computed before all items.
    pub(super) fn early(&mut self, early: Early) -> Option<Atom> {
        self.known.write_before((Vec::new(), Some(early)), &mut self.items.before)
    }

    /// What a variable of the ir has become or will be, if it is defined.
    pub(super) fn meaning(&self, var: ir::Var) -> Option<Operand> {
        let waiting = self.items.names.get(&var).map(|it| Operand::Array(it.clone()));
        waiting.or_else(|| self.known.meaning(var))
    }

    /// A variable of the ir has become this, or will be.
    pub(super) fn define(&mut self, binder: &ir::Binder, operand: Operand) {
        match operand {
            Operand::Array(view) if item_of(&view).is_some() => {
                self.types.insert(binder.var, binder.ty.clone());
                self.items.names.insert(binder.var, view);
            }
            Operand::Array(_) | Operand::Scalar(_) => self.known.define(binder, operand),
        }
    }

    /// Whether an array is read at most once from a moment on, under whatever name.
    pub(super) fn is_last_read(&self, source: &Source, from: usize) -> bool {
        let names = self.items.names.iter().filter(|it| it.1.source == *source);
        let waiting: usize = names.map(|it| self.uses.left(*it.0, from)).sum();
        self.known.left(source, from) + waiting <= 1
    }

    /// Whether a call changes arrays of the caller.
    pub(super) fn hands_over(&self, op: &Op) -> bool {
        let Op::Function(FunctionOp::Call { def, .. }) = op else { return false };
        self.handed.contains_key(def)
    }
}
