//! How often a function runs whose derivatives are kept, counted by the interpreter.

use cotan::{Argument, METHODS, Style, Via};

use super::{compile, run};
use crate::common::choices;

/// Ten numbers; `lgamma` is what only a run of `f` computes: its derivative is another function.
const F: &str = "def f(x: [n]Real): Real = fold(\\s, y => s * y + lgamma(s + 2.0), 1.0, x)
    def many(back: (Real) -> [n]Real, k: Int): Real =
      if k == 0 then 0.0 else sum(back(real(k))) + many(back, k - 1)
    def given(x: [n]Real): (Real, (Real) -> [n]Real) = { let back = vjp(f)(x); (sum(x), back) }
    def unit(n: Int, k: Int): [n]Real = build i < n => if i == k then 1.0 else 0.0";

const AT: &str = "(build i < 10 => 0.1 + 0.01 * real(i))";

/// How many runs of `f`, at ten numbers, an expression in `x` takes.
fn runs(expression: &str, via: Via) -> f64 {
    let text = format!("{F}\ndef main_at(x: [n]Real): Real = {expression}");
    let answer = run(&mut compile(&text, via), &format!("main_at({AT})"));
    let counts = answer.cost().counts;
    counts.get("lgamma").copied().unwrap_or(0) as f64 / 10.0
}

/// A pull-back that is called ten times, in all kinds of places.
const PULL_BACKS: [(&str, &str); 7] = [
    (
        "in a block",
        "{ let b = vjp(f)(x); sum(b(0.0) + b(1.0) + b(2.0) + b(3.0) + b(4.0) + b(5.0) + b(6.0) + b(7.0) + b(8.0) + b(9.0)) }",
    ),
    ("in a build", "{ let back = vjp(f)(x); sum(build k < 10 => sum(back(real(k)))) }"),
    ("in a fold", "{ let back = vjp(f)(x); fold(\\s, y => s + sum(back(y)), 0.0, x) }"),
    (
        "in a branch",
        "{ let back = vjp(f)(x); if x[0] > 0.0 then sum(build k < 10 => back(real(k))[0]) else 0.0 }",
    ),
    ("handed on", "many(vjp(f)(x), 10)"),
    ("given by a definition", "{ let (y, back) = given(x); y + many(back, 10) }"),
    ("of a linearisation", "{ let (y, _, back) = linearise(f)(x); y + many(back, 10) }"),
];

#[test]
fn a_pull_back_that_is_called_ten_times_is_one_run() {
    for (name, expression) in PULL_BACKS {
        for method in METHODS {
            let found = runs(expression, method.via);
            assert_eq!(found, 1.0, "{name} by {}", method.name);
        }
    }
}

/// Directions, where a method keeps something for them.
#[test]
fn a_tangent_map_that_is_called_ten_times_is_one_run() {
    let direct = "{ let push = jvp(f)(x); sum(build k < 10 => push(unit(n, k))) }";
    let of_all =
        "{ let (y, push, _) = linearise(f)(x); y + sum(build k < 10 => push(unit(n, k))) }";
    let both_ways = "{ let (y, push, back) = linearise(f)(x); y + many(back, 10) + sum(build k < 10 => push(unit(n, k))) }";
    for expression in [direct, of_all, both_ways] {
        for method in METHODS {
            assert_eq!(runs(expression, method.via), 1.0, "by {}", method.name);
        }
    }
}

/// A recursion over ten numbers, with three products for each of them in a derivative of it.
const WALK: &str = "def walk(x: [n]Real, i: Int): Real =
      if i == n then 1.0 else lgamma(x[i] + 2.0) + x[i] * walk(x, i + 1)
    def rows(x: [n]Real, m: Int): [m]Real = { let s = walk(x, 0); build k < m => s + real(k) }
    def total(x: [m][n]Real): Real = sum(map(\\r => sum(r), x))";

/// How many values of `lgamma` and how many products a jacobian of so many rows takes. The number of rows is an
/// argument, so nothing knows it before.
fn of_jacobian(n_rows: usize, via: Via) -> (u64, u64) {
    let m = Argument::json("m", &n_rows.to_string());
    let expression = format!("total(jacobian(\\x => rows(x, m))({AT}))");
    let answer = compile(WALK, via).eval(&expression, &[m]);
    let counts = answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain))).cost().counts;
    let count = |it: &str| counts.get(it).copied().unwrap_or(0);
    (count("lgamma"), count("scale"))
}

/// Two rows are two ways back, fifty are ten ways forth, one for each column; and the function runs once.
#[test]
fn a_jacobian_is_one_run_the_shorter_way() {
    for via in choices::that_make_programs() {
        assert_eq!(of_jacobian(2, via), (10, 2 * 30), "{via:?}");
        assert_eq!(of_jacobian(50, via), (10, 10 * 30), "{via:?}");
    }
    // By sweeps of one tape, which are no products of the program.
    assert_eq!((of_jacobian(2, Via::Tape), of_jacobian(50, Via::Tape)), ((10, 0), (10, 0)));
    // One run in ten directions, whatever the result is.
    assert_eq!(of_jacobian(2, Via::Forward).0, 10);
    assert_eq!(of_jacobian(50, Via::Forward).0, 10);
}

/// The gradient runs once for all rows.
#[test]
fn a_hessian_is_one_run_of_the_gradient() {
    for via in choices::that_make_programs() {
        let text = format!("{WALK}\ndef f(x: [n]Real): Real = walk(x, 0) * walk(x, 0)");
        let answer = run(&mut compile(&text, via), &format!("total(hessian(f)({AT}))"));
        let counts = answer.cost().counts;
        assert_eq!([counts["lgamma"], counts["polygamma"]], [10, 10], "{via:?}");
    }
}
