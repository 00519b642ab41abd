//! Which variables an operation binds, and which occur in it, as operands or in sizes.

use crate::size::Size;
use crate::term::{Atom, Var};
use crate::walk::Visit;

/// All binders, in order.
pub(super) struct Binders(pub(super) Vec<Var>);

impl Visit<'_> for Binders {
    fn binder(&mut self, var: Var) {
        self.0.push(var);
    }
}

/// What occurs in operands, what in sizes, and what is bound inside.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) atoms: Vec<Var>,
    pub(super) sizes: Vec<Var>,
    pub(super) bound: Vec<Var>,
}

impl Visit<'_> for Uses {
    fn binder(&mut self, var: Var) {
        self.bound.push(var);
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.atoms.push(*var);
        }
    }

    fn size(&mut self, size: &Size) {
        self.sizes.extend(size.vars());
    }
}
