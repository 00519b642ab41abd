//! Which definitions map or zip the reals of values of their type parameters, themselves or by what they
//! call.
//!
//! `def scale(k: Real, x: a): a = map_reals(\r => k * r, x)` is for all types whose reals can be mapped. It
//! gets the function that does so as a further parameter, which is written nowhere and shown to nobody
//! (dictionary passing: Wadler and Blott 1989). Who uses it at a type hands over the function for that
//! type (`elaborate/over_reals.rs`), or the one that it got if the type is a parameter of its own. So all
//! methods and back ends see ordinary functions.
//!
//! What is asked for follows from the bodies, annotated or not: nothing is asked first, and whoever uses
//! what asks for more asks for more, until nobody does.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;

use crate::define::TypedDef;
use crate::infer::Checker;
use crate::scheme::OverReals;
use crate::types::{Type, TypeVar};

/// Where a definition maps reals of values whose types may be parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Types of values whose reals are mapped or zipped, with how many values there are side by side.
    direct: Vec<(Type, usize)>,
    /// Definitions that are used, with their type arguments.
    uses: Vec<(Name, Vec<Type>)>,
    /// Definitions of the same group, which have the same type parameters.
    group: Vec<Name>,
    /// What unknowns of polymorphic local functions stand for, use by use.
    copies: Vec<(TypeVar, Type)>,
}

impl Needs {
    /// The reals of values of the type are mapped.
    pub(crate) fn directly(&mut self, ty: &Type, n_values: usize) {
        self.direct.push((ty.clone(), n_values));
    }

    /// A definition is used.
    pub(crate) fn by_use(&mut self, def: &Name, types: &[Type]) {
        if !types.is_empty() {
            self.uses.push((def.clone(), types.to_vec()));
        }
    }

    /// A definition is used that is being inferred together with this one.
    pub(crate) fn inside_group(&mut self, def: &Name) {
        self.group.push(def.clone());
    }

    /// A polymorphic local function is used.
    pub(crate) fn by_copy(&mut self, unknowns: &[TypeVar], types: &[Type]) {
        self.copies.extend(unknowns.iter().copied().zip(types.iter().cloned()));
    }

    /// All types whose reals are mapped, as far as it is known what definitions ask for.
    fn types(&self, c: &Checker) -> Vec<(Type, usize)> {
        let mut res = self.direct.clone();
        for (def, types) in &self.uses {
            let Some(scheme) = c.schemes.get(def) else { continue };
            for it in &scheme.over_reals {
                let at = scheme.types.iter().position(|name| *name == it.of);
                res.extend(at.and_then(|at| Some((types.get(at)?.clone(), it.n_values))));
            }
        }
        res
    }

    /// The parameters, and the unknowns that are those of no local function, in a type.
    fn parts(&self, c: &Checker, ty: &Type) -> (BTreeSet<Name>, BTreeSet<TypeVar>) {
        let (mut params, mut unknowns) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut left = vec![c.solver.resolve(ty)];
        while let Some(ty) = left.pop() {
            if let Type::Param(name) = &ty {
                params.insert(name.clone());
            }
            if let Type::Var(var) = ty
                && seen.insert(var)
            {
                let before = left.len();
                let of_it = self.copies.iter().filter(|it| it.0 == var);
                left.extend(of_it.map(|it| c.solver.resolve(&it.1)));
                if left.len() == before {
                    unknowns.insert(var);
                }
            }
            ty.each(&mut |part| left.push(part.clone()));
        }
        (params, unknowns)
    }
}

/// Says for each of the definitions what it asks of its type parameters.
pub(crate) fn over_reals(c: &mut Checker, defs: &[TypedDef]) {
    // Nearly no program asks for anything.
    if defs.iter().all(|it| asked(c, it).is_empty()) {
        return;
    }
    let mut used_by: BTreeMap<&Name, Vec<usize>> = BTreeMap::new();
    for (at, def) in defs.iter().enumerate() {
        let used = def.needs.uses.iter().map(|it| &it.0).chain(&def.needs.group);
        used.for_each(|it| used_by.entry(it).or_default().push(at));
    }
    let mut left: Vec<usize> = (0..defs.len()).rev().collect();
    while let Some(at) = left.pop() {
        let def = &defs[at];
        let asked = asked(c, def);
        let Some(scheme) = c.schemes.get_mut(&def.name) else { continue };
        if asked.len() > scheme.over_reals.len() {
            scheme.over_reals = asked;
            left.extend(used_by.get(&def.name).into_iter().flatten());
        }
    }
}

/// What a definition asks for, as far as it is known what others do.
fn asked(c: &Checker, def: &TypedDef) -> Vec<OverReals> {
    let mut res = BTreeSet::new();
    for (ty, n_values) in def.needs.types(c) {
        let params = def.needs.parts(c, &ty).0;
        res.extend(params.into_iter().map(|of| OverReals { of, n_values }));
    }
    for other in &def.needs.group {
        res.extend(c.schemes.get(other).into_iter().flat_map(|it| it.over_reals.iter().cloned()));
    }
    res.into_iter().collect()
}

/// Decides what is still unknown of a definition that nobody uses at a type: it is for `Real`.
pub(crate) fn at_reals(c: &mut Checker, def: &TypedDef) {
    for (ty, _) in def.needs.types(c) {
        for unknown in def.needs.parts(c, &ty).1 {
            c.solver.set_type(unknown, Type::Real);
        }
    }
}
