//! Checks derivatives of a definition: every method against every other, against central
//! differences, and the laws that derivatives have.

mod laws;
mod leaves;
mod random;
mod show;
pub(crate) mod wrap;

use std::sync::Arc;

use base::{Code, Diagnostic};
use eval::{Evaluator, Value};

use crate::answer::Answer;
use crate::argument::{self, Argument, Parameter};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::method::{Interpreted, METHODS, Method};
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::report::Report;
use crate::runner::Way;
use crate::strict::asks_to_stop;
use crate::wrt;

use laws::{Caller, Checker, Point, Tolerance};
use random::Random;
use wrap::Wrapped;

/// A definition whose derivatives cannot be checked.
const UNCHECKABLE: Code = Code("E0636");

/// So many times as many random points are tried as are wanted.
const TRIES: usize = 10;

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradcheck {
    /// The definition.
    pub function: String,
    /// At how many points it was checked.
    pub points: usize,
    /// The laws in order, each for every method that it is about.
    pub laws: Vec<Law>,
}

/// A law, for one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// What the law says, in a word: `methods`, `differences`, `adjoint`, `linear_jvp`, `linear_vjp`.
    pub name: &'static str,
    /// The method, as `--via` calls it.
    pub method: &'static str,
    /// Whether it holds.
    pub outcome: Outcome,
    /// The greatest deviation, relative to the greatest number that it is about.
    pub worst: f64,
    /// How great that may be.
    pub tolerance: f64,
}

/// Whether a law holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// At every point at which it could be checked.
    Holds,
    /// Not at this point, and what differs.
    Fails {
        /// The arguments.
        at: String,
        /// What differs.
        what: String,
    },
    /// It could not be checked, for this reason.
    Skipped(String),
}

impl Gradcheck {
    /// Whether no law fails.
    pub fn holds(&self) -> bool {
        !self.laws.iter().any(|it| matches!(it.outcome, Outcome::Fails { .. }))
    }

    /// A table for people, then what differs.
    pub fn to_text(&self) -> String {
        show::text(self)
    }

    /// One JSON object.
    pub fn to_json(&self) -> String {
        show::json(self)
    }
}

impl Compiled {
    /// Checks the derivatives of a definition at the given arguments, or if there are none at so many
    /// random ones, by the parameters of these names, or by all if there are none.
    pub fn gradcheck(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
        points: usize,
    ) -> Result<Gradcheck, Report> {
        with_deep_stack(|| {
            let res = self.check_gradients(name, arguments, wrt, points);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// Random arguments for a definition, others for every number; none if it is not defined, or takes
    /// functions.
    pub fn random_arguments(&mut self, name: &str, number: usize) -> Option<Vec<Argument>> {
        with_deep_stack(|| {
            let signature = self.signature_of(name).ok()?;
            let function = |it: &Parameter| self.types.has_function(&it.ty);
            if signature.parameters.iter().any(|it| it.name.is_none() || function(it)) {
                return None;
            }
            let mut random = Random::new(number as u64);
            Some(random::arguments(&self.types, &signature.parameters, number, &mut random))
        })
    }

    fn check_gradients(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
        points: usize,
    ) -> Result<Gradcheck, Vec<Diagnostic>> {
        let signature = self.signature_of(name)?;
        let by = wrt::of_one(self, &signature.def, wrt).map_err(|it| vec![it])?;
        let program = &self.checked.program;
        let uncheckable = |why: &str| vec![uncheckable(why).label(signature.span, "this one")];
        let function = |it: &Parameter| self.types.has_function(&it.ty);
        if signature.gives_function || signature.parameters.iter().any(function) {
            return Err(uncheckable("it takes or gives functions"));
        }
        let wrapped = wrap::wrap(program, &signature.def, &by).map_err(uncheckable)?;
        let runners = METHODS.iter().map(|it| self.checker(it, &wrapped)).collect();
        let mut laws = laws::Laws::new(
            Tolerance::of(self.options.precision),
            asks_to_stop(program, &signature.def),
            runners,
        );
        let parameters = named(&signature.parameters);
        let mut failure = None;
        let tries = if arguments.is_empty() { points * TRIES } else { 1 };
        for number in 0..tries {
            let mut random = Random::new(number as u64);
            let made;
            let given = if arguments.is_empty() {
                made = random::arguments(&self.types, &parameters, number, &mut random);
                &made
            } else {
                arguments
            };
            let own = if arguments.is_empty() { &parameters } else { &signature.parameters };
            let bound = argument::bind(&self.types, self.options.precision, own, given)?;
            let sizes = signature.size_arguments(&bound);
            let text = self.shown(&parameters, &bound.values);
            let point = Point { wrapped: &wrapped, sizes, args: bound.values, text };
            match laws.check(&point, &mut random) {
                Ok(()) => {}
                Err(Some(error)) => failure = Some(error.to_diagnostic(signature.span)),
                Err(None) => {
                    let why = "its value or derivative is not finite where it was tried";
                    failure = failure.or_else(|| uncheckable(why).pop());
                }
            }
            if laws.points() == points {
                break;
            }
        }
        if laws.points() == 0 {
            let help = "give arguments at which it can be differentiated";
            return Err(failure.map(|it| it.help(help)).into_iter().collect());
        }
        Ok(Gradcheck { function: name.to_string(), points: laws.points(), laws: laws.finish() })
    }

    fn checker(&self, method: &'static Method, wrapped: &Wrapped) -> Checker {
        let options = Options { via: method.via, ..self.options };
        let program = &wrapped.program;
        let caller = match method.interpreted {
            Interpreted::OnDemand(_) => {
                let program = Arc::new(program.clone());
                let limits = options.limits();
                Caller::Evaluator(Box::new(Evaluator::new(program, Box::new(OnDemand), limits)))
            }
            Interpreted::Before(_) => {
                let way = |it| Way::of(program, it, options);
                match (way(&wrapped.jvp), way(&wrapped.vjp)) {
                    (Way::Ready(jvp), Way::Ready(vjp)) => Caller::Programs { jvp, vjp },
                    (Way::Refused(_, it), _) | (_, Way::Refused(_, it)) => Caller::None(it.reason),
                    (Way::Plain, _) | (_, Way::Plain) => Caller::None("nothing to do".into()),
                }
            }
        };
        Checker { name: method.name, caller }
    }

    /// The arguments as the user would write them.
    fn shown(&self, parameters: &[Parameter], values: &[Value]) -> String {
        let one = |(parameter, value): (&Parameter, &Value)| {
            let ty = parameter.ty.clone().into();
            let answer = Answer::new(self.types.clone(), self.options.precision, ty, value.clone());
            let name = parameter.name.as_ref().map_or("_", |it| it.as_str());
            format!("{name} = {}", answer.to_text())
        };
        parameters.iter().zip(values).map(one).collect::<Vec<_>>().join(", ")
    }
}

/// The parameters with names for all of them, and numbers where any type will do.
fn named(parameters: &[Parameter]) -> Vec<Parameter> {
    let number = |at: usize| base::Name::from(format!("_{}", at + 1));
    let one = |(at, it): (usize, &Parameter)| Parameter {
        name: it.name.clone().or(Some(number(at))),
        ty: it.ty.substitute(&|_| Some(check::Type::Real), &|_| None),
        size: it.size.clone(),
    };
    parameters.iter().enumerate().map(one).collect()
}

fn uncheckable(why: &str) -> Diagnostic {
    Diagnostic::error(UNCHECKABLE, format!("the derivatives cannot be checked: {why}"))
}
