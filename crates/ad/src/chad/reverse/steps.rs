//! What a loop keeps of each step for the pull-back of that step.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Binder, Block, ControlOp, Op, Size, Type, Var, walk};

use super::Reverse;
use crate::linear::saved::Needs;

/// What a step keeps.
pub(super) enum Kept {
    /// Each variable by itself.
    Each(Vec<Var>),
    /// All of them as one value, because their sizes differ from step to step.
    Packed(Needs, Type, Name),
}

/// What the pull-back of a loop goes through: arrays, and their elements in its body.
pub(super) type Sources = Vec<(Atom, Binder)>;

impl Reverse<'_> {
    /// What a pull-back needs of a step; `again` is what it will find by itself.
    pub(super) fn kept(
        &mut self,
        pull: &Block,
        locals: &BTreeSet<Var>,
        again: &BTreeSet<Var>,
    ) -> Kept {
        let free = walk::free_vars_block(pull);
        let needed: Vec<Var> =
            free.intersection(locals).copied().filter(|it| !again.contains(it)).collect();
        let varies = |it: &Var| {
            let sizes = self.work.code.type_of(&Atom::Var(*it)).size_vars();
            sizes.iter().any(|it| locals.contains(it) || again.contains(it))
        };
        if !needed.iter().any(varies) {
            return Kept::Each(needed);
        }
        let needs = self.work.code.needs(pull, locals, &BTreeMap::new());
        let outer = self.work.code.outer_sizes(&[&needs]);
        let name = self.work.code.saved_name(&self.def.name);
        let con = self.work.code.declare_saved(&name, &[&needs], &outer).remove(0);
        let ty = Type::Data(name, Vec::new(), outer.into_iter().map(Size::var).collect());
        Kept::Packed(needs, ty, con)
    }

    /// The body, which also gives what is kept, and the variables of that, which the loop will bind.
    pub(super) fn with_kept(&mut self, mut body: Block, kept: &Kept) -> (Block, Vec<Var>) {
        let before = body.results.len();
        match kept {
            Kept::Each(vars) => body.results.extend(vars.iter().map(|it| Atom::Var(*it))),
            Kept::Packed(needs, ty, con) => {
                let mut results = self.work.code.builder.reopen(body);
                results.push(self.work.code.saved_value(ty, con, needs));
                body = self.work.code.builder.close(results);
            }
        }
        let n_kept = body.results.len() - before;
        (body, (0..n_kept).map(|_| self.work.code.fresh(Type::unit()).var).collect())
    }

    /// Lets a pull-back go through an array, and find its element where it had another variable.
    pub(super) fn source(
        &mut self,
        sources: &mut Sources,
        names: &mut BTreeMap<Var, Atom>,
        array: Atom,
        elem: &Binder,
    ) {
        let again = self.work.code.fresh(elem.ty.clone());
        names.insert(elem.var, Atom::Var(again.var));
        sources.push((array, again));
    }

    /// The pull-back of a step as the body of a loop over what was kept.
    pub(super) fn unpacked(
        &mut self,
        pull: &Block,
        kept: &Kept,
        arrays: &[Atom],
        sources: &mut Sources,
        names: &mut BTreeMap<Var, Atom>,
    ) -> Block {
        match kept {
            Kept::Each(vars) => {
                for (array, var) in arrays.iter().zip(vars) {
                    let ty = self.work.code.type_of(&Atom::Var(*var));
                    self.source(sources, names, array.clone(), &Binder { var: *var, ty });
                }
                walk::substitute_block(pull, names)
            }
            Kept::Packed(needs, ty, con) => {
                let saved = self.work.code.fresh(ty.clone());
                sources.push((arrays[0].clone(), saved.clone()));
                // What is saved first: an index that sizes mention is among it.
                let mut arm = self.work.code.saved_arm(ty, con, needs, pull.clone());
                arm.body = walk::substitute_block(&arm.body, names);
                let value = Atom::Var(saved.var);
                self.work.code.builder.open();
                let results = self.work.code.emit(Op::Control(ControlOp::Match {
                    value,
                    arms: vec![arm],
                    otherwise: None,
                }));
                self.work.code.builder.close(results)
            }
        }
    }
}
