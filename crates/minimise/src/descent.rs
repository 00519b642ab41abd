//! Steepest descent, and Adam.

use crate::line::Line;
use crate::objective::{Sloped, guarded};
use crate::vector::{dot, scaled};
use crate::{Found, Objective, Stop, Why};

/// Steepest descent with a line search: slow, and hard to mislead.
pub fn gradient_descent(f: impl Objective, x: &[f64], stop: &Stop) -> Found {
    guarded(f, |f| descend(f, x, stop))
}

fn descend(f: &mut Sloped<'_>, x: &[f64], stop: &Stop) -> Found {
    let (value, gradient) = f(x);
    let mut found = Found::start(x, value, gradient);
    if found.ends_at_once(stop) {
        return found;
    }
    let mut first = 1.0 / dot(&found.gradient, &found.gradient).sqrt();
    for _ in 0..stop.steps {
        let direction = scaled(-1.0, &found.gradient);
        let slope = -dot(&found.gradient, &found.gradient);
        let (value, x) = (found.value, found.x.clone());
        let mut line = Line {
            f: &mut *f,
            x: &x,
            direction: &direction,
            value,
            slope,
            flatness: 0.1,
            evaluations: 0,
        };
        let point = line.search(first);
        found.evaluations += line.evaluations;
        let Some(point) = point else {
            found.why = Why::NoDescent;
            return found;
        };
        first = point.step;
        if found.step(point.x, point.value, point.gradient, stop) {
            return found;
        }
    }
    found
}

/// How Adam steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The length of a step.
    pub step: f64,
    /// How much of the mean of gradients is kept.
    pub mean: f64,
    /// How much of the mean of their squares is kept.
    pub square: f64,
    /// What keeps a division from being one by zero.
    pub small: f64,
}

impl Default for Rates {
    /// Those of the paper.
    fn default() -> Rates {
        Rates { step: 1e-3, mean: 0.9, square: 0.999, small: 1e-8 }
    }
}

/// Adam: steps by means of gradients and of their squares. The function may be another one at every step,
/// such as a sum over other data; so the value alone does not end it.
pub fn adam(f: impl Objective, x: &[f64], rates: &Rates, stop: &Stop) -> Found {
    guarded(f, |f| drift(f, x, rates, stop))
}

fn drift(f: &mut Sloped<'_>, x: &[f64], rates: &Rates, stop: &Stop) -> Found {
    let (value, gradient) = f(x);
    let mut found = Found::start(x, value, gradient);
    if found.ends_at_once(stop) {
        return found;
    }
    let stop = Stop { value: -1.0, ..*stop };
    let (mut mean, mut square) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let (mut kept_mean, mut kept_square) = (1.0, 1.0);
    for _ in 0..stop.steps {
        kept_mean *= rates.mean;
        kept_square *= rates.square;
        let mut x = found.x.clone();
        for (at, g) in found.gradient.iter().enumerate() {
            mean[at] = rates.mean * mean[at] + (1.0 - rates.mean) * g;
            square[at] = rates.square * square[at] + (1.0 - rates.square) * g * g;
            let root = (square[at] / (1.0 - kept_square)).sqrt();
            x[at] -= rates.step * mean[at] / (1.0 - kept_mean) / (root + rates.small);
        }
        let (value, gradient) = f(&x);
        found.evaluations += 1;
        if !value.is_finite() || gradient.iter().any(|it| !it.is_finite()) {
            found.why = Why::NoNumber;
            return found;
        }
        if found.step(x, value, gradient, &stop) {
            return found;
        }
    }
    found
}
