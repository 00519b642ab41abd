//! Functions and their derivatives, as Python calls them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cotan::{Data, Function, Stop};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::{complaint, raised};
use crate::interrupt::interruptible;
use crate::into::{self, Held};
use crate::linearised::Linearised;
use crate::out::Form;
use crate::sparse::Sparse;

/// A function or a derivative of one; Python puts names and documentation on top of it.
#[pyclass(frozen, subclass, module = "cotan._cotan")]
pub(crate) struct Core {
    function: Function,
    params: Vec<String>,
    form: Arc<Form>,
    /// Stops its calls and no others.
    stop: Stop,
    /// Whether it was called before.
    was_called: AtomicBool,
}

impl Core {
    /// A handle whose answers get this form.
    pub(crate) fn of(function: Function, form: Arc<Form>) -> Core {
        let params = function.params();
        let stop = Stop::default();
        let function = function.stopped_by(&stop);
        Core { function, params, form, stop, was_called: AtomicBool::new(false) }
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(of: &Bound<'_, Core>) -> Core {
        Core::of(of.get().function.clone(), of.get().form.clone())
    }

    /// The names of its parameters.
    #[getter]
    fn params(&self) -> Vec<String> {
        self.params.clone()
    }

    /// Its parameters with their types, and the type of its result.
    fn types(&self, py: Python<'_>) -> PyResult<(Vec<(String, String)>, String)> {
        let types = py.detach(|| self.function.types());
        types.map_err(|it| raised(py, &it))
    }

    /// Its derivative by an operator and these parameters.
    fn derived(&self, py: Python<'_>, operator: &str, wrt: Vec<String>) -> PyResult<Core> {
        let it = &self.function;
        let made = match operator {
            "grad" => it.grad(),
            "value_and_grad" => it.value_and_grad(),
            "jvp" => it.jvp(),
            "vjp" => it.vjp(),
            "jacobian" => it.jacobian(),
            "hessian" => it.hessian(),
            "hvp" => it.hvp(),
            _ => return Err(complaint(py, format!("there is no operator `{operator}`"))),
        };
        let made = made.wrt(wrt.iter().map(String::as_str));
        Ok(Core::of(made, self.form.clone()))
    }

    /// Runs it once and keeps what its derivative there needs.
    #[pyo3(signature = (*args))]
    fn linearised(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Linearised> {
        let arguments = into::arguments(&self.params, args, None)?;
        let at = interruptible(py, &self.stop, || self.function.linearise(&arguments[..]))?;
        let at = at.map_err(|it| raised(py, &it))?;
        Ok(Linearised { at, form: self.form.clone(), stop: self.stop.clone() })
    }

    /// Its Jacobian or Hessian by these parameters, as a sparse matrix.
    fn sparse(&self, py: Python<'_>, operator: &str, wrt: Vec<String>) -> PyResult<Sparse> {
        let function = self.function.wrt(wrt.iter().map(String::as_str));
        let made = match operator {
            "jacobian" => function.sparse_jacobian(),
            "hessian" => function.sparse_hessian(),
            _ => return Err(complaint(py, format!("there is no sparse `{operator}`"))),
        };
        Ok(Sparse::of(made, self.stop.clone()))
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let held = match kwargs {
            None => into::in_place(args, &self.params)?,
            Some(_) => None,
        };
        let answer = match held {
            Some(held) => {
                let data: Vec<Data<'_>> = held.iter().map(Held::data).collect();
                interruptible(py, &self.stop, || self.function.call(&data[..]))?
            }
            None => {
                let arguments = into::arguments(&self.params, args, kwargs)?;
                interruptible(py, &self.stop, || self.function.call(&arguments[..]))?
            }
        };
        let answer = answer.map_err(|it| raised(py, &it))?;
        if !self.was_called.swap(true, Ordering::Relaxed) {
            self.warn(py)?;
        }
        self.form.value(py, &answer)
    }
}

impl Core {
    /// Says once if there is no C compiler: programs run, but slowly.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        static SAID: AtomicBool = AtomicBool::new(false);
        let Some(reason) = self.function.without_compiler() else { return Ok(()) };
        if SAID.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let text = format!("Cotan runs programs by its interpreter, which is slow: {reason}");
        let text = std::ffi::CString::new(text).unwrap_or_default();
        let category = py.get_type::<PyRuntimeWarning>();
        PyErr::warn(py, &category, &text, 1)
    }
}
