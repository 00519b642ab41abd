//! Gradients of loops that have too many steps to keep what each of them leaves.
//!
//! The facts are closed forms: a wave that changes its sign from point to point on a ring is multiplied by
//! `1 - 2 k` in every step.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{
    Answer, Argument, Backend, Checkpoints, Compiler, Effort, Options, Precision, Program, Via,
};

const TEXT: &str = r"
def step(k: Real, u: [n]Real): [n]Real = build i < n => u[i] + k * (u[(i + 1) % n] - u[i])

def wave: [64]Real = build i < 64 => if i % 2 == 0 then 1.0 else -1.0

def whole(steps: Int, k: Real): Real = iterate(steps, \u => step(k, u), wave)[0]

def pieces(steps: Int, k: Real): Real = iterate(steps, \u => step(k, checkpoint(0, u)), wave)[0]

def folded(steps: Int, k: Real): Real =
  fold(\u, one => step(k * one, u), wave, build i < steps => 1.0)[0]

def counted(steps: Int, k: Real): Real = {
  let (u, _) = while(\(_, i) => i < steps, \(u, i) => (step(k, u), i + 1), (wave, 0));
  u[0]
}

def nested(steps: Int, k: Real): Real =
  iterate(steps / 100, \u => iterate(100, \u => step(k, u), u), wave)[0]

def grad_whole(steps: Int, k: Real): Real = grad(\k => whole(steps, k))(k)
def grad_pieces(steps: Int, k: Real): Real = grad(\k => pieces(steps, k))(k)
def grad_folded(steps: Int, k: Real): Real = grad(\k => folded(steps, k))(k)
def grad_counted(steps: Int, k: Real): Real = grad(\k => counted(steps, k))(k)
def grad_nested(steps: Int, k: Real): Real = grad(\k => nested(steps, k))(k)
def run_whole(steps: Int, k: Real): Real = jvp(\k => whole(steps, k))(k, 1.0)
";

/// A step leaves 512 bytes at least, so these leave more than ten times the limit.
const STEPS: i64 = 20_000;
const MEMORY: u64 = 1 << 20;
const K: f64 = 1e-4;

/// The derivative of `(1 - 2 k) ^ steps` by `k`.
fn derivative(steps: i64) -> f64 {
    -2.0 * steps as f64 * (1.0 - 2.0 * K).powf(steps as f64 - 1.0)
}

fn arguments(steps: i64) -> [Argument; 2] {
    [Argument::json("steps", &steps.to_string()), Argument::real("k", K)]
}

fn is_right(answer: &Answer, steps: i64, tolerance: f64) {
    let (found, right) = (answer.as_real().expect("a number"), derivative(steps));
    assert!((found - right).abs() <= tolerance * right.abs(), "{found}, not {right}");
}

/// The methods that save what the way back needs.
const METHODS: [Via; 3] = [Via::Bulk, Via::Chad, Via::Linmap];
const BACKENDS: [Backend; 2] = [Backend::Interp, Backend::Native];

fn tight(via: Via, backend: Backend) -> Options {
    Options { memory: MEMORY, via, backend, ..Options::default() }
}

/// A call that is prepared has the checkpoints that the program says: without any, memory ends.
#[test]
fn a_checkpoint_saves_memory() {
    for (via, backend) in METHODS.into_iter().flat_map(|via| BACKENDS.map(|it| (via, it))) {
        let mut program = Compiler::new(tight(via, backend)).compile("wave.cot", TEXT).unwrap();
        let mut call = |def: &str| {
            let call = program.prepare(def, &arguments(STEPS)).unwrap();
            program.call_prepared(&call)
        };
        assert_eq!(call("grad_whole").unwrap_err().codes(), ["E0603"], "{via:?} {backend:?}");
        is_right(&call("grad_pieces").unwrap(), STEPS, 1e-9);
    }
}

/// Section 11.1 of the paper on CHAD: its push-forwards keep all values. Ours are applied where they are made, so a
/// run along a direction keeps no step, by `chad` as little as by `forward`.
#[test]
fn forward_mode_keeps_no_steps() {
    for via in [Via::Forward, Via::Chad, Via::Bulk] {
        let options = tight(via, Backend::Interp);
        let mut program = Compiler::new(options).compile("wave.cot", TEXT).unwrap();
        let call = program.prepare("run_whole", &arguments(STEPS)).unwrap();
        is_right(&program.call_prepared(&call).unwrap(), STEPS, 1e-9);
    }
}

/// What does not fit is run again with checkpoints, whatever the loop is.
#[test]
fn where_memory_is_short_loops_keep_checkpoints() {
    for backend in BACKENDS {
        let options = tight(Via::Auto, backend);
        let mut program = Compiler::new(options).compile("wave.cot", TEXT).unwrap();
        for def in ["grad_whole", "grad_folded", "grad_counted", "grad_nested"] {
            // The second call begins with what was enough.
            for _ in 0..2 {
                is_right(&program.call(def, &arguments(STEPS)).unwrap(), STEPS, 1e-9);
            }
        }
    }
}

#[test]
fn handles_keep_checkpoints_too() {
    for backend in BACKENDS {
        let options = tight(Via::Auto, backend);
        let program = Program::with_options("wave.cot", TEXT, options).unwrap();
        let gradient = program.function("whole").unwrap().grad().wrt(["k"]);
        for _ in 0..2 {
            is_right(&gradient.call((STEPS, K)).unwrap(), STEPS, 1e-9);
        }
        // Prepared before anybody knows that memory is short, changed, and made twice.
        let other = Program::with_options("wave.cot", TEXT, options).unwrap();
        let gradient = other.function("whole").unwrap().grad().wrt(["k"]);
        let mut call = gradient.prepare((STEPS, 2.0 * K)).unwrap();
        call.set("k", K).unwrap();
        for _ in 0..2 {
            is_right(&call.call().unwrap(), STEPS, 1e-9);
        }
    }
}

/// Pieces of pieces, in both precisions.
#[test]
fn levels_change_no_derivative() {
    let cases = [(Precision::F64, 1e-9), (Precision::F32, 1e-3)];
    for (precision, tolerance) in cases {
        for levels in 2..=4 {
            let checkpoints = Checkpoints::All(levels);
            let options = Options { precision, checkpoints, ..Options::default() };
            let options = Options { backend: Backend::Interp, ..options };
            let mut program = Compiler::new(options).compile("wave.cot", TEXT).unwrap();
            for def in ["grad_whole", "grad_folded", "grad_counted", "grad_nested"] {
                let answer = program.call(def, &arguments(1000)).unwrap();
                is_right(&answer, 1000, tolerance);
            }
        }
    }
}

/// Operations that are counted: a gradient on some levels takes a run of the loop more for each of them.
#[test]
fn each_level_does_each_step_once_more() {
    let cost = |def: &str, checkpoints| {
        let options = Options { checkpoints, backend: Backend::Interp, ..Options::default() };
        let mut program = Compiler::new(options).compile("wave.cot", TEXT).unwrap();
        program.call(def, &arguments(1000)).unwrap().cost().total() as f64
    };
    for (def, run) in
        [("grad_whole", "whole"), ("grad_folded", "folded"), ("grad_nested", "nested")]
    {
        let (run, plain) = (cost(run, Checkpoints::Marked), cost(def, Checkpoints::Marked));
        for levels in 2..=4 {
            let more = cost(def, Checkpoints::All(levels)) - plain;
            // Loops in loops have pieces each.
            let loops = if def == "grad_nested" { 2.0 } else { 1.0 };
            let most = 1.2 * loops * f64::from(levels - 1) * run;
            assert!(more <= most, "{def}, {levels} levels: {} runs more", more / run);
        }
    }
}

/// What is no loop has no checkpoints, and is no endless attempt.
#[test]
fn what_is_no_loop_is_an_error_as_ever() {
    let text = "def main(n: Int, x: Real): Real = grad(\\x => sum(sort(build i < n => sin(real(i) * x))))(x)";
    let options = tight(Via::Auto, Backend::Interp);
    let mut program = Compiler::new(options).compile("big.cot", text).unwrap();
    let found = program.call("main", &[Argument::json("n", "1048576"), Argument::real("x", 0.5)]);
    assert_eq!(found.unwrap_err().codes(), ["E0603"]);
}

/// A heat equation whose diffusivity is asked for: a step leaves one array of the size of its state for the
/// way back, 16 MB in all.
#[test]
fn a_step_of_a_heat_equation_leaves_one_array() {
    // A wave that changes its sign at every point is multiplied by 1 - 4 k in every step.
    leaves_one_array(HEAT, -8000.0 * (1.0 - 4.0 * K).powf(1999.0));
}

/// What a nonlinear step needs for the way back is computed of its state again.
#[test]
fn a_step_of_growth_and_diffusion_leaves_one_array() {
    // All points are the same, and at rest where growth has ended: there each step multiplies what comes before
    // by 1 - r, and the derivative by the start is (1 - r) ^ 2000 times a thousand.
    leaves_one_array(GROWTH, 1000.0 * (1.0 - K).powf(2000.0));
}

const GROWTH: &str = r"
def step(r: Real, u: [n]Real): [n]Real = build i < n => {
  let around = u[(i + 1) % n] - 2.0 * u[i] + u[(i + n - 1) % n];
  u[i] + 0.1 * around + r * u[i] * (1.0 - u[i])
}

def end(steps: Int, r: Real, u: [n]Real): Real = sum(iterate(steps, \u => step(r, u), u))

def run(steps: Int, k: Real): Real = sum(grad(\u => end(steps, k, u))(build i < 1000 => 1.0))
";

const HEAT: &str = r"
def step(k: [n]Real, u: [n]Real): [n]Real =
  build i < n => u[i] + k[i] * (u[(i + 1) % n] - 2.0 * u[i] + u[(i + n - 1) % n])

def end(steps: Int, k: [n]Real): Real =
  iterate(steps, \u => step(k, u), build i < n => if i % 2 == 0 then 1.0 else -1.0)[0]

def run(steps: Int, k: Real): Real = sum(grad(\k => end(steps, k))(build i < 1000 => k))
";

/// The number that 2000 steps of 1000 points give, in memory for little more than their states; in fast code and
/// in drafts, which are what is run once.
fn leaves_one_array(text: &str, right: f64) {
    for effort in [Effort::Once, Effort::Full] {
        let options =
            Options { memory: 20 << 20, backend: Backend::Native, effort, ..Options::default() };
        let mut program = Compiler::new(options).compile("steps.cot", text).unwrap();
        let call = program.prepare("run", &arguments(2000)).unwrap();
        let found = program.call_prepared(&call).unwrap().as_real().unwrap();
        assert!((found - right).abs() <= 1e-9 * right.abs(), "{effort:?}: {found}, not {right}");
    }
}
