//! Programs before and after `accumulate`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::accumulate;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&after(text).1.to_string());
}

/// Sums stay sums.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = accumulate(&program);
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// The calls are made where they were: what stands between them and the sum may fail.
#[test]
fn calls_are_added_up_as_they_return() {
    check(
        "def f(x0: Int, x1: [3]Real) -> (x2: Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: Real = index x1 (x4)
                x6: Real = call f(x4, x1)
                x7: Real = mul x5 x6
                give x7 }
            x8: Real = index x1 (x0)
            x9: Real = sum 0 x3
            x10: Real = add x8 x9
            give x10 }",
        expect![[r#"
            def f(x0: Int, x1: [3]Real) -> (x2: Real) {
              x11: [x0]Int = iota [x0]
              x9: Real = fold (x12: Real = 0.0) (x4: Int = x11) {
                x5: Real = index x1 (x4)
                x6: Real = call f(x4, x1)
                x7: Real = mul x5 x6
                x13: Real = add x12 x7
                give x13
              }
              x8: Real = index x1 (x0)
              x10: Real = add x8 x9
              give x10
            }
        "#]],
    );
}

/// Of integers too.
#[test]
fn numbers_of_ways_are_added_up() {
    check(
        "def f(x0: Int) -> (x2: Int) {
            x3: [x0]Int = build (x4 < x0) {
                x6: Int = call f(x4)
                give x6 }
            x9: Int = sum 0 x3
            give x9 }",
        expect![[r#"
            def f(x0: Int) -> (x2: Int) {
              x10: [x0]Int = iota [x0]
              x9: Int = fold (x11: Int = 0) (x4: Int = x10) {
                x6: Int = call f(x4)
                x12: Int = add x11 x6
                give x12
              }
              give x9
            }
        "#]],
    );
}

/// Somebody else reads the values; nobody calls; the calls get arrays.
#[test]
fn other_sums_stay() {
    stays(
        "def f(x0: Int) -> (x2: Real) {
            x3: [x0]Real = build (x4 < x0) {
                x6: Real = call f(x4)
                give x6 }
            x8: Real = index x3 (0)
            x9: Real = sum 0 x3
            x10: Real = add x8 x9
            give x10 }",
    );
    stays(
        "def f(x0: Int) -> (x2: Real) {
            x3: [x0]Real = build (x4 < x0) {
                x6: Real = real x4
                give x6 }
            x9: Real = sum 0 x3
            give x9 }",
    );
    stays(
        "def f(x0: Int, x1: [3]Real) -> (x2: Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: Real = index x1 (x4)
                x7: [3]Real = mul x1 x5
                x6: Real = call f(x4, x7)
                give x6 }
            x9: Real = sum 0 x3
            give x9 }",
    );
}
