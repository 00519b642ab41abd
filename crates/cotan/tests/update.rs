//! `xs with [i] = v` in a loop: what a write takes does not depend on how long the array is. Bytes are counted where
//! loop nests are run as they are.
//!
//! The facts are closed forms.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::dev::nests_of_test;
use cotan::{Backend, Compiler, Effort, Options, Precision, TestOutcome};
use loop_eval::{Input, Limits, Value};

/// `WRITES` steps on arrays of `LENGTH` elements.
const TEXT: &str = r"
def zeros: [LENGTH]Real = build i < LENGTH => 0.0
def steps: [WRITES]Int = build i < WRITES => i

def counted: Real = {
  let xs = fold(\xs, i => xs with [i % LENGTH] = xs[(i + 1) % LENGTH] + 1.0, zeros, steps);
  xs[WRITES - 1]
}

def overwritten: Real = iterate(WRITES, \xs => xs with [3] = xs[3] + 1.0, zeros)[3]

def until: Real = {
  let (xs, _) = while(\(_, i) => i < WRITES, \(xs, i) => (xs with [i] = 2.0 * real(i), i + 1), (zeros, 0));
  xs[WRITES - 1]
}

type Two = { left: [LENGTH]Real, right: [LENGTH]Real }

def in_record: Real = {
  let step = \s, i => Two {
    left: s.left with [i] = s.right[5] + 1.0,
    right: s.right with [5] = s.left[5] + 1.0 with [6] = 0.5
  };
  let two = fold(step, Two { left: zeros, right: zeros }, steps);
  two.left[WRITES - 1] + two.right[6]
}

def in_arms: Real = {
  let step = \xs, i => if i % 2 == 0 then xs with [i] = 1.0 else xs with [0] = xs[0] + 1.0;
  fold(step, zeros, steps)[0]
}

def table: [LENGTH][20]Real = build i < LENGTH, j < 20 => 1.0

def of_elements: Real =
  fold(\m, i => m with [i, 2] = m[(i + LENGTH - 1) % LENGTH, 2] + 1.0, table, steps)[WRITES - 1, 2]

def of_rows: Real = {
  let row = \m, i => build j < 20 => m[(i + LENGTH - 1) % LENGTH, j] + 1.0;
  fold(\m, i => m with [i] = row(m, i), table, steps)[WRITES - 1, 1]
}

def swapped: Real = {
  let step = \(xs, ys), i => (ys, xs with [7] = xs[7] + 1.0);
  let (xs, ys) = fold(step, (build i < 8 => 0.0, build i < 8 => 10.0), steps);
  xs[7] + ys[7]
}

-- The old value is read behind the write: that needs a copy, and is right.
def both: Real = {
  let step = \xs, i => { let ys = xs with [i] = 1.0; ys with [2] = sum(xs) + ys[i] };
  fold(step, build i < 8 => 0.0, build i < 3 => i)[2]
}

def chain(x: Real): Real =
  fold(\xs, i => xs with [i + 1] = x * xs[i], zeros with [0] = 1.0, steps)[WRITES]

def outside(xs: [LENGTH]Real): Real =
  fold(\ys, i => ys with [i] = ys[i] * ys[i + 1], xs, steps)[0]

def by_rows(x: Real): Real = {
  let row = \m, i => build j < 20 => x * m[(i + LENGTH - 1) % LENGTH, j];
  fold(\m, i => m with [i] = row(m, i), table, steps)[WRITES - 1, 1]
}

def by_elements(x: Real): Real =
  fold(\m, i => m with [i + 1, 2] = x * m[i, 2], table, steps)[WRITES, 2]

";

/// What is computed, and the closed form of it.
const FACTS: &[(&str, &str)] = &[
    ("counted", "1.0"),
    ("overwritten", "real(WRITES)"),
    ("until", "2.0 * real(WRITES - 1)"),
    ("of_elements", "real(WRITES + 1)"),
    ("of_rows", "real(WRITES + 1)"),
    ("in_arms", "real(WRITES / 2 + 1)"),
    ("chain(1.01)", "1.01 ** real(WRITES)"),
];

/// The same of derivatives, whose cost is not asked for.
const DERIVATIVES: &[(&str, &str)] = &[
    ("grad(chain)(1.01)", "real(WRITES) * 1.01 ** real(WRITES - 1)"),
    ("jvp(chain)(1.01, 1.0)", "real(WRITES) * 1.01 ** real(WRITES - 1)"),
    ("grad(grad(chain))(1.01)", "real(WRITES) * real(WRITES - 1) * 1.01 ** real(WRITES - 2)"),
    ("by_rows(1.01)", "1.01 ** real(WRITES)"),
    ("grad(by_rows)(1.01)", "real(WRITES) * 1.01 ** real(WRITES - 1)"),
    ("grad(by_elements)(1.01)", "real(WRITES) * 1.01 ** real(WRITES - 1)"),
    ("grad(outside)(build i < LENGTH => 1.0)[1]", "1.0"),
];

fn program(value: &str, fact: &str, writes: u64, length: u64) -> String {
    let text = format!("{TEXT}test \"it\" = {value} ~= {fact}\n");
    text.replace("WRITES", &writes.to_string()).replace("LENGTH", &length.to_string())
}

/// The bytes that a test reads and writes.
fn moved(value: &str, fact: &str, writes: u64, length: u64) -> u64 {
    let text = program(value, fact, writes, length);
    let compiled = Compiler::new(Options::default()).compile("writes.cot", &text).unwrap();
    let module = nests_of_test(&compiled, 0, true).unwrap();
    let limits = Limits { nodes: 100_000_000, ..Limits::default() };
    let outcome = loop_eval::run(&module, 0, &[], limits).unwrap();
    let holds = matches!(outcome.results[..], [Input::Scalar(Value::Bool(true))]);
    assert!(holds, "{value}: {outcome:?}\n{module}");
    outcome.cost.read + outcome.cost.written
}

#[test]
fn a_write_takes_the_same_in_long_arrays() {
    for (value, fact) in FACTS {
        let more = moved(value, fact, 60, 2000) - moved(value, fact, 20, 2000);
        assert!(more <= 40 * 2000, "{value}: {} bytes for each write", more / 40);
    }
}

#[test]
fn what_is_changed_in_place_is_right_everywhere() {
    let more = [("in_record", "4.5"), ("swapped", "40.0"), ("both", "6.0")];
    for backend in [Backend::Interp, Backend::Native] {
        for (effort, precision) in [
            (Effort::Once, Precision::F64),
            (Effort::Full, Precision::F64),
            (Effort::Full, Precision::F32),
        ] {
            let options = Options { backend, effort, precision, ..Options::default() };
            let mut text = TEXT.to_owned();
            for (value, fact) in FACTS.iter().chain(DERIVATIVES).chain(&more) {
                text += &format!("test \"{}\" = {value} ~= {fact}\n", value.replace('"', ""));
            }
            let text = text.replace("WRITES", "30").replace("LENGTH", "40");
            let mut program = Compiler::new(options).compile("writes.cot", &text).unwrap();
            for index in 0..program.n_tests() {
                let found = program.run_test(index);
                let passed = matches!(found.outcome, TestOutcome::Passed);
                assert!(passed, "{index} {backend:?} {effort:?} {precision:?}: {found:?}");
            }
        }
    }
}
