//! `bot` on all examples and programs: what it makes verifies and means the same.
//!
//! `UPDATE_EXPECT=1 cargo test -p cotan --test all bot::` rewrites the list.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use crate::common::sources;
use std::path::Path;
use std::sync::Arc;

use crate::common::first_order::{checked, entry, without_functions};
use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, RunError, Tolerance, Value};
use expect_test::expect;
use ir::{Block, ControlOp, Def, Dialect, Op, Program, walk};

/// The value of a definition, and how many operations it took.
fn run(program: &Program, def: &Name, precision: Precision) -> (Result<Vec<Value>, RunError>, u64) {
    let limits = Limits { memory: 1 << 30, precision, mode: Mode::Reverse };
    let program = Arc::new(program.clone());
    let mut evaluator = Evaluator::new(program, Box::new(NoDerivatives), limits);
    let result = evaluator.call(def, &[], Vec::new());
    (result, evaluator.cost().total())
}

/// How many statements a program has.
fn size(program: &Program) -> usize {
    fn block(it: &Block) -> usize {
        let inside = |op| walk::blocks(op).iter().map(|it| block(it.1)).sum::<usize>();
        it.stmts.iter().map(|stmt| 1 + inside(&stmt.op)).sum()
    }
    program.defs.values().map(|it| block(&it.body)).sum()
}

/// How many builds a program has.
fn builds(program: &Program) -> usize {
    fn block(it: &Block) -> usize {
        let inside = |op| walk::blocks(op).iter().map(|it| block(it.1)).sum::<usize>();
        let own = |op: &Op| usize::from(matches!(op, Op::Control(ControlOp::Build { .. })));
        it.stmts.iter().map(|stmt| own(&stmt.op) + inside(&stmt.op)).sum()
    }
    program.defs.values().map(|it| block(&it.body)).sum()
}

/// The definition without tuples and what `bot` makes of it, if it can be had: derivative operators
/// are not resolved here.
fn rewritten(name: &str, program: &Program, def: &Name) -> Option<(Program, Program)> {
    let flat = opt::flatten(&without_functions(program, def).ok()?, def).ok()?.program;
    let derivative = |it: &Def| it.body.to_string().contains("= derivative ");
    if flat.defs.values().any(|it| derivative(it)) {
        return None;
    }
    let after = opt::bot(&flat);
    if let Err(error) = ir::verify(&after, Dialect::Bulk) {
        panic!("{name}, {def}: {error}\n{flat}\n\n{after}");
    }
    assert_eq!(after.to_string().parse::<Program>().as_ref(), Ok(&after), "{name}, {def}");
    Some((flat, after))
}

/// A definition without parameters gives the same before and after `bot`: both programs and their work.
fn same_after(
    name: &str,
    program: &Program,
    def: &Name,
    precision: Precision,
) -> Option<([Program; 2], [u64; 2])> {
    let (flat, after) = rewritten(name, program, def)?;
    let (before, work) = run(&flat, def, precision);
    let (result, work_after) = run(&after, def, precision);
    compare(name, &before, &result, &after);
    Some(([flat, after], [work, work_after]))
}

fn compare(
    name: &str,
    before: &Result<Vec<Value>, RunError>,
    after: &Result<Vec<Value>, RunError>,
    program: &Program,
) {
    match (before, after) {
        (Ok(before), Ok(after)) => {
            let same = |(a, b): (&Value, &Value)| {
                eval::equal(a, b, Tolerance::Exact, &mut 0).is_ok_and(|it| it)
                    || format!("{a:?}") == format!("{b:?}")
            };
            let same = before.len() == after.len() && before.iter().zip(after).all(same);
            assert!(same, "{name}: before {before:?}\nafter {after:?}\n{program}");
        }
        (Err(before), Err(after)) => {
            // Of several positions that fail, another may be reported.
            let place = |it: &RunError| (std::mem::discriminant(&it.fault), it.span);
            assert_eq!(place(before), place(after), "{name}");
        }
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
            panic!("{name}: before {before:?}\nafter {after:?}\n{program}")
        }
    }
}

/// The folders of `tests/programs` whose programs check, and their precision.
const FOLDERS: [(&str, Precision); 7] = [
    ("failures", Precision::F64),
    ("hazards", Precision::F64),
    ("language", Precision::F64),
    ("peers", Precision::F64),
    ("prims", Precision::F64),
    ("reverse", Precision::F64),
    ("single", Precision::F32),
];

/// The programs of a folder.
fn programs(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(root)
        .expect("the folder is there")
        .map(|it| it.expect("readable").path())
        .filter(|it| it.extension().is_some_and(|it| it == "cot"))
        .collect();
    paths.sort();
    let name = |it: &Path| it.file_stem().expect("a file").to_string_lossy().into_owned();
    let read = |it: &Path| std::fs::read_to_string(it).expect("readable");
    paths.iter().map(|it| (format!("{folder}/{}", name(it)), read(it))).collect()
}

/// The value of the function of every example at its point, as a program without parameters.
#[test]
fn examples() {
    let mut report = String::new();
    for source in sources::examples() {
        let mut checked = checked(&source.text).expect("an example checks");
        let (function, at) = (source.header("function"), source.header("at"));
        let def = entry(&mut checked, &format!("({function})({at})"));
        let outcome = cotan::with_deep_stack(|| {
            same_after(&source.name, &checked.program, &def, Precision::F64)
        });
        let Some(([flat, after], work)) = outcome else { continue };
        assert!(
            work[1] <= 3 * work[0],
            "{}: {} operations, {} after",
            source.name,
            work[0],
            work[1]
        );
        let counts = [size(&flat), builds(&flat), size(&after), builds(&after)];
        let [before, builds, after, rest] = counts;
        let line = format!(
            "{before} statements, {builds} builds, {} operations; after {after}, {rest}, {}",
            work[0], work[1]
        );
        report += &format!("{}: {line}\n", source.name);
    }
    expect![[r#"
        attention: 70 statements, 11 builds, 978 operations; after 93, 0, 807
        black_scholes: 26 statements, 0 builds, 31 operations; after 26, 0, 31
        bundle_adjustment: 114 statements, 3 builds, 693 operations; after 197, 0, 890
        cholesky: 95 statements, 6 builds, 2434 operations; after 103, 1, 2467
        convolution: 40 statements, 5 builds, 2596 operations; after 58, 0, 2056
        expression_tree: 40 statements, 0 builds, 77 operations; after 40, 0, 77
        fixed_point: 20 statements, 0 builds, 155 operations; after 20, 0, 155
        gaussian_mixture: 149 statements, 8 builds, 1304 operations; after 225, 0, 1200
        hidden_markov: 57 statements, 6 builds, 606 operations; after 69, 0, 523
        histogram: 27 statements, 2 builds, 160 operations; after 27, 0, 106
        interpolation: 96 statements, 1 builds, 584 operations; after 204, 1, 845
        kalman: 68 statements, 5 builds, 1536 operations; after 65, 0, 1184
        kmeans: 30 statements, 2 builds, 423 operations; after 32, 0, 355
        logistic_regression: 45 statements, 3 builds, 227 operations; after 46, 0, 143
        lstm: 103 statements, 6 builds, 1303 operations; after 112, 0, 1275
        minimise: 15 statements, 1 builds, 14 operations; after 15, 0, 14
        monte_carlo: 47 statements, 3 builds, 1927 operations; after 53, 0, 1336
        neural_network: 52 statements, 6 builds, 710 operations; after 61, 0, 464
        newton_least_squares: 24 statements, 1 builds, 117 operations; after 30, 0, 60
        particles: 55 statements, 4 builds, 12205 operations; after 56, 0, 9143
        quaternion: 91 statements, 1 builds, 361 operations; after 153, 0, 288
        rk4: 70 statements, 2 builds, 2276 operations; after 66, 0, 2237
        robust_regression: 47 statements, 2 builds, 227 operations; after 63, 0, 160
        rotate_vec_by_quat: 36 statements, 0 builds, 50 operations; after 36, 0, 50
        throw: 28 statements, 0 builds, 7309 operations; after 28, 0, 7309
        tree_library: 25 statements, 0 builds, 122 operations; after 25, 0, 122
    "#]]
    .assert_eq(&report);
}

/// The tests of all programs and examples, each as a program.
#[test]
fn tests_of_programs() {
    let mut done = 0;
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0).into_iter().map(|p| (p, it.1)));
    let examples = sources::examples().into_iter().map(|it| ((it.name, it.text), Precision::F64));
    for ((name, text), precision) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for test in &checked.tests {
            let outcome = cotan::with_deep_stack(|| {
                same_after(&name, &checked.program, &test.def, precision)
            });
            done += usize::from(outcome.is_some());
        }
    }
    assert!(done >= 600, "only {done} tests are of first order");
}

/// The definitions of all programs and examples, each as an entry point with symbolic sizes.
#[test]
fn definitions() {
    let mut done = 0;
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0));
    let examples = sources::examples().into_iter().map(|it| (it.name, it.text));
    for (name, text) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for info in &checked.defs {
            let outcome = cotan::with_deep_stack(|| rewritten(&name, &checked.program, &info.name));
            done += usize::from(outcome.is_some());
        }
    }
    assert!(done >= 550, "only {done} definitions are of first order");
}
