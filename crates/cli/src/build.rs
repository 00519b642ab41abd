//! `cotan build FILE --emit c -o DIR`: definitions and their derivatives as C sources.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cotan::{Exported, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, files};

/// Arguments of `build`.
#[derive(Args)]
pub(crate) struct Build {
    /// The program; `-` reads standard input
    file: String,
    /// What to make
    #[arg(long, value_enum)]
    emit: Emit,
    /// The folder to write to; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The parameters to differentiate by, such as a,mu; all that have reals by default. Definitions
    /// without any of them have no derivative
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
    #[command(flatten)]
    options: RunOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// C sources, a header and a manifest
    C,
}

impl Build {
    pub(crate) fn run(&self, output: &Output) -> Status {
        match self.build(output) {
            Ok(exported) => {
                let folder = self.output.display();
                output.line(&format!("{} functions in {folder}", exported.functions.len()));
                for skipped in &exported.skipped {
                    output.note(&format!("not {}: {}", skipped.name, skipped.reason));
                }
                Status::Success
            }
            Err(report) => output.fail(&report, Format::Text),
        }
    }

    fn build(&self, output: &Output) -> Result<Exported, Report> {
        let text = files::source(&self.file)?;
        let program = files::compiler(self.options.library()).compile(&self.file, &text)?;
        output.report(program.warnings());
        let stem = Path::new(&self.file).file_stem().unwrap_or_default().to_string_lossy();
        let stem = if stem == "-" { "program" } else { &stem };
        let wrt: Vec<&str> = self.wrt.iter().map(String::as_str).collect();
        let exported = match self.emit {
            Emit::C => program.export_c(stem, &wrt)?,
        };
        let folder = self.output.display().to_string();
        let unwritable = |it: std::io::Error| Report::unwritable(&folder, &it.to_string());
        fs::create_dir_all(&self.output).map_err(unwritable)?;
        let files = exported.files.iter();
        let files: Vec<(PathBuf, &str)> =
            files.map(|(name, content)| (self.output.join(name), content.as_str())).collect();
        files::replace(&files)?;
        Ok(exported)
    }
}
