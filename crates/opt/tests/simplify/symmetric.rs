//! What is computed for all pairs of the elements of one array is the same, or the opposite, by rows and by
//! columns.

use expect_test::expect;

use crate::check_loosely;

/// transpose-symmetric: differences change their sign, and products of two of them do not.
#[test]
fn transposed() {
    check_loosely(
        &["transpose-symmetric"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real, x3: [x0][x0]Real) {
            x4: [x0][x0]Real = replicate [x0] x1
            x5: [x0][x0]Real = transpose x4 (1, 0)
            x6: [x0][x0]Real = sub x5 x4
            x7: [x0][x0]Real = transpose x6 (1, 0)
            x8: [x0][x0]Real = mul x6 x6
            x9: [x0][x0]Real = transpose x8 (1, 0)
            give x7, x9 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real, x3: [x0][x0]Real) next 10 {
              x4: [x0][x0]Real = replicate [x0] x1
              x5: [x0][x0]Real = transpose x4 (1, 0)
              x6: [x0][x0]Real = sub x5 x4
              x7: [x0][x0]Real = neg x6
              x8: [x0][x0]Real = mul x6 x6
              give x7, x8
            }
        "#]],
    );
}

/// sum-symmetric: what every pair contributes to its second element, added up by rows. A mask of the
/// diagonal and a replicated scalar are symmetric too.
#[test]
fn added_up() {
    check_loosely(
        &["sum-symmetric"],
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real, x4: [x0]Real) {
            x5: [x0][x0]Real = replicate [x0] x1
            x6: [x0][x0]Real = transpose x5 (1, 0)
            x7: [x0]Int = iota [x0]
            x8: [x0][x0]Int = replicate [x0] x7
            x9: [x0][x0]Int = transpose x8 (1, 0)
            x10: [x0][x0]Bool = eq x9 x8
            x11: [x0][x0]Real = sub x6 x5
            x12: [x0]Real = replicate [x0] x2
            x13: [x0][x0]Real = replicate [x0] x12
            x14: [x0][x0]Real = mul x11 x13
            x15: [x0][x0]Real = select x10 0.0 x14
            x16: [x0]Real = sum 0 x15
            x17: [x0][x0]Real = add x5 x6
            x18: [x0]Real = sum 0 x17
            give x16, x18 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real, x4: [x0]Real) {
              x5: [x0][x0]Real = replicate [x0] x1
              x6: [x0][x0]Real = transpose x5 (1, 0)
              x7: [x0]Int = iota [x0]
              x8: [x0][x0]Int = replicate [x0] x7
              x9: [x0][x0]Int = transpose x8 (1, 0)
              x10: [x0][x0]Bool = eq x9 x8
              x11: [x0][x0]Real = sub x6 x5
              x14: [x0][x0]Real = mul x11 x2
              x15: [x0][x0]Real = select x10 0.0 x14
              x19: [x0]Real = sum 1 x15
              x16: [x0]Real = neg x19
              x17: [x0][x0]Real = add x5 x6
              x18: [x0]Real = sum 1 x17
              give x16, x18
            }
        "#]],
    );
}

/// Neither applies where the order of a pair counts: not to a comparison, not to a quotient, and not to what
/// is symmetric in one branch and opposite in the other.
#[test]
fn not_symmetric() {
    check_loosely(
        &[],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
            x5: [x0][x0]Real = replicate [x0] x1
            x6: [x0][x0]Real = transpose x5 (1, 0)
            x7: [x0][x0]Real = sub x6 x5
            x8: [x0][x0]Bool = lt x6 x5
            x9: [x0][x0]Real = select x8 x7 0.0
            x10: [x0]Real = sum 0 x9
            x11: [x0][x0]Real = div x6 x5
            x12: [x0]Real = sum 0 x11
            x13: [x0][x0]Bool = eq x6 x5
            x14: [x0][x0]Real = mul x6 x5
            x15: [x0][x0]Real = select x13 x14 x7
            x16: [x0]Real = sum 0 x15
            give x10, x12, x16 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
              x5: [x0][x0]Real = replicate [x0] x1
              x6: [x0][x0]Real = transpose x5 (1, 0)
              x7: [x0][x0]Real = sub x6 x5
              x8: [x0][x0]Bool = lt x6 x5
              x9: [x0][x0]Real = select x8 x7 0.0
              x10: [x0]Real = sum 0 x9
              x11: [x0][x0]Real = div x6 x5
              x12: [x0]Real = sum 0 x11
              x13: [x0][x0]Bool = eq x6 x5
              x14: [x0][x0]Real = mul x6 x5
              x15: [x0][x0]Real = select x13 x14 x7
              x16: [x0]Real = sum 0 x15
              give x10, x12, x16
            }
        "#]],
    );
}

/// quotient-again: the derivative of `c / y` without a second division.
#[test]
fn divided_again() {
    check_loosely(
        &["quotient-again"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
            x5: [x0]Real = div 0.5 x1
            x6: [x0]Real = div x5 x1
            x7: [x0]Real = div 1.0 x1
            x8: [x0]Real = div x7 x1
            x9: [x0]Real = div 1e200 x1
            x10: [x0]Real = div x9 x1
            give x6, x8, x10 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
              x5: [x0]Real = div 0.5 x1
              x11: [x0]Real = mul x5 2.0
              x6: [x0]Real = mul x5 x11
              x7: [x0]Real = div 1.0 x1
              x8: [x0]Real = mul x7 x7
              x9: [x0]Real = div 1e200 x1
              x10: [x0]Real = div x9 x1
              give x6, x8, x10
            }
        "#]],
    );
}
