//! Measures Cotan in one run on one machine: against hand-written C, JAX and PyTorch, and against
//! Rust crates for differentiation.
//!
//! ```text
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- [--frameworks] [--quick] [NAME...]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- crates [--quick] [NAME...]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- overhead [--quick]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- sparse [--quick]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- methods [--quick]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- patterns [--quick] [NAME...]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- first [--quick]
//! cargo run --release --manifest-path benchmarks/Cargo.toml -- checkpoints [--quick]
//! ```
//! With `--quick` or names of programs nothing is written.
#![allow(
    clippy::disallowed_methods,
    reason = "a front end: it looks at the clock, starts programs and writes files"
)]

mod checkpoints;
mod contender;
mod crates;
mod effort;
mod first;
mod inputs;
mod latency;
mod machine;
mod measure;
mod memory;
mod methods;
mod npy;
mod overhead;
mod patterns;
mod problem;
mod process;
mod report;
mod sparse;
mod suite;
#[cfg(test)]
mod tests;
mod worker;

use std::process::ExitCode;

use effort::Effort;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("error: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Result<(), String> {
    match words.split_first().map(|(it, rest)| (it.as_str(), rest)) {
        Some(("worker", rest)) => return worker::serve(rest),
        Some(("latency", [file])) => return latency::print(file),
        Some(_) | None => {}
    }
    let has = |flag: &str| words.iter().any(|it| it == flag);
    let unknown = words.iter().find(|it| it.starts_with("--") && !FLAGS.contains(&it.as_str()));
    if let Some(flag) = unknown {
        return Err(format!("`{flag}` is none of {}", FLAGS.join(", ")));
    }
    let effort = if has("--quick") { Effort::Quick } else { Effort::Full };
    let mut names: Vec<String> = words.iter().filter(|it| !it.starts_with("--")).cloned().collect();
    if names.first().is_some_and(|it| it == "crates") {
        names.remove(0);
        return crates::run(&names, effort);
    }
    if names.first().is_some_and(|it| it == "overhead") {
        let calls = overhead::measure(effort, &|it| eprintln!("{it}"))?;
        println!("{}", report::overhead(&calls).trim());
        return Ok(());
    }
    if names.first().is_some_and(|it| it == "sparse") {
        return sparse::run(effort);
    }
    if names.first().is_some_and(|it| it == "methods") {
        let folder = suite::Folder::new()?;
        return methods::run(effort, &folder.0);
    }
    if names.first().is_some_and(|it| it == "checkpoints") {
        return checkpoints::run(effort);
    }
    if names.first().is_some_and(|it| it == "patterns") {
        return patterns::run(&names[1..], effort);
    }
    if names.first().is_some_and(|it| it == "first") {
        let folder = suite::Folder::new()?;
        return first::run(effort, &folder.0);
    }
    if has("--frameworks") {
        eprintln!("installing JAX and PyTorch");
        contender::install_frameworks()?;
    }
    suite::run(&names, effort)
}

const FLAGS: [&str; 2] = ["--frameworks", "--quick"];
