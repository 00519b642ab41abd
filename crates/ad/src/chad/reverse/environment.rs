//! The cotangent of the environment: sums that are accumulated, absent where they are zero.
//!
//! The paper's `D2[Γ]` is a tuple, and its plus adds two of them. As only the sum of all contributions
//! counts, they are added one by one to the place that they are for: cost 1 for each, and 0 for what is
//! absent. A block inside of a statement is handed the sums of what it mentions, and gives them back.

use std::collections::BTreeSet;

use ir::{Atom, Binder, Block, Stmt, Type, Var, walk};

use super::{Part, Pull, Reverse, Slot};
use crate::linear::arrays::Cotangents;
use crate::linear::code::{Code, var_of};

/// A sum that a block is handed, and by what name.
#[derive(Clone)]
pub(super) struct Sum {
    pub(super) slot: Slot,
    pub(super) given: Binder,
}

impl Reverse<'_> {
    /// Says that a variable depends on the input, if anything of its type can.
    pub(super) fn activate(&mut self, binder: &Binder) -> bool {
        let smooth = !self.work.code.leaves(&binder.ty).is_empty();
        if smooth {
            self.active.insert(binder.var);
        }
        smooth
    }

    pub(super) fn leaves_of(&mut self, atom: &Atom) -> Vec<Type> {
        let ty = self.work.code.type_of(atom);
        self.work.code.leaves(&ty)
    }

    /// The cotangent of a variable that no later statement adds to, leaf by leaf.
    pub(super) fn take(&mut self, var: Var) -> Vec<Option<Atom>> {
        self.settle(var);
        let n_leaves = self.leaves_of(&Atom::Var(var)).len();
        (0..n_leaves).map(|leaf| self.sums.remove(&(var, leaf))).collect()
    }

    /// What [`Self::take`] gives, with zeros for leaves that have no cotangent; none if no leaf has one.
    pub(super) fn take_all(&mut self, var: Var) -> Option<Vec<Atom>> {
        let found = self.take(var);
        if found.iter().all(Option::is_none) {
            return None;
        }
        let types = self.leaves_of(&Atom::Var(var));
        let or_zeros = found.into_iter().zip(types);
        Some(or_zeros.map(|(it, ty)| it.unwrap_or_else(|| self.work.code.zeros(&ty))).collect())
    }

    pub(super) fn take_or_zeros(&mut self, var: Var) -> Vec<Atom> {
        if let Some(found) = self.take_all(var) {
            return found;
        }
        let types = self.leaves_of(&Atom::Var(var));
        types.iter().map(|it| self.work.code.zeros(it)).collect()
    }

    /// `at_x v`: adds to a leaf of the cotangent of an operand.
    pub(super) fn contribute(&mut self, to: &Atom, leaf: usize, value: Atom) {
        if !self.is_active(to) {
            return;
        }
        let ty = self.leaves_of(to).swap_remove(leaf);
        let value = self.work.code.fit(value, &ty);
        let slot = (var_of(to).expect("what is active is a variable"), leaf);
        self.settle(slot.0);
        let sum = match self.sums.remove(&slot) {
            None => value,
            Some(sum) => self.work.code.add(sum, value),
        };
        self.sums.insert(slot, sum);
    }

    pub(super) fn contribute_all(&mut self, to: &Atom, values: Vec<Atom>) {
        for (leaf, value) in values.into_iter().enumerate() {
            self.contribute(to, leaf, value);
        }
    }

    /// Changes a leaf of the cotangent of an operand in place.
    pub(super) fn update(
        &mut self,
        to: &Atom,
        leaf: usize,
        change: impl FnOnce(&mut Code, Atom) -> Atom,
    ) {
        if !self.is_active(to) {
            return;
        }
        let slot = (var_of(to).expect("what is active is a variable"), leaf);
        let sum = self.sum_or_zeros(slot);
        let sum = change(&mut self.work.code, sum);
        self.sums.insert(slot, sum);
    }

    pub(super) fn sum_or_zeros(&mut self, slot: Slot) -> Atom {
        self.settle(slot.0);
        match self.sums.remove(&slot) {
            Some(sum) => sum,
            None => {
                let ty = self.leaves_of(&Atom::Var(slot.0)).swap_remove(slot.1);
                self.work.code.zeros(&ty)
            }
        }
    }

    /// The pull-back of a statement with one active result, for each of its leaves that has a cotangent.
    pub(super) fn each_leaf(
        &mut self,
        binder: &Binder,
        pull: impl Fn(&mut Reverse<'_>, usize, Atom) + 'static,
    ) -> Option<Pull> {
        if !self.activate(binder) {
            return None;
        }
        let var = binder.var;
        Some(Box::new(move |it: &mut Reverse<'_>| {
            for (leaf, v) in it.take(var).into_iter().enumerate() {
                if let Some(v) = v {
                    pull(it, leaf, v);
                }
            }
        }))
    }

    /// A statement that only moves what its operand has: the pull-back moves it back.
    pub(super) fn moved(
        &mut self,
        stmt: &Stmt,
        operand: &Atom,
        back: impl Fn(&mut Code, Atom) -> Atom + 'static,
    ) -> Option<Pull> {
        self.keep(stmt);
        if !self.is_active(operand) {
            return None;
        }
        let operand = operand.clone();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let v = back(&mut it.work.code, v);
            it.contribute(&operand, leaf, v);
        })
    }

    /// The sums of what blocks mention of outside, where `bound` is theirs.
    pub(super) fn captured(&mut self, blocks: &[&Block], bound: &BTreeSet<Var>) -> Vec<Sum> {
        let mut vars = BTreeSet::new();
        for block in blocks {
            vars.extend(walk::free_vars_block(block));
        }
        let vars: Vec<Var> = vars.intersection(&self.active).copied().collect();
        let mut res = Vec::new();
        let vars: BTreeSet<Var> = vars.into_iter().filter(|it| !bound.contains(it)).collect();
        // What is a field of another one of them has its sum in that.
        let is_within = |it: &Var| self.fields.is_within(*it, &vars);
        let vars: Vec<Var> = vars.iter().copied().filter(|it| !is_within(it)).collect();
        for var in vars {
            for (leaf, ty) in self.leaves_of(&Atom::Var(var)).into_iter().enumerate() {
                res.push(Sum { slot: (var, leaf), given: self.work.code.fresh(ty) });
            }
        }
        res
    }

    /// The pull-back of a block as a block: from cotangents of its results and sums that it is handed
    /// to what `more` takes out of the environment, and the sums.
    pub(super) fn pulled(
        &mut self,
        part: Part,
        cotangents: Vec<Vec<Atom>>,
        sums: &[Sum],
        more: impl FnOnce(&mut Reverse<'_>) -> Vec<Atom>,
    ) -> (Block, Block) {
        let before = (std::mem::take(&mut self.sums), std::mem::take(&mut self.fields.apart));
        self.sums.extend(sums.iter().map(|it| (it.slot, Atom::Var(it.given.var))));
        self.work.code.builder.open();
        for (result, cotangent) in part.values.results.iter().zip(cotangents) {
            self.contribute_all(result, cotangent);
        }
        part.pulls.into_iter().rev().for_each(|pull| pull(self));
        let mut given = more(self);
        given.extend(sums.iter().map(|it| self.sum_or_zeros(it.slot)));
        let block = self.work.code.builder.close(given);
        (self.sums, self.fields.apart) = before;
        (part.values, crate::linear::term::prune(block))
    }
}

/// One leaf of the cotangents.
pub(super) struct Leaf<'a, 'w>(pub(super) &'a mut Reverse<'w>, pub(super) usize);

impl Cotangents for Leaf<'_, '_> {
    fn code(&mut self) -> &mut Code {
        &mut self.0.work.code
    }

    fn is_active(&self, operand: &Atom) -> bool {
        self.0.is_active(operand)
    }

    fn contribute(&mut self, to: &Atom, value: Atom) {
        self.0.contribute(to, self.1, value);
    }

    fn update(&mut self, to: &Atom, change: impl FnOnce(&mut Code, Atom) -> Atom) {
        self.0.update(to, self.1, change);
    }
}

/// Leaves out the sums that no block changed; gives the others, with the blocks that give only those.
/// The sums are the last results.
pub(super) fn changed(sums: Vec<Sum>, blocks: &mut [Block]) -> Vec<Sum> {
    let n_more = |block: &Block| block.results.len() - sums.len();
    let is_changed = |at: usize| {
        let given = Atom::Var(sums[at].given.var);
        blocks.iter().any(|it| it.results[n_more(it) + at] != given)
    };
    let on: Vec<bool> = (0..sums.len()).map(is_changed).collect();
    for block in blocks.iter_mut() {
        let n_more = n_more(block);
        let mut at = 0..;
        block.results.retain(|_| {
            let at = at.next().expect("numbers do not end");
            at < n_more || on[at - n_more]
        });
    }
    let mut on = on.into_iter();
    let mut sums = sums;
    sums.retain(|_| on.next().unwrap_or(false));
    sums
}
