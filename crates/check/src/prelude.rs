//! The prelude, inferred and elaborated: what every module starts from.
//!
//! It is the same for all programs that declare none of its names, which is nearly all of them: those share
//! one, made when the first is checked. What a program declares too is hidden under another name, and the
//! prelude is read anew for it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use base::{FileId, Name};
use ir::Program;
use syntax::ast;

use crate::declare::{Naming, con_idents, declare, raw_decls};
use crate::define::{RawDef, define};
use crate::infer::{Checker, Globals};
use crate::over_reals::over_reals;
use crate::types::hidden_name;
use crate::{Checked, PRELUDE, custom, defs, read_intrinsics};

/// The prelude as a program sees it.
#[derive(Clone)]
pub(crate) struct Prelude {
    /// What the checker knows after it.
    pub checker: Checker,
    /// The names of values that every module starts from.
    pub globals: Globals,
    /// Its definitions.
    pub program: Program,
    file: FileId,
}

impl Prelude {
    /// The prelude of a program; `file` is where its text stands among the sources.
    pub(crate) fn of(file: FileId, program: &ast::Module) -> Arc<Prelude> {
        static NAMES: OnceLock<BTreeSet<Name>> = OnceLock::new();
        static SHARED: OnceLock<Arc<Prelude>> = OnceLock::new();
        let names = NAMES.get_or_init(|| declared(&syntax::parse(file, PRELUDE).0));
        if !declared(program).is_disjoint(names) {
            return Arc::new(Prelude::new(file, program));
        }
        let shared = SHARED.get_or_init(|| Arc::new(Prelude::new(file, &ast::Module::default())));
        if shared.file == file { shared.clone() } else { Arc::new(Prelude::new(file, program)) }
    }

    fn new(file: FileId, program: &ast::Module) -> Prelude {
        let (prelude, complaints) = syntax::parse(file, PRELUDE);
        assert!(complaints.is_empty(), "compiler bug: the prelude does not parse: {complaints:?}");
        let mut res = Checked::default();
        let c = &mut res.checker;
        read_intrinsics(c);
        let naming = Naming::of_prelude(program);
        declare(&prelude, &naming, &mut c.table, &mut c.solver, &mut c.errors);
        let hidden: BTreeSet<&Name> = defs(program).map(|it| &it.name.name).collect();
        let mut globals = Globals::new();
        let mut raws: Vec<RawDef<'_>> = Vec::new();
        for def in defs(&prelude) {
            let name = &def.name.name;
            let in_program = if hidden.contains(name) { hidden_name(name) } else { name.clone() };
            globals.insert(name.clone(), in_program.clone());
            if in_program == *name {
                c.prelude.insert(name.clone());
            }
            raws.push(RawDef { name: in_program, def });
        }
        let mut typed = define(c, &globals, &raws, &[]);
        typed.extend(custom::customs(c, &globals, &raws));
        typed.extend(c.each_use.take());
        over_reals(c, &typed);
        let elaborated = res.elaborate(&typed);
        assert!(
            elaborated.is_ok() && res.checker.errors.is_empty(),
            "compiler bug: the prelude does not check: {:?} {elaborated:?}",
            res.checker.errors
        );
        res.program.customs = custom::table(&typed);
        let (checker, program) = (res.checker, res.program);
        Prelude { checker, globals, program, file }
    }
}

/// All names that a module declares.
fn declared(module: &ast::Module) -> BTreeSet<Name> {
    let types = raw_decls(module);
    let cons = types.iter().flat_map(|it| con_idents(it.item));
    let names = cons.chain(types.iter().map(|it| it.name)).chain(defs(module).map(|it| &it.name));
    names.map(|it| it.name.clone()).collect()
}
