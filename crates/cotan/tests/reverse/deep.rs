//! Deep recursion and long tapes under `grad`: they run, or end with an error that says what to do.

use cotan::{Argument, Style};

use super::{answer, compile, compile_within, eval};

const POWER: &str =
    "def power(x: Real, n: Int): Real = if n == 0 then 1.0 else x * power(x, n - 1)";

/// Not a tail call: every level waits for the one below. The default limit is enough.
#[test]
fn a_million_nested_calls_are_differentiated() {
    let mut program = compile(POWER);
    // d/dx x^n = n at 1.
    let slope = answer(&mut program, "grad(\\x => power(x, 1_000_000))(1.0)", &[]);
    assert_eq!(slope.to_text(), "1000000.0");
    assert_eq!(slope.tape().contributions, 2 * 1_000_000 - 1);
    // What they took is free again.
    assert_eq!(eval(&mut program, "grad(\\x => power(x, 3))(2.0)", &[]), "12.0");
}

/// Ackermann's function, carrying a real that grows by `x` at the bottom of every chain of calls: at
/// x = 1 value and derivative are the number of them.
const ACKERMANN: &str = "def ack(m: Int, n: Int, s: Real, x: Real): (Int, Real) =
    if m == 0 then (n + 1, s + x)
    else if n == 0 then ack(m - 1, 1, s, x)
    else { let (k, t) = ack(m, n - 1, s, x); ack(m - 1, k, t, x) }
def count(m: Int, n: Int, x: Real): Real = ack(m, n, 0.0, x).1";

#[test]
fn ackermann_is_differentiated() {
    let mut program = compile(ACKERMANN);
    assert_eq!(eval(&mut program, "ack(2, 200, 0.0, 1.0).0", &[]), "403");
    let count = eval(&mut program, "count(2, 200, 1.0)", &[]);
    assert_eq!(eval(&mut program, "grad(\\x => count(2, 200, x))(1.0)", &[]), count);
}

/// What is too deep or too long for the limit, and which error it ends in.
#[test]
fn beyond_the_limit_the_error_is_clear_and_the_program_goes_on() {
    let endless = "def endless(x: Real): Real = x * endless(x)
        def spin(x: Real): Real = spin(sin(x))
        def fill(x: Real): Real = while(\\y => y > 0.0, \\y => y * 1.0000000001, x)
        def rows(x: Real): Real = sum(iterate(1_000_000, \\v => sin(v) * x, replicate(1000, x)))";
    let text = format!(
        "{POWER}\n{ACKERMANN}\n{endless}
        def main(which: Int, x: Real): Real = {{
          let run = \\f => grad(f)(x);
          if which == 0 then run(\\y => power(y, 3))
          else if which == 1 then run(endless)
          else if which == 2 then run(spin)
          else if which == 3 then run(fill)
          else if which == 4 then run(rows)
          else if which == 5 then run(\\y => power(y, 1_000_000))
          else run(\\y => count(4, 2, y))
        }}"
    );
    let memory = 32 << 20;
    let mut program = compile_within(&text, memory);
    let mut main = |which: usize| {
        let arguments = [Argument::json("which", &which.to_string()), Argument::real("x", 1.0)];
        program.call("main", &arguments).map(|it| it.to_text())
    };
    // One program, one evaluator: each must leave it as it was.
    for (which, code) in
        [(1, "E0604"), (2, "E0604"), (3, "E0613"), (4, "E0613"), (5, "E0604"), (6, "E0613")]
    {
        let report = main(which).expect_err("it does not fit");
        assert_eq!(report.codes(), [code], "{}", report.render(Style::Plain));
        assert_eq!(main(0).unwrap_or_else(|it| panic!("{}", it.render(Style::Plain))), "3.0");
    }
}

/// A list of many numbers: its gradient is a list, too, and as long.
#[test]
fn a_long_list_is_differentiated() {
    let text = "def total(xs: List<Real>): Real = match xs {
          Nil => 0.0,
          Cons(x, rest) => x * x + total(rest),
        }
        def range(n: Int): List<Real> =
          iterate(n, \\p => (Cons(real(p.1), p.0), p.1 + 1), (Nil, 0)).0
        def halves(n: Int): Real = total(grad(\\xs => 0.5 * total(xs))(range(n)))";
    // The gradient of half the sum of squares is the list itself: the sum of squares below n.
    let n = 100_000.0_f64;
    let found: f64 = eval(&mut compile(text), "halves(100_000)", &[]).parse().expect("a real");
    let expected = (n - 1.0) * n * (2.0 * n - 1.0) / 6.0;
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
}
