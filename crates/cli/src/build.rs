//! `cotan build FILE --emit c -o DIR`: definitions and their derivatives as C sources.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cotan::{Compiler, Exported, Report};

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
        let program = Compiler::new(self.options.library()).compile(&self.file, &text)?;
        output.report(program.warnings());
        let stem = Path::new(&self.file).file_stem().unwrap_or_default().to_string_lossy();
        let stem = if stem == "-" { "program" } else { &stem };
        let exported = match self.emit {
            Emit::C => program.export_c(stem),
        };
        let unwritable = |path: &Path, error: std::io::Error| {
            Report::unwritable(&path.display().to_string(), &error.to_string())
        };
        fs::create_dir_all(&self.output).map_err(|it| unwritable(&self.output, it))?;
        for (name, content) in &exported.files {
            let path = self.output.join(name);
            fs::write(&path, content).map_err(|it| unwritable(&path, it))?;
        }
        Ok(exported)
    }
}
