//! `cotan explain CODE`: prints the page of an error code.

use clap::Args;

use crate::Status;
use crate::output::Output;

/// Arguments of `explain`.
#[derive(Args)]
pub(crate) struct Explain {
    /// The code, such as E0301
    code: String,
}

impl Explain {
    pub(crate) fn run(&self, output: &Output) -> Status {
        if let Some(page) = cotan::explain::page(&self.code) {
            output.text(page);
            return Status::Success;
        }
        output.note(&format!("error: there is no error code `{}`", self.code));
        if let Some(code) = cotan::explain::nearest(&self.code) {
            output.note(&format!("  = help: did you mean `{code}`?"));
        }
        Status::Fault
    }
}
