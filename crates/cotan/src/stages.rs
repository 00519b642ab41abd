//! Prints a definition after every stage of a method of differentiation.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::{Diagnostic, Name};
use eval::{Id, Trace, Value};
use ir::Program;
use native::{FLAGS_OF_C, flags_of};

use crate::answer::Answer;
use crate::argument::{self, Argument, Parameter};
use crate::bulk;
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::machine::tries_native;
use crate::method::{Interpreted, Method};
use crate::paths::paths;
use crate::report::Report;

/// How much of a Delta term is printed.
const MOST_LETS: usize = 1000;

impl Compiled {
    /// The definition as the compiler sees it, its derivative by the method that was chosen, and
    /// what else the method makes of a run with these arguments, by the names of parameters. Without
    /// arguments nothing is run.
    pub fn stages(&mut self, name: &str, arguments: &[Argument]) -> Result<String, Report> {
        with_deep_stack(|| {
            let res = self.all_stages(name, arguments);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    fn all_stages(
        &mut self,
        name: &str,
        arguments: &[Argument],
    ) -> Result<String, Vec<Diagnostic>> {
        let program = &self.checked.program;
        let found = self.checked.defs.iter().find(|it| *it.name == *name);
        let Some(def) = found.and_then(|it| program.defs.get(&it.name)) else {
            return Err(vec![self.no_definition(name)]);
        };
        let mut res = format!("-- source\n{def}\n");
        let stops = self.gradient_stops(&def.name);
        if !stops.is_empty() {
            write!(res, "\n-- gradient stops at\n{stops}").expect("a string takes everything");
        }
        let native = tries_native(self.options.backend);
        let (method, why) = match self.options.via.tried().as_slice() {
            [only] => (*only, String::new()),
            several => chosen(several, program, &def.name),
        };
        match method.interpreted {
            Interpreted::OnDemand(it) => {
                let derived = (it.derive)(program, def);
                let derived = derived.map_or_else(String::new, |it| it.to_string());
                section(&mut res, &format!("{}{why}: {}", method.name, method.about), &derived);
                // What is refused is run by the interpreter.
                let own = method.compiled.filter(|_| native);
                if let Some(Ok(own)) = own.map(|it| (it.make)(program, &def.name)) {
                    let loops = bulk::loops_of(&own.program, &own.entry, None);
                    section(&mut res, bulk::LOOPS, &loops.to_string());
                }
            }
            Interpreted::Before(it) => {
                let made = bulk::stages(program, &def.name, it.mode).map_err(|it| {
                    let span = found.map_or(it.span, |def| it.span.or(Some(def.span)));
                    let span = span.expect("the definition was found");
                    vec![error::not_accepted(method.name, span, &it.reason)]
                })?;
                let mut why = why.as_str();
                for (title, text) in made {
                    // Loops are what compiled code runs.
                    if native || !title.starts_with(bulk::LOOPS) {
                        section(&mut res, &format!("{title}{why}"), &text);
                        why = "";
                    }
                }
                if native {
                    res += &by_compiler();
                }
                return Ok(res);
            }
        }
        if !arguments.is_empty() {
            res += &self.traced(name, arguments)?;
        }
        Ok(res)
    }

    /// The Delta term of a run, and what it evaluates to. Forward mode has none.
    fn traced(&mut self, name: &str, arguments: &[Argument]) -> Result<String, Vec<Diagnostic>> {
        let signature = self.signature_of(name)?;
        let precision = self.options.precision;
        let bound = argument::bind(&self.types, precision, &signature.parameters, arguments)?;
        match self.options.via.mode() {
            eval::Mode::Forward => return Ok(String::new()),
            eval::Mode::Reverse => {}
        }
        let sizes = signature.size_arguments(&bound);
        let trace = self.evaluator().trace(&signature.def, &sizes, bound.values);
        let trace = trace.map_err(|error| vec![error.to_diagnostic(signature.span)])?;
        let mut names = BTreeMap::new();
        for (parameter, input) in signature.parameters.iter().zip(&trace.inputs) {
            paths(&self.types, shown(parameter), &parameter.ty, input, &mut names);
        }
        let mut res = "\n-- Delta term of this run\n".to_string();
        res += &term(&trace, &names);
        res += "\n-- result: what it evaluates to\n";
        for (parameter, value) in signature.parameters.iter().zip(trace.gradient) {
            res += &self.line(parameter, value);
        }
        Ok(res)
    }

    fn line(&self, parameter: &Parameter, value: Value) -> String {
        let ty = parameter.ty.clone().into();
        let answer = Answer::new(self.types.clone(), self.options.precision, ty, value);
        format!("{} = {}\n", shown(parameter), answer.to_text())
    }
}

/// How the C compiler is asked to compile.
fn by_compiler() -> String {
    let [full, quick] = [native::Effort::Full, native::Effort::Quick].map(|it| flags_of(it)[0]);
    let flags: Vec<&str> = FLAGS_OF_C.iter().copied().filter(|it| *it != full).collect();
    format!("\n-- C compiler\n{full} {}; what is called once, first by {quick}\n", flags.join(" "))
}

/// A parameter that is a pattern has no name.
fn shown(parameter: &Parameter) -> &str {
    parameter.name.as_ref().map_or("_", |it| it.as_str())
}

/// The first of several methods that accepts a definition, and a word on why.
fn chosen(several: &[&'static Method], program: &Program, def: &Name) -> (&'static Method, String) {
    let mut why = String::new();
    for method in several {
        match method.interpreted {
            Interpreted::OnDemand(_) => return (method, format!(" (chosen by auto{why})")),
            Interpreted::Before(before) => match (before.make)(program, def) {
                Ok(_) => return (method, format!(" (`{}`, chosen by auto{why})", method.name)),
                Err(it) => why = format!(", because of `{}`: {}", method.name, it.reason),
            },
        }
    }
    (several.last().expect("auto tries something"), why)
}

fn section(res: &mut String, title: &str, text: &str) {
    writeln!(res, "\n-- {title}\n{}", text.trim_end()).expect("a string takes everything");
}

/// The bindings of a term, one line each; what is not an input is numbered from 1.
fn term(trace: &Trace, names: &BTreeMap<u32, String>) -> String {
    let numbers: BTreeMap<u32, usize> =
        trace.term.lets.iter().enumerate().map(|(at, (id, _))| (id.0, at + 1)).collect();
    let taken = |prefix: &str| names.values().any(|it| is_numbered(it, prefix));
    let prefix = ["x", "t", "u"].into_iter().find(|it| !taken(it)).unwrap_or("let_");
    let name = |id: Id| match (names.get(&id.0), numbers.get(&id.0)) {
        (Some(name), _) => name.clone(),
        (None, Some(number)) => format!("{prefix}{number}"),
        (None, None) => format!("?{}", id.0),
    };
    let mut res = String::new();
    for (id, delta) in trace.term.lets.iter().take(MOST_LETS) {
        write!(res, "let {} = ", name(*id)).expect("a string takes everything");
        delta.write(&mut res, &name).expect("a string takes everything");
        res += " in\n";
    }
    if let Some(more) = trace.term.lets.len().checked_sub(MOST_LETS + 1) {
        writeln!(res, "... and {} more", more + 1).expect("a string takes everything");
    }
    for delta in trace.term.body.iter().take(MOST_LETS) {
        delta.write(&mut res, &name).expect("a string takes everything");
        res += "\n";
    }
    res
}

/// Whether a name is the prefix with a number, as those of bindings are.
fn is_numbered(name: &str, prefix: &str) -> bool {
    let number = name.strip_prefix(prefix).unwrap_or_default();
    number.starts_with(|it: char| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_bindings_are_told_from_those_of_parameters() {
        assert!(is_numbered("x1", "x") && is_numbered("x2[3]", "x"));
        assert!(!is_numbered("x", "x") && !is_numbered("xs[3]", "x") && !is_numbered("y1", "x"));
    }
}
