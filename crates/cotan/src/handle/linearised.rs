//! Functions at a point, from handles: a run whose derivative both ways is kept.

use std::sync::{Arc, Mutex};

use base::Diagnostic;

use super::entry::Entry;
use super::inputs::Inputs;
use super::{Function, lock};
use crate::answer::Answer;
use crate::argument::{self, Bound, Parameter};
use crate::data::Data;
use crate::deep::with_deep_stack;
use crate::linearisation::{Direction, Linearisation};
use crate::machine::Few;
use crate::report::Report;

/// A function at a point: it has run once, and what its derivative needs of that run is kept until the last
/// clone is dropped. Made by [`Function::linearise`]; threads that share it take turns.
///
/// The interpreter made it, whatever the back end: by dual numbers by method `forward`, else by a tape.
///
/// ```
/// # fn main() -> Result<(), cotan::Report> {
/// let program = cotan::Program::new("def f(x: [n]Real, y: Real): Real = sum(x * x) * y")?;
/// let at = program.function("f")?.wrt(["x"]).linearise(([1.0, 3.0], 2.0))?;
/// assert_eq!(at.value().as_real(), Some(20.0));
/// assert_eq!(at.jvp(([1.0, 1.0],))?.as_real(), Some(16.0));
/// assert_eq!(at.vjp((0.5,))?.to_text(), "[2.0, 6.0]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Linearised {
    shared: Arc<Shared>,
}

struct Shared {
    entry: Arc<Entry>,
    value: Answer,
    run: Mutex<Linearisation>,
}

impl Linearised {
    pub(super) fn new(function: &Function, inputs: &impl Inputs) -> Result<Linearised, Report> {
        let entry = function.entry()?.clone();
        let run = with_deep_stack(|| {
            let mut data: Few<Data<'_>> = Few::new();
            inputs.each(&mut |it| data.push(it));
            let bound = entry.bound(inputs, &data)?;
            // It has a copy of the program: nothing is locked while it runs.
            let mut evaluator = lock(&entry.compiled).new_evaluator();
            evaluator.stopped_by(&function.stop);
            let of = (&entry.types, entry.options.precision);
            Linearisation::run(evaluator, of, &entry.signature, bound)
        });
        let run = run.map_err(|it| entry.report(it))?;
        let value = run.value().clone();
        Ok(Linearised { shared: Arc::new(Shared { entry, value, run: Mutex::new(run) }) })
    }

    /// The value of the function.
    pub fn value(&self) -> &Answer {
        &self.shared.value
    }

    /// The tangent of the value for directions of the parameters that it is by, in order, or for `dx` by
    /// name.
    pub fn jvp(&self, directions: impl Inputs) -> Result<Answer, Report> {
        self.applied(Direction::Push, &directions)
    }

    /// The cotangents of the parameters that it is by for a cotangent of the value, or for `dy` by name.
    pub fn vjp(&self, cotangent: impl Inputs) -> Result<Answer, Report> {
        self.applied(Direction::Pull, &cotangent)
    }

    fn applied(&self, direction: Direction, inputs: &impl Inputs) -> Result<Answer, Report> {
        let res = with_deep_stack(|| {
            let mut run = lock(&self.shared.run);
            let bound = self.bound(run.parameter(direction), inputs)?;
            run.apply(direction, bound)
        });
        res.map_err(|it| self.shared.entry.report(it))
    }

    /// The argument of the derivative: several are a tuple.
    fn bound(&self, parameter: &Parameter, inputs: &impl Inputs) -> Result<Bound, Vec<Diagnostic>> {
        let (types, precision) = (&self.shared.entry.types, self.shared.entry.options.precision);
        let parameter = std::slice::from_ref(parameter);
        if let Some(arguments) = inputs.by_name() {
            return argument::bind(types, precision, parameter, arguments);
        }
        let mut data = Vec::new();
        inputs.each(&mut |it| data.push(it));
        if data.len() > 1 {
            data = vec![Data::Tuple(data)];
        }
        argument::bind_in_order(types, precision, parameter, &data)
    }
}
