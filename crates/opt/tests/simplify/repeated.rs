//! What is the same along an axis is done once.

use expect_test::expect;

use crate::check;

/// prim-of-repeated: along any axis; scalars are the same along all.
#[test]
fn primitives() {
    check(
        &["prim-of-repeated"],
        "def main[x0, x1](x2: [x1]Real, x3: [x0]Real, x4: Real) -> (x5: [x1][x0]Real, x6: [x1][x0]Real) {
            x7: [x0][x1]Real = replicate [x0] x2
            x8: [x1][x0]Real = transpose x7 (1, 0)
            x9: [x1][x0]Real = exp x8
            x11: [x1][x0]Real = replicate [x1] x3
            x12: [x1][x0]Real = mul x8 x4
            x13: [x1][x0]Real = add x12 x9
            x14: [x1][x0]Real = add x11 x9
            give x13, x14 }",
        expect![[r#"
            def main[x0, x1](x2: [x1]Real, x3: [x0]Real, x4: Real) -> (x5: [x1][x0]Real, x6: [x1][x0]Real) {
              x15: [x1]Real = exp x2
              x16: [x0][x1]Real = replicate [x0] x15
              x9: [x1][x0]Real = transpose x16 (1, 0)
              x11: [x1][x0]Real = replicate [x1] x3
              x17: [x1]Real = mul x2 x4
              x19: [x1]Real = add x17 x15
              x20: [x0][x1]Real = replicate [x0] x19
              x13: [x1][x0]Real = transpose x20 (1, 0)
              x14: [x1][x0]Real = add x11 x9
              give x13, x14
            }
        "#]],
    );
}

/// An operation that can fail does not: of no elements, nothing is divided.
#[test]
fn primitives_that_fail() {
    check(
        &[],
        "def main[x0, x1](x2: [x1]Int, x3: Int) -> (x5: [x1][x0]Int) {
            x7: [x0][x1]Int = replicate [x0] x2
            x8: [x1][x0]Int = transpose x7 (1, 0)
            x9: [x1][x0]Int = div x8 x3
            give x9 }",
        expect![[r#"
            def main[x0, x1](x2: [x1]Int, x3: Int) -> (x5: [x1][x0]Int) {
              x7: [x0][x1]Int = replicate [x0] x2
              x8: [x1][x0]Int = transpose x7 (1, 0)
              x9: [x1][x0]Int = div x8 x3
              give x9
            }
        "#]],
    );
}

/// gather-masked-repeated: along the first axis and along another one. The indices are anything, so
/// that nothing may be looked at where the axis has no positions.
#[test]
fn masked_gathers() {
    check(
        &["gather-masked-repeated"],
        "def main[x0, x1](x2: [3]Real, x3: [x1]Int, x4: [x1]Bool) -> (x5: [x0][x1]Real, x6: [x1][x0]Real) {
            x7: [x0][x1]Int = replicate [x0] x3
            x8: [x0][x1]Bool = replicate [x0] x4
            x9: [x0][x1]Real = gather x2 (x7) where x8
            x10: [x1][x0]Int = transpose x7 (1, 0)
            x11: [x1][x0]Bool = transpose x8 (1, 0)
            x12: [x1][x0]Real = gather x2 (x10) where x11
            give x9, x12 }",
        expect![[r#"
            def main[x0, x1](x2: [3]Real, x3: [x1]Int, x4: [x1]Bool) -> (x5: [x0][x1]Real, x6: [x1][x0]Real) {
              x13: Bool = gt x0 0
              x14: [x1]Bool = and x4 x13
              x15: [x1]Real = gather x2 (x3) where x14
              x9: [x0][x1]Real = replicate [x0] x15
              x12: [x1][x0]Real = transpose x9 (1, 0)
              give x9, x12
            }
        "#]],
    );
}

/// gather-masked-repeated: in bounds, the mask is as it was.
#[test]
fn masked_gathers_in_bounds() {
    check(
        &["gather-masked-repeated"],
        "def main[x0, x1](x2: [x1]Real, x4: [x1]Bool) -> (x5: [x0][x1]Real) {
            x3: [x1]Int = iota [x1]
            x7: [x0][x1]Int = replicate [x0] x3
            x8: [x0][x1]Bool = replicate [x0] x4
            x9: [x0][x1]Real = gather x2 (x7) where x8
            give x9 }",
        expect![[r#"
            def main[x0, x1](x2: [x1]Real, x4: [x1]Bool) -> (x5: [x0][x1]Real) {
              x3: [x1]Int = iota [x1]
              x10: [x1]Real = gather x2 (x3) where x4
              x9: [x0][x1]Real = replicate [x0] x10
              give x9
            }
        "#]],
    );
}
