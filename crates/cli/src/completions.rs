//! `cotan completions SHELL`: what a shell needs to complete commands and flags.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::output::Output;
use crate::{Cli, Status};

/// Arguments of `completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let mut text = Vec::new();
        generate(self.shell, &mut Cli::command(), "cotan", &mut text);
        output.text(&String::from_utf8_lossy(&text));
        Status::Success
    }
}
