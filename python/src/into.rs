//! Values of Python as arguments.

use array::{Buffer, Dense};
use cotan::{Argument, ArgumentData};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyTuple};

use crate::error::complaint;

/// A value as the argument of this name.
pub(crate) fn argument(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Argument> {
    if let Ok(float) = value.cast_exact::<PyFloat>() {
        return Ok(Argument::real(name, float.value()));
    }
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return Ok(reals(array, name));
    }
    if let Ok(it) = value.cast::<PyBool>() {
        return Ok(dense(name, &[], Buffer::Bool(vec![it.is_true()])));
    }
    if let Ok(it) = value.cast::<PyInt>() {
        let it = it.extract::<i64>().map_err(|_| too_great(value))?;
        return Ok(dense(name, &[], Buffer::Int(vec![it])));
    }
    Err(complaint(value.py(), format!("`{name}` cannot be {}", value.get_type())))
}

fn reals(array: &Bound<'_, PyArrayDyn<f64>>, name: &str) -> Argument {
    let read = array.readonly();
    match read.as_slice() {
        Ok(data) if array.is_c_contiguous() => Argument::reals(name, array.shape(), data),
        Ok(_) | Err(_) => {
            let data = read.as_array().iter().copied().collect();
            Argument::owned_reals(name, array.shape(), data)
        }
    }
}

fn dense(name: &str, shape: &[usize], data: Buffer) -> Argument {
    let data = ArgumentData::Array(Dense { shape: shape.to_vec(), data });
    Argument { name: name.to_owned(), origin: "its value".into(), data }
}

fn too_great(value: &Bound<'_, PyAny>) -> PyErr {
    complaint(value.py(), format!("an `Int` has 64 bits, and {value} needs more"))
}
