//! The command line: one file per subcommand. Exit status 0 for success, 1 for a program at
//! fault, 2 for wrong usage, 101 for a bug of ours, 130 for a run that was interrupted.
#![allow(
    clippy::disallowed_methods,
    reason = "a front end: files, environment and terminal are its job"
)]

mod advice;
mod arguments;
mod bench;
mod bug;
mod build;
mod check;
mod completions;
mod dev;
mod doc;
mod doctor;
mod eval;
mod evaluation;
mod explain;
mod files;
mod fmt;
mod gradcheck;
mod jacobian;
mod man;
mod options;
mod output;
mod pictures;
mod results;
mod run;
mod sparsity;
mod stages;
mod test;
mod told;
mod waiting;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cotan::Report;

use options::Color;
use output::{Format, Output};

/// A typed functional array language that differentiates its programs.
#[derive(Parser)]
#[command(name = "cotan", version = env!("COTAN_VERSION"), disable_help_subcommand = true)]
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
    /// Print the documentation of modules as pages in Markdown
    Doc(doc::Doc),
    /// Print the page of an error code
    Explain(explain::Explain),
    /// Check derivatives: methods against each other, central differences, the laws they have
    Gradcheck(gradcheck::Gradcheck),
    /// Print a definition after every stage of one method of differentiation
    Stages(stages::Stages),
    /// Print which entries of the Jacobian of a definition may be other than zero
    Sparsity(sparsity::Sparsity),
    /// Print or write the Jacobian of a definition, dense or sparse
    Jacobian(jacobian::Matrix),
    /// Print or write the Hessian of a definition that gives a real, dense or sparse
    Hessian(jacobian::Matrix),
    /// Write definitions and their derivatives as C sources
    Build(build::Build),
    /// Run passes of the compiler on a program, for developers of Cotan
    Dev(dev::Dev),
    /// Print what this machine has for compiled programs, and what is missing
    Doctor(doctor::Doctor),
    /// Print what a shell needs to complete commands and flags
    Completions(completions::Completions),
    /// Print the manual page, in the format of man
    Man(man::Man),
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
    let format = asked_for();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error, format),
    };
    let run = || {
        let output = Output::new(cli.color);
        let status = output.end(dispatch(&cli, &output));
        if cotan::is_interrupted() { ExitCode::from(told::INTERRUPTED) } else { status.into() }
    };
    let tell = |message: &str| {
        output::complain(&format!("{message}\n{}\n", bug::ADVICE));
        plain_error(&Output::new(cli.color), message, &[bug::ADVICE], format);
    };
    bug::guard(|| cotan::with_deep_stack(run), tell)
}

/// Who reads standard output, known before the command line is understood.
fn asked_for() -> Format {
    let args = std::env::args_os().skip(1).take_while(|it| it != "--");
    Format::from_flag(args.into_iter().any(|it| it == "--json"))
}

/// Help on standard output; complaints about usage on standard error.
fn usage(error: &clap::Error, format: Format) -> ExitCode {
    let text = error.render().to_string();
    let output = Output::new(Color::Never);
    if !error.use_stderr() {
        output.text(&text);
        return output.end(Status::Success).into();
    }
    output::complain(&text);
    let title = text.lines().next().unwrap_or_default();
    let title = title.strip_prefix("error: ").unwrap_or(title);
    plain_error(&output, title, &["`cotan --help` lists commands and flags"], format);
    output.end(Status::Fault);
    ExitCode::from(2)
}

/// The one object for an error that has no code.
fn plain_error(output: &Output, title: &str, help: &[&str], format: Format) {
    if format == Format::Json {
        output.line(&format!("{{\"error\":[{}]}}", Report::json_of(title, help)));
    }
}

fn dispatch(cli: &Cli, output: &Output) -> Status {
    match &cli.command {
        Command::Run(it) => it.run(output),
        Command::Eval(it) => it.run(output),
        Command::Check(it) => it.run(output),
        Command::Test(it) => it.run(output),
        Command::Bench(it) => it.run(output),
        Command::Fmt(it) => it.run(output),
        Command::Doc(it) => it.run(output),
        Command::Explain(it) => it.run(output),
        Command::Gradcheck(it) => it.run(output),
        Command::Stages(it) => it.run(output),
        Command::Sparsity(it) => it.run(output),
        Command::Jacobian(it) => it.run(jacobian::Order::Jacobian, output),
        Command::Hessian(it) => it.run(jacobian::Order::Hessian, output),
        Command::Build(it) => it.run(output),
        Command::Dev(it) => it.run(output),
        Command::Doctor(it) => it.run(output),
        Command::Completions(it) => it.run(output),
        Command::Man(it) => it.run(output),
    }
}
