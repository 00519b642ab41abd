//! The programs in `tests/programs`: every `test` in them passes, every program in `errors` is
//! refused and every `main` in `failures` ends with the code that the first line expects.
//! What runs, runs by every method of differentiation, and the methods agree.
//!
//! `CASE=scan cargo test -p cotan --test all programs::` runs the files with `scan` in their path.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::common::choices;
use crate::common::methods::{METHODS, compared, difference, disagreements};
use cotan::{Backend, Compiler, Options, Precision, Report, Style, TestOutcome, Via};

/// The folders of programs with tests, and their precision.
const FOLDERS: [(&str, Precision); 7] = [
    ("language", Precision::F64),
    ("prims", Precision::F64),
    ("hazards", Precision::F64),
    ("peers", Precision::F64),
    ("reverse", Precision::F64),
    ("bulk", Precision::F64),
    ("single", Precision::F32),
];

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
fn failures(path: &Path, precision: Precision, via: Via) -> Vec<String> {
    failures_with(path, Options { precision, via, backend: Backend::Interp, ..Options::default() })
}

fn failures_with(path: &Path, options: Options) -> Vec<String> {
    let name = path.display().to_string();
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
                let complaint = report.render(Style::Plain);
                let Options { via, precision, .. } = options;
                Some(format!(
                    "{name}, \"{}\" via {via:?}, {precision:?}:\n{complaint}",
                    result.name
                ))
            }
        })
        .collect()
}

/// The folders of which `bulk` and `chad` may refuse nothing: programs of first order only. What it refuses of
/// the others is listed in `bulk.rs`.
const FIRST_ORDER: [&str; 3] = ["prims", "bulk", "single"];

fn run(via: Via) {
    let mut wrong = Vec::new();
    let all = METHODS.contains(&via);
    for (folder, precision) in FOLDERS.into_iter().filter(|it| all || FIRST_ORDER.contains(&it.0)) {
        wrong.extend(programs(folder).iter().flat_map(|it| failures(it, precision, via)));
    }
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn facts_hold_via_forward() {
    run(Via::Forward);
}

#[test]
fn facts_hold_via_tape() {
    run(Via::Tape);
}

#[test]
fn facts_hold_via_bulk() {
    run(Via::Bulk);
}

#[test]
fn facts_hold_via_chad() {
    run(Via::Chad);
}

/// The programs about the language are written for both precisions.
#[test]
fn facts_about_the_language_hold_in_single_precision() {
    let single = Options { precision: Precision::F32, ..Options::default() };
    let mut wrong = Vec::new();
    for path in programs("language") {
        for backend in [Backend::Interp, Backend::Auto] {
            wrong.extend(failures_with(&path, Options { backend, ..single }));
        }
    }
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn methods_agree() {
    let mut wrong = Vec::new();
    for (folder, precision) in FOLDERS {
        for path in programs(folder) {
            let name = path.display().to_string();
            wrong.extend(disagreements(&name, &read(&path), precision, &[]));
        }
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_disagreement_is_noticed() {
    let test = "test \"both\" = { let x = 1.0; (x ~= 2.0) && [3] == [4] }";
    assert_eq!(compared(test), ["{ let x = 1.0; (((x, 2.0)), ([3], [4])) }"]);
    let differ = |a, b| difference(a, b, 1e-12).is_some();
    assert!(!differ("(1.0, nan, -infinity, 7)", "(1.0000000000000002, nan, -infinity, 7)"));
    assert!(differ("(1.0, 2.0)", "(1.0, 2.00000000001)"));
    assert!(differ("7", "8") && differ("nan", "1.0") && differ("infinity", "-infinity"));
    assert!(differ("[1.0, 2.0]", "[1.0]") && differ("0.0", "1e-13"));
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
    for via in choices::all() {
        let options =
            Options { memory: 256 << 20, via, backend: Backend::Interp, ..Options::default() };
        expect_codes("failures", |name, text| {
            let mut program = Compiler::new(options)
                .compile(name, text)
                .unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
            // Only what records can record too much; others would run on.
            if via != Via::Tape && text.starts_with("-- expect: E0613") {
                program = Compiler::new(Options { via: Via::Tape, ..options })
                    .compile(name, text)
                    .expect("compiled before");
            }
            program.call("main", &[]).map(|_| ())
        });
    }
}
