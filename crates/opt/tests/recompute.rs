//! Programs before and after `recompute`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::recompute;

fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}"));
    let made = recompute(&program);
    ir::verify(&made, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{made}"));
    expected.assert_eq(&made.to_string());
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
