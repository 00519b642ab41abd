//! `cotan fmt FILE...`: formats files in place; `-` from standard input to standard output.

use std::path::PathBuf;

use clap::Args;
use cotan::Report;

use crate::output::{Format, Output};
use crate::{Status, files};

/// Arguments of `fmt`.
#[derive(Args)]
pub(crate) struct Fmt {
    /// The programs; `-` formats standard input to standard output
    #[arg(required = true)]
    files: Vec<String>,
    /// Change nothing; name the files that would change, and exit with status 1 if there are any
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let mut status = Status::Success;
        for file in &self.files {
            let outcome = if self.check { check(file, output) } else { rewrite(file, output) };
            match outcome {
                Ok(Status::Success) => {}
                Ok(other) => status = other,
                Err(report) => status = output.fail(&report, Format::Text),
            }
        }
        status
    }
}

fn formatted(file: &str) -> Result<(String, String), Report> {
    let text = files::source(file)?;
    let pretty = cotan::format(file, &text)?;
    Ok((text, pretty))
}

fn check(file: &str, output: &Output) -> Result<Status, Report> {
    let (text, pretty) = formatted(file)?;
    if text == pretty {
        return Ok(Status::Success);
    }
    output.note(&format!("{file}: not formatted"));
    Ok(Status::Fault)
}

fn rewrite(file: &str, output: &Output) -> Result<Status, Report> {
    let (text, pretty) = formatted(file)?;
    if file == "-" {
        output.text(&pretty);
    } else if text != pretty {
        files::replace(&[(PathBuf::from(file), &pretty)])?;
    }
    Ok(Status::Success)
}
