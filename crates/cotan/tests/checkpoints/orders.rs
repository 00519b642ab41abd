//! Derivatives of derivatives of loops that keep checkpoints: the facts are closed forms.

use cotan::{Backend, Checkpoints, Compiler, Options, Via};

use super::{K, MEMORY, STEPS, arguments};
use crate::common::choices;

/// What the way back is differentiated by: second derivatives by forward over reverse, and by reverse over reverse.
#[test]
fn loops_in_places_have_second_derivatives() {
    let text = "
        def power(steps: Int, x: Real): Real = iterate(steps, \\u => u * x, 1.0)
        def product(steps: Int, x: Real): Real = fold(\\u, it => u * it, 1.0, build i < steps => x)
        def twice(steps: Int, k: Real): (Real, Real) =
          (hessian(\\x => power(steps, x))(k), hessian(\\x => product(steps, x))(k))
        def back_twice(steps: Int, k: Real): (Real, Real) =
          (grad(\\x => grad(\\x => power(steps, x))(x))(k), grad(\\x => grad(\\x => product(steps, x))(x))(k))
    ";
    let right = |steps: i64| (steps * (steps - 1)) as f64 * K.powf((steps - 2) as f64);
    for via in choices::that_make_programs() {
        for (levels, steps) in [(3, 0), (3, 1), (3, 2), (3, 19), (4, 20)] {
            let checkpoints = Checkpoints::All(levels);
            let options =
                Options { checkpoints, via, backend: Backend::Interp, ..Options::default() };
            let mut program = Compiler::new(options).compile("powers.cot", text).unwrap();
            for def in ["twice", "back_twice"] {
                let answer = program.call(def, &arguments(steps)).unwrap();
                let (found, other) = answer.get::<(f64, f64)>().unwrap();
                for it in [found, other] {
                    let error = (it - right(steps)).abs();
                    assert!(error <= 1e-9 * right(steps).abs(), "{def} {via:?} {steps}: {it}");
                }
            }
        }
    }
}

const TWICE: &str = r"
def step(k: Real, u: [n]Real): [n]Real = build i < n => u[i] + k * (u[(i + 1) % n] - u[i])
def wave: [64]Real = build i < 64 => if i % 2 == 0 then 1.0 else -1.0
def whole(steps: Int, k: Real): Real = iterate(steps, \u => step(k, u), wave)[0]
def marked(steps: Int, k: Real): Real = iterate(steps, \u => step(k, checkpoint(0, u)), wave)[0]
def folded(steps: Int, k: Real): Real = fold(\u, k => step(k, u), wave, build i < steps => k)[0]
def counted(steps: Int, k: Real): Real = {
  let (u, _) = while(\(_, i) => i < steps, \(u, i) => (step(k, u), i + 1), (wave, 0));
  u[0]
}
def nested(steps: Int, k: Real): Real =
  iterate(steps / 100, \u => iterate(100, \u => step(k, u), u), wave)[0]
def twice_whole(steps: Int, k: Real): Real = grad(grad(\k => whole(steps, k)))(k)
def twice_marked(steps: Int, k: Real): Real = grad(grad(\k => marked(steps, k)))(k)
def twice_folded(steps: Int, k: Real): Real = grad(grad(\k => folded(steps, k)))(k)
def twice_counted(steps: Int, k: Real): Real = grad(grad(\k => counted(steps, k)))(k)
def twice_nested(steps: Int, k: Real): Real = grad(grad(\k => nested(steps, k)))(k)
def back_and_along(steps: Int, k: Real): Real = hvp(\k => marked(steps, k))(k, 1.0)
def along_and_back(steps: Int, k: Real): Real = grad(\k => jvp(\k => marked(steps, k))(k, 1.0))(k)
def thrice(steps: Int, k: Real): Real = grad(grad(grad(\k => whole(steps, k))))(k)
";

/// The derivative of an order of `(1 - 2 k) ^ steps` by `k`.
fn derivative_of(order: i64, steps: i64) -> f64 {
    let factors: f64 = (0..order).map(|it| -2.0 * (steps - it) as f64).product();
    factors * (1.0 - 2.0 * K).powf((steps - order) as f64)
}

/// What goes back through what goes back keeps what pieces begin with, and no step of more than one of them at a time.
#[test]
fn derivatives_of_derivatives_keep_checkpoints_too() {
    for via in choices::that_make_programs() {
        // What the steps leave takes ten times as much, and more.
        let options =
            Options { memory: 4 * MEMORY, via, backend: Backend::Native, ..Options::default() };
        let mut program = Compiler::new(options).compile("wave.cot", TWICE).unwrap();
        let mut is_right = |def: &str, order: i64| {
            let found = program.call(def, &arguments(STEPS)).unwrap().as_real().unwrap();
            let right = derivative_of(order, STEPS);
            assert!((found - right).abs() <= 1e-8 * right.abs(), "{def} {via:?}: {found}, {right}");
        };
        is_right("twice_whole", 2);
        if via == Via::Bulk {
            for def in ["twice_folded", "twice_counted", "twice_nested"] {
                is_right(def, 2);
            }
            is_right("thrice", 3);
        }
    }
}

/// A prepared call has the checkpoints of the program, and no others.
#[test]
fn a_checkpoint_saves_memory_of_derivatives_of_derivatives() {
    for via in choices::that_make_programs() {
        let options =
            Options { memory: 16 * MEMORY, via, backend: Backend::Native, ..Options::default() };
        let mut program = Compiler::new(options).compile("wave.cot", TWICE).unwrap();
        let mut call = |def: &str| {
            let call = program.prepare(def, &arguments(STEPS)).unwrap();
            program.call_prepared(&call)
        };
        assert_eq!(call("twice_whole").unwrap_err().codes(), ["E0603"], "{via:?}");
        for def in ["twice_marked", "back_and_along", "along_and_back"] {
            let (found, right) = (call(def).unwrap().as_real().unwrap(), derivative_of(2, STEPS));
            assert!((found - right).abs() <= 1e-8 * right.abs(), "{def} {via:?}: {found}, {right}");
        }
    }
}

/// Operations that are counted: no order is done over and over.
#[test]
fn derivatives_of_derivatives_take_a_few_runs_more() {
    let cost = |def: &str, checkpoints| {
        let options = Options { checkpoints, backend: Backend::Interp, ..Options::default() };
        let mut program = Compiler::new(options).compile("wave.cot", TWICE).unwrap();
        program.call(def, &arguments(1000)).unwrap().cost().total() as f64
    };
    // What goes back through what goes back through a piece does it again, and so does each order more.
    for (def, most) in [("twice_whole", 2.0), ("twice_folded", 2.0), ("thrice", 3.0)] {
        let ratio = cost(def, Checkpoints::All(2)) / cost(def, Checkpoints::Marked);
        assert!(ratio <= most, "{def}: {ratio} times what is kept");
    }
}
