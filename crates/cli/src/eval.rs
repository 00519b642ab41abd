//! `cotan eval FILE EXPRESSION`: evaluates an expression in the scope of a file.

use clap::Args;
use cotan::{Answer, Compiler, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::run::{print_answer, print_cost};
use crate::{Status, files};

/// Arguments of `eval`.
#[derive(Args)]
pub(crate) struct Eval {
    /// The program; `-` reads standard input
    file: String,
    /// The expression, such as 'grad(loss)(w0)'
    #[arg(allow_hyphen_values = true)]
    expression: String,
    /// A variable of the expression: name=@file.npy, name=@file.json or name=JSON
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = files::name_and_value)]
    args: Vec<(String, String)>,
    /// Print one JSON object: {"type":...,"value":...}
    #[arg(long)]
    json: bool,
    /// Also print on standard error how many operations it took
    #[arg(long)]
    cost: bool,
    #[command(flatten)]
    options: RunOptions,
}

impl Eval {
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
        let answer = compiled.eval(&self.expression, &files::arguments(&self.args)?)?;
        if self.cost {
            print_cost(&compiled.cost(), output);
        }
        Ok(answer)
    }
}
