//! The programs in `examples/whole` that run for a while: their tests pass in compiled code and in the
//! interpreter, each is short, is drawn, and has an oracle.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cotan::{Backend, Compiler, Options, Saying, Style, TestOutcome};

/// What a program of this kind may have at most: it is to be read in one go.
const LINES: usize = 60;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

/// Names and texts, in order.
fn programs() -> Vec<(String, String)> {
    let entries = fs::read_dir(examples().join("whole")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    let name = |it: &Path| it.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|it| (name(it), fs::read_to_string(it).unwrap())).collect()
}

fn all_tests_pass(backend: Backend) {
    let mut wrong = String::new();
    for (name, text) in programs() {
        let options = Options { backend, ..Options::default() };
        let mut program = Compiler::new(options).compile(&name, &text).unwrap();
        assert!(program.n_tests() > 0, "{name} has no tests");
        for index in 0..program.n_tests() {
            if let TestOutcome::Failed(report) = program.run_test(index).outcome {
                wrong += &format!("{name}: {}\n", report.render(Style::Plain));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn facts_hold_in_compiled_code() {
    all_tests_pass(Backend::Auto);
}

#[test]
fn facts_hold_in_the_interpreter() {
    all_tests_pass(Backend::Interp);
}

/// While they run, all of them say how far they are.
#[test]
fn each_reports() {
    for (name, text) in programs() {
        let mut program = Compiler::new(Options::default()).compile(&name, &text).unwrap();
        let heard = Arc::new(AtomicUsize::new(0));
        let count = heard.clone();
        program.stop_handle().set_listener(Arc::new(move |it| {
            assert_eq!(it.saying, Saying::Report);
            count.fetch_add(1, Ordering::Relaxed);
        }));
        program.call("main", &[]).unwrap();
        let n_reports = heard.load(Ordering::Relaxed);
        assert!((2..100).contains(&n_reports), "{name} reports {n_reports} times");
    }
}

#[test]
fn each_is_short_and_drawn_and_has_an_oracle() {
    for (name, text) in programs() {
        let lines = text.lines().count();
        assert!(lines <= LINES, "{name} has {lines} lines");
        assert!(text.contains("\nplot \""), "{name} has no plot");
        assert!(text.contains("\nimport std."), "{name} does without the standard library");
        let oracle = examples().join(format!("oracle/{name}.py"));
        assert!(oracle.exists(), "{name} has no oracle");
    }
}
