//! `cotan doc MODULE...`: prints the documentation of modules as pages in Markdown.

use std::path::Path;

use clap::Args;
use cotan::{Report, STANDARD};

use crate::output::{Format, Output};
use crate::{Status, files};

/// Arguments of `doc`.
#[derive(Args)]
pub(crate) struct Doc {
    /// Files, or modules of the standard library such as `std.linalg`
    #[arg(required = true)]
    modules: Vec<String>,
}

impl Doc {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let mut status = Status::Success;
        for (at, module) in self.modules.iter().enumerate() {
            match page(module) {
                Ok(page) if at == 0 => output.text(&page),
                Ok(page) => output.text(&format!("\n{page}")),
                Err(report) => status = output.fail(&report, Format::Text),
            }
        }
        status
    }
}

/// A file of the name of a module of the library would be found by `./std.linalg`.
fn page(module: &str) -> Result<String, Report> {
    if let Some(it) = STANDARD.iter().find(|it| it.path == module) {
        return cotan::document(it.path, it.path, it.text);
    }
    let text = files::source(module)?;
    let name = Path::new(module).file_name().map_or(module.into(), |it| it.to_string_lossy());
    cotan::document(&name, &format!("\"{name}\""), &text)
}
