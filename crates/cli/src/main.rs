//! The command line: one file per subcommand. Exit status 0 for success, 1 for a program at
//! fault, 2 for wrong usage, 101 for a bug of ours.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a front end: files, environment and terminal are its job"
)]

mod bench;
mod bug;
mod build;
mod check;
mod doctor;
mod eval;
mod evaluation;
mod explain;
mod files;
mod fmt;
mod gradcheck;
mod options;
mod output;
mod run;
mod stages;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use options::Color;
use output::Output;

/// A typed functional array language that differentiates its programs.
#[derive(Parser)]
#[command(name = "cotan", version, disable_help_subcommand = true)]
struct Cli {
    /// When to colour diagnostics
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Evaluate `main` and print it
    Run(run::Run),
    /// Evaluate an expression in the scope of a file
    Eval(eval::Eval),
    /// Parse, infer types and sizes, report every error
    Check(check::Check),
    /// Run the `test` declarations of the files
    Test(test::Test),
    /// Measure the `bench` declarations of a file
    Bench(bench::Bench),
    /// Format files in place
    Fmt(fmt::Fmt),
    /// Print the page of an error code
    Explain(explain::Explain),
    /// Check derivatives: methods against each other, central differences, the laws they have
    Gradcheck(gradcheck::Gradcheck),
    /// Print a definition after every stage of one method of differentiation
    Stages(stages::Stages),
    /// Write definitions and their derivatives as C sources
    Build(build::Build),
    /// Print what this machine has for compiled programs, and what is missing
    Doctor(doctor::Doctor),
}

/// How a command ended when nothing is wrong with ourselves. Wrong usage is found before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Exit status 0.
    Success,
    /// The program is at fault and said so; exit status 1.
    Fault,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Success => ExitCode::SUCCESS,
            Status::Fault => ExitCode::from(1),
        }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let text = error.render();
            let (text, code) = if error.use_stderr() { (text, 2) } else { (text, 0) };
            output::print_usage(&text.to_string(), code == 0);
            return ExitCode::from(code);
        }
    };
    cotan::when_compiling_is_slow(output::say_that_compiling_is_slow);
    bug::guard(|| cotan::with_deep_stack(|| dispatch(&cli).into()))
}

fn dispatch(cli: &Cli) -> Status {
    let output = Output::new(cli.color);
    match &cli.command {
        Command::Run(it) => it.run(&output),
        Command::Eval(it) => it.run(&output),
        Command::Check(it) => it.run(&output),
        Command::Test(it) => it.run(&output),
        Command::Bench(it) => it.run(&output),
        Command::Fmt(it) => it.run(&output),
        Command::Explain(it) => it.run(&output),
        Command::Gradcheck(it) => it.run(&output),
        Command::Stages(it) => it.run(&output),
        Command::Build(it) => it.run(&output),
        Command::Doctor(it) => it.run(&output),
    }
}
