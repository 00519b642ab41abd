//! Answers as values of Python.

use cotan::Answer;
use numpy::PyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

/// An answer as a number, an array, a tuple, a record or data.
pub(crate) fn value<'py>(
    py: Python<'py>,
    answer: &Answer,
    _classes: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    match answer.as_slice() {
        Some((&[], &[real])) => Ok(PyFloat::new(py, real).into_any()),
        Some((shape, data)) => Ok(PyArray::from_slice(py, data).reshape(shape.to_vec())?.into_any()),
        None => unimplemented!(),
    }
}
