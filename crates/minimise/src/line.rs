//! A line search whose step satisfies the strong Wolfe conditions.
//!
//! Nocedal and Wright, Numerical Optimization, Algorithms 3.5 (bracketing) and 3.6 (zoom), with the minimum
//! of the cubic through two points and slopes where that lies well inside, and the middle elsewhere.

use crate::objective::Sloped;
use crate::vector::{along, dot};

/// Enough descent: a part of what the slope promises.
const DESCENT: f64 = 1e-4;
/// The most evaluations of one search.
const TRIES: usize = 40;

/// A point on the line.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) step: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
    slope: f64,
}

/// The search from `x` along `direction`.
pub(crate) struct Line<'a> {
    pub(crate) f: &'a mut Sloped<'a>,
    pub(crate) x: &'a [f64],
    pub(crate) direction: &'a [f64],
    pub(crate) value: f64,
    pub(crate) slope: f64,
    /// How flat the end has to be, as a part of the slope at the start.
    pub(crate) flatness: f64,
    pub(crate) evaluations: usize,
}

impl Line<'_> {
    /// The step, if there is one; the first to try is given.
    pub(crate) fn search(&mut self, first: f64) -> Option<Point> {
        let start = Point {
            step: 0.0,
            x: self.x.to_vec(),
            value: self.value,
            gradient: Vec::new(),
            slope: self.slope,
        };
        let (mut before, mut step) = (start, first);
        for at in 0..TRIES {
            let here = self.at(step);
            if !self.descends(&here) || at > 0 && here.value >= before.value {
                return self.zoom(before, here);
            }
            if self.is_flat(&here) {
                return Some(here);
            }
            if here.slope >= 0.0 {
                return self.zoom(here, before);
            }
            before = here;
            step *= 2.0;
        }
        (before.step > 0.0).then_some(before)
    }

    fn at(&mut self, step: f64) -> Point {
        self.evaluations += 1;
        let x = along(self.x, step, self.direction);
        let (value, gradient) = (self.f)(&x);
        let slope = dot(&gradient, self.direction);
        // What is no number is no descent.
        let is_number = value.is_finite() && slope.is_finite();
        let value = if is_number { value } else { f64::INFINITY };
        Point { step, x, value, gradient, slope }
    }

    fn descends(&self, it: &Point) -> bool {
        it.value <= self.value + DESCENT * it.step * self.slope
    }

    fn is_flat(&self, it: &Point) -> bool {
        it.slope.abs() <= -self.flatness * self.slope
    }

    /// Between a point that descends and one that does not, or rises.
    fn zoom(&mut self, mut low: Point, mut high: Point) -> Option<Point> {
        for _ in 0..TRIES {
            let here = self.at(between(&low, &high));
            if !self.descends(&here) || here.value >= low.value {
                high = here;
            } else {
                if self.is_flat(&here) {
                    return Some(here);
                }
                if here.slope * (high.step - low.step) >= 0.0 {
                    high = low;
                }
                low = here;
            }
            if (high.step - low.step).abs() <= f64::EPSILON * low.step.abs() {
                break;
            }
        }
        // As low as rounding allows.
        (low.step > 0.0 && low.value < self.value).then_some(low)
    }
}

/// The minimum of the cubic through both, if it is not close to an end.
fn between(low: &Point, high: &Point) -> f64 {
    let middle = 0.5 * (low.step + high.step);
    let width = high.step - low.step;
    if !high.value.is_finite() {
        return middle;
    }
    let d1 = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
    let d2 = d1 * d1 - low.slope * high.slope;
    if d2.is_nan() || d2 < 0.0 {
        return middle;
    }
    let d2 = d2.sqrt().copysign(width);
    let step = high.step - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    let inside = (step - low.step) / width;
    if (0.1..=0.9).contains(&inside) { step } else { middle }
}
