//! `cotan eval FILE EXPRESSION`: evaluates an expression in the scope of a file.

use clap::Args;

use crate::Status;
use crate::evaluation::{Drawn, Evaluation};
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
        let drawn = Drawn::Value(&self.expression);
        self.evaluation
            .run(&self.file, drawn, output, |program, args| program.eval(&self.expression, args))
    }
}
