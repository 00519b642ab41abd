//! The front door: a text becomes a [`Compiled`] program, which evaluates expressions, calls
//! definitions and runs tests.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::{Diagnostic, FileId, Name, SourceMap, Span};
use check::{Checked, TypeTable};
use eval::{Cost, Evaluator, TapeStats, Value};
use syntax::ast;

use crate::answer::{Answer, Held};
use crate::argument::{self, Argument};
use crate::deep::with_deep_stack;
use crate::error::{self, nearest};
use crate::machine::{Machines, Watch};
use crate::on_demand::OnDemand;
use crate::once::InTime;
use crate::options::{Effort, Options};
use crate::pipeline;
use crate::report::Report;
use crate::runner::{Runner, Way};
use crate::signature::Signature;
use crate::together::Passed;

/// Compiles texts.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    options: Options,
    watch: Watch,
}

impl Compiler {
    /// A compiler whose programs run with these options.
    pub fn new(options: Options) -> Compiler {
        Compiler { options, watch: Watch::default() }
    }

    /// A compiler that tells when the C compiler begins and ends.
    pub fn watched(self, watch: Watch) -> Compiler {
        Compiler { watch, ..self }
    }

    /// Parses and checks a text; `name` is what messages call it.
    pub fn compile(&self, name: &str, text: &str) -> Result<Compiled, Report> {
        with_deep_stack(|| {
            let mut sources = SourceMap::new();
            match pipeline::front(&mut sources, name, text) {
                Ok(front) => Ok(Compiled::new(self.options, self.watch.clone(), sources, front)),
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
    pub(crate) types: Rc<TypeTable>,
    warnings: Report,
    /// Made at the first run; made anew when an expression has become part of the program.
    evaluator: Option<Evaluator>,
    /// How entry points run by method `bulk`; only of those that have been called by it.
    ways: BTreeMap<Name, Way>,
    /// The entry point that ran last, if it ran by a program of its own.
    last: Option<Name>,
    /// Entry points as machine code; only of those that have been called so.
    pub(crate) machines: BTreeMap<Name, Machines>,
    /// What came out of tests that were compiled together.
    pub(crate) passed: Passed,
    /// Whether compiled code ran last.
    compiled_last: bool,
    /// By back end `auto`: why nothing is compiled any more.
    pub(crate) without_compiler: Option<String>,
    /// Asks compiled code to stop.
    pub(crate) stop: native::Stop,
    /// Is told when the C compiler is at work.
    pub(crate) watch: Watch,
    /// Of the definitions that have been called.
    signatures: BTreeMap<String, Rc<Signature>>,
    /// Expressions that have been evaluated, with the types of their arguments: entry point and place.
    expressions: BTreeMap<String, (Name, Span)>,
}

impl Compiled {
    fn new(options: Options, watch: Watch, sources: SourceMap, front: pipeline::Front) -> Compiled {
        let pipeline::Front { file, module, checked, warnings } = front;
        let types = Rc::new(checked.types().clone());
        let warnings = Report::new(warnings, sources.clone());
        Compiled {
            options,
            sources,
            module,
            checked,
            file,
            types,
            warnings,
            evaluator: None,
            ways: BTreeMap::new(),
            last: None,
            machines: BTreeMap::new(),
            passed: Passed::default(),
            compiled_last: false,
            without_compiler: None,
            stop: native::Stop::default(),
            watch,
            signatures: BTreeMap::new(),
            expressions: BTreeMap::new(),
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

    /// Evaluates an expression in the scope of the program. The names of the arguments are
    /// variables of the expression.
    pub fn eval(&mut self, expression: &str, arguments: &[Argument]) -> Result<Answer, Report> {
        with_deep_stack(|| {
            let res = self.eval_expression(expression, arguments);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// Evaluates a constant, or calls a definition with arguments for its parameters by name.
    ///
    /// The first call of a definition prepares it; the following ones only run it.
    pub fn call(&mut self, def: &str, arguments: &[Argument]) -> Result<Answer, Report> {
        let res = self.call_definition(def, arguments);
        res.map_err(|diagnostics| self.report(diagnostics))
    }

    /// How many operations the last evaluation or call took; compiled code does not count them.
    pub fn cost(&self) -> Cost {
        self.last_evaluator().map(Evaluator::cost).unwrap_or_default()
    }

    /// What the tape of the last evaluation or call took.
    pub fn tape(&self) -> TapeStats {
        self.last_evaluator().map(Evaluator::tape_stats).unwrap_or_default()
    }

    fn last_evaluator(&self) -> Option<&Evaluator> {
        if self.compiled_last {
            return None;
        }
        match self.last.as_ref().and_then(|it| self.ways.get(it)) {
            Some(Way::Ready(runner)) => Some(&runner.evaluator),
            Some(Way::Plain | Way::Refused(..)) | None => self.evaluator.as_ref(),
        }
    }

    pub(crate) fn report(&self, diagnostics: Vec<Diagnostic>) -> Report {
        Report::new(diagnostics, self.sources.clone())
    }

    fn eval_expression(
        &mut self,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        // The same text on arguments of the same types is the same entry point.
        let key = format!("{expression}\n{:?}", argument::natural_guess(arguments)?);
        if let Some((def, span)) = self.expressions.get(&key).cloned() {
            return self.run(&def, arguments, span);
        }
        let file = self.sources.add("<expression>", expression);
        let (expr, diagnostics) = syntax::parse_expr(file, expression);
        if pipeline::has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        let entry = self.entry(&expr, arguments)?;
        self.forget_evaluator();
        self.expressions.insert(key, (entry.def.clone(), expr.span));
        self.run(&entry.def, arguments, expr.span)
    }

    /// Makes the interpreter look at the program again: it has become longer.
    pub(crate) fn forget_evaluator(&mut self) {
        pipeline::verify(&self.checked.program, "check");
        self.evaluator = None;
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

    fn call_definition(
        &mut self,
        name: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let known = self.signatures.get(name).filter(|it| it.is_shallow).cloned();
        match known {
            // A stack of its own for every call would cost more than many a call. The
            // interpreter gets more when it needs more.
            Some(signature) if self.is_prepared(&signature.def) => {
                self.run_as(&signature, arguments, self.options.effort)
            }
            Some(_) | None => with_deep_stack(|| {
                let signature = self.signature_of(name)?;
                self.run_as(&signature, arguments, self.options.effort)
            }),
        }
    }

    /// Whether all that a call of a definition needs is made.
    fn is_prepared(&self, def: &Name) -> bool {
        match self.machines.get(def) {
            Some(Ok(_)) => return true,
            Some(Err(_)) => {}
            None if self.tries_compiler() => return false,
            None => {}
        }
        match self.ways.get(def) {
            Some(Way::Ready(_)) => true,
            Some(Way::Plain | Way::Refused(..)) => self.evaluator.is_some(),
            None => self.evaluator.is_some() && !self.options.via.makes_programs(),
        }
    }

    pub(crate) fn signature_of(&mut self, name: &str) -> Result<Rc<Signature>, Vec<Diagnostic>> {
        let Some(def) = self.checked.defs.iter().find(|it| *it.name == *name) else {
            return Err(vec![self.no_definition(name)]);
        };
        let signature = Rc::new(self.signature(&def.name, def.span));
        self.signatures.insert(name.to_string(), signature.clone());
        Ok(signature)
    }

    pub(crate) fn no_definition(&self, name: &str) -> Diagnostic {
        let known = self.checked.defs.iter().map(|it| it.name.as_str());
        error::no_definition(name, nearest(name, known))
    }

    /// Runs a definition that is run once; `span` is the place to blame if nothing better is known.
    pub(crate) fn run(
        &mut self,
        def: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let effort = match self.options.effort {
            Effort::Fitting | Effort::Once => Effort::Once,
            it @ (Effort::Full | Effort::Quick) => it,
        };
        self.run_as(&self.signature(def, span), arguments, effort)
    }

    pub(crate) fn signature(&self, def: &Name, span: Span) -> Signature {
        let scheme = self.checked.scheme(def).expect("a definition of a checked program");
        Signature::new(&self.types, def, scheme, span)
    }

    fn run_as(
        &mut self,
        signature: &Signature,
        arguments: &[Argument],
        effort: Effort,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let span = &signature.span;
        if signature.gives_function {
            let ty = signature.result.to_string();
            return Err(vec![error::function_result(*span, &ty)]);
        }
        let (types, precision) = (&self.types, self.options.precision);
        let bound = argument::bind(types, precision, &signature.parameters, arguments)?;
        let sizes = signature.size_arguments(&bound);
        let mut patience = self.patience(effort, signature);
        for effort in [effort, Effort::Full] {
            let machine = match self.in_time(&mut patience, signature, &sizes, &bound, effort)? {
                InTime::Answer(it) => return Ok(it),
                InTime::Machine(it) => it,
                InTime::Nothing => break,
            };
            self.compiled_last = true;
            let arguments = machine.enter(&sizes, &bound.values);
            match self.answer_of(&machine, &arguments, signature) {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(error) => return Err(self.retold(error, signature, &sizes, bound.values)),
            }
        }
        self.interpreted(signature, &sizes, bound.values)
    }

    /// Has the interpreter call a definition.
    pub(crate) fn interpreted(
        &mut self,
        signature: &Signature,
        sizes: &[i64],
        values: Vec<Value>,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let answer = self.interpreted_within(u64::MAX, signature, sizes, values)?;
        Ok(answer.expect("it had all the time there is"))
    }

    /// Has the interpreter call a definition; gives up after so many operations.
    pub(crate) fn interpreted_within(
        &mut self,
        operations: u64,
        signature: &Signature,
        sizes: &[i64],
        values: Vec<Value>,
    ) -> Result<Option<Answer>, Vec<Diagnostic>> {
        self.compiled_last = false;
        let Signature { def, span, .. } = signature;
        let by_itself = self.runner(def, *span)?;
        let results = match by_itself {
            Some(runner) => runner.call_within(operations, sizes, &values),
            None => self.evaluator().call_within(operations, def, sizes, values),
        };
        let results = results.map_err(|error| vec![error.to_diagnostic(*span)])?;
        // Sizes that only the run could tell come first, the value last.
        let value = results.map(|mut it| it.pop().expect("a definition has a result"));
        Ok(value.map(|it| self.answer(signature, Held::Value(it))))
    }

    /// The program of its own that an entry point runs by; none if the interpreter is to
    /// differentiate, or if there is nothing to differentiate.
    fn runner(&mut self, def: &Name, span: Span) -> Result<Option<&mut Runner>, Vec<Diagnostic>> {
        self.last = None;
        if !self.options.via.makes_programs() {
            return Ok(None);
        }
        let (program, options) = (&self.checked.program, self.options);
        let way = self.ways.entry(def.clone()).or_insert_with(|| Way::of(program, def, options));
        match way {
            Way::Ready(runner) => {
                self.last = Some(def.clone());
                Ok(Some(runner))
            }
            Way::Refused(method, it) => {
                Err(vec![error::not_accepted(method.name, it.span.unwrap_or(span), &it.reason)])
            }
            Way::Plain => Ok(None),
        }
    }

    pub(crate) fn evaluator(&mut self) -> &mut Evaluator {
        let (checked, options) = (&self.checked, self.options);
        self.evaluator.get_or_insert_with(|| {
            let program = Arc::new(checked.program.clone());
            Evaluator::new(program, Box::new(OnDemand), options.limits())
        })
    }

    /// The number of the text among the sources.
    pub fn file(&self) -> FileId {
        self.file
    }
}
