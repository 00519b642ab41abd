//! What is the same along an axis goes out of sums, and out of what is added up.

use expect_test::expect;

use crate::{check, check_loosely};

/// sum-neg, up to the sign of zero.
#[test]
fn negated() {
    check_loosely(
        &["sum-neg"],
        "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real) {
            x4: [x0][x1]Real = neg x2
            x5: [x0]Real = sum 1 x4
            give x5 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real) {
              x6: [x0]Real = sum 1 x2
              x5: [x0]Real = neg x6
              give x5
            }
        "#]],
    );
}

/// sum-twice: also of what is twice twice the same, and of what is negated in between.
#[test]
fn doubled() {
    check_loosely(
        &["sum-twice"],
        "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real) {
            x4: [x0][x1]Real = add x2 x2
            x5: [x0][x1]Real = neg x4
            x6: [x0][x1]Real = add x5 x5
            x7: [x0]Real = sum 1 x6
            give x7 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real) {
              x8: [x0]Real = sum 1 x2
              x9: [x0]Real = add x8 x8
              x10: [x0]Real = neg x9
              x7: [x0]Real = add x10 x10
              give x7
            }
        "#]],
    );
}

/// sum-scale: a factor that is the same along the axis, as a scalar or repeated; finite ones here, since
/// of others it is left open what cancels first.
#[test]
fn scaled() {
    check_loosely(
        &["sum-scale"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: Int, x4: [x1]Int) -> (x5: [x1]Real, x6: [x1]Real, x7: [x0]Real) {
            x8: Real = real x3
            x9: [x0][x1]Real = scale x8 x2
            x10: [x1]Real = sum 0 x9
            x11: [x1]Real = real x4
            x12: [x0][x1]Real = replicate [x0] x11
            x13: [x0][x1]Real = scale x2 x12
            x14: [x1]Real = sum 0 x13
            x15: [x0]Real = sum 1 x13
            give x10, x14, x15 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: Int, x4: [x1]Int) -> (x5: [x1]Real, x6: [x1]Real, x7: [x0]Real) {
              x8: Real = real x3
              x16: [x1]Real = sum 0 x2
              x10: [x1]Real = scale x8 x16
              x11: [x1]Real = real x4
              x12: [x0][x1]Real = replicate [x0] x11
              x13: [x0][x1]Real = scale x2 x12
              x14: [x1]Real = scale x11 x16
              x15: [x0]Real = sum 1 x13
              give x10, x14, x15
            }
        "#]],
    );
}

/// sum-sum-scale: all columns of a product of matrices, added up.
#[test]
fn products() {
    check_loosely(
        &["sum-sum-scale"],
        "def main[x0, x1, x2](x3: [x1][x2]Int, x4: [x0][x2]Real) -> (x5: [x1]Real) {
            x6: [x1][x2]Real = real x3
            x7: [x0][x1][x2]Real = replicate [x0] x6
            x8: [x1][x0][x2]Real = replicate [x1] x4
            x9: [x0][x1][x2]Real = transpose x8 (1, 0)
            x10: [x0][x1][x2]Real = scale x7 x9
            x11: [x0][x1]Real = sum 2 x10
            x12: [x1]Real = sum 0 x11
            give x12 }",
        expect![[r#"
            def main[x0, x1, x2](x3: [x1][x2]Int, x4: [x0][x2]Real) -> (x5: [x1]Real) {
              x6: [x1][x2]Real = real x3
              x13: [x2]Real = sum 0 x4
              x14: [x1][x2]Real = replicate [x1] x13
              x15: [x1][x2]Real = scale x6 x14
              x12: [x1]Real = sum 1 x15
              give x12
            }
        "#]],
    );
}

/// sum-select: to the bit; what is not chosen has no part in it.
#[test]
fn selected() {
    check(
        &["sum-select"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Bool) -> (x5: [x1]Real, x6: [x0]Real) {
            x4: [x0][x1]Bool = replicate [x0] x3
            x7: [x0][x1]Real = select x4 x2 0.0
            x8: [x1]Real = sum 0 x7
            x9: [x0]Real = sum 1 x7
            x10: [x0][x1]Real = select x4 -0.0 x2
            x11: [x1]Real = sum 0 x10
            x12: [x1]Real = sub x8 x11
            give x12, x9 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Bool) -> (x5: [x1]Real, x6: [x0]Real) {
              x4: [x0][x1]Bool = replicate [x0] x3
              x7: [x0][x1]Real = select x4 x2 0.0
              x13: [x1]Real = sum 0 x2
              x8: [x1]Real = select x3 x13 0.0
              x9: [x0]Real = sum 1 x7
              x11: [x1]Real = select x3 0.0 x13
              x12: [x1]Real = sub x8 x11
              give x12, x9
            }
        "#]],
    );
}

/// add-selects: the cotangents of two branches become one.
#[test]
fn both_branches() {
    check_loosely(
        &["add-selects"],
        "def main[x0](x2: [x0]Real, x3: [x0]Bool, x4: Real) -> (x5: [x0]Real, x6: [x0]Real) {
            x7: [x0]Real = select x3 x2 0.0
            x8: [x0]Real = select x3 0.0 x2
            x9: [x0]Real = add x7 x8
            x10: [x0]Real = select x3 0.0 x4
            x11: [x0]Real = add x10 x7
            give x9, x11 }",
        expect![[r#"
            def main[x0](x2: [x0]Real, x3: [x0]Bool, x4: Real) -> (x5: [x0]Real, x6: [x0]Real) {
              x11: [x0]Real = select x3 x2 x4
              give x2, x11
            }
        "#]],
    );
}

/// add-sums: one sum instead of two, unless somebody else needs one of them.
#[test]
fn two_sums() {
    check_loosely(
        &["add-sums"],
        "def main[x0](x2: [x0]Real, x3: [x0]Real) -> (x4: Real, x5: Real, x6: Real) {
            x7: Real = sum 0 x2
            x8: Real = sum 0 x3
            x9: Real = add x7 x8
            x10: [x0]Real = mul x2 x3
            x11: Real = sum 0 x10
            x12: [x0]Real = mul x3 x3
            x13: Real = sum 0 x12
            x14: Real = add x11 x13
            give x9, x8, x14 }",
        expect![[r#"
            def main[x0](x2: [x0]Real, x3: [x0]Real) -> (x4: Real, x5: Real, x6: Real) {
              x7: Real = sum 0 x2
              x8: Real = sum 0 x3
              x9: Real = add x7 x8
              x10: [x0]Real = mul x2 x3
              x12: [x0]Real = mul x3 x3
              x15: [x0]Real = add x10 x12
              x14: Real = sum 0 x15
              give x9, x8, x14
            }
        "#]],
    );
}

/// add-sums: also where other terms stand between them.
#[test]
fn sums_apart() {
    check_loosely(
        &["add-sums"],
        "def main[x0](x2: [x0]Real, x3: [x0]Real, x4: Real) -> (x5: Real) {
            x6: Real = sum 0 x2
            x7: Real = add x6 x4
            x8: Real = add x7 x4
            x9: [x0]Real = mul x2 x3
            x10: Real = sum 0 x9
            x11: Real = add x8 x10
            x12: [x0]Real = mul x3 x3
            x13: Real = sum 0 x12
            x14: Real = add x11 x13
            give x14 }",
        expect![[r#"
            def main[x0](x2: [x0]Real, x3: [x0]Real, x4: Real) -> (x5: Real) {
              x9: [x0]Real = mul x2 x3
              x15: [x0]Real = add x2 x9
              x12: [x0]Real = mul x3 x3
              x18: [x0]Real = add x15 x12
              x19: Real = sum 0 x18
              x20: Real = add x19 x4
              x14: Real = add x20 x4
              give x14
            }
        "#]],
    );
}
