//! Definitions that are called from one place are written there: the program gets no larger, and what
//! is saved for later, or starts as zero, is seen where it is used.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::walk::{self, Rewrite};
use ir::{Atom, Block, Def, Op, Program, Size, Stmt, Type, Var};

use super::forward::Forward;

/// The definitions with one call, that are no entries and are not differentiated, and whose results
/// have the types they promise by name, none of them the size of another.
pub(super) fn called_once(program: &Program, entries: &[Name]) -> BTreeSet<Name> {
    let mut counts: BTreeMap<&Name, usize> = BTreeMap::new();
    for def in program.defs.values() {
        count(&def.body, &mut counts);
    }
    let fits = |name: &Name| program.defs.get(name).is_some_and(|it| keeps_its_promise(it));
    let once = counts.into_iter().filter(|(name, n)| *n == 1 && !entries.contains(name));
    // A cast changes nothing but sizes in a type, which would be back.
    let once = once.filter(|(name, _)| !name.ends_with(".cast"));
    once.map(|(name, _)| name).filter(|it| fits(it)).cloned().collect()
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
        if !self.called_once.contains(name) || self.inside.contains(name) {
            return false;
        }
        if (self.exactness_of)(name) != self.exactness {
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
