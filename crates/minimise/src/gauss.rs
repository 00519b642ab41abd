//! Gauss-Newton: least squares of residuals by their linear model alone, with a line search.
//!
//! Nocedal and Wright, 10.3: the Newton method whose Hessian is that of the model, J^T J. Near a minimum with
//! small residuals it is as fast as Newton's; where the columns of J say nearly the same, Levenberg and
//! Marquardt's method goes further. The step satisfies the strong Wolfe conditions. Where the model shows no
//! way down, one step goes along the gradient.

use crate::line::Line;
use crate::marquardt::{Equations, normal};
use crate::vector::{dot, scaled};
use crate::{Found, Residuals, Stop, Why};

/// Minimises half of the sum of the squares of residuals. The function gives them and their Jacobian, a row
/// for each.
pub fn gauss_newton(f: impl Residuals, x: &[f64], stop: &Stop) -> Found {
    normal(f, |equations| search(x, stop, equations))
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
    let undamped = vec![0.0; x.len()];
    for _ in 0..stop.steps {
        let length = dot(&found.gradient, &found.gradient).sqrt();
        let ways = [
            (here.step(0.0, &undamped), 1.0),
            (scaled(-1.0, &found.gradient), 1.0 / length.max(1.0)),
        ];
        let mut next = None;
        for (direction, first) in ways {
            let slope = dot(&found.gradient, &direction);
            // Neither upwards nor no number.
            if slope < 0.0 && slope.is_finite() {
                next = along(&mut found, &direction, (first, slope), equations);
            }
            if next.is_some() {
                break;
            }
        }
        let Some(next) = next else {
            found.why = Why::NoDescent;
            return found;
        };
        here = next.1;
        if found.step(next.0, here.value(), here.gradient().to_vec(), stop) {
            return found;
        }
    }
    found
}

/// The point of a line search with its equations, if there is one.
fn along<E: Equations>(
    found: &mut Found,
    direction: &[f64],
    (first, slope): (f64, f64),
    equations: &mut dyn FnMut(&[f64]) -> E,
) -> Option<(Vec<f64>, E)> {
    // Searches mostly end where they looked last.
    let mut last = None;
    let mut f = |x: &[f64]| {
        let it = equations(x);
        let res = (it.value(), it.gradient().to_vec());
        last = Some((x.to_vec(), it));
        res
    };
    let (value, x) = (found.value, found.x.clone());
    let mut line =
        Line { f: &mut f, x: &x, direction, value, slope, flatness: 0.9, evaluations: 0 };
    let point = line.search(first);
    found.evaluations += line.evaluations;
    let x = point?.x;
    match last {
        Some(last) if last.0 == x => Some(last),
        Some(_) | None => {
            found.evaluations += 1;
            let it = equations(&x);
            Some((x, it))
        }
    }
}
