//! Levenberg-Marquardt: least squares of residuals, by their Jacobian.
//!
//! Nocedal and Wright, 10.3; the damping is that of Nielsen, 1999 (IMM-REP-1999-05), scaled by the greatest
//! diagonal of the normal equations so far (Moré, 1978): without the greatest, it fades where residuals are
//! large and their derivatives small. The equations are solved by Cholesky's method.

use crate::vector::{dot, greatest};
use crate::{Found, Stop, Why};

/// Minimises half of the sum of the squares of residuals. The function gives them and their Jacobian, a row
/// for each.
pub fn levenberg_marquardt(
    mut f: impl FnMut(&[f64]) -> (Vec<f64>, Vec<Vec<f64>>),
    x: &[f64],
    stop: &Stop,
) -> Found {
    let mut normal = Normal::of(f(x), x.len());
    let mut found = Found::start(x, normal.value, normal.gradient.clone());
    if found.ends_at_once(stop) {
        return found;
    }
    let (mut damping, mut growth) = (1e-3, 2.0);
    let mut scale = vec![0.0_f64; x.len()];
    for _ in 0..stop.steps {
        let own = normal.matrix.iter().enumerate().map(|(at, row)| row[at]);
        scale.iter_mut().zip(own).for_each(|(it, own)| *it = it.max(own));
        let step = normal.step(damping, &scale);
        let x: Vec<f64> = found.x.iter().zip(&step).map(|(x, step)| x + step).collect();
        if x == found.x {
            found.why = Why::Value;
            return found;
        }
        let next = Normal::of(f(&x), x.len());
        found.evaluations += 1;
        // What the linear model promises, and what came.
        let damped: f64 = step.iter().zip(&scale).map(|(it, by)| damping * by * it * it).sum();
        let promised = 0.5 * (damped - dot(&step, &normal.gradient));
        let ratio = (normal.value - next.value) / promised;
        if ratio > 0.0 && next.value.is_finite() && greatest(&next.gradient).is_finite() {
            damping *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
            let is_last = found.step(x, next.value, next.gradient.clone(), stop);
            normal = next;
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

/// The normal equations of residuals.
struct Normal {
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

    /// The step that solves the damped equations; a direction that nothing depends on stays.
    fn step(&self, damping: f64, scale: &[f64]) -> Vec<f64> {
        let n = self.gradient.len();
        let mut lower = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let inner = dot(&lower[i][..j], &lower[j][..j]);
                let diagonal = if i == j { damping * scale[i] } else { 0.0 };
                let rest = self.matrix[i][j] + diagonal - inner;
                lower[i][j] = match (i == j, rest > 0.0) {
                    (true, true) => rest.sqrt(),
                    (true, false) => f64::INFINITY,
                    (false, _) => rest / lower[j][j],
                };
            }
        }
        let mut res = vec![0.0; n];
        for i in 0..n {
            res[i] = (-self.gradient[i] - dot(&lower[i][..i], &res[..i])) / lower[i][i];
        }
        for i in (0..n).rev() {
            let above: f64 = (i + 1..n).map(|j| lower[j][i] * res[j]).sum();
            res[i] = (res[i] - above) / lower[i][i];
        }
        res
    }
}
