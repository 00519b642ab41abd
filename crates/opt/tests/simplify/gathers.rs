//! Gathers by the form of their indices.

use expect_test::expect;

use crate::check;

/// gather-identity: every element of its own place.
#[test]
fn identity() {
    check(
        &["gather-moved"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Real = gather x1 (x3)
            give x4 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) next 5 {
              give x1
            }
        "#]],
    );
}

/// gather-transpose: `build i j => a[j, i]`.
#[test]
fn transposed() {
    check(
        &["gather-moved"],
        "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x1][x0]Real) {
            x4: [x1]Int = iota [x1]
            x5: [x0][x1]Int = replicate [x0] x4
            x6: [x1][x0]Int = transpose x5 (1, 0)
            x7: [x0]Int = iota [x0]
            x8: [x1][x0]Int = replicate [x1] x7
            x9: [x1][x0]Real = gather x2 (x8, x6)
            give x9 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x1][x0]Real) {
              x9: [x1][x0]Real = transpose x2 (1, 0)
              give x9
            }
        "#]],
    );
}

/// gather-reverse, gather-slice; an index that is not known to be in bounds is left to fail.
#[test]
fn affine() {
    check(
        &["gather-moved"],
        "def main[x0](x1: [x0 + 2]Real) -> (x2: [x0 + 2]Real, x3: [x0]Real, x4: [x0 + 2]Real) {
            x5: [x0 + 2]Int = iota [x0 + 2]
            x6: Int = size [x0 + 1]
            x7: [x0 + 2]Int = sub x6 x5
            x8: [x0 + 2]Real = gather x1 (x7)
            x9: [x0]Int = iota [x0]
            x10: [x0]Int = add x9 2
            x11: [x0]Real = gather x1 (x10)
            x12: [x0 + 2]Int = add x5 1
            x13: [x0 + 2]Real = gather x1 (x12)
            give x8, x11, x13 }",
        expect![[r#"
            def main[x0](x1: [x0 + 2]Real) -> (x2: [x0 + 2]Real, x3: [x0]Real, x4: [x0 + 2]Real) {
              x5: [x0 + 2]Int = iota [x0 + 2]
              x14: [x0 + 2]Real = reverse x1
              x15: [x0]Real = slice x1 0 [2] [x0 + 2]
              x12: [x0 + 2]Int = add x5 1
              x13: [x0 + 2]Real = gather x1 (x12)
              give x14, x15, x13
            }
        "#]],
    );
}

/// gather-replicate: one of the loops does not matter.
#[test]
fn replicated() {
    check(
        &["gather-moved"],
        "def main[x0, x1](x2: [x0]Real) -> (x3: [x0][x1]Real, x4: [x1][x0]Real) {
            x5: [x0]Int = iota [x0]
            x6: [x1][x0]Int = replicate [x1] x5
            x7: [x1][x0]Real = gather x2 (x6)
            x8: [x0][x1]Int = transpose x6 (1, 0)
            x9: [x0][x1]Real = gather x2 (x8)
            give x9, x7 }",
        expect![[r#"
            def main[x0, x1](x2: [x0]Real) -> (x3: [x0][x1]Real, x4: [x1][x0]Real) {
              x10: [x1][x0]Real = replicate [x1] x2
              x9: [x0][x1]Real = transpose x10 (1, 0)
              give x9, x10
            }
        "#]],
    );
}

/// gather-rows: whole rows, `build i j => a[2 * i, j]`.
#[test]
fn rows() {
    check(
        &["gather-rows"],
        "def main[x0, x1](x2: [2*x0][x1]Real) -> (x3: [x0][x1]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0]Int = mul x4 2
            x6: [x1][x0]Int = replicate [x1] x5
            x7: [x0][x1]Int = transpose x6 (1, 0)
            x8: [x1]Int = iota [x1]
            x9: [x0][x1]Int = replicate [x0] x8
            x10: [x0][x1]Real = gather x2 (x7, x9)
            give x10 }",
        expect![[r#"
            def main[x0, x1](x2: [2*x0][x1]Real) -> (x3: [x0][x1]Real) {
              x4: [x0]Int = iota [x0]
              x5: [x0]Int = mul x4 2
              x10: [x0][x1]Real = gather x2 (x5)
              give x10
            }
        "#]],
    );
}

/// gather-scalar-index, gather-one, gather-scalars.
#[test]
fn scalar_indices() {
    check(
        &["gather-scalar-index", "gather-one", "gather-scalars"],
        "def main[x0, x1](x2: [x0 + 1][x1]Real, x3: Int, x4: [x1]Int) -> (x5: [x1]Real, x6: [x0][x1]Real, x7: Real) {
            x8: [x1]Int = replicate [x1] x3
            x9: [x1]Real = gather x2 (x8, x4)
            x10: [x0]Int = replicate [x0] 0
            x11: [x0][x1]Real = gather x2 (x10)
            x12: Real = gather x2 (x3, 0)
            give x9, x11, x12 }",
        expect![[r#"
            def main[x0, x1](x2: [x0 + 1][x1]Real, x3: Int, x4: [x1]Int) -> (x5: [x1]Real, x6: [x0][x1]Real, x7: Real) {
              x9: [x1]Real = gather x2 (x3, x4)
              x13: [x1]Real = index x2 (0)
              x14: [x0][x1]Real = replicate [x0] x13
              x12: Real = index x2 (x3, 0)
              give x9, x14, x12
            }
        "#]],
    );
}

/// gather-of-replicate, gather-of-gather.
#[test]
fn of_movements() {
    check(
        &["gather-of-replicate", "gather-of-gather"],
        "def main[x0, x1](x2: [4*x0]Real, x3: [x0][2*x1]Real) -> (x4: [x1]Real, x5: [x0][x1]Real, x6: [x1][x0]Real) {
            x7: [x1]Int = iota [x1]
            x8: [x1]Int = mul x7 2
            x9: [2*x1]Real = replicate [2*x1] 1.5
            x10: [x1]Real = gather x9 (x8)
            x11: [2*x0]Int = iota [2*x0]
            x12: [2*x0]Int = mul x11 2
            x13: [2*x0]Real = gather x2 (x12)
            x14: [x0]Int = iota [x0]
            x15: [x0]Int = mul x14 2
            x16: [x0]Real = gather x13 (x15)
            x17: [x1][x0]Real = replicate [x1] x16
            x18: [x0][x1]Real = transpose x17 (1, 0)
            x19: [2*x1][x0]Real = transpose x3 (1, 0)
            x20: [x0][x1]Int = replicate [x0] x8
            x21: [x1][x0]Int = transpose x20 (1, 0)
            x22: [x1][x0]Int = replicate [x1] x14
            x23: [x1][x0]Real = gather x19 (x21, x22)
            give x10, x18, x23 }",
        expect![[r#"
            def main[x0, x1](x2: [4*x0]Real, x3: [x0][2*x1]Real) -> (x4: [x1]Real, x5: [x0][x1]Real, x6: [x1][x0]Real) {
              x7: [x1]Int = iota [x1]
              x8: [x1]Int = mul x7 2
              x24: [x1]Real = replicate [x1] 1.5
              x11: [2*x0]Int = iota [2*x0]
              x12: [2*x0]Int = mul x11 2
              x14: [x0]Int = iota [x0]
              x15: [x0]Int = mul x14 2
              x25: [x0]Int = gather x12 (x15)
              x16: [x0]Real = gather x2 (x25)
              x17: [x1][x0]Real = replicate [x1] x16
              x18: [x0][x1]Real = transpose x17 (1, 0)
              x19: [2*x1][x0]Real = transpose x3 (1, 0)
              x23: [x1][x0]Real = gather x19 (x8)
              give x24, x18, x23
            }
        "#]],
    );
}

/// gather-repeated: a loop around indices that do not know of it.
#[test]
fn repeated() {
    check(
        &["gather-repeated"],
        "def main[x0, x1](x2: [3*x0]Real) -> (x3: [x0][x1]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0]Int = mul x4 3
            x6: [x1][x0]Int = replicate [x1] x5
            x7: [x0][x1]Int = transpose x6 (1, 0)
            x8: [x0][x1]Real = gather x2 (x7)
            give x8 }",
        expect![[r#"
            def main[x0, x1](x2: [3*x0]Real) -> (x3: [x0][x1]Real) {
              x4: [x0]Int = iota [x0]
              x5: [x0]Int = mul x4 3
              x9: [x0]Real = gather x2 (x5)
              x10: [x1][x0]Real = replicate [x1] x9
              x8: [x0][x1]Real = transpose x10 (1, 0)
              give x8
            }
        "#]],
    );
}

/// gather-mask-constant.
#[test]
fn masks() {
    check(
        &["gather-mask-constant"],
        "def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real, x4: [x0]Real) {
            x5: [x0]Bool = replicate [x0] true
            x6: [x0]Real = gather x1 (x2) where x5
            x7: [x0]Bool = replicate [x0] false
            x8: [x0]Real = gather x1 (x2) where x7
            give x6, x8 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real, x4: [x0]Real) {
              x6: [x0]Real = gather x1 (x2)
              x9: [x0]Real = replicate [x0] 0.0
              give x6, x9
            }
        "#]],
    );
}

/// gather-masked-same: which position does not matter, the mask does.
#[test]
fn masked_equals() {
    check(
        &["gather-masked-same"],
        "def main[x0](x1: Real, x2: Bool) -> (x3: [x0]Real) {
            x4: [x0]Real = replicate [x0] x1
            x5: [x0]Int = iota [x0]
            x6: [x0]Real = gather x4 (x5) where x2
            give x6 }",
        expect![[r#"
            def main[x0](x1: Real, x2: Bool) -> (x3: [x0]Real) {
              x7: Real = select x2 x1 0.0
              x8: [x0]Real = replicate [x0] x7
              give x8
            }
        "#]],
    );
}

/// gather-masked-own: the first and the last element where that is the position; not where there are more
/// elements than positions.
#[test]
fn masked_own() {
    check(
        &["gather-masked-own"],
        "def main[x0](x1: [x0]Real, x2: [x0 + 1]Real) -> (x3: [x0]Real, x4: [x0]Real, x5: [x0]Real, x6: [x0]Real) {
            x7: [x0]Int = iota [x0]
            x8: [x0]Bool = eq x7 0
            x9: [x0]Real = gather x1 (0) where x8
            x10: Int = size [x0 - 1]
            x11: [x0]Bool = eq x7 x10
            x12: [x0]Real = gather x1 (x10) where x11
            x13: [x0]Bool = le x7 0
            x14: [x0]Real = gather x1 (0) where x13
            x15: [x0]Real = gather x2 (0) where x8
            give x9, x12, x14, x15 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0 + 1]Real) -> (x3: [x0]Real, x4: [x0]Real, x5: [x0]Real, x6: [x0]Real) {
              x7: [x0]Int = iota [x0]
              x8: [x0]Bool = eq x7 0
              x9: [x0]Real = select x8 x1 0.0
              x10: Int = size [x0 - 1]
              x11: [x0]Bool = eq x7 x10
              x12: [x0]Real = select x11 x1 0.0
              x13: [x0]Bool = le x7 0
              x14: [x0]Real = select x13 x1 0.0
              x15: [x0]Real = gather x2 (0) where x8
              give x9, x12, x14, x15
            }
        "#]],
    );
}

/// gather-of-transpose: the indices in the other order.
#[test]
fn of_transposes() {
    check(
        &["gather-of-transpose"],
        "def main[x0](x1: [x0][2*x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Int = mul x3 2
            x5: [2*x0][x0]Real = transpose x1 (1, 0)
            x6: [x0]Real = gather x5 (x4, x3)
            give x6 }",
        expect![[r#"
            def main[x0](x1: [x0][2*x0]Real) -> (x2: [x0]Real) {
              x3: [x0]Int = iota [x0]
              x4: [x0]Int = mul x3 2
              x6: [x0]Real = gather x1 (x3, x4)
              give x6
            }
        "#]],
    );
}

/// gather-of-scatter: what was written is read again, and nothing else of the matrix.
#[test]
fn of_scatters() {
    check(
        &["gather-of-scatter"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Real = replicate [x0] 0.0
            x5: [x0][x0]Real = replicate [x0] x4
            x6: [x0][x0]Real = scatter x5 (x3, x3) x1
            x7: [x0]Real = gather x6 (x3, x3)
            give x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x7: [x0]Real = add x1 0.0
              give x7
            }
        "#]],
    );
}
