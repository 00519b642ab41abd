//! Prints a definition after every stage of a method of differentiation.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::Diagnostic;
use eval::{Id, Trace, Value, Via};
use native::{FLAGS_OF_C, flags_of};

use crate::answer::Answer;
use crate::argument::{self, Argument, Parameter};
use crate::bulk::{self, tries_bulk};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::machine::tries_native;
use crate::pass::{METHODS, Method};
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
        let bulk = tries_bulk(self.options.via).then(|| bulk::stages(program, &def.name));
        let why = match (bulk, self.options.via) {
            (Some(Ok(stages)), via) => {
                let mut why = if via == Via::Auto { " (`bulk`, chosen by auto)" } else { "" };
                // Loops are what compiled code runs.
                let is_native = tries_native(self.options.backend);
                for (title, text) in stages {
                    if !is_native && title.starts_with(bulk::LOOPS) {
                        continue;
                    }
                    writeln!(res, "\n-- {title}{why}\n{}", text.trim_end())
                        .expect("a string takes everything");
                    why = "";
                }
                if is_native {
                    res += &by_compiler();
                }
                return Ok(res);
            }
            (Some(Err(refused)), Via::Bulk | Via::Chad) => {
                let span = found.map_or(refused.span, |it| refused.span.or(Some(it.span)));
                let span = span.expect("the definition was found");
                return Err(vec![error::not_bulk(span, &refused.reason)]);
            }
            (Some(Err(refused)), _) => {
                format!(" (chosen by auto, because of `bulk`: {})", refused.reason)
            }
            (None, Via::Auto) => {
                " (chosen by auto, because it accepts the whole language)".to_string()
            }
            (None, Via::Forward | Via::Tape | Via::Bulk | Via::Chad) => String::new(),
        };
        let method = chosen(self.options.via);
        let derived = (method.derive)(program, def);
        let derived = derived.map_or_else(String::new, |it| it.to_string());
        writeln!(res, "\n-- {}{why}: {}\n{derived}", method.name, method.about)
            .expect("a string takes everything");
        if self.options.via == Via::Forward && tries_native(self.options.backend) {
            // What is refused is run by the interpreter.
            if let Ok(loops) = bulk::forward_loops(program, &def.name) {
                writeln!(res, "\n-- {}\n{}", bulk::LOOPS, loops.trim_end())
                    .expect("a string takes everything");
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
        if self.options.via == Via::Forward {
            return Ok(String::new());
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

/// The method of a choice, where `bulk` is not it.
fn chosen(via: Via) -> &'static Method {
    match via {
        Via::Forward => &METHODS[0],
        Via::Tape | Via::Bulk | Via::Chad | Via::Auto => &METHODS[1],
    }
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

    #[test]
    fn auto_is_a_method() {
        assert_eq!(chosen(Via::Auto).name, chosen(Via::Tape).name);
        assert_eq!(chosen(Via::Forward).name, "forward");
    }
}
