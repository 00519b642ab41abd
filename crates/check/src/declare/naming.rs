//! What the declarations of a module are called in the program.

use std::collections::BTreeSet;

use base::Name;
use syntax::ast;

use super::raw::{con_idents, raw_decls};
use crate::sight::in_program;
use crate::types::hidden_name;

/// From the names that a module declares to those of the program.
pub(crate) struct Naming<'m> {
    label: Option<&'m str>,
    hidden_types: BTreeSet<Name>,
    hidden_cons: BTreeSet<Name>,
}

impl<'m> Naming<'m> {
    /// With the label of the module, if it has one.
    pub(crate) fn of_module(label: Option<&'m str>) -> Naming<'m> {
        Naming { label, hidden_types: BTreeSet::new(), hidden_cons: BTreeSet::new() }
    }

    /// The names of the prelude: what the program declares too is called otherwise.
    pub(crate) fn of_prelude(program: &ast::Module) -> Naming<'static> {
        let hidden = raw_decls(program);
        Naming {
            label: None,
            hidden_types: hidden.iter().map(|it| it.name.name.clone()).collect(),
            hidden_cons: hidden
                .iter()
                .flat_map(|it| con_idents(it.item))
                .map(|it| it.name.clone())
                .collect(),
        }
    }

    pub(super) fn ty(&self, name: &Name) -> Name {
        self.named(name, &self.hidden_types)
    }

    pub(super) fn con(&self, name: &Name) -> Name {
        self.named(name, &self.hidden_cons)
    }

    fn named(&self, name: &Name, hidden: &BTreeSet<Name>) -> Name {
        match hidden.contains(name) {
            true => hidden_name(name),
            false => in_program(name, self.label),
        }
    }
}
