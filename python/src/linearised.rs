//! Functions at a point, as Python has them: a run whose derivative both ways is kept.

use std::sync::Arc;

use cotan::{Answer, Argument, Report, Stop};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::raised;
use crate::interrupt::interruptible;
use crate::into;
use crate::out::Form;

/// A function at a point: it has run once, and what its derivative needs of that run is kept.
#[pyclass(frozen, module = "cotan._cotan")]
pub(crate) struct Linearised {
    pub(crate) at: cotan::Linearised,
    pub(crate) form: Arc<Form>,
    /// Stops the run and what is asked of it later.
    pub(crate) stop: Stop,
}

#[pymethods]
impl Linearised {
    /// The value of the function.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.form.value(py, self.at.value())
    }

    /// The tangent of the value for a direction of each parameter.
    #[pyo3(signature = (*directions))]
    fn jvp<'py>(&self, directions: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let direction = match directions.len() {
            1 => directions.get_item(0)?,
            _ => directions.clone().into_any(),
        };
        self.applied(&direction, "dx", |it| self.at.jvp(it))
    }

    /// The cotangents of the parameters for one of the value.
    fn vjp<'py>(&self, cotangent: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.applied(cotangent, "dy", |it| self.at.vjp(it))
    }
}

impl Linearised {
    fn applied<'py>(
        &self,
        to: &Bound<'py, PyAny>,
        name: &str,
        apply: impl FnOnce([Argument; 1]) -> Result<Answer, Report> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, argument) = (to.py(), into::argument(to, name)?);
        let answer = interruptible(py, &self.stop, || apply([argument]))?;
        self.form.value(py, &answer.map_err(|it| raised(py, &it))?)
    }
}
