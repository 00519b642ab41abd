//! Programs written as Rust closures.
#![doc = include_str!("../../../docs/rust/tracing.md")]

pub use ::trace::*;
pub use macros::Structure;

use crate::handle::{Function, Program};
use crate::options::Options;
use crate::report::Report;

/// What the definition is called, unless the program has such a name.
const NAME: &str = "traced";

/// Runs a closure once, on traced values, and gives the function that it computes. Its parameters are called
/// `x0`, `x1` and so on.
#[track_caller]
pub fn trace<P, F: Closure<P>>(f: F) -> Result<Function, Report> {
    traced(None, None, f)
}

/// As [`trace()`], with names for the parameters.
#[track_caller]
pub fn trace_named<P, F: Closure<P>>(params: &[&str], f: F) -> Result<Function, Report> {
    traced(None, Some(params), f)
}

impl Program {
    /// As [`trace()`], for a closure that may [`call`] definitions of this program.
    #[track_caller]
    pub fn trace<P, F: Closure<P>>(&self, f: F) -> Result<Function, Report> {
        traced(Some(self), None, f)
    }

    /// As [`Program::trace`], with names for the parameters.
    #[track_caller]
    pub fn trace_named<P, F: Closure<P>>(&self, params: &[&str], f: F) -> Result<Function, Report> {
        traced(Some(self), Some(params), f)
    }
}

#[track_caller]
fn traced<P, F: Closure<P>>(
    program: Option<&Program>,
    params: Option<&[&str]>,
    f: F,
) -> Result<Function, Report> {
    let (before, options, definitions) = match program {
        Some(it) => (it.source(), it.options(), it.definitions()?),
        None => ("", Options::default(), Vec::new()),
    };
    let definitions: Vec<&str> = definitions.iter().map(String::as_str).collect();
    let mut name = NAME.to_owned();
    while definitions.contains(&name.as_str()) {
        name.push('_');
    }
    let setting = Setting { name: &name, params, program: before, definitions: &definitions };
    let written = record(&setting, f);
    let written = written.map_err(|errors| Report::new(errors, base::SourceMap::new()))?;
    let text = match before.is_empty() {
        true => written,
        false => format!("{before}\n{written}"),
    };
    let program = Program::with_options("<trace>", &text, options);
    let program = program.map_err(|it| located(it, before.len()))?;
    program.function(&name)
}

/// Leads what the checker says to the Rust program: the lines of statements end with their places there, and
/// a result stands below the statement that made it. The trace begins at this byte of the text.
fn located(mut report: Report, begin: usize) -> Report {
    for diagnostic in &mut report.diagnostics {
        let mut spans = diagnostic.labels.iter().map(|it| it.span);
        let Some(span) = spans.find(|it| it.start as usize >= begin) else { continue };
        let text = report.sources.get(span.file).map_or("", |it| it.text.as_str());
        let (before, from) = text.split_at_checked(span.start as usize).unwrap_or((text, ""));
        let end = before.len() + from.lines().next().unwrap_or("").len();
        let mut lines = text.get(begin..end).unwrap_or("").lines().rev();
        if let Some((_, place)) = lines.find_map(|it| it.rsplit_once(" -- ")) {
            diagnostic.help.push(format!("look at {place}, which was traced as this"));
        }
    }
    report
}

/// The examples of the pages of errors.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/errors/E0660.md")]
    mod e0660 {}
    #[doc = include_str!("../../../docs/errors/E0661.md")]
    mod e0661 {}
    #[doc = include_str!("../../../docs/errors/E0662.md")]
    mod e0662 {}
    #[doc = include_str!("../../../docs/errors/E0663.md")]
    mod e0663 {}
    #[doc = include_str!("../../../docs/errors/E0664.md")]
    mod e0664 {}
}
