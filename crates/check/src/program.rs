//! The modules of a program one after another: what each has in sight, its types, its definitions.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{FileId, Name};
use modules::Import;
use syntax::ast;

use crate::builtin::Builtin;
use crate::declare::{Naming, declare};
use crate::define::{RawDef, TypedDef, define};
use crate::error::Error;
use crate::infer::Globals;
use crate::over_reals::over_reals;
use crate::prelude::Prelude;
use crate::sight::{Exports, Importer, in_program};
use crate::{Checked, DefInfo, custom, extra_defs, unique_defs};

/// A module of a program.
#[derive(Clone, Copy)]
pub struct Part<'m> {
    /// What messages call it.
    pub name: &'m str,
    /// What it says.
    pub module: &'m ast::Module,
    /// What tells its names from those of other modules; none for the program itself.
    pub label: Option<&'m str>,
    /// What it imports; modules are numbers of parts before this one.
    pub imports: &'m [Import],
}

impl<'m> Part<'m> {
    /// A program that imports nothing.
    pub fn alone(module: &'m ast::Module) -> Part<'m> {
        Part { name: "", module, label: None, imports: &[] }
    }
}

impl<'m> From<&'m modules::Module> for Part<'m> {
    fn from(it: &'m modules::Module) -> Part<'m> {
        let modules::Module { name, ast, label, imports, .. } = it;
        Part { name, module: ast, label: label.as_deref(), imports }
    }
}

/// Infers a program after the prelude, whose text is `prelude`; the program itself is the last part.
pub(crate) fn infer(prelude: FileId, parts: &[Part<'_>]) -> (Checked, Vec<TypedDef>, Vec<Error>) {
    let mut res = Checked::default();
    let Some((program, imported)) = parts.split_last() else {
        return (res, Vec::new(), Vec::new());
    };
    let start = Prelude::of(prelude, program.module);
    res.checker = start.checker.clone();
    res.program = start.program.clone();
    let mut typed = Vec::new();
    let mut exports: Vec<Arc<Exports>> = Vec::new();
    for part in imported {
        infer_part(&mut res, &start, part, &exports, &mut typed);
        exports.push(Arc::new(Exports::of(part.name, part.module, part.label)));
    }
    res.globals = infer_part(&mut res, &start, program, &exports, &mut typed);
    res.checker.aliases = aliases(&res.globals);
    let errors = std::mem::take(&mut res.checker.errors);
    (res, typed, errors)
}

/// A name that is free for each builtin that is hidden.
fn aliases(globals: &Globals) -> BTreeMap<Name, Builtin> {
    let mut res = BTreeMap::new();
    let is_hidden = |it: &&str| globals.contains_key(&Name::new(it));
    for name in Builtin::names().into_iter().filter(is_hidden) {
        let mut alias = format!("{name}_");
        while globals.contains_key(&Name::new(&alias)) || Builtin::from_name(&alias).is_some() {
            alias.push('_');
        }
        res.extend(Builtin::from_name(name).map(|it| (Name::new(&alias), it)));
    }
    res
}

/// Infers one module; gives the names of values that it has in sight.
fn infer_part(
    res: &mut Checked,
    start: &Prelude,
    part: &Part<'_>,
    exports: &[Arc<Exports>],
    typed: &mut Vec<TypedDef>,
) -> Globals {
    let c = &mut res.checker;
    let mut globals = start.globals.clone();
    // What other modules see is theirs; what was declared stays.
    c.table.names.clone_from(&start.checker.table.names);
    c.table.con_names.clone_from(&start.checker.table.con_names);
    c.table.qualifiers.clear();
    let mut importer = Importer::new(&mut c.table, &mut globals, &mut c.errors, part.module);
    for import in part.imports {
        importer.import(import, &exports[import.module]);
    }
    let mut errors = Vec::new();
    let naming = Naming::of_module(part.label);
    declare(part.module, &naming, &mut c.table, &mut c.solver, &mut errors);
    c.unsound |= !errors.is_empty();
    c.errors.extend(errors);
    let own = unique_defs(part.module, &mut c.errors);
    for def in &own {
        let name = &def.name.name;
        globals.insert(name.clone(), in_program(name, part.label));
    }
    // Tests, benches and plots are of the program itself only.
    let extra = match part.label {
        None => extra_defs(part.module, &mut res.tests, &mut res.benches, &mut res.plots),
        Some(_) => Vec::new(),
    };
    let raw = |def| RawDef { name: globals_name(&globals, def), def };
    let raws: Vec<RawDef<'_>> = own.iter().copied().map(raw).collect();
    let before = typed.len();
    typed.extend(define(c, &globals, &raws, &[]));
    typed.extend(custom::customs(c, &globals, &raws));
    typed.extend(c.each_use.take());
    over_reals(c, &typed[before..]);
    custom::refuse_over_reals(c, &raws);
    // Nobody mentions these. They know what the definitions ask of their type parameters.
    let extra: Vec<RawDef<'_>> = extra.iter().map(raw).collect();
    typed.extend(define(c, &globals, &extra, &[]));
    let made = c.each_use.take();
    over_reals(c, &made);
    typed.extend(made);
    let info = |it: &&ast::Def| DefInfo {
        name: in_program(&it.name.name, part.label),
        span: it.name.span,
        doc: it.doc.clone(),
    };
    match part.label {
        None => res.defs = own.iter().map(info).collect(),
        Some(_) => res.imported.extend(own.iter().map(info)),
    }
    globals
}

/// The name in the program of a definition: that of a test is nobody's to mention.
fn globals_name(globals: &Globals, def: &ast::Def) -> Name {
    globals.get(&def.name.name).unwrap_or(&def.name.name).clone()
}
