//! `cotan man`: the manual page, all subcommands in one.

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use crate::output::Output;
use crate::{Cli, Status};

/// Arguments of `man`.
#[derive(Args)]
pub(crate) struct Man {}

impl Man {
    pub(crate) fn run(&self, output: &Output) -> Status {
        output.text(&page());
        Status::Success
    }
}

/// The page of the command, and behind it what belongs to each subcommand.
fn page() -> String {
    let mut command = Cli::command();
    command.build();
    let mut text = Vec::new();
    // A list of bytes takes everything.
    let _ = Page::new(command.clone()).render(&mut text);
    for sub in command.get_subcommands() {
        text.extend(format!(".SH \"COTAN {}\"\n", sub.get_name().to_uppercase()).into_bytes());
        let page = Page::new(sub.clone());
        let _ = page.render_synopsis_section(&mut text);
        let _ = page.render_description_section(&mut text);
        let _ = page.render_options_section(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}
