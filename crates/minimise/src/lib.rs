//! Minimisers: from a function with its gradient, a starting point and tolerances to a minimum, with all
//! that happened on the way.
//!
//! Functions are closures, so that whatever has derivatives fits: generic code by overloading, something
//! written by hand, what another crate computes. Closures may fail: what they give is a value or a `Result`.
//! Handles of Cotan programs are such functions too ([`Objective`], [`Residuals`], [`Curvature`]).
//!
//! | function | takes | method |
//! |---|---|---|
//! | [`gradient_descent`] | value and gradient | steepest descent with a line search |
//! | [`adam`] | value and gradient | Kingma and Ba, 2015; a fixed number of steps, no line search |
//! | [`lbfgs`] | value and gradient | Nocedal and Wright, Algorithm 7.5, strong Wolfe conditions |
//! | [`newton_cg`] | value, gradient, Hessian times direction | Nocedal and Wright, Algorithm 7.1 |
//! | [`gauss_newton`] | residuals and their Jacobian | Nocedal and Wright, 10.3, strong Wolfe conditions |
//! | [`levenberg_marquardt`] | residuals and their Jacobian | Nocedal and Wright, 10.3; damping by Nielsen |
//! | [`bundle`], [`bundle_gauss_newton`] | residuals of pairs, in blocks | both, by the Schur complement |
//!
//! All stop when the greatest part of the gradient is at most [`Stop::gradient`], when a step changes the
//! value by at most [`Stop::value`] times its size, or after [`Stop::steps`] steps. A value or a gradient
//! that is no number never counts as progress: the search goes back from there.

mod bundle;
mod cg;
mod cholesky;
mod descent;
mod gauss;
mod lbfgs;
mod line;
mod marquardt;
mod objective;
#[cfg(feature = "progress")]
mod progress;
mod vector;

pub use bundle::{Block, Blocks, Bundle, bundle, bundle_gauss_newton};
pub use cg::newton_cg;
pub use descent::{Rates, adam, gradient_descent};
pub use gauss::gauss_newton;
pub use lbfgs::lbfgs;
pub use marquardt::levenberg_marquardt;
pub use objective::{Curvature, Failure, Objective, Outcome, Residuals};
#[cfg(feature = "progress")]
pub use progress::{Shown, shown};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The greatest part of a gradient that counts as zero.
    pub gradient: f64,
    /// The change of the value by a step, relative to the value, that counts as none.
    pub value: f64,
    /// The most steps.
    pub steps: usize,
}

impl Default for Stop {
    /// 1e-8, 1e-15, a thousand steps.
    fn default() -> Stop {
        Stop { gradient: 1e-8, value: 1e-15, steps: 1000 }
    }
}

/// Why it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The gradient is as good as zero.
    Gradient,
    /// The value does not change any more.
    Value,
    /// All steps were made.
    Steps,
    /// No step in the direction of the search makes the value smaller: rounding, or a gradient that is not
    /// the function's.
    NoDescent,
    /// The value or the gradient is no number, at the starting point or where there is no way back.
    NoNumber,
    /// The function could not be evaluated: [`Found::failure`] says why.
    Failed,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best point.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Why it stopped.
    pub why: Why,
    /// How often the function was evaluated.
    pub evaluations: usize,
    /// The value and the greatest part of the gradient after each step, the starting point first.
    pub trace: Vec<(f64, f64)>,
    /// Why the function could not be evaluated, if it could not.
    pub failure: Option<Failure>,
}

impl Found {
    /// The start of a search.
    fn start(x: &[f64], value: f64, gradient: Vec<f64>) -> Found {
        let trace = vec![(value, vector::greatest(&gradient))];
        let (x, why) = (x.to_vec(), Why::Steps);
        Found { x, value, gradient, why, evaluations: 1, trace, failure: None }
    }

    /// Whether there is nothing to do from here.
    fn ends_at_once(&mut self, stop: &Stop) -> bool {
        let is_number = self.value.is_finite() && self.gradient.iter().all(|it| it.is_finite());
        let is_flat = vector::greatest(&self.gradient) <= stop.gradient;
        match (is_number, is_flat) {
            (false, _) => self.why = Why::NoNumber,
            (true, true) => self.why = Why::Gradient,
            (true, false) => return false,
        }
        true
    }

    /// Goes to the next point; tells whether it is the last one.
    fn step(&mut self, x: Vec<f64>, value: f64, gradient: Vec<f64>, stop: &Stop) -> bool {
        let change = (self.value - value).abs();
        let is_flat = vector::greatest(&gradient) <= stop.gradient;
        let is_still = change <= stop.value * self.value.abs().max(value.abs());
        self.trace.push((value, vector::greatest(&gradient)));
        (self.x, self.value, self.gradient) = (x, value, gradient);
        match (is_flat, is_still) {
            (true, _) => self.why = Why::Gradient,
            (false, true) => self.why = Why::Value,
            (false, false) => return false,
        }
        true
    }
}
