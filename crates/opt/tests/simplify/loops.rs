//! What loops collect, what they go through, and what is added to rows in them.

use expect_test::expect;

use crate::{check, check_loosely};

/// collect-invariant, collect-elements: what is collected of the elements, and not of the state, is known
/// without the loop.
#[test]
fn collected() {
    check(
        &["collect-known", "loop-over-iota"],
        "def main[x0, x1](x2: [x0][2*x1]Real, x3: [x1]Real) -> (x4: Real, x5: [x0][x1]Real, x6: [x0]Int, x7: [x0][x1]Real, x8: [x0]Real) {
            x9: [x0]Int = iota [x0]
            x10: Real, x11: [x0][x1]Real, x12: [x0]Int, x13: [x0][x1]Real, x14: [x0]Real = fold (x15: Real = 0.0) (x16: Int = x9) {
                x17: [2*x1]Real = index x2 (x16)
                x18: [x1]Real = slice x17 0 [x1] [2*x1]
                x19: Int = mul 2 x16
                x20: [x1]Real = mul x18 x3
                x21: Real = sum 0 x20
                x22: Real = add x15 x21
                give x22, x18, x19, x3, x15
            }
            give x10, x11, x12, x13, x14 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][2*x1]Real, x3: [x1]Real) -> (x4: Real, x5: [x0][x1]Real, x6: [x0]Int, x7: [x0][x1]Real, x8: [x0]Real) {
              x9: [x0]Int = iota [x0]
              x23: [x0][x1]Real = slice x2 1 [x1] [2*x1]
              x24: [x0]Int = mul 2 x9
              x25: [x0][x1]Real = replicate [x0] x3
              x10: Real, x14: [x0]Real = fold (x15: Real = 0.0) (x16: Int = x9) {
                x17: [2*x1]Real = index x2 (x16)
                x18: [x1]Real = slice x17 0 [x1] [2*x1]
                x20: [x1]Real = mul x18 x3
                x21: Real = sum 0 x20
                x22: Real = add x15 x21
                give x22, x15
              }
              give x10, x23, x24, x25, x14
            }
        "#]],
    );
}

/// Remainders by the size of an array divide by no zero, and what they say of an index is known: with all that it
/// finds, an edge that is joined to the other leaves the loop. By another number they stay.
#[test]
fn remainders() {
    check(
        &[],
        "def main[x0](x1: [x0]Real, x2: Int, x3: Int) -> (x4: Real) {
            x5: [x0]Int = iota [x0]
            x6: Int = size [x0]
            x7: Real = iterate x8 < x2 (x9: Real = 0.0) {
                x10: [x0]Int = add x5 1
                x11: [x0]Int = rem x10 x6
                x12: [x0]Real = gather x1 (x11)
                x13: Real = sum 0 x12
                x14: [x0]Int = rem x10 x3
                x15: Int = sum 0 x14
                x16: Real = real x15
                x17: Real = add x13 x16
                x18: Real = add x9 x17
                give x18
            }
            give x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Int, x3: Int) -> (x4: Real) {
              x5: [x0]Int = iota [x0]
              x10: [x0]Int = add x5 1
              x11: [x0]Int = rem x10 x0
              x12: [x0]Real = gather x1 (x11)
              x13: Real = sum 0 x12
              x7: Real = iterate x8 < x2 (x9: Real = 0.0) {
                x14: [x0]Int = rem x10 x3
                x15: Int = sum 0 x14
                x16: Real = real x15
                x17: Real = add x13 x16
                x18: Real = add x9 x17
                give x18
              }
              give x7
            }
        "#]],
    );
}

/// loop-over-affine: forwards and backwards, so that indices are known to be in bounds.
#[test]
fn over_affine_arrays() {
    check(
        &["loop-over-affine"],
        "def main[x0](x1: [2*x0]Real) -> (x2: Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Int = mul 2 x3
            x5: [x0]Int = reverse x3
            x6: [x0]Int = reverse x4
            x7: Real = fold (x8: Real = 0.0) (x9: Int = x5, x10: Int = x6) {
                x11: Int = add x10 1
                x12: Real = index x1 (x11)
                x13: Real = real x9
                x14: Real = mul x12 x13
                x15: Real = add x8 x14
                give x15
            }
            give x7 }",
        expect![[r#"
            def main[x0](x1: [2*x0]Real) -> (x2: Real) next 19 {
              x3: [x0]Int = iota [x0]
              x5: [x0]Int = reverse x3
              x7: Real = fold (x8: Real = 0.0) (x9: Int = x5) {
                x16: Int = mul x9 2
                x11: Int = add x16 1
                x12: Real = index x1 (x11)
                x13: Real = real x9
                x14: Real = mul x12 x13
                x15: Real = add x8 x14
                give x15
              }
              give x7
            }
        "#]],
    );
}

/// scatter-of-scatter, scatter-of-concat: pieces of a row are added where they belong.
#[test]
fn pieces_of_rows() {
    check_loosely(
        &["scatter-of-scatter", "scatter-of-concat"],
        "def main[x0](x1: [3][4*x0]Real, x2: [x0]Real, x3: [x0]Real) -> (x4: [3][4*x0]Real) {
            x5: [x0]Real = replicate [x0] 0.0
            x6: [2*x0]Real = replicate [2*x0] 0.0
            x7: [4*x0]Real = concat (x6, x2, x5)
            x8: [x0]Int = iota [x0]
            x9: [4*x0]Real = scatter x7 (x8) x3
            x10: [3][4*x0]Real = scatter x1 (1) x9
            give x10 }",
        expect![[r#"
            def main[x0](x1: [3][4*x0]Real, x2: [x0]Real, x3: [x0]Real) -> (x4: [3][4*x0]Real) {
              x8: [x0]Int = iota [x0]
              x11: Int = size [2*x0]
              x12: [x0]Int = add x8 x11
              x13: [3][4*x0]Real = scatter x1 (1, x12) x2
              x10: [3][4*x0]Real = scatter x13 (1, x8) x3
              give x10
            }
        "#]],
    );
}
