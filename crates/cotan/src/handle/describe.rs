//! What a handle is, for those who show it: the types of its parameters and of its result.

use super::{Function, lock};
use crate::report::Report;

impl Function {
    /// Its parameters with their types, and the type of its result; it is checked for that.
    pub fn types(&self) -> Result<(Vec<(String, String)>, String), Report> {
        let (types, result) = self.entry()?.types();
        Ok((self.params().into_iter().zip(types).collect(), result))
    }

    /// Why the interpreter runs what back end `auto` would have compiled: the C compiler is missing or
    /// fails. Known when it has been called.
    pub fn without_compiler(&self) -> Option<String> {
        let compiled = self.program.compiled(self.options).ok()?;
        lock(&compiled).without_compiler().map(str::to_owned)
    }
}
