//! Programs before and after `recompute`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::recompute;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&after(text).1.to_string());
}

/// Nothing is computed again.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}"));
    let made = recompute(&program);
    ir::verify(&made, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// Three values that are cheap functions of the state and the element: only the state is kept.
#[test]
fn the_state_is_enough() {
    check(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real) {
            x5: Real, x6: [x0]Real, x7: [x0]Real, x8: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                x12: Real = add x11 x9
                x13: Real = mul x12 x12
                x14: Real = sub x13 x10
                give x14, x11, x12, x13 }
            x15: [x0]Real = reverse x6
            x16: [x0]Real = reverse x7
            x17: [x0]Real = reverse x8
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15, x21: Real = x16, x22: Real = x17) {
                x23: Real = mul x19 x20
                x24: Real = mul x23 x21
                x25: Real = add x24 x22
                give x25 }
            give x5, x18 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real) {
              x5: Real, x26: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                x12: Real = add x11 x9
                x13: Real = mul x12 x12
                x14: Real = sub x13 x10
                give x14, x9
              }
              x27: [x0]Real = reverse x26
              x29: [x0]Real = reverse x1
              x18: Real = fold (x19: Real = 1.0) (x28: Real = x27, x30: Real = x29) {
                x31: Real = mul x28 x30
                x32: Real = add x31 x28
                x33: Real = mul x32 x32
                x23: Real = mul x19 x31
                x24: Real = mul x23 x32
                x25: Real = add x24 x33
                give x25
              }
              give x5, x18
            }
        "#]],
    );
}

/// A step of a grid keeps the grid, and not the differences to both neighbours.
#[test]
fn neighbours_are_read_again() {
    let (_, made) = after(
        "def main[x0, x1](x2: [x0]Int, x3: [x1]Real, x4: [x1]Int, x5: [x1]Int) -> (x6: [x1]Real, x7: [x1]Real) {
            x8: [x1]Real, x9: [x0][x1]Real, x10: [x0][x1]Real, x26: [x0][x1]Real = fold (x11: [x1]Real = x3) (x12: Int = x2) {
                x13: [x1]Real = gather x11 (x4)
                x14: [x1]Real = sub x13 x11
                x15: [x1]Real = gather x11 (x5)
                x16: [x1]Real = sub x11 x15
                x17: [x1]Real = mul x14 x16
                x27: [x1]Real = add x14 x16
                give x17, x14, x16, x27 }
            x18: [x0][x1]Real = reverse x9
            x19: [x0][x1]Real = reverse x10
            x28: [x0][x1]Real = reverse x26
            x20: [x1]Real = fold (x21: [x1]Real = x8) (x22: [x1]Real = x18, x23: [x1]Real = x19, x29: [x1]Real = x28) {
                x24: [x1]Real = mul x21 x22
                x25: [x1]Real = mul x24 x23
                x30: [x1]Real = mul x25 x29
                give x30 }
            give x8, x20 }",
    );
    let text = made.to_string();
    assert!(text.contains("give x17, x11\n"), "only the grid is kept: {text}");
    assert_eq!(text.matches("gather").count(), 4, "{text}");
}

/// A product of two matrices keeps the matrices, and not what it multiplies, with an axis more.
#[test]
fn a_product_of_matrices_keeps_matrices() {
    let (_, made) = after(
        "def main[x0, x1](x2: [x0]Int, x3: [x1][x1]Real, x6: [x1][x1]Real) -> (x4: [x1][x1]Real, x5: [x1][x1]Real) {
            x7: [x1][x1]Real, x8: [x0][x1][x1][x1]Real, x9: [x0][x1][x1][x1]Real = fold (x10: [x1][x1]Real = x3) (x11: Int = x2) {
                x12: [x1][x1]Real = transpose x10 (1, 0)
                x13: [x1][x1][x1]Real = replicate [x1] x10
                x14: [x1][x1][x1]Real = transpose x13 (1, 0, 2)
                x15: [x1][x1][x1]Real = replicate [x1] x12
                x16: [x1][x1][x1]Real = mul x14 x15
                x17: [x1][x1]Real = sum 2 x16
                give x17, x14, x15 }
            x18: [x0][x1][x1][x1]Real = reverse x8
            x19: [x0][x1][x1][x1]Real = reverse x9
            x20: [x1][x1]Real = fold (x21: [x1][x1]Real = x6) (x22: [x1][x1][x1]Real = x18, x23: [x1][x1][x1]Real = x19) {
                x24: [x1][x1][x1]Real = replicate [x1] x21
                x25: [x1][x1][x1]Real = transpose x24 (1, 2, 0)
                x26: [x1][x1][x1]Real = scale x23 x25
                x27: [x1][x1][x1]Real = scale x22 x25
                x28: [x1][x1]Real = sum 0 x27
                x29: [x1][x1]Real = sum 1 x26
                x30: [x1][x1]Real = add x29 x28
                give x30 }
            give x7, x20 }",
    );
    let text = made.to_string();
    assert!(text.contains("give x17, x10\n"), "only the matrix is kept: {text}");
    assert_eq!(text.matches("replicate").count(), 5, "{text}");
}

/// What is not cheap is kept, and what follows from it is computed again.
#[test]
fn functions_are_kept() {
    check(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real) {
            x5: Real, x6: [x0]Real, x7: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = exp x9
                x12: Real = mul x11 2.0
                x13: Real = add x12 x11
                give x13, x12, x13 }
            x15: [x0]Real = reverse x6
            x16: [x0]Real = reverse x7
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15, x21: Real = x16) {
                x23: Real = mul x19 x20
                x24: Real = mul x23 x21
                give x24 }
            give x5, x18 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real) {
              x5: Real, x25: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = exp x9
                x12: Real = mul x11 2.0
                x13: Real = add x12 x11
                give x13, x11
              }
              x26: [x0]Real = reverse x25
              x18: Real = fold (x19: Real = 1.0) (x27: Real = x26) {
                x28: Real = mul x27 2.0
                x29: Real = add x28 x27
                x23: Real = mul x19 x28
                x24: Real = mul x23 x29
                give x24
              }
              give x5, x18
            }
        "#]],
    );
}

/// An array that somebody else reads stays; nothing changes if nothing is won.
#[test]
fn what_others_read_stays() {
    check(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real, x5: [x0]Real) {
            x6: Real, x7: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                give x11, x9 }
            x15: [x0]Real = reverse x7
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15) {
                x23: Real = mul x19 x20
                give x23 }
            give x6, x18, x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real, x5: [x0]Real) {
              x6: Real, x7: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                give x11, x9
              }
              x15: [x0]Real = reverse x7
              x18: Real = fold (x19: Real = 1.0) (x20: Real = x15) {
                x23: Real = mul x19 x20
                give x23
              }
              give x6, x18, x7
            }
        "#]],
    );
}

/// A loop over nothing would have no steps: what is the same in all of them is kept nevertheless.
#[test]
fn steps_are_counted() {
    stays(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real) {
            x5: Real, x6: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x2 x2
                x12: Real = mul x9 x11
                give x12, x11 }
            x15: [x0]Real = reverse x6
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15) {
                x23: Real = mul x19 x20
                give x23 }
            give x5, x18 }",
    );
    stays(
        "def main(x2: Real, x8: [3]Real) -> (x3: Real, x4: Real) {
            x5: Real, x7: Int, x6: [x7]Real = while (x9: Real = x2) {
                x10: Bool = lt x9 9.0
                give x10
            } do {
                x11: Real = mul x2 x2
                x12: Real = mul x9 x11
                give x12, x11 }
            x15: [x7]Real = reverse x6
            x16: [x7]Int = iota [x7]
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15, x21: Int = x16) {
                x23: Real = mul x19 x20
                give x23 }
            give x5, x18 }",
    );
}

/// The array is where the loop begins, too.
#[test]
fn an_array_that_is_also_an_initial_state_stays() {
    stays(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: [x0]Real) {
            x5: Real, x6: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x10 x10
                x12: Real = mul x9 x11
                give x12, x11 }
            x15: [x0]Real = reverse x6
            x18: [x0]Real = fold (x19: [x0]Real = x15) (x20: Real = x15) {
                x23: [x0]Real = mul x19 x20
                give x23 }
            give x5, x18 }",
    );
}

/// What is collected for somebody else is not collected twice.
#[test]
fn what_others_read_is_read() {
    check(
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real, x5: [x0]Real) {
            x6: Real, x7: [x0]Real, x8: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                x12: Real = add x9 x9
                give x11, x9, x12 }
            x15: [x0]Real = reverse x8
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x15) {
                x23: Real = mul x19 x20
                give x23 }
            give x6, x18, x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: Real, x5: [x0]Real) {
              x6: Real, x7: [x0]Real = fold (x9: Real = x2) (x10: Real = x1) {
                x11: Real = mul x9 x10
                x12: Real = add x9 x9
                give x11, x9
              }
              x24: [x0]Real = reverse x7
              x18: Real = fold (x19: Real = 1.0) (x25: Real = x24) {
                x26: Real = add x25 x25
                x23: Real = mul x19 x26
                give x23
              }
              give x6, x18, x7
            }
        "#]],
    );
}

/// The steps of a `while`, a result that is a constant, and one that is collected twice.
#[test]
fn while_with_a_constant_and_a_repeated_result() {
    check(
        "def main(x1: Real, x2: Real) -> (x3: Real, x4: Real) {
            x5: Real, x6: Int, x7: [x6]Real, x8: [x6]Real, x9: [x6]Bool, x30: [x6]Real = while (x10: Real = x1) {
                x11: Bool = lt x10 9.0
                give x11
            } do {
                x12: Real = mul x10 x2
                x13: Real = add x12 x10
                give x13, x12, x12, true, x13 }
            x14: [x6]Real = reverse x7
            x15: [x6]Real = reverse x8
            x16: [x6]Bool = reverse x9
            x31: [x6]Real = reverse x30
            x18: Real = fold (x19: Real = 1.0) (x20: Real = x14, x21: Real = x15, x22: Bool = x16, x32: Real = x31) {
                x23: Real = mul x20 x21
                x24: Real = select x22 x23 x32
                x25: Real = mul x19 x24
                give x25 }
            give x5, x18 }",
        expect![[r#"
            def main(x1: Real, x2: Real) -> (x3: Real, x4: Real) {
              x5: Real, x6: Int, x9: [x6]Bool, x33: [x6]Real = while (x10: Real = x1) {
                x11: Bool = lt x10 9.0
                give x11
              } do {
                x12: Real = mul x10 x2
                x13: Real = add x12 x10
                give x13, true, x10
              }
              x16: [x6]Bool = reverse x9
              x34: [x6]Real = reverse x33
              x18: Real = fold (x19: Real = 1.0) (x22: Bool = x16, x35: Real = x34) {
                x36: Real = mul x35 x2
                x37: Real = add x36 x35
                x23: Real = mul x36 x36
                x24: Real = select x22 x23 x37
                x25: Real = mul x19 x24
                give x25
              }
              give x5, x18
            }
        "#]],
    );
}
