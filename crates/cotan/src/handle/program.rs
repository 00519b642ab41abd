//! Programs as handles: what functions are taken from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use check::{Disk, Files, Nowhere, Record, Remembered, Scheme};

use super::entry::Entry;
use super::text::{Hidden, Of, Operator, Text, free};
use super::{Function, lock, written};
use crate::Stop;
use crate::compiler::{Compiled, Compiler};
use crate::options::Options;
use crate::report::Report;

/// A program that checks.
#[derive(Clone)]
pub struct Program {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    text: String,
    options: Options,
    /// What it imports, as it was when the program was made.
    files: Arc<Remembered>,
    stop: Stop,
    /// What builtins are called that it hides.
    hidden: Hidden,
    /// One for each choice of options that was asked for.
    compiled: Mutex<Vec<(Options, Arc<Mutex<Compiled>>)>>,
    /// By what they compute: each is made once.
    entries: Mutex<Entries>,
}

/// Entry points by what they compute, for each choice of options.
type Entries = BTreeMap<String, Vec<(Options, Arc<Entry>)>>;

impl Program {
    /// Checks a text.
    pub fn new(text: &str) -> Result<Program, Report> {
        Program::with_options("program.cot", text, Options::default())
    }

    /// Checks a text that messages call `name`, to run with these options.
    pub fn with_options(name: &str, text: &str, options: Options) -> Result<Program, Report> {
        Program::with_files(name, text, options, Arc::new(Nowhere))
    }

    /// Checks a text that may import these files; it is where its name says.
    pub fn with_files(
        name: &str,
        text: &str,
        options: Options,
        files: Arc<dyn Files>,
    ) -> Result<Program, Report> {
        // Made again with other options, it is the same program, whatever has become of the files.
        let files = Arc::new(Remembered::new(files));
        let compiler = Compiler::new(options).with_files(files.clone());
        let compiled = compiler.compile(name, text)?;
        let hidden = Arc::new(compiled.checked.hidden_builtins());
        let compiled = Mutex::new(vec![(options, Arc::new(Mutex::new(compiled)))]);
        let (name, text, stop) = (name.to_owned(), text.to_owned(), Stop::default());
        let entries = Mutex::default();
        let shared = Shared { name, text, options, files, stop, hidden, compiled, entries };
        Ok(Program { shared: Arc::new(shared) })
    }

    /// Checks the program in a file, which may import other files.
    ///
    /// ```no_run
    /// let range = cotan::Program::from_file("examples/throw.cot")?.function("range")?;
    /// # Ok::<(), cotan::Report>(())
    /// ```
    pub fn from_file(path: impl AsRef<Path>) -> Result<Program, Report> {
        let name = path.as_ref().display().to_string();
        let disk = Disk::default();
        let text = disk.source(&name).map_err(|it| Report::unreadable(&name, &it))?;
        Program::with_files(&name, &text, Options::default(), Arc::new(disk))
    }

    /// The files that it imports, as they were: with its name and its text, the whole program.
    pub fn imported(&self) -> Record {
        self.shared.files.record()
    }

    /// A definition as a function of its parameters.
    pub fn function(&self, name: &str) -> Result<Function, Report> {
        let compiled = self.compiled(self.shared.options)?;
        let compiled = lock(&compiled);
        let Some(def) = compiled.checked.def(name) else {
            return Err(compiled.report(vec![compiled.no_definition(name)]));
        };
        let params = compiled.checked.scheme(&def.name).map(params).unwrap_or_default();
        let params = named(params);
        Ok(self.handle(name.to_owned(), params, Vec::new()))
    }

    /// A function that is written as an expression, `\w => loss(w, 2.0)`; something else is a function of
    /// no parameters.
    pub fn expression(&self, text: &str) -> Result<Function, Report> {
        let compiled = self.compiled(self.shared.options)?;
        let params = written::params_of(&mut lock(&compiled), text)?;
        let bound = params.iter().flatten().cloned().collect();
        Ok(self.handle(format!("({text})"), named(params), bound))
    }

    /// Its text.
    pub fn source(&self) -> &str {
        &self.shared.text
    }

    /// What it runs with unless a handle says otherwise.
    pub(crate) fn options(&self) -> Options {
        self.shared.options
    }

    /// The names of its definitions.
    pub(crate) fn definitions(&self) -> Result<Vec<String>, Report> {
        let compiled = self.compiled(self.shared.options)?;
        let compiled = lock(&compiled);
        Ok(compiled.checked.defs.iter().map(|it| it.name.to_string()).collect())
    }

    /// Asks all running calls of its functions to stop, from another thread; but for those that are
    /// stopped by somebody else ([`Function::stopped_by`]).
    pub fn stop_handle(&self) -> Stop {
        self.shared.stop.clone()
    }

    fn handle(&self, text: String, params: Vec<String>, bound: Vec<String>) -> Function {
        let of = Of { text, params, bound, hidden: self.shared.hidden.clone() };
        Function {
            program: self.clone(),
            options: self.shared.options,
            of: Arc::new(of),
            operator: Operator::Value,
            wrt: Vec::new(),
            stop: self.shared.stop.clone(),
            entry: Arc::default(),
        }
    }

    /// The program as it runs with these options.
    pub(super) fn compiled(&self, options: Options) -> Result<Arc<Mutex<Compiled>>, Report> {
        let Shared { name, text, files, compiled, .. } = &*self.shared;
        let mut all = lock(compiled);
        if let Some((_, known)) = all.iter().find(|it| it.0 == options) {
            return Ok(known.clone());
        }
        let compiler = Compiler::new(options).with_files(files.clone());
        let new = Arc::new(Mutex::new(compiler.compile(name, text)?));
        all.push((options, new.clone()));
        Ok(new)
    }

    /// What computes a text with these options.
    pub(super) fn entry(&self, options: Options, text: &Text<'_>) -> Result<Arc<Entry>, Report> {
        let key = format!("{}\n{:?}\n{:?}", text.text(), text.params(), text.wrt);
        let known = |all: &Entries| {
            let all = all.get(&key)?.iter();
            all.filter(|it| it.0 == options).map(|it| it.1.clone()).next()
        };
        if let Some(entry) = known(&lock(&self.shared.entries)) {
            return Ok(entry);
        }
        let new = Arc::new(Entry::new(self.compiled(options)?, options, text)?);
        let mut all = lock(&self.shared.entries);
        if let Some(entry) = known(&all) {
            return Ok(entry);
        }
        all.entry(key).or_default().push((options, new.clone()));
        Ok(new)
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({})", self.shared.name)
    }
}

/// The names of the parameters of a definition; patterns have none.
fn params(scheme: &Scheme) -> Vec<Option<String>> {
    scheme.params.iter().flatten().map(|it| it.name.as_ref().map(ToString::to_string)).collect()
}

/// A name for each parameter.
fn named(params: Vec<Option<String>>) -> Vec<String> {
    let mut known: Vec<String> = params.iter().flatten().cloned().collect();
    let mut res = Vec::with_capacity(params.len());
    for (at, name) in params.into_iter().enumerate() {
        let name = name.unwrap_or_else(|| {
            let name = free(format!("x{at}"), |it| known.iter().any(|name| name == it));
            known.push(name.clone());
            name
        });
        res.push(name);
    }
    res
}
