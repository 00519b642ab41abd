//! AST to ir: names, types, sizes, elaboration, and all complaints about them.
//!
//! Checking never fails: it returns what it understood together with errors. If there are
//! any, the program is empty. `Error::diagnostic` says them.

mod annotate;
mod builtin;
mod custom;
mod declare;
mod define;
mod each_use;
mod einsum;
mod elaborate;
mod endless;
mod error;
mod exhaustive;
mod front;
mod generalise;
mod infer;
mod names;
mod over_reals;
mod plot;
mod prelude;
mod program;
mod scheme;
mod sight;
mod signature;
mod solve;
mod typed;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{FileId, Name, Span};
use ir::Program;
use syntax::ast;

pub use modules::{Disk, Files, Found, Nowhere, Record, Remembered, STANDARD, Standard, Texts};

pub use crate::builtin::Builtin;
pub use crate::declare::{Body, Decl, TypeTable};
pub use crate::error::{
    AnnotationError, CustomError, DerivativeError, Error, FunctionError, Instead, MismatchError,
    ModuleError, NameError, NoCustom, OperandError, PartError, PatternError, SizeError, SizeOrigin,
    StructureError, Takes, Unfit, Why, diagnostics,
};
pub use crate::front::{Front, front, front_with, has_errors};
pub use crate::plot::{PlotError, PlotInfo, PlotKind, PlotLayer, PlotParts};
pub use crate::program::Part;
pub use crate::scheme::{OverReals, Scheme, SchemeParam, show_scheme};
pub use crate::solve::Guess;
pub use crate::types::{Rigid, ShowSize, Size, SizeAtom, Type, shown_name};

use crate::define::{RawDef, TypedDef, define};
use crate::error::in_order;
use crate::infer::expr::without_parens;
use crate::infer::{Checker, Globals};
use crate::program::infer;

/// The prelude's source.
pub const PRELUDE: &str = include_str!("prelude.cot");

/// The signatures of the builtins that have an ordinary type, with their documentation; the
/// manual shows them.
pub const INTRINSICS: &str = include_str!("intrinsics.cot");

/// A checked program.
#[derive(Clone, Default)]
pub struct Checked {
    /// The program; empty if anything is wrong.
    pub program: Program,
    /// The user's definitions in order.
    pub defs: Vec<DefInfo>,
    /// The `test` declarations in order.
    pub tests: Vec<TestInfo>,
    /// The `bench` declarations in order.
    pub benches: Vec<TestInfo>,
    /// The `plot` declarations in order.
    pub plots: Vec<PlotInfo>,
    /// The definitions of what it imports, by their names in the program.
    imported: Vec<DefInfo>,
    checker: Checker,
    globals: Globals,
    n_entries: usize,
}

/// A definition of the user.
#[derive(Clone, Debug)]
pub struct DefInfo {
    /// Its name, as written and in the program.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its documentation.
    pub doc: Vec<String>,
}

/// A `test` or `bench`.
#[derive(Clone, Debug)]
pub struct TestInfo {
    /// The text between the quotes.
    pub name: String,
    /// The definition that computes it.
    pub def: Name,
    /// Of a test that compares: the definitions that compute both sides.
    pub sides: Option<(Name, Name)>,
    /// Where it stands.
    pub span: Span,
}

/// An expression checked in the scope of a program.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The definition that computes it.
    pub def: Name,
}

impl Checked {
    /// The type of a definition of the program.
    pub fn scheme(&self, def: &Name) -> Option<&Scheme> {
        self.checker.schemes.get(def)
    }

    /// A definition that the program has in sight, by the name that it has there: its own, or one that it
    /// imports, such as `linalg.solve`.
    pub fn def(&self, name: &str) -> Option<&DefInfo> {
        if let Some(own) = self.defs.iter().find(|it| *it.name == *name) {
            return Some(own);
        }
        let in_program = self.globals.get(&Name::new(name))?;
        self.imported.iter().find(|it| it.name == *in_program)
    }

    /// The builtins that the program hides by definitions of the same names, and what to call them in an
    /// [`expression`](Checked::expression) instead. Nothing in the program is called so.
    pub fn hidden_builtins(&self) -> BTreeMap<String, String> {
        let aliases = self.checker.aliases.iter();
        aliases.map(|(alias, it)| (it.name().to_owned(), alias.to_string())).collect()
    }

    /// The declared types.
    pub fn types(&self) -> &TypeTable {
        &self.checker.table
    }

    /// Checks an expression in the scope of the program. `params` are names it may use, each
    /// with a type to take if nothing in the expression decides it.
    pub fn expression(
        &mut self,
        expr: &ast::Expr,
        params: &[(Name, Option<Type>)],
    ) -> Result<Entry, Vec<Error>> {
        let name = Name::from(format!("Entry_{}", self.n_entries));
        self.n_entries += 1;
        let ident = |name: &Name| ast::Ident { name: name.clone(), span: expr.span };
        let param = |(name, _): &(Name, Option<Type>)| ast::Param {
            pattern: ast::Pattern { kind: ast::PatternKind::Name(name.clone()), span: expr.span },
            ty: None,
        };
        let def = ast::Def {
            is_public: false,
            doc: Vec::new(),
            name: ident(&name),
            params: (!params.is_empty()).then(|| params.iter().map(param).collect()),
            result: None,
            body: expr.clone(),
            customs: Vec::new(),
            span: expr.span,
        };
        let fallbacks: Vec<Option<Type>> = params.iter().map(|(_, ty)| ty.clone()).collect();
        let before = self.checker.errors.len();
        let raw = [RawDef { name: name.clone(), def: &def }];
        let mut typed = define(&mut self.checker, &self.globals, &raw, &fallbacks);
        let errors = self.checker.errors.split_off(before);
        if errors.iter().any(Error::is_error) {
            return Err(errors);
        }
        let made = self.checker.each_use.take();
        over_reals::over_reals(&mut self.checker, &made);
        typed.extend(made);
        if let Err(errors) = self.elaborate(&typed) {
            // What was declared has no body: it is not part of the program, which may be asked again.
            typed.iter().for_each(|it| drop(self.program.defs.remove(&it.name)));
            self.checker.each_use.forget(&typed);
            return Err(errors);
        }
        Ok(Entry { def: name })
    }

    /// The entry point of a definition that asks something of its type parameters, which no data says what
    /// they stand for: it is that of `Real`. None if it asks for nothing.
    pub fn at_reals(&mut self, def: &Name) -> Option<Result<Entry, Vec<Error>>> {
        let scheme = self.checker.schemes.get(def).filter(|it| !it.over_reals.is_empty())?;
        let written = self.globals.iter().find(|it| it.1 == def)?.0.clone();
        let span = self.def(&written)?.span;
        let name = |name: Name| ast::Expr { kind: ast::ExprKind::Name(name), span };
        let params = scheme.params.as_ref().map(|it| {
            let params = it.iter().enumerate();
            let name = |(at, it): (usize, &SchemeParam)| match it.shown_name(at) {
                it if it == written => Name::from(format!("{it}_")),
                it => it,
            };
            params.map(name).collect::<Vec<Name>>()
        });
        let function = Box::new(name(written));
        let expr = match &params {
            None => *function,
            Some(it) => {
                let args = it.iter().cloned().map(name).collect();
                ast::Expr { kind: ast::ExprKind::Call { function, args }, span }
            }
        };
        let params: Vec<_> = params.into_iter().flatten().map(|it| (it, None)).collect();
        Some(self.expression(&expr, &params))
    }

    fn elaborate(&mut self, defs: &[TypedDef]) -> Result<(), Vec<Error>> {
        elaborate::declare(&self.checker, &mut self.program, defs);
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for def in defs {
            match elaborate::elaborate(&self.checker, &self.program, def) {
                Ok(found) => done.extend(found),
                Err(found) => errors.extend(found),
            }
        }
        for def in done {
            self.program.defs.insert(def.name.clone(), Arc::new(def));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Checks a program that imports nothing and has parsed without errors, after the prelude, whose text is
/// `prelude` among the sources.
pub fn check(prelude: FileId, user: &ast::Module) -> (Checked, Vec<Error>) {
    check_parts(prelude, &[Part::alone(user)])
}

/// Checks modules after the prelude, each after those that it imports; the program itself is the last.
pub fn check_parts(prelude: FileId, parts: &[Part<'_>]) -> (Checked, Vec<Error>) {
    let (mut res, typed, mut errors) = infer(prelude, parts);
    // Definitions without errors are elaborated even if others have some, for the errors that
    // only elaboration finds.
    let c = &res.checker;
    let is_sound = |it: &TypedDef| {
        !c.failed.contains(&it.name) && !c.failed.contains(each_use::made_of(c, &it.name))
    };
    let sound: Vec<TypedDef> = typed.into_iter().filter(is_sound).collect();
    if !res.checker.unsound
        && let Err(found) = res.elaborate(&sound)
    {
        errors.extend(found);
    }
    res.program.customs.extend(custom::table(&sound));
    errors.extend(endless::endless(&res.program).into_iter().map(Error::from));
    if errors.iter().any(Error::is_error) {
        res.program = Program::default();
    }
    (res, in_order(errors))
}

/// What is wrong with a program that did not parse completely.
pub fn diagnose(prelude: FileId, parts: &[Part<'_>]) -> Vec<Error> {
    in_order(infer(prelude, parts).2)
}

fn read_intrinsics(c: &mut Checker) {
    let module = builtin::intrinsics();
    let all: Vec<RawDef<'_>> =
        defs(&module).map(|def| RawDef { name: def.name.name.clone(), def }).collect();
    let schemes = signature::signatures(c, &all);
    c.intrinsics = schemes.into_iter().collect::<BTreeMap<_, _>>();
}

fn defs(module: &ast::Module) -> impl Iterator<Item = &ast::Def> {
    module.items.iter().filter_map(|item| match item {
        ast::Item::Def(def) => Some(def),
        ast::Item::Import(_)
        | ast::Item::Type(_)
        | ast::Item::Data(_)
        | ast::Item::Test(_)
        | ast::Item::Bench(_)
        | ast::Item::Plot(_) => None,
    })
}

fn unique_defs<'m>(module: &'m ast::Module, errors: &mut Vec<Error>) -> Vec<&'m ast::Def> {
    let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
    let mut res = Vec::new();
    for def in defs(module) {
        if let Some(first) = seen.get(&def.name.name) {
            let (second, first) = (def.name.clone(), *first);
            errors.push(NameError::Duplicate { what: "definition", second, first }.into());
            continue;
        }
        if def.name.name.starts_with(char::is_uppercase) {
            // The parser has said so.
            continue;
        }
        seen.insert(def.name.name.clone(), def.name.span);
        res.push(def);
    }
    res
}

/// Definitions for tests, the sides of tests that compare, benches and plots.
fn extra_defs(
    module: &ast::Module,
    tests: &mut Vec<TestInfo>,
    benches: &mut Vec<TestInfo>,
    plots: &mut Vec<PlotInfo>,
) -> Vec<ast::Def> {
    let mut res = Vec::new();
    let mut add = |name: String, body: &ast::Expr, result: Option<&str>, span: Span| {
        let name = Name::from(name);
        let bool_type = |name: &str| ast::Type {
            kind: ast::TypeKind::Name(ast::Ident { name: Name::new(name), span }, Vec::new()),
            span,
        };
        res.push(ast::Def {
            is_public: false,
            doc: Vec::new(),
            name: ast::Ident { name: name.clone(), span },
            params: None,
            result: result.map(bool_type),
            body: body.clone(),
            customs: Vec::new(),
            span,
        });
        name
    };
    for item in &module.items {
        match item {
            ast::Item::Test(test) => {
                let number = tests.len();
                let def = add(format!("Test_{number}"), &test.body, Some("Bool"), test.name_span);
                let sides = comparison(&test.body).map(|(left, right)| {
                    let left = add(format!("Left_{number}"), left, None, test.name_span);
                    (left, add(format!("Right_{number}"), right, None, test.name_span))
                });
                tests.push(TestInfo { name: test.name.clone(), def, sides, span: test.span });
            }
            ast::Item::Bench(bench) => {
                let def =
                    add(format!("Bench_{}", benches.len()), &bench.body, None, bench.name_span);
                benches.push(TestInfo {
                    name: bench.name.clone(),
                    def,
                    sides: None,
                    span: bench.span,
                });
            }
            ast::Item::Plot(it) => {
                let (body, parts) = plot::split(&it.body);
                let def = add(format!("Plot_{}", plots.len()), &body, None, it.name_span);
                plots.push(PlotInfo { title: it.name.clone(), def, span: it.span, parts });
            }
            ast::Item::Import(_) | ast::Item::Def(_) | ast::Item::Type(_) | ast::Item::Data(_) => {}
        }
    }
    res
}

fn comparison(body: &ast::Expr) -> Option<(&ast::Expr, &ast::Expr)> {
    let ast::ExprKind::Binary { op, left, right, .. } = &without_parens(body).kind else {
        return None;
    };
    matches!(op, ast::BinaryOp::Close | ast::BinaryOp::Eq).then_some((&**left, &**right))
}
