//! Prints a definition after every stage of a method of differentiation.

use std::collections::BTreeMap;
use std::fmt::Write;

use ad::bulk::Refused;
use base::{Diagnostic, Span};
use emit::{Cut, EmitOptions, FLAGS_OF_C, LONG, Precision, emit, flags_of, how_cut};
use eval::{Id, Trace, Value};
use ir::Def;

use crate::answer::Answer;
use crate::argument::{self, Argument, Parameter};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::dump::Dump;
use crate::error;
use crate::method::{Interpreted, Method};
use crate::pass::Unit;
use crate::paths::paths;
use crate::pipeline;
use crate::pipelines::ARRANGE;
use crate::report::Report;
use crate::wrt;

/// How much of a Delta term is printed.
const MOST_LETS: usize = 1000;

impl Compiled {
    /// The definition as the compiler sees it, its derivative by the method that was chosen, and
    /// what else the method makes of a run with these arguments, by the names of parameters. Without
    /// arguments nothing is run. The derivative is by the parameters of these names, or by all if there
    /// are none.
    pub fn stages(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
    ) -> Result<String, Report> {
        with_deep_stack(|| {
            let res = self.all_stages(name, arguments, wrt);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    fn all_stages(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
    ) -> Result<String, Vec<Diagnostic>> {
        let program = &self.checked.program;
        let found = self.checked.def(name);
        let Some(def) = found.and_then(|it| program.defs.get(&it.name)) else {
            return Err(vec![self.no_definition(name)]);
        };
        let by = wrt::of_one(self, &def.name, wrt).map_err(|it| vec![it])?;
        let mut res = format!("-- source\n{def}\n");
        let stops = self.gradient_stops(&def.name);
        if !stops.is_empty() {
            write!(res, "\n-- gradient stops at\n{stops}").expect("a string takes everything");
        }
        let (dump, method) = self.dumped(def, &by, found.map(|it| it.span))?;
        res += &dump;
        let is_on_demand = matches!(method.interpreted, Interpreted::OnDemand(_));
        if is_on_demand && !arguments.is_empty() {
            res += &self.traced(name, arguments, &by)?;
        }
        Ok(res)
    }

    /// What the passes of the first method that accepts the definition make of it.
    fn dumped(
        &self,
        def: &Def,
        by: &[bool],
        span: Option<Span>,
    ) -> Result<(String, &'static Method), Vec<Diagnostic>> {
        let tried = self.options.via.tried();
        let is_chosen = tried.len() > 1;
        let mut why = String::new();
        let mut error = Vec::new();
        for method in tried {
            let mut dump = Dump::new(&self.checked.program, &def.name);
            if is_chosen {
                dump.note = format!(" (`{}`, chosen by auto{why})", method.name);
            }
            match self.all_of(method, by, &mut dump) {
                Ok(()) => return Ok((dump.text, method)),
                Err(it) => {
                    why = format!(", because of `{}`: {}", method.name, it.reason);
                    let span = it.span.or(span).expect("the definition was found");
                    error = vec![error::not_accepted(method.name, span, &it.reason)];
                }
            }
        }
        Err(error)
    }

    /// The passes of a method, and if the back end is compiled code, loops.
    fn all_of(&self, method: &'static Method, by: &[bool], dump: &mut Dump) -> Result<(), Refused> {
        let program = &self.checked.program;
        let def = dump.def.clone();
        for (title, text) in method.introduction.map(|it| it(program, &def)).unwrap_or_default() {
            dump.section(&title, &text);
        }
        let unit = Unit { by: Some(by.to_vec()), ..Unit::new(program.clone(), &def) };
        let unit = pipeline::run(method.stages, unit, &mut |it| dump.event(&it))?;
        let Some(steps) = method.compiled.filter(|_| self.options.backend.compiles(true)) else {
            return Ok(());
        };
        let own = match (pipeline::resolve(steps, program, &def), method.interpreted) {
            (Ok(own), _) => own,
            // What is refused is run by the interpreter.
            (Err(_), Interpreted::OnDemand(_)) => return Ok(()),
            (Err(it), Interpreted::Before(_)) => return Err(it),
        };
        let arranged = pipeline::run(ARRANGE, Unit::new(own.program, &own.entry), &mut |_| {})?;
        let loops = dump.lowered(&arranged, "");
        if let Interpreted::Before(_) = method.interpreted {
            let unit = pipeline::run(ARRANGE, unit, &mut |it| dump.event(&it))?;
            dump.lowered(&unit, " of the gradient");
        }
        dump.text += &by_compiler(&loops);
        Ok(())
    }

    /// The Delta term of a run, and what it evaluates to. Forward mode has none.
    fn traced(
        &mut self,
        name: &str,
        arguments: &[Argument],
        by: &[bool],
    ) -> Result<String, Vec<Diagnostic>> {
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
        let gradient = signature.parameters.iter().zip(trace.gradient).zip(by);
        for ((parameter, value), _) in gradient.filter(|it| *it.1) {
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

/// How the C compiler is asked to compile, and in how many parts fast code is.
fn by_compiler(loops: &loops::Module) -> String {
    let [full, quick] = [emit::Effort::Full, emit::Effort::Quick].map(|it| flags_of(it)[0]);
    let flags: Vec<&str> = FLAGS_OF_C.iter().copied().filter(|it| *it != full).collect();
    let flags = flags.join(" ");
    let mut res =
        format!("\n-- C compiler\n{full} {flags}; what is called once, first by {quick}\n");
    let options = EmitOptions { real: Precision::F64, vector: true, draft: false };
    let Cut { lines, parts, longest } = how_cut(&emit(loops, &options));
    let of = if parts == 1 { "one part".to_string() } else { format!("{parts} parts") };
    writeln!(res, "fast code: {lines} lines in {of}").expect("a string takes everything");
    if longest > LONG {
        let line = format!(
            "one function alone has {longest} of them: it is not cut, and takes the C compiler \
             long; part of it as a definition that is called twice would be a function of its own"
        );
        writeln!(res, "{line}").expect("a string takes everything");
    }
    res
}

/// A parameter that is a pattern has no name.
fn shown(parameter: &Parameter) -> &str {
    parameter.name.as_ref().map_or("_", |it| it.as_str())
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
