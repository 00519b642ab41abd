//! Which variables are in scope.

use crate::term::Var;
use crate::var_map::VarMap;

/// The variables in scope, in the order in which they came: a block is left without copying what was around it.
#[derive(Default)]
pub(super) struct Scope {
    known: VarMap<()>,
    entered: Vec<Var>,
}

impl Scope {
    pub(super) fn len(&self) -> usize {
        self.entered.len()
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.known.contains(var)
    }

    pub(super) fn enter(&mut self, var: Var) {
        self.known.insert(var, ());
        self.entered.push(var);
    }

    /// Forgets all but the first so many.
    pub(super) fn leave(&mut self, n_left: usize) {
        for var in self.entered.drain(n_left..) {
            self.known.remove(var);
        }
    }
}
