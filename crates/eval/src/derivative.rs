//! The derivative operators: which mode runs them, and the code of derivatives.

use std::sync::Arc;

use base::Name;
use ir::Operator;
use ir::signature::derived_of;

use crate::closure::{Closure, Turn};
use crate::code::LambdaCode;
use crate::error::{Failure, malformed};
use crate::eval::{Evaluator, Mode};
use crate::kernels::lanes::apart;
use crate::link::link_lambda;
use crate::memory;
use crate::point::Point;
use crate::value::{Fields, Value};

impl Evaluator {
    /// A derivative operator on a function and its arguments, with Deltas if `dual`.
    #[inline(never)]
    pub(crate) fn derive_op(
        &mut self,
        operator: Operator,
        level: u32,
        dual: bool,
        function: &Value,
        mut args: Vec<Value>,
    ) -> Result<Value, Failure> {
        let Value::Closure(function) = function else {
            return Err(malformed("a derivative of what is no function").into());
        };
        if self.goes_in_step {
            return Err(apart().into());
        }
        let last = match operator {
            Operator::Jvp | Operator::Hvp | Operator::Vjp => args.pop(),
            Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => {
                None
            }
            Operator::Linearise => None,
        };
        let point = match operator {
            Operator::Jvp | Operator::Hvp => args.pop(),
            Operator::Vjp
            | Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Jacobian
            | Operator::Hessian
            | Operator::Linearise => match (args.len(), args.pop()) {
                (1, only) => only,
                (_, None) => Some(Value::tuple(args)),
                (_, Some(other)) => {
                    args.push(other);
                    Some(Value::tuple(args))
                }
            },
        };
        let point = point.ok_or_else(|| malformed("a derivative without a point"))?;
        let at = Point { level, arity: function.arity(), value: point };
        let res = match self.limits.mode {
            Mode::Forward => self.forward_op(operator, function, &at, last),
            Mode::Reverse if dual => {
                let taped = self.taped(function)?;
                self.reverse_op(operator, &taped, &at, last)
            }
            Mode::Reverse => self.reverse_op(operator, function, &at, last),
        };
        memory::check()?;
        res
    }

    fn forward_op(
        &mut self,
        operator: Operator,
        function: &Arc<Closure>,
        at: &Point,
        last: Option<Value>,
    ) -> Result<Value, Failure> {
        let direction = || last.ok_or_else(no_direction);
        match operator {
            Operator::Jvp => self.forward_jvp(function, at, &direction()?),
            Operator::Vjp => self.vjp(function, at, &direction()?),
            Operator::Grad => Ok(self.gradient(function, at)?.1),
            Operator::ValueAndGrad => {
                let (value, gradient) = self.gradient(function, at)?;
                Ok(Value::pair(value, gradient))
            }
            Operator::Jacobian => self.jacobian(function, at),
            Operator::Hessian => self.hessian(function, at),
            Operator::Hvp => self.hvp(function, at, &direction()?),
            Operator::Linearise => self.linearise(function, at),
        }
    }

    /// Gradients by reverse mode, second derivatives by forward mode of gradients. If the function has
    /// Deltas, the point has them too, and so has the result.
    fn reverse_op(
        &mut self,
        operator: Operator,
        function: &Arc<Closure>,
        at: &Point,
        last: Option<Value>,
    ) -> Result<Value, Failure> {
        let direction = || last.ok_or_else(no_direction);
        match operator {
            Operator::Jvp => self.reverse_jvp(function, at, &direction()?),
            Operator::Vjp => self.cotangent(function, at, &direction()?),
            Operator::Grad => self.cotangent(function, at, &at.one()),
            Operator::ValueAndGrad => self.value_and_gradient(function, at),
            Operator::Jacobian => self.reverse_jacobian(function, at),
            Operator::Hessian => self.reverse_hessian(function, at),
            Operator::Hvp => self.reverse_hvp(function, at, &direction()?),
            Operator::Linearise => self.linearise(function, at),
        }
    }

    /// The forward derivative of a function value; what it captured is constant.
    pub(crate) fn derived(&mut self, closure: &Arc<Closure>) -> Result<Arc<Closure>, Failure> {
        match &**closure {
            Closure::Code { code, captured } => {
                let derived = self.derived_code(code)?;
                let mut values = Vec::with_capacity(derived.captured.len());
                for binder in &derived.captured {
                    let old = code.captured.iter().position(|it| it.var == binder.var);
                    let value = old.and_then(|position| captured.get(position));
                    values.push(value.cloned().ok_or_else(|| malformed("a lost variable"))?);
                }
                Ok(Arc::new(Closure::Code { code: derived, captured: Fields::new(values) }))
            }
            Closure::Half { part, level, inner } => {
                let inner = self.derived(inner)?;
                Ok(Arc::new(Closure::Half { part: *part, level: level + 1, inner }))
            }
            Closure::Zeroed(inner) => Ok(Arc::new(Closure::Zeroed(self.derived(inner)?))),
            Closure::Turned { turn, inner } => {
                let turn = Turn { below: turn.below + 1, ..*turn };
                Ok(Arc::new(Closure::Turned { turn, inner: self.derived(inner)? }))
            }
            Closure::Kept { inner, .. } => self.derived(inner),
        }
    }

    /// The code of the forward derivative, made once.
    pub(crate) fn derived_code(
        &mut self,
        code: &Arc<LambdaCode>,
    ) -> Result<Arc<LambdaCode>, Failure> {
        if let Some(derived) = code.derived.get() {
            return Ok(derived.clone());
        }
        // Each level has twice the numbers of the last: nobody waits for more of them.
        let called = ir::graph::callees(&code.lambda.body);
        if called.iter().any(|it| levels(it.1) >= ir::MAX_LEVEL) {
            return Err(self.too_deep(&code.function));
        }
        let (lambda, next_var, spans) = self.derive.forward_lambda(
            &self.program,
            &code.captured,
            &code.lambda,
            code.next_var,
            &code.spans,
        );
        let derived = Arc::new(link_lambda(
            &mut self.names,
            self.limits.precision,
            code.function.name.clone(),
            (Arc::new(lambda), next_var, Arc::new(spans)),
            code.captured.clone(),
            None,
        )?);
        Ok(code.derived.get_or_init(|| derived).clone())
    }
}

/// How often a definition was differentiated by forward mode.
fn levels(name: &Name) -> u32 {
    derived_of(name).map_or(0, |(of, _)| 1 + levels(of))
}

fn no_direction() -> Failure {
    malformed("a derivative without a direction").into()
}
