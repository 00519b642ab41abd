//! `cotan doctor`: what this machine has for compiled programs, and what is missing.

use clap::Args;
use cotan::{Doctor as Found, Options};

use crate::Status;
use crate::output::{Format, Output};

/// Arguments of `doctor`.
#[derive(Args)]
pub(crate) struct Doctor {
    /// Print one JSON object: {"well":...,"findings":[...]}
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let found = Found::examine(Options::default());
        match Format::from_flag(self.json) {
            Format::Text => output.text(&found.to_text()),
            Format::Json => output.line(&found.to_json()),
        }
        if found.is_well() { Status::Success } else { Status::Fault }
    }
}
