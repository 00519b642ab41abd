//! Vector forward mode: runs in several directions that go in step give what a run in each gives, to the bit,
//! and are one run of the function for thirty-two directions.
//!
//! The same on random programs: the law "directions in step" in `crates/generate/tests/laws/mod.rs`.

use cotan::{Answer, Backend, Compiler, Options, Precision, Report, Style, Via};

/// `lgamma` is what a run of the function computes once: its derivative is another function.
const AROUND: &str = r"
def unit(n: Int, k: Int): [n]Real = build i < n => if i == k then 1.0 else 0.0
def marked(x: [n]Real): [n]Real = {
  let mark = lgamma(x[0] * x[0] + 2.0);
  map(\y => y + mark, f(x))
}
def together(x: [n]Real): [n][n]Real = jacobian(marked)(x)
def one_by_one(x: [n]Real): [n][n]Real = transpose(build k < n => jvp(marked)(x, unit(n, k)))
";

/// Functions of an array of at least one number, which go in step.
const IN_STEP: &[(&str, &str)] = &[
    ("a fold", r"replicate(n, fold(\s, y => s * y + sin(s), 1.0, x))"),
    ("whole arrays", "exp(-(x * x)) * tanh(x) / (1.0 + x * x)"),
    ("numbers and arrays", "x[0] * x + sum(x) - x / x[n - 1]"),
    ("a difference from what stays", "x - sin(x)"),
    ("differences of numbers", r"map(\y => y - sin(y) - y, x)"),
    ("a number less an array", "x[0] - x * x - (x * x - x[0])"),
    ("elements", "build i < n => sin(x[i]) * x[n - 1 - i]"),
    ("rearranged", "{ let y = concat(x, reverse(x)); y[0..n] * reverse(y[n..2 * n]) }"),
    ("constants among them", "{ let y = concat(replicate(n, 1.0), x * x); y[1..n + 1] }"),
    ("a matrix", "{ let a = outer(x, x * x); vecmat(x, transpose(a)) }"),
    ("axes", r"map(\r => maximum(r) + product(r), outer(x, x + 1.0))"),
    ("a product with zeros", "replicate(n, product(x - x[0]) + product(x))"),
    ("the greatest", "replicate(n, maximum(x) * minimum(x) + maximum(x))"),
    ("sorted", "sort(x) * iota_reals(n)"),
    ("a scan", r"scan(\s, y => s * cos(y) + y, 0.5, x)"),
    (
        "a loop while",
        r"replicate(n, while(\(s, i) => i < n, \(s, i) => (s + x[i] * s, i + 1), (1.0, 0)).0)",
    ),
    ("branches", r"map(\y => if y > 0.3 then y * y else 2.0, x)"),
    ("a constant", "replicate(n, 2.0)"),
    ("ends here", "stop_gradient(x) * x"),
    ("discrete", r"map(\y => floor(3.0 * y) + round(y) + abs(y), x)"),
    ("not a number", r"map(\y => sqrt(y - y) * log(y - y) + y, x)"),
    ("recursion", "replicate(n, walk(x, 0))"),
    ("a list", "replicate(n, total(listed(x, 0)))"),
    ("pairs", r"map(\(a, k) => a * real(k), zip(x, iota(n)))"),
    ("functions", r"{ let g = \y => y * x[0]; let h = compose(g, sin); map(h, x) }"),
    ("filtered", r"replicate(n, sum(filter(\y => y > 0.2, x)))"),
    ("gathered", r"gather(x * x, map(\i => i * i % n, iota(n)))"),
    (
        "scattered",
        "scatter(replicate(n, 0.5), iota(n), x) + scatter(x, reverse(iota(n)), replicate(n, 1.0))",
    ),
    ("numbers scattered", "scatter(x, replicate(n, 0), x * x[0])"),
    ("two states", r"fold(\(a, b), y => (b, a * y), (x, replicate(n, 1.0)), x).0"),
    ("chosen", "replicate(n, if x[0] > 0.0 then x[0] else 1.0)"),
    ("a jvp of its own", "squares(x)"),
];

/// What they call.
const HELPERS: &str = r"
def iota_reals(n: Int): [n]Real = build i < n => 1.0 + real(i)
def walk(x: [n]Real, i: Int): Real = if i == n then 1.0 else x[i] * cos(walk(x, i + 1))
def listed(x: [n]Real, i: Int): List<(Real, Int)> =
  if i == n then Nil else Cons((x[i] * x[i], i), listed(x, i + 1))
def total(l: List<(Real, Int)>): Real = match l {
  Nil => 0.0,
  Cons((y, i), rest) => y * real(i) + exp(-total(rest))
}
def squares(x: [n]Real): [n]Real = x * x
with jvp(x, dx) = build i < n => 2.0 * x[i] * dx[i]
def capped(x: [n]Real): [n]Real = x * 3.0
with jvp(x, dx) = build i < n => if dx[i] > 0.5 then 3.0 * dx[i] else 0.0 * dx[i]
def cubes(x: [n]Real): [n]Real = x * x * x
with vjp(x, dy) = 3.0 * x * x * dy
";

/// Functions whose runs do not go in step.
const APART: &[(&str, &str)] = &[
    ("a gradient inside", r"map(\y => grad(\z => z * z * y)(y), x)"),
    ("a clause that looks at directions", "capped(x)"),
    ("a vjp of its own", "cubes(x)"),
    ("functions that are handed on", r"{ let g = grad(sin); map(g, x) }"),
];

fn eval(body: &str, expression: &str, precision: Precision) -> Answer {
    let text = format!("{HELPERS}\ndef f(x: [n]Real): [n]Real = {body}\n{AROUND}");
    let options =
        Options { via: Via::Forward, backend: Backend::Interp, precision, ..Options::default() };
    let shown = |it: Report| -> Answer { panic!("{body}\n{}", it.render(Style::Plain)) };
    match Compiler::new(options).compile("directions.cot", &text) {
        Ok(mut program) => program.eval(expression, &[]).unwrap_or_else(shown),
        Err(it) => shown(it),
    }
}

fn runs(answer: &Answer) -> u64 {
    answer.cost().counts.get("lgamma").copied().unwrap_or(0)
}

/// So many numbers of both signs, of which one is zero and some are equal.
fn point(n: usize) -> String {
    format!("(build i < {n} => 0.25 * real((7 * i + 5) % 11) - 0.75)")
}

/// One more than fits, and one that is alone in its run, among others.
const SIZES: [usize; 6] = [1, 2, 7, 32, 33, 70];

#[test]
fn directions_in_step_give_what_each_gives() {
    for precision in [Precision::F64, Precision::F32] {
        for (name, body) in IN_STEP {
            for n in SIZES {
                let x = point(n);
                let found = eval(body, &format!("together({x})"), precision);
                let wanted = eval(body, &format!("one_by_one({x})"), precision);
                assert_eq!(found.to_text(), wanted.to_text(), "{name} at {n}");
                assert_eq!(runs(&wanted), n as u64, "{name} at {n}");
                assert_eq!(runs(&found), n.div_ceil(32) as u64, "{name} at {n}");
            }
        }
    }
}

/// Closed form: the derivatives of s = x0 x1 ... x(n-1) are s / xi. What is kept is what calls without it give,
/// where one run has all directions, and where it has not.
#[test]
fn kept_derivatives_are_right_for_few_and_many_numbers() {
    let body = "x";
    for n in [0, 1, 2, 32, 33, 70] {
        let s = format!("(linearise(\\x => product(x))(build i < {n} => 1.0 + 0.01 * real(i)))");
        let x = format!("(build i < {n} => 1.0 + 0.01 * real(i))");
        let back =
            format!("{{ let (s, _, back) = {s}; distance(back(2.0), 2.0 * s / {x}) < 1e-12 * s }}");
        let push = format!(
            "{{ let (s, push, _) = {s}; abs(push({x}) - {n}.0 * s) < 1e-12 * s * {n}.0 + 1e-12 }}"
        );
        let value = format!("{{ let (s, _, _) = {s}; s == product({x}) }}");
        for expression in [back, push, value] {
            let found = eval(body, &expression, Precision::F64);
            assert_eq!(found.to_text(), "true", "{expression}");
        }
    }
}

#[test]
fn what_does_not_go_in_step_is_right() {
    for (name, body) in APART {
        for n in SIZES {
            let x = point(n);
            let found = eval(body, &format!("together({x})"), Precision::F64);
            let wanted = eval(body, &format!("one_by_one({x})"), Precision::F64);
            assert_eq!(found.to_text(), wanted.to_text(), "{name} at {n}");
            assert!(runs(&found) >= n as u64, "{name} at {n}: {}", runs(&found));
        }
    }
}
