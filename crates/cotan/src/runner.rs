//! How an entry point runs in the interpreter: by a program without derivative operators that was made
//! before, or as it is.

use std::sync::Arc;

use ad::bulk::Refused;
use base::Name;
use eval::{Evaluator, Pattern, RunError, Value};
use ir::Program;

use crate::flattening::Flattening;
use crate::method::{Interpreted, Method};
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::parts::reaches_derivative;
use crate::pipeline::{Resolved, resolve_with};

/// How an entry point runs.
pub(crate) enum Way {
    /// As it is: there is nothing to differentiate, or the interpreter does so as it goes.
    Plain,
    /// By a program of its own.
    Ready(Box<Runner>),
    /// Not at all: no method that is allowed accepts it, for this reason.
    Refused(&'static Method, Refused),
}

/// A program of its own for an entry point, that runs.
pub(crate) struct Runner {
    entry: Name,
    flattening: Flattening,
    pub(crate) evaluator: Evaluator,
}

impl Way {
    /// The way of an entry point, by the first method that accepts it.
    pub(crate) fn of(program: &Program, entry: &Name, options: Options) -> Way {
        if !reaches_derivative(program, entry) {
            return Way::Plain;
        }
        let mut way = Way::Plain;
        for method in options.via.tried() {
            match method.interpreted {
                Interpreted::OnDemand(_) => return Way::Plain,
                Interpreted::Before(steps) => {
                    match resolve_with(steps, program, entry, options.checkpoints) {
                        Ok(it) => return Way::Ready(Box::new(Runner::new(it, options))),
                        Err(refused) => way = Way::Refused(method, refused),
                    }
                }
            }
        }
        way
    }
}

impl Runner {
    fn new(resolved: Resolved, options: Options) -> Runner {
        let Resolved { program, entry, flattening } = resolved;
        let evaluator = Evaluator::new(Arc::new(program), Box::new(OnDemand), options.limits());
        Runner { entry, flattening, evaluator }
    }

    /// The results of a call.
    pub(crate) fn call(&mut self, sizes: &[i64], args: &[Value]) -> Result<Vec<Value>, RunError> {
        let results = self.call_within(u64::MAX, sizes, args)?;
        Ok(results.expect("it had all the time there is"))
    }

    /// On which reals of the active arguments each real of the results depends.
    pub(crate) fn pattern(
        &mut self,
        sizes: &[i64],
        args: &[Value],
        active: &[bool],
    ) -> Result<Pattern, RunError> {
        let widths = self.flattening.widths();
        let active = widths.iter().zip(active).flat_map(|(n, it)| vec![*it; *n]);
        let active: Vec<bool> = active.collect();
        let args = self.flattening.arguments(args);
        let res = self.evaluator.pattern(&self.entry, sizes, &args, &active);
        let mut res = res.map_err(|it| self.flattening.error(it))?;
        let mut leaves = res.inputs.into_iter();
        res.inputs = widths.iter().map(|n| leaves.by_ref().take(*n).sum()).collect();
        Ok(res)
    }

    /// The results of a call; none if it takes more than so many operations.
    pub(crate) fn call_within(
        &mut self,
        operations: u64,
        sizes: &[i64],
        args: &[Value],
    ) -> Result<Option<Vec<Value>>, RunError> {
        let args = self.flattening.arguments(args);
        let results = self.evaluator.call_within(operations, &self.entry, sizes, args);
        let results = results.map_err(|it| self.flattening.error(it))?;
        Ok(results.map(|it| self.flattening.results(it)))
    }
}
