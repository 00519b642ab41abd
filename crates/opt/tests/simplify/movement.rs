//! Movements, reductions and single elements.

use expect_test::expect;

use crate::check;

/// transpose-identity, transpose-transpose.
#[test]
fn transposes() {
    check(
        &["transpose-identity", "transpose-transpose"],
        "def main[x0, x1](x2: [x0][x1][2]Real) -> (x3: [x0][x1][2]Real, x4: [x1][2][x0]Real, x5: [x1][x0][2]Real) {
            x6: [x1][x0][2]Real = transpose x2 (1, 0, 2)
            x7: [x0][x1][2]Real = transpose x6 (1, 0)
            x8: [x1][2][x0]Real = transpose x6 (0, 2, 1)
            give x7, x8, x6 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1][2]Real) -> (x3: [x0][x1][2]Real, x4: [x1][2][x0]Real, x5: [x1][x0][2]Real) {
              x6: [x1][x0][2]Real = transpose x2 (1, 0)
              x8: [x1][2][x0]Real = transpose x2 (1, 2, 0)
              give x2, x8, x6
            }
        "#]],
    );
}

/// transpose-replicate: the replicated axis comes out first.
#[test]
fn transpose_of_replicate() {
    check(
        &["transpose-replicate"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: Real) -> (x4: [2][x1][x0]Real, x5: [x1][x0]Real) {
            x6: [2][x0][x1]Real = replicate [2] x2
            x7: [2][x1][x0]Real = transpose x6 (0, 2, 1)
            x8: [x1]Real = replicate [x1] x3
            x9: [x0][x1]Real = replicate [x0] x8
            x10: [x1][x0]Real = transpose x9 (1, 0)
            give x7, x10 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: Real) -> (x4: [2][x1][x0]Real, x5: [x1][x0]Real) {
              x11: [x1][x0]Real = transpose x2 (1, 0)
              x7: [2][x1][x0]Real = replicate [2] x11
              x12: [x0]Real = replicate [x0] x3
              x10: [x1][x0]Real = replicate [x1] x12
              give x7, x10
            }
        "#]],
    );
}

/// transpose-replicate-transpose: all axes at once.
#[test]
fn transpose_of_replicate_of_transpose() {
    check(
        &["transpose-replicate-transpose"],
        "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0][x1][2][3]Real) {
            x4: [2][x0][x1]Real = replicate [2] x2
            x5: [x0][x1][2]Real = transpose x4 (1, 2, 0)
            x6: [3][x0][x1][2]Real = replicate [3] x5
            x7: [x0][x1][2][3]Real = transpose x6 (1, 2, 3, 0)
            give x7 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0][x1][2][3]Real) {
              x4: [2][x0][x1]Real = replicate [2] x2
              x8: [3][2][x0][x1]Real = replicate [3] x4
              x7: [x0][x1][2][3]Real = transpose x8 (2, 3, 1, 0)
              give x7
            }
        "#]],
    );
}

/// reshape-identity, reshape-reshape, reshape-replicate; one that may fail stays.
#[test]
fn reshapes() {
    check(
        &["reshape-identity", "reshape-reshape", "reshape-replicate"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: Real) -> (x4: [x0][x1]Real, x5: [x0*x1]Real, x6: [4]Real) {
            x7: [x0*x1]Real = reshape x2 2 [x0*x1]
            x8: [x0][x1]Real = reshape x7 1 [x0, x1]
            x9: [x1]Real = replicate [x1] x3
            x10: [x0][x1]Real = replicate [x0] x9
            x11: [x0*x1]Real = reshape x10 2 [x0*x1]
            x12: [4]Real = reshape x2 2 [4]
            give x8, x11, x12 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: Real) -> (x4: [x0][x1]Real, x5: [x0*x1]Real, x6: [4]Real) {
              x13: [x0*x1]Real = replicate [x0*x1] x3
              x12: [4]Real = reshape x2 2 [4]
              give x2, x13, x12
            }
        "#]],
    );
}

/// reverse-reverse, reverse-replicate, slice-whole, slice-slice, slice-replicate, concat-one, sized-known.
#[test]
fn little_ones() {
    check(
        &["reverse-reverse", "reverse-replicate", "slice-whole", "slice-slice", "slice-replicate", "concat-one", "sized-known"],
        "def main[x0](x1: [x0 + 3]Real, x2: Real) -> (x3: [x0 + 3]Real, x4: [x0]Real, x5: [x0]Real) {
            x6: [x0 + 3]Real = reverse x1
            x7: [x0 + 3]Real = reverse x6
            x8: [x0 + 3]Real = slice x7 0 [0] [x0 + 3]
            x9: [x0 + 3]Real = concat (x8)
            x10: [x0 + 3]Real = sized x9 [x0 + 3]
            x11: [x0 + 2]Real = slice x10 0 [1] [x0 + 3]
            x12: [x0]Real = slice x11 0 [1] [x0 + 1]
            x13: [x0 + 3]Real = replicate [x0 + 3] x2
            x14: [x0 + 3]Real = reverse x13
            x15: [x0]Real = slice x14 0 [2] [x0 + 2]
            give x10, x12, x15 }",
        expect![[r#"
            def main[x0](x1: [x0 + 3]Real, x2: Real) -> (x3: [x0 + 3]Real, x4: [x0]Real, x5: [x0]Real) {
              x12: [x0]Real = slice x1 0 [2] [x0 + 2]
              x15: [x0]Real = replicate [x0] x2
              give x1, x12, x15
            }
        "#]],
    );
}

/// concat-concat; what somebody else reads stays.
#[test]
fn concats_of_concats() {
    check(
        &["concat-concat"],
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [3*x0]Real, x4: [2*x0]Real, x5: [3*x0]Real) {
            x6: [2*x0]Real = concat (x1, x2)
            x7: [3*x0]Real = concat (x6, x2)
            x8: [2*x0]Real = concat (x2, x2)
            x9: [3*x0]Real = concat (x1, x8)
            give x7, x8, x9 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [3*x0]Real, x4: [2*x0]Real, x5: [3*x0]Real) {
              x7: [3*x0]Real = concat (x1, x2, x2)
              x8: [2*x0]Real = concat (x2, x2)
              x9: [3*x0]Real = concat (x1, x8)
              give x7, x8, x9
            }
        "#]],
    );
}

/// reduce-transpose, reduce-replicate, sum-zeros; over the replicated axis itself it stays.
#[test]
fn reductions() {
    check(
        &["reduce-transpose", "reduce-replicate", "sum-zeros"],
        "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real, x4: [2][x0]Real, x5: [x1]Real, x6: [x0][x1]Real) {
            x7: [x1][x0]Real = transpose x2 (1, 0)
            x8: [x0]Real = sum 0 x7
            x9: [2][x0][x1]Real = replicate [2] x2
            x10: [2][x0]Real = maximum 2 x9
            x11: [x1]Real = replicate [x1] 0.0
            x12: [x0][x1]Real = replicate [x0] x11
            x13: [x1]Real = sum 0 x12
            x14: [x0][x1]Real = sum 0 x9
            give x8, x10, x13, x14 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real, x4: [2][x0]Real, x5: [x1]Real, x6: [x0][x1]Real) {
              x15: [x0]Real = sum 1 x2
              x9: [2][x0][x1]Real = replicate [2] x2
              x16: [x0]Real = maximum 1 x2
              x10: [2][x0]Real = replicate [2] x16
              x11: [x1]Real = replicate [x1] 0.0
              x14: [x0][x1]Real = sum 0 x9
              give x15, x10, x11, x14
            }
        "#]],
    );
}

/// index-literal, index-replicate, index-iota, index-transpose, index-prim.
#[test]
fn elements() {
    check(
        &["index-literal", "index-replicate", "index-iota", "index-transpose", "index-prim", "index-nothing"],
        "def main[x0](x1: [x0 + 1][x0 + 1]Real, x2: Real, x3: [x0 + 1]Real) -> (x4: Real, x5: Real, x6: Int, x7: Real, x8: Real, x9: Real) {
            x10: [2]Real = array Real (x2, 2.0)
            x11: Real = index x10 (1)
            x12: [x0 + 1]Real = replicate [x0 + 1] x2
            x13: Real = index x12 (0)
            x14: [x0 + 1]Int = iota [x0 + 1]
            x15: Int = index x14 (0)
            x16: [x0 + 1][x0 + 1]Real = transpose x1 (1, 0)
            x17: Int = size [x0]
            x18: Real = index x16 (0, x17)
            x19: [x0 + 1]Int = sub x17 x14
            x20: [x0 + 1]Real = gather x3 (x19)
            x21: Real = index x20 (0)
            x22: [x0 + 1]Real = mul x3 x2
            x23: Real = index x22 (x17)
            give x11, x13, x15, x18, x21, x23 }",
        expect![[r#"
            def main[x0](x1: [x0 + 1][x0 + 1]Real, x2: Real, x3: [x0 + 1]Real) -> (x4: Real, x5: Real, x6: Int, x7: Real, x8: Real, x9: Real) next 25 {
              x18: Real = index x1 (x0, 0)
              x21: Real = index x3 (x0)
              x23: Real = mul x21 x2
              give 2.0, x2, 0, x18, x21, x23
            }
        "#]],
    );
}

/// An index that is not known to be in bounds fails where it did.
#[test]
fn elements_out_of_bounds() {
    check(
        &[],
        "def main[x0](x1: Int, x2: Real) -> (x3: Real) {
            x4: [x0]Real = replicate [x0] x2
            x5: Real = index x4 (x1)
            give x5 }",
        expect![[r#"
            def main[x0](x1: Int, x2: Real) -> (x3: Real) {
              x4: [x0]Real = replicate [x0] x2
              x5: Real = index x4 (x1)
              give x5
            }
        "#]],
    );
}

/// index-reverse: from the other end.
#[test]
fn elements_backwards() {
    check(
        &["index-reverse"],
        "def main(x1: [3]Real) -> (x2: Real) {
            x3: [3]Real = reverse x1
            x4: Real = index x3 (0)
            give x4 }",
        expect![[r#"
            def main(x1: [3]Real) -> (x2: Real) {
              x4: Real = index x1 (2)
              give x4
            }
        "#]],
    );
}

/// index-gather: the element comes from where the gather took it.
#[test]
fn elements_of_gathers() {
    check(
        &["index-gather"],
        "def main[x0](x1: [2*x0 + 2]Real) -> (x2: Real) {
            x3: [x0 + 1]Int = iota [x0 + 1]
            x4: [x0 + 1]Int = mul x3 2
            x5: [x0 + 1]Real = gather x1 (x4)
            x6: Real = index x5 (0)
            give x6 }",
        expect![[r#"
            def main[x0](x1: [2*x0 + 2]Real) -> (x2: Real) {
              x6: Real = index x1 (0)
              give x6
            }
        "#]],
    );
}
