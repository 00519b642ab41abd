//! Reports as Python's `cotan.Error`.

use cotan::Report;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A report as an exception.
pub(crate) fn raised(py: Python<'_>, report: &Report) -> PyErr {
    made(py, (report.to_string(), Some(report.to_json())))
}

/// A complaint of this package, which has no code.
pub(crate) fn complaint(py: Python<'_>, message: impl Into<String>) -> PyErr {
    made(py, (message.into(), None))
}

fn made(py: Python<'_>, arguments: (String, Option<String>)) -> PyErr {
    match ERROR.import(py, "cotan._error", "Error") {
        Ok(class) => PyErr::from_type(class.clone(), arguments),
        Err(_) => PyRuntimeError::new_err(arguments.0),
    }
}
