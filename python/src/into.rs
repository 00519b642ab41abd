//! Values of Python as arguments: numbers, arrays, tuples, records, data.

use cotan::{Argument, ArgumentData, Data, Shaped};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use crate::error::complaint;

/// A value as the argument of this name. Structures may also stand for arrays of them, by the arrays of
/// their parts.
pub(crate) fn argument(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Argument> {
    if let Ok(it) = value.cast_exact::<PyFloat>() {
        return Ok(Argument::real(name, it.value()));
    }
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return Ok(with_elements(array, |data| Argument::reals(name, array.shape(), data)));
    }
    if let Some(parts) = parts(value)? {
        let parts = parts.iter().map(|(name, it)| argument(it, name));
        return Ok(Argument::parts(name, parts.collect::<PyResult<Vec<Argument>>>()?));
    }
    let data = ArgumentData::Data(data(value, name)?);
    Ok(Argument { name: name.to_owned(), origin: "its value".into(), data })
}

/// Anything as data; `place` is where it stands, for messages.
fn data(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Data<'static>> {
    if let Ok(it) = value.cast::<PyFloat>() {
        return Ok(Data::Real(it.value()));
    }
    if let Ok(it) = value.cast::<PyBool>() {
        return Ok(Data::Bool(it.is_true()));
    }
    if let Ok(it) = value.cast::<PyInt>() {
        let too_great = |_| {
            complaint(value.py(), format!("`{place}`: an Int has 64 bits, and {value} needs more"))
        };
        return Ok(Data::Int(it.extract::<i64>().map_err(too_great)?));
    }
    if let Ok(it) = value.cast::<PyString>() {
        return Ok(Data::Text(it.to_str()?.to_owned().into()));
    }
    if let Ok(it) = value.cast::<PyUntypedArray>() {
        return numbers(it, place);
    }
    if let Some(parts) = parts(value)? {
        let fields = parts.iter().map(|(name, it)| Ok((name.clone(), data(it, place)?)));
        let fields = fields.collect::<PyResult<Vec<(String, Data<'static>)>>>()?;
        return Ok(match fields.iter().all(|it| it.0.is_empty()) {
            true => Data::Tuple(fields.into_iter().map(|it| it.1).collect()),
            false => Data::Record(fields.into_iter().map(|it| (it.0.into(), it.1)).collect()),
        });
    }
    if value.is_instance(class(value.py(), &CONSTRUCTED, "Constructed")?)? {
        let name: String = value.get_type().name()?.extract()?;
        let fields = value.getattr("fields")?;
        let fields = fields.cast::<PyTuple>().map_err(PyErr::from)?.iter();
        let fields = fields.map(|it| data(&it, place)).collect::<PyResult<Vec<_>>>()?;
        return Ok(Data::Constructor(name.into(), fields));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return listed(list, place);
    }
    array(value, place)
}

/// A list: an array of numbers if it is one of NumPy's, else its elements one by one.
fn listed(list: &Bound<'_, PyList>, place: &str) -> PyResult<Data<'static>> {
    let py = list.py();
    // An array without elements may be one of anything.
    let made = match list.is_empty() {
        true => py.None().into_bound(py),
        false => PyModule::import(py, "cotan._tree")?.call_method1("_numbers", (list,))?,
    };
    if let Ok(array) = made.cast::<PyUntypedArray>() {
        return numbers(array, place);
    }
    let items = list.iter().enumerate().map(|(at, it)| data(&it, &format!("{place}[{at}]")));
    Ok(Data::List(items.collect::<PyResult<Vec<_>>>()?))
}

/// What says that it is an array, by `__array__` or `__dlpack__`.
fn array(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Data<'static>> {
    let py = value.py();
    let tree = PyModule::import(py, "cotan._tree")?;
    if !tree.call_method1("is_array", (value,))?.is_truthy()? {
        let found = value.get_type().name()?;
        let message = format!(
            "`{place}` cannot be of type `{found}`: numbers, arrays, texts, tuples, lists, dicts, \
             dataclasses and values of the program's own types can be given"
        );
        return Err(complaint(py, message));
    }
    let made = tree.call_method1("as_array", (value,))?;
    numbers(made.cast::<PyUntypedArray>().map_err(PyErr::from)?, place)
}

/// The elements of an array of any type.
fn numbers(array: &Bound<'_, PyUntypedArray>, place: &str) -> PyResult<Data<'static>> {
    let shape = array.shape();
    if let Ok(it) = array.cast::<PyArrayDyn<f64>>() {
        return Ok(Data::Reals(with_elements(it, |data| Shaped::new(shape, data.to_vec()))));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<f32>>() {
        return Ok(Data::Floats(with_elements(it, |data| Shaped::new(shape, data.to_vec()))));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<i64>>() {
        return Ok(Data::Ints(with_elements(it, |data| Shaped::new(shape, data.to_vec()))));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<bool>>() {
        return Ok(Data::Bools(with_elements(it, |data| Shaped::new(shape, data.to_vec()))));
    }
    let tree = PyModule::import(array.py(), "cotan._tree")?;
    let made = tree.call_method1("plain", (array, place))?;
    numbers(made.cast::<PyUntypedArray>().map_err(PyErr::from)?, place)
}

/// Uses the elements in order: where they are if they are so there, else a copy.
fn with_elements<T: Element + Copy, R>(
    array: &Bound<'_, PyArrayDyn<T>>,
    f: impl FnOnce(&[T]) -> R,
) -> R {
    let read = array.readonly();
    let is_aligned = array.data().addr() % align_of::<T>() == 0;
    match read.as_slice() {
        Ok(data) if array.is_c_contiguous() && is_aligned => f(data),
        Ok(_) | Err(_) if is_aligned => f(&read.as_array().iter().copied().collect::<Vec<T>>()),
        Ok(_) | Err(_) => match array.call_method0("copy") {
            Ok(copy) => match copy.cast::<PyArrayDyn<T>>() {
                Ok(copy) => with_elements(copy, f),
                Err(_) => f(&[]),
            },
            Err(_) => f(&[]),
        },
    }
}

/// What a tuple, a dict, a record, a dataclass or an array with fields is made of, by name; those of a
/// tuple have none.
fn parts<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Vec<(String, Bound<'py, PyAny>)>>> {
    let py = value.py();
    let named = |names: Bound<'py, PyAny>| {
        let names = names.try_iter()?.map(|it| it?.extract::<String>());
        let parts = names.map(|it| it.and_then(|it| Ok((it.clone(), value.getattr(it)?))));
        parts.collect::<PyResult<Vec<(String, Bound<'py, PyAny>)>>>().map(Some)
    };
    if let Ok(dict) = value.cast::<PyDict>() {
        let field = |(name, it): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            let name = name.extract::<String>();
            let wrong = |_| complaint(py, "the keys of a dict that stands for a record are texts");
            Ok((name.map_err(wrong)?, it))
        };
        return dict.iter().map(field).collect::<PyResult<Vec<_>>>().map(Some);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        if let Ok(names) = value.getattr("_fields") {
            return named(names);
        }
        return Ok(Some(tuple.iter().map(|it| (String::new(), it)).collect()));
    }
    if value.is_instance(class(py, &RECORD, "Record")?)? {
        return named(value.getattr("__match_args__")?);
    }
    if value.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        let Some(names) = array.dtype().getattr("names").ok().filter(|it| !it.is_none()) else {
            return Ok(None);
        };
        let names = names.extract::<Vec<String>>()?;
        let parts = names.into_iter().map(|it| Ok((it.clone(), value.get_item(it)?)));
        return parts.collect::<PyResult<Vec<_>>>().map(Some);
    }
    match value.getattr("__dataclass_fields__") {
        Ok(fields) => named(fields),
        Err(_) => Ok(None),
    }
}

static CONSTRUCTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static RECORD: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class<'a, 'py>(
    py: Python<'py>,
    known: &'a PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<&'a Bound<'py, PyType>> {
    known.import(py, "cotan._values", name)
}
