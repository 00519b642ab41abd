//! Says which commit the command is built from, where that is known: not in an archive of the sources.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "how a build script speaks")]

use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["rev-parse", "--short=10", "HEAD"]) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_string(),
    };
    println!("cargo::rustc-env=COTAN_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    // Written by every commit and every change of branch.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git answers; nothing without it.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
