//! Newton's method whose steps are found by conjugate gradients, from products of the Hessian alone.
//!
//! Nocedal and Wright, Algorithm 7.1: as exact as the gradient is small, and stopped where the Hessian
//! curves down.

use crate::line::Line;
use crate::objective::{Curved, Sloped, guarded_with};
use crate::vector::{along, dot, scaled};
use crate::{Curvature, Found, Objective, Stop, Why};

/// Minimises a function with its gradient and the product of its Hessian at a point with a direction.
pub fn newton_cg(f: impl Objective, hvp: impl Curvature, x: &[f64], stop: &Stop) -> Found {
    guarded_with(f, hvp, |f, hvp| search(f, hvp, x, stop))
}

fn search(f: &mut Sloped<'_>, hvp: &mut Curved<'_>, x: &[f64], stop: &Stop) -> Found {
    let (value, gradient) = f(x);
    let mut found = Found::start(x, value, gradient);
    if found.ends_at_once(stop) {
        return found;
    }
    for _ in 0..stop.steps {
        let (value, x) = (found.value, found.x.clone());
        let direction = direction(&found.gradient, |it| hvp(&x, it));
        let slope = dot(&found.gradient, &direction);
        let mut line = Line {
            f: &mut *f,
            x: &x,
            direction: &direction,
            value,
            slope,
            flatness: 0.9,
            evaluations: 0,
        };
        let point = line.search(1.0);
        found.evaluations += line.evaluations;
        let Some(point) = point else {
            found.why = Why::NoDescent;
            return found;
        };
        if found.step(point.x, point.value, point.gradient, stop) {
            return found;
        }
    }
    found
}

/// About minus the inverse of the Hessian times the gradient; always downhill.
fn direction(gradient: &[f64], mut times: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let size = dot(gradient, gradient).sqrt();
    let enough = size * 0.5_f64.min(size.sqrt());
    let mut res = vec![0.0; gradient.len()];
    let mut residual = gradient.to_vec();
    let mut search = scaled(-1.0, gradient);
    let mut square = dot(&residual, &residual);
    for at in 0..2 * gradient.len().max(1) {
        let curved = times(&search);
        let curvature = dot(&search, &curved);
        if curvature.is_nan() || curvature <= 0.0 {
            return if at == 0 { scaled(-1.0, gradient) } else { res };
        }
        let step = square / curvature;
        res = along(&res, step, &search);
        residual = along(&residual, step, &curved);
        let next = dot(&residual, &residual);
        if next.sqrt() <= enough {
            break;
        }
        search = along(&scaled(-1.0, &residual), next / square, &search);
        square = next;
    }
    res
}
