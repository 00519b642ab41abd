//! Derivatives of functions of slices: closures that call generic code, `|x| f(x)` for
//! `fn f<R: Real>(x: &[R]) -> R`. (The function itself would be one for a tape of one lifetime.)

use crate::dual::Dual;
use crate::real::Real;
use crate::tape::Tape;
use crate::var::Var;

/// How many directions go through a function at once: as many doubles as the widest vector of most
/// machines.
const AT_ONCE: usize = 8;

/// For how many operations by each input there is memory at first: most functions use an input a few times.
const AT_FIRST: usize = 4;

/// The gradient, by one run and one sweep back.
pub fn grad(f: impl for<'t> Fn(&[Var<'t>]) -> Var<'t>, x: &[f64]) -> Vec<f64> {
    value_and_grad(f, x).1
}

/// The value and the gradient.
pub fn value_and_grad(f: impl for<'t> Fn(&[Var<'t>]) -> Var<'t>, x: &[f64]) -> (f64, Vec<f64>) {
    let tape = Tape::with_capacity(AT_FIRST * x.len());
    let inputs = tape.inputs(x);
    let result = f(&inputs);
    (result.value, tape.pull_back(&[(result, 1.0)], &inputs))
}

/// The gradient of a function of few numbers, by tangents: `N` of them by each run, and neither a tape nor
/// other memory. An `N` that is even and no less than the numbers is fastest: `grad_forward::<8, _>` of
/// seven.
pub fn grad_forward<const N: usize, const K: usize>(
    f: impl Fn(&[Dual<f64, N>]) -> Dual<f64, N>,
    x: [f64; K],
) -> [f64; K] {
    const { assert!(N > 0, "a run has tangents") };
    let mut gradient = [0.0; K];
    for (chunk, found) in gradient.chunks_mut(N).enumerate() {
        let from = chunk * N;
        let inputs: [_; K] = std::array::from_fn(|at| match at.checked_sub(from) {
            Some(direction) => Dual::input(x[at], direction),
            None => Dual::of(x[at]),
        });
        found.copy_from_slice(&f(&inputs).tangents[..found.len()]);
    }
    gradient
}

/// The value of a function of several results, and a cotangent of them pulled back.
///
/// # Panics
/// If the cotangent has not as many numbers as there are results.
pub fn vjp(
    f: impl for<'t> Fn(&[Var<'t>]) -> Vec<Var<'t>>,
    x: &[f64],
    cotangent: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let tape = Tape::with_capacity(AT_FIRST * x.len());
    let inputs = tape.inputs(x);
    let results = f(&inputs);
    assert_eq!(results.len(), cotangent.len(), "a cotangent has a number for each result");
    let given: Vec<_> = results.iter().copied().zip(cotangent.iter().copied()).collect();
    (results.iter().map(|it| it.value).collect(), tape.pull_back(&given, &inputs))
}

/// The value of a function of several results, and its derivative in a direction.
///
/// # Panics
/// If the direction has not as many numbers as `x`.
pub fn jvp(
    f: impl Fn(&[Dual<f64, 1>]) -> Vec<Dual<f64, 1>>,
    x: &[f64],
    direction: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    assert_eq!(x.len(), direction.len(), "a direction has a number for each input");
    let inputs: Vec<_> = x.iter().zip(direction).map(|(x, dx)| Dual::new(*x, [*dx])).collect();
    f(&inputs).iter().map(|it| (it.value, it.tangents[0])).unzip()
}

/// The Jacobian of a function of several results, a row for each of them: eight columns by each run.
pub fn jacobian(
    f: impl Fn(&[Dual<f64, AT_ONCE>]) -> Vec<Dual<f64, AT_ONCE>>,
    x: &[f64],
) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    // Without parameters it runs once, for the number of rows.
    for from in (0..x.len().max(1)).step_by(AT_ONCE) {
        let input = |(at, it): (usize, &f64)| match at.checked_sub(from) {
            Some(direction) => Dual::input(*it, direction),
            None => Dual::of(*it),
        };
        let inputs: Vec<_> = x.iter().enumerate().map(input).collect();
        let results = f(&inputs);
        rows.resize(results.len(), Vec::new());
        let columns = (x.len() - from).min(AT_ONCE);
        for (row, result) in rows.iter_mut().zip(results) {
            row.extend_from_slice(&result.tangents[..columns]);
        }
    }
    rows
}

/// The Hessian: the gradient of numbers with tangents, eight rows by each run.
pub fn hessian(
    f: impl for<'t> Fn(&[Var<'t, Dual<f64, AT_ONCE>>]) -> Var<'t, Dual<f64, AT_ONCE>>,
    x: &[f64],
) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for from in (0..x.len()).step_by(AT_ONCE) {
        let tape = Tape::new();
        let input = |(at, it): (usize, &f64)| match at.checked_sub(from) {
            Some(direction) => tape.input(Dual::input(*it, direction)),
            None => tape.input(Dual::of(*it)),
        };
        let inputs: Vec<_> = x.iter().enumerate().map(input).collect();
        let result = f(&inputs);
        let gradient = tape.pull_back(&[(result, Dual::one())], &inputs);
        for direction in 0..(x.len() - from).min(AT_ONCE) {
            rows.push(gradient.iter().map(|it| it.tangents[direction]).collect());
        }
    }
    rows
}

/// The Hessian times a direction, by one run of numbers with one tangent and one sweep back.
///
/// # Panics
/// If the direction has not as many numbers as `x`.
pub fn hvp(
    f: impl for<'t> Fn(&[Var<'t, Dual<f64, 1>>]) -> Var<'t, Dual<f64, 1>>,
    x: &[f64],
    direction: &[f64],
) -> Vec<f64> {
    assert_eq!(x.len(), direction.len(), "a direction has a number for each input");
    let tape = Tape::new();
    let point = x.iter().zip(direction);
    let inputs: Vec<_> = point.map(|(x, dx)| tape.input(Dual::new(*x, [*dx]))).collect();
    let result = f(&inputs);
    let gradient = tape.pull_back(&[(result, Dual::one())], &inputs);
    gradient.iter().map(|it| it.tangents[0]).collect()
}
