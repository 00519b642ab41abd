//! Progress while a search runs: a line in the terminal with the number of evaluations, the value and the
//! greatest part of the gradient.

use indicatif::{ProgressBar, ProgressStyle};

use crate::vector::{dot, greatest};
use crate::{Failure, Objective, Residuals};

/// A function that shows how far a search is.
pub struct Shown<F> {
    f: F,
    bar: ProgressBar,
}

/// A function that shows at every evaluation what it gave; the line goes away with it. Where there is no
/// terminal nothing is shown.
///
/// ```
/// let f = |x: &[f64]| ((x[0] - 3.0).powi(2), vec![2.0 * (x[0] - 3.0)]);
/// let found = minimise::lbfgs(minimise::shown(f), &[0.0], &minimise::Stop::default());
/// assert!((found.x[0] - 3.0).abs() < 1e-8);
/// ```
pub fn shown<F>(f: F) -> Shown<F> {
    let style = ProgressStyle::with_template("{spinner} {pos} evaluations, {msg}, {elapsed}");
    let style = style.expect("compiler bug: the template is one");
    Shown { f, bar: ProgressBar::new_spinner().with_style(style) }
}

impl<F> Shown<F> {
    /// Shows it in another place, such as one of several lines.
    pub fn on(mut self, bar: ProgressBar) -> Shown<F> {
        self.bar = bar;
        self
    }

    fn tell(&self, value: f64, gradient: &[f64]) {
        self.bar.inc(1);
        self.bar.set_message(format!("value {value:.6e}, gradient {:.2e}", greatest(gradient)));
    }
}

impl<F> Drop for Shown<F> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl<F: Objective> Objective for Shown<F> {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Failure> {
        let (value, gradient) = self.f.at(x)?;
        self.tell(value, &gradient);
        Ok((value, gradient))
    }
}

impl<F: Residuals> Residuals for Shown<F> {
    fn at(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        let (residuals, jacobian) = self.f.at(x)?;
        let mut slope = vec![0.0; x.len()];
        for (residual, row) in residuals.iter().zip(&jacobian) {
            slope.iter_mut().zip(row).for_each(|(it, by)| *it += residual * by);
        }
        self.tell(0.5 * dot(&residuals, &residuals), &slope);
        Ok((residuals, jacobian))
    }
}
