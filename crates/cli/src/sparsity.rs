//! `cotan sparsity FILE FUNC`: prints which entries of the Jacobian of a definition may be other than zero.

use std::path::PathBuf;

use clap::Args;
use cotan::{Report, Sparsity as Found};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, arguments, files};

/// Arguments of `sparsity`.
#[derive(Args)]
pub(crate) struct Sparsity {
    /// The program; `-` reads standard input
    file: String,
    /// The definition whose Jacobian is asked for
    function: String,
    /// A parameter of the definition: name=JSON, name=@FILE.npy, name=@FILE.csv:COLUMN or name=@FILE.npz:ARRAY
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arguments::name_and_value)]
    args: Vec<(String, String)>,
    /// The parameters to differentiate by, such as a,mu; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
    /// Write a picture to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object: {"rows":...,"columns":...,"parameters":[...],"starts":[...],"indices":[...]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

impl Sparsity {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        match self.found(output) {
            Ok(found) => {
                match format {
                    Format::Text => output.text(&found.to_text()),
                    Format::Json => output.line(&found.to_json()),
                }
                Status::Success
            }
            Err(report) => output.fail(&report, format),
        }
    }

    fn found(&self, output: &Output) -> Result<Found, Report> {
        let text = files::source(&self.file)?;
        let mut program = files::compiler(self.options.library()).compile(&self.file, &text)?;
        output.report(program.warnings());
        let wrt: Vec<&str> = self.wrt.iter().map(String::as_str).collect();
        let found = program.sparsity(
            &self.function,
            &arguments::arguments(&self.args, self.options.memory())?,
            &wrt,
        )?;
        if let Some(path) = &self.svg {
            files::replace(&[(path.clone(), &found.to_svg())])?;
        }
        Ok(found)
    }
}
