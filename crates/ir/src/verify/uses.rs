//! Which variables an operation binds, and which occur in it, as operands or in sizes.

use std::collections::BTreeSet;

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
    pub(super) atoms: BTreeSet<Var>,
    pub(super) sizes: BTreeSet<Var>,
    pub(super) bound: BTreeSet<Var>,
}

impl Visit<'_> for Uses {
    fn binder(&mut self, var: Var) {
        self.bound.insert(var);
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.atoms.insert(*var);
        }
    }

    fn size(&mut self, size: &Size) {
        self.sizes.extend(size.vars());
    }
}
