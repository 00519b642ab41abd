//! `cotan run FILE`: evaluates `main` and prints it.

use clap::Args;

use crate::Status;
use crate::evaluation::{Drawn, Evaluation};
use crate::output::Output;

/// Arguments of `run`.
#[derive(Args)]
pub(crate) struct Run {
    /// The program; `-` reads standard input
    file: String,
    #[command(flatten)]
    evaluation: Evaluation,
}

impl Run {
    pub(crate) fn run(&self, output: &Output) -> Status {
        self.evaluation
            .run(&self.file, Drawn::Plots, output, |program, args| program.call("main", args))
    }
}
