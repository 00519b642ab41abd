//! The front door: a text becomes a [`Compiled`] program, which evaluates expressions, calls
//! definitions and runs tests.

use std::rc::Rc;
use std::sync::Arc;

use base::{Diagnostic, FileId, Name, SourceMap, Span};
use check::{Checked, Scheme, Size, SizeAtom, Type, TypeTable};
use eval::{Cost, Evaluator, Value};
use syntax::ast;

use crate::answer::Answer;
use crate::argument::{self, Argument, Bound, Parameter};
use crate::deep::with_deep_stack;
use crate::error::{self, nearest};
use crate::options::Options;
use crate::pass::OnDemand;
use crate::pipeline;
use crate::report::Report;

/// Compiles texts.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    options: Options,
}

impl Compiler {
    /// A compiler whose programs run with these options.
    pub fn new(options: Options) -> Compiler {
        Compiler { options }
    }

    /// Parses and checks a text; `name` is what messages call it.
    pub fn compile(&self, name: &str, text: &str) -> Result<Compiled, Report> {
        with_deep_stack(|| {
            let mut sources = SourceMap::new();
            match pipeline::front(&mut sources, name, text) {
                Ok(front) => Ok(Compiled::new(self.options, sources, front)),
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
    types: Rc<TypeTable>,
    warnings: Report,
    /// Made at the first run; made anew when an expression has become part of the program.
    evaluator: Option<Evaluator>,
}

impl Compiled {
    fn new(options: Options, sources: SourceMap, front: pipeline::Front) -> Compiled {
        let pipeline::Front { file, module, checked, warnings } = front;
        let types = Rc::new(checked.types().clone());
        let warnings = Report::new(warnings, sources.clone());
        Compiled { options, sources, module, checked, file, types, warnings, evaluator: None }
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
    pub fn call(&mut self, def: &str, arguments: &[Argument]) -> Result<Answer, Report> {
        with_deep_stack(|| {
            let res = self.call_definition(def, arguments);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// How many operations the last evaluation or call took.
    pub fn cost(&self) -> Cost {
        self.evaluator.as_ref().map(Evaluator::cost).unwrap_or_default()
    }

    pub(crate) fn report(&self, diagnostics: Vec<Diagnostic>) -> Report {
        Report::new(diagnostics, self.sources.clone())
    }

    fn eval_expression(
        &mut self,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let file = self.sources.add("<expression>", expression);
        let (expr, diagnostics) = syntax::parse_expr(file, expression);
        if pipeline::has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        let entry = self.entry(&expr, arguments)?;
        pipeline::verify(&self.checked.program, "check");
        self.evaluator = None;
        self.run(&entry.def, arguments, expr.span)
    }

    /// Checks an expression. The types of arguments that it does not decide are those of the
    /// data; integers may be meant as reals, so that is tried too.
    fn entry(
        &mut self,
        expr: &ast::Expr,
        arguments: &[Argument],
    ) -> Result<check::Entry, Vec<Diagnostic>> {
        let mut first = None;
        for params in argument::guesses(arguments)? {
            match self.checked.expression(expr, &params) {
                Ok(entry) => return Ok(entry),
                Err(errors) => first = first.or(Some(errors)),
            }
        }
        Err(first.expect("there is at least one guess"))
    }

    fn call_definition(
        &mut self,
        name: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let found = self.checked.defs.iter().find(|it| *it.name == *name);
        let (def, span) = match found {
            Some(def) => (def.name.clone(), def.span),
            None => return Err(vec![self.no_definition(name)]),
        };
        self.run(&def, arguments, span)
    }

    pub(crate) fn no_definition(&self, name: &str) -> Diagnostic {
        let known = self.checked.defs.iter().map(|it| it.name.as_str());
        error::no_definition(name, nearest(name, known))
    }

    /// Runs a definition of the program; `span` is the place to blame if nothing better is known.
    pub(crate) fn run(
        &mut self,
        def: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let scheme = self.checked.scheme(def).expect("a definition of a checked program").clone();
        if self.types.has_function(&scheme.result) {
            let ty = scheme.result.to_string();
            return Err(vec![error::function_result(span, &ty)]);
        }
        let parameters = parameters(&scheme);
        let bound = argument::bind(&self.types, self.options.precision, &parameters, arguments)?;
        let sizes = size_arguments(&scheme, &bound);
        self.evaluator().reset_cost();
        let mut results = self
            .evaluator()
            .call(def, &sizes, bound.values)
            .map_err(|error| vec![error.to_diagnostic(span)])?;
        // Sizes that only the run could tell come first, the value last.
        let value = results.pop().expect("a definition has a result");
        Ok(self.answer(&scheme.result, value))
    }

    fn answer(&self, ty: &Type, value: Value) -> Answer {
        Answer::new(self.types.clone(), self.options.precision, ty, value)
    }

    fn evaluator(&mut self) -> &mut Evaluator {
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

fn parameters(scheme: &Scheme) -> Vec<Parameter> {
    let params = scheme.params.as_deref().unwrap_or(&[]);
    params
        .iter()
        .map(|it| Parameter {
            name: it.name.clone(),
            ty: it.ty.clone(),
            size: it.rigid.clone().map(|it| Size::var(SizeAtom::Rigid(it))),
        })
        .collect()
}

/// Values of the size parameters. One that no argument tells belongs to arrays without
/// elements only; zero is as good as any.
fn size_arguments(scheme: &Scheme, bound: &Bound) -> Vec<i64> {
    let size = |rigid: &check::Rigid| Size::var(SizeAtom::Rigid(rigid.clone()));
    scheme.sizes.iter().map(|it| bound.sizes.value(&size(it)).unwrap_or(0)).collect()
}
