//! Functions of programs as what minimisers take. The point may be of any Rust type: its reals become a
//! vector for the minimiser, and come back as that type.

use std::marker::PhantomData;

use minimise::{Curvature, Failure, Found, Objective, Residuals};

use crate::argument::Argument;
use crate::data::{Data, FromData, Mismatch, ToData};
use crate::error;
use crate::handle::{Function, Inputs};
use crate::report::Report;

/// A function of a point and of data that stay as they are, to be minimised by the point.
///
/// ```
/// use cotan::minimise::{Stop, lbfgs};
///
/// #[derive(cotan::Cotan)]
/// struct Line { height: f64, slope: f64 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let program = cotan::Program::new("
///     type Line = { height: Real, slope: Real }
///     def loss(line: Line, x: [n]Real, y: [n]Real): Real =
///       sum((line.height + line.slope * x - y) ** 2.0)
/// ")?;
/// let (x, y) = ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]);
/// let fit = program.function("loss")?.fit(&Line { height: 0.0, slope: 0.0 }, (x, y));
/// let fitted = fit.run(|f, start| lbfgs(f, start, &Stop::default()))?;
/// assert!((fitted.point.height - 1.0).abs() < 1e-6 && (fitted.point.slope - 2.0).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub struct Fit<P> {
    /// The first parameter.
    name: String,
    start: Data<'static>,
    data: Rest,
    value: Function,
    value_and_grad: Function,
    jacobian: Function,
    hvp: Function,
    point: PhantomData<fn() -> P>,
}

/// The arguments behind the first.
enum Rest {
    /// In order.
    InOrder(Vec<Data<'static>>),
    Named(Vec<Argument>),
}

/// What came of a minimisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted<P> {
    /// The best point.
    pub point: P,
    /// The gradient there.
    pub gradient: P,
    /// All that happened on the way, by vectors.
    pub found: Found,
}

impl Function {
    /// The function, with all arguments but the first, to be minimised by that one from a starting point.
    /// A struct or an enum can be one by `#[derive(Cotan)]`. All reals in it vary, and nothing else.
    pub fn fit<P: ToData + FromData>(&self, start: &P, data: impl Inputs) -> Fit<P> {
        let params = self.params();
        let name = params.first().cloned().unwrap_or_default();
        let data = match data.by_name() {
            Some(named) => Rest::Named(named.to_vec()),
            None => {
                let mut all = Vec::new();
                data.each(&mut |it| all.push(it.into_owned()));
                Rest::InOrder(all)
            }
        };
        let wrt = |it: Function| it.wrt([name.as_str()]);
        Fit {
            start: start.to_data().into_owned(),
            data,
            value: self.clone(),
            value_and_grad: wrt(self.value_and_grad()),
            jacobian: wrt(self.jacobian()),
            hvp: wrt(self.hvp()),
            point: PhantomData,
            name,
        }
    }
}

impl<P: ToData + FromData> Fit<P> {
    /// The reals of the starting point.
    pub fn start(&self) -> Vec<f64> {
        self.start.ravel()
    }

    /// The point with these reals.
    pub fn point(&self, reals: &[f64]) -> Result<P, Report> {
        let point = self.start.unravel(reals).and_then(P::from_data);
        point.map_err(|it| misfit::<P>(&it))
    }

    /// Minimises it by a minimiser, which is given the function and the reals of the starting point. If a
    /// call fails, that ends it, and the reason is the [`Report`].
    pub fn run(
        &self,
        minimiser: impl FnOnce(&Fit<P>, &[f64]) -> Found,
    ) -> Result<Fitted<P>, Failure> {
        let found = minimiser(self, &self.start());
        if let Some(failure) = found.failure {
            return Err(failure);
        }
        let point = |reals: &[f64]| self.point(reals).map_err(Failure::new);
        Ok(Fitted { point: point(&found.x)?, gradient: point(&found.gradient)?, found })
    }

    /// Calls a function at a point, perhaps with a direction.
    fn call(
        &self,
        f: &Function,
        x: &[f64],
        direction: Option<&[f64]>,
    ) -> Result<crate::Answer, Report> {
        let with = |reals: &[f64]| self.start.unravel(reals).map_err(|it| misfit::<P>(&it));
        let (point, direction) = (with(x)?, direction.map(with).transpose()?);
        match &self.data {
            Rest::InOrder(data) => {
                let all = [&point].into_iter().chain(data).chain(&direction);
                f.call(all.map(ToData::to_data).collect::<Vec<Data<'_>>>())
            }
            Rest::Named(data) => {
                let mut all = data.clone();
                all.push(Argument::data(&self.name, &point));
                let last = f.params().pop().unwrap_or_default();
                all.extend(direction.map(|it| Argument::data(&last, &it)));
                f.call(all)
            }
        }
    }
}

/// The reals of a value, in the order of the Rust type: a program may have its fields in another one.
fn reals<P: ToData + FromData>(data: Data<'_>) -> Result<Vec<f64>, Mismatch> {
    Ok(P::from_data(data)?.to_data().ravel())
}

fn misfit<P>(mismatch: &Mismatch) -> Report {
    Report::single(error::wrong_answer(std::any::type_name::<P>(), mismatch))
}

impl<P: ToData + FromData> Objective for &Fit<P> {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Failure> {
        let answer = self.call(&self.value_and_grad, x, None).map_err(Failure::new)?;
        let parts = answer.data().into_parts("a value and a gradient");
        let both = parts.and_then(|mut it| {
            let (value, slope) = (it.take::<f64>()?, it.take::<Data<'static>>()?);
            Ok((value, reals::<P>(slope)?))
        });
        both.map_err(|it| Failure::new(misfit::<P>(&it)))
    }
}

/// Of a function that gives an array of residuals.
impl<P: ToData + FromData> Residuals for &Fit<P> {
    fn at(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        let residuals = self.call(&self.value, x, None).map_err(Failure::new)?;
        let residuals = residuals.get::<Vec<f64>>().map_err(Failure::new)?;
        let rows = self.call(&self.jacobian, x, None).map_err(Failure::new)?;
        let rows = rows.get::<Vec<P>>().map_err(Failure::new)?;
        Ok((residuals, rows.iter().map(|it| it.to_data().ravel()).collect()))
    }
}

impl<P: ToData + FromData> Curvature for &Fit<P> {
    fn at(&mut self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Failure> {
        let product = self.call(&self.hvp, x, Some(direction)).map_err(Failure::new)?;
        reals::<P>(product.data()).map_err(|it| Failure::new(misfit::<P>(&it)))
    }
}

/// A handle of [`Function::value_and_grad`] by one parameter, an array of reals.
impl Objective for Function {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Failure> {
        let answer = self.call((x,)).map_err(Failure::new)?;
        answer.get::<(f64, Vec<f64>)>().map_err(Failure::new)
    }
}

/// A handle of [`Function::hvp`] by one parameter, an array of reals.
impl Curvature for Function {
    fn at(&mut self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Failure> {
        let answer = self.call((x, direction)).map_err(Failure::new)?;
        answer.get::<Vec<f64>>().map_err(Failure::new)
    }
}
