//! The front door: a text becomes a [`Compiled`] program, which evaluates expressions, calls
//! definitions and runs tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, FileId, Name, SourceMap, Span, Stop};
use check::{Checked, Files, Front, Nowhere, TypeTable};
use eval::Evaluator;
use ir::Dialect;
use syntax::ast;

use crate::argument::{self, Argument};
use crate::deep::with_deep_stack;
use crate::error::{self, nearest};
use crate::machine::{Machines, Watch};
use crate::on_demand::OnDemand;
use crate::options::{Checkpoints, Options};
use crate::pipeline;
use crate::report::Report;
use crate::runner::Way;
use crate::signature::Signature;
use crate::together::Passed;

/// Compiles texts.
#[derive(Clone)]
pub struct Compiler {
    options: Options,
    watch: Watch,
    files: Arc<dyn Files>,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler::new(Options::default())
    }
}

impl Compiler {
    /// A compiler whose programs run with these options.
    pub fn new(options: Options) -> Compiler {
        Compiler { options, watch: Watch::default(), files: Arc::new(Nowhere) }
    }

    /// A compiler that tells when the C compiler begins and ends.
    pub fn watched(self, watch: Watch) -> Compiler {
        Compiler { watch, ..self }
    }

    /// A compiler whose texts may import these files, such as [`Disk`](crate::Disk); others may import the
    /// standard library only. A text is where its name says.
    pub fn with_files(self, files: Arc<dyn Files>) -> Compiler {
        Compiler { files, ..self }
    }

    /// Parses and checks a text and what it imports; `name` is what messages call it.
    pub fn compile(&self, name: &str, text: &str) -> Result<Compiled, Report> {
        with_deep_stack(|| {
            let mut sources = SourceMap::new();
            match check::front_with(&mut sources, &*self.files, name, text) {
                Ok(front) => {
                    pipeline::verify(&front.checked.program, Dialect::Source, "check");
                    let compiled = Compiled::new(self.options, self.watch.clone(), sources, front);
                    match compiled.plot_errors() {
                        errors if errors.is_empty() => Ok(compiled),
                        errors => Err(compiled.report(errors)),
                    }
                }
                Err(diagnostics) => Err(Report::new(diagnostics, sources)),
            }
        })
    }
}

/// Puts a text into the one form that all Cotan programs have.
pub fn format(name: &str, text: &str) -> Result<String, Report> {
    with_deep_stack(|| {
        let mut sources = SourceMap::new();
        // The formatter's spans are of its one text.
        sources.add(name, text);
        syntax::format(text).map_err(|diagnostics| Report::new(diagnostics, sources))
    })
}

/// A program that checks.
pub struct Compiled {
    pub(crate) options: Options,
    pub(crate) sources: SourceMap,
    pub(crate) module: ast::Module,
    pub(crate) checked: Checked,
    file: FileId,
    pub(crate) types: Arc<TypeTable>,
    warnings: Report,
    /// Asks compiled code to stop.
    pub(crate) stop: Stop,
    /// Is told when the C compiler is at work.
    pub(crate) watch: Watch,
    pub(crate) kept: Kept,
}

/// What was made of a program so far, and is kept so that nobody waits for it twice.
#[derive(Default)]
pub(crate) struct Kept {
    /// Made at the first run; made anew when an expression has become part of the program.
    pub(crate) evaluator: Option<Evaluator>,
    /// How entry points run in the interpreter; only of those that have been called so.
    pub(crate) ways: BTreeMap<Name, Way>,
    /// Entry points as machine code; only of those that have been called so.
    pub(crate) machines: BTreeMap<Name, Machines>,
    /// Entry points that keep more checkpoints than the options say, since memory was short.
    pub(crate) checkpoints: BTreeMap<Name, Checkpoints>,
    /// What came out of tests that were compiled together.
    pub(crate) passed: Passed,
    /// By back end `auto`: why nothing is compiled any more.
    pub(crate) without_compiler: Option<String>,
    /// Of the definitions that have been called.
    pub(crate) signatures: BTreeMap<String, Arc<Signature>>,
    /// Expressions that have been evaluated, with the types of their arguments: entry point and place.
    pub(crate) expressions: BTreeMap<String, (Name, Span)>,
}

impl Compiled {
    fn new(options: Options, watch: Watch, sources: SourceMap, front: Front) -> Compiled {
        let Front { file, module, checked, warnings } = front;
        let types = Arc::new(checked.types().clone());
        let warnings = Report::new(warnings, sources.clone());
        Compiled {
            options,
            sources,
            module,
            checked,
            file,
            types,
            warnings,
            stop: Stop::default(),
            watch,
            kept: Kept::default(),
        }
    }

    /// What is suspicious about the program.
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }

    /// Whether the text defines this name.
    pub fn has_def(&self, name: &str) -> bool {
        self.checked.defs.iter().any(|it| *it.name == *name)
    }

    /// The type of a definition of the text, as inferred.
    pub fn type_of(&self, name: &str) -> Option<String> {
        let def = self.checked.defs.iter().find(|it| *it.name == *name)?;
        self.checked.scheme(&def.name).map(|it| it.ty().to_string())
    }

    pub(crate) fn report(&self, diagnostics: Vec<Diagnostic>) -> Report {
        Report::new(diagnostics, self.sources.clone())
    }

    /// Makes the interpreter look at the program again: it has become longer.
    pub(crate) fn forget_evaluator(&mut self) {
        pipeline::verify(&self.checked.program, Dialect::Source, "check");
        self.kept.evaluator = None;
    }

    /// Checks an expression. The types of arguments that it does not decide are those of the
    /// data; integers may be meant as reals, so that is tried too.
    pub(crate) fn entry(
        &mut self,
        expr: &ast::Expr,
        arguments: &[Argument],
    ) -> Result<check::Entry, Vec<Diagnostic>> {
        let mut first = None;
        for params in argument::guesses(arguments)? {
            match self.checked.expression(expr, &params) {
                Ok(entry) => return Ok(entry),
                Err(errors) => first = first.or_else(|| Some(check::diagnostics(&errors))),
            }
        }
        Err(first.expect("there is at least one guess"))
    }

    pub(crate) fn signature_of(&mut self, name: &str) -> Result<Arc<Signature>, Vec<Diagnostic>> {
        let Some(def) = self.checked.def(name) else {
            return Err(vec![self.no_definition(name)]);
        };
        let (def, span) = (def.name.clone(), def.span);
        let signature = match self.checked.at_reals(&def) {
            None => self.signature(&def, span),
            Some(entry) => {
                let entry = entry.map_err(|errors| check::diagnostics(&errors))?;
                self.forget_evaluator();
                self.signature(&entry.def, span)
            }
        };
        let signature = Arc::new(signature);
        self.kept.signatures.insert(name.to_string(), signature.clone());
        Ok(signature)
    }

    pub(crate) fn no_definition(&self, name: &str) -> Diagnostic {
        let known = self.checked.defs.iter().map(|it| it.name.as_str());
        error::no_definition(name, nearest(name, known))
    }

    pub(crate) fn signature(&self, def: &Name, span: Span) -> Signature {
        let scheme = self.checked.scheme(def).expect("a definition of a checked program");
        let tells = ir::tellers(&self.checked.program).contains(def);
        Signature::new(&self.types, (def, scheme), span, tells)
    }

    pub(crate) fn evaluator(&mut self) -> &mut Evaluator {
        let (checked, options) = (&self.checked, self.options);
        let evaluator = self.kept.evaluator.get_or_insert_with(|| {
            let program = Arc::new(checked.program.clone());
            Evaluator::new(program, Box::new(OnDemand), options.limits())
        });
        evaluator.stopped_by(&self.stop);
        evaluator
    }

    /// The number of the text among the sources.
    pub fn file(&self) -> FileId {
        self.file
    }
}
