//! L-BFGS: a Newton method whose Hessian is known by the last steps and changes of the gradient.
//!
//! Nocedal and Wright, Algorithms 7.4 (two loops) and 7.5.

use std::collections::VecDeque;

use crate::line::Line;
use crate::objective::{Sloped, guarded};
use crate::vector::{along, dot, minus, scaled};
use crate::{Found, Objective, Stop, Why};

/// How many steps are remembered: more than ten help little, by the book's experience.
const REMEMBERED: usize = 10;

/// A step, the change of the gradient by it, and one over their product.
type Pair = (Vec<f64>, Vec<f64>, f64);

/// Minimises a function with its gradient.
pub fn lbfgs(f: impl Objective, x: &[f64], stop: &Stop) -> Found {
    guarded(f, |f| search(f, x, stop))
}

fn search(f: &mut Sloped<'_>, x: &[f64], stop: &Stop) -> Found {
    let (value, gradient) = f(x);
    let mut found = Found::start(x, value, gradient);
    if found.ends_at_once(stop) {
        return found;
    }
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    for _ in 0..stop.steps {
        let mut direction = scaled(-1.0, &times_hessian(&pairs, &found.gradient));
        let mut slope = dot(&found.gradient, &direction);
        if slope.is_nan() || slope >= 0.0 {
            pairs.clear();
            direction = scaled(-1.0, &found.gradient);
            slope = -dot(&found.gradient, &found.gradient);
        }
        let first = if pairs.is_empty() { 1.0 / (-slope).sqrt().max(1.0) } else { 1.0 };
        let (value, x) = (found.value, found.x.clone());
        let mut line = Line {
            f: &mut *f,
            x: &x,
            direction: &direction,
            value,
            slope,
            flatness: 0.9,
            evaluations: 0,
        };
        let point = line.search(first);
        found.evaluations += line.evaluations;
        let Some(point) = point else {
            // What is remembered may mislead; once more without it.
            if pairs.is_empty() {
                found.why = Why::NoDescent;
                return found;
            }
            pairs.clear();
            continue;
        };
        let (step, change) = (minus(&point.x, &x), minus(&point.gradient, &found.gradient));
        let product = dot(&step, &change);
        if product > f64::EPSILON * dot(&change, &change) {
            pairs.push_back((step, change, 1.0 / product));
            if pairs.len() > REMEMBERED {
                pairs.pop_front();
            }
        }
        if found.step(point.x, point.value, point.gradient, stop) {
            return found;
        }
    }
    found
}

/// The inverse of the Hessian, as far as it is known, times the gradient.
fn times_hessian(pairs: &VecDeque<Pair>, gradient: &[f64]) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut parts = Vec::with_capacity(pairs.len());
    for (step, change, rho) in pairs.iter().rev() {
        let part = rho * dot(step, &q);
        q = along(&q, -part, change);
        parts.push(part);
    }
    if let Some((_, change, rho)) = pairs.back() {
        q = scaled(1.0 / (rho * dot(change, change)), &q);
    }
    for ((step, change, rho), part) in pairs.iter().zip(parts.into_iter().rev()) {
        let back = rho * dot(change, &q);
        q = along(&q, part - back, step);
    }
    q
}
