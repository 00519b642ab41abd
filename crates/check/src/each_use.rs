//! Definitions that leave open whether they are about numbers or arrays, and are decided by each use.
//!
//! `def relu(x) = max(x, 0.0)` does not say what `x` is. By itself it is for `Real`, as all that nothing
//! decides. A use with a matrix has the text inferred once more, with a matrix for `x`, as a definition of its
//! own, `relu.r2`, which all uses with matrices share. So no new types are needed: each of these is a
//! definition like any other, for all methods and back ends. Where the text is not right for what is
//! given, there is no such definition, and the use is refused as if there were none for anything else.
//!
//! A definition that uses such a one with a parameter of its own is left open by that, too.
//!
//! Not done: definitions that call themselves or one another, and those with derivatives of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Name;
use syntax::ast;

use crate::define::{RawDef, TypedDef, infer_group};
use crate::infer::{Checker, Globals};
use crate::names::names;
use crate::sight::InSight;
use crate::signature::{Signature, signature};
use crate::types::Type;

/// Definitions that are left open, and those that were made of them.
#[derive(Clone, Default)]
pub(crate) struct EachUse {
    open: BTreeMap<Name, Arc<Open>>,
    /// Whether the text of an open definition is right for some use, by the name of what that is.
    made: BTreeMap<Name, bool>,
    /// What was made since somebody took it.
    new: Vec<TypedDef>,
    /// Parameters of definitions that are being inferred and may be `Real` only because they were given to
    /// what is open.
    assumed: BTreeSet<(Name, usize)>,
    /// How many are being made, each for the text of the one before.
    nested: u32,
}

/// Longer than any chain of definitions that somebody wrote without a type; the stack takes more.
const MOST_NESTED: u32 = 100;

/// A definition that is left open, with all that is needed to infer it again.
struct Open {
    def: ast::Def,
    globals: Globals,
    in_sight: InSight,
    /// The parameters that each use decides.
    params: Vec<usize>,
}

/// What is known of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Arrays of so many dimensions, of `Real` or `Int`.
    Numbers { rank: u32, is_real: bool },
    /// Too little.
    Unknown,
    /// Something else.
    Other,
}

impl EachUse {
    /// Which parameters of a definition each use decides; none if it is not open.
    pub(crate) fn params(&self, def: &Name) -> Option<&[usize]> {
        self.open.get(def).map(|it| it.params.as_slice())
    }

    /// The definitions that were made since this was asked last.
    pub(crate) fn take(&mut self) -> Vec<TypedDef> {
        std::mem::take(&mut self.new)
    }

    /// Definitions that were made are not part of the program after all.
    pub(crate) fn forget(&mut self, defs: &[TypedDef]) {
        self.made.retain(|name, _| !defs.iter().any(|it| it.name == *name));
    }
}

/// What a definition was made of for a use; itself if it was not.
pub(crate) fn made_of<'n>(c: &Checker, def: &'n Name) -> &'n Name {
    match def.made_of() {
        Some((of, _)) if c.each_use.made.contains_key(def) => of,
        Some(_) | None => def,
    }
}

/// The definition that is meant by a use of an open one, where its arguments have these types.
pub(crate) fn decided(c: &mut Checker, def: &Name, args: &[Option<Type>]) -> Name {
    let Some(open) = c.each_use.open.get(def).cloned() else { return def.clone() };
    let given = |at: &usize| args.get(*at)?.clone();
    let forms: Vec<(usize, Form)> = open
        .params
        .iter()
        .map(|at| (*at, given(at).map_or(Form::Unknown, |it| form(c, &it))))
        .collect();
    if forms.iter().any(|it| it.1 == Form::Unknown) {
        assume(c);
    }
    let own = |at: usize| c.schemes.get(def)?.params.as_ref()?.get(at).map(|it| it.ty.clone());
    let differs = |(at, it): &(usize, Form)| {
        matches!(it, Form::Numbers { .. }) && own(*at).is_some_and(|own| form(c, &own) != *it)
    };
    if forms.iter().any(|it| it.1 == Form::Other) || !forms.iter().any(differs) {
        return def.clone();
    }
    let words: Vec<String> = forms.iter().map(|it| word(it.1)).collect();
    let name = def.part(words.join("_"));
    let is_right = match c.each_use.made.get(&name) {
        Some(it) => *it,
        None if c.each_use.nested == MOST_NESTED => false,
        None => make(c, &name, &open, &forms),
    };
    if is_right { name } else { def.clone() }
}

fn word(form: Form) -> String {
    match form {
        Form::Numbers { rank, is_real } => format!("{}{rank}", if is_real { 'r' } else { 'i' }),
        Form::Unknown | Form::Other => "x".to_string(),
    }
}

/// Infers the text of an open definition for parameters of these forms; whether it is right for them.
fn make(c: &mut Checker, name: &Name, open: &Open, forms: &[(usize, Form)]) -> bool {
    let constraints = std::mem::take(&mut c.constraints);
    let waiting = std::mem::take(&mut c.solver.waiting);
    let monos = std::mem::take(&mut c.monos);
    let assumed = std::mem::take(&mut c.each_use.assumed);
    let (depth, level) = (std::mem::take(&mut c.depth), std::mem::take(&mut c.solver.level));
    let in_sight = c.table.see(open.in_sight.clone());
    let (n_known, n_errors) = (c.errors.len(), c.n_errors());
    // Whoever asks for it again, inside of its own text, gets what there is without it.
    c.each_use.made.insert(name.clone(), false);
    c.each_use.nested += 1;
    let signature = signature(c, &open.def);
    for (at, form) in forms {
        if let Some(param) = signature.params.as_ref().and_then(|it| it.get(*at))
            && let Form::Numbers { rank, is_real } = form
        {
            let leaf = if *is_real { Type::Real } else { Type::Int };
            let ty = (0..*rank).fold(leaf, |it, _| Type::array(c.solver.fresh_size(), it));
            c.solver.unify(&param.ty, &ty).expect("a parameter without annotation has any type");
        }
    }
    let raw = RawDef { name: name.clone(), def: &open.def };
    let typed = infer_group(c, &open.globals, &[(&raw, &signature)], &[]);
    let is_right = c.n_errors() == n_errors;
    // What is wrong is wrong with the use; warnings were given for the definition.
    c.errors.truncate(n_known);
    if is_right {
        c.each_use.new.extend(typed);
        c.each_use.made.insert(name.clone(), true);
    } else {
        c.schemes.remove(name);
        c.failed.remove(name);
    }
    c.each_use.nested -= 1;
    c.table.see(in_sight);
    c.constraints = constraints;
    c.solver.waiting = waiting;
    c.monos = monos;
    c.each_use.assumed = assumed;
    (c.depth, c.solver.level) = (depth, level);
    is_right
}

/// Notes the parameters that are not known while something open is decided without them.
fn assume(c: &mut Checker) {
    let unknown = |it: &Type| form(c, it) == Form::Unknown;
    let mut found = Vec::new();
    for (name, mono) in &c.monos {
        let params = mono.params.iter().flatten().enumerate();
        found.extend(params.filter(|it| unknown(it.1)).map(|it| (name.clone(), it.0)));
    }
    c.each_use.assumed.extend(found);
}

/// The parameters of a definition that nothing has decided yet, if it may be left open.
pub(crate) fn undecided(c: &mut Checker, members: &[(&RawDef<'_>, &Signature)]) -> Vec<usize> {
    let assumed = std::mem::take(&mut c.each_use.assumed);
    let [(raw, signature)] = members else { return Vec::new() };
    let is_made = c.each_use.made.contains_key(&raw.name);
    if signature.full || is_made || !raw.def.customs.is_empty() || mentions_itself(raw.def) {
        return Vec::new();
    }
    let Some(types) = c.monos.get(&raw.name).and_then(|it| it.params.as_ref()) else {
        return Vec::new();
    };
    let written = raw.def.params.iter().flatten();
    let is_open = |(at, (param, ty)): &(usize, (&ast::Param, &Type))| {
        let is_unknown = || form(c, ty) == Form::Unknown;
        param.ty.is_none() && (assumed.contains(&(raw.name.clone(), *at)) || is_unknown())
    };
    written.zip(types).enumerate().filter(is_open).map(|it| it.0).collect()
}

/// Leaves a definition open whose parameters were decided by nothing but what is usual.
pub(crate) fn leave_open(c: &mut Checker, globals: &Globals, raw: &RawDef<'_>, params: &[usize]) {
    let own = |at: &usize| {
        let ty = &c.schemes.get(&raw.name)?.params.as_ref()?.get(*at)?.ty;
        Some(matches!(form(c, ty), Form::Numbers { .. }))
    };
    let is_number = |it: &usize| own(it) == Some(true);
    let params: Vec<usize> = params.iter().copied().filter(is_number).collect();
    if !params.is_empty() {
        let (def, globals) = (raw.def.clone(), globals.clone());
        let open = Open { def, globals, in_sight: c.table.in_sight(), params };
        c.each_use.open.insert(raw.name.clone(), Arc::new(open));
    }
}

fn mentions_itself(def: &ast::Def) -> bool {
    let mut mentioned = Vec::new();
    names(&def.body, &mut mentioned);
    mentioned.contains(&def.name.name)
}

fn form(c: &Checker, ty: &Type) -> Form {
    let (mut ty, mut rank) = (c.solver.head(ty), 0);
    while let Type::Array(_, elem) = &ty {
        (ty, rank) = (c.solver.head(elem), rank + 1);
    }
    match ty {
        Type::Real => Form::Numbers { rank, is_real: true },
        Type::Int => Form::Numbers { rank, is_real: false },
        Type::Var(_) => Form::Unknown,
        Type::Bool
        | Type::String
        | Type::Tuple(_)
        | Type::Array(..)
        | Type::Function(..)
        | Type::Named(..)
        | Type::Param(_)
        | Type::Error => Form::Other,
    }
}
