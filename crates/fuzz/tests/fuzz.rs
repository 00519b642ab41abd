//! Fuzzing inside the tests: seeded, deterministic, bounded by a number of rounds that takes
//! about half a minute of one core in all; the program `fuzz` does more. Any input must give a
//! result or diagnostics: no panic, no hang, no overflow. A failure prints the seed and the input.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test reads files, and a panic is its way to fail"
)]

#[path = "../../cotan/tests/common/methods.rs"]
mod methods;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;

use base::{Diagnostic, FileId};
use cotan::{Backend, Compiler, Options, Precision, Style};
use fuzz::agree::Explanation;
use fuzz::case::Case;
use fuzz::corpus::Corpus;
use fuzz::target::{self, Asked, Kind};
use fuzz::{make, mutate, typed};
use generate::Random;
use testing::sanitizer::{Sanitizers, clean};

/// Rounds of each target: in all about half a minute of one core in the dev profile.
const PARSER_ROUNDS: u64 = 40_000;
const CHECKER_ROUNDS: u64 = 5_000;
const TYPED_ROUNDS: u64 = 200;
const METHODS_ROUNDS: u64 = 100;
const NPY_ROUNDS: u64 = 2_000_000;

/// Runs `target` on inputs made from seeds `0..rounds`; a panic is reported with its input.
fn fuzz<I>(
    rounds: u64,
    mut make: impl FnMut(&mut Random) -> I,
    show: impl Fn(&I) -> String,
    target: impl Fn(&I),
) {
    for seed in 0..rounds {
        let input = make(&mut Random::new(seed));
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| target(&input)));
        assert!(outcome.is_ok(), "seed {seed}:\n{}", show(&input));
    }
}

/// Labels lie in the text and between characters, and titles say something.
fn diagnostics_are_sound(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.title.is_empty());
        for label in diagnostic.labels.iter().filter(|it| it.span.file == FileId(0)) {
            assert!(text.get(label.span.range()).is_some(), "{diagnostic:?}");
        }
    }
}

#[test]
fn any_text_parses_and_formats() {
    let corpus = Corpus::read();
    fuzz(
        PARSER_ROUNDS,
        |random| make::any_text(random, &corpus),
        String::clone,
        |text| {
            let (_, diagnostics) = syntax::parse(FileId(0), text);
            diagnostics_are_sound(text, &diagnostics);
            match cotan::format("fuzz.cot", text) {
                Ok(once) => {
                    assert!(diagnostics.is_empty(), "a wrong program was formatted");
                    let twice = cotan::format("fuzz.cot", &once).expect("formatted text parses");
                    assert_eq!(once, twice, "formatting is idempotent");
                }
                Err(report) => assert!(!report.is_empty()),
            }
        },
    );
}

#[test]
fn any_text_checks() {
    let corpus = Corpus::read();
    let compiler = Compiler::new(Options::default());
    fuzz(
        CHECKER_ROUNDS,
        |random| make::any_text(random, &corpus),
        String::clone,
        |text| {
            if let Err(report) = compiler.compile("fuzz.cot", text) {
                assert!(!report.codes().is_empty(), "refused without an error");
                assert!(report.render(Style::Plain).contains(report.codes()[0]));
            }
        },
    );
}

/// The value of `f` and its derivatives forward (gradient, directional derivative, derivative of
/// the gradient along a direction), and the same by central differences with two steps.
const LAWS: &str = r"{
  let at = [0.3, -0.7, 1.1];
  let dx = [0.6, -0.4, 0.9];
  let unit = \i => build k < 3 => if k == i then 1.0 else 0.0;
  let differences = \h => (
    f(at),
    build i < 3 => (f(at + h * unit(i)) - f(at - h * unit(i))) / (2.0 * h),
    (f(at + h * dx) - f(at - h * dx)) / (2.0 * h),
    (grad(f)(at + h * dx) - grad(f)(at - h * dx)) / (2.0 * h));
  let (value, gradient) = value_and_grad(f)(at);
  ((value, gradient, jvp(f)(at, dx), hvp(f)(at, dx)), differences(1e-5), differences(2e-5))
}";

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|it: char| "()[], ".contains(it)).filter(|it| !it.is_empty());
    words.map(|it| it.replace("infinity", "inf").parse().expect("a number")).collect()
}

#[test]
fn well_typed_functions_have_the_right_derivatives() {
    let compiler = Compiler::new(Options {
        memory: 256 << 20,
        backend: Backend::Interp,
        ..Options::default()
    });
    let compared = std::cell::Cell::new(0);
    fuzz(TYPED_ROUNDS, typed::function, String::clone, |text| {
        let plain = |report: cotan::Report| report.render(Style::Plain);
        let mut program = compiler.compile("fuzz.cot", text).map_err(plain).unwrap();
        let answer = program.eval(LAWS, &[]).map_err(plain).unwrap().to_text();
        let all = numbers(&answer);
        for (forward, (near, far)) in all[..8].iter().zip(all[8..16].iter().zip(&all[16..])) {
            // Where the two steps disagree, the function is too steep for differences.
            let tolerance = 1e-4 * (1.0 + forward.abs());
            if (near - far).abs() < 0.1 * tolerance {
                assert!((forward - near).abs() < tolerance, "{forward} and {near} in {answer}");
                compared.set(compared.get() + 1);
            }
        }
    });
    let most = 8 * TYPED_ROUNDS;
    assert!(compared.get() > most / 2, "only {} of {most} comparisons", compared.get());
}

/// Derivatives of `f` of all kinds, in a direction and at a point that `LAWS` has, too.
const DERIVATIVES: [&str; 6] = [
    "value_and_grad(f)([0.3, -0.7, 1.1])",
    "jvp(f)([0.3, -0.7, 1.1], [0.6, -0.4, 0.9])",
    "vjp(\\x => (f(x), x * f(x)))([0.3, -0.7, 1.1])((1.0, [0.6, -0.4, 0.9]))",
    "hvp(f)([0.3, -0.7, 1.1], [0.6, -0.4, 0.9])",
    "grad(\\x => jvp(f)(x, [0.6, -0.4, 0.9]))([0.3, -0.7, 1.1])",
    "hessian(f)([0.3, -0.7, 1.1])",
];

#[test]
fn methods_agree_on_well_typed_functions() {
    let questions = DERIVATIVES.map(str::to_string);
    fuzz(METHODS_ROUNDS, typed::function, String::clone, |text| {
        let wrong = methods::disagreements("fuzz.cot", text, Precision::F64, &questions);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn any_bytes_are_an_array_or_an_error() {
    fuzz(
        NPY_ROUNDS,
        mutate::npy,
        |bytes| format!("{bytes:?}"),
        |bytes| {
            if let Ok(array) = array::read(bytes) {
                let again = array::read(&array::write(&array)).expect("what we write we read");
                assert_eq!(again.shape, array.shape);
                assert_eq!(again.data.len(), array.data.len());
            }
        },
    );
}

#[test]
fn the_same_seed_gives_the_same_input() {
    let corpus = Corpus::read();
    for seed in 0..100 {
        let text = |seed| make::any_text(&mut Random::new(seed), &corpus);
        assert_eq!(text(seed), text(seed));
    }
}

/// Inputs whose compiled code is checked with `COTAN_SANITIZE=all`, most of them of eight programs each.
const SANITIZED_ALL: u64 = 32;

/// Inputs that are tried otherwise until one is compiled: what takes too long is left alone.
const SANITIZED_TRIES: u64 = 8;

/// The worker of the fuzz program compiles drafts and fast code, and compares them with the interpreter.
/// `COTAN_SANITIZE_SEED=N` gives other inputs.
#[test]
fn compiled_code_is_clean() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanitize");
    let Some(sanitizers) = Sanitizers::find(&folder) else { return };
    let seed = std::env::var("COTAN_SANITIZE_SEED").unwrap_or("16".to_string());
    let compiled = |from: u64, to: u64| -> u64 {
        let mut command = sanitizers.command(env!("CARGO_BIN_EXE_fuzz"), "fuzz");
        command.args(["--worker", "compile", &seed, &from.to_string(), &to.to_string()]);
        command.args([folder.join("finds"), folder.join("current.cot")]);
        let (status, said) = clean(command, &format!("COTAN_SANITIZE_SEED={seed}"));
        assert_eq!(status, Some(0), "{said}");
        assert!(!said.contains("\nfind "), "{said}");
        let compiled =
            said.lines().find_map(|it| it.strip_prefix("tally ")?.strip_suffix(" compiled"));
        compiled.map_or(0, |it| it.parse().unwrap())
    };
    if std::env::var("COTAN_SANITIZE").is_ok_and(|it| it == "all") {
        assert!(compiled(0, SANITIZED_ALL) >= SANITIZED_ALL);
    } else {
        assert!((0..SANITIZED_TRIES).any(|at| compiled(at, at + 1) > 0), "nothing was compiled");
    }
}

/// A second derivative by a clause that is none of its body is explained; the same difference by one that is, or
/// in a first derivative, is a find.
#[test]
fn a_clause_explains_what_is_not_symmetric() {
    let verdict = |clause: &str, ask: &str, found: &str| {
        let text = format!("def times(x: Real, y: Real): Real = x * y\n{clause}");
        let case = Case::of_text(text);
        let reference = target::ask_within(&case, ask);
        let found = Asked::Value(found.to_owned());
        target::compare(&case, ask, "test", &reference, &found, &mut BTreeMap::default())
    };
    let second = "hvp(times)((2.0, 7.0), (1.0, 10.0))";
    let none = "with vjp(x, y, dr) = (3.0 * y * dr, 5.0 * x * dr)";
    let right = "with vjp(x, y, dr) = (y * dr, x * dr)";
    assert_eq!(verdict(none, second, "(50.0, 3.0)").ok(), Some(Some(Explanation::Clause)));
    assert!(verdict(right, second, "(50.0, 3.0)").is_err());
    assert!(verdict(none, "grad(times)(2.0, 7.0)", "(50.0, 3.0)").is_err());
    assert_eq!(verdict(right, second, "(10.0, 1.0)").ok(), Some(None));
}

/// What cancels to the last bit however literals change, and takes a smaller number with it, is rounding: the
/// derivative of `1e40 * (a / a)` is nothing, and no other method need find exactly that.
#[test]
fn rounding_that_no_literal_shows_is_explained() {
    let verdict = |text: &str, found: &str| {
        let case = Case::of_text(text.to_owned());
        let ask = "hessian(f)(1.4142813723284955)";
        let reference = target::ask_within(&case, ask);
        let found = Asked::Value(found.to_owned());
        target::compare(&case, ask, "test", &reference, &found, &mut BTreeMap::default())
    };
    let heron = "def f(a: Real): Real = iterate(5, \\x => 1e8 * (x + a / x), a)";
    let right = "-1.4212364757144756e23";
    assert_eq!(verdict(heron, right).ok(), Some(Some(Explanation::Rounding)));
    assert!(verdict(heron, "-1.4212364757144756e33").is_err());
    assert!(verdict("def f(a: Real): Real = a * a * a", "8.4").is_err());
}

/// A choice that a thousand steps of rounding may turn is explained, one that they may not is a find.
#[test]
fn a_choice_by_rounding_is_explained() {
    let verdict = |bound: &str, found: &str| {
        let text = "def f(x: Real): Real = iterate(1000, \\y => y + 0.001 * y * x, 1.0)";
        let case = Case { precision: Precision::F32, ..Case::of_text(text.to_owned()) };
        // The limit is e; in these steps it is 2.7169239...
        let ask = format!("f(1.0) < {bound}");
        let reference = target::ask_within(&case, &ask);
        let found = Asked::Value(found.to_owned());
        target::compare(&case, &ask, "test", &reference, &found, &mut BTreeMap::default())
    };
    let near = verdict("2.7168", "true").ok().zip(verdict("2.7168", "false").ok());
    assert!(matches!(near, Some((None, Some(_)) | (Some(_), None))), "{near:?}");
    assert!(verdict("2.8", "false").is_err());
}

/// A choice by a derivative that is not finite may go either way; by one that is, or without derivatives, another
/// structure is a find.
#[test]
fn an_infinite_derivative_explains_a_choice() {
    let verdict = |ask: &str, found: &str| {
        let case = Case::of_text("def f(x: Real): Real = x * x".to_owned());
        let reference = target::ask_within(&case, ask);
        let found = Asked::Value(found.to_owned());
        target::compare(&case, ask, "test", &reference, &found, &mut BTreeMap::default())
    };
    let chosen = "{ let d = grad(f)(infinity); (d, if d < 1.0 then 1 else 2) }";
    assert_eq!(verdict(chosen, "(infinity, 2)").ok(), Some(None));
    assert_eq!(verdict(chosen, "(nan, 1)").ok(), Some(Some(Explanation::Infinite)));
    assert!(verdict(chosen, "(infinity, 1)").is_err());
    assert!(
        verdict("{ let d = grad(f)(2.0); (d, if d < 1.0 then 1 else 2) }", "(4.0, 1)").is_err()
    );
    assert!(verdict("(infinity, 2)", "(nan, 1)").is_err());
}

/// The second derivative of a long straight line is nothing, and the reference runs nothing for it. The tape does,
/// and may take longer than it has; as long as forward mode takes long, too, that is explained.
#[test]
fn work_that_nobody_needs_is_explained() {
    let text = "def f(x: Real): Real = iterate(1000, \\p => iterate(1000, \\p => p - 0.5, x), x)";
    let asks = vec!["hessian(f)(0.8)".to_owned()];
    let case = Case { asks, ..Case::of_text(text.to_owned()) };
    let mut tally = BTreeMap::default();
    let found = target::run(Kind::Evaluate, &case, &mut tally);
    assert!(found.is_ok(), "{:?}", found.err().map(|it| it.symptom));
    assert!(tally.keys().any(|it| it.contains("work that nobody needs")), "{tally:?}");
}
