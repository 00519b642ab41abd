//! The meaning of `Lift`, `Primal` and the derivative operators: one forward pass per direction.
//!
//! Paper: Krawiec et al., Figure 3 (dual numbers), here on values.
//! See Note [Levels] in `dual.rs`.

use std::rc::Rc;
use std::sync::Arc;

use ir::Operator;

use crate::closure::{Closure, Turn};
use crate::error::{Failure, malformed};
use crate::eval::Evaluator;
use crate::kernels::elementwise::Precision;
use crate::kernels::scalar::scale;
use crate::link::link_lambda;
use crate::memory::{self, reserve};
use crate::pass::{Pass, leaves_of};
use crate::tree::flatten;
use crate::value::{Fields, Value};

impl Evaluator {
    /// A derivative operator on a function and its arguments.
    #[inline(never)]
    pub(crate) fn derive_op(
        &mut self,
        operator: Operator,
        level: u32,
        function: &Value,
        mut args: Vec<Value>,
    ) -> Result<Value, Failure> {
        let Value::Closure(function) = function else {
            return Err(malformed("a derivative of what is no function").into());
        };
        let last = match operator {
            Operator::Jvp | Operator::Hvp | Operator::Vjp => args.pop(),
            Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => {
                None
            }
        };
        let point = match operator {
            Operator::Jvp | Operator::Hvp => args.pop(),
            Operator::Vjp
            | Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Jacobian
            | Operator::Hessian => match (args.len(), args.pop()) {
                (1, only) => only,
                (_, None) => Some(Value::tuple(args)),
                (_, Some(other)) => {
                    args.push(other);
                    Some(Value::tuple(args))
                }
            },
        };
        let point = point.ok_or_else(|| malformed("a derivative without a point"))?;
        let at = Pass { level, arity: function.arity(), point };
        let direction = || last.ok_or_else(|| malformed("a derivative without a direction"));
        let res = match operator {
            Operator::Jvp => self.jvp(function, &at, &direction()?),
            Operator::Vjp => self.vjp(function, &at, &direction()?),
            Operator::Grad => Ok(self.gradient(function, &at)?.1),
            Operator::ValueAndGrad => {
                let (value, gradient) = self.gradient(function, &at)?;
                let value = match value {
                    Some(value) => value,
                    None => self.apply_closure(function, at.spread(at.point.clone())?)?,
                };
                Ok(Value::pair(value, gradient))
            }
            Operator::Jacobian => self.jacobian(function, &at),
            Operator::Hessian => self.hessian(function, &at),
            Operator::Hvp => self.hvp(function, &at, &direction()?),
        };
        memory::check()?;
        res
    }

    fn jvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let input = self.zip(&at.point, direction)?;
        let output = self.apply_closure(&derived, at.spread(input)?)?;
        self.tangent(&output)
    }

    /// The value, if there was a pass that computed it, and the gradient.
    fn gradient(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<(Option<Value>, Value), Failure> {
        let derived = self.derived(function)?;
        let (mut value, mut reals) = (None, Vec::new());
        for i in 0..at.n_leaves()? {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            flatten(&self.tangent(&output)?, &mut reals);
            if value.is_none() {
                value = Some(self.innermost_primal(&output)?);
            }
        }
        Ok((value, at.assemble(&|i| at.leaf(&reals, i))?))
    }

    fn vjp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let weights = leaves_of(at.level, cotangent)?;
        let width = at.width();
        let mut reals = Vec::new();
        for i in 0..at.n_leaves()? {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            let tangent = self.tangent(&output)?;
            if i == 0 {
                // Only to see that the cotangent has the structure of the result.
                self.zip(&tangent, cotangent)?;
            }
            let tangents = leaves_of(at.level, &tangent)?;
            let mut sum = vec![0.0; width];
            for (weight, tangent) in weights.chunks(width).zip(tangents.chunks(width)) {
                add_product(weight, tangent, &mut sum, self.limits.precision);
            }
            reals.extend(sum);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    fn jacobian(&mut self, function: &Rc<Closure>, at: &Pass) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let n = at.n_leaves()?;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(n);
        let mut template = None;
        for i in 0..n {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            let tangent = self.tangent(&output)?;
            let column = leaves_of(at.level, &tangent)?;
            if i == 0 {
                reserve(column.len().checked_mul(n), size_of::<f64>())?;
                template = Some(tangent);
            }
            columns.push(column);
        }
        let template = match template {
            Some(template) => template,
            None => self.apply_closure(function, at.spread(at.point.clone())?)?,
        };
        let column =
            |i: usize, j: usize| columns.get(i).map_or(Value::Real(0.0), |it| at.leaf(it, j));
        Ok(at.nested(&template, &column)?)
    }

    fn hessian(&mut self, function: &Rc<Closure>, at: &Pass) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let n = at.n_leaves()?;
        // Symmetric: only the lower triangle is computed, row after row.
        reserve(n.checked_mul(n).and_then(|it| it.checked_mul(at.width())), size_of::<f64>())?;
        let zero = at.zero()?;
        let mut reals = Vec::new();
        for i in 0..n {
            let along = self.zip(&at.point, &at.unit(i)?)?;
            for j in 0..=i {
                let across = self.zip(&at.unit(j)?, &zero)?;
                let output = self.second_order(&second, at, &along, &across)?;
                flatten(&output, &mut reals);
            }
        }
        let entry = |i: usize, j: usize| {
            let (row, column) = (i.max(j), i.min(j));
            at.leaf(&reals, row * (row + 1) / 2 + column)
        };
        Ok(at.nested(&at.point, &entry)?)
    }

    fn hvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let across = self.zip(direction, &at.zero()?)?;
        let mut reals = Vec::new();
        for i in 0..at.n_leaves()? {
            let along = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.second_order(&second, at, &along, &across)?;
            flatten(&output, &mut reals);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// The mixed second derivative: the tangent of the tangent.
    fn second_order(
        &mut self,
        second: &Rc<Closure>,
        at: &Pass,
        along: &Value,
        across: &Value,
    ) -> Result<Value, Failure> {
        let input = self.zip(along, across)?;
        let output = self.apply_closure(second, at.spread(input)?)?;
        let tangent = self.tangent(&output)?;
        self.tangent(&tangent)
    }

    /// The forward derivative of a function value; what it captured is constant.
    pub(crate) fn derived(&mut self, closure: &Rc<Closure>) -> Result<Rc<Closure>, Failure> {
        match &**closure {
            Closure::Code { code, captured } => {
                let derived = match code.derived.get() {
                    Some(derived) => derived.clone(),
                    None => {
                        let (lambda, next_var, spans) = self.derive.lambda(
                            &self.program,
                            &code.captured,
                            &code.lambda,
                            code.next_var,
                            &code.spans,
                        );
                        let derived = Rc::new(link_lambda(
                            &mut self.names,
                            self.limits.precision,
                            code.function.name.clone(),
                            (Arc::new(lambda), next_var, Arc::new(spans)),
                            code.captured.clone(),
                        )?);
                        code.derived.get_or_init(|| derived).clone()
                    }
                };
                let mut values = Vec::with_capacity(derived.captured.len());
                for binder in &derived.captured {
                    let old = code.captured.iter().position(|it| it.var == binder.var);
                    let value = old.and_then(|position| captured.get(position));
                    values.push(value.cloned().ok_or_else(|| malformed("a lost variable"))?);
                }
                Ok(Rc::new(Closure::Code { code: derived, captured: Fields::new(values) }))
            }
            Closure::Primal { level, inner } => {
                Ok(Rc::new(Closure::Primal { level: level + 1, inner: self.derived(inner)? }))
            }
            Closure::Turned { turn, inner } => {
                let turn = Turn { below: turn.below + 1, ..*turn };
                Ok(Rc::new(Closure::Turned { turn, inner: self.derived(inner)? }))
            }
        }
    }
}

/// Adds the product of two dual numbers: (a, b) * (c, d) = (a*c, a*d + b*c), at every level.
fn add_product(x: &[f64], y: &[f64], sum: &mut [f64], precision: Precision) {
    if let ([x], [y], [sum]) = (x, y, &mut *sum) {
        *sum = precision.round(*sum + precision.round(scale(*x, *y)));
        return;
    }
    let half = sum.len() / 2;
    let (Some((a, b)), Some((c, d))) = (x.split_at_checked(half), y.split_at_checked(half)) else {
        return;
    };
    let (first, second) = sum.split_at_mut(half);
    add_product(a, c, first, precision);
    add_product(a, d, second, precision);
    add_product(b, c, second, precision);
}
