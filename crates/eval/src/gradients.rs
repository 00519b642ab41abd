//! The derivative operators by reverse mode, at plain points and at points with Deltas.
//!
//! Second derivatives are forward over reverse: the Hessian times a direction is the tangent of the
//! gradient at a point that moves in that direction, one level up.

use std::rc::Rc;

use crate::closure::Closure;
use crate::error::Failure;
use crate::eval::Evaluator;
use crate::memory::reserve;
use crate::pass::Pass;
use crate::taped::untaped;
use crate::tree::leaves;
use crate::value::Value;

impl Evaluator {
    /// The value, and the cotangent of the argument for that of the result; one if none is given.
    pub(crate) fn reverse_vjp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        cotangent: Option<&Value>,
    ) -> Result<(Value, Value), Failure> {
        let run = self.recording(function, at)?;
        let one = at.one();
        let gradient = self.pull_back(&run, at.level, cotangent.unwrap_or(&one))?;
        self.forget(&run);
        Ok((self.strip(&run.output)?, gradient))
    }

    /// One pass for each real of the argument or one sweep for each of the result, whichever is less.
    pub(crate) fn reverse_jacobian(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<Value, Failure> {
        let run = self.recording(function, at)?;
        let output = self.strip(&run.output)?;
        let results = Pass { level: at.level, arity: 1, point: output };
        let (n, m) = (at.n_leaves()?, results.n_leaves()?);
        if n <= m {
            self.forget(&run);
            return self.jacobian(function, at);
        }
        reserve(n.checked_mul(m), size_of::<f64>())?;
        let mut rows = Vec::with_capacity(m);
        for j in 0..m {
            rows.push(self.pull_back(&run, at.level, &results.unit(j)?)?);
        }
        self.forget(&run);
        Ok(results.assemble(&|j| rows[j].clone())?)
    }

    pub(crate) fn reverse_hvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let point = self.zip(&at.point, direction)?;
        let moving = Pass { level: at.level + 1, arity: at.arity, point };
        let gradient = self.reverse_vjp(&derived, &moving, None)?.1;
        self.tangent(&gradient)
    }

    pub(crate) fn reverse_hessian(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<Value, Failure> {
        let n = at.n_leaves()?;
        reserve(n.checked_mul(n).and_then(|it| it.checked_mul(at.width())), size_of::<f64>())?;
        let mut rows = Vec::with_capacity(n);
        for i in 0..n {
            rows.push(leaves(at.level, &self.reverse_hvp(function, at, &at.unit(i)?)?)?);
        }
        symmetric(at, &rows)
    }

    /// The forward derivative of the function without Deltas, with Deltas.
    pub(crate) fn taped_jvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.taped_derived(function)?;
        let input = self.zip(&at.point, direction)?;
        let output = self.apply_closure(&derived, at.spread(input)?)?;
        self.tangent(&output)
    }

    pub(crate) fn taped_jacobian(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<Value, Failure> {
        let plain = Pass { level: at.level, arity: at.arity, point: self.strip(&at.point)? };
        let output = self.apply_closure(&untaped(function)?, plain.spread(plain.point.clone())?)?;
        let results = Pass { level: at.level, arity: 1, point: output };
        let (n, m) = (plain.n_leaves()?, results.n_leaves()?);
        if n > m {
            let mut rows = Vec::with_capacity(m);
            for j in 0..m {
                rows.push(self.taped_gradient(function, at, &results.unit(j)?)?);
            }
            return Ok(results.assemble(&|j| rows[j].clone())?);
        }
        let mut columns = Vec::with_capacity(n);
        for i in 0..n {
            let tangent = self.taped_jvp(function, at, &plain.unit(i)?)?;
            columns.push(leaves(at.level, &tangent)?);
        }
        let entry = |i: usize, j: usize| columns[i].get(j).cloned().unwrap_or_default();
        Ok(plain.nested(&results.point, &entry)?)
    }

    pub(crate) fn taped_hvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.taped_derived(function)?;
        let point = self.zip(&at.point, direction)?;
        let moving = Pass { level: at.level + 1, arity: at.arity, point };
        let one = moving.one();
        let gradient = self.taped_gradient(&derived, &moving, &one)?;
        self.tangent(&gradient)
    }

    pub(crate) fn taped_hessian(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<Value, Failure> {
        let plain = Pass { level: at.level, arity: at.arity, point: self.strip(&at.point)? };
        let n = plain.n_leaves()?;
        let mut rows = Vec::with_capacity(n);
        for i in 0..n {
            rows.push(leaves(at.level, &self.taped_hvp(function, at, &plain.unit(i)?)?)?);
        }
        symmetric(&plain, &rows)
    }
}

/// The Hessian of its rows. Only the lower triangle is looked at: rounding is not symmetric.
fn symmetric(at: &Pass, rows: &[Vec<Value>]) -> Result<Value, Failure> {
    let entry = |i: usize, j: usize| {
        rows.get(i.max(j)).and_then(|it| it.get(i.min(j))).cloned().unwrap_or_default()
    };
    Ok(at.nested(&at.point, &entry)?)
}
