//! Scatters into zeros: the derivatives of gathers.

use expect_test::expect;

use crate::{check, check_loosely};

/// scatter-identity, scatter-reverse.
#[test]
fn moved() {
    check_loosely(
        &["scatter-moved"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real) {
            x4: [x0]Real = replicate [x0] 0.0
            x5: [x0]Int = iota [x0]
            x6: [x0]Real = scatter x4 (x5) x1
            x7: Int = size [x0 - 1]
            x8: [x0]Int = sub x7 x5
            x9: [x0]Real = scatter x4 (x8) x1
            give x6, x9 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real) {
              x9: [x0]Real = reverse x1
              give x1, x9
            }
        "#]],
    );
}

/// To the bit, `0.0 + -0.0` is not `-0.0`; integers are added either way.
#[test]
fn to_the_bit() {
    check(
        &[],
        "def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real, x4: [x0]Int) {
            x5: [x0]Real = replicate [x0] 0.0
            x6: [x0]Int = iota [x0]
            x7: [x0]Real = scatter x5 (x6) x1
            x8: [x0]Int = replicate [x0] 0
            x9: [x0]Int = scatter x8 (x6) x2
            give x7, x9 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real, x4: [x0]Int) next 10 {
              x5: [x0]Real = replicate [x0] 0.0
              x6: [x0]Int = iota [x0]
              x7: [x0]Real = scatter x5 (x6) x1
              give x7, x2
            }
        "#]],
    );
}

/// scatter-pad: an offset in bounds.
#[test]
fn padded() {
    check_loosely(
        &["scatter-pad"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0 + 3]Real) {
            x3: [x0 + 3]Real = replicate [x0 + 3] 0.0
            x4: [x0]Int = iota [x0]
            x5: [x0]Int = add x4 1
            x6: [x0 + 3]Real = scatter x3 (x5) x1
            give x6 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0 + 3]Real) {
              x7: [2]Real = replicate [2] 0.0
              x8: [1]Real = replicate [1] 0.0
              x6: [x0 + 3]Real = concat (x8, x1, x7)
              give x6
            }
        "#]],
    );
}

/// scatter-sum, then scatter-identity: the cotangents of `build i j k => a[i, k] * b[k, j]`.
#[test]
fn matrix_product() {
    check_loosely(
        &["scatter-sum", "scatter-moved"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: [x1][x0]Real, x4: [x0][x0]Real) -> (x5: [x0][x1]Real, x6: [x1][x0]Real) {
            x7: [x0]Int = iota [x0]
            x8: [x0][x0]Int = replicate [x0] x7
            x9: [x1][x0][x0]Int = replicate [x1] x8
            x10: [x0][x0][x1]Int = transpose x9 (2, 1, 0)
            x11: [x0][x0][x1]Int = transpose x9 (1, 2, 0)
            x12: [x1]Int = iota [x1]
            x13: [x0][x1]Int = replicate [x0] x12
            x14: [x0][x0][x1]Int = replicate [x0] x13
            x15: [x0][x0][x1]Real = gather x2 (x10, x14)
            x16: [x0][x0][x1]Real = gather x3 (x14, x11)
            x17: [x1][x0][x0]Real = replicate [x1] x4
            x18: [x0][x0][x1]Real = transpose x17 (1, 2, 0)
            x19: [x0][x0][x1]Real = mul x18 x16
            x20: [x0][x0][x1]Real = mul x15 x18
            x21: [x1]Real = replicate [x1] 0.0
            x22: [x0][x1]Real = replicate [x0] x21
            x23: [x0]Real = replicate [x0] 0.0
            x24: [x1][x0]Real = replicate [x1] x23
            x25: [x0][x1]Real = scatter x22 (x10, x14) x19
            x26: [x1][x0]Real = scatter x24 (x14, x11) x20
            give x25, x26 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: [x1][x0]Real, x4: [x0][x0]Real) -> (x5: [x0][x1]Real, x6: [x1][x0]Real) {
              x29: [x0][x0][x1]Real = replicate [x0] x2
              x15: [x0][x0][x1]Real = transpose x29 (1, 0)
              x31: [x0][x1]Real = transpose x3 (1, 0)
              x16: [x0][x0][x1]Real = replicate [x0] x31
              x17: [x1][x0][x0]Real = replicate [x1] x4
              x18: [x0][x0][x1]Real = transpose x17 (1, 2, 0)
              x19: [x0][x0][x1]Real = mul x18 x16
              x20: [x0][x0][x1]Real = mul x15 x18
              x33: [x0][x1]Real = sum 1 x19
              x34: [x0][x1]Real = sum 0 x20
              x26: [x1][x0]Real = transpose x34 (1, 0)
              give x33, x26
            }
        "#]],
    );
}

/// scatter-rows, to the bit: the last index goes along all of a row.
#[test]
fn rows() {
    check(
        &["scatter-rows"],
        "def main[x0, x1](x2: [2*x0][x1]Real, x3: [x0][x1]Real) -> (x4: [2*x0][x1]Real) {
            x5: [x0]Int = iota [x0]
            x6: [x0]Int = mul x5 2
            x7: [x1][x0]Int = replicate [x1] x6
            x8: [x0][x1]Int = transpose x7 (1, 0)
            x9: [x1]Int = iota [x1]
            x10: [x0][x1]Int = replicate [x0] x9
            x11: [2*x0][x1]Real = scatter x2 (x8, x10) x3
            give x11 }",
        expect![[r#"
            def main[x0, x1](x2: [2*x0][x1]Real, x3: [x0][x1]Real) -> (x4: [2*x0][x1]Real) {
              x5: [x0]Int = iota [x0]
              x6: [x0]Int = mul x5 2
              x11: [2*x0][x1]Real = scatter x2 (x6) x3
              give x11
            }
        "#]],
    );
}

/// scatter-zeros, scatter-scalar-index, scatter-mask-constant; what may fail stays.
#[test]
fn little_ones() {
    check_loosely(
        &["scatter-zeros", "scatter-scalar-index", "scatter-mask-constant"],
        "def main[x0, x1](x2: [x0 + 1][x1]Real, x3: [x0]Int, x4: [x1]Int) -> (x5: [x0 + 1][x1]Real, x6: [x0 + 1][x1]Real, x7: [x0 + 1][x1]Real) {
            x8: [x1]Real = replicate [x1] 0.0
            x9: [1]Int = replicate [1] 0
            x10: [1][x1]Real = replicate [1] x8
            x11: [x0 + 1][x1]Real = scatter x2 (x9) x10
            x12: [x1]Real = replicate [x1] 2.5
            x13: [x1]Int = replicate [x1] 0
            x14: [x1]Bool = replicate [x1] true
            x15: [x0 + 1][x1]Real = scatter x11 (x13, x4) x12 where x14
            x16: [x0][x1]Real = replicate [x0] x8
            x17: [x0 + 1][x1]Real = scatter x2 (x3) x16
            give x11, x15, x17 }",
        expect![[r#"
            def main[x0, x1](x2: [x0 + 1][x1]Real, x3: [x0]Int, x4: [x1]Int) -> (x5: [x0 + 1][x1]Real, x6: [x0 + 1][x1]Real, x7: [x0 + 1][x1]Real) {
              x8: [x1]Real = replicate [x1] 0.0
              x12: [x1]Real = replicate [x1] 2.5
              x15: [x0 + 1][x1]Real = scatter x2 (0, x4) x12
              x16: [x0][x1]Real = replicate [x0] x8
              x17: [x0 + 1][x1]Real = scatter x2 (x3) x16
              give x2, x15, x17
            }
        "#]],
    );
}

/// scatter-sum down to one place: the derivative of `sum (build i => a[0])`.
#[test]
fn one_place() {
    check_loosely(
        &["scatter-sum"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0 + 1]Real) {
            x3: [x0 + 1]Real = replicate [x0 + 1] 0.0
            x4: [x0]Int = replicate [x0] 0
            x5: [x0 + 1]Real = scatter x3 (x4) x1
            give x5 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0 + 1]Real) {
              x3: [x0 + 1]Real = replicate [x0 + 1] 0.0
              x6: Real = sum 0 x1
              x5: [x0 + 1]Real = scatter x3 (0) x6
              give x5
            }
        "#]],
    );
}

/// scatter-sum into what is there already, and scatter-masked-sum: along an axis along which neither
/// indices nor mask change, values are added up first.
#[test]
fn masked_sums() {
    check_loosely(
        &["scatter-sum", "scatter-masked-sum"],
        "def main[x0, x1](x2: [3]Real, x3: [x1]Int, x4: [x1]Bool, x5: [x0][x1]Real, x9: [x1]Real) -> (x6: [3]Real, x7: [x1]Real) {
            x8: [x0][x1]Int = replicate [x0] x3
            x10: [x0][x1]Bool = replicate [x0] x4
            x11: [3]Real = scatter x2 (x8) x5 where x10
            x12: [x1]Int = iota [x1]
            x13: [x0][x1]Int = replicate [x0] x12
            x14: [x1]Real = scatter x9 (x13) x5
            give x11, x14 }",
        expect![[r#"
            def main[x0, x1](x2: [3]Real, x3: [x1]Int, x4: [x1]Bool, x5: [x0][x1]Real, x9: [x1]Real) -> (x6: [3]Real, x7: [x1]Real) {
              x15: [x1]Real = sum 0 x5
              x16: Bool = gt x0 0
              x17: [x1]Bool = and x4 x16
              x11: [3]Real = scatter x2 (x3) x15 where x17
              x12: [x1]Int = iota [x1]
              x14: [x1]Real = scatter x9 (x12) x15
              give x11, x14
            }
        "#]],
    );
}

/// transpose-diagonal: rows are columns.
#[test]
fn transposed_diagonals() {
    check(
        &["transpose-diagonal"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Real = replicate [x0] 0.0
            x5: [x0][x0]Real = replicate [x0] x4
            x6: [x0][x0]Real = scatter x5 (x3, x3) x1
            x7: [x0][x0]Real = transpose x6 (1, 0)
            give x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real) next 8 {
              x3: [x0]Int = iota [x0]
              x4: [x0]Real = replicate [x0] 0.0
              x5: [x0][x0]Real = replicate [x0] x4
              x6: [x0][x0]Real = scatter x5 (x3, x3) x1
              give x6
            }
        "#]],
    );
}
