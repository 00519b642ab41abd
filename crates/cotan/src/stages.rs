//! Prints a definition after every stage of a method of differentiation.

use std::fmt::Write;

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::pass::METHODS;
use crate::report::Report;

impl Compiled {
    /// The definition as the compiler sees it, and its derivative by every method there is.
    pub fn stages(&self, name: &str) -> Result<String, Report> {
        with_deep_stack(|| {
            let program = &self.checked.program;
            let found = self.checked.defs.iter().find(|it| *it.name == *name);
            let Some(def) = found.and_then(|it| program.defs.get(&it.name)) else {
                return Err(self.report(vec![self.no_definition(name)]));
            };
            let mut res = format!("-- source\n{def}\n");
            for method in METHODS {
                if let Some(derived) = (method.derive)(program, def) {
                    write!(res, "\n-- {}: {}\n{derived}\n", method.name, method.about)
                        .expect("a string takes everything");
                }
            }
            Ok(res)
        })
    }
}
