//! What a loop keeps of each step for the pull-back of that step.
//!
//! A step with a loop in it keeps what that loop kept. Handed up one by one, what the innermost loop of a
//! nest keeps is a result of every loop around it, and the derivative has a line for each pair of levels.
//! The closure of the paper's pull-back is one value whatever is in it, and so Corollary 7.2 holds. Here
//! what came up through [`FLAT_LOOPS`] loops is put into one value, and counts as new: a level has at most
//! so many results for each variable that a step needs. Arrays of numbers are faster than values of sum
//! types, so nests that people write are left flat.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Atom, Binder, Block, ControlOp, Op, Type, Var, walk};

use super::Reverse;
use crate::linear::saved::locals;
use crate::linear::steps::{Kept, Sources};
use crate::tuning::FLAT_LOOPS;

impl Reverse<'_> {
    /// What the pull-back of a step needs of it; `bound` is what the loop binds for the step, and `again`
    /// what the pull-back will find by itself. It shows elements of what is kept in another order by itself.
    pub(super) fn kept(
        &mut self,
        body: &Block,
        bound: &[Binder],
        pull: &mut Block,
        again: &BTreeSet<Var>,
    ) -> Kept {
        let locals = locals(body, bound);
        *pull = self.work.code.with_views(body, pull.clone(), &locals);
        let is_deep = |it: &Var| self.came_through.get(it).is_some_and(|n| *n >= FLAT_LOOPS);
        match self.work.code.kept(&self.def.name, pull, &locals, again) {
            Kept::Each(vars) if vars.iter().any(is_deep) => {
                self.work.code.packed(&self.def.name, pull, &locals)
            }
            kept @ (Kept::Each(_) | Kept::Packed(..)) => kept,
        }
    }

    /// The body, which also gives what is kept, and the variables of that, which the loop will bind.
    pub(super) fn with_kept(&mut self, body: Block, kept: &Kept) -> (Block, Vec<Var>) {
        let before = body.results.len();
        let body = self.work.code.with_kept(body, kept);
        let n_kept = body.results.len() - before;
        let saved: Vec<Var> = (0..n_kept).map(|_| self.work.code.fresh(Type::unit()).var).collect();
        for (at, var) in saved.iter().enumerate() {
            let before = match kept {
                Kept::Each(vars) => self.came_through.get(&vars[at]).copied().unwrap_or(0),
                Kept::Packed(..) => 0,
            };
            self.came_through.insert(*var, before + 1);
        }
        (body, saved)
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
                    self.work.code.source(sources, names, array.clone(), &Binder { var: *var, ty });
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
