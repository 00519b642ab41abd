//! What minimisers take: anything that has a value and a gradient, closures and handles alike.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::{Found, Why};

/// A function with its gradient. Closures are such functions; so is a handle of a Cotan program.
pub trait Objective {
    /// The value and the gradient at a point.
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Failure>;
}

/// Residuals with their Jacobian.
pub trait Residuals {
    /// The residuals at a point, and their Jacobian, a row for each.
    fn at(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure>;
}

/// The Hessian of a function.
pub trait Curvature {
    /// The Hessian at a point times a direction.
    fn at(&mut self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Failure>;
}

/// What a closure gives: a value, or a value or an error.
pub trait Outcome<T> {
    /// It as a result.
    fn outcome(self) -> Result<T, Failure>;
}

/// Why a function could not be evaluated.
#[derive(Clone, Debug)]
pub struct Failure(Arc<dyn Error + Send + Sync>);

impl Failure {
    /// It with its reason.
    pub fn new(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        Failure(Arc::from(reason.into()))
    }

    /// The reason.
    pub fn reason(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

/// By what they say.
impl PartialEq for Failure {
    fn eq(&self, other: &Failure) -> bool {
        self.to_string() == other.to_string()
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>, T> Outcome<T> for Result<T, E> {
    fn outcome(self) -> Result<T, Failure> {
        self.map_err(Failure::new)
    }
}

macro_rules! certain {
    ($($ty:ty;)+) => {$(
        impl Outcome<$ty> for $ty {
            fn outcome(self) -> Result<$ty, Failure> {
                Ok(self)
            }
        }
    )+};
}

certain! {
    (f64, Vec<f64>);
    (Vec<f64>, Vec<Vec<f64>>);
    Vec<f64>;
}

impl<R: Outcome<(f64, Vec<f64>)>, F: FnMut(&[f64]) -> R> Objective for F {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Failure> {
        self(x).outcome()
    }
}

impl<R: Outcome<(Vec<f64>, Vec<Vec<f64>>)>, F: FnMut(&[f64]) -> R> Residuals for F {
    fn at(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        self(x).outcome()
    }
}

impl<R: Outcome<Vec<f64>>, F: FnMut(&[f64], &[f64]) -> R> Curvature for F {
    fn at(&mut self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Failure> {
        self(x, direction).outcome()
    }
}

/// A function with its gradient, as searches see it.
pub(crate) type Sloped<'a> = dyn FnMut(&[f64]) -> (f64, Vec<f64>) + 'a;

/// The Hessian at a point times a direction, as searches see it.
pub(crate) type Curved<'a> = dyn FnMut(&[f64], &[f64]) -> Vec<f64> + 'a;

/// What failed, if something did. From then on nothing is called any more, and what would have been
/// computed is no number, which every search takes as its end.
#[derive(Default)]
pub(crate) struct Guard(Option<Failure>);

impl Guard {
    /// What is computed; nothing after a failure.
    pub(crate) fn call<T>(&mut self, f: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
        if self.0.is_some() {
            return None;
        }
        f().map_err(|it| self.0 = Some(it)).ok()
    }

    /// What came of it, with what failed.
    pub(crate) fn tell(self, mut found: Found) -> Found {
        if let Some(failure) = self.0 {
            (found.why, found.failure) = (Why::Failed, Some(failure));
        }
        found
    }
}

/// What was computed, if it has a number for each of the point; what closures give is anybody's.
pub(crate) fn fitting<T>(
    it: T,
    n: usize,
    part: impl Fn(&T) -> &[f64],
    name: &str,
) -> Result<T, Failure> {
    match part(&it).len() {
        found if found == n => Ok(it),
        found => Err(Failure::new(format!("a {name} of {found} numbers at a point of {n}"))),
    }
}

/// The value and the gradient of what failed.
fn nothing(x: &[f64]) -> (f64, Vec<f64>) {
    (f64::NAN, vec![f64::NAN; x.len()])
}

/// Runs a search on a function that may fail.
pub(crate) fn guarded(
    mut f: impl Objective,
    search: impl FnOnce(&mut Sloped<'_>) -> Found,
) -> Found {
    let mut guard = Guard::default();
    let mut f = |x: &[f64]| f.at(x).and_then(|it| fitting(it, x.len(), |it| &it.1, "gradient"));
    let found = search(&mut |x| guard.call(|| f(x)).unwrap_or_else(|| nothing(x)));
    guard.tell(found)
}

/// As [`guarded`], with products of the Hessian.
pub(crate) fn guarded_with(
    mut f: impl Objective,
    mut hvp: impl Curvature,
    search: impl FnOnce(&mut Sloped<'_>, &mut Curved<'_>) -> Found,
) -> Found {
    let guard = std::cell::RefCell::new(Guard::default());
    let mut f = |x: &[f64]| f.at(x).and_then(|it| fitting(it, x.len(), |it| &it.1, "gradient"));
    let mut hvp = |x: &[f64], direction: &[f64]| {
        let product = "product with the Hessian";
        hvp.at(x, direction).and_then(|it| fitting(it, x.len(), |it| it, product))
    };
    let found = search(
        &mut |x| guard.borrow_mut().call(|| f(x)).unwrap_or_else(|| nothing(x)),
        &mut |x, direction| {
            guard.borrow_mut().call(|| hvp(x, direction)).unwrap_or_else(|| nothing(x).1)
        },
    );
    guard.into_inner().tell(found)
}
