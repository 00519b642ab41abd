//! An entry point that threads call at once.

use std::sync::{Arc, Mutex, RwLock};

use base::{Diagnostic, Name};
use check::TypeTable;
use eval::{Evaluator, Value};
use ir::Program;
use syntax::ast;

use super::inputs::Inputs;
use super::lock;
use crate::answer::{Answer, Held, Spent};
use crate::argument::{self, Argument, Bound, Parameter};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::front;
use crate::machine::{self, Machine};
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::report::Report;
use crate::runner::{Runner, Way};
use crate::signature::Signature;

/// An entry point, with all that a call needs.
pub(super) struct Entry {
    /// Locked while something is compiled.
    compiled: Arc<Mutex<Compiled>>,
    options: Options,
    types: Arc<TypeTable>,
    signature: Signature,
    /// Machine code by typical sizes; those that the interpreter is to run have none.
    machines: RwLock<Vec<Known>>,
    /// Interpreters that wait for calls; each runs one at a time.
    idle: Mutex<Vec<Worker>>,
}

/// Typical sizes, and the code for them.
type Known = (Vec<i64>, Option<Arc<Machine>>);

/// An interpreter.
enum Worker {
    Plain(Box<Evaluator>),
    Runner(Box<Runner>),
}

impl Entry {
    /// The entry point that computes a text over these parameters.
    pub(super) fn new(
        compiled: Arc<Mutex<Compiled>>,
        options: Options,
        text: &str,
        params: &[String],
    ) -> Result<Entry, Report> {
        let mut guard = lock(&compiled);
        let signature = with_deep_stack(|| {
            let res = signature(&mut guard, text, params);
            res.map_err(|diagnostics| guard.report(diagnostics))
        })?;
        let types = guard.types.clone();
        drop(guard);
        let (machines, idle) = (RwLock::default(), Mutex::default());
        Ok(Entry { compiled, options, types, signature, machines, idle })
    }

    pub(super) fn call(&self, inputs: &impl Inputs) -> Result<Answer, Report> {
        let names: Vec<&str> =
            self.signature.parameters.iter().map(|it| it.name.as_deref().unwrap_or("")).collect();
        let arguments = inputs.arguments(&names);
        let res = match self.signature.is_shallow {
            true => self.called(&arguments),
            false => with_deep_stack(|| self.called(&arguments)),
        };
        res.map_err(|diagnostics| lock(&self.compiled).report(diagnostics))
    }

    fn called(&self, arguments: &[Argument]) -> Result<Answer, Vec<Diagnostic>> {
        let Signature { parameters, .. } = &self.signature;
        let bound = argument::bind(&self.types, self.options.precision, parameters, arguments)?;
        let sizes = self.signature.size_arguments(&bound);
        let Some(machine) = self.machine(&sizes)? else {
            return with_deep_stack(|| self.interpreted(&sizes, bound));
        };
        match machine.call(&machine.enter(&sizes, &bound.values)) {
            Ok(left) => {
                let left = left.expect("it is not made in a hurry");
                Ok(self.answer(Held::of(&machine, left)))
            }
            Err(error) => {
                let mut compiled = lock(&self.compiled);
                Err(compiled.retold(error, &self.signature, &sizes, bound.values))
            }
        }
    }

    /// The code for such sizes; none if the interpreter is to run it.
    fn machine(&self, sizes: &[i64]) -> Result<Option<Arc<Machine>>, Vec<Diagnostic>> {
        let typical = machine::typical(sizes);
        let find = |all: &[Known]| all.iter().find(|it| it.0 == typical).map(|it| it.1.clone());
        let known = self.machines.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = find(&known) {
            return Ok(known);
        }
        drop(known);
        let Signature { def, span, .. } = &self.signature;
        let effort = self.options.lasting_effort();
        let made =
            with_deep_stack(|| lock(&self.compiled).machine(def, *span, Some(sizes), effort))?;
        let mut all = self.machines.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if find(&all).is_none() {
            all.push((typical, made.clone()));
        }
        Ok(made)
    }

    /// By an interpreter that nobody else uses meanwhile.
    fn interpreted(&self, sizes: &[i64], bound: Bound) -> Result<Answer, Vec<Diagnostic>> {
        let idle = lock(&self.idle).pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => self.worker()?,
        };
        let def = &self.signature.def;
        let (results, spent) = match &mut worker {
            Worker::Plain(it) => (it.call(def, sizes, bound.values), Spent::of(it)),
            Worker::Runner(it) => (it.call(sizes, &bound.values), Spent::of(&it.evaluator)),
        };
        lock(&self.idle).push(worker);
        let mut results = results.map_err(|it| vec![it.to_diagnostic(self.signature.span)])?;
        let value: Value = results.pop().expect("a definition has a result");
        Ok(self.answer(Held::Value(value)).after(spent))
    }

    fn worker(&self) -> Result<Worker, Vec<Diagnostic>> {
        let program: Program = lock(&self.compiled).checked.program.clone();
        let Signature { def, span, .. } = &self.signature;
        let way = match self.options.via.makes_programs() {
            true => Way::of(&program, def, self.options),
            false => Way::Plain,
        };
        match way {
            Way::Ready(runner) => Ok(Worker::Runner(runner)),
            Way::Refused(method, it) => {
                Err(vec![error::not_accepted(method.name, it.span.unwrap_or(*span), &it.reason)])
            }
            Way::Plain => {
                let limits = self.options.limits();
                let evaluator = Evaluator::new(Arc::new(program), Box::new(OnDemand), limits);
                Ok(Worker::Plain(Box::new(evaluator)))
            }
        }
    }

    /// The parameters with their types, and the type of the result.
    pub(super) fn types(&self) -> (Vec<(String, String)>, String) {
        let Signature { parameters, result, .. } = &self.signature;
        let name = |it: &Parameter| it.name.as_deref().unwrap_or("").to_owned();
        let shown = parameters.iter().map(|it| (name(it), it.ty.to_string()));
        with_deep_stack(|| (shown.collect(), result.to_string()))
    }

    fn answer(&self, held: Held) -> Answer {
        let result = self.signature.result.clone();
        Answer::held(self.types.clone(), self.options.precision, result, held)
    }
}

fn signature(
    compiled: &mut Compiled,
    text: &str,
    params: &[String],
) -> Result<Signature, Vec<Diagnostic>> {
    let expr = parsed(compiled, text)?;
    let params: Vec<_> = params.iter().map(|it| (Name::new(it), None)).collect();
    let entry = compiled.checked.expression(&expr, &params);
    let entry = entry.map_err(|errors| check::diagnostics(&errors))?;
    compiled.forget_evaluator();
    let signature = compiled.signature(&entry.def, expr.span);
    match signature.gives_function {
        true => Err(vec![error::function_result(expr.span, &signature.result.to_string())]),
        false => Ok(signature),
    }
}

fn parsed(compiled: &mut Compiled, text: &str) -> Result<ast::Expr, Vec<Diagnostic>> {
    let file = compiled.sources.add("<expression>", text);
    let (expr, diagnostics) = syntax::parse_expr(file, text);
    if front::has_errors(&diagnostics) { Err(diagnostics) } else { Ok(expr) }
}

/// The names of the parameters of a function that is written as an expression.
pub(super) fn params_of(compiled: &mut Compiled, text: &str) -> Result<Vec<String>, Report> {
    let expr = parsed(compiled, text).map_err(|it| compiled.report(it))?;
    let mut expr = &expr;
    while let ast::ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    let ast::ExprKind::Lambda { params, .. } = &expr.kind else { return Ok(Vec::new()) };
    let name = |(at, it): (usize, &ast::Param)| {
        if let ast::PatternKind::Name(name) = &it.pattern.kind {
            return name.to_string();
        }
        format!("x{at}")
    };
    Ok(params.iter().enumerate().map(name).collect())
}
