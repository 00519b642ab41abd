//! How often a function runs whose derivatives are kept, counted by the interpreter.

use cotan::{Argument, METHODS, Style, Via};

use super::{compile, run};

/// Ten numbers; `lgamma` is what only a run of `f` computes: its derivative is another function.
const F: &str = "def f(x: [n]Real): Real = fold(\\s, y => s * y + lgamma(s + 2.0), 1.0, x)
    def many(back: (Real) -> [n]Real, k: Int): Real =
      if k == 0 then 0.0 else sum(back(real(k))) + many(back, k - 1)
    def given(x: [n]Real): (Real, (Real) -> [n]Real) = { let back = vjp(f)(x); (sum(x), back) }
    def unit(n: Int, k: Int): [n]Real = build i < n => if i == k then 1.0 else 0.0";

const AT: &str = "(build i < 10 => 0.1 + 0.01 * real(i))";

/// How many runs of `f`, at ten numbers, an expression in `x` takes.
fn runs(text: &str, expression: &str, via: Via) -> f64 {
    let text = format!("{F}\n{text}\ndef main_at(x: [n]Real): Real = {expression}");
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
            let wanted = match method.via {
                // One to get there, and one in each of ten directions; today's calls took a hundred.
                Via::Forward => 11.0,
                Via::Auto | Via::Tape | Via::Bulk | Via::Chad | Via::Linmap => 1.0,
            };
            let found = runs("", expression, method.via);
            assert_eq!(found, wanted, "{name} by {}", method.name);
        }
    }
}

/// Directions, where a method keeps something for them.
#[test]
fn a_tangent_map_that_is_called_ten_times_is_one_run() {
    let direct = "{ let push = jvp(f)(x); sum(build k < 10 => push(unit(n, k))) }";
    let of_all =
        "{ let (y, push, _) = linearise(f)(x); y + sum(build k < 10 => push(unit(n, k))) }";
    for expression in [direct, of_all] {
        for method in METHODS {
            let wanted = match method.via {
                Via::Forward => 11.0,
                // One to get there, and one for all directions together.
                Via::Chad => 2.0,
                Via::Auto | Via::Tape | Via::Bulk | Via::Linmap => 1.0,
            };
            assert_eq!(runs("", expression, method.via), wanted, "by {}", method.name);
        }
    }
}

/// `jacobian` goes the way with fewer runs, also if only the call says which that is, and the function runs once
/// for all rows or columns.
#[test]
fn a_jacobian_is_one_run_the_shorter_way() {
    let text =
        "def rows(x: [n]Real, m: Int): [m]Real = { let s = f(x); build k < m => s * real(k) }
        def two(x: [n]Real): [2]Real = { let s = f(x); [s, 2.0 * s] }
        def total(x: [m][n]Real): Real = sum(map(\\r => sum(r), x))";
    // How many rows there are is an argument, so nothing knows before.
    let work = |m: usize, via: Via| {
        let mut program = compile(&format!("{F}\n{text}"), via);
        let m = Argument::json("m", &m.to_string());
        let answer = program.eval(&format!("total(jacobian(\\x => rows(x, m))({AT}))"), &[m]);
        let counts =
            answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain))).cost().counts;
        let count = |it: &str| counts.get(it).copied().unwrap_or(0);
        (count("lgamma"), count("digamma"))
    };
    for via in [Via::Bulk, Via::Linmap] {
        // Two rows and fifty: one run, with the partial derivatives of its steps once.
        assert_eq!((work(2, via), work(50, via)), ((10, 10), (10, 10)), "{via:?}");
        assert_eq!(runs(text, "total(jacobian(two)(x))", via), 1.0, "{via:?}");
        assert_eq!(runs(text, "total(hessian(f)(x))", via), 1.0, "{via:?}");
    }
    // A recording tells the sizes; then two sweeps back, or ten forth.
    assert_eq!((work(2, Via::Tape), work(50, Via::Tape)), ((10, 10), (10, 10)));
    // By `chad` a loop is seen to be the same for all columns.
    assert_eq!((work(2, Via::Chad), work(50, Via::Chad)), ((10, 10), (10, 10)));
    // By forward mode there are ten columns in any case.
    assert_eq!((work(2, Via::Forward).0, work(50, Via::Forward).0), (100, 100));
}
