//! `cotan gradcheck FILE FUNC`: checks the derivatives of a definition by every method.

use clap::Args;
use cotan::{Gradcheck as Checked, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, arguments, files, waiting};

/// Arguments of `gradcheck`.
#[derive(Args)]
pub(crate) struct Gradcheck {
    /// The program; `-` reads standard input
    file: String,
    /// The definition whose derivatives are checked
    function: String,
    /// A parameter of the definition: name=JSON, name=@FILE.npy, name=@FILE.csv:COLUMN or name=@FILE.npz:ARRAY. Without any,
    /// random arguments are taken
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arguments::name_and_value)]
    args: Vec<(String, String)>,
    /// The parameters to differentiate by, such as a,mu; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
    /// At how many random arguments
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    points: u16,
    /// Print one JSON object: {"function":...,"holds":...,"laws":[...]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

impl Gradcheck {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        match self.checked(output) {
            Ok(checked) => {
                match format {
                    Format::Text => output.text(&checked.to_text()),
                    Format::Json => output.line(&checked.to_json()),
                }
                if checked.holds() { Status::Success } else { Status::Fault }
            }
            Err(report) => output.fail(&report, format),
        }
    }

    fn checked(&self, output: &Output) -> Result<Checked, Report> {
        let text = files::source(&self.file)?;
        let mut program = waiting::compiler(self.options.library()).compile(&self.file, &text)?;
        output.report(program.warnings());
        let arguments = arguments::arguments(&self.args, self.options.memory())?;
        let wrt: Vec<&str> = self.wrt.iter().map(String::as_str).collect();
        program.gradcheck(&self.function, &arguments, &wrt, self.points.into())
    }
}
