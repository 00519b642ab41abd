//! `cotan stages FILE FUNC`: prints a definition after every stage of one method.

use clap::Args;
use cotan::{Compiler, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, files};

/// Arguments of `stages`.
#[derive(Args)]
pub(crate) struct Stages {
    /// The program; `-` reads standard input
    file: String,
    /// The definition to print
    function: String,
    #[command(flatten)]
    options: RunOptions,
}

impl Stages {
    pub(crate) fn run(&self, output: &Output) -> Status {
        match self.stages() {
            Ok(text) => {
                output.text(&text);
                Status::Success
            }
            Err(report) => output.fail(&report, Format::Text),
        }
    }

    fn stages(&self) -> Result<String, Report> {
        let text = files::source(&self.file)?;
        let compiled = Compiler::new(self.options.library()).compile(&self.file, &text)?;
        compiled.stages(&self.function)
    }
}
