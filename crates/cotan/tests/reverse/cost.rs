//! What derivatives cost by the tape, counted by the interpreter.
//!
//! Gradients of the examples are measured in `crates/cotan/tests/cost.rs`.

use super::{answer, compile, numbers};

/// The operations of an expression in `x`, which has `n` numbers.
#[track_caller]
fn cost(text: &str, expression: &str, n: usize) -> f64 {
    answer(&mut compile(text), expression, &[numbers(n)]).cost().total() as f64
}

/// How much more an expression costs at twice the size.
#[track_caller]
fn growth(text: &str, expression: &str, n: usize) -> f64 {
    cost(text, expression, 2 * n) / cost(text, expression, n)
}

/// Functions of an array to a number.
const FUNCTIONS: [(&str, &str); 6] = [
    ("elementwise", "sum(exp(-(x * x)) * tanh(x))"),
    ("element by element", "sum(build i < n => sin(x[i]) * x[n - 1 - i])"),
    ("product", "product(x + 1.0)"),
    ("fold", "fold(\\s, y => s * y + sin(s), 1.0, x)"),
    ("while", "while(\\p => p.1 < n, \\p => (p.0 + x[p.1] * p.0, p.1 + 1), (1.0, 0)).0"),
    ("recursion", "walk(x, 0)"),
];

fn text(body: &str) -> String {
    format!(
        "def f(x: [n]Real): Real = {body}
        def walk(x: [n]Real, i: Int): Real =
          if i == n then 0.0 else x[i] * cos(walk(x, i + 1))"
    )
}

/// Operations that are allowed for each number of the argument, besides.
const INPUT: f64 = 4.0;

/// Checks that an operator costs at most `factor` times the function, at n, 2n and 4n.
#[track_caller]
fn is_constant_factor(what: &str, expression: &str, factor: f64) {
    for (name, body) in FUNCTIONS {
        let text = text(body);
        for n in [100, 200, 400] {
            let rest = cost(&text, expression, n) - INPUT * n as f64;
            let ratio = rest / cost(&text, "f(x)", n);
            assert!(ratio <= factor, "{what} of {name} at {n}: {ratio:.2} times the function");
        }
    }
}

#[test]
fn a_gradient_costs_a_constant_factor() {
    is_constant_factor("grad", "grad(f)(x)", 6.0);
    is_constant_factor("value_and_grad", "value_and_grad(f)(x)", 6.0);
    is_constant_factor("vjp", "vjp(f)(x)(2.0)", 6.0);
}

/// Forward over reverse.
#[test]
fn a_hessian_times_a_direction_costs_a_constant_factor() {
    is_constant_factor("hvp", "hvp(f)(x, x)", 16.0);
    is_constant_factor("jvp of grad", "jvp(grad(f))(x, x)", 16.0);
}

/// Reverse over reverse: the outer gradient records the inner one as one entry.
#[test]
fn a_gradient_of_a_gradient_costs_a_constant_factor() {
    is_constant_factor("grad of grad", "grad(\\y => sum(grad(f)(y) * y))(x)", 24.0);
    is_constant_factor("grad of vjp", "grad(\\y => sum(vjp(f)(y)(y[0])))(x)", 24.0);
}

/// As many gradients of a constant factor as there are numbers.
#[test]
fn a_hessian_costs_as_much_as_its_rows() {
    for (name, body) in FUNCTIONS {
        let text = text(body);
        for n in [10, 20, 40] {
            let ratio = cost(&text, "hessian(f)(x)", n) / cost(&text, "f(x)", n) / n as f64;
            assert!(ratio <= 16.0, "hessian of {name} at {n}: {ratio:.2} times n functions");
        }
    }
}

/// A Jacobian has as many runs as there are numbers on the smaller side.
#[test]
fn a_jacobian_goes_the_shorter_way() {
    let text = "def spread(a: Real, n: Int): [n]Real = build i < n => sin(a * real(i)) * a
        def wide(x: [n]Real): Real = {
          let j = jacobian(\\a => spread(a, n))(x[0]);
          j[n - 1]
        }
        def narrow(x: [n]Real): Real = jacobian(\\y => sum(sin(y) * y))(x)[n - 1]
        def square(x: [n]Real): Real = jacobian(\\y => y * sum(y))(x)[n - 1][0]";
    for n in [50, 100, 200] {
        let wide = growth(text, "wide(x)", n);
        assert!((1.8..2.2).contains(&wide), "1 to {n}: {wide:.2} times as much at twice the size");
        let narrow = growth(text, "narrow(x)", n);
        assert!((1.8..2.2).contains(&narrow), "{n} to 1: {narrow:.2} times");
        // Neither way is shorter.
        let square = growth(text, "square(x)", n);
        assert!((3.5..4.5).contains(&square), "{n} to {n}: {square:.2} times");
    }
}

/// A Jacobian inside of a gradient has as many runs as there are numbers on its smaller side.
#[test]
fn a_jacobian_inside_of_a_gradient_goes_the_shorter_way() {
    let text = "def spread(a: Real, n: Int): [n]Real = build i < n => sin(a * real(i)) * a
        def wide(x: [n]Real): [n]Real =
          grad(\\y => sum(jacobian(\\a => spread(a * y[1], n))(y[0])))(x)
        def narrow(x: [n]Real): [n]Real =
          grad(\\z => sum(jacobian(\\y => sum(sin(y) * y))(z)))(x)";
    for n in [50, 100] {
        for which in ["wide", "narrow"] {
            let growth = growth(text, &format!("{which}(x)"), n);
            assert!((1.8..2.3).contains(&growth), "{which} at {n}: {growth:.2} times");
        }
    }
}
