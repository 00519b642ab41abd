//! `cotan check FILE...`: parses, infers types and sizes, reports every error.

use clap::Args;
use cotan::{Options, Report};

use crate::output::{Format, Output};
use crate::{Status, advice, files};

/// Arguments of `check`.
#[derive(Args)]
pub(crate) struct Check {
    /// The programs, each on its own; `-` reads standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// An argument that is differentiated by and has no gradient path to the result is an error
    #[arg(long)]
    strict: bool,
    /// Print one JSON object: {"diagnostics":[...]}
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let mut status = Status::Success;
        let mut objects = Vec::new();
        for file in &self.files {
            let report = match self.check(file) {
                Ok(warnings) => warnings,
                Err(report) => {
                    status = Status::Fault;
                    report
                }
            };
            output.report(&report);
            objects.extend(advice::with_options(&report).json_objects());
        }
        match Format::from_flag(self.json) {
            Format::Json => output.line(&format!("{{\"diagnostics\":[{}]}}", objects.join(","))),
            Format::Text => {}
        }
        status
    }

    /// The warnings of a good program; the errors of one at fault.
    fn check(&self, file: &str) -> Result<Report, Report> {
        let text = files::source(file)?;
        let compiled = files::compiler(Options::default()).compile(file, &text)?;
        let strict = if self.strict { compiled.strict() } else { Report::default() };
        if strict.is_empty() { Ok(compiled.warnings().clone()) } else { Err(strict) }
    }
}
