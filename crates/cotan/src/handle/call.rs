//! Calls that are ready to be made: arguments are bound once, and can be changed one by one.

use std::sync::Arc;

use base::Diagnostic;
use check::Type;
use eval::{Precision, RunError, Value};

use super::entry::{Entry, Given};
use super::inputs::Inputs;
use super::shorter::Values;
use crate::Stop;
use crate::answer::{Answer, Held, Room};
use crate::argument::{self, Bound};
use crate::data::{Data, ToData};
use crate::deep::with_deep_stack;
use crate::error;
use crate::machine::{Entered, Few, Left, Machine};
use crate::report::Report;
use crate::sizes::Sizes;

/// A call that is ready to be made, many times and from many threads. Made by
/// [`Function::prepare`](crate::Function::prepare).
///
/// ```
/// # fn main() -> Result<(), cotan::Report> {
/// let program = cotan::Program::new("def f(x: [n]Real, y: Real): Real = sum(x) * y")?;
/// let mut call = program.function("f")?.grad().wrt(["x"]).prepare(([1.0, 2.0], 3.0))?;
/// assert_eq!(call.call()?.to_text(), "[3.0, 3.0]");
/// call.set("y", 5.0)?;
/// let mut gradient = [0.0; 2];
/// call.call_into(&mut gradient)?;
/// assert_eq!(gradient, [5.0, 5.0]);
/// assert!(call.set("x", [1.0, 2.0, 3.0]).is_err(), "it was prepared for two");
/// # Ok(())
/// # }
/// ```
pub struct Call {
    entry: Arc<Entry>,
    stop: Stop,
    values: Vec<Value>,
    sizes: Sizes,
    size_arguments: Vec<i64>,
    /// For compiled code; none if the interpreter is to run it.
    ready: Option<(Arc<Machine>, Entered)>,
}

/// A parameter: its name, or its number from 0.
pub trait Which {
    /// Its number among these.
    fn find(&self, names: &[&str]) -> Option<usize>;

    /// As messages call it: a number or a name.
    fn shown(&self) -> Result<usize, &str>;
}

impl Which for usize {
    fn find(&self, names: &[&str]) -> Option<usize> {
        (*self < names.len()).then_some(*self)
    }

    fn shown(&self) -> Result<usize, &str> {
        Ok(*self)
    }
}

impl Which for &str {
    fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().position(|it| it == self)
    }

    fn shown(&self) -> Result<usize, &str> {
        Err(self)
    }
}

impl Call {
    pub(super) fn new(entry: Arc<Entry>, stop: Stop, inputs: &impl Inputs) -> Result<Call, Report> {
        let ready = with_deep_stack(|| {
            let mut data: Few<Data<'_>> = Few::new();
            inputs.each(&mut |it| data.push(it));
            let Bound { values, sizes } = entry.bound(inputs, &data)?;
            let size_arguments = entry.signature.sizes_by(&sizes);
            let machine = entry.machine(&size_arguments)?;
            let ready = machine.map(|it| {
                let entered = it.enter_for_many(&size_arguments, &values);
                (it, entered)
            });
            Ok((values, sizes, size_arguments, ready))
        });
        match ready {
            Ok((values, sizes, size_arguments, ready)) => {
                Ok(Call { entry, stop, values, sizes, size_arguments, ready })
            }
            Err(diagnostics) => Err(entry.report(diagnostics)),
        }
    }

    /// Makes it.
    pub fn call(&self) -> Result<Answer, Report> {
        if let Some((machine, entered)) = &self.ready
            && self.entry.shorter.get().is_none()
            && let Some(real) = machine.real(entered, &self.stop)
        {
            return match real {
                Ok(it) => Ok(self.entry.answer((Held::Value(Value::Real(it)), None))),
                Err(left) => self.answered(self.ended(machine, left)),
            };
        }
        self.answered(self.called())
    }

    fn answered(&self, given: Result<Given, Vec<Diagnostic>>) -> Result<Answer, Report> {
        given.map(|it| self.entry.answer(it)).map_err(|it| self.entry.report(it))
    }

    /// Makes it and writes the result into memory of the caller, as
    /// [`Function::call_into`](crate::Function::call_into) does.
    pub fn call_into(&self, into: impl Room) -> Result<(), Report> {
        let result = self.called().map_err(|it| self.entry.report(it))?;
        self.entry.write(&result, into)
    }

    /// Gives another value to a parameter, by its name or its number. The sizes of arrays stay what they
    /// are: for others, prepare another call.
    pub fn set(&mut self, which: impl Which, value: impl ToData) -> Result<(), Report> {
        let at = self.position(&which)?;
        let changed = match self.entry.signature.is_flat {
            true => self.changed(at, &value),
            false => with_deep_stack(|| self.changed(at, &value)),
        };
        changed.map_err(|it| self.entry.report(it))
    }

    fn position(&self, which: &impl Which) -> Result<usize, Report> {
        let parameters = &self.entry.signature.parameters;
        // Without a list of their names, which takes as long as a call.
        if let Ok(number) = which.shown()
            && number < parameters.len()
        {
            return Ok(number);
        }
        let names: Few<&str> = parameters.iter().map(|it| it.shown_name()).collect();
        which.find(&names).ok_or_else(|| {
            Report::single(match which.shown() {
                Ok(number) => error::no_parameter(number, &names),
                Err(name) => {
                    let near = error::nearest(name, names.iter().copied());
                    error::unknown_argument(name, near, &names)
                }
            })
        })
    }

    fn changed(&mut self, at: usize, value: &impl ToData) -> Result<(), Vec<Diagnostic>> {
        let Entry { types, options, signature, .. } = &*self.entry;
        let parameter = &signature.parameters[at];
        let data = value.to_data();
        // Most changes are those of a number.
        self.values[at] = match (&parameter.ty, &data, options.precision) {
            (Type::Real, Data::Real(it), Precision::F64) => Value::Real(*it),
            (_, _, precision) => argument::rebind(types, precision, parameter, &data, &self.sizes)?,
        };
        if let Some((machine, entered)) = &mut self.ready
            && !machine.set(entered, at, &self.values[at])
        {
            *entered = machine.enter(&self.size_arguments, &self.values);
        }
        Ok(())
    }

    fn called(&self) -> Result<Given, Vec<Diagnostic>> {
        let Call { entry, stop, ready, .. } = self;
        let given = self.given();
        if entry.shorter.get().is_some() {
            return entry.by_values(&given, stop);
        }
        match ready {
            Some((machine, entered)) => self.ended(machine, machine.call_until(entered, stop)),
            None => {
                let res = entry.interpreted(given.size_arguments, given.values.to_vec(), stop);
                entry.or_shorter(res, &given, stop)
            }
        }
    }

    fn given(&self) -> Values<'_> {
        let Call { values, sizes, size_arguments, .. } = self;
        Values { values, sizes, size_arguments }
    }

    /// What compiled code left, or what comes of its error.
    fn ended(
        &self,
        machine: &Arc<Machine>,
        left: Result<Option<Left>, RunError>,
    ) -> Result<Given, Vec<Diagnostic>> {
        let bound = || Bound { values: self.values.clone(), sizes: self.sizes.clone() };
        let res = self.entry.ended(machine, left, || Ok(bound()));
        self.entry.or_shorter(res, &self.given(), &self.stop)
    }
}
