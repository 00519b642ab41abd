//! An entry point that threads call at once.

use std::sync::{Arc, Mutex, OnceLock};

use base::Diagnostic;
use check::TypeTable;
use eval::{Evaluator, Value};
use ir::Program;

use super::copies::Copies;
use super::direct::Direct;
use super::inputs::Inputs;
use super::lock;
use super::machines::Machines;
use super::text::Text;
use super::written::signature;
use crate::Stop;
use crate::answer::{self, Answer, Held, Kind, Room, Spent};
use crate::argument::{self, Bound};
use crate::compiler::Compiled;
use crate::data::Data;
use crate::deep::with_deep_stack;
use crate::error;
use crate::machine::{Few, Input, Left, Machine};
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::report::Report;
use crate::runner::{Runner, Way};
use crate::signature::Signature;

/// An entry point, with all that a call needs.
pub(super) struct Entry {
    /// Locked while something is compiled.
    pub(super) compiled: Arc<Mutex<Compiled>>,
    pub(super) options: Options,
    pub(super) types: Arc<TypeTable>,
    pub(super) signature: Signature,
    /// The short way of arguments into compiled code.
    direct: Option<Direct>,
    machines: Machines,
    /// What its answers are.
    kinds: Copies<Kind>,
    /// Interpreters that wait for calls; each runs one at a time.
    idle: Mutex<Vec<Worker>>,
    /// The entry point with less kept for the way back, once memory was short.
    pub(super) shorter: OnceLock<Box<Entry>>,
}

/// What a call gave, and what that took an interpreter.
pub(super) type Given = (Held, Option<Arc<Spent>>);

/// An interpreter.
enum Worker {
    Plain(Box<Evaluator>),
    Runner(Box<Runner>),
}

impl Entry {
    /// The entry point that computes a text.
    pub(super) fn new(
        compiled: Arc<Mutex<Compiled>>,
        options: Options,
        text: &Text<'_>,
    ) -> Result<Entry, Report> {
        let mut guard = lock(&compiled);
        let signature = with_deep_stack(|| {
            let res = signature(&mut guard, text);
            res.map_err(|diagnostics| guard.report(diagnostics))
        })?;
        let types = guard.types.clone();
        drop(guard);
        let direct = Direct::new(&signature, options.precision);
        Ok(Entry::made(compiled, options, types, signature, direct))
    }

    /// The entry point of a definition that was made.
    pub(super) fn of(like: &Entry, signature: Signature) -> Entry {
        let Entry { compiled, options, types, .. } = like;
        Entry::made(compiled.clone(), *options, types.clone(), signature, None)
    }

    fn made(
        compiled: Arc<Mutex<Compiled>>,
        options: Options,
        types: Arc<TypeTable>,
        signature: Signature,
        direct: Option<Direct>,
    ) -> Entry {
        let (precision, ty) = (options.precision, signature.result.clone());
        let kinds = Copies::new(&Kind { types: types.clone(), precision, ty });
        let (machines, idle, shorter) = Default::default();
        Entry { compiled, options, types, signature, direct, machines, kinds, idle, shorter }
    }

    /// What it gives for these values, as its definition takes them; none if something is in its way,
    /// unless that is somebody who stops it.
    pub(super) fn attempt(
        &self,
        sizes: &[i64],
        values: Vec<Value>,
        stop: &Stop,
    ) -> Result<Option<Answer>, Report> {
        let given = with_deep_stack(|| match self.machine(sizes)? {
            None => self.interpreted(sizes, values, stop),
            Some(machine) => {
                let left = machine.call_until(&machine.enter(sizes, &values), stop);
                let left = left.map_err(|it| vec![it.to_diagnostic(self.signature.span)])?;
                let left = left.expect("it is not made in a hurry");
                Ok((Held::of(&machine, left), None))
            }
        });
        match given {
            Ok(given) => Ok(Some(self.answer(given))),
            Err(diagnostics) => {
                let report = self.report(diagnostics);
                if report.codes().contains(&"E0614") { Err(report) } else { Ok(None) }
            }
        }
    }

    /// Its type.
    pub(super) fn type_text(&self) -> String {
        let Signature { parameters, result, .. } = &self.signature;
        let params = parameters.iter().map(|it| format!("{}: {}", it.shown_name(), it.ty));
        let params: Vec<String> = params.collect();
        format!("({}) -> {result}", params.join(", "))
    }

    pub(super) fn call(&self, inputs: &impl Inputs, stop: &Stop) -> Result<Answer, Report> {
        self.held(inputs, stop).map(|it| self.answer(it))
    }

    /// Calls it and writes the result.
    pub(super) fn call_into(
        &self,
        inputs: &impl Inputs,
        stop: &Stop,
        into: impl Room,
    ) -> Result<(), Report> {
        self.write(&self.held(inputs, stop)?, into)
    }

    /// Writes a result.
    pub(super) fn write(&self, result: &Given, into: impl Room) -> Result<(), Report> {
        answer::write(&self.types, &self.signature.result, &result.0, into)
    }

    pub(super) fn held_by(&self, inputs: &impl Inputs, stop: &Stop) -> Result<Given, Report> {
        if let Some(shorter) = self.shorter.get() {
            return shorter.held_by(inputs, stop);
        }
        let res = match self.signature.is_flat {
            true => self.called(inputs, stop),
            // Data may nest as deep as the caller likes.
            false => with_deep_stack(|| self.called(inputs, stop)),
        };
        if let Err(errors) = &res
            && let Some(shorter) = self.shortened(errors, stop)
        {
            return shorter.held_by(inputs, stop);
        }
        res.map_err(|diagnostics| self.report(diagnostics))
    }

    pub(super) fn report(&self, diagnostics: Vec<Diagnostic>) -> Report {
        lock(&self.compiled).report(diagnostics)
    }

    fn called(&self, inputs: &impl Inputs, stop: &Stop) -> Result<Given, Vec<Diagnostic>> {
        let mut data: Few<Data<'_>> = Few::new();
        inputs.each(&mut |it| data.push(it));
        let mut given = Few::new();
        if let Some(direct) = &self.direct
            && let Some(()) = direct.inputs(&data, &mut given)
            && let Some(Some(machine)) = self.machines.find(&sizes_of(&given[..direct.n_sizes()]))
        {
            let left = machine.call_directly(&given, stop);
            return self.ended(machine, left, || self.bound(&(), &data));
        }
        let bound = self.bound(inputs, &data)?;
        let sizes = self.signature.size_arguments(&bound);
        let Some(machine) = self.machine(&sizes)? else {
            return self.interpreted(&sizes, bound.values, stop);
        };
        let left = machine.call_until(&machine.enter(&sizes, &bound.values), stop);
        self.ended(&machine, left, || Ok(bound))
    }

    /// Values for the parameters: by name, or these in order.
    pub(super) fn bound(
        &self,
        inputs: &impl Inputs,
        data: &[Data<'_>],
    ) -> Result<Bound, Vec<Diagnostic>> {
        let (types, precision) = (&self.types, self.options.precision);
        let parameters = &self.signature.parameters;
        match inputs.by_name() {
            Some(arguments) => argument::bind(types, precision, parameters, arguments),
            None => argument::bind_in_order(types, precision, parameters, data),
        }
    }

    /// What a call of compiled code left, or the error as the interpreter tells it for these arguments.
    pub(super) fn ended(
        &self,
        machine: &Arc<Machine>,
        left: Result<Option<Left>, eval::RunError>,
        bound: impl FnOnce() -> Result<Bound, Vec<Diagnostic>>,
    ) -> Result<Given, Vec<Diagnostic>> {
        match left {
            Ok(left) => {
                let left = left.expect("it is not made in a hurry");
                Ok((Held::of(machine, left), None))
            }
            Err(error) => with_deep_stack(|| {
                let bound = bound()?;
                let sizes = self.signature.size_arguments(&bound);
                let mut compiled = lock(&self.compiled);
                Err(compiled.retold(error, &self.signature, &sizes, bound.values))
            }),
        }
    }

    /// The code for such sizes; none if the interpreter is to run it.
    pub(super) fn machine(&self, sizes: &[i64]) -> Result<Option<Arc<Machine>>, Vec<Diagnostic>> {
        if let Some(known) = self.machines.find(sizes) {
            return Ok(known.clone());
        }
        let Signature { def, span, .. } = &self.signature;
        let effort = self.options.lasting_effort();
        let made =
            with_deep_stack(|| lock(&self.compiled).machine(def, *span, Some(sizes), effort))?;
        self.machines.add(sizes, made.clone());
        Ok(made)
    }

    /// By an interpreter that nobody else uses meanwhile.
    pub(super) fn interpreted(
        &self,
        sizes: &[i64],
        values: Vec<Value>,
        stop: &Stop,
    ) -> Result<Given, Vec<Diagnostic>> {
        let idle = lock(&self.idle).pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => with_deep_stack(|| self.worker())?,
        };
        let def = &self.signature.def;
        // A stack of its own would cost more than many a call, and the interpreter gets more when it needs
        // more; only types may be deeper than that.
        let run = || match &mut worker {
            Worker::Plain(it) => {
                it.stopped_by(stop);
                it.reset_cost();
                (it.call(def, sizes, values), Spent::of(it))
            }
            Worker::Runner(it) => {
                it.evaluator.stopped_by(stop);
                (it.call(sizes, &values), Spent::of(&it.evaluator))
            }
        };
        let (results, spent) = match self.signature.is_shallow {
            true => run(),
            false => with_deep_stack(run),
        };
        lock(&self.idle).push(worker);
        let mut results = results.map_err(|it| vec![it.to_diagnostic(self.signature.span)])?;
        let value: Value = results.pop().expect("a definition has a result");
        Ok((Held::Value(value), Some(spent)))
    }

    fn worker(&self) -> Result<Worker, Vec<Diagnostic>> {
        let Signature { def, span, .. } = &self.signature;
        let guard = lock(&self.compiled);
        let (program, options): (Program, Options) =
            (guard.checked.program.clone(), guard.options_of(def));
        drop(guard);
        let way = match self.options.via.makes_programs() {
            true => Way::of(&program, def, options),
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

    /// The types of the parameters and of the result.
    pub(super) fn types(&self) -> (Vec<String>, String) {
        let Signature { parameters, result, .. } = &self.signature;
        let shown = parameters.iter().map(|it| it.ty.to_string());
        with_deep_stack(|| (shown.collect(), result.to_string()))
    }

    /// A result as an answer.
    pub(super) fn answer(&self, (held, spent): Given) -> Answer {
        let answer = Answer::held(self.kinds.own().clone(), held);
        match spent {
            Some(spent) => answer.after(spent),
            None => answer,
        }
    }
}

fn sizes_of(inputs: &[Input<'_>]) -> Few<i64> {
    inputs.iter().map(|it| if let Input::Int(it) = it { *it } else { 0 }).collect()
}
