//! Values of Python as arguments: numbers, arrays, tuples, records, data.

use cotan::{Argument, ArgumentData, Data, Shaped, ToData};
use numpy::{
    Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use crate::error::complaint;

/// A number, or an array that is held where it is while a call runs.
pub(crate) enum Held<'py> {
    /// An array of reals.
    Reals(PyReadonlyArrayDyn<'py, f64>),
    /// An array of reals of single precision.
    Floats(PyReadonlyArrayDyn<'py, f32>),
    /// An array of integers.
    Ints(PyReadonlyArrayDyn<'py, i64>),
    /// An array of truth values.
    Bools(PyReadonlyArrayDyn<'py, bool>),
    /// What was copied.
    Data(Data<'static>),
}

impl Held<'_> {
    /// As an argument, without a copy.
    pub(crate) fn data(&self) -> Data<'_> {
        fn shaped<'a, T: Element + Clone>(it: &'a PyReadonlyArrayDyn<'_, T>) -> Shaped<'a, T> {
            // That it lies in order was tested when it was taken.
            Shaped::new(it.shape(), it.as_slice().unwrap_or(&[]))
        }
        match self {
            Held::Reals(it) => Data::Reals(shaped(it)),
            Held::Floats(it) => Data::Floats(shaped(it)),
            Held::Ints(it) => Data::Ints(shaped(it)),
            Held::Bools(it) => Data::Bools(shaped(it)),
            Held::Data(it) => it.to_data(),
        }
    }
}

/// The arguments as they are, if all are numbers and arrays; arrays that do not lie in order are copied.
pub(crate) fn in_place<'py>(
    args: &Bound<'py, PyTuple>,
    names: &[String],
) -> PyResult<Option<Vec<Held<'py>>>> {
    if args.len() > names.len() {
        return Ok(None);
    }
    let mut res = Vec::with_capacity(args.len());
    for (value, name) in args.iter_borrowed().zip(names) {
        let taken = if let Ok(it) = value.cast_exact::<PyFloat>() {
            Held::Data(Data::Real(it.value()))
        } else if let Ok(it) = value.cast::<PyUntypedArray>() {
            match in_order(&it) {
                Some(held) => held,
                None if it.dtype().getattr("names")?.is_none() => Held::Data(numbers(&it, name)?),
                None => return Ok(None),
            }
        } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
            Held::Data(data(&value, name)?)
        } else {
            return Ok(None);
        };
        res.push(taken);
    }
    Ok(Some(res))
}

fn in_order<'py>(array: &Bound<'py, PyUntypedArray>) -> Option<Held<'py>> {
    fn held<'py, T: Element>(
        array: &Bound<'py, PyUntypedArray>,
    ) -> Option<PyReadonlyArrayDyn<'py, T>> {
        let array = array.cast::<PyArrayDyn<T>>().ok()?;
        let is_aligned = array.data().addr() % align_of::<T>() == 0;
        if is_aligned { array.try_readonly().ok() } else { None }
    }
    if !array.is_c_contiguous() {
        return None;
    }
    held(array)
        .map(Held::Reals)
        .or_else(|| held(array).map(Held::Floats))
        .or_else(|| held(array).map(Held::Ints))
        .or_else(|| held(array).map(Held::Bools))
}

/// The arguments by name: those in order have the names of the parameters.
pub(crate) fn arguments<'py>(
    params: &[String],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Argument>> {
    let n = params.len();
    if args.len() > n {
        let (given, known) = (args.len(), params.join(", "));
        let message = format!("it takes {n} arguments ({known}), not {given}");
        return Err(complaint(args.py(), message));
    }
    let mut res = Vec::with_capacity(n);
    for (value, name) in args.iter_borrowed().zip(params) {
        res.push(argument(&value, name)?);
    }
    for (name, value) in kwargs.into_iter().flatten() {
        res.push(argument(&value, &name.extract::<String>()?)?);
    }
    Ok(res)
}

/// A value as the argument of this name. Structures may also stand for arrays of them, by the arrays of
/// their parts.
pub(crate) fn argument(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Argument> {
    if let Ok(it) = value.cast_exact::<PyFloat>() {
        return Ok(Argument::real(name, it.value()));
    }
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return with_elements(array, |data| Argument::reals(name, array.shape(), data));
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
        return with_elements(it, |data| Data::Reals(Shaped::new(shape, data.to_vec())));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<f32>>() {
        return with_elements(it, |data| Data::Floats(Shaped::new(shape, data.to_vec())));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<i64>>() {
        return with_elements(it, |data| Data::Ints(Shaped::new(shape, data.to_vec())));
    }
    if let Ok(it) = array.cast::<PyArrayDyn<bool>>() {
        return with_elements(it, |data| Data::Bools(Shaped::new(shape, data.to_vec())));
    }
    let tree = PyModule::import(array.py(), "cotan._tree")?;
    let made = tree.call_method1("plain", (array, place))?;
    numbers(made.cast::<PyUntypedArray>().map_err(PyErr::from)?, place)
}

/// Uses the elements in order: where they are if they are so there, else a copy.
fn with_elements<T: Element + Copy, R>(
    array: &Bound<'_, PyArrayDyn<T>>,
    f: impl FnOnce(&[T]) -> R,
) -> PyResult<R> {
    let is_aligned = array.data().addr() % align_of::<T>() == 0;
    match array.try_readonly() {
        Ok(read) if is_aligned => match read.as_slice() {
            Ok(data) if array.is_c_contiguous() => Ok(f(data)),
            Ok(_) | Err(_) => Ok(f(&read.as_array().iter().copied().collect::<Vec<T>>())),
        },
        // A copy is aligned, and nobody else writes to it.
        Ok(_) | Err(_) => {
            let copy = array.call_method0("copy")?;
            with_elements(copy.cast::<PyArrayDyn<T>>().map_err(PyErr::from)?, f)
        }
    }
}

/// Values by name.
type Named<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// What a tuple, a dict, a record, a dataclass or an array with fields is made of, by name; those of a
/// tuple have none.
fn parts<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Named<'py>>> {
    let py = value.py();
    let named = |names: Bound<'py, PyAny>| {
        let names = names.try_iter()?.map(|it| it?.extract::<String>());
        let parts = names.map(|it| it.and_then(|it| Ok((it.clone(), value.getattr(it)?))));
        parts.collect::<PyResult<Named<'py>>>().map(Some)
    };
    if let Ok(dict) = value.cast::<PyDict>() {
        let field = |(name, it): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            let name = name.extract::<String>();
            let wrong = |_| complaint(py, "the keys of a dict that stands for a record are texts");
            Ok((name.map_err(wrong)?, it))
        };
        // Of a list of them: another thread may put something into the dict meanwhile.
        let items = dict.items();
        let items = items.iter().map(|it| field(it.extract()?));
        return items.collect::<PyResult<Vec<_>>>().map(Some);
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
