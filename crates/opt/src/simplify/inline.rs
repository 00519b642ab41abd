//! Definitions that are called from one place are written there: the program gets no larger, and what
//! is saved for later, or starts as zero, is seen where it is used.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::walk;
use ir::{Atom, Op, Program, Size, Stmt};

use super::forward::Forward;
use crate::inline::{Place, Values, count, keeps_its_promise, passes_sums, value};

/// The definitions with one call, that are no entries and are not differentiated, and whose results
/// have the types they promise by name, none of them the size of another.
pub(super) fn called_once(program: &Program, entries: &[Name]) -> BTreeSet<Name> {
    let mut counts: BTreeMap<Name, usize> = BTreeMap::new();
    program.defs.values().for_each(|it| count(&it.body, &mut counts));
    let fits = |name: &Name| program.defs.get(name).is_some_and(|it| keeps_its_promise(it));
    let once = counts.into_iter().filter(|(name, n)| *n == 1 && !entries.contains(name));
    // A cast changes nothing but sizes in a type, which would be back.
    let once = once.filter(|(name, _)| !name.ends_with(".cast"));
    once.map(|(name, _)| name).filter(|it| fits(it)).collect()
}

impl Forward<'_> {
    // inline: `f(a)`, the only call of `def f(x) { b }` -> `b` with `a` for `x`
    pub(super) fn inline_call(&mut self, stmt: &Stmt, op: &Op) -> bool {
        let Op::Call { def: name, sizes, args, .. } = op else { return false };
        if !self.called_once.contains(name) || self.inside.contains(name) {
            return false;
        }
        if (self.exactness_of)(name) != self.exactness {
            return false;
        }
        let Some(def) = self.program.defs.get(name).cloned() else { return false };
        if passes_sums(&def, sizes) {
            return false;
        }
        let mut values = Values::new();
        for (var, size) in def.size_params.iter().zip(sizes) {
            let Some(value) = self.emit(Op::Size(size.clone())) else { return false };
            values.insert(*var, (value, size.clone()));
        }
        for (param, arg) in def.params.iter().zip(args) {
            values.insert(param.var, value(param.var, arg));
        }
        // What has no place of its own is where the call is.
        let call = self.span;
        for var in walk::bound_vars(&def.body) {
            let fresh = self.fresh_at(def.spans.0.get(&var).copied().or(call));
            values.insert(var, (Atom::Var(fresh), Size::var(fresh)));
        }
        let body = walk::rewrite_block(&def.body, &mut Place(&values));
        self.count_uses(&body);
        self.inside.push(name.clone());
        self.inline(stmt, &body);
        self.inside.pop();
        true
    }
}
