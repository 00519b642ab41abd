//! The minimisers on test functions with known minima: Moré, Garbow and Hillstrom, Testing Unconstrained
//! Optimization Software, ACM TOMS 7 (1981). Derivatives are by overloading.

use minimise::{
    Found, Rates, Stop, Why, adam, gauss_newton, gradient_descent, lbfgs, levenberg_marquardt,
    newton_cg,
};
use real::{Real, hvp, jacobian, value_and_grad};

/// The problems, by their numbers in the article.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Problem {
    Rosenbrock,
    FreudensteinRoth,
    PowellBadlyScaled,
    BrownBadlyScaled,
    Beale,
    HelicalValley,
    Bard,
    PowellSingular,
    Wood,
    KowalikOsborne,
    BrownDennis,
    Watson,
}

use Problem::*;

/// Each with its starting point and the sums of squares at its minima.
const PROBLEMS: &[(Problem, &[f64], &[f64])] = &[
    (Rosenbrock, &[-1.2, 1.0], &[0.0]),
    (FreudensteinRoth, &[0.5, -2.0], &[0.0, 48.9842]),
    (PowellBadlyScaled, &[0.0, 1.0], &[0.0]),
    (BrownBadlyScaled, &[1.0, 1.0], &[0.0]),
    (Beale, &[1.0, 1.0], &[0.0]),
    (HelicalValley, &[-1.0, 0.0, 0.0], &[0.0]),
    (Bard, &[1.0, 1.0, 1.0], &[8.21487e-3]),
    (PowellSingular, &[3.0, -1.0, 0.0, 1.0], &[0.0]),
    (Wood, &[-3.0, -1.0, -3.0, -1.0], &[0.0]),
    (KowalikOsborne, &[0.25, 0.39, 0.415, 0.39], &[3.07505e-4]),
    (BrownDennis, &[25.0, 5.0, -5.0, -1.0], &[85822.2]),
    (Watson, &[0.0; 6], &[2.28767e-3]),
];

fn residuals<R: Real>(problem: Problem, x: &[R]) -> Vec<R> {
    let of = R::of;
    match problem {
        Rosenbrock => vec![of(10.0) * (x[1] - x[0] * x[0]), of(1.0) - x[0]],
        FreudensteinRoth => vec![
            of(-13.0) + x[0] + ((of(5.0) - x[1]) * x[1] - of(2.0)) * x[1],
            of(-29.0) + x[0] + ((x[1] + of(1.0)) * x[1] - of(14.0)) * x[1],
        ],
        PowellBadlyScaled => {
            vec![of(1e4) * x[0] * x[1] - of(1.0), (-x[0]).exp() + (-x[1]).exp() - of(1.0001)]
        }
        BrownBadlyScaled => vec![x[0] - of(1e6), x[1] - of(2e-6), x[0] * x[1] - of(2.0)],
        Beale => [1.5, 2.25, 2.625]
            .iter()
            .zip([x[1], x[1] * x[1], x[1] * x[1] * x[1]])
            .map(|(y, power)| of(*y) - x[0] * (of(1.0) - power))
            .collect(),
        HelicalValley => {
            let angle = (x[1] / x[0]).atan() / of(2.0 * std::f64::consts::PI);
            let angle = if x[0].value() < 0.0 { angle + of(0.5) } else { angle };
            let length = (x[0] * x[0] + x[1] * x[1]).sqrt();
            vec![of(10.0) * (x[2] - of(10.0) * angle), of(10.0) * (length - of(1.0)), x[2]]
        }
        Bard => {
            let y = [
                0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10,
                4.39,
            ];
            let residual = |(at, y): (usize, f64)| {
                let (u, v) = (at as f64 + 1.0, 15.0 - at as f64);
                of(y) - (x[0] + of(u) / (of(v) * x[1] + of(u.min(v)) * x[2]))
            };
            y.into_iter().enumerate().map(residual).collect()
        }
        PowellSingular => {
            let (a, b) = (x[1] - of(2.0) * x[2], x[0] - x[3]);
            vec![
                x[0] + of(10.0) * x[1],
                of(5f64.sqrt()) * (x[2] - x[3]),
                a * a,
                of(10f64.sqrt()) * b * b,
            ]
        }
        Wood => vec![
            of(10.0) * (x[1] - x[0] * x[0]),
            of(1.0) - x[0],
            of(90f64.sqrt()) * (x[3] - x[2] * x[2]),
            of(1.0) - x[2],
            of(10f64.sqrt()) * (x[1] + x[3] - of(2.0)),
            of(0.1f64.sqrt()) * (x[1] - x[3]),
        ],
        KowalikOsborne => {
            let y = [
                0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235,
                0.0246,
            ];
            let u = [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625];
            let residual = |(y, u): (f64, f64)| {
                let square = of(u * u);
                of(y) - x[0] * (square + of(u) * x[1]) / (square + of(u) * x[2] + x[3])
            };
            y.into_iter().zip(u).map(residual).collect()
        }
        BrownDennis => {
            let residual = |at: i32| {
                let t = f64::from(at) / 5.0;
                let a = x[0] + of(t) * x[1] - of(t.exp());
                let b = x[2] + x[3] * of(t.sin()) - of(t.cos());
                a * a + b * b
            };
            (1..=20).map(residual).collect()
        }
        Watson => {
            let residual = |at: i32| {
                let t = f64::from(at) / 29.0;
                let (mut slope, mut value) = (R::zero(), R::zero());
                for (j, it) in x.iter().enumerate() {
                    if j > 0 {
                        slope += of(j as f64 * t.powi(j as i32 - 1)) * *it;
                    }
                    value += of(t.powi(j as i32)) * *it;
                }
                slope - value * value - of(1.0)
            };
            let mut res: Vec<R> = (1..=29).map(residual).collect();
            res.extend([x[0], x[1] - x[0] * x[0] - of(1.0)]);
            res
        }
    }
}

fn squares<R: Real>(problem: Problem, x: &[R]) -> R {
    residuals(problem, x).into_iter().fold(R::zero(), |sum, it| sum + it * it)
}

/// Whether it is one of the minima of the article, to the digits that stand there.
fn is_minimum(value: f64, minima: &[f64]) -> bool {
    minima.iter().any(|it| (value - it).abs() <= 1e-5 * it.max(1e-6))
}

fn check(name: &str, problem: Problem, found: &Found, value: f64, minima: &[f64]) {
    let why = found.why;
    assert!(
        is_minimum(value, minima),
        "{name}, {problem:?}: {value}, {why:?} after {} steps",
        found.trace.len()
    );
    assert_ne!(found.why, Why::NoNumber, "{name}, {problem:?}");
    let falls = found.trace.windows(2).all(|it| it[1].0 <= it[0].0);
    assert!(falls, "{name}, {problem:?}: {:?}", found.trace);
    assert_eq!(found.trace.last().map(|it| it.0), Some(found.value));
}

#[test]
fn quasi_newton() {
    for (problem, start, minima) in PROBLEMS {
        let f = |x: &[f64]| value_and_grad(|x| squares(*problem, x), x);
        let found = lbfgs(f, start, &Stop { gradient: 1e-10, ..Stop::default() });
        check("lbfgs", *problem, &found, found.value, minima);
    }
}

#[test]
fn newton() {
    for (problem, start, minima) in PROBLEMS {
        let f = |x: &[f64]| value_and_grad(|x| squares(*problem, x), x);
        let h = |x: &[f64], d: &[f64]| hvp(|x| squares(*problem, x), x, d);
        let found = newton_cg(f, h, start, &Stop { gradient: 1e-10, ..Stop::default() });
        check("newton_cg", *problem, &found, found.value, minima);
    }
}

#[test]
fn least_squares() {
    for (problem, start, minima) in PROBLEMS {
        let f = |x: &[f64]| (residuals(*problem, x), jacobian(|x| residuals(*problem, x), x));
        let found = levenberg_marquardt(f, start, &Stop { gradient: 1e-10, ..Stop::default() });
        check("levenberg_marquardt", *problem, &found, 2.0 * found.value, minima);
        let f = |x: &[f64]| (residuals(*problem, x), jacobian(|x| residuals(*problem, x), x));
        let found = gauss_newton(f, start, &Stop { gradient: 1e-10, ..Stop::default() });
        check("gauss_newton", *problem, &found, 2.0 * found.value, minima);
    }
}

/// One step solves what is linear, x + y = 3 and x - y = 1; a direction that nothing depends on stays.
#[test]
fn a_linear_model_is_solved_at_once() {
    let f = |x: &[f64]| {
        let rows = vec![vec![1.0, 1.0, 0.0], vec![1.0, -1.0, 0.0]];
        (vec![x[0] + x[1] - 3.0, x[0] - x[1] - 1.0], rows)
    };
    let found = gauss_newton(f, &[100.0, -7.0, 5.0], &Stop::default());
    assert_eq!((found.why, found.evaluations, found.trace.len()), (Why::Gradient, 2, 2));
    assert!((found.x[0] - 2.0).abs() < 1e-12 && (found.x[1] - 1.0).abs() < 1e-12);
    assert_eq!(found.x[2], 5.0);
}

/// Those that steepest descent reaches in some thousand steps; Adam by steps of a hundredth.
#[test]
fn first_order() {
    let stop = Stop { steps: 20_000, ..Stop::default() };
    for (problem, start, minima) in PROBLEMS {
        if [Rosenbrock, Beale, HelicalValley, Bard].contains(problem) {
            let f = |x: &[f64]| value_and_grad(|x| squares(*problem, x), x);
            let found = gradient_descent(f, start, &stop);
            check("gradient_descent", *problem, &found, found.value, minima);
        }
        if [Rosenbrock, Beale, Bard].contains(problem) {
            let f = |x: &[f64]| value_and_grad(|x| squares(*problem, x), x);
            let rates = Rates { step: 1e-2, ..Rates::default() };
            let found = adam(f, start, &rates, &stop);
            assert!(is_minimum(found.value, minima), "{problem:?}: {}", found.value);
        }
    }
}

/// What is no number at the start, a constant, a function whose gradient is wrong, one without a bottom.
#[test]
fn odd_functions() {
    let stop = Stop { steps: 50, ..Stop::default() };
    let why = |f: fn(&[f64]) -> (f64, Vec<f64>)| lbfgs(f, &[1.0], &stop).why;
    assert_eq!(why(|_| (f64::NAN, vec![1.0])), Why::NoNumber);
    assert_eq!(why(|_| (1.0, vec![f64::INFINITY])), Why::NoNumber);
    assert_eq!(why(|_| (1.0, vec![0.0])), Why::Gradient);
    assert_eq!(why(|x: &[f64]| (x[0], vec![-1.0])), Why::NoDescent);
    // The logarithm ends at 0: steps beyond it are taken back.
    let found = lbfgs(|x: &[f64]| (x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]]), &[30.0], &stop);
    assert!((found.x[0] - 1.0).abs() < 1e-8, "{found:?}");
    // Nothing to choose.
    assert_eq!(lbfgs(|_: &[f64]| (2.0, Vec::new()), &[], &stop).why, Why::Gradient);
    // A residual that nothing depends on.
    let found = levenberg_marquardt(
        |x: &[f64]| (vec![x[0] - 3.0], vec![vec![1.0, 0.0]]),
        &[1.0, 7.0],
        &stop,
    );
    assert!((found.x[0] - 3.0).abs() < 1e-6 && found.x[1] == 7.0, "{found:?}");
}
