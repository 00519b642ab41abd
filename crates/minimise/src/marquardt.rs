//! Levenberg-Marquardt: least squares of residuals, by their Jacobian.
//!
//! Nocedal and Wright, 10.3; the damping is that of Nielsen, 1999 (IMM-REP-1999-05), scaled by the greatest
//! diagonal of the normal equations so far (Moré, 1978): without the greatest, it fades where residuals are
//! large and their derivatives small. The equations are solved by Cholesky's method.

use crate::cholesky::Cholesky;
use crate::objective::{Failure, Guard, fitting};
use crate::vector::{dot, greatest};
use crate::{Found, Residuals, Stop, Why};

/// Minimises half of the sum of the squares of residuals. The function gives them and their Jacobian, a row
/// for each.
pub fn levenberg_marquardt(f: impl Residuals, x: &[f64], stop: &Stop) -> Found {
    normal(f, |equations| search(x, stop, equations))
}

/// Runs a search on the normal equations of residuals that may fail.
pub(crate) fn normal(
    mut f: impl Residuals,
    search: impl FnOnce(&mut dyn FnMut(&[f64]) -> Normal) -> Found,
) -> Found {
    let mut guard = Guard::default();
    let mut f = |x: &[f64]| f.at(x).and_then(|it| fitting_rows(it, x.len()));
    let found = search(&mut |x| match guard.call(|| f(x)) {
        Some(it) => Normal::of(it, x.len()),
        None => Normal::of((vec![f64::NAN], vec![vec![f64::NAN; x.len()]]), x.len()),
    });
    guard.tell(found)
}

/// Residuals with a row for each, and in each a number for each of the point.
fn fitting_rows(
    (residuals, rows): (Vec<f64>, Vec<Vec<f64>>),
    n: usize,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
    if residuals.len() != rows.len() {
        let (residuals, rows) = (residuals.len(), rows.len());
        return Err(Failure::new(format!("a Jacobian of {rows} rows for {residuals} residuals")));
    }
    let rows = rows.into_iter().map(|it| fitting(it, n, |it| it, "row of the Jacobian"));
    Ok((residuals, rows.collect::<Result<_, Failure>>()?))
}

/// The normal equations of residuals at a point.
pub(crate) trait Equations {
    /// Half of the sum of squares.
    fn value(&self) -> f64;

    /// J^T r
    fn gradient(&self) -> &[f64];

    /// The diagonal of J^T J.
    fn diagonal(&self) -> Vec<f64>;

    /// The step that solves the equations with `damping * scale` on the diagonal.
    fn step(&self, damping: f64, scale: &[f64]) -> Vec<f64>;
}

/// The search, whatever the equations are kept in.
pub(crate) fn search<E: Equations>(
    x: &[f64],
    stop: &Stop,
    equations: &mut dyn FnMut(&[f64]) -> E,
) -> Found {
    let mut here = equations(x);
    let mut found = Found::start(x, here.value(), here.gradient().to_vec());
    if found.ends_at_once(stop) {
        return found;
    }
    let (mut damping, mut growth) = (1e-3, 2.0);
    let mut scale = vec![0.0_f64; x.len()];
    for _ in 0..stop.steps {
        scale.iter_mut().zip(here.diagonal()).for_each(|(it, own)| *it = it.max(own));
        let step = here.step(damping, &scale);
        let x: Vec<f64> = found.x.iter().zip(&step).map(|(x, step)| x + step).collect();
        if x == found.x {
            found.why = Why::Value;
            return found;
        }
        let next = equations(&x);
        found.evaluations += 1;
        // What the linear model promises, and what came.
        let damped: f64 = step.iter().zip(&scale).map(|(it, by)| damping * by * it * it).sum();
        let promised = 0.5 * (damped - dot(&step, here.gradient()));
        let ratio = (here.value() - next.value()) / promised;
        let is_number = next.value().is_finite() && greatest(next.gradient()).is_finite();
        if ratio > 0.0 && is_number {
            damping *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
            let is_last = found.step(x, next.value(), next.gradient().to_vec(), stop);
            here = next;
            if is_last {
                return found;
            }
        } else {
            damping *= growth;
            growth *= 2.0;
            if !damping.is_finite() {
                found.why = Why::NoDescent;
                return found;
            }
        }
    }
    found
}

/// Normal equations without zeros that are known.
pub(crate) struct Normal {
    value: f64,
    /// J^T r
    gradient: Vec<f64>,
    /// J^T J
    matrix: Vec<Vec<f64>>,
}

impl Normal {
    fn of((residuals, jacobian): (Vec<f64>, Vec<Vec<f64>>), n: usize) -> Normal {
        let mut gradient = vec![0.0; n];
        let mut matrix = vec![vec![0.0; n]; n];
        for (residual, row) in residuals.iter().zip(&jacobian) {
            for (i, by_i) in row.iter().enumerate() {
                gradient[i] += residual * by_i;
                for (j, by_j) in row[..=i].iter().enumerate() {
                    matrix[i][j] += by_i * by_j;
                }
            }
        }
        Normal { value: 0.5 * dot(&residuals, &residuals), gradient, matrix }
    }
}

/// A matrix with more on its diagonal.
pub(crate) fn damped(mut matrix: Vec<Vec<f64>>, damping: f64, scale: &[f64]) -> Vec<Vec<f64>> {
    for (at, row) in matrix.iter_mut().enumerate() {
        row[at] += damping * scale[at];
    }
    matrix
}

impl Equations for Normal {
    fn value(&self) -> f64 {
        self.value
    }

    fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix.iter().enumerate().map(|(at, row)| row[at]).collect()
    }

    fn step(&self, damping: f64, scale: &[f64]) -> Vec<f64> {
        let right: Vec<f64> = self.gradient.iter().map(|it| -it).collect();
        Cholesky::of(damped(self.matrix.clone(), damping, scale)).solve(&right)
    }
}
