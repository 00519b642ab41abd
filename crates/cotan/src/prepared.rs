//! Calls by compiled code, and calls whose arguments are bound once and that are made many times.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, Name, Span, Stop};
use eval::{RunError, Value};

use crate::answer::{Answer, Held, Kind};
use crate::argument::{self, Argument};
use crate::backend::{Backend, Found};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::handle::Apart;
use crate::machine::{self, Entered, Machine, Patience, Refused, Wanted, Why};
use crate::options::{Effort, Options};
use crate::report::Report;
use crate::signature::Signature;

/// A call that is ready to be made: its arguments are in the form that the back end takes.
pub struct Prepared {
    signature: Arc<Signature>,
    ready: Ready,
}

enum Ready {
    /// For compiled code.
    Machine(Arc<Machine>, Entered),
    /// For the interpreter.
    Values(Vec<i64>, Vec<Value>),
}

/// What came of the wish for machine code.
pub(crate) enum Made {
    /// The code.
    Machine(Arc<Machine>),
    /// Nothing: the interpreter is to run it.
    Nothing,
    /// Nothing yet: so many operations of the interpreter are to be tried first.
    Dear(u64),
}

impl Compiled {
    /// Binds arguments to the parameters of a definition, once for many calls.
    pub fn prepare(&mut self, def: &str, arguments: &[Argument]) -> Result<Prepared, Report> {
        with_deep_stack(|| {
            let res = self.signature_of(def).and_then(|it| self.prepared(it, arguments));
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// Makes a prepared call of this program. Compiled code takes the arguments as they are, and leaves
    /// large results where they are: [`Answer::slices`] shows them there.
    pub fn call_prepared(&mut self, call: &Prepared) -> Result<Answer, Report> {
        let res = match &call.ready {
            Ready::Machine(machine, arguments) => {
                let answer = self.answer_of(machine, arguments, &call.signature);
                let answer = answer.map_err(|it| vec![it.to_diagnostic(call.signature.span)]);
                answer.map(|it| it.expect("what is prepared is not made in a hurry"))
            }
            Ready::Values(sizes, values) => {
                with_deep_stack(|| self.interpreted(&call.signature, sizes, values.clone()))
            }
        };
        res.map_err(|diagnostics| self.report(diagnostics))
    }

    /// Does all that the first call of a definition needs, and does not run it. Gives the back end that
    /// is going to run it, with the reason where there was a choice.
    pub fn load(&mut self, def: &str) -> Result<(Backend, String), Report> {
        with_deep_stack(|| {
            let res = self.loaded(def);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// Asks compiled code of this program to stop, from another thread.
    pub fn stop_handle(&self) -> Stop {
        self.stop.clone()
    }

    fn loaded(&mut self, def: &str) -> Result<(Backend, String), Vec<Diagnostic>> {
        let signature = self.signature_of(def)?;
        let (def, span, effort) = (&signature.def, signature.span, self.options.effort);
        if let Some(machine) = self.machine(def, span, None, effort)? {
            return Ok((machine.backend(), String::new()));
        }
        let refused = self.kept.machines.get(&signature.def).and_then(|it| it.as_ref().err());
        let reason = refused.map(|it| it.reason.clone()).unwrap_or_default();
        Ok((Backend::Interp, reason))
    }

    pub(crate) fn prepared(
        &mut self,
        signature: Arc<Signature>,
        arguments: &[Argument],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        if signature.gives_function {
            let ty = signature.result.to_string();
            return Err(vec![error::function_result(signature.span, &ty)]);
        }
        let (types, precision) = (&self.types, self.options.precision);
        let bound = argument::bind(types, precision, &signature.parameters, arguments)?;
        let sizes = signature.size_arguments(&bound);
        let effort = self.options.lasting_effort();
        let ready = match self.machine(&signature.def, signature.span, Some(&sizes), effort)? {
            Some(machine) => {
                let entered = machine.enter_for_many(&sizes, &bound.values);
                Ready::Machine(machine, entered)
            }
            None => Ready::Values(sizes, bound.values),
        };
        Ok(Prepared { signature, ready })
    }

    /// Why the back end `auto` does not use the C compiler: it is missing or fails.
    pub fn without_compiler(&self) -> Option<&str> {
        self.kept.without_compiler.as_deref()
    }

    /// Whether entry points are compiled. A compiler that failed once is not asked again, if there is a
    /// choice.
    pub(crate) fn tries_compiler(&self) -> bool {
        self.options.backend.compiles(self.has_compiler())
    }

    pub(crate) fn has_compiler(&self) -> bool {
        self.kept.without_compiler.is_none()
    }

    pub(crate) fn note_refusal(&mut self, refused: &Refused) {
        if refused.why == Why::Compiler && self.options.backend == Backend::Auto {
            self.kept.without_compiler = Some(refused.reason.clone());
        }
    }

    /// The machine code of an entry point; none if the interpreter is to run it. Sizes that are typical
    /// count when it is made.
    pub(crate) fn machine(
        &mut self,
        def: &Name,
        span: Span,
        typical: Option<&[i64]>,
        effort: Effort,
    ) -> Result<Option<Arc<Machine>>, Vec<Diagnostic>> {
        match self.machine_after(Patience::Endless, def, span, typical, effort)? {
            Made::Machine(it) => Ok(Some(it)),
            Made::Nothing | Made::Dear(_) => Ok(None),
        }
    }

    /// As `machine`, if that does not take longer than anybody is patient.
    pub(crate) fn machine_after(
        &mut self,
        patience: Patience,
        def: &Name,
        span: Span,
        typical: Option<&[i64]>,
        effort: Effort,
    ) -> Result<Made, Vec<Diagnostic>> {
        let options = Options { effort, ..self.options_of(def) };
        if !self.tries_compiler() {
            return Ok(Made::Nothing);
        }
        let kind = self.kind_of(def, typical, effort);
        let known = self.kept.machines.entry(def.clone()).or_insert_with(|| Ok(BTreeMap::new()));
        let known = match known {
            Ok(known) => known,
            Err(it) => return refused(it, options.backend, span),
        };
        if let Some(machine) = known.get(&kind) {
            return Ok(Made::Machine(machine.clone()));
        }
        let wanted = Wanted {
            sources: &self.sources,
            program: &self.checked.program,
            entry: def,
            typical: kind.0.as_deref(),
            only_short: false,
            patience,
            watch: &self.watch,
        };
        let has_compiler = self.kept.without_compiler.is_none();
        let found =
            with_deep_stack(|| options.backend.compile(wanted, options, &self.stop, has_compiler));
        match found {
            Ok(Found { machine, without }) => {
                let machine = Arc::new(machine);
                known.insert(kind, machine.clone());
                without.iter().for_each(|it| self.note_refusal(it));
                Ok(Made::Machine(machine))
            }
            Err(Refused { why: Why::Dear(price), .. }) => Ok(Made::Dear(price)),
            Err(it) => {
                let res = refused(&it, options.backend, span);
                self.note_refusal(&it);
                self.kept.machines.insert(def.clone(), Err(it));
                res
            }
        }
    }

    /// Which code of an entry point is wanted, of all that may be made.
    pub(crate) fn kind_of(
        &self,
        def: &Name,
        typical: Option<&[i64]>,
        effort: Effort,
    ) -> machine::Kind {
        let typical = typical.filter(|it| !it.is_empty()).map(machine::typical);
        (typical, effort, self.options_of(def).checkpoints)
    }

    /// Calls compiled code; gives nothing if that was made in a hurry and takes too long.
    pub(crate) fn answer_of(
        &self,
        machine: &Arc<Machine>,
        arguments: &Entered,
        signature: &Signature,
    ) -> Result<Option<Answer>, RunError> {
        let Some(left) = machine.call(arguments)? else { return Ok(None) };
        Ok(Some(self.answer(signature, Held::of(machine, left))))
    }

    pub(crate) fn answer(&self, signature: &Signature, held: Held) -> Answer {
        let (types, precision) = (self.types.clone(), self.options.precision);
        let kind = Kind { types, precision, ty: signature.result.clone() };
        Answer::held(Arc::new(Apart(kind)), held)
    }
}

/// What becomes of an entry point that is not compiled: an error if that was asked for.
fn refused(why: &Refused, backend: Backend, span: Span) -> Result<Made, Vec<Diagnostic>> {
    match backend.back_end() {
        Some(it) => {
            let span = why.span.unwrap_or(span);
            Err(vec![error::not_compiled(it.name, span, &why.reason, why.help)])
        }
        None => Ok(Made::Nothing),
    }
}
