//! Sums of arrays with one element in every row that is not zero.

use expect_test::expect;

use crate::{check, check_loosely};

/// sum-one-hot: over the rows what was added where, and along a row the one element of it; the index was
/// in bounds where something was taken before.
#[test]
fn of_given_positions() {
    check_loosely(
        &["sum-one-hot"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: [x0]Int, x4: [x0]Bool) -> (x5: [x1]Real, x6: [x0]Real) {
            x7: [x0]Int = iota [x0]
            x8: [x0]Real = gather x2 (x7, x3) where x4
            x9: [x1]Real = replicate [x1] 0.0
            x10: [x0][x1]Real = replicate [x0] x9
            x11: [x0][x1]Real = scatter x10 (x7, x3) x8 where x4
            x12: [x0][x1]Real = scale x2 x11
            x13: [x0][x1]Real = add x12 x12
            x14: [x1]Real = sum 0 x13
            x15: [x0]Real = sum 1 x13
            give x14, x15 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: [x0]Int, x4: [x0]Bool) -> (x5: [x1]Real, x6: [x0]Real) {
              x7: [x0]Int = iota [x0]
              x8: [x0]Real = gather x2 (x7, x3) where x4
              x9: [x1]Real = replicate [x1] 0.0
              x16: [x0]Real = scale x8 x8
              x17: [x0]Real = add x16 x16
              x14: [x1]Real = scatter x9 (x3) x17 where x4
              x15: [x0]Real = select x4 x17 0.0
              give x14, x15
            }
        "#]],
    );
}

/// The derivative of a least distance: only the nearest is looked at, and its distance is computed
/// anew; positions of least elements are in bounds.
#[test]
fn of_least_elements() {
    check_loosely(
        &[],
        "def main[x0, x1, x2](x3: [x0][x1]Real, x4: [x2][x1]Real) -> (x5: [x2][x1]Real) {
            x6: [x2][x0][x1]Real = replicate [x2] x3
            x7: [x0][x2][x1]Real = transpose x6 (1, 0)
            x8: [x0][x2][x1]Real = replicate [x0] x4
            x9: [x0][x2][x1]Real = sub x7 x8
            x10: [x0][x2][x1]Real = mul x9 x9
            x11: [x0][x2]Real = sum 2 x10
            x12: Bool = gt x2 0
            x13: [x0]Int = if x12 {
                x14: [x0]Int = build (x15 < x0) {
                    x16: [x2]Real = index x11 (x15)
                    x17: Int = argmin x16
                    give x17
                }
                give x14
            } else {
                x18: [x0]Int = replicate [x0] 0
                give x18
            }
            x19: [x0]Int = iota [x0]
            x20: [x2]Real = replicate [x2] 0.0
            x21: [x0][x2]Real = replicate [x0] x20
            x22: [x0]Real = replicate [x0] 2.0
            x23: [x0][x2]Real = scatter x21 (x19, x13) x22 where x12
            x24: [x1][x0][x2]Real = replicate [x1] x23
            x25: [x0][x2][x1]Real = transpose x24 (1, 2, 0)
            x26: [x0][x2][x1]Real = scale x9 x25
            x27: [x2][x1]Real = sum 0 x26
            give x27 }",
        expect![[r#"
            def main[x0, x1, x2](x3: [x0][x1]Real, x4: [x2][x1]Real) -> (x5: [x2][x1]Real) {
              x6: [x2][x0][x1]Real = replicate [x2] x3
              x7: [x0][x2][x1]Real = transpose x6 (1, 0)
              x8: [x0][x2][x1]Real = replicate [x0] x4
              x9: [x0][x2][x1]Real = sub x7 x8
              x10: [x0][x2][x1]Real = mul x9 x9
              x11: [x0][x2]Real = sum 2 x10
              x12: Bool = gt x2 0
              x13: [x0]Int = if x12 {
                x14: [x0]Int = build (x15 < x0) {
                  x16: [x2]Real = index x11 (x15)
                  x17: Int = argmin x16
                  give x17
                }
                give x14
              } else {
                x18: [x0]Int = replicate [x0] 0
                give x18
              }
              x28: [x0][x1]Real = gather x4 (x13) where x12
              x29: [x0][x1]Real = sub x3 x28
              x33: [x0][x1]Real = scale x29 2.0
              x34: [x1]Real = replicate [x1] 0.0
              x35: [x2][x1]Real = replicate [x2] x34
              x27: [x2][x1]Real = scatter x35 (x13) x33 where x12
              give x27
            }
        "#]],
    );
}

/// A row of few elements is as cheap whole.
#[test]
fn of_short_rows() {
    check_loosely(
        &[],
        "def main[x0](x1: [x0][3]Real, x2: [x0]Int) -> (x3: [3]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0]Real = gather x1 (x4, x2)
            x6: [3]Real = replicate [3] 0.0
            x7: [x0][3]Real = replicate [x0] x6
            x8: [x0][3]Real = scatter x7 (x4, x2) x5
            x9: [3]Real = sum 0 x8
            give x9 }",
        expect![[r#"
            def main[x0](x1: [x0][3]Real, x2: [x0]Int) -> (x3: [3]Real) {
              x4: [x0]Int = iota [x0]
              x5: [x0]Real = gather x1 (x4, x2)
              x6: [3]Real = replicate [3] 0.0
              x7: [x0][3]Real = replicate [x0] x6
              x8: [x0][3]Real = scatter x7 (x4, x2) x5
              x9: [3]Real = sum 0 x8
              give x9
            }
        "#]],
    );
}

/// sum-selected-row: a direction of a Jacobian picks an element of every row.
#[test]
fn of_selected_elements() {
    check(
        &["sum-selected-row"],
        "def main[x0](x1: [x0]Real, x2: [x0][x0]Real) -> (x3: [x0]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0][x0]Int = replicate [x0] x4
            x6: [x0][x0]Int = transpose x5 (1, 0)
            x7: [x0][x0]Bool = eq x5 x6
            x8: [x0][x0]Real = select x7 1.0 0.0
            x9: [x0][x0]Real = replicate [x0] x1
            x10: [x0][x0]Real = scale x9 x8
            x11: [x0][x0]Real = scale x2 x10
            x12: [x0][x0]Real = add x10 x11
            x13: [x0]Real = sum 1 x12
            give x13 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0][x0]Real) -> (x3: [x0]Real) {
              x4: [x0]Int = iota [x0]
              x14: [x0]Bool = eq x4 x4
              x15: [x0]Real = select x14 1.0 0.0
              x16: [x0]Real = scale x1 x15
              x17: [x0]Real = gather x2 (x4, x4)
              x18: [x0]Real = scale x17 x16
              x19: [x0]Real = add x16 x18
              x13: [x0]Real = add x19 0.0
              give x13
            }
        "#]],
    );
}

/// A product that is not `scale` is not zero where the other factor is not finite.
#[test]
fn of_plain_products() {
    check(
        &[],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0][x0]Int = replicate [x0] x4
            x6: [x0][x0]Int = transpose x5 (1, 0)
            x7: [x0][x0]Bool = eq x5 x6
            x8: [x0][x0]Real = select x7 1.0 0.0
            x9: [x0][x0]Real = replicate [x0] x1
            x10: [x0][x0]Real = mul x9 x8
            x11: [x0]Real = sum 1 x10
            give x11 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x4: [x0]Int = iota [x0]
              x5: [x0][x0]Int = replicate [x0] x4
              x6: [x0][x0]Int = transpose x5 (1, 0)
              x7: [x0][x0]Bool = eq x5 x6
              x8: [x0][x0]Real = select x7 1.0 0.0
              x9: [x0][x0]Real = replicate [x0] x1
              x10: [x0][x0]Real = mul x9 x8
              x11: [x0]Real = sum 1 x10
              give x11
            }
        "#]],
    );
}

/// The diagonal of what is an array anyway is taken from it.
#[test]
fn of_a_diagonal() {
    check(
        &[],
        "def main[x0](x1: [x0][x0]Real) -> (x2: [x0]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0][x0]Int = replicate [x0] x4
            x6: [x0][x0]Int = transpose x5 (1, 0)
            x7: [x0][x0]Bool = eq x5 x6
            x8: [x0][x0]Real = select x7 x1 0.0
            x9: [x0]Real = sum 1 x8
            give x9 }",
        expect![[r#"
            def main[x0](x1: [x0][x0]Real) -> (x2: [x0]Real) {
              x4: [x0]Int = iota [x0]
              x5: [x0][x0]Int = replicate [x0] x4
              x6: [x0][x0]Int = transpose x5 (1, 0)
              x7: [x0][x0]Bool = eq x5 x6
              x8: [x0][x0]Real = select x7 x1 0.0
              x9: [x0]Real = sum 1 x8
              give x9
            }
        "#]],
    );
}
