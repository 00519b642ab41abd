//! The derivative operators by forward mode: a run for some directions each (`directions.rs`), and of second
//! derivatives one for each direction.
//!
//! Paper: Krawiec et al., Figure 15 (generalised from Figure 4): `zip`, the run of D[f], `delta`,
//! which is `tangent` here.
//! See Note [Levels] in `dual.rs`.

use std::sync::Arc;

use ir::Beside;

use crate::closure::Closure;
use crate::error::{Failure, malformed};
use crate::eval::Evaluator;
use crate::kept::remembered;
use crate::kernels::elementwise::Precision;
use crate::kernels::scalar::scale;
use crate::memory::reserve;
use crate::point::{Point, leaves_of};
use crate::tree::flatten;
use crate::value::Value;

impl Evaluator {
    pub(crate) fn jvp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived_like(function)?;
        let input = self.zip(&at.value, direction)?;
        let output = self.apply_closure(&derived, at.arguments(input)?)?;
        self.tangent(&output)
    }

    /// The function itself, where there is no real and so no direction: its errors are errors of its
    /// derivatives, too.
    pub(crate) fn run_plain(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        self.apply_closure(function, at.arguments(at.value.clone())?)
    }

    /// The value and the gradient.
    pub(crate) fn gradient(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<(Value, Value), Failure> {
        let mut reals = Vec::new();
        let value = self.in_each_direction(function, at, &mut |_, _, tangent| {
            flatten(tangent, &mut reals);
            Ok(())
        })?;
        Ok((value, at.assemble(&|i| at.leaf(&reals, i))?))
    }

    pub(crate) fn vjp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        if let Some(kept) = remembered(function, at) {
            return self.kept_vjp(kept, at, cotangent);
        }
        let weights = leaves_of(at.level, cotangent)?;
        let (width, mut reals) = (at.width(), Vec::new());
        let value = self.in_each_direction(function, at, &mut |it, i, tangent| {
            if i == 0 {
                it.fits(tangent, cotangent)?;
            }
            let tangents = leaves_of(at.level, tangent)?;
            reals.extend(product(&weights, &tangents, width, it.limits.precision));
            Ok(())
        })?;
        if reals.is_empty() {
            self.fits(&value, cotangent)?;
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// The transpose of a linear function of values like `point`, by a run for each real of them.
    pub(crate) fn transposed(
        &mut self,
        function: &Value,
        point: Value,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let Value::Closure(closure) = function else {
            return Err(malformed("a derivative that is no function").into());
        };
        let at = Point { level: 0, arity: closure.arity(), value: point };
        let weights = leaves_of(0, cotangent)?;
        let mut reals = Vec::new();
        for i in 0..at.n_leaves()? {
            let tangent = self.apply_value(function, at.arguments(at.unit(i)?)?)?;
            if i == 0 {
                self.fits(&tangent, cotangent)?;
            }
            let mut sum = [0.0];
            for (weight, tangent) in weights.iter().zip(leaves_of(0, &tangent)?) {
                add_product(&[*weight], &[tangent], &mut sum, self.limits.precision);
            }
            reals.extend(sum);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// Fails unless a cotangent has the structure of the result.
    fn fits(&mut self, result: &Value, cotangent: &Value) -> Result<(), Failure> {
        self.zip(result, cotangent).map_err(|it| it.beside(Beside::Cotangent)).map(|_| ())
    }

    pub(crate) fn jacobian(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        let n = at.n_leaves()?;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(n);
        let mut template = None;
        let value = self.in_each_direction(function, at, &mut |_, i, tangent| {
            let column = leaves_of(at.level, tangent)?;
            if i == 0 {
                reserve(column.len().checked_mul(n), size_of::<f64>())?;
                template = Some(tangent.clone());
            }
            columns.push(column);
            Ok(())
        })?;
        let template = template.unwrap_or(value);
        let column =
            |i: usize, j: usize| columns.get(i).map_or(Value::Real(0.0), |it| at.leaf(it, j));
        Ok(at.nested(&template, &column)?)
    }

    pub(crate) fn hessian(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let n = at.n_leaves()?;
        if n == 0 {
            self.run_plain(function, at)?;
        }
        // Symmetric: only the lower triangle is computed, row after row.
        reserve(n.checked_mul(n).and_then(|it| it.checked_mul(at.width())), size_of::<f64>())?;
        let zero = at.zero()?;
        let mut reals = Vec::new();
        for i in 0..n {
            let along = self.zip(&at.value, &at.unit(i)?)?;
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
        Ok(at.nested(&at.value, &entry)?)
    }

    pub(crate) fn hvp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let across = self.zip(direction, &at.zero()?)?;
        let mut reals = Vec::new();
        let n = at.n_leaves()?;
        if n == 0 {
            self.run_plain(function, at)?;
        }
        for i in 0..n {
            let along = self.zip(&at.value, &at.unit(i)?)?;
            let output = self.second_order(&second, at, &along, &across)?;
            flatten(&output, &mut reals);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// The mixed second derivative: the tangent of the tangent.
    fn second_order(
        &mut self,
        second: &Arc<Closure>,
        at: &Point,
        along: &Value,
        across: &Value,
    ) -> Result<Value, Failure> {
        let input = self.zip(along, across)?;
        let output = self.apply_closure(second, at.arguments(input)?)?;
        let tangent = self.tangent(&output)?;
        self.tangent(&tangent)
    }
}

/// The sum of vectors of leaves, each times a leaf, which have so many reals.
pub(crate) fn combination(
    weights: &[f64],
    vectors: &[Vec<f64>],
    len: usize,
    width: usize,
    precision: Precision,
) -> Vec<f64> {
    let mut sums = vec![0.0; len];
    for (weight, vector) in weights.chunks(width).zip(vectors) {
        for (item, sum) in vector.chunks(width).zip(sums.chunks_mut(width)) {
            add_product(weight, item, sum, precision);
        }
    }
    sums
}

/// The scalar product of cotangents and tangents, whose leaves have so many reals.
pub(crate) fn product(
    weights: &[f64],
    tangents: &[f64],
    width: usize,
    precision: Precision,
) -> Vec<f64> {
    let mut sum = vec![0.0; width];
    for (weight, tangent) in weights.chunks(width).zip(tangents.chunks(width)) {
        add_product(weight, tangent, &mut sum, precision);
    }
    sum
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
