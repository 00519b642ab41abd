//! What has blocks inside, over lanes: branches of which all directions take the same, and loops that have
//! as many tangents beside their state as there are directions.

use ir::{Atom, Binder, Block, ControlOp, Loop, Op, Size, Stmt, Type, Var, walk};

use super::Lanes;

/// Initial values, state and body of a loop, and which results of the body are over lanes.
pub(super) type Steps = (Vec<Atom>, Vec<Binder>, Block, Vec<bool>);

/// Initial values, arrays and step of a loop over arrays, and which results are over lanes.
pub(super) type Fold = (Vec<Atom>, Vec<Atom>, Loop, Vec<bool>);

impl Lanes<'_> {
    /// Blocks of which one runs: which results are over lanes, and the blocks.
    pub(super) fn branches(
        &mut self,
        stmt: &Stmt,
        blocks: &[(&[Binder], &Block)],
    ) -> Option<(Vec<bool>, Vec<Block>)> {
        let mut done = Vec::new();
        for (fields, block) in blocks {
            self.declare(fields, &vec![false; fields.len()]);
            self.work.code.builder.open();
            let given = self.block(block);
            let made = self.work.code.builder.close(Vec::new());
            done.push((made, given?));
        }
        let on = |at: usize| done.iter().any(|it| self.is_over(&it.1[at]));
        let on: Vec<bool> = (0..stmt.binders.len()).map(on).collect();
        let mut res = Vec::new();
        for (made, given) in done {
            self.work.code.builder.reopen(made);
            let given = self.as_wanted(given, |at| on[at])?;
            res.push(self.work.code.builder.close(given));
        }
        Some((on, res))
    }

    pub(super) fn build(
        &mut self,
        stmt: &Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) -> Option<()> {
        indices.iter().for_each(|it| self.work.code.builder.declare(*it, Type::Int));
        self.work.code.builder.open();
        let given = self.block(body);
        let body = self.work.code.builder.close(given.clone().unwrap_or_default());
        let on: Vec<bool> = given?.iter().map(|it| self.is_over(it)).collect();
        let op = ControlOp::Build { sizes: sizes.to_vec(), indices: indices.to_vec(), body };
        self.bind_collected(&stmt.binders, &on, 0, sizes.len(), Op::Control(op));
        Some(())
    }

    /// Initial values, arrays and step of a loop over arrays, which have their own axis in front of the lanes.
    pub(super) fn fold(&mut self, inits: &[Atom], arrays: &[Atom], step: &Loop) -> Option<Fold> {
        let on: Vec<bool> = arrays.iter().map(|it| self.is_over(it)).collect();
        let elems = self.declare(&step.elems, &on);
        let turned = |(it, on): (&Atom, &bool)| match on {
            true => self.work.code.axis_first(1, it.clone()),
            false => it.clone(),
        };
        let arrays = arrays.iter().zip(&on).map(turned).collect();
        let (inits, state, body, on) = self.steps(inits, &step.state, None, &step.body)?;
        Some((inits, arrays, Loop { state, elems, body }, on))
    }

    /// Initial values, state and body of a loop; which results of the body are over lanes.
    pub(super) fn steps(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        cond: Option<&Block>,
        body: &Block,
    ) -> Option<Steps> {
        let mut on: Vec<bool> = inits.iter().map(|it| self.is_over(it)).collect();
        loop {
            let binders = self.declare(state, &on);
            if cond.is_some_and(|it| self.any_over(&walk::free_vars_block(it))) {
                return None;
            }
            self.work.code.builder.open();
            let given = self.block(body);
            let all = given.iter().flatten().map(|it| self.is_over(it));
            let mut all: Vec<bool> = all.collect();
            all.iter_mut().zip(&on).for_each(|(it, on)| *it |= *on);
            let settled = all.iter().zip(&on).all(|it| it.0 == it.1);
            let given = given.and_then(|it| self.as_wanted(it, |at| all[at]));
            let body = self.work.code.builder.close(given.clone().unwrap_or_default());
            given?;
            if settled {
                let inits = self.as_wanted(inits.to_vec(), |at| on[at])?;
                return Some((inits, binders, body, all));
            }
            on = all[..state.len()].to_vec();
        }
    }
}
