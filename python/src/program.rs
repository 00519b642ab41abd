//! Programs: checked texts, and what they declare.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cotan::{
    Backend, Compiled, Compiler, Disk, Files, Found, METHODS, Nowhere, Options, Precision, Record,
    Via,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{complaint, raised};
use crate::function::Core;
use crate::out::Form;

/// A program that checks.
#[pyclass(frozen, module = "cotan._cotan")]
pub(crate) struct Program {
    program: cotan::Program,
    /// For what is asked about the program; it runs nothing.
    compiled: Mutex<Compiled>,
    form: Arc<Form>,
}

/// A definition: its name, its parameters with types, the type of its result, its documentation.
type Definition = (String, Vec<(String, String)>, String, String);
/// A declared type: `record` or `data`, its name, its constructors with their fields; a record has one.
/// Last, whether it is of the prelude.
type Declared = (&'static str, String, Vec<(String, Vec<String>)>, bool);

/// The files that a program imports, to be read again from a pickle.
type Imported = (Vec<(String, String, String, String)>, Vec<(String, String)>);

fn record((found, texts): Imported) -> Record {
    let found = found.into_iter().map(|(from, path, name, key)| (from, path, Found { name, key }));
    Record { found: found.collect(), texts }
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (text, name, *, on_disk=false, imported=None, backend="auto", via="auto", real="f64", memory=None, threads=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        text: &str,
        name: &str,
        on_disk: bool,
        imported: Option<Imported>,
        backend: &str,
        via: &str,
        real: &str,
        memory: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Program> {
        let chosen = Chosen { backend, via, real, memory, threads };
        let options = chosen.options().map_err(|it| complaint(py, it))?;
        let made = py.detach(|| {
            let files: Arc<dyn Files> = match imported {
                Some(it) => Arc::new(record(it)),
                None if on_disk => Arc::new(Disk::default()),
                None => Arc::new(Nowhere),
            };
            let program = cotan::Program::with_files(name, text, options, files)?;
            // The same files, even if somebody has changed them since.
            let files = Arc::new(program.imported());
            let compiled = Compiler::new(options).with_files(files).compile(name, text)?;
            Ok((program, Mutex::new(compiled)))
        });
        let (program, compiled) = made.map_err(|it| raised(py, &it))?;
        let classes = PyDict::new(py).unbind();
        let form = Arc::new(Form { classes, is_single: options.precision == Precision::F32 });
        Ok(Program { program, compiled, form })
    }

    /// The files that it imports: who imports, path, name and key of each import, and texts by their keys.
    fn imported(&self, py: Python<'_>) -> Imported {
        let Record { found, texts } = py.detach(|| self.program.imported());
        let found = found.into_iter().map(|(from, path, file)| (from, path, file.name, file.key));
        (found.collect(), texts)
    }

    /// Gives it the classes of its declared types.
    fn set_classes(&self, py: Python<'_>, classes: &Bound<'_, PyDict>) -> PyResult<()> {
        self.form.classes.bind(py).update(classes.as_mapping())
    }

    /// What it defines, in the order of the text.
    fn definitions(&self, py: Python<'_>) -> Vec<Definition> {
        let made = py.detach(|| self.compiled().definitions()).into_iter();
        made.map(|it| (it.name, it.parameters, it.result, it.documentation)).collect()
    }

    /// The types that it declares.
    fn declared(&self, py: Python<'_>) -> Vec<Declared> {
        let kind = |is_record| if is_record { "record" } else { "data" };
        let made = py.detach(|| self.compiled().declared_types()).into_iter();
        made.map(|it| (kind(it.is_record), it.name, it.cases, it.is_prelude)).collect()
    }

    /// A definition as a function.
    fn function(&self, py: Python<'_>, name: &str) -> PyResult<Core> {
        let found = py.detach(|| self.program.function(name)).map_err(|it| raised(py, &it))?;
        Ok(Core::of(found, self.form.clone()))
    }

    /// An expression as a function.
    fn expression(&self, py: Python<'_>, text: &str) -> PyResult<Core> {
        let found = py.detach(|| self.program.expression(text)).map_err(|it| raised(py, &it))?;
        Ok(Core::of(found, self.form.clone()))
    }

    /// A definition and its derivative after every pass.
    fn stages(&self, py: Python<'_>, name: &str, wrt: Vec<String>) -> PyResult<String> {
        let wrt: Vec<&str> = wrt.iter().map(String::as_str).collect();
        let stages = py.detach(|| self.compiled().stages(name, &[], &wrt));
        stages.map_err(|it| raised(py, &it))
    }
}

impl Program {
    /// To be asked for by a thread that is detached from Python: `stages` keeps it for long.
    fn compiled(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Options as Python has them.
struct Chosen<'a> {
    backend: &'a str,
    via: &'a str,
    real: &'a str,
    memory: Option<u64>,
    threads: Option<usize>,
}

impl Chosen<'_> {
    /// The options, or what is wrong with them.
    fn options(&self) -> Result<Options, String> {
        let wrong = |what: &str, given: &str, known: &str| {
            Err(format!("there is no {what} `{given}`: choose one of {known}"))
        };
        let Some(backend) = Backend::named(self.backend) else {
            let known: Vec<&str> = Backend::all().map(Backend::name).collect();
            return wrong("back end", self.backend, &known.join(", "));
        };
        let via = match METHODS.iter().find(|it| it.name == self.via) {
            Some(method) => method.via,
            None if self.via == "auto" => Via::Auto,
            None => {
                let known: Vec<&str> = METHODS.iter().map(|it| it.name).collect();
                return wrong("method", self.via, &format!("auto, {}", known.join(", ")));
            }
        };
        let precision = match self.real {
            "f64" => Precision::F64,
            "f32" => Precision::F32,
            given => return wrong("precision", given, "f64, f32"),
        };
        let threads = match self.threads {
            Some(0) => return Err("at least one thread is needed".to_owned()),
            given => given.and_then(NonZeroUsize::new),
        };
        let standard = Options::default();
        let memory = self.memory.unwrap_or(standard.memory);
        Ok(Options { precision, memory, via, backend, threads, ..standard })
    }
}

/// The page of an error code.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, code: &str) -> PyResult<String> {
    match cotan::explain::page(code) {
        Some(page) => Ok(page.to_string()),
        None => Err(complaint(py, format!("there is no error code `{code}`"))),
    }
}
