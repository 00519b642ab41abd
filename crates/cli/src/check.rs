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
    /// Say which definitions are sums over the rows of a parameter, `x` or `loss.x`, and which are not
    #[arg(long, value_name = "PARAMETER")]
    additive: Option<String>,
    /// Print one JSON object: {"diagnostics":[...]}
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let mut status = Status::Success;
        let format = Format::from_flag(self.json);
        let (mut objects, mut said) = (Vec::new(), Vec::new());
        for file in &self.files {
            let report = match self.check(file, &mut said) {
                Ok(warnings) => warnings,
                Err(report) => {
                    status = Status::Fault;
                    report
                }
            };
            output.report(&report);
            if format == Format::Json {
                objects.extend(advice::with_options(&report).json_objects());
            }
        }
        match format {
            Format::Json => output.line(&format!("{{\"diagnostics\":[{}]}}", objects.join(","))),
            Format::Text => said.iter().for_each(|it| output.line(it)),
        }
        status
    }

    /// The warnings of a good program, and what it was asked; the errors of one at fault.
    fn check(&self, file: &str, said: &mut Vec<String>) -> Result<Report, Report> {
        let text = files::source(file)?;
        let compiled = files::compiler(Options::default()).compile(file, &text)?;
        let strict = if self.strict { compiled.strict() } else { Report::default() };
        if !strict.is_empty() {
            return Err(strict);
        }
        if let Some(over) = &self.additive {
            let (lines, errors) = compiled.additive(over);
            said.extend(lines);
            if !errors.is_empty() {
                return Err(errors);
            }
        }
        Ok(compiled.warnings().clone())
    }
}
