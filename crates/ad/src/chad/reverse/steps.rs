//! What a loop keeps of each step for the pull-back of that step.

use std::collections::BTreeMap;

use ir::{Atom, Binder, Block, ControlOp, Op, Type, Var, walk};

use super::Reverse;
use crate::linear::steps::{Kept, Sources};

impl Reverse<'_> {
    /// The body, which also gives what is kept, and the variables of that, which the loop will bind.
    pub(super) fn with_kept(&mut self, body: Block, kept: &Kept) -> (Block, Vec<Var>) {
        let before = body.results.len();
        let body = self.work.code.with_kept(body, kept);
        let n_kept = body.results.len() - before;
        (body, (0..n_kept).map(|_| self.work.code.fresh(Type::unit()).var).collect())
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
