//! What a handle is, for those who show it: the types of its parameters and of its result.

use native::Stop;

use super::{Function, lock};
use crate::report::Report;

impl Function {
    /// Its parameters with their types, and the type of its result; it is checked for that.
    pub fn types(&self) -> Result<(Vec<(String, String)>, String), Report> {
        match self.entry.get_or_init(|| self.entered()) {
            Ok(entry) => Ok(entry.types()),
            Err(report) => Err(report.clone()),
        }
    }

    /// Asks calls of this program, by these options, to stop, from another thread.
    pub fn stop_handle(&self) -> Result<Stop, Report> {
        let compiled = self.program.compiled(self.options)?;
        let stop = lock(&compiled).stop_handle();
        Ok(stop)
    }

    /// Why the interpreter runs what back end `auto` would have compiled: the C compiler is missing or
    /// fails. Known when it has been called.
    pub fn without_compiler(&self) -> Option<String> {
        let compiled = self.program.compiled(self.options).ok()?;
        lock(&compiled).without_compiler().map(str::to_owned)
    }
}
