//! What goes back, behind what goes there: a match on what is kept is done where that is made.

use ir::walk::{self, Rewrite};
use ir::{Arm, Atom, Binder, Block, ControlOp, Op, Size, Stmt};

use super::merged::without_unused;
use super::{Merger, type_of};
use crate::inline::{Place, Values, value};

impl Merger<'_> {
    /// A block that gives something kept as one of its results, and behind it one that goes back over that;
    /// `values` are what variables of the second are. Its results are those of the first but what is kept,
    /// then those of the second.
    pub(super) fn weave(
        &mut self,
        mut forth: Block,
        kept: usize,
        back: &Block,
        mut values: Values,
    ) -> Option<Block> {
        let Some((choice, on, arms)) = only_match(back) else {
            return self.one_behind_the_other(forth, kept, back, values);
        };
        let Atom::Var(saved) = Place(&values).atom(on) else { return None };
        let is_bound = |it: &Stmt| it.binders.iter().position(|it| it.var == saved);
        let (at, which) =
            forth.stmts.iter().enumerate().find_map(|it| Some((it.0, is_bound(it.1)?)))?;
        let stmt = &forth.stmts[at];
        if let Op::Con { con, args, .. } = &stmt.op {
            let arm = arms.iter().find(|it| it.con == *con)?;
            for (field, arg) in arm.fields.iter().zip(args) {
                values.insert(field.var, value(field.var, arg));
            }
            return self.weave(forth, kept, &arm.body, values);
        }
        let Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }) = &stmt.op else {
            return None;
        };
        let Atom::Var(on) = on else { return None };
        let mut fails = false;
        let op = walk::map_blocks(&stmt.op, &mut |_, side| {
            let mut values = values.clone();
            values.insert(*on, value(*on, &side.results[which]));
            let made = self.weave(side.clone(), which, back, values);
            fails |= made.is_none();
            made.unwrap_or_else(|| side.clone())
        });
        if fails {
            return None;
        }
        let mut binders = stmt.binders.clone();
        binders.remove(which);
        for binder in &choice.binders {
            let ty = type_of(&binder.ty, &values);
            let var = self.fresh(binder.var);
            forth.results.push(Atom::Var(var));
            binders.push(Binder { var, ty });
        }
        forth.results.remove(kept);
        forth.stmts[at] = Stmt { binders, op };
        Some(without_unused(forth))
    }

    /// Where nothing is chosen any more.
    fn one_behind_the_other(
        &mut self,
        mut forth: Block,
        kept: usize,
        back: &Block,
        mut values: Values,
    ) -> Option<Block> {
        for var in walk::bound_vars(back) {
            let fresh = self.fresh(var);
            values.insert(var, (Atom::Var(fresh), Size::var(fresh)));
        }
        let back = walk::rewrite_block(back, &mut Place(&values));
        forth.results.remove(kept);
        forth.stmts.extend(back.stmts);
        forth.results.extend(back.results);
        let block = self.merged(without_unused(forth));
        Some(without_unused(block))
    }
}

/// If all that a block does is a match without a rest: the statement, on what, and its arms.
fn only_match(block: &Block) -> Option<(&Stmt, &Atom, &[Arm])> {
    let [stmt] = block.stmts.as_slice() else { return None };
    let Op::Control(ControlOp::Match { value, arms, otherwise: None }) = &stmt.op else {
        return None;
    };
    let is_all = stmt.binders.len() == block.results.len()
        && stmt.binders.iter().zip(&block.results).all(|it| Atom::Var(it.0.var) == *it.1);
    is_all.then_some((stmt, value, arms.as_slice()))
}
