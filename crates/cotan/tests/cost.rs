//! What derivatives cost, counted by the interpreter.
//!
//! Forward mode does a constant factor more work than the program: the claim in the header of
//! `crates/ad/src/forward.rs`, checked at n, 2n and 4n. `grad` makes one pass for every number.

use cotan::{Compiler, Options, Via};

fn work(text: &str, expression: &str) -> u64 {
    let mut program = Compiler::new(Options { via: Via::Forward, ..Options::default() })
        .compile("cost.cot", text)
        .unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)));
    let answer = program.eval(expression, &[]);
    answer.unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)));
    program.cost().total()
}

/// Programs of an array, and the factor that one pass may cost at most.
const PROGRAMS: [(&str, &str, f64); 6] = [
    ("elementwise", "def f(x: [n]Real): Real = sum(exp(-(x * x)) * tanh(x))", 4.0),
    (
        "element by element",
        "def f(x: [n]Real): Real = sum(build i < n => sin(x[i]) * x[n - 1 - i])",
        4.0,
    ),
    ("logsumexp", "def f(x: [n]Real): Real = logsumexp(x)", 4.0),
    ("fold", "def f(x: [n]Real): Real = fold(\\s, y => s * y + sin(s), 1.0, x)", 4.0),
    (
        "while",
        "def f(x: [n]Real): Real = while(\\p => p.1 < n, \\p => (p.0 + x[p.1] * p.0, p.1 + 1), (1.0, 0)).0",
        4.0,
    ),
    (
        "recursion",
        "def f(x: [n]Real): Real = g(x, 0)\ndef g(x: [n]Real, i: Int): Real = if i == n then 0.0 else x[i] * cos(g(x, i + 1))",
        4.0,
    ),
];

#[test]
fn one_pass_costs_a_constant_factor_at_every_size() {
    for (name, text, factor) in PROGRAMS {
        for n in [100, 200, 400] {
            let x = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
            let made = work(text, &format!("sum{x}"));
            let primal = work(text, &format!("f{x}"));
            let pass = work(text, &format!("jvp(f)({x}, {x})"));
            let ratio = (pass as f64 - 2.0 * made as f64) / (primal as f64 - made as f64);
            assert!(ratio <= factor, "{name} at {n}: one pass costs {ratio:.2} times the program");
        }
    }
}

#[test]
fn a_gradient_costs_one_pass_for_every_number() {
    let (_, text, factor) = PROGRAMS[0];
    let at = |n: u64| {
        let x = format!("(build i < {n} => 0.001 * real(i))");
        (work(text, &format!("f{x}")), work(text, &format!("grad(f){x}")))
    };
    let (primal, gradient) = at(50);
    assert!(gradient as f64 <= factor * 50.0 * primal as f64, "{gradient} against {primal}");
    let (_, twice) = at(100);
    let growth = twice as f64 / gradient as f64;
    assert!((3.0..5.0).contains(&growth), "twice the size costs {growth:.2} times as much");
}

#[test]
fn constants_are_not_differentiated() {
    let text = "def heavy(n: Int): Real = sum(build i < n => sin(real(i)))\ndef f(x: Real): Real = x * heavy(1000)";
    let (primal, pass) = (work(text, "f(2.0)"), work(text, "jvp(f)(2.0, 1.0)"));
    assert!(pass <= primal + 20, "{pass} against {primal}: the constant part ran as duals");
}
