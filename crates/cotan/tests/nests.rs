//! Loop nests mean what programs mean: every test of every shipped program holds when they are run as they
//! are, before any C is written. Their text is read back.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a panic is the way of a test to fail; programs are files"
)]

use std::fs;
use std::path::{Path, PathBuf};

use cotan::dev::nests_of_test;
use cotan::{Compiler, Options};
use loop_eval::{Ended, Input, Limits, Value};

/// Nodes that a test may run; what takes more is left to compiled code.
const NODES: u64 = 200_000;

/// Programs whose tests hold.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples", "tests/programs/language", "tests/programs/bulk"];
    let more = ["tests/programs/reverse", "tests/programs/peers", "tests/programs/hazards"];
    let files = folders.into_iter().chain(more).flat_map(|it| fs::read_dir(root.join(it)).unwrap());
    let mut files: Vec<PathBuf> = files.map(|it| it.unwrap().path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "cot"));
    files.sort();
    files
}

/// A list that is deep is freed from one box to the next.
const STACK: usize = 256 << 20;

fn on_large_stack(f: impl FnOnce() -> usize + Send) -> usize {
    let thread = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| thread.spawn_scoped(scope, f).unwrap().join().unwrap())
}

/// How many tests ran to their end.
fn hold(arranged: bool) -> usize {
    let mut ran = 0;
    // A draft is the same nests with less done to them: fewer programs show that.
    let each = if std::env::var("COTAN_NESTS").is_ok_and(|it| it == "all") { 1 } else { 2 };
    for path in programs().into_iter().step_by(if arranged { each } else { 2 * each }) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let compiled = Compiler::new(Options::default()).compile(&name, &text).unwrap();
        for index in 0..compiled.n_tests() {
            let Some(module) = nests_of_test(&compiled, index, arranged) else { continue };
            assert_eq!(loops::verify(&module), Ok(()), "{name}, test {index}");
            let read = loops::parse(&module.text()).unwrap();
            assert_eq!(format!("{read:?}"), format!("{module:?}"), "{name}, test {index}");
            let limits = Limits { nodes: NODES, ..Limits::default() };
            match loop_eval::run(&module, 0, &[], limits) {
                Ok(outcome) => {
                    let holds = matches!(outcome.results[..], [Input::Scalar(Value::Bool(true))]);
                    assert!(holds, "{name}, test {index}: {outcome:?}\n{module}");
                    ran += 1;
                }
                Err(Ended::Long | Ended::Deep) => {}
                Err(other) => panic!("{name}, test {index}: {other:?}\n{module}"),
            }
        }
    }
    ran
}

#[test]
fn as_fast_code_has_them() {
    let ran = on_large_stack(|| hold(true));
    assert!(ran > 500, "only {ran} tests ran to their end");
}

#[test]
fn as_drafts_have_them() {
    let ran = on_large_stack(|| hold(false));
    assert!(ran > 250, "only {ran} tests ran to their end");
}
