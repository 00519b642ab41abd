//! `specialise`, and after it `defunctionalise` and `flatten`, on all examples and programs: what they make verifies and
//! means the same, and what they refuse is listed.
//!
//! `UPDATE_EXPECT=1 cargo test -p cotan --test all specialise::` rewrites the lists.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use crate::common::sources;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::common::first_order::{PROGRAM, checked, entry};
use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, RunError, Tolerance, Value};
use expect_test::expect;
use ir::{Block, DeriveOp, Dialect, Op, Program, walk};

fn run(program: &Program, def: &Name, precision: Precision) -> Result<Vec<Value>, RunError> {
    let limits = Limits { memory: 1 << 30, precision, mode: Mode::Reverse };
    let program = Arc::new(program.clone());
    Evaluator::new(program, Box::new(NoDerivatives), limits).call(def, &[], Vec::new())
}

/// The text of the program that is refused.
fn excerpt<'a>(text: &'a str, refusal: &opt::Refusal) -> &'a str {
    match refusal.span {
        Some(span) if span.file == PROGRAM => &text[span.range()],
        Some(_) | None => "an unknown place",
    }
}

/// How many statements a program has.
fn size(program: &Program) -> usize {
    fn block(it: &Block) -> usize {
        let inside = |op| walk::blocks(op).iter().map(|it| block(it.1)).sum::<usize>();
        it.stmts.iter().map(|stmt| 1 + inside(&stmt.op)).sum()
    }
    program.defs.values().map(|it| block(&it.body)).sum()
}

/// Specialises a definition and verifies the result.
fn specialised(
    name: &str,
    program: &Program,
    def: &Name,
) -> Result<(Program, Program), opt::Refusal> {
    let left = opt::specialise(program, def)?;
    if let Err(error) = ir::verify(&left, Dialect::Monomorphic) {
        panic!("{name}, {def}: {error}\n{left}");
    }
    let result = opt::defunctionalise(&left)?;
    if let Err(error) = ir::verify(&result, Dialect::FirstOrder) {
        panic!("{name}, {def}: {error}\n{left}\n\n{result}");
    }
    let flat = opt::flatten(&result, def)?.program;
    if let Err(error) = ir::verify(&flat, Dialect::FirstOrder) {
        panic!("{name}, {def}: {error}\n{result}\n\n{flat}");
    }
    let tuples = flat.to_string().lines().filter(|it| is_tuple(it)).count();
    assert_eq!(tuples, 0, "{name}, {def}: {flat}");
    Ok((result, flat))
}

/// Whether a line of the text makes or takes apart a tuple, other than the empty one.
fn is_tuple(line: &str) -> bool {
    line.contains("= proj ") || line.contains("= tuple ") && !line.contains("= tuple ()")
}

/// Specialises a definition without parameters, which gives the same before and after; how large
/// the results are.
fn same_after(
    name: &str,
    program: &Program,
    def: &Name,
    precision: Precision,
) -> Result<[usize; 3], opt::Refusal> {
    let (result, flat) = specialised(name, program, def)?;
    let sizes = [result.defs.len(), size(&result), size(&flat)];
    // Without the method that comes after, derivative operators of definitions do not run.
    if result.defs.values().any(|it| has_derivative(&it.body)) {
        return Ok(sizes);
    }
    let before = run(program, def, precision);
    compare(name, &before, &run(&result, def, precision), &result);
    let leaves = before.map(|it| it.into_iter().flat_map(leaves).collect());
    compare(name, &leaves, &run(&flat, def, precision), &flat);
    Ok(sizes)
}

fn has_derivative(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_derivative(it.1));
    block
        .stmts
        .iter()
        .any(|it| matches!(it.op, Op::Derive(DeriveOp::OfDefinition { .. })) || inside(&it.op))
}

/// The parts of tuples.
fn leaves(value: Value) -> Vec<Value> {
    if let Value::Tuple(parts) = &value
        && !parts.is_empty()
    {
        return parts.iter().cloned().flat_map(leaves).collect();
    }
    vec![value]
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
            let place = |it: &RunError| (it.fault.clone(), it.span);
            assert_eq!(place(before), place(after), "{name}");
        }
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
            panic!("{name}: before {before:?}\nafter {after:?}\n{program}")
        }
    }
}

/// The value of the function of every example at its point, as a program without parameters.
#[test]
fn examples() {
    let mut report = String::new();
    for source in sources::examples() {
        let mut checked = checked(&source.text).expect("an example checks");
        let (function, at) = (source.header("function"), source.header("at"));
        let def = entry(&mut checked, &format!("({function})({at})"));
        let line = cotan::with_deep_stack(|| {
            match same_after(&source.name, &checked.program, &def, Precision::F64) {
                Ok([defs, before, flat]) => {
                    format!("{defs} definitions, {before} statements, {flat} without tuples")
                }
                Err(refusal) => {
                    format!("refused: {refusal} in {}", excerpt(&source.text, &refusal))
                }
            }
        });
        report += &format!("{}: {line}\n", source.name);
    }
    expect![[r#"
        attention: 11 definitions, 70 statements, 70 without tuples
        black_scholes: 3 definitions, 26 statements, 26 without tuples
        bundle_adjustment: 12 definitions, 121 statements, 114 without tuples
        cholesky: 13 definitions, 99 statements, 95 without tuples
        convolution: 7 definitions, 40 statements, 40 without tuples
        expression_tree: 4 definitions, 44 statements, 40 without tuples
        fixed_point: 3 definitions, 28 statements, 20 without tuples
        gaussian_mixture: 18 definitions, 149 statements, 149 without tuples
        hidden_markov: 12 definitions, 65 statements, 57 without tuples
        histogram: 6 definitions, 27 statements, 27 without tuples
        interpolation: 11 definitions, 124 statements, 96 without tuples
        kalman: 12 definitions, 89 statements, 68 without tuples
        kmeans: 5 definitions, 30 statements, 30 without tuples
        logistic_regression: 9 definitions, 45 statements, 45 without tuples
        lstm: 11 definitions, 120 statements, 103 without tuples
        minimise: 2 definitions, 15 statements, 15 without tuples
        monte_carlo: 8 definitions, 47 statements, 47 without tuples
        neural_network: 9 definitions, 62 statements, 52 without tuples
        newton_least_squares: 7 definitions, 24 statements, 24 without tuples
        newton_root: 4 definitions, 12 statements, 12 without tuples
        particles: 11 definitions, 64 statements, 55 without tuples
        pendulum: 14 definitions, 87 statements, 79 without tuples
        quaternion: 11 definitions, 157 statements, 91 without tuples
        rk4: 10 definitions, 70 statements, 70 without tuples
        robust_regression: 9 definitions, 47 statements, 47 without tuples
        rotate_vec_by_quat: 9 definitions, 74 statements, 36 without tuples
        throw: 3 definitions, 47 statements, 28 without tuples
        tree_library: 6 definitions, 25 statements, 25 without tuples
    "#]]
    .assert_eq(&report);
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

/// The tests of all programs and examples, each as a program: how many specialise, and what
/// stands in the way of the others.
#[test]
fn tests_of_programs() {
    let mut report = String::new();
    let mut specialised = 0;
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0).into_iter().map(|p| (p, it.1)));
    let examples = sources::examples().into_iter().map(|it| ((it.name, it.text), Precision::F64));
    for ((name, text), precision) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for test in &checked.tests {
            let outcome = cotan::with_deep_stack(|| {
                same_after(&name, &checked.program, &test.def, precision)
            });
            match outcome {
                Ok(_) => specialised += 1,
                Err(it) => others.entry(it.to_string()).or_default().push(name.clone()),
            }
        }
    }
    assert!(specialised >= 600, "only {specialised} tests specialise");
    for (reason, mut names) in others {
        let count = names.len();
        names.dedup();
        report += &format!("{count} refused: {reason}\n  {}\n", names.join(", "));
    }
    expect![[r#"
        1 refused: types or functions nest too deep
          reverse/recursion
    "#]]
    .assert_eq(&report);
}

/// The definitions of all programs and examples that take and give no functions, each as an entry
/// point with symbolic sizes.
#[test]
fn definitions() {
    let mut report = String::new();
    let mut done = 0;
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0));
    let examples = sources::examples().into_iter().map(|it| (it.name, it.text));
    for (name, text) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for info in &checked.defs {
            let outcome =
                cotan::with_deep_stack(|| specialised(&name, &checked.program, &info.name));
            match outcome.map_err(|it| it.reason) {
                Ok(_) => done += 1,
                Err(opt::Reason::FunctionAtEntry(_) | opt::Reason::PolymorphicEntry(_)) => {}
                Err(it) => {
                    let at = format!("{name}: {}", info.name);
                    others.entry(it.to_string()).or_default().push(at);
                }
            }
        }
    }
    assert!(done >= 550, "only {done} definitions specialise");
    for (reason, names) in others {
        report += &format!("{} refused: {reason}\n  {}\n", names.len(), names.join(", "));
    }
    expect![[r#"
        1 refused: sizes are lost: (Real) -> Real cannot be compared with (Real) -> Real
          failures/compare_functions: main
    "#]]
    .assert_eq(&report);
}
