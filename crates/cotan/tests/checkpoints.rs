//! Gradients of loops that have too many steps to keep what each of them leaves.
//!
//! The facts are closed forms: a wave that changes its sign from point to point on a ring is multiplied by
//! `1 - 2 k` in every step.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

mod orders;

use cotan::{
    Answer, Argument, Backend, Checkpoints, Compiled, Compiler, Effort, Options, Precision,
    Program, Via,
};

use crate::common::choices;

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

const BACKENDS: [Backend; 2] = [Backend::Interp, Backend::Native];

fn tight(via: Via, backend: Backend) -> Options {
    Options { memory: MEMORY, via, backend, ..Options::default() }
}

/// A call that is prepared has the checkpoints that the program says: without any, memory ends.
#[test]
fn a_checkpoint_saves_memory() {
    // The methods that save what the way back needs.
    for (via, backend) in choices::that_make_programs().flat_map(|via| BACKENDS.map(|it| (via, it)))
    {
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

/// A step that multiplies matrices leaves the matrices, not what it multiplies, which has an axis more: in a loop, in
/// a loop in a loop, and behind a branch. The fact is a closed form: powers of `1 + n`, for the `n` with ones right of
/// its diagonal, are binomials.
#[test]
fn steps_that_multiply_matrices_keep_matrices() {
    const TEXT: &str = r"
        def trace(a: [n][n]Real): Real = sum(build i < n => a[i, i])
        def start: [64][64]Real = build i < 64, j < 64 => if i == j || i + 1 == j then 1.0 else 0.0
        def flat(x: [n][n]Real): [n][n]Real = iterate(4, \x => matmul(x, x), x)
        def deep(x: [n][n]Real): [n][n]Real = iterate(2, \x => iterate(2, \x => matmul(x, x), x), x)
        def either(x: [n][n]Real): [n][n]Real =
          iterate(4, \x => if x[0, 0] > 0.0 then matmul(x, x) else x, x)
        def by_flat(scale: Real): [64][64]Real = grad(\a => trace(flat(a)))(scale * start)
        def by_deep(scale: Real): [64][64]Real = grad(\a => trace(deep(a)))(scale * start)
        def by_either(scale: Real): [64][64]Real = grad(\a => trace(either(a)))(scale * start)
    ";
    let mut binomials = [0.0; 64];
    binomials[0] = 1.0;
    for k in 1..16 {
        binomials[k] = binomials[k - 1] * (16 - k) as f64 / k as f64;
    }
    for via in choices::that_make_programs() {
        // What is multiplied has 2 MiB in each of the steps, for either matrix; a matrix has 32 KiB.
        let options =
            Options { memory: 4 << 20, via, backend: Backend::Native, ..Options::default() };
        let mut program = Compiler::new(options).compile("powers.cot", TEXT).unwrap();
        for def in ["by_flat", "by_deep", "by_either"] {
            let call = program.prepare(def, &[Argument::real("scale", 1.0)]).unwrap();
            let found = program.call_prepared(&call).unwrap().get::<Vec<Vec<f64>>>().unwrap();
            for (i, row) in found.iter().enumerate() {
                for (j, it) in row.iter().enumerate() {
                    let right = if i < j { 0.0 } else { 16.0 * binomials[i - j] };
                    let error = (it - right).abs();
                    assert!(error <= 1e-9 * right, "{def} {via:?} {i} {j}: {it}, not {right}");
                }
            }
        }
    }
}

/// A step that reads a part of an array from outside leaves where that is. The fact is a closed form: the derivative
/// by each weight is the sum of what it stands at in the windows.
#[test]
fn steps_that_read_a_part_of_an_array_keep_where_it_is() {
    const TEXT: &str = r"
        def weighed(xs: [2000]Real, weights: [1000]Real): Real =
          fold(\s, i => s + dot(xs[i..i + 1000], weights), 0.0, build i < 1000 => i)
        def by_weights(scale: Real): [1000]Real =
          grad(\weights => weighed(build i < 2000 => scale * real(i), weights))(build i < 1000 => 1.0)
    ";
    for via in choices::that_make_programs() {
        // The windows have 8 MB.
        for backend in BACKENDS {
            let options = Options { memory: 4 << 20, via, backend, ..Options::default() };
            let mut program = Compiler::new(options).compile("windows.cot", TEXT).unwrap();
            let call = program.prepare("by_weights", &[Argument::real("scale", 0.001)]).unwrap();
            let found = program.call_prepared(&call).unwrap().get::<Vec<f64>>().unwrap();
            assert_eq!(found.len(), 1000);
            for (j, it) in found.iter().enumerate() {
                let right = 499.5 + j as f64;
                assert!((it - right).abs() <= 1e-9 * right, "{via:?} {backend:?} {j}: {it}");
            }
        }
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

/// The evaluations of steps by which a loop of so many steps can be gone back through at best, if so many states
/// can be kept, the first run included: the closed form of the binomial schedule in Griewank and Walther,
/// Algorithm 799: revolve (2000).
fn binomial(steps: u64, states: u64) -> u64 {
    // How many steps can be gone back through with so many states, none evaluated more often than this.
    let reach = |states: u64, times: u64| (1..=times).fold(1, |it, at| it * (states + at) / at);
    let times = (0..).find(|it| reach(states, *it) >= steps).unwrap();
    if times == 0 { 0 } else { times * steps - reach(states + 1, times - 1) }
}

/// The closed form is the least that there is: a state is kept some steps further on, what is behind it is gone
/// back through with a place less, and then what is in front of it.
#[test]
fn the_binomial_schedule_is_the_best() {
    let mut least = vec![vec![0; 8]; 40];
    for steps in 2..40_u64 {
        least[steps as usize][1] = steps * (steps - 1) / 2;
        for states in 2..8 {
            let by = |kept: usize| {
                let behind = least[steps as usize - kept][states - 1];
                kept as u64 + behind + least[kept][states]
            };
            least[steps as usize][states] = (1..steps as usize).map(by).min().unwrap();
        }
        for states in 1..8 {
            assert_eq!(binomial(steps, states), least[steps as usize][states as usize]);
        }
    }
    // The table in `docs/internals/bulk.md`.
    let table = [2000, 1400, 500, 300, 128].map(|it| binomial(1_000_000, it));
    assert_eq!(table, [1_997_998, 2_016_497, 2_873_747, 2_954_247, 3_625_340]);
}

/// How many steps a piece of a loop has whose states are in places, how many pieces it has, and how many states
/// are kept, if each piece is done so many times again.
fn in_places(steps: u64, times: u64) -> [u64; 3] {
    let share: f64 = (1..=times).map(|it| it as f64 / times as f64).product();
    let length = (steps as f64 * share).powf(1.0 / (times + 1) as f64).ceil() as u64;
    let pieces = steps.div_ceil(length);
    let reach = |states: u64| (1..=times).fold(1, |it, at| it * (states + at) / at);
    [length, pieces, (1..).find(|it| reach(*it) >= pieces).unwrap()]
}

/// The steps that a gradient of such a loop does, all in all: those on the way to what is kept, which are as many
/// as at best; those of each piece once more, where they leave something; and the last piece, if somebody wants the
/// result of the loop.
fn evaluated(steps: u64, times: u64, is_wanted: bool) -> u64 {
    let [length, pieces, states] = in_places(steps, times);
    let last = if is_wanted { steps - (pieces - 1) * length } else { 0 };
    steps + length * binomial(pieces, states) + last
}

const SINES: &str = "
    def whole(steps: Int, x: Real): Real = iterate(steps, \\u => sin(u), x)
    def folded(steps: Int, x: Real): Real = fold(\\u, one => sin(one * u), x, build i < steps => 1.0)
    def counted(steps: Int, x: Real): Real = {
      let (u, _) = while(\\(_, i) => i < steps, \\(u, i) => (sin(u), i + 1), (x, 0));
      u
    }
    def nested(steps: Int, x: Real): Real =
      iterate(steps / 40, \\u => iterate(40, \\u => sin(u), u), x)
    def grad_whole(steps: Int, k: Real): Real = grad(\\x => whole(steps, x))(k)
    def grad_folded(steps: Int, k: Real): Real = grad(\\x => folded(steps, x))(k)
    def grad_counted(steps: Int, k: Real): Real = grad(\\x => counted(steps, x))(k)
    def grad_nested(steps: Int, k: Real): Real = grad(\\x => nested(steps, x))(k)
    def both(steps: Int, k: Real): (Real, Real) = value_and_grad(\\x => whole(steps, x))(k)
";

fn on_levels(levels: u32) -> Compiled {
    let checkpoints = if levels == 1 { Checkpoints::Marked } else { Checkpoints::All(levels) };
    let options = Options { checkpoints, backend: Backend::Interp, ..Options::default() };
    Compiler::new(options).compile("sines.cot", SINES).unwrap()
}

/// The number of sines, of which a step is one, that a definition takes.
fn sines(program: &mut Compiled, def: &str, steps: u64) -> u64 {
    let answer = program.call(def, &arguments(steps as i64)).unwrap();
    answer.cost().counts.get("sin").copied().unwrap_or(0)
}

/// A loop whose states are in rows does every step once more for each level: on two levels, and a `while` on all.
/// Beside it stands what the binomial schedule does with as many states.
#[test]
fn levels_of_rows_do_each_step_once_more() {
    let steps: u64 = 1000;
    for (levels, least) in [(1, 1.0), (2, 1.04), (3, 1.22), (4, 1.52)] {
        let (times, mut program) = (u64::from(levels), on_levels(levels));
        assert_eq!(sines(&mut program, "grad_counted", steps), times * steps, "{levels} levels");
        if levels <= 2 {
            for def in ["grad_whole", "grad_folded"] {
                assert_eq!(
                    sines(&mut program, def, steps),
                    times * steps,
                    "{def}, {levels} levels"
                );
            }
            assert_eq!(sines(&mut program, "grad_nested", steps), (2 * times - 1) * steps);
        }
        if levels > 1 {
            // As many states as pieces on every level: at least that root of the number of steps each.
            let root = (steps as f64).powf(1.0 / f64::from(levels));
            let best = binomial(steps, (f64::from(levels) * root).round() as u64);
            let ratio = (times * steps) as f64 / best as f64;
            assert!(ratio <= least, "{levels} levels: {ratio} times the least");
        }
    }
}

/// A counted loop on three levels and more keeps its states in places, and does as many steps as the closed form
/// says; fewer than there are levels, with fewer states than levels of equal pieces have.
#[test]
fn places_take_the_steps_of_the_closed_form() {
    for levels in [3, 4] {
        let (times, mut program) = (u64::from(levels) - 1, on_levels(levels));
        for steps in [0, 1, 2, 3, 17, 100, 1000, 1003] {
            let (alone, both) = match steps {
                0 => (0, 0),
                _ => (evaluated(steps, times, false), evaluated(steps, times, true)),
            };
            for def in ["grad_whole", "grad_folded"] {
                let found = sines(&mut program, def, steps);
                assert_eq!(found, alone, "{def}, {steps} on {levels} levels");
            }
            assert_eq!(sines(&mut program, "both", steps), both, "{steps} on {levels} levels");
            assert!(both <= u64::from(levels) * steps);
            let [length, _, states] = in_places(steps.max(1), times);
            let equal = f64::from(levels) * (steps as f64).powf(1.0 / f64::from(levels));
            assert!(steps < 100 || (length + states + 1) as f64 <= equal, "{steps} on {levels}");
        }
    }
}

/// A loop in a loop: the inner one is done as a whole where the outer one goes on, and as the closed form says
/// where it is gone back through.
#[test]
fn loops_in_loops_have_places_each() {
    for levels in [3, 4] {
        let times = u64::from(levels) - 1;
        let [length, pieces, states] = in_places(25, times);
        // To the end, since nobody knows that a `while` has one.
        let last = 25 - (pieces - 1) * length;
        let there = 40 * (length * binomial(pieces, states) + last);
        let back = 25 * evaluated(40, times, true);
        assert_eq!(
            sines(&mut on_levels(levels), "grad_nested", 1000),
            there + back,
            "{levels} levels"
        );
    }
}

/// Where the steps of a piece would take more memory than there is, states in places fit: 3000 states of 80 kB
/// on at most four levels of equal pieces are 28, and 20 in places.
#[test]
fn places_take_less_memory_than_pieces() {
    let text = "
        def long(steps: Int, x: Real): Real =
          sum(iterate(steps, \\u => build i < 10000 => u[i] + x * u[i] * (1.0 - u[i]), build i < 10000 => 0.5))
        def grad_long(steps: Int, k: Real): Real = grad(\\x => long(steps, x))(k)
    ";
    let (mut u, mut du) = (0.5, 0.0);
    for _ in 0..3000 {
        (u, du) = (u + K * u * (1.0 - u), du + u * (1.0 - u) + K * (1.0 - 2.0 * u) * du);
    }
    let options = Options { memory: 2_600_000, backend: Backend::Native, ..Options::default() };
    let mut program = Compiler::new(options).compile("long.cot", text).unwrap();
    let found = program.call("grad_long", &arguments(3000)).unwrap().as_real().unwrap();
    assert!((found - 10_000.0 * du).abs() <= 1e-9 * (10_000.0 * du).abs(), "{found}");
}

/// States of several parts and kinds, what a step captures, and arrays that a fold goes through, in compiled code,
/// interpreted, and in both precisions.
#[test]
fn places_hold_states_of_any_kind() {
    let text = "
        def of_kinds(steps: Int, k: Real, w: [3]Real, xs: [n]Real): Real = {
          let step = \\(u, m, c, even), x => {
            let next = build i < 3 => if even then u[i] + k * w[i] * x else u[i] - 0.5 * k * m[i, 0];
            (next, m with [c % 3] = [next[0], x], c + 1, !even)
          };
          let start = (build i < 3 => 1.0, build i < 3, j < 2 => 0.1 * real(i + j), 0, true);
          let (u, m, c, _) = fold(step, start, xs);
          sum(u) + m[0, 0] * real(c)
        }
        def all(steps: Int, k: Real): (Real, [3]Real, [40]Real) =
          grad(\\(k, w, xs) => of_kinds(steps, k, w, xs))((k, build i < 3 => 1.0 + real(i), build i < 40 => real(i % 7)))
    ";
    let gradient = |levels: u32, backend: Backend, precision: Precision| {
        let checkpoints = if levels == 1 { Checkpoints::Marked } else { Checkpoints::All(levels) };
        let options = Options { checkpoints, backend, precision, ..Options::default() };
        let mut program = Compiler::new(options).compile("kinds.cot", text).unwrap();
        let answer =
            program.call("all", &[Argument::json("steps", "40"), Argument::real("k", 0.3)]);
        let (k, w, xs) = answer.unwrap().get::<(f64, Vec<f64>, Vec<f64>)>().unwrap();
        [vec![k], w, xs].concat()
    };
    let right = gradient(1, Backend::Interp, Precision::F64);
    for (precision, tolerance) in [(Precision::F64, 1e-12), (Precision::F32, 1e-4)] {
        for backend in BACKENDS {
            for levels in [3, 4] {
                let found = gradient(levels, backend, precision);
                assert_eq!(found.len(), right.len());
                for (it, right) in found.iter().zip(&right) {
                    let error = (it - right).abs();
                    assert!(
                        error <= tolerance * (1.0 + right.abs()),
                        "{backend:?}: {it}, not {right}"
                    );
                }
            }
        }
    }
}

/// A nonlinear map on a grid of 64 by 64 points whose states are ten times the memory: its gradient is that of
/// one point, since all of them are the same, and that is a recurrence.
#[test]
fn a_map_on_a_grid_runs_in_pieces() {
    const POINTS: i64 = 64 * 64;
    for effort in [Effort::Once, Effort::Full] {
        let options =
            Options { memory: 16 << 20, backend: Backend::Native, effort, ..Options::default() };
        let mut program = Compiler::new(options).compile("lattice.cot", LATTICE).unwrap();
        for (def, steps) in [("grad_lattice", 5000), ("grad_rounds", 5000)] {
            let (mut u, mut du) = (0.5, 0.0);
            for _ in 0..steps {
                (u, du) = (u + K * u * (1.0 - u), du + u * (1.0 - u) + K * (1.0 - 2.0 * u) * du);
            }
            let right = POINTS as f64 * du;
            let found = program.call(def, &arguments(steps)).unwrap().as_real().unwrap();
            let error = (found - right).abs();
            assert!(error <= 1e-9 * right, "{def} {effort:?}: {found}, not {right}");
        }
    }
}

/// What is kept changes no derivative: where points are not the same, those in little memory are those in much.
#[test]
fn a_map_on_a_grid_has_one_gradient() {
    let gradient = |memory: u64, def: &str| {
        let options = Options { memory, backend: Backend::Native, ..Options::default() };
        let mut program = Compiler::new(options).compile("lattice.cot", LATTICE).unwrap();
        program.call(def, &arguments(1000)).unwrap().as_real().unwrap()
    };
    for def in ["grad_uneven", "grad_uneven_rounds"] {
        let (whole, pieces) = (gradient(1 << 30, def), gradient(8 << 20, def));
        assert!((whole - pieces).abs() <= 1e-13 * whole.abs(), "{def}: {whole} and {pieces}");
    }
}

/// The program that `cargo run -- checkpoints` measures in `benchmarks`, with gradients.
const LATTICE: &str = concat!(
    include_str!("../../../benchmarks/programs/lattice.cot"),
    r"
def even: [64][64]Real = build i < 64, j < 64 => 0.5
def uneven: [64][64]Real = build i < 64, j < 64 => 0.5 + 0.25 * sin(0.1 * real(i * i + 3 * j))
def grad_lattice(steps: Int, k: Real): Real = grad(\r => lattice(steps, r, even))(k)
def grad_rounds(steps: Int, k: Real): Real = grad(\r => rounds(steps / 50, 50, r, even))(k)
def grad_uneven(steps: Int, k: Real): Real = grad(\r => lattice(steps, r, uneven))(k)
def grad_uneven_rounds(steps: Int, k: Real): Real = grad(\r => rounds(steps / 50, 50, r, uneven))(k)
"
);

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
