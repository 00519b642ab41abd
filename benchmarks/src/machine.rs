//! What the numbers were measured on: processor, versions, date.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::contender::{REFERENCE_FLAGS, compiler_name};

/// The resolved versions of this package.
const LOCK: &str = include_str!("../Cargo.lock");

/// `Intel(R) Xeon(R), 2 threads`
pub fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|it| it.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |it| it.1.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {threads} threads")
}

/// How many programs wanted to run in the last minute: above the number of threads, times are
/// longer, and ratios are more to be trusted than times.
pub fn load() -> String {
    let found = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    found.split(' ').next().filter(|it| !it.is_empty()).unwrap_or("unknown").to_string()
}

/// Names and versions of C, of the frameworks of a Python, and of Cotan.
pub fn contenders(python: Option<&Path>) -> Vec<(String, String)> {
    let mut res = ours();
    let compiler = compiler_name();
    let version = output(&compiler, &["--version"]);
    let version = version.lines().next().unwrap_or_default();
    res.push(("C".to_string(), format!("{version}; {}", REFERENCE_FLAGS.join(" "))));
    res.push(("gemm".to_string(), locked("gemm-f64")));
    for (name, package) in [("JAX", "jax"), ("PyTorch", "torch")] {
        let text = format!("import {package}; print({package}.__version__)");
        let found = python.map(|it| output(&it.to_string_lossy(), &["-c", &text]));
        res.push((name.to_string(), found.unwrap_or_else(|| "not measured".to_string())));
    }
    res
}

/// Names and versions of what takes part among the crates.
pub fn versions() -> Vec<(String, String)> {
    let mut res = ours();
    for name in ["num-dual", "echidna", "reverse"] {
        res.push((name.to_string(), locked(name)));
    }
    res
}

/// What every comparison names: the compiler of Cotan, and its commit.
pub fn ours() -> Vec<(String, String)> {
    let commit = output("git", &["describe", "--always", "--dirty"]);
    vec![
        ("rustc".to_string(), output("rustc", &["--version"])),
        ("Cotan, commit".to_string(), commit),
    ]
}

fn locked(name: &str) -> String {
    let mut lines = LOCK.lines().skip_while(|it| *it != format!("name = \"{name}\""));
    let version = lines.nth(1).and_then(|it| it.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_string()
}

/// What a command prints, if it runs.
fn output(command: &str, words: &[&str]) -> String {
    let found = Command::new(command).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let text = found.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_string());
    text.ok().filter(|it| !it.is_empty()).unwrap_or_else(|| "unknown".to_string())
}

/// Today, `2026-11-15`.
pub fn date() -> String {
    output("date", &["+%F"])
}
