//! What `run` and `eval` share: arguments in, one value out.

use clap::Args;
use cotan::{Answer, Argument, Backend, Compiled, Cost, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::pictures::{self, Picture};
use crate::results::{self, Out};
use crate::{Status, arguments, files, told, waiting};

/// Flags of the commands that evaluate something.
#[derive(Args)]
pub(crate) struct Evaluation {
    /// A parameter of `main`, or a variable of the expression: name=JSON, name=@FILE.npy, name=@FILE.csv:COLUMN or name=@FILE.npz:ARRAY
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arguments::name_and_value)]
    args: Vec<(String, String)>,
    /// Print one JSON object: {"type":...,"value":...}
    #[arg(long)]
    json: bool,
    /// Write the value to this file instead of printing it; the ending decides: .npz, .npy or .csv
    #[arg(long, value_name = "FILE", value_parser = results::out)]
    out: Option<Out>,
    /// Draw the `plot` declarations of the program, or the value, to this .svg file; - draws in the terminal
    #[arg(long, value_name = "FILE", value_parser = pictures::picture)]
    plot: Option<Picture>,
    /// Also print on standard error how many operations it took
    #[arg(long)]
    cost: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// What `--plot` draws.
#[derive(Clone, Copy)]
pub(crate) enum Drawn<'a> {
    /// The plots of the program; if there is none, the value of `main`.
    Plots,
    /// The value, with this title.
    Value(&'a str),
}

impl Evaluation {
    /// Compiles the file, evaluates, prints.
    pub(crate) fn run(
        &self,
        file: &str,
        drawn: Drawn<'_>,
        output: &Output,
        evaluate: impl FnOnce(&mut Compiled, &[Argument]) -> Result<Answer, Report>,
    ) -> Status {
        let format = Format::from_flag(self.json);
        match self.answer(file, drawn, output, evaluate) {
            // Who asks for JSON reads an object in any case.
            Ok(Some(_)) if self.out.is_some() && format == Format::Text => Status::Success,
            Ok(Some(answer)) => print_answer(&answer, format, output),
            Ok(None) => {
                if format == Format::Json {
                    output.line("{}");
                }
                Status::Success
            }
            Err(report) => output.fail(&report, format),
        }
    }

    /// The value; none of a program that only draws.
    fn answer(
        &self,
        file: &str,
        drawn: Drawn<'_>,
        output: &Output,
        evaluate: impl FnOnce(&mut Compiled, &[Argument]) -> Result<Answer, Report>,
    ) -> Result<Option<Answer>, Report> {
        let text = files::source(file)?;
        let mut options = self.options.library();
        if self.cost && options.backend == Backend::Auto {
            // Only the interpreter counts operations.
            options.backend = Backend::Interp;
        }
        let mut program = waiting::compiler(options).compile(file, &text)?;
        let _heard = told::hear(&program);
        output.report(program.warnings());
        let has_plots = matches!(drawn, Drawn::Plots) && program.n_plots() > 0;
        let mut known = None;
        if let Some(picture) = self.plot.as_ref().filter(|_| has_plots) {
            known = picture.draw_plots(&mut program, output)?;
            if !program.has_def("main") {
                return Ok(None);
            }
        }
        let answer = match known {
            // Operations are those of `main` alone, and an argument that it does not take is an error.
            Some(answer) if !self.cost && self.args.is_empty() => Ok(answer),
            _ => {
                let args = arguments::arguments(&self.args, self.options.memory())?;
                evaluate(&mut program, &args)
            }
        };
        output.note_interpreter(program.without_compiler());
        let answer = answer?;
        if self.cost {
            print_cost(&answer.cost(), output);
        }
        if let Some(out) = &self.out {
            out.write(&answer)?;
        }
        if let Some(picture) = self.plot.as_ref().filter(|_| !has_plots) {
            let title = if let Drawn::Value(title) = drawn { title } else { "main" };
            picture.draw_answer(&answer, title, output)?;
        }
        Ok(Some(answer))
    }
}

/// Prints a value the way the user asked for.
fn print_answer(answer: &Answer, format: Format, output: &Output) -> Status {
    match format {
        Format::Text => answer.write_text(&mut |it| output.text(it)),
        Format::Json => answer.write_json(&mut |it| output.text(it)),
    }
    output.line("");
    Status::Success
}

/// Prints the operations of a run, most frequent first.
fn print_cost(cost: &Cost, output: &Output) {
    let mut counts: Vec<(&String, &u64)> = cost.counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    output.note(&format!("{:>14} operations, {} bytes moved", cost.total(), cost.bytes));
    for (name, count) in counts {
        output.note(&format!("{count:>14} {name}"));
    }
}
