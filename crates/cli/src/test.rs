//! `cotan test FILE...`: runs the `test` declarations of the files.

use clap::Args;
use cotan::{Report, TestOutcome};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, advice, files, waiting};

/// Arguments of `test`.
#[derive(Args)]
pub(crate) struct Test {
    /// The programs, each on its own; `-` reads standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Print one JSON object: {"passed":...,"failed":...,"tests":[...]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// What has happened so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    /// Files that did not get as far as running a test.
    broken: usize,
    /// Why nothing is compiled.
    without_compiler: Option<String>,
    objects: Vec<String>,
    errors: Vec<String>,
}

impl Test {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        let mut tally = Tally::default();
        for file in &self.files {
            if let Err(report) = self.run_file(file, format, output, &mut tally) {
                output.report(&report);
                tally.broken += 1;
                tally.errors.extend(advice::with_options(&report).json_objects());
            }
        }
        output.note_interpreter(tally.without_compiler.as_deref());
        tally.print(format, output);
        if tally.failed + tally.broken == 0 { Status::Success } else { Status::Fault }
    }

    fn run_file(
        &self,
        file: &str,
        format: Format,
        output: &Output,
        tally: &mut Tally,
    ) -> Result<(), Report> {
        let text = files::source(file)?;
        let mut compiled = waiting::compiler(self.options.library()).compile(file, &text)?;
        output.report(compiled.warnings());
        for index in 0..compiled.n_tests() {
            let result = compiled.run_test(index);
            tally.objects.push(result.to_json());
            match &result.outcome {
                TestOutcome::Passed => tally.passed += 1,
                TestOutcome::Failed(report) => {
                    tally.failed += 1;
                    output.report(report);
                    if format == Format::Text {
                        output.line(&format!("{file}: test \"{}\" failed", result.name));
                    }
                }
            }
        }
        if let Some(reason) = compiled.without_compiler() {
            tally.without_compiler = Some(reason.to_string());
        }
        Ok(())
    }
}

impl Tally {
    fn print(&self, format: Format, output: &Output) {
        if format == Format::Json {
            let errors = if self.errors.is_empty() {
                String::new()
            } else {
                format!(",\"error\":[{}]", self.errors.join(","))
            };
            output.line(&format!(
                "{{\"passed\":{},\"failed\":{},\"tests\":[{}]{errors}}}",
                self.passed,
                self.failed,
                self.objects.join(",")
            ));
            return;
        }
        if self.passed + self.failed == 0 && self.broken == 0 {
            output.line("no tests found: write some as `test \"name\" = expression`");
        }
        if self.broken > 0 {
            output.line(&format!("{} could not be tested", files_in_words(self.broken)));
        }
        output.line(&format!("{} passed, {} failed", self.passed, self.failed));
    }
}

fn files_in_words(n: usize) -> String {
    if n == 1 { "1 file".to_string() } else { format!("{n} files") }
}
