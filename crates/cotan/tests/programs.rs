//! The programs in `tests/programs`: every `test` in them passes, every program in `errors` is
//! refused and every `main` in `failures` ends with the code that the first line expects.
//!
//! `CASE=scan cargo test -p cotan --test programs` runs the files with `scan` in their path.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use cotan::{Compiler, Options, Precision, Report, Style, TestOutcome};

/// The programs of a folder, in the order of their names.
fn programs(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(folder);
    let wanted = std::env::var("CASE").unwrap_or_default();
    let entries = fs::read_dir(&root).unwrap_or_else(|it| panic!("{}: {it}", root.display()));
    let mut res: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "cot"))
        .filter(|path| path.to_string_lossy().contains(&wanted))
        .collect();
    res.sort();
    assert!(!res.is_empty() || !wanted.is_empty(), "no programs in {}", root.display());
    res
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|it| panic!("{}: {it}", path.display()))
}

/// What goes wrong in a program, one text per complaint.
fn failures(path: &Path, precision: Precision) -> Vec<String> {
    let name = path.display().to_string();
    let options = Options { precision, ..Options::default() };
    let mut program = match Compiler::new(options).compile(&name, &read(path)) {
        Ok(program) => program,
        Err(report) => return vec![report.render(Style::Plain)],
    };
    assert!(program.n_tests() > 0, "{name} has no tests");
    let results = (0..program.n_tests()).map(|index| program.run_test(index));
    results
        .filter_map(|result| match result.outcome {
            TestOutcome::Passed => None,
            TestOutcome::Failed(report) => {
                Some(format!("{name}, \"{}\":\n{}", result.name, report.render(Style::Plain)))
            }
        })
        .collect()
}

fn run(folder: &str) {
    run_in(folder, Precision::F64);
}

fn run_in(folder: &str, precision: Precision) {
    let failures: Vec<String> =
        programs(folder).iter().flat_map(|it| failures(it, precision)).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_language() {
    run("language");
}

#[test]
fn single_precision() {
    run_in("single", Precision::F32);
}

#[test]
fn the_primitives() {
    run("prims");
}

#[test]
fn the_hazards() {
    run("hazards");
}

#[test]
fn the_cases_of_the_peers() {
    run("peers");
}

/// Runs every program of a folder by `outcome`, and compares what it complains about with the
/// code in the first line, `-- expect: E0301`. A panic is one more wrong answer, so that one run
/// lists them all.
fn expect_codes(folder: &str, outcome: impl Fn(&str, &str) -> Result<(), Report>) {
    let mut wrong = Vec::new();
    for path in programs(folder) {
        let (name, text) = (path.display().to_string(), read(&path));
        let first = text.lines().next().unwrap_or_default();
        let code = first.strip_prefix("-- expect: ").expect("the first line says the code").trim();
        match catch_unwind(AssertUnwindSafe(|| outcome(&name, &text))) {
            Ok(Ok(())) => wrong.push(format!("{name} is accepted, expected {code}")),
            Ok(Err(report)) if report.codes().iter().any(|it| it.starts_with(code)) => {}
            Ok(Err(report)) => wrong.push(format!("{name}: {code}, got {:?}", report.codes())),
            Err(_) => wrong.push(format!("{name} panics, expected {code}")),
        }
    }
    assert!(wrong.is_empty(), "{} programs\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn mistakes_are_refused() {
    expect_codes("errors", |name, text| {
        Compiler::new(Options::default()).compile(name, text).map(|_| ())
    });
}

#[test]
fn failures_are_reported() {
    let options = Options { memory: 256 << 20, ..Options::default() };
    expect_codes("failures", |name, text| {
        let mut program = Compiler::new(options)
            .compile(name, text)
            .unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
        program.call("main", &[]).map(|_| ())
    });
}
