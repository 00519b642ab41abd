//! Repairs: each is applied to its text, which is then right.

use crate::support;

/// The text after the repair of its only error.
fn repaired(text: &str, code: &str) -> String {
    let (_, mut diagnostics, _) = support::check(text);
    diagnostics.retain(base::Diagnostic::is_error);
    assert_eq!(diagnostics.len(), 1, "{}", support::messages(text));
    assert_eq!(diagnostics[0].code.0, code, "{text}");
    let repair = diagnostics[0].repair.as_ref().unwrap_or_else(|| panic!("none for: {text}"));
    repair.apply(text).expect("the edits are of this text")
}

#[test]
fn a_repair_removes_the_error() {
    for (code, wrong, right) in [
        ("E0201", "def f(radius: Real) = 2.0 * radis", "def f(radius: Real) = 2.0 * radius"),
        ("E0201", "def f(xs: [n]Real) = len(xs)", "def f(xs: [n]Real) = length(xs)"),
        ("E0202", "def f(x: Rael): Real = 1.0", "def f(x: Real): Real = 1.0"),
        ("E0202", "def f(x: Double) = 1.0", "def f(x: Real) = 1.0"),
        (
            "E0203",
            "data Light = Amber | Green\ndef f = Grene",
            "data Light = Amber | Green\ndef f = Green",
        ),
        (
            "E0203",
            "data Light = Amber | Green\n\
             def f(it: Light) = match it { Ambr => 1.0, _ => 2.0 }",
            "data Light = Amber | Green\n\
             def f(it: Light) = match it { Amber => 1.0, _ => 2.0 }",
        ),
        (
            "E0204",
            "type Point = { x: Real, height: Real }\ndef f(p: Point) = p.hieght",
            "type Point = { x: Real, height: Real }\ndef f(p: Point) = p.height",
        ),
        ("E0301", "def f(n: Int): Real = n", "def f(n: Int): Real = real(n)"),
        (
            "E0301",
            "def f(ks: [3]Int): [3]Real = { let ys: [3]Real = ks; ys }",
            "def f(ks: [3]Int): [3]Real = { let ys: [3]Real = real(ks); ys }",
        ),
        (
            "E0301",
            "def g(x: Real) = x\ndef f(n: Int) = g(n + 1)",
            "def g(x: Real) = x\ndef f(n: Int) = g(real(n + 1))",
        ),
        ("E0301", "def f(n: Int) = [1.0, n]", "def f(n: Int) = [1.0, real(n)]"),
        (
            "E0301",
            "def f(n: Int) = if n > 0 then 1.0 else { let m = n; m }",
            "def f(n: Int) = if n > 0 then 1.0 else { let m = n; real(m) }",
        ),
        ("E0309", "def f(x: Real) = 2 * x", "def f(x: Real) = 2.0 * x"),
        ("E0309", "def f(x: Real) = x - (3)", "def f(x: Real) = x - 3.0"),
        (
            "E0309",
            "def f(x: Real, n: Int) = x * (n + 1)",
            "def f(x: Real, n: Int) = x * real((n + 1))",
        ),
        ("E0309", "def f(x) = x * 2\ndef g = f(1.5)", "def f(x) = x * 2.0\ndef g = f(1.5)"),
        ("E0504", "def f(x: Real) = grad(sin, x)", "def f(x: Real) = grad(sin)(x)"),
        ("E0504", "def f(x: Real) = jvp(sin, x, 1.0)", "def f(x: Real) = jvp(sin)(x, 1.0)"),
        ("E0504", "def f(x: Real) = linearise(sin, x)", "def f(x: Real) = linearise(sin)(x)"),
        ("E0504", "def f(x: Real) = vjp(sin, x, 1.0)", "def f(x: Real) = vjp(sin)(x)(1.0)"),
    ] {
        assert_eq!(repaired(wrong, code), right);
        assert_eq!(support::messages(right), "", "{right}");
    }
}

#[test]
fn no_repair_where_something_is_to_be_decided() {
    for text in [
        // What stands for `n` is not known.
        "def f = zeros(3)",
        // A value would be rounded.
        "def f(x: Real): Int = x",
        // The parameter is at fault, and a conversion of a pattern is no pattern.
        "def f(ks: [3]Int) = map(\\k: Real => k, ks)",
        // The name is used elsewhere.
        "def f(X: Real) = X + X",
        // Nothing is near.
        "def f = qqqqqq",
    ] {
        let (_, diagnostics, _) = support::check(text);
        assert!(!diagnostics.is_empty(), "{text}");
        assert!(diagnostics.iter().all(|it| it.repair.is_none()), "{text}: {diagnostics:?}");
    }
}
