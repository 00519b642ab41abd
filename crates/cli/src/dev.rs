//! `cotan dev FILE --passes A,B`: runs passes on a program, for developers of Cotan.

use std::time::Instant;

use clap::Args;
use cotan::Options;
use cotan::dev::{self, Event, Part};

use crate::output::{Format, Output, complain};
use crate::{Status, files};

/// Arguments of `dev`.
#[derive(Args)]
pub(crate) struct Dev {
    /// The text of a program in the core language, or a source that ends in `.cot`; `-` reads standard
    /// input
    #[arg(required_unless_present = "list")]
    file: Option<String>,
    /// Passes and pipelines in order; `--list` says which there are
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = part)]
    passes: Vec<Part>,
    /// The definition that passes are about; `main` or the only one by default
    #[arg(long, value_name = "NAME")]
    at: Option<String>,
    /// Print how long each pass took on standard error
    #[arg(long)]
    time: bool,
    /// Print all passes and pipelines
    #[arg(long)]
    list: bool,
}

fn part(text: &str) -> Result<Part, String> {
    Part::named(text).ok_or_else(|| "`cotan dev --list` says which there are".to_string())
}

impl Dev {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let Some(file) = self.file.as_ref().filter(|_| !self.list) else {
            output.text(&dev::list());
            return Status::Success;
        };
        let text = match files::source(file) {
            Ok(text) => text,
            Err(report) => return output.fail(&report, Format::Text),
        };
        let mut began = Instant::now();
        let mut watch = |event: Event<'_>| match event {
            Event::Begins(..) => began = Instant::now(),
            Event::Ends(pass, _) if self.time => {
                let micros = began.elapsed().as_secs_f64() * 1e6;
                complain(&format!("{micros:10.1} us  {}\n", pass.name));
            }
            Event::Ends(..) => {}
        };
        let at = self.at.as_deref();
        let made = if file.ends_with(".cot") {
            match files::compiler(Options::default()).compile(file, &text) {
                Ok(it) => dev::passes_of_source(&it, at, &self.passes, &mut watch),
                Err(report) => return output.fail(&report, Format::Text),
            }
        } else {
            dev::passes(&text, at, &self.passes, &mut watch)
        };
        match made {
            Ok(text) => {
                output.text(&text);
                Status::Success
            }
            Err(message) => {
                complain(&format!("error: {file}: {message}\n"));
                Status::Fault
            }
        }
    }
}
