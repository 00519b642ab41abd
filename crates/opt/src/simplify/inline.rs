//! Definitions that are called from one place are inlined: the program gets no larger, and what
//! is saved for later, or starts as zero, is seen where it is used. Where loops are fused, others
//! are too, as far as the program gets not much larger: a call keeps the loops on both sides apart.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::walk;
use ir::{Atom, FunctionOp, Op, Origin, Program, Size, Stmt};

use super::Exactness;
use super::forward::Forward;
use crate::inline::{Place, Values, count, keeps_its_promise, n_statements, passes_sums, value};
use crate::tuning::GROWTH;

/// Which definitions are inlined.
#[derive(Default)]
pub(super) struct Inlined {
    pub(super) names: BTreeSet<Name>,
    /// Whether that is done too where less has to stay of a value.
    pub(super) into_less_exact: bool,
    /// Definitions that say something: two calls are not one.
    pub(super) tellers: BTreeSet<Name>,
}

/// The definitions with one call, that are no entries and are not differentiated, and whose results
/// have the types they promise by name, none of them the size of another.
pub(super) fn called_once(program: &Program, entries: &[Name]) -> Inlined {
    let mut counts: BTreeMap<&Name, usize> = BTreeMap::new();
    for def in program.defs.values() {
        count(&def.body, &mut counts);
    }
    let fits = |name: &Name| program.defs.get(name).is_some_and(|it| keeps_its_promise(it));
    let once = counts.into_iter().filter(|(name, n)| *n == 1 && !entries.contains(name));
    // A cast changes nothing but sizes in a type, which would be back.
    let once = once.filter(|(name, _)| !is_cast(program, name));
    let names = once.map(|(name, _)| name).filter(|it| fits(it)).cloned().collect();
    Inlined { names, into_less_exact: false, tellers: ir::tellers(program) }
}

fn is_cast(program: &Program, name: &Name) -> bool {
    program.defs.get(name).is_some_and(|it| it.origin == Origin::Cast)
}

/// The definitions that are inlined wherever they are called: the smallest ones first, as long as the
/// program gets not much larger.
pub(super) fn joined(program: &Program, entries: &[Name]) -> Inlined {
    let mut calls: BTreeMap<&Name, BTreeMap<&Name, usize>> = BTreeMap::new();
    for (name, def) in &program.defs {
        count(&def.body, calls.entry(name).or_default());
    }
    let mut order = Vec::new();
    let mut seen = BTreeMap::new();
    entries.iter().for_each(|it| callers_last(it, &calls, &mut seen, &mut order));
    // How often the code of each would be there, if all were inlined.
    let mut times: BTreeMap<&Name, usize> = entries.iter().map(|it| (it, 1)).collect();
    for name in order.iter().rev() {
        let own = times.get(name).copied().unwrap_or(0);
        for (callee, n) in calls.get(name).into_iter().flatten() {
            let sum = times.entry(callee).or_default();
            *sum = own.saturating_mul(*n).saturating_add(*sum);
        }
    }
    let fits = |name: &&Name| {
        let recursive = seen.get(*name) != Some(&Seen::Done);
        let promise = program.defs.get(*name).is_some_and(|it| keeps_its_promise(it));
        promise && !recursive && !entries.contains(name) && !is_cast(program, name)
    };
    let size = |name: &Name| program.defs.get(name).map_or(0, |it| n_statements(&it.body));
    let open = order.into_iter().filter(fits);
    let mut open: Vec<(usize, &Name)> = open.map(|it| (size(it), it)).collect();
    open.sort();
    let mut left = GROWTH;
    let mut names = BTreeSet::new();
    for (size, name) in open {
        let growth = size.saturating_mul(times[name].saturating_sub(1));
        if growth <= left {
            left -= growth;
            names.insert(name.clone());
        }
    }
    Inlined { names, into_less_exact: true, tellers: ir::tellers(program) }
}

/// How far the search has come with a definition.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Open,
    Done,
    /// It calls itself.
    Recursive,
}

/// The definitions that one calls, callees first.
fn callers_last<'p>(
    name: &'p Name,
    calls: &BTreeMap<&'p Name, BTreeMap<&'p Name, usize>>,
    seen: &mut BTreeMap<&'p Name, Seen>,
    order: &mut Vec<&'p Name>,
) {
    match seen.get(name) {
        Some(Seen::Open) => {
            // All that are open are on the way around, or call it: none of them is taken.
            seen.values_mut().filter(|it| **it == Seen::Open).for_each(|it| *it = Seen::Recursive);
            return;
        }
        Some(Seen::Done | Seen::Recursive) => return,
        None => {}
    }
    seen.insert(name, Seen::Open);
    for callee in calls.get(name).into_iter().flatten() {
        callers_last(callee.0, calls, seen, order);
    }
    if seen.get(name) == Some(&Seen::Open) {
        seen.insert(name, Seen::Done);
    }
    order.push(name);
}

impl Forward<'_> {
    /// Inlines a call; whether that was done.
    pub(super) fn inline_call(&mut self, stmt: &Stmt) -> bool {
        let op = self.op(&stmt.op);
        let Op::Function(FunctionOp::Call { def: name, sizes, args, .. }) = &op else {
            return false;
        };
        if !self.inlined.names.contains(name) || self.inside.contains(name) {
            return false;
        }
        let exact = (self.exactness_of)(name);
        let less_exact = self.inlined.into_less_exact && exact == Exactness::Bits;
        if exact != self.exactness && !less_exact {
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
        self.facts.count_uses(&body);
        self.inside.push(name.clone());
        self.inline(stmt, &body);
        self.inside.pop();
        true
    }
}
