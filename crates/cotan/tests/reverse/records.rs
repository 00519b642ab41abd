//! What is recorded, and in how many bytes.

use cotan::{Argument, Options};

use super::{compile_within, eval, numbers, recorded};

/// The contributions of a gradient at `x`, a number.
#[track_caller]
fn contributions(text: &str, function: &str, x: f64) -> u64 {
    let stats = recorded(text, &format!("grad({function})(x)"), &[Argument::real("x", x)]);
    stats.contributions
}

/// The contributions and the entries for whole arrays of a gradient at `n` numbers. One of the
/// entries stands for the input.
#[track_caller]
fn entries(text: &str, n: usize) -> (u64, u64) {
    let stats = recorded(text, "grad(f)(x)", &[numbers(n)]);
    (stats.contributions, stats.wholes - 1)
}

#[test]
fn constants_leave_no_entry() {
    let text = "def heavy(n: Int): Real = sum(build i < n => sin(real(i)))
        def mixed(x: Real, c: Real, n: Int): Real =
          if n == 0 then x else mixed(x + c, sin(c) * 2.0, n - 1)
        def counted(n: Int): Real = iterate(n, \\s => s * 1.01, 1.0)";
    // Only the product has an active operand.
    assert_eq!(contributions(text, "\\x => x * heavy(1000)", 2.0), 1);
    // Of each call one addition, and nothing of what happens to `c`.
    assert_eq!(contributions(text, "\\x => mixed(x, 0.5, 100)", 2.0), 100);
    // A loop that has nothing to do with the input.
    assert_eq!(contributions(text, "\\x => counted(1000) + x", 2.0), 1);
    // Nothing depends on the input at all.
    assert_eq!(contributions(text, "\\x => counted(1000)", 2.0), 0);
    assert_eq!(contributions(text, "\\x => stop_gradient(x) * x * heavy(10)", 2.0), 2);
}

/// Whether something is constant may turn out only when the program runs: the code of a function
/// that is given as an argument, of a loop or of a branch expects Deltas, and the reals have none.
#[test]
fn what_is_constant_at_run_time_leaves_no_entry() {
    let text = "def branch(x: Real): Real = if x > 0.0 then x * x else 2.0
        def twice(f: Real -> Real, y: Real): Real = f(f(y))
        def started(x: Real): Real = fold(\\s, i => if i < 90 then s * 1.1 else s * x, 1.0, iota(100))";
    assert_eq!(contributions(text, "branch", 3.0), 2);
    assert_eq!(contributions(text, "branch", -3.0), 0);
    // What is computed from the constant branch has the other operand alone.
    assert_eq!(contributions(text, "\\x => branch(x) * x", -3.0), 1);
    assert_eq!(contributions(text, "\\x => twice(\\y => y * y, 3.0) * x", 2.0), 1);
    // The state becomes active in the ninetieth step: first one operand, then two.
    assert_eq!(contributions(text, "started", 2.0), 1 + 9 * 2);
}

/// A factor that is zero contributes nothing, so what is multiplied by it is constant.
#[test]
fn zero_factors_leave_no_entry() {
    let text = "def f(x: [n]Real): Real = sum(sin(x * 0.0))
        def g(x: [n]Real): Real = sum(x * (x * replicate(n, 0.0)))";
    assert_eq!(contributions("", "\\x => x * 0.0", 3.0), 0);
    assert_eq!(contributions("", "\\x => sin(exp(x * 0.0)) + 1.0", 3.0), 0);
    // The product has two factors, and one of them is zero.
    assert_eq!(contributions("", "\\x => x * (x - 3.0)", 3.0), 1 + 1);
    // Arrays leave no entry if the factor is zero for all elements.
    assert_eq!(entries(text, 10), (0, 0));
    assert_eq!(recorded(text, "grad(g)(x)", &[numbers(10)]).contributions, 0);
}

/// One entry for each operation, however large the array is.
#[test]
fn an_operation_on_a_whole_array_is_one_entry() {
    let chain = "def f(x: [n]Real): Real = sum(tanh(sin(exp(cos(-x)))))";
    // Five operations with one operand, and the sum.
    for n in [10, 1000, 100_000] {
        assert_eq!(entries(chain, n), (6 * n as u64, 6), "n = {n}");
    }
    // Two operands are two contributions of one entry; a constant array is none.
    let binary = "def f(x: [n]Real): Real = sum(x * x + replicate(n, 2.0) * x)";
    for n in [10, 1000, 100_000] {
        assert_eq!(entries(binary, n), ((2 + 1 + 2 + 1) * n as u64, 4), "n = {n}");
    }
    // A scalar that is there for every element.
    let broadcast = "def f(x: [n]Real): Real = sum(x[0] * x)";
    assert_eq!(entries(broadcast, 1000), (3 * 1000, 2));
    // Element by element there is nothing but scalars.
    let built = "def f(x: [n]Real): Real = sum(build i < n => sin(x[i]))";
    assert_eq!(entries(built, 1000), (2 * 1000, 1));
}

/// What only moves elements moves their Deltas, which records nothing.
#[test]
fn moves_leave_no_entry() {
    let moves = [
        "reverse(x)[0]",
        "x[1..3][1]",
        "x[7]",
        "concat(x, x)[12]",
        "gather(x, [3, 1, 3])[0]",
        "transpose(reshape(x, 2, 5))[0, 1]",
        "reshape(x, 5, 2)[1][0]",
        "replicate(3, x)[2][0]",
        "[x[0], x[1]][1]",
        "sort(x)[9]",
        "maximum(x)",
        "min(x[0], x[1]) - 0.0 * x[2]",
        "filter(\\y => y > 0.5, x)[0]",
        "(x, 1.0).0[3]",
        "(build i < 10 => x[9 - i])[2]",
        "fold(\\s, y => y, 0.0, x)",
        "stop_gradient(x)[0]",
    ];
    for it in moves {
        let (contributions, wholes) = entries(&format!("def f(x: [10]Real): Real = {it}"), 10);
        // The smaller of two numbers has a factor of one, and zero for the other one.
        let expected = if it.starts_with("min(") { (2, 0) } else { (0, 0) };
        assert_eq!((contributions, wholes), expected, "{it}");
    }
}

/// Programs of an array, each with a number of contributions for every element of it.
const PROGRAMS: [(&str, &str); 10] = [
    ("loop of scalars", "iterate(n, \\s => sin(s) + s, x[0])"),
    ("while", "while(\\p => p.1 < n, \\p => (p.0 * x[p.1] + p.0, p.1 + 1), (1.0, 0)).0"),
    ("fold", "fold(\\s, y => s * y + sin(s), 1.0, x)"),
    ("scan", "sum(scan(\\s, y => s * y, 1.0, x))"),
    ("recursion", "power(x[0], 1.0, n)"),
    ("element by element", "sum(build i < n => sin(x[i]) * x[n - 1 - i])"),
    ("chain of array operations", "sum(tanh(sin(exp(x))))"),
    ("array operations with two operands", "sum(x * x + x / (x + 1.0))"),
    ("sums of rows", "sum(sum(reshape(x * x, n / 10, 10)))"),
    ("scatter", "sum(scatter(x, iota(n), x))"),
];

const POWER: &str = "def power(x: Real, s: Real, n: Int): Real =
    if n == 0 then s else x * power(x, s + x, n - 1)";

/// By the tape's own count.
#[test]
fn a_contribution_takes_at_most_forty_bytes() {
    for (name, body) in PROGRAMS {
        let n = 50_000;
        let text = format!("def f(x: [n]Real): Real = {body}\n{POWER}");
        let stats = recorded(&text, "grad(f)(x)", &[numbers(n)]);
        let each = stats.bytes as f64 / stats.contributions as f64;
        assert!(stats.contributions >= n as u64, "{name}: {stats:?}");
        assert!(each <= 40.0, "{name}: {each:.1} bytes, {stats:?}");
    }
}

/// By the memory limit, which counts everything: what a loop of scalars holds is its tape.
#[test]
fn nothing_but_the_tape_grows() {
    let text = "def f(n: Int, x: Real): Real = iterate(n, \\s => sin(s) + s, x)";
    let n = 200_000;
    // Three contributions for each step, and two chunks that are not full.
    let enough = 40 * 3 * n + (1 << 20);
    let expression = format!("grad(\\x => f({n}, x))(0.5)");
    eval(&mut compile_within(text, enough), &expression, &[]);
    // The next derivative finds the tape empty.
    let again = format!("({expression}, {expression}, {expression})");
    eval(&mut compile_within(text, enough), &again, &[]);
    // Twelve bytes for a contribution and eight for the cotangents of two steps of three.
    let too_little = 12 * 3 * n;
    let report = compile_within(text, too_little).eval(&expression, &[]).unwrap_err();
    assert_eq!(report.codes(), ["E0613"]);
    assert!(Options::default().memory > enough);
}
