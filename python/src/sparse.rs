//! Sparse Jacobians and Hessians, as the three arrays that SciPy makes a matrix of.

use cotan::{SparseJacobian, Stop};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::raised;
use crate::interrupt::interruptible;
use crate::into;

/// A matrix of derivatives that may be asked for at many points.
#[pyclass(frozen, module = "cotan._cotan")]
pub(crate) struct Sparse {
    jacobian: SparseJacobian,
    params: Vec<String>,
    stop: Stop,
}

/// Columns, where rows begin, and the numbers of rows and columns.
type Lines<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, (usize, usize));

impl Sparse {
    pub(crate) fn of(jacobian: SparseJacobian, stop: Stop) -> Sparse {
        Sparse { params: jacobian.params(), jacobian, stop }
    }
}

#[pymethods]
impl Sparse {
    /// The entries, and where they are.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Lines<'py>)> {
        let arguments = into::arguments(&self.params, args, kwargs)?;
        let found = interruptible(py, &self.stop, || self.jacobian.call(&arguments[..]))?;
        let found = found.map_err(|it| raised(py, &it))?;
        let lines = lines(py, &found.starts, &found.columns, found.n_columns);
        Ok((found.values.into_pyarray(py), lines))
    }

    /// Where entries may be other than zero.
    #[pyo3(signature = (*args, **kwargs))]
    fn pattern<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Lines<'py>> {
        let arguments = into::arguments(&self.params, args, kwargs)?;
        let found = interruptible(py, &self.stop, || self.jacobian.pattern(&arguments[..]))?;
        let found = found.map_err(|it| raised(py, &it))?;
        Ok(lines(py, found.starts(), found.columns(), found.n_columns()))
    }
}

fn lines<'py>(py: Python<'py>, starts: &[usize], columns: &[u32], n: usize) -> Lines<'py> {
    let starts: Vec<i64> = starts.iter().map(|it| *it as i64).collect();
    let columns: Vec<i64> = columns.iter().map(|it| i64::from(*it)).collect();
    let shape = (starts.len() - 1, n);
    (columns.into_pyarray(py), starts.into_pyarray(py), shape)
}
