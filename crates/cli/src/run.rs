//! `cotan run FILE`: evaluates `main` and prints it.

use clap::Args;
use cotan::{Answer, Compiler, Cost, Report};

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
    /// Also print on standard error how many operations it took
    #[arg(long)]
    cost: bool,
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
        let answer = compiled.call("main", &files::arguments(&self.args)?)?;
        if self.cost {
            print_cost(&compiled.cost(), output);
        }
        Ok(answer)
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

/// Prints the operations of a run, most frequent first.
pub(crate) fn print_cost(cost: &Cost, output: &Output) {
    let mut counts: Vec<(&String, &u64)> = cost.counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    output.note(&format!("{:>14} operations, {} bytes moved", cost.total(), cost.bytes));
    for (name, count) in counts {
        output.note(&format!("{count:>14} {name}"));
    }
}
