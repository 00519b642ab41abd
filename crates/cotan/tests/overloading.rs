//! Derivatives by overloading, `crates/real`: the same functions and the same conventions as Cotan's, and
//! facts of their own.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Backend, Program, Via};
use ir::prim::{Rule, TABLE};
use real::{Dual, Real, Tape, Var, grad, grad_forward, hessian, hvp, jacobian, jvp, vjp};

/// Kinks, ends of domains, and points between.
const POINTS: [f64; 11] = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.5, 1e3, f64::INFINITY];

macro_rules! functions_of_one {
    ($x:expr, $name:expr, [$($function:ident)+]) => {
        match $name {
            $(stringify!($function) => Some($x.$function()),)+
            "neg" => Some(-$x),
            _ => None,
        }
    };
}

fn one<R: Real>(name: &str, x: R) -> Option<R> {
    functions_of_one!(x, name, [
        abs sign exp log log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt
        floor ceil round erf lgamma digamma sigmoid softplus
    ])
}

fn two<R: Real>(name: &str, x: R, y: R) -> Option<R> {
    match name {
        "add" => Some(x + y),
        "sub" => Some(x - y),
        "mul" => Some(x * y),
        "div" => Some(x / y),
        "rem" => Some(x.rem(y)),
        "pow" => Some(x.pow(y)),
        "min" => Some(x.min(y)),
        "max" => Some(x.max(y)),
        "atan2" => Some(x.atan2(y)),
        "scale" => Some(x.scale(y)),
        _ => None,
    }
}

fn same(found: f64, expected: f64, what: &str) {
    let close = (found - expected).abs() <= 1e-14 * expected.abs();
    let same = found == expected || close || found.is_nan() && expected.is_nan();
    assert!(same, "{what}: {found} for {expected}");
}

/// Every function of reals in the table has its value and its derivative, by dual numbers and by a tape, at
/// kinks too.
#[test]
fn functions_are_those_of_the_table() {
    let program = Program::new("").unwrap();
    for row in TABLE {
        let (name, notation) = (row.name, row.notation);
        let says = |text: &str| {
            let it = program.expression(text).unwrap();
            it.backend(Backend::Interp).via(Via::Forward)
        };
        match row.rule {
            Rule::Real1 | Rule::Number1 => {
                let (value, slope) = (
                    says(&format!("\\x: Real => {notation}")),
                    says(&format!("\\x: Real => grad(\\x => {notation})(x)")),
                );
                for x in POINTS {
                    let what = format!("{name}({x})");
                    let dual = one(name, Dual::<f64, 1>::input(x, 0)).expect(&what);
                    same(dual.value, value.call((x,)).unwrap().as_real().unwrap(), &what);
                    let slope = slope.call((x,)).unwrap().as_real().unwrap();
                    same(dual.tangents[0], slope, &format!("{what}, dual"));
                    let taped = grad(|x| one(name, x[0]).unwrap(), &[x]);
                    same(taped[0], slope, &format!("{what}, tape"));
                }
            }
            Rule::Real2 | Rule::Number2 if !notation.is_empty() => {
                let (value, slopes) = (
                    says(&format!("\\x: Real, y: Real => {notation}")),
                    says(&format!("\\x: Real, y: Real => grad(\\x, y => {notation})(x, y)")),
                );
                for (x, y) in POINTS.iter().flat_map(|x| POINTS.map(|y| (*x, y))) {
                    let what = format!("{name}({x}, {y})");
                    let (dx, dy) = (Dual::<f64, 2>::input(x, 0), Dual::input(y, 1));
                    let dual = two(name, dx, dy).expect(&what);
                    same(dual.value, value.call((x, y)).unwrap().as_real().unwrap(), &what);
                    let slopes = slopes.call((x, y)).unwrap();
                    let slopes: Vec<f64> = slopes.slices().concat();
                    let taped = grad(|x| two(name, x[0], x[1]).unwrap(), &[x, y]);
                    for at in [0, 1] {
                        same(dual.tangents[at], slopes[at], &format!("{what}, dual {at}"));
                        same(taped[at], slopes[at], &format!("{what}, tape {at}"));
                    }
                }
            }
            Rule::Real2 | Rule::Number2 => {}
            Rule::Int2 | Rule::IntReal | Rule::IntToReal | Rule::RealToInt | Rule::Compare => {}
            Rule::TestReal | Rule::Bool1 | Rule::Bool2 | Rule::Choose => {}
        }
    }
}

fn rosenbrock<R: Real>(x: &[R]) -> R {
    let (a, b) = (R::of(1.0) - x[0], x[1] - x[0] * x[0]);
    a * a + R::of(100.0) * b * b
}

/// Closed forms of the Rosenbrock function: gradient (-2 (1 - a) - 400 a (b - a^2), 200 (b - a^2)).
#[test]
fn classic_functions() {
    assert_eq!(grad(|x| rosenbrock(x), &[1.0, 2.0]), [-400.0, 200.0]);
    assert_eq!(hessian(|x| rosenbrock(x), &[1.0, 2.0]), [[402.0, -400.0], [-400.0, 200.0]]);
    assert_eq!(
        hvp(|x| rosenbrock(x), &[1.0, 2.0], &[1.0, 10.0]),
        [402.0 - 4000.0, -400.0 + 2000.0]
    );
    // More inputs than directions at once: the sum of squares times the sum.
    let n = 11;
    let cube = |x: &[f64]| x.iter().sum::<f64>();
    fn f<R: Real>(x: &[R]) -> R {
        let (mut squares, mut sum) = (R::zero(), R::zero());
        for it in x {
            squares += *it * *it;
            sum += *it;
        }
        squares * sum
    }
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let (sum, squares) = (cube(&x), x.iter().map(|it| it * it).sum::<f64>());
    let expected: Vec<f64> = x.iter().map(|it| 2.0 * it * sum + squares).collect();
    assert_eq!(grad(|x| f(x), &x), expected);
    let second =
        |i: usize, j: usize| 2.0 * x[i] + 2.0 * x[j] + if i == j { 2.0 * sum } else { 0.0 };
    let found = hessian(|x| f(x), &x);
    for (i, row) in found.iter().enumerate() {
        for (j, it) in row.iter().enumerate() {
            assert_eq!(*it, second(i, j), "{i}, {j}");
        }
    }
}

/// (r cos t, r sin t): J = [[cos t, -r sin t], [sin t, r cos t]].
#[test]
fn several_results() {
    fn polar<R: Real>(x: &[R]) -> Vec<R> {
        vec![x[0] * x[1].cos(), x[0] * x[1].sin()]
    }
    let x = [2.0, 0.0];
    assert_eq!(jacobian(polar, &x), [[1.0, 0.0], [0.0, 2.0]]);
    assert_eq!(jvp(polar, &x, &[3.0, 5.0]), (vec![2.0, 0.0], vec![3.0, 10.0]));
    assert_eq!(vjp(|x| polar(x), &x, &[7.0, 11.0]), (vec![2.0, 0.0], vec![7.0, 22.0]));
    // No inputs, no results.
    assert_eq!(jacobian(|_| vec![Dual::one()], &[]), [[0.0; 0]]);
    assert!(jacobian(|_| Vec::new(), &x).is_empty());
    assert!(hessian(|_| Var::one(), &[]).is_empty());
}

/// The fourth derivative of x^5 is 120 x, by dual numbers of dual numbers.
#[test]
fn numbers_nest() {
    type D<S> = Dual<S, 1>;
    let x = D::input(D::input(D::input(D::input(3.0, 0), 0), 0), 0);
    let y = x * x * x * x * x;
    assert_eq!(y.tangents[0].tangents[0].tangents[0].tangents[0], 360.0);
    assert_eq!(Dual::<f32, 1>::input(3.0, 0).sin().tangents[0], 3f32.cos());
}

/// What is used twice is recorded once: a doubling chain of n has n operations.
#[test]
fn a_tape_shares() {
    let tape = Tape::new();
    let x = tape.input(1.0);
    let mut y = x;
    for _ in 0..100 {
        y = y + y;
    }
    assert_eq!(tape.len(), 100);
    assert_eq!(tape.pull_back(&[(y, 1.0)], &[x]), [2f64.powi(100)]);
    // Constants are not recorded.
    let _: Var<'_> = Var::of(2.0) * Var::of(3.0);
    assert_eq!(tape.len(), 100);
}

/// A tape gives the same again, whatever was asked before: inputs between operations, numbers that were
/// computed on the way, results twice. z = (x y) y + x: dz = (y^2 + 1, 2 x y), dz/d(x y) = y.
#[test]
fn a_tape_is_asked_again() {
    let mut tape = Tape::new();
    for (a, b) in [(3.0, 5.0), (2.0, 7.0)] {
        tape.clear();
        let x = tape.input(a);
        let early = x - 1.0;
        let y = tape.input(b);
        let product = x * y;
        let z = product * y + x;
        let by_inputs = [b * b + 1.0, 2.0 * a * b];
        assert_eq!(tape.pull_back(&[(z, 1.0)], &[x, y]), by_inputs);
        assert_eq!(
            tape.pull_back(&[(z, 1.0)], &[product, y, z, early]),
            [b, 2.0 * a * b, 1.0, 0.0]
        );
        // As many as there are inputs, in another order, or one twice.
        let [by_x, by_y] = by_inputs;
        assert_eq!(tape.pull_back(&[(z, 1.0)], &[y, x]), [by_y, by_x]);
        assert_eq!(tape.pull_back(&[(z, 1.0)], &[x, x]), [by_x, by_x]);
        let mut found = [f64::NAN; 3];
        tape.pull_back_into(&[(z, 1.0), (z, 1.0), (early, 4.0)], &[y, y, x], &mut found);
        assert_eq!(found, [4.0 * a * b, 4.0 * a * b, 2.0 * (b * b + 1.0) + 4.0]);
        // Constants and numbers of another tape have no cotangent here.
        let other = Tape::new();
        assert_eq!(
            tape.pull_back(&[(z, 1.0)], &[Var::of(1.0), other.input(1.0), x])[..2],
            [0.0; 2]
        );
        assert_eq!(tape.pull_back(&[(z, 1.0)], &[x, y]), by_inputs);
    }
}

/// A partial that is 0 gives 0 of an infinite cotangent, and so does a cotangent of 0 to an infinite partial:
/// sqrt(x) has the slope infinity at 0, and 0 times it is no NaN.
#[test]
fn nothing_of_infinity_is_nothing() {
    assert_eq!(grad(|x| (x[0] * Var::of(0.0)).sqrt(), &[1.0]), [0.0]);
    assert_eq!(grad(|x| x[0].sqrt() * 0.0, &[0.0]), [0.0]);
    let x = Dual::<f64, 2>::new(0.0, [1.0, 0.0]);
    assert_eq!((x.sqrt() * 0.0).tangents, [0.0, 0.0]);
    assert_eq!(x.sqrt().tangents, [f64::INFINITY, 0.0]);
    let scaled = Dual::<f64, 1>::new(2.0, [3.0]);
    let by_numbers = [scaled + 4.0, scaled - 4.0, scaled * 4.0, scaled / 4.0];
    assert_eq!(by_numbers.map(|it| it.value), [6.0, -2.0, 8.0, 0.5]);
    assert_eq!(by_numbers.map(|it| it.tangents[0]), [3.0, 3.0, 12.0, 0.75]);
}

/// One comparison of bits tells what products need not be looked at: all finite numbers but 0.
#[test]
fn plain_numbers() {
    let finite = [1.0, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 1e-310];
    assert!(finite.iter().all(|it| it.is_plain() && (-it).is_plain()));
    let other = [0.0, f64::INFINITY, f64::NAN, f64::from_bits(u64::MAX >> 1)];
    assert!(!other.iter().any(|it| it.is_plain() || (-it).is_plain()));
    // A product that overflows, or vanishes, has finite tangents nevertheless.
    let product = |x: f64, y: f64| (Dual::<f64, 2>::input(x, 0) * Dual::input(y, 1)).tangents;
    assert_eq!(product(1e200, 1e200), [1e200, 1e200]);
    assert_eq!(product(1e-200, -1e-200), [-1e-200, 1e-200]);
    let [by_x, by_y] = product(f64::INFINITY, 0.0);
    assert!(by_x == 0.0 && by_y == f64::INFINITY);
}

/// Directions and cotangents of another length are told of, and not filled up or cut.
#[test]
fn directions_fit() {
    fn square<R: Real>(x: &[R]) -> R {
        x[0] * x[0]
    }
    let told = |f: fn()| {
        let panic = std::panic::catch_unwind(f).unwrap_err();
        panic.downcast_ref::<String>().unwrap().lines().next().unwrap().to_owned()
    };
    let jvp = told(|| drop(jvp(|x| vec![square(x)], &[2.0], &[])));
    assert!(jvp.ends_with("a direction has a number for each input"), "{jvp}");
    let hvp = told(|| drop(hvp(|x| square(x), &[2.0], &[1.0, 0.0])));
    assert!(hvp.ends_with("a direction has a number for each input"), "{hvp}");
    let vjp = told(|| drop(vjp(|x| vec![square(x)], &[2.0], &[])));
    assert!(vjp.ends_with("a cotangent has a number for each result"), "{vjp}");
}

/// Memory for cotangents is the caller's, one for each input.
#[test]
#[should_panic(expected = "a cotangent for each input")]
fn a_place_is_missing() {
    let tape = Tape::new();
    let inputs = tape.inputs(&[1.0, 2.0]);
    tape.pull_back_into(&[(inputs[0], 1.0)], &inputs, &mut [0.0]);
}

/// Threads have tapes of their own.
#[test]
fn threads_do_not_meet() {
    let threads: Vec<_> = (0..8)
        .map(|at| std::thread::spawn(move || grad(|x| rosenbrock(x), &[f64::from(at), 2.0])))
        .collect();
    for (at, thread) in threads.into_iter().enumerate() {
        let a = at as f64;
        let expected = [-2.0 * (1.0 - a) - 400.0 * a * (2.0 - a * a), 200.0 * (2.0 - a * a)];
        assert_eq!(thread.join().unwrap(), expected);
    }
}

/// By all directions at once, and by some at a time, where the last have nothing to do.
#[test]
fn gradients_of_few_numbers() {
    fn f<R: Real>(x: &[R]) -> R {
        x[0] * x[1].sin() + x[2] * x[2] * x[0]
    }
    let (x, expected) = ([2.0, 0.5, 3.0], [0.5_f64.sin() + 9.0, 2.0 * 0.5_f64.cos(), 12.0]);
    assert_eq!(grad_forward::<3, 3>(f, x), expected);
    assert_eq!(grad_forward::<1, 3>(f, x), expected);
    assert_eq!(grad_forward::<2, 3>(f, x), expected);
    assert_eq!(grad_forward::<4, 3>(f, x), expected);
    assert_eq!(grad_forward::<4, 0>(|_| Dual::of(1.0), []), [0.0; 0]);
}

/// One function after another, of more and of fewer numbers; a tape goes to another thread with its memory.
#[test]
fn a_tape_for_many_gradients() {
    let mut tape = Tape::new();
    let mut gradient = [0.0; 3];
    let value = tape.value_and_grad_into(|x| x[0] * x[1] * x[2], &[2.0, 3.0, 5.0], &mut gradient);
    assert_eq!((value, gradient), (30.0, [15.0, 10.0, 6.0]));
    tape.value_and_grad_into(|x| x[0].sin(), &[0.0], &mut gradient[..1]);
    assert_eq!(gradient, [1.0, 10.0, 6.0]);
    assert_eq!(tape.value_and_grad_into(|_| Var::of(7.0), &[], &mut []), 7.0);
    let again = std::thread::spawn(move || {
        let value = tape.value_and_grad_into(|x| x[0] * x[2], &[2.0, 3.0, 5.0], &mut gradient);
        (value, gradient)
    });
    assert_eq!(again.join().unwrap(), (10.0, [5.0, 0.0, 2.0]));
}

/// An input takes memory once, and not with each gradient.
#[test]
fn inputs_of_a_tape_stay_where_they_are() {
    let (x, mut gradient) = ([1.0; 100], [0.0; 100]);
    let (mut tape, mut places) = (Tape::new(), Vec::new());
    for _ in 0..3 {
        let taken = vec![0_u8; 5000];
        let mut seen = 0;
        tape.value_and_grad_into(
            |x| {
                seen = x.as_ptr() as usize;
                x[0]
            },
            &x,
            &mut gradient,
        );
        places.push(seen);
        drop(taken);
    }
    assert!(places.iter().all(|it| *it == places[0]), "{places:?}");
}
