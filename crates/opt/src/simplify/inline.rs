//! Definitions that are called from one place are written there: the program gets no larger, and what
//! is saved for later, or starts as zero, is seen where it is used. Where loops are put together, others
//! are too, as far as the program gets not much larger: a call keeps the loops on both sides apart.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::walk::{self, Rewrite};
use ir::{Atom, Block, Def, Op, Program, Size, Stmt, Type, Var};

use super::forward::Forward;
use super::{Exactness, n_statements_of as n_statements};

/// Which definitions are written where they are called.
pub(super) struct Inlined {
    pub(super) names: BTreeSet<Name>,
    /// Whether that is done too where less has to stay of a value.
    pub(super) into_less_exact: bool,
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
    let once = once.filter(|(name, _)| !name.ends_with(".cast"));
    let names = once.map(|(name, _)| name).filter(|it| fits(it)).cloned().collect();
    Inlined { names, into_less_exact: false }
}

/// By how many statements calls that are written out may make a program larger.
const GROWTH: usize = 600;

/// The definitions that are written wherever they are called: the smallest ones first, as long as the
/// program gets not much larger.
pub(super) fn joined(program: &Program, entries: &[Name]) -> Inlined {
    let mut calls: BTreeMap<&Name, BTreeMap<&Name, usize>> = BTreeMap::new();
    for (name, def) in &program.defs {
        count(&def.body, calls.entry(name).or_default());
    }
    let mut order = Vec::new();
    let mut seen = BTreeMap::new();
    entries.iter().for_each(|it| callers_last(it, &calls, &mut seen, &mut order));
    // How often the code of each would be there, if all were written out.
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
        promise && !recursive && !entries.contains(name) && !name.ends_with(".cast")
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
    Inlined { names, into_less_exact: true }
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

fn count<'p>(block: &'p Block, counts: &mut BTreeMap<&'p Name, usize>) {
    for stmt in &block.stmts {
        if let Op::Call { def, .. } = &stmt.op {
            *counts.entry(def).or_default() += 1;
        } else if let Op::Derivative { def, .. } = &stmt.op {
            // More than once: it has to stay.
            *counts.entry(def).or_default() += 2;
        }
        walk::blocks(&stmt.op).into_iter().for_each(|(_, it)| count(it, counts));
    }
}

fn keeps_its_promise(def: &Def) -> bool {
    let stmts = def.body.stmts.iter().flat_map(|it| &it.binders);
    let types: BTreeMap<Var, &Type> = stmts.chain(&def.params).map(|it| (it.var, &it.ty)).collect();
    let own: BTreeSet<Var> = def.results.iter().map(|it| it.var).collect();
    def.results.iter().zip(&def.body.results).all(|(promised, given)| {
        let found = match given {
            Atom::Var(var) if def.size_params.contains(var) => Some(&Type::Int),
            Atom::Var(var) => types.get(var).copied(),
            Atom::Real(_) => Some(&Type::Real),
            Atom::Int(_) => Some(&Type::Int),
            Atom::Bool(_) => Some(&Type::Bool),
            Atom::Str(_) => Some(&Type::String),
        };
        let vars = promised.ty.size_vars();
        found == Some(&promised.ty) && !vars.iter().any(|it| own.contains(it))
    })
}

impl Forward<'_> {
    // inline: `f(a)`, the only call of `def f(x) { b }` -> `b` with `a` for `x`
    pub(super) fn inline_call(&mut self, stmt: &Stmt, op: &Op) -> bool {
        let Op::Call { def: name, sizes, args, .. } = op else { return false };
        if !self.inlined.names.contains(name) || self.inside.contains(name) {
            return false;
        }
        let exact = (self.exactness_of)(name);
        let less_exact = self.inlined.into_less_exact && exact == Exactness::Bits;
        if exact != self.exactness && !less_exact {
            return false;
        }
        let Some(def) = self.program.defs.get(name).cloned() else { return false };
        // As an operand, a sum is a variable of its own; types that mention it by what is passed to
        // another definition would not be equal to those that mention the sum.
        let sums = def.size_params.iter().zip(sizes);
        let mut sums = sums.filter(|(_, it)| it.as_var().is_none() && it.as_constant().is_none());
        if sums.any(|(var, _)| is_operand(*var, &def.body)) {
            return false;
        }
        let mut values: BTreeMap<Var, (Atom, Size)> = BTreeMap::new();
        for (var, size) in def.size_params.iter().zip(sizes) {
            let Some(value) = self.emit(Op::Size(size.clone())) else { return false };
            values.insert(*var, (value, size.clone()));
        }
        for (param, arg) in def.params.iter().zip(args) {
            let size = ir::signature::atom_size(arg).unwrap_or_else(|| Size::var(param.var));
            values.insert(param.var, (arg.clone(), size));
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

/// Whether a variable is an operand, and not only mentioned in sizes.
fn is_operand(var: Var, block: &Block) -> bool {
    let mut found = Operand { var, found: false };
    walk::rewrite_block(block, &mut found);
    found.found
}

struct Operand {
    var: Var,
    found: bool,
}

impl Rewrite for Operand {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.found |= *atom == Atom::Var(self.var);
        atom.clone()
    }
}

/// Puts the body of a definition in its place: values for its variables.
struct Place<'a>(&'a BTreeMap<Var, (Atom, Size)>);

impl Rewrite for Place<'_> {
    fn binder(&mut self, var: Var) -> Var {
        match self.0.get(&var) {
            Some((Atom::Var(fresh), _)) => *fresh,
            Some((Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_), _)) | None => var,
        }
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.0.get(var).map_or(atom, |it| &it.0).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        size.substitute(&mut |var| self.0.get(var).map_or(Size::var(*var), |it| it.1.clone()))
    }
}
