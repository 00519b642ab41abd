//! Variables of programs: which are free, which are bound; other names and other atoms for them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rewrite, rewrite_block, rewrite_lambda};
use super::{Visit, visit_binders, visit_block, visit_lambda, visit_op};
use crate::op::Op;
use crate::signature::atom_size;
use crate::size::Size;
use crate::term::{Atom, Block, Def, Lambda, Var};

/// The variables that occur in a lambda but are bound outside.
pub fn free_vars(lambda: &Lambda) -> BTreeSet<Var> {
    let mut found = Found::default();
    visit_lambda(lambda, &mut found);
    found.free()
}

/// The variables that occur in a block but are bound outside.
pub fn free_vars_block(block: &Block) -> BTreeSet<Var> {
    let mut found = Found::default();
    visit_block(block, &mut found);
    found.free()
}

/// The variables that occur in an operation but are bound outside.
pub fn free_vars_op(op: &Op) -> BTreeSet<Var> {
    let mut found = Found::default();
    visit_op(op, &mut found);
    found.free()
}

/// Every variable that a block binds, at any depth.
pub fn bound_vars(block: &Block) -> BTreeSet<Var> {
    let mut found = Found::default();
    visit_block(block, &mut found);
    found.bound.into_iter().collect()
}

/// One more than the greatest variable in the definition.
pub fn next_var(def: &Def) -> u32 {
    let mut found = Found::default();
    visit_binders(&def.params, &mut found);
    visit_binders(&def.results, &mut found);
    visit_block(&def.body, &mut found);
    found.bound.extend(&def.size_params);
    found.next()
}

/// One more than the greatest variable in the function.
pub fn next_var_lambda(lambda: &Lambda) -> u32 {
    let mut found = Found::default();
    visit_lambda(lambda, &mut found);
    found.next()
}

/// Which variables there are, some of them often: most operations mention a few, and sets of those would be
/// made slower than they are sorted. Binders are unique, so a variable that is bound somewhere inside is not
/// free anywhere inside.
#[derive(Default)]
struct Found {
    bound: Vec<Var>,
    used: Vec<Var>,
}

impl Found {
    fn free(mut self) -> BTreeSet<Var> {
        self.bound.sort_unstable();
        self.used.retain(|it| self.bound.binary_search(it).is_err());
        self.used.into_iter().collect()
    }

    fn next(&self) -> u32 {
        let last = self.bound.iter().chain(&self.used).max();
        last.map_or(0, |it| it.0.saturating_add(1))
    }
}

impl Visit<'_> for Found {
    fn binder(&mut self, var: Var) {
        self.bound.push(var);
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.used.push(*var);
        }
    }

    fn size(&mut self, size: &Size) {
        self.used.extend(size.vars());
    }
}

/// The function with every variable renamed, bound and free ones alike.
pub fn rename_lambda(lambda: &Lambda, by: &mut dyn FnMut(Var) -> Var) -> Lambda {
    rewrite_lambda(lambda, &mut Rename(by))
}

/// The block with every variable renamed, bound and free ones alike.
pub fn rename_block(block: &Block, by: &mut dyn FnMut(Var) -> Var) -> Block {
    rewrite_block(block, &mut Rename(by))
}

struct Rename<'a>(&'a mut dyn FnMut(Var) -> Var);

impl Rewrite for Rename<'_> {
    fn binder(&mut self, var: Var) -> Var {
        (self.0)(var)
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => Atom::Var((self.0)(*var)),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        size.substitute(&mut |var| Size::var((self.0)(*var)))
    }
}

/// The block with atoms in the place of free variables. Binders are unique, so nothing is captured
/// as long as the atoms are not bound inside.
pub fn substitute_block(block: &Block, by: &BTreeMap<Var, Atom>) -> Block {
    rewrite_block(block, &mut Substitute(by))
}

struct Substitute<'a>(&'a BTreeMap<Var, Atom>);

impl Rewrite for Substitute<'_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.0.get(var).unwrap_or(atom).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        let by = |var: &Var| self.0.get(var).and_then(atom_size);
        size.substitute(&mut |var| by(var).unwrap_or_else(|| Size::var(*var)))
    }
}

/// How often each variable is an operand, in the block and in those inside of it.
pub fn count_uses(block: &Block) -> BTreeMap<Var, usize> {
    struct Count(BTreeMap<Var, usize>);
    impl Visit<'_> for Count {
        fn atom(&mut self, atom: &Atom) {
            if let Atom::Var(var) = atom {
                *self.0.entry(*var).or_default() += 1;
            }
        }
    }
    let mut count = Count(BTreeMap::new());
    visit_block(block, &mut count);
    count.0
}
