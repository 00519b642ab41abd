//! All examples and the tests of all programs, after `specialise` and `flatten`.

use std::path::Path;
use std::sync::Arc;

use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, RunError, Value};
use expect_test::expect;
use ir::{Dialect, Program};
use opt::Exactness;

use crate::common::first_order::{checked, entry, without_functions};
use crate::common::sources;

/// Simplifies what a definition without parameters specialises to: it verifies, gives the same, and does
/// not get smaller when done again. How large it was and is, or nothing if it does not specialise.
fn same_after(
    name: &str,
    program: &Program,
    def: &Name,
    precision: Precision,
) -> Option<[usize; 2]> {
    let flat = opt::flatten(&without_functions(program, def).ok()?, def).ok()?.program;
    let entries = [def.clone()];
    for exactness in [Exactness::Bits, Exactness::UpToRounding] {
        let after = opt::simplify(&flat, &entries, exactness);
        if let Err(error) = ir::verify(&after, Dialect::FirstOrder) {
            panic!("{name}, {def}: {error}\n{flat}\n\n{after}");
        }
        // Derivatives of definitions are not run but replaced.
        if exactness == Exactness::Bits && !flat.to_string().contains("= derivative ") {
            let outcome = |it: &Program| show(&run(it, def, precision));
            assert_eq!(outcome(&flat), outcome(&after), "{name}\n{flat}\n\n{after}");
        }
    }
    let after = opt::simplify(&flat, &entries, Exactness::Bits);
    Some([opt::n_statements(&flat), opt::n_statements(&after)])
}

fn run(program: &Program, def: &Name, precision: Precision) -> Result<Vec<Value>, RunError> {
    let limits = Limits { memory: 1 << 30, precision, mode: Mode::Reverse };
    Evaluator::new(Arc::new(program.clone()), Box::new(NoDerivatives), limits).call(
        def,
        &[],
        Vec::new(),
    )
}

fn show(outcome: &Result<Vec<Value>, RunError>) -> String {
    match outcome {
        Ok(values) => format!("{values:?}").replace("-NaN", "NaN"),
        Err(error) => format!("{:?} at {:?}", error.fault, error.span),
    }
}

/// The value of the function of every example at its point.
#[test]
fn examples() {
    let mut report = String::new();
    for source in sources::examples() {
        let mut checked = checked(&source.text).expect("an example checks");
        let (function, at) = (source.header("function"), source.header("at"));
        let def = entry(&mut checked, &format!("({function})({at})"));
        let sizes = cotan::with_deep_stack(|| {
            same_after(&source.name, &checked.program, &def, Precision::F64)
        });
        if let Some([before, after]) = sizes {
            report += &format!("{}: {before} statements, {after} simplified\n", source.name);
        }
    }
    expect![[r#"
        attention: 70 statements, 61 simplified
        black_scholes: 26 statements, 22 simplified
        bundle_adjustment: 114 statements, 97 simplified
        cholesky: 95 statements, 73 simplified
        convolution: 40 statements, 33 simplified
        expression_tree: 40 statements, 38 simplified
        fixed_point: 20 statements, 15 simplified
        gaussian_mixture: 149 statements, 110 simplified
        hidden_markov: 57 statements, 45 simplified
        histogram: 27 statements, 21 simplified
        interpolation: 96 statements, 76 simplified
        kalman: 68 statements, 53 simplified
        kmeans: 30 statements, 26 simplified
        logistic_regression: 45 statements, 34 simplified
        lstm: 103 statements, 86 simplified
        minimise: 15 statements, 13 simplified
        monte_carlo: 47 statements, 32 simplified
        neural_network: 52 statements, 39 simplified
        newton_least_squares: 24 statements, 13 simplified
        newton_root: 12 statements, 10 simplified
        particles: 55 statements, 45 simplified
        pendulum: 79 statements, 56 simplified
        quaternion: 91 statements, 78 simplified
        rk4: 70 statements, 54 simplified
        robust_regression: 47 statements, 22 simplified
        rotate_vec_by_quat: 36 statements, 21 simplified
        throw: 28 statements, 26 simplified
        tree_library: 25 statements, 21 simplified
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

/// The tests of all programs and examples, each as a program.
#[test]
fn tests_of_programs() {
    let mut count = 0;
    let mut total = [0, 0];
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0).into_iter().map(|p| (p, it.1)));
    let examples = sources::examples().into_iter().map(|it| ((it.name, it.text), Precision::F64));
    for ((name, text), precision) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for test in &checked.tests {
            let sizes = cotan::with_deep_stack(|| {
                same_after(&name, &checked.program, &test.def, precision)
            });
            let Some([before, after]) = sizes else { continue };
            count += 1;
            total = [total[0] + before, total[1] + after];
        }
    }
    assert!(count >= 600, "only {count} tests specialise");
    assert!(total[1] < total[0], "{} statements were {}", total[1], total[0]);
}

/// The definitions of all programs and examples, with symbolic sizes: what comes out verifies.
#[test]
fn definitions() {
    let mut count = 0;
    let folders = FOLDERS.iter().flat_map(|it| programs(it.0));
    let examples = sources::examples().into_iter().map(|it| (it.name, it.text));
    for (name, text) in folders.chain(examples) {
        let Some(checked) = checked(&text) else { continue };
        for info in &checked.defs {
            cotan::with_deep_stack(|| {
                let Ok(special) = without_functions(&checked.program, &info.name) else { return };
                let Ok(flat) = opt::flatten(&special, &info.name) else { return };
                let entries = [info.name.clone()];
                let after = opt::simplify(&flat.program, &entries, Exactness::UpToRounding);
                if let Err(error) = ir::verify(&after, Dialect::FirstOrder) {
                    panic!("{name}, {}: {error}\n{}\n\n{after}", info.name, flat.program);
                }
                count += 1;
            });
        }
    }
    assert!(count >= 550, "only {count} definitions specialise");
}
