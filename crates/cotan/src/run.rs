//! Runs programs: expressions and calls of definitions, by compiled code or by the interpreter.

use base::{Diagnostic, Name, Span};
use eval::Value;

use crate::again::is_short;
use crate::answer::{Answer, Held, Spent};
use crate::argument::{self, Argument};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::machine::Patience;
use crate::once::InTime;
use crate::options::Effort;
use crate::report::Report;
use crate::runner::{Runner, Way};
use crate::signature::Signature;

impl Compiled {
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

    fn eval_expression(
        &mut self,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let (def, span) = self.entry_of(expression, arguments)?;
        self.run(&def, arguments, span)
    }

    /// The entry point of an expression, and its place.
    pub(crate) fn entry_of(
        &mut self,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<(Name, Span), Vec<Diagnostic>> {
        // The same text on arguments of the same types is the same entry point.
        let key = format!("{expression}\n{:?}", argument::natural_guess(arguments)?);
        if let Some(known) = self.kept.expressions.get(&key) {
            return Ok(known.clone());
        }
        let file = self.sources.add("<expression>", expression);
        let (expr, diagnostics) = syntax::parse_expr(file, expression);
        if check::has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        let entry = self.entry(&expr, arguments)?;
        self.forget_evaluator();
        self.kept.expressions.insert(key, (entry.def.clone(), expr.span));
        Ok((entry.def, expr.span))
    }

    fn call_definition(
        &mut self,
        name: &str,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let known = self.kept.signatures.get(name).filter(|it| it.is_shallow).cloned();
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
        match self.kept.machines.get(def) {
            Some(Ok(_)) => return true,
            Some(Err(_)) => {}
            None if self.tries_compiler() => return false,
            None => {}
        }
        match self.kept.ways.get(def) {
            Some(Way::Ready(_)) => true,
            Some(Way::Plain | Way::Refused(..)) => self.kept.evaluator.is_some(),
            None => self.kept.evaluator.is_some() && !self.options.via.makes_programs(),
        }
    }

    /// Runs a definition that is run once; `span` is the place to blame if nothing better is known.
    pub(crate) fn run(
        &mut self,
        def: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Answer, Vec<Diagnostic>> {
        self.run_by(&self.signature(def, span), arguments)
    }

    /// As `run`, of a definition that the text may not have.
    pub(crate) fn run_by(
        &mut self,
        signature: &Signature,
        arguments: &[Argument],
    ) -> Result<Answer, Vec<Diagnostic>> {
        let effort = match self.options.effort {
            Effort::Fitting | Effort::Once => Effort::Once,
            it @ (Effort::Full | Effort::Quick) => it,
        };
        self.run_as(signature, arguments, effort)
    }

    fn run_as(
        &mut self,
        signature: &Signature,
        arguments: &[Argument],
        effort: Effort,
    ) -> Result<Answer, Vec<Diagnostic>> {
        self.stop.telling().begins();
        loop {
            match self.run_once(signature, arguments, effort) {
                Err(errors) if is_short(&errors) && self.keeps_less(&signature.def) => {
                    self.stop.telling().again();
                }
                Err(errors) => {
                    self.stop.telling().ended_early();
                    return Err(errors);
                }
                Ok(answer) => return Ok(answer),
            }
        }
    }

    fn run_once(
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
            let arguments = machine.enter(&sizes, &bound.values);
            let ahead = self.ahead_of_draft(&machine, signature, &sizes);
            match self.answer_of(&machine, &arguments, signature) {
                Ok(Some(answer)) => return Ok(answer),
                // The draft has taken longer than its fast code takes to compile, or than anybody wonders.
                Ok(None) => {
                    if let Some(ahead) = ahead {
                        self.keep_ahead(ahead, signature, (&sizes, effort));
                    }
                }
                Err(error) => return Err(self.retold(error, signature, &sizes, bound.values)),
            }
            match self.meanwhile(&machine, &arguments, signature, (&sizes, effort)) {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {
                    patience = Patience::Endless;
                    self.stop.telling().again();
                }
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
        let Signature { def, span, .. } = signature;
        let stop = self.stop.clone();
        let (results, spent) = match self.runner(def, *span)? {
            Some(runner) => {
                runner.evaluator.stopped_by(&stop);
                let results = runner.call_within(operations, sizes, &values);
                (results, Spent::of(&runner.evaluator))
            }
            None => {
                let evaluator = self.evaluator();
                let results = evaluator.call_within(operations, def, sizes, values);
                (results, Spent::of(evaluator))
            }
        };
        let results = results.map_err(|error| vec![error.to_diagnostic(*span)])?;
        // Sizes that only the run could tell come first, the value last.
        let value = results.map(|mut it| it.pop().expect("a definition has a result"));
        Ok(value.map(|it| self.answer(signature, Held::Value(it)).after(spent)))
    }

    /// The program of its own that an entry point runs by; none if the interpreter is to
    /// differentiate, or if there is nothing to differentiate.
    fn runner(&mut self, def: &Name, span: Span) -> Result<Option<&mut Runner>, Vec<Diagnostic>> {
        if !self.options.via.makes_programs() {
            return Ok(None);
        }
        let (program, options) = (&self.checked.program, self.options_of(def));
        let way =
            self.kept.ways.entry(def.clone()).or_insert_with(|| Way::of(program, def, options));
        match way {
            Way::Ready(runner) => Ok(Some(runner)),
            Way::Refused(method, it) => {
                Err(vec![error::not_accepted(method.name, it.span.unwrap_or(span), &it.reason)])
            }
            Way::Plain => Ok(None),
        }
    }
}
