//! What a loop keeps of each step for the linear part of that step: a Delta term, or a pull-back.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Binder, Block, Size, Type, Var, walk};

use super::code::Code;
use super::saved::Needs;

/// What a step keeps.
pub(crate) enum Kept {
    /// Each variable by itself.
    Each(Vec<Var>),
    /// All of them as one value, because their sizes differ from step to step, or because they came
    /// through many loops (`chad/reverse/steps.rs`).
    Packed(Needs, Type, Name),
}

/// What the linear part of a loop goes through: arrays, and their elements in its body.
pub(crate) type Sources = Vec<(Atom, Binder)>;

impl Code {
    /// What the linear part of a step of a definition needs of it; `again` is what it will find by itself.
    pub(crate) fn kept(
        &mut self,
        def: &Name,
        linear: &Block,
        locals: &BTreeSet<Var>,
        again: &BTreeSet<Var>,
    ) -> Kept {
        let free = walk::free_vars_block(linear);
        let needed: Vec<Var> =
            free.intersection(locals).copied().filter(|it| !again.contains(it)).collect();
        let varies = |it: &Var| {
            let sizes = self.type_of(&Atom::Var(*it)).size_vars();
            sizes.iter().any(|it| locals.contains(it) || again.contains(it))
        };
        if !needed.iter().any(varies) {
            return Kept::Each(needed);
        }
        self.packed(def, linear, locals)
    }

    /// What the linear part of a step needs of it, as one value, whatever the sizes.
    pub(crate) fn packed(&mut self, def: &Name, linear: &Block, locals: &BTreeSet<Var>) -> Kept {
        let needs = self.needs(linear, locals, &BTreeMap::new());
        let outer = self.outer_sizes(&[&needs]);
        let name = self.saved_name(def);
        let con = self.declare_saved(&name, &[&needs], &outer).remove(0);
        let ty = Type::Data(name, Vec::new(), outer.into_iter().map(Size::var).collect());
        Kept::Packed(needs, ty, con)
    }

    /// The body, which also gives what is kept.
    pub(crate) fn with_kept(&mut self, mut body: Block, kept: &Kept) -> Block {
        match kept {
            Kept::Each(vars) => {
                body.results.extend(vars.iter().map(|it| Atom::Var(*it)));
                body
            }
            Kept::Packed(needs, ty, con) => {
                let mut results = self.builder.reopen(body);
                results.push(self.saved_value(ty, con, needs));
                self.builder.close(results)
            }
        }
    }

    /// Lets the linear part go through an array, and find its element where it had another variable.
    pub(crate) fn source(
        &mut self,
        sources: &mut Sources,
        names: &mut BTreeMap<Var, Atom>,
        array: Atom,
        elem: &Binder,
    ) {
        let again = self.fresh(elem.ty.clone());
        names.insert(elem.var, Atom::Var(again.var));
        sources.push((array, again));
    }
}
