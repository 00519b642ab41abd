//! Handles: programs, functions and their derivatives as values that are cheap to clone and that many
//! threads call at once.
//!
//! A function handle is a text, an expression over the parameters of a definition such as
//! `grad(\w => loss(w, x))(w)` (`handle/text.rs`), compiled when it is called first. What it needs to run
//! is kept beside it (`handle/entry.rs`): the program is locked while something is compiled, never while
//! something runs.

mod call;
mod copies;
mod describe;
mod direct;
mod entry;
mod inputs;
mod linearised;
mod machines;
mod program;
mod shorter;
mod sparse;
mod text;
mod told;
mod written;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::answer::Answer;
use crate::answer::Room;
use crate::backend::Backend;
use crate::error;
use crate::options::Options;
use crate::report::Report;
use crate::{Precision, Stop, Via};
use entry::Entry;
use text::{Of, Operator, Text};

pub use call::{Call, Which};
pub(crate) use copies::Apart;
pub use inputs::Inputs;
pub use linearised::Linearised;
pub use program::Program;
pub use sparse::SparseJacobian;

/// A function of a program, or a derivative of one.
#[derive(Clone)]
pub struct Function {
    program: Program,
    options: Options,
    of: Arc<Of>,
    operator: Operator,
    /// The parameters that a derivative is by; all if none is named.
    wrt: Vec<String>,
    /// Ends its calls.
    stop: Stop,
    entry: Arc<OnceLock<Result<Arc<Entry>, Report>>>,
}

impl Function {
    /// Calls it. Arguments are in the order of the parameters, or have their names.
    pub fn call(&self, inputs: impl Inputs) -> Result<Answer, Report> {
        self.entry()?.call(&inputs, &self.stop)
    }

    /// Calls it and writes the result into memory of the caller: a slice for each array and a reference
    /// for each number of the result, in a tuple if there are several.
    ///
    /// ```
    /// # fn main() -> Result<(), cotan::Report> {
    /// let program = cotan::Program::new("def f(x: [n]Real): Real = sum(x * x)")?;
    /// let f = program.function("f")?.value_and_grad();
    /// let (mut value, mut gradient) = (0.0, [0.0; 3]);
    /// f.call_into(([1.0, 2.0, 3.0],), (&mut value, &mut gradient))?;
    /// assert_eq!((value, gradient), (14.0, [2.0, 4.0, 6.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_into(&self, inputs: impl Inputs, into: impl Room) -> Result<(), Report> {
        self.entry()?.call_into(&inputs, &self.stop, into)
    }

    /// Makes a call ready, to be made many times: its arguments can be changed one by one.
    pub fn prepare(&self, inputs: impl Inputs) -> Result<Call, Report> {
        Call::new(self.entry()?.clone(), self.stop.clone(), &inputs)
    }

    /// Runs it once and keeps what its derivative at this point needs, until that is dropped.
    pub fn linearise(&self, inputs: impl Inputs) -> Result<Linearised, Report> {
        let res = self.derived(Operator::Linearise);
        let wrt = if self.operator == Operator::Value { self.wrt.clone() } else { Vec::new() };
        Linearised::new(&Function { wrt, ..res }, &inputs)
    }

    /// The names of its parameters, in order: behind those of the function the directions or the cotangent,
    /// if it is a derivative that takes them.
    pub fn params(&self) -> Vec<String> {
        self.text().params()
    }

    /// Its type: `(w: [n]Real, y: Real) -> Real`.
    pub fn type_text(&self) -> Result<String, Report> {
        Ok(self.entry()?.type_text())
    }

    /// The text of the program that it belongs to.
    pub fn source(&self) -> &str {
        self.program.source()
    }

    /// The gradient of a function that gives a real.
    pub fn grad(&self) -> Function {
        self.derived(Operator::Grad)
    }

    /// The value and the gradient.
    pub fn value_and_grad(&self) -> Function {
        self.derived(Operator::ValueAndGrad)
    }

    /// The directional derivative: takes a direction `dx` for each parameter `x` it is by.
    pub fn jvp(&self) -> Function {
        self.derived(Operator::Jvp)
    }

    /// The pull-back: takes the cotangent of the result as `dy`.
    pub fn vjp(&self) -> Function {
        self.derived(Operator::Vjp)
    }

    /// The Jacobian.
    pub fn jacobian(&self) -> Function {
        self.derived(Operator::Jacobian)
    }

    /// The Hessian of a function that gives a real.
    pub fn hessian(&self) -> Function {
        self.derived(Operator::Hessian)
    }

    /// The Hessian times a direction `dx` for each parameter `x` it is by.
    pub fn hvp(&self) -> Function {
        self.derived(Operator::Hvp)
    }

    /// This derivative by these parameters only. Results are in the order of the parameters.
    pub fn wrt<'a>(&self, params: impl IntoIterator<Item = &'a str>) -> Function {
        let wrt = params.into_iter().map(str::to_owned).collect();
        Function { wrt, entry: Arc::default(), ..self.clone() }
    }

    /// The function with its derivatives by this method of differentiation.
    pub fn via(&self, via: Via) -> Function {
        self.with(Options { via, ..self.options })
    }

    /// The function run by this back end.
    pub fn backend(&self, backend: Backend) -> Function {
        self.with(Options { backend, ..self.options })
    }

    /// The function computed in this precision.
    pub fn precision(&self, precision: Precision) -> Function {
        self.with(Options { precision, ..self.options })
    }

    /// The function with at most so many threads for one call.
    pub fn threads(&self, threads: NonZeroUsize) -> Function {
        self.with(Options { threads: Some(threads), ..self.options })
    }

    /// The function with other options.
    pub fn with(&self, options: Options) -> Function {
        Function { options, entry: Arc::default(), ..self.clone() }
    }

    /// The function whose calls end when this asks, not when the one of the program does. Derivatives of it
    /// end then too.
    pub fn stopped_by(&self, stop: &Stop) -> Function {
        Function { stop: stop.clone(), ..self.clone() }
    }

    /// A derivative of this, which may be a derivative already.
    fn derived(&self, operator: Operator) -> Function {
        let of = match self.operator == Operator::Value {
            true => self.of.clone(),
            false => Arc::new(self.text().into_of()),
        };
        Function { of, operator, wrt: Vec::new(), entry: Arc::default(), ..self.clone() }
    }

    fn text(&self) -> Text<'_> {
        Text { of: &self.of, operator: self.operator, wrt: &self.wrt }
    }

    fn entry(&self) -> Result<&Arc<Entry>, Report> {
        let entry = self.entry.get_or_init(|| {
            self.known_wrt()?;
            self.program.entry(self.options, &self.text())
        });
        entry.as_ref().map_err(Report::clone)
    }

    /// Fails on names that are no parameters, and where there is none.
    fn known_wrt(&self) -> Result<(), Report> {
        if self.operator != Operator::Value && self.of.params.is_empty() {
            return Err(Report::single(error::nothing_to_differentiate_by(&self.of.text)));
        }
        match self.wrt.iter().find(|it| !self.of.params.contains(it)) {
            None => Ok(()),
            Some(name) => {
                let known: Vec<&str> = self.of.params.iter().map(String::as_str).collect();
                let near = error::nearest(name, known.iter().copied());
                Err(Report::single(error::unknown_argument(name, near, &known)))
            }
        }
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Function({})", self.text().text())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
