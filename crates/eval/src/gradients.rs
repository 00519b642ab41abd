//! The derivative operators by reverse mode. A function with Deltas is one inside of code that is
//! recorded itself; its derivatives have Deltas, too.
//!
//! Second derivatives are forward over reverse: the Hessian times a direction is the tangent of the
//! gradient at a point that moves in that direction, one level up.

use std::sync::Arc;

use crate::closure::Closure;
use crate::error::Failure;
use crate::eval::Evaluator;
use crate::kept::remembered;
use crate::memory::reserve;
use crate::point::Point;
use crate::reverse::Recording;
use crate::tree::leaves;
use crate::value::Value;

impl Evaluator {
    /// The cotangent of the argument for that of the result.
    pub(crate) fn cotangent(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        of_result: &Value,
    ) -> Result<Value, Failure> {
        if function.is_taped() {
            return self.taped_gradient(function, at, of_result);
        }
        self.swept(function, remembered(function, at), at, of_result)
    }

    pub(crate) fn value_and_gradient(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        if function.is_taped() {
            let gradient = self.taped_gradient(function, at, &at.one())?;
            let value = self.run_plain(function, at)?;
            return Ok(Value::pair(value, gradient));
        }
        let run = self.recording(function, at)?;
        let gradient = self.pull_back(&run, at.level, &at.one())?;
        self.forget(&run);
        Ok(Value::pair(self.strip(&run.output)?, gradient))
    }

    /// One recorded run, and a sweep for each real of the argument, forth, or of the result, back, whichever
    /// are fewer.
    pub(crate) fn reverse_jacobian(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        let plain = self.stripped(at)?;
        let run = self.recording(function, &plain)?;
        let results = Point { level: at.level, arity: 1, value: self.strip(&run.output)? };
        let (n, m) = (plain.n_leaves()?, results.n_leaves()?);
        reserve(n.checked_mul(m), size_of::<f64>())?;
        let res = match (n <= m, function.is_taped()) {
            (true, taped) => {
                let columns = if taped { None } else { self.pushed_columns(&run, &plain)? };
                self.forget(&run);
                let columns = match columns {
                    Some(columns) => columns,
                    None => self.columns_by_runs(function, at, &plain)?,
                };
                let entry = |i: usize, j: usize| columns[i].get(j).cloned().unwrap_or_default();
                return Ok(plain.nested(&results.value, &entry)?);
            }
            (false, false) => {
                self.jacobian_by_rows(&results, &plain, |it, row| it.pull_back(&run, at.level, row))
            }
            (false, true) => {
                self.forget(&run);
                return self
                    .jacobian_by_rows(&results, &plain, |it, row| it.cotangent(function, at, row));
            }
        };
        self.forget(&run);
        res
    }

    fn jacobian_by_rows(
        &mut self,
        results: &Point,
        at: &Point,
        row: impl Fn(&mut Evaluator, &Value) -> Result<Value, Failure>,
    ) -> Result<Value, Failure> {
        let mut rows = Vec::new();
        for j in 0..results.n_leaves()? {
            rows.push(row(self, &results.unit(j)?)?);
        }
        Ok(results.with_rows(&at.value, &|j| rows[j].clone())?)
    }

    /// The leaves of the tangents in all directions, of a run that was recorded; none if its tape does not
    /// tell them.
    fn pushed_columns(
        &mut self,
        run: &Recording,
        at: &Point,
    ) -> Result<Option<Vec<Vec<Value>>>, Failure> {
        let mut columns = Vec::new();
        for i in 0..at.n_leaves()? {
            let Some(tangent) = self.push_forward(run, &at.unit(i)?)? else { return Ok(None) };
            columns.push(leaves(at.level, &tangent)?);
        }
        Ok(Some(columns))
    }

    /// The leaves of the tangents in all directions, by a run for each.
    fn columns_by_runs(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        plain: &Point,
    ) -> Result<Vec<Vec<Value>>, Failure> {
        let mut columns = Vec::new();
        for i in 0..plain.n_leaves()? {
            columns.push(leaves(at.level, &self.jvp(function, at, &plain.unit(i)?)?)?);
        }
        Ok(columns)
    }

    pub(crate) fn reverse_hvp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived_like(function)?;
        let point = self.zip(&at.value, direction)?;
        let moving = Point { level: at.level + 1, arity: at.arity, value: point };
        let gradient = self.cotangent(&derived, &moving, &moving.one())?;
        self.tangent(&gradient)
    }

    /// Row by row. Only the lower triangle is looked at: rounding is not symmetric.
    pub(crate) fn reverse_hessian(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        let plain = self.stripped(at)?;
        let n = plain.n_leaves()?;
        reserve(n.checked_mul(n).and_then(|it| it.checked_mul(at.width())), size_of::<f64>())?;
        let mut rows = Vec::with_capacity(n);
        if n == 0 {
            self.run_plain(function, at)?;
        }
        for i in 0..n {
            rows.push(leaves(at.level, &self.reverse_hvp(function, at, &plain.unit(i)?)?)?);
        }
        let entry = |i: usize, j: usize| {
            rows.get(i.max(j)).and_then(|it| it.get(i.min(j))).cloned().unwrap_or_default()
        };
        Ok(plain.nested(&plain.value, &entry)?)
    }

    /// The point without Deltas.
    fn stripped(&self, at: &Point) -> Result<Point, Failure> {
        Ok(Point { level: at.level, arity: at.arity, value: self.strip(&at.value)? })
    }
}
