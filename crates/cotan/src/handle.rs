//! Handles: programs, functions and their derivatives as values that are cheap to clone and that many
//! threads call at once.
//!
//! A function handle is a text, an expression over the parameters of a definition such as
//! `grad(\w => loss(w, x))(w)`, compiled when it is called first. What it needs to run is kept beside it
//! (`handle/entry.rs`): the program is locked while something is compiled, never while something runs.

mod describe;
mod entry;
mod inputs;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use check::Scheme;

use crate::answer::Answer;
use crate::compiler::{Compiled, Compiler};
use crate::error;
use crate::options::{Backend, Options};
use crate::report::Report;
use crate::{Precision, Via};
use entry::Entry;

pub use inputs::Inputs;

/// A program that checks.
#[derive(Clone)]
pub struct Program {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    text: String,
    options: Options,
    /// One for each choice of options that was asked for.
    compiled: Mutex<Vec<(Options, Arc<Mutex<Compiled>>)>>,
}

/// A function of a program, or a derivative of one.
#[derive(Clone)]
pub struct Function {
    program: Program,
    options: Options,
    of: Arc<Of>,
    operator: Operator,
    /// The parameters that a derivative is by; all if none is named.
    wrt: Vec<String>,
    entry: Arc<OnceLock<Result<Entry, Report>>>,
}

/// What a handle stands for, without derivatives.
struct Of {
    /// A definition, or a function in parentheses.
    text: String,
    params: Vec<String>,
}

/// What is computed of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Value,
    Grad,
    ValueAndGrad,
    Jvp,
    Vjp,
    Jacobian,
    Hessian,
    Hvp,
}

impl Program {
    /// Checks a text.
    pub fn new(text: &str) -> Result<Program, Report> {
        Program::with_options("program.cot", text, Options::default())
    }

    /// Checks a text that messages call `name`, to run with these options.
    pub fn with_options(name: &str, text: &str, options: Options) -> Result<Program, Report> {
        let compiled = Arc::new(Mutex::new(Compiler::new(options).compile(name, text)?));
        let compiled = Mutex::new(vec![(options, compiled)]);
        let (name, text) = (name.to_owned(), text.to_owned());
        Ok(Program { shared: Arc::new(Shared { name, text, options, compiled }) })
    }

    /// A definition as a function of its parameters.
    pub fn function(&self, name: &str) -> Result<Function, Report> {
        let compiled = self.compiled(self.shared.options)?;
        let compiled = lock(&compiled);
        let Some(def) = compiled.checked.defs.iter().find(|it| *it.name == *name) else {
            return Err(compiled.report(vec![compiled.no_definition(name)]));
        };
        let params = compiled.checked.scheme(&def.name).map(names).unwrap_or_default();
        Ok(self.handle(Of { text: name.to_owned(), params }))
    }

    /// A function that is written as an expression, `\w => loss(w, 2.0)`; something else is a function of
    /// no parameters.
    pub fn expression(&self, text: &str) -> Result<Function, Report> {
        let compiled = self.compiled(self.shared.options)?;
        let params = entry::params_of(&mut lock(&compiled), text)?;
        Ok(self.handle(Of { text: format!("({text})"), params }))
    }

    fn handle(&self, of: Of) -> Function {
        Function {
            program: self.clone(),
            options: self.shared.options,
            of: Arc::new(of),
            operator: Operator::Value,
            wrt: Vec::new(),
            entry: Arc::default(),
        }
    }

    /// The program as it runs with these options.
    fn compiled(&self, options: Options) -> Result<Arc<Mutex<Compiled>>, Report> {
        let Shared { name, text, compiled, .. } = &*self.shared;
        let mut all = lock(compiled);
        if let Some((_, known)) = all.iter().find(|it| it.0 == options) {
            return Ok(known.clone());
        }
        let new = Arc::new(Mutex::new(Compiler::new(options).compile(name, text)?));
        all.push((options, new.clone()));
        Ok(new)
    }
}

impl Function {
    /// Calls it. Arguments are in the order of the parameters, or have their names.
    pub fn call(&self, inputs: impl Inputs) -> Result<Answer, Report> {
        match self.entry.get_or_init(|| self.entered()) {
            Ok(entry) => entry.call(&inputs),
            Err(report) => Err(report.clone()),
        }
    }

    /// The names of its parameters, in order: behind those of the function the directions or the cotangent,
    /// if it is a derivative that takes them.
    pub fn params(&self) -> Vec<String> {
        let mut res = self.of.params.clone();
        res.extend(self.more());
        res
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

    /// The same derivative by these parameters only.
    pub fn wrt<'a>(&self, params: impl IntoIterator<Item = &'a str>) -> Function {
        let wrt = params.into_iter().map(str::to_owned).collect();
        Function { wrt, entry: Arc::default(), ..self.clone() }
    }

    /// The same by a method of differentiation.
    pub fn via(&self, via: Via) -> Function {
        self.with(Options { via, ..self.options })
    }

    /// The same by a back end.
    pub fn backend(&self, backend: Backend) -> Function {
        self.with(Options { backend, ..self.options })
    }

    /// The same in a precision.
    pub fn precision(&self, precision: Precision) -> Function {
        self.with(Options { precision, ..self.options })
    }

    /// The same with other options.
    pub fn with(&self, options: Options) -> Function {
        Function { options, entry: Arc::default(), ..self.clone() }
    }

    /// A derivative of this, which may be a derivative already.
    fn derived(&self, operator: Operator) -> Function {
        let params = self.params();
        let of = match self.operator == Operator::Value {
            true => self.of.clone(),
            false => {
                let text = format!("(\\{} => {})", params.join(", "), self.text());
                Arc::new(Of { text, params })
            }
        };
        Function { of, operator, wrt: Vec::new(), entry: Arc::default(), ..self.clone() }
    }

    fn entered(&self) -> Result<Entry, Report> {
        let wrong = self.wrt.iter().find(|it| !self.of.params.contains(it));
        if let Some(name) = wrong {
            let known: Vec<&str> = self.of.params.iter().map(String::as_str).collect();
            let near = error::nearest(name, known.iter().copied());
            return Err(Report::single(error::unknown_argument(name, near, &known)));
        }
        let compiled = self.program.compiled(self.options)?;
        Entry::new(compiled, self.options, &self.text(), &self.params())
    }

    /// The parameters that it is by.
    fn by(&self) -> Vec<&str> {
        let all = self.of.params.iter().map(String::as_str);
        all.filter(|it| self.wrt.is_empty() || self.wrt.iter().any(|name| name == it)).collect()
    }

    /// The parameters that it has beside those of the function.
    fn more(&self) -> Vec<String> {
        let free = |name: String| match self.of.params.contains(&name) {
            true => format!("{name}_"),
            false => name,
        };
        match self.operator {
            Operator::Jvp | Operator::Hvp => {
                self.by().iter().map(|it| free(format!("d{it}"))).collect()
            }
            Operator::Vjp => vec![free("dy".to_owned())],
            Operator::Value | Operator::Grad | Operator::ValueAndGrad => Vec::new(),
            Operator::Jacobian | Operator::Hessian => Vec::new(),
        }
    }

    /// What it computes, over its parameters.
    fn text(&self) -> String {
        let Of { text, params } = &*self.of;
        let call = match params.is_empty() {
            true => text.clone(),
            false => format!("{text}({})", params.join(", ")),
        };
        let by = self.by().join(", ");
        let function = format!("(\\{by} => {call})");
        let more = self.more().join(", ");
        let name = match self.operator {
            Operator::Value => return call,
            Operator::Grad => "grad",
            Operator::ValueAndGrad => "value_and_grad",
            Operator::Jvp => "jvp",
            Operator::Vjp => "vjp",
            Operator::Jacobian => "jacobian",
            Operator::Hessian => "hessian",
            Operator::Hvp => "hvp",
        };
        match self.operator {
            Operator::Jvp | Operator::Hvp if self.by().len() > 1 => {
                format!("{name}({function})(({by}), ({more}))")
            }
            Operator::Jvp | Operator::Hvp => format!("{name}({function})({by}, {more})"),
            Operator::Vjp => format!("{name}({function})({by})({more})"),
            Operator::Value | Operator::Grad | Operator::ValueAndGrad => {
                format!("{name}({function})({by})")
            }
            Operator::Jacobian | Operator::Hessian => format!("{name}({function})({by})"),
        }
    }
}

/// The names of the parameters of a definition.
fn names(scheme: &Scheme) -> Vec<String> {
    let params = scheme.params.iter().flatten().enumerate();
    params.map(|(at, it)| it.name.as_ref().map_or(format!("x{at}"), |it| it.to_string())).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
