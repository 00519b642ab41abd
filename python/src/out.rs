//! Answers as values of Python.

use cotan::{Answer, View};
use numpy::{Element, PyArray, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// What answers become: the classes of declared types, and how reals are kept.
pub(crate) struct Form {
    /// Classes by name.
    pub(crate) classes: Py<PyDict>,
    /// Whether reals have 32 bits.
    pub(crate) is_single: bool,
}

impl Form {
    /// An answer as a number, an array, a tuple, a record or data.
    pub(crate) fn value<'py>(
        &self,
        py: Python<'py>,
        answer: &Answer,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.made(py, answer.view())
    }

    fn made<'py>(&self, py: Python<'py>, view: View<'_>) -> PyResult<Bound<'py, PyAny>> {
        let all = |parts: Vec<View<'_>>| -> PyResult<Vec<Bound<'py, PyAny>>> {
            parts.into_iter().map(|it| self.made(py, it)).collect()
        };
        match view {
            View::Real(it) => it.into_bound_py_any(py),
            View::Int(it) => it.into_bound_py_any(py),
            View::Bool(it) => it.into_bound_py_any(py),
            View::Text(it) => it.into_bound_py_any(py),
            View::Reals(shape, data) if self.is_single => {
                let data: Vec<f32> = data.iter().map(|it| *it as f32).collect();
                array(py, shape, &data)
            }
            View::Reals(shape, data) => array(py, shape, data),
            View::Ints(shape, data) => array(py, shape, data),
            View::Bools(shape, data) => array(py, shape, data),
            View::Tuple(parts) => Ok(PyTuple::new(py, all(parts)?)?.into_any()),
            View::Record(name, fields) => {
                let fields = all(fields.into_iter().map(|it| it.1).collect())?;
                self.class(py, &name)?.call1(PyTuple::new(py, fields)?)
            }
            View::Constructor(name, fields) => {
                self.class(py, &name)?.call1(PyTuple::new(py, all(fields)?)?)
            }
            View::List(shape, items) => nested(py, shape, &mut all(items)?.into_iter()),
        }
    }

    fn class<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.classes.bind(py).as_any().get_item(name)
    }
}

fn array<'py, T: Element + Copy>(
    py: Python<'py>,
    shape: &[usize],
    data: &[T],
) -> PyResult<Bound<'py, PyAny>> {
    let flat = PyArray::from_slice(py, data);
    match shape {
        [_] => Ok(flat.into_any()),
        _ => Ok(flat.reshape(shape.to_vec())?.into_any()),
    }
}

/// Lists in lists, for an array of what NumPy has no type for.
fn nested<'py>(
    py: Python<'py>,
    shape: &[usize],
    items: &mut dyn Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match shape {
        [] => items.next().map_or_else(|| Ok(py.None().into_bound(py)), Ok),
        [n, inner @ ..] => {
            let rows = (0..*n).map(|_| nested(py, inner, items));
            let rows = rows.collect::<PyResult<Vec<Bound<'py, PyAny>>>>()?;
            Ok(PyList::new(py, rows)?.into_any())
        }
    }
}
