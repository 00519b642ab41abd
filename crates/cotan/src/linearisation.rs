//! A run of a function that is held by whoever uses the library: its value, and its derivative both ways.

use std::sync::Arc;

use base::{Diagnostic, Name, Span};
use check::{Type, TypeTable};
use eval::{Evaluator, Precision, Value};

use crate::answer::{Answer, Spent};
use crate::argument::{self, Argument, Bound, Parameter};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::on_demand::OnDemand;
use crate::report::Report;
use crate::signature::Signature;

/// A function at a point: it has run once, and what its derivative needs of that run is kept until this
/// is dropped. Made by [`Compiled::linearise`], used by [`Compiled::push`] and [`Compiled::pull`] of the
/// same program.
///
/// The interpreter made it, whatever the back end: by dual numbers by method `forward`, else by a tape.
pub struct Linearisation {
    evaluator: Evaluator,
    span: Span,
    value: Answer,
    push: Map,
    pull: Map,
}

/// A linear function of one parameter.
struct Map {
    function: Value,
    parameter: Parameter,
    result: Arc<Type>,
}

impl Map {
    fn new(name: &str, function: &Value, ty: &Type) -> Option<Map> {
        let Type::Function(params, result) = ty else { return None };
        let (name, ty) = (Some(Name::new(name)), params.first()?.clone());
        let parameter = Parameter { name, ty, size: None };
        Some(Map { function: function.clone(), parameter, result: Arc::new((**result).clone()) })
    }
}

/// What is wanted of a derivative at a point.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    /// The tangent of the value.
    Push,
    /// The cotangent of the arguments.
    Pull,
}

impl Linearisation {
    /// The value of the function.
    pub fn value(&self) -> &Answer {
        &self.value
    }

    /// Has an evaluator run an entry point that linearises something.
    pub(crate) fn run(
        mut evaluator: Evaluator,
        (types, precision): (&Arc<TypeTable>, Precision),
        signature: &Signature,
        bound: Bound,
    ) -> Result<Linearisation, Vec<Diagnostic>> {
        let span = signature.span;
        let sizes = signature.size_arguments(&bound);
        let results = evaluator.call(&signature.def, &sizes, bound.values);
        let results = results.map_err(|error| vec![error.to_diagnostic(span)])?;
        let spent = Spent::of(&evaluator);
        // Sizes that only the run could tell come first.
        let parts = match (results.last(), &*signature.result) {
            (Some(Value::Tuple(values)), Type::Tuple(parts)) => match (&values[..], &parts[..]) {
                ([value, push, pull], [ty, pushed, pulled]) => {
                    let maps = (Map::new("dx", push, pushed), Map::new("dy", pull, pulled));
                    Some((value.clone(), Arc::new(ty.clone()), maps))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((value, ty, (Some(push), Some(pull)))) = parts else {
            let ty = signature.result.to_string();
            return Err(vec![error::function_result(span, &ty)]);
        };
        let value = Answer::new(types.clone(), precision, ty, value).after(spent);
        Ok(Linearisation { evaluator, span, value, push, pull })
    }

    /// The parameter of the derivative one way.
    pub(crate) fn parameter(&self, direction: Direction) -> &Parameter {
        &self.map(direction).parameter
    }

    /// Applies the derivative one way.
    pub(crate) fn apply(
        &mut self,
        direction: Direction,
        bound: Bound,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let Map { function, result, .. } = self.map(direction);
        let (function, result) = (function.clone(), result.clone());
        self.evaluator.reset_cost();
        let value = self.evaluator.apply(&function, bound.values);
        let value = value.map_err(|error| vec![error.to_diagnostic(self.span)])?;
        let kind = self.value.kind();
        let answer = Answer::new(kind.types.clone(), kind.precision, result, value);
        Ok(answer.after(Spent::of(&self.evaluator)))
    }

    fn map(&self, direction: Direction) -> &Map {
        match direction {
            Direction::Push => &self.push,
            Direction::Pull => &self.pull,
        }
    }
}

impl Compiled {
    /// Runs a function, given as an expression, at arguments for all of its parameters, in their order.
    ///
    /// ```
    /// use cotan::{Argument, Compiler, Options};
    ///
    /// # fn main() -> Result<(), cotan::Report> {
    /// let text = "def f(x: [n]Real): Real = sum(x * x)";
    /// let mut program = Compiler::new(Options::default()).compile("f.cot", text)?;
    /// let mut at = program.linearise("f", &[Argument::reals("x", &[2], &[1.0, 3.0])])?;
    /// assert_eq!(at.value().as_real(), Some(10.0));
    /// let tangent = program.push(&mut at, &Argument::reals("dx", &[2], &[1.0, 1.0]))?;
    /// assert_eq!(tangent.as_real(), Some(8.0));
    /// let cotangent = program.pull(&mut at, &Argument::real("dy", 0.5))?;
    /// assert_eq!(cotangent.to_text(), "[1.0, 3.0]");
    /// # Ok(())
    /// # }
    /// ```
    pub fn linearise(
        &mut self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Linearisation, Report> {
        with_deep_stack(|| {
            let res = self.linearised(function, arguments);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    /// The tangent of the value for a tangent of the arguments, a tuple if there are several. The name of
    /// the argument is `dx`.
    pub fn push(&mut self, at: &mut Linearisation, dx: &Argument) -> Result<Answer, Report> {
        self.mapped(at, Direction::Push, dx)
    }

    /// The cotangent of the arguments, a tuple if there are several, for one of the value. The name of
    /// the argument is `dy`.
    pub fn pull(&mut self, at: &mut Linearisation, dy: &Argument) -> Result<Answer, Report> {
        self.mapped(at, Direction::Pull, dy)
    }

    fn mapped(
        &mut self,
        at: &mut Linearisation,
        direction: Direction,
        argument: &Argument,
    ) -> Result<Answer, Report> {
        with_deep_stack(|| {
            let parameters = std::slice::from_ref(at.parameter(direction));
            let arguments = std::slice::from_ref(argument);
            let bound = argument::bind(&self.types, self.options.precision, parameters, arguments);
            let res = bound.and_then(|it| at.apply(direction, it));
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    fn linearised(
        &mut self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Linearisation, Vec<Diagnostic>> {
        let names: Vec<&str> = arguments.iter().map(|it| it.name.as_str()).collect();
        let text = format!("linearise({function})({})", names.join(", "));
        let file = self.sources.add("<expression>", &text);
        let (expr, diagnostics) = syntax::parse_expr(file, &text);
        if check::has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        let entry = self.entry(&expr, arguments)?;
        self.forget_evaluator();
        let signature = self.signature(&entry.def, expr.span);
        let (types, precision) = (&self.types, self.options.precision);
        let bound = argument::bind(types, precision, &signature.parameters, arguments)?;
        let mut evaluator = self.new_evaluator();
        evaluator.stopped_by(&self.stop);
        Linearisation::run(evaluator, (types, precision), &signature, bound)
    }

    /// An evaluator for the program as it is now.
    pub(crate) fn new_evaluator(&self) -> Evaluator {
        let program = Arc::new(self.checked.program.clone());
        Evaluator::new(program, Box::new(OnDemand), self.options.limits())
    }
}
