//! Definitions that are the same become one, ir to ir.
//!
//! `grad(f)` lifts a function of its own out of every place where it stands, in every module that imports
//! `f`: the derivative would be made, and compiled, for each of them.
//!
//! Two definitions are the same if they are so but for the names of variables, and if what can fail in
//! them stands at the same place of the text: a failure is reported there. Calls stand at several places, and fail
//! in what they call.
//!
//! Requires: dialect FirstOrder, verified.
//! Ensures: the same dialect and results, and the same errors at run time; the entry stays.
//! Cost: linear in the size of the program for each call between definitions that are merged.
//! Not done: definitions with derivatives of their own, which are known by their names; those that are
//! linearised, whose runs have a type by their name; and those that call each other in a circle of several.
//! No paper has it; it is ours.
//! Tests: `crates/opt/tests/merge.rs`; `one_derivative_serves_all_that_import` in
//! `crates/cli/tests/cli/modules.rs`.
//!
//! Example. With `def f(x0) { x1 = call h(x0) give x1 }` and `def g(x5) { x7 = call h(x5) give x7 }`, a
//! derivative of `g` is one of `f`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use base::{Name, Span};
use ir::walk::{self, Rewrite};
use ir::{Atom, Block, Def, DeriveOp, FunctionOp, Op, Operator, Origin, Program, Size, Type, Var};

/// The program with one definition for all that are the same.
pub fn merge(program: &Program, entry: &Name) -> Program {
    let mut program = program.clone();
    let known = known_by_name(&program, entry);
    loop {
        let same = same(&program, &known);
        if same.is_empty() {
            return program;
        }
        program.defs.retain(|name, _| !same.contains_key(name));
        for def in program.defs.values_mut() {
            let body = walk::rewrite_block(&def.body, &mut Names(&same));
            if body != def.body {
                *def = Arc::new(Def { body, ..(**def).clone() });
            }
        }
    }
}

/// The definitions that stay what they are: the entry, those with derivatives of their own, and these, and
/// those whose runs have a type.
fn known_by_name(program: &Program, entry: &Name) -> BTreeSet<Name> {
    let clauses =
        program.customs.values().flat_map(|it| [it.vjp.clone(), it.jvp.clone()]).flatten();
    let mut known: BTreeSet<Name> =
        program.customs.keys().cloned().chain(clauses).chain([entry.clone()]).collect();
    program.defs.values().for_each(|it| add_linearised(&it.body, &mut known));
    known
}

fn add_linearised(block: &Block, known: &mut BTreeSet<Name>) {
    for stmt in &block.stmts {
        if let Op::Derive(DeriveOp::OfDefinition { operator: Operator::Linearise, def, .. }) =
            &stmt.op
        {
            known.insert(def.clone());
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| add_linearised(it.1, known));
    }
}

/// By the name of a definition, the first one that is the same.
fn same(program: &Program, known: &BTreeSet<Name>) -> BTreeMap<Name, Name> {
    let mut first = HashMap::new();
    let mut same = BTreeMap::new();
    for (name, def) in program.defs.iter().filter(|it| !known.contains(it.0)) {
        if let Some(it) = first.get(&Key::of(def)) {
            same.insert(name.clone(), Name::clone(it));
        } else {
            first.insert(Key::of(def), name.clone());
        }
    }
    same
}

/// What two definitions have in common that are the same.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    origin: Origin,
    types: Vec<Name>,
    sizes: Vec<Var>,
    params: Vec<(Var, Type)>,
    results: Vec<(Var, Type)>,
    body: Block,
    spans: Vec<(Var, Span)>,
}

impl Key {
    fn of(def: &Def) -> Key {
        let mut by = Canonical { own: &def.name, names: HashMap::new() };
        let sizes = def.size_params.iter().map(|it| by.var(*it)).collect();
        let mut binders = |them: &[ir::Binder]| -> Vec<(Var, Type)> {
            them.iter().map(|it| (by.var(it.var), by.ty(&it.ty))).collect()
        };
        let params = binders(&def.params);
        let results = binders(&def.results);
        let body = walk::rewrite_block(&def.body, &mut by);
        let mut spans = Vec::new();
        add_spans(&def.body, def, &mut by, &mut spans);
        let (origin, types) = (def.origin.clone(), def.type_params.clone());
        Key { origin, types, sizes, params, results, body, spans }
    }
}

/// Where the statements of a block stand that are no calls.
fn add_spans(block: &Block, def: &Def, by: &mut Canonical<'_>, spans: &mut Vec<(Var, Span)>) {
    for stmt in &block.stmts {
        let is_call = matches!(
            &stmt.op,
            Op::Function(FunctionOp::Call { .. }) | Op::Derive(DeriveOp::OfDefinition { .. })
        );
        if !is_call {
            let vars = stmt.binders.iter().map(|it| it.var);
            spans.extend(vars.filter_map(|it| Some((by.var(it), *def.spans.0.get(&it)?))));
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| add_spans(it.1, def, by, spans));
    }
}

/// Variables are numbered as they are met, and a definition has no name for itself.
struct Canonical<'a> {
    own: &'a Name,
    names: HashMap<Var, Var>,
}

impl Canonical<'_> {
    fn var(&mut self, var: Var) -> Var {
        let next = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        *self.names.entry(var).or_insert(next)
    }
}

impl Rewrite for Canonical<'_> {
    fn binder(&mut self, var: Var) -> Var {
        self.var(var)
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => Atom::Var(self.var(*var)),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        size.substitute(&mut |var| Size::var(self.var(*var)))
    }

    fn definition(&mut self, def: &Name) -> Name {
        if def == self.own { Name::new("") } else { def.clone() }
    }
}

/// Definitions by the names that they have now.
struct Names<'a>(&'a BTreeMap<Name, Name>);

impl Rewrite for Names<'_> {
    fn definition(&mut self, def: &Name) -> Name {
        self.0.get(def).unwrap_or(def).clone()
    }
}
