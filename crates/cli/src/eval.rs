//! `cotan eval FILE EXPRESSION`: evaluates an expression in the scope of a file.

use clap::Args;

use crate::Status;
use crate::evaluation::Evaluation;
use crate::output::Output;

/// Arguments of `eval`.
#[derive(Args)]
pub(crate) struct Eval {
    /// The program; `-` reads standard input
    file: String,
    /// The expression, such as 'grad(loss)(w0)'
    #[arg(allow_hyphen_values = true)]
    expression: String,
    #[command(flatten)]
    evaluation: Evaluation,
}

impl Eval {
    pub(crate) fn run(&self, output: &Output) -> Status {
        self.evaluation
            .run(&self.file, output, |program, args| program.eval(&self.expression, args))
    }
}
