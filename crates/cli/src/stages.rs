//! `cotan stages FILE FUNC`: prints a definition after every stage of one method.

use clap::Args;
use cotan::Report;

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, arguments, files};

/// Arguments of `stages`.
#[derive(Args)]
pub(crate) struct Stages {
    /// The program; `-` reads standard input
    file: String,
    /// The definition to print
    function: String,
    /// A parameter of the definition: name=JSON, name=@FILE.npy, name=@FILE.csv:COLUMN or name=@FILE.npz:ARRAY. With all of them,
    /// the definition is run and the Delta term of the run is printed
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arguments::name_and_value)]
    args: Vec<(String, String)>,
    /// The parameters to differentiate by, such as a,mu; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
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
        let mut compiled = files::compiler(self.options.library()).compile(&self.file, &text)?;
        let wrt: Vec<&str> = self.wrt.iter().map(String::as_str).collect();
        compiled.stages(
            &self.function,
            &arguments::arguments(&self.args, self.options.memory())?,
            &wrt,
        )
    }
}
