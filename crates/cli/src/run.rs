//! `cotan run FILE`: evaluates `main` and prints it.

use clap::Args;
use cotan::{Answer, Compiler, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, files};

/// Arguments of `run`.
#[derive(Args)]
pub(crate) struct Run {
    /// The program; `-` reads standard input
    file: String,
    /// A parameter of `main`: name=@file.npy, name=@file.json or name=JSON
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = files::name_and_value)]
    args: Vec<(String, String)>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

impl Run {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        match self.answer(output) {
            Ok(answer) => print_answer(&answer, format, output),
            Err(report) => output.fail(&report, format),
        }
    }

    fn answer(&self, output: &Output) -> Result<Answer, Report> {
        let text = files::source(&self.file)?;
        let mut compiled = Compiler::new(self.options.library()).compile(&self.file, &text)?;
        output.report(compiled.warnings());
        compiled.call("main", &files::arguments(&self.args)?)
    }
}

/// Prints a value the way the user asked for.
pub(crate) fn print_answer(answer: &Answer, format: Format, output: &Output) -> Status {
    match format {
        Format::Text => output.line(&answer.to_text()),
        Format::Json => output.line(&answer.to_json()),
    }
    Status::Success
}
