//! Constants, and identities of primitives.

use expect_test::expect;

use crate::{check, check_loosely};

/// copy, size-known, constant: exact ones only, `0.1 + 0.2` is another number in single precision.
#[test]
fn constants() {
    check(
        &["copy", "size-known", "constant"],
        "def main[x0](x1: Real) -> (x2: Real, x3: Int, x4: Int, x5: Bool, x6: Real) {
            x7: Real = copy x1
            x8: Real = add 1.5 2.25
            x9: Real = mul x7 x8
            x10: Int = size [x0]
            x11: Int = size [3]
            x12: Int = mul x11 2
            x13: Bool = lt x12 7
            x14: Real = add 0.1 0.2
            give x9, x10, x12, x13, x14 }",
        expect![[r#"
            def main[x0](x1: Real) -> (x2: Real, x3: Int, x4: Int, x5: Bool, x6: Real) {
              x9: Real = mul x1 3.75
              x14: Real = add 0.1 0.2
              give x9, x0, 6, true, x14
            }
        "#]],
    );
}

/// add-minus-zero, sub-zero, times-one, minus-zero-minus: only what is true of `-0.0` and NaN.
#[test]
fn identities_to_the_bit() {
    check(
        &["add-minus-zero", "sub-zero", "times-one", "minus-zero-minus", "twice"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
            x5: [x0]Real = mul x1 1.0
            x6: [x0]Real = sub x5 0.0
            x7: [x0]Real = add x6 -0.0
            x8: [x0]Real = add x7 0.0
            x9: [x0]Real = replicate [x0] 1.0
            x10: [x0]Real = div x7 x9
            x11: [x0]Real = sub -0.0 x10
            x12: [x0]Real = neg x11
            x13: [x0]Real = scale x1 1.0
            give x8, x12, x13 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) next 15 {
              x8: [x0]Real = add x1 0.0
              x13: [x0]Real = scale x1 1.0
              give x8, x1, x13
            }
        "#]],
    );
}

/// Identities of primitives where the sign of zero does not count.
#[test]
fn identities_up_to_zero() {
    check_loosely(
        &["add-zero", "scale-one", "scale-minus-one"],
        "def main[x0](x1: [x0]Real, x9: Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real, x10: [x0]Real) {
            x5: [x0]Real = replicate [x0] 0.0
            x6: [x0]Real = add x5 x1
            x7: [x0]Real = scale x1 1.0
            x8: [x0]Real = scale -1.0 x1
            x11: [x0]Real = replicate [x0] -1.0
            x12: [x0]Real = scale x9 x11
            give x6, x7, x8, x12 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x9: Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real, x10: [x0]Real) {
              x13: [x0]Real = neg x1
              x14: Real = neg x9
              x15: [x0]Real = replicate [x0] x14
              give x1, x1, x13, x15
            }
        "#]],
    );
}

/// scale-zero, power-zero; `x * 0.0` stays for NaN.
#[test]
fn zeros() {
    check(
        &["scale-zero", "power-zero"],
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
            x5: [x0]Real = scale x1 0.0
            x6: [x0]Real = mul x1 0.0
            x7: [x0]Real = pow x1 0.0
            give x5, x6, x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real, x4: [x0]Real) {
              x8: [x0]Real = replicate [x0] 0.0
              x6: [x0]Real = mul x1 0.0
              x9: [x0]Real = replicate [x0] 1.0
              give x8, x6, x9
            }
        "#]],
    );
}

/// select-same, select-constant, and-constant, twice, integers.
#[test]
fn choices() {
    check(
        &[
            "select-same",
            "select-constant",
            "and-constant",
            "twice",
            "int-zero",
            "int-one",
            "same-int",
        ],
        "def main(x1: Bool, x2: Real, x3: Int) -> (x4: Real, x5: Real, x6: Bool, x7: Int) {
            x8: Real = select x1 x2 x2
            x9: Real = select false x2 1.0
            x10: Bool = and x1 true
            x11: Bool = not x10
            x12: Bool = not x11
            x13: Int = add x3 0
            x14: Int = mul 1 x13
            x15: Int = sub x14 x3
            x16: Int = add x15 x14
            give x8, x9, x12, x16 }",
        expect![[r#"
            def main(x1: Bool, x2: Real, x3: Int) -> (x4: Real, x5: Real, x6: Bool, x7: Int) next 17 {
              give x2, 1.0, x1, x3
            }
        "#]],
    );
}

/// select-again: on both sides; not by another condition.
#[test]
fn choices_again() {
    check(
        &["select-again"],
        "def main[x0](x1: [x0]Bool, x2: [x0]Real, x3: [x0]Real, x4: [x0]Bool) -> (x5: [x0]Real, x6: [x0]Real, x7: [x0]Real) {
            x8: [x0]Real = select x1 x2 0.0
            x9: [x0]Real = select x1 x8 x3
            x10: [x0]Real = select x1 1.0 x3
            x11: [x0]Real = select x1 x2 x10
            x12: [x0]Real = select x4 x8 x3
            give x9, x11, x12 }",
        expect![[r#"
            def main[x0](x1: [x0]Bool, x2: [x0]Real, x3: [x0]Real, x4: [x0]Bool) -> (x5: [x0]Real, x6: [x0]Real, x7: [x0]Real) {
              x8: [x0]Real = select x1 x2 0.0
              x9: [x0]Real = select x1 x2 x3
              x12: [x0]Real = select x4 x8 x3
              give x9, x9, x12
            }
        "#]],
    );
}

/// prim-of-replicates, prim-of-scalar: a scalar does.
#[test]
fn replicated_operands() {
    check(
        &["prim-of-replicates", "prim-of-scalar"],
        "def main[x0](x1: [x0]Real, x2: Real, x3: Real) -> (x4: [x0]Real, x5: [x0]Real) {
            x6: [x0]Real = replicate [x0] x2
            x7: [x0]Real = replicate [x0] x3
            x8: [x0]Real = mul x6 x7
            x9: [x0]Real = exp x8
            x10: [x0]Real = add x1 x9
            give x10, x8 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real, x3: Real) -> (x4: [x0]Real, x5: [x0]Real) {
              x11: Real = mul x2 x3
              x8: [x0]Real = replicate [x0] x11
              x12: Real = exp x11
              x10: [x0]Real = add x1 x12
              give x10, x8
            }
        "#]],
    );
}

/// prim-of-transposes: one movement, not two.
#[test]
fn transposed_operands() {
    check(
        &["prim-of-transposes"],
        "def main[x0, x1](x2: [x0][x1]Real, x3: [x0][x1]Real) -> (x4: [x1][x0]Real) {
            x5: [x1][x0]Real = transpose x2 (1, 0)
            x6: [x1][x0]Real = transpose x3 (1, 0)
            x7: [x1][x0]Real = mul x5 x6
            give x7 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: [x0][x1]Real) -> (x4: [x1][x0]Real) {
              x8: [x0][x1]Real = mul x2 x3
              x7: [x1][x0]Real = transpose x8 (1, 0)
              give x7
            }
        "#]],
    );
}

/// Integer division of no elements does not fail, of one it may.
#[test]
fn division_by_zero_stays() {
    check(
        &[],
        "def main[x0](x1: Int, x2: Int) -> (x3: [x0]Int) {
            x4: [x0]Int = replicate [x0] x1
            x5: [x0]Int = replicate [x0] x2
            x6: [x0]Int = div x4 x5
            give x6 }",
        expect![[r#"
            def main[x0](x1: Int, x2: Int) -> (x3: [x0]Int) {
              x4: [x0]Int = replicate [x0] x1
              x5: [x0]Int = replicate [x0] x2
              x6: [x0]Int = div x4 x5
              give x6
            }
        "#]],
    );
}

/// power-two: not to the bit, since powers are not rounded correctly.
#[test]
fn squares() {
    check_loosely(
        &["power-two"],
        "def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real, x4: Real) {
            x5: [x0]Real = pow x1 2.0
            x6: Real = pow x2 2.0
            give x5, x6 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real, x4: Real) {
              x7: [x0]Real = mul x1 x1
              x8: Real = mul x2 x2
              give x7, x8
            }
        "#]],
    );
    check(
        &[],
        "def main(x2: Real) -> (x4: Real) {
            x6: Real = pow x2 2.0
            give x6 }",
        expect![[r#"
            def main(x2: Real) -> (x4: Real) {
              x6: Real = pow x2 2.0
              give x6
            }
        "#]],
    );
}

/// or-constant, int-times-zero, times-minus-one: with the constant on either side.
#[test]
fn constants_on_either_side() {
    check(
        &["or-constant", "int-times-zero", "times-minus-one"],
        "def main(x1: Bool, x2: Int, x3: Real) -> (x4: Bool, x5: Bool, x6: Int, x7: Real, x8: Real) {
            x9: Bool = or x1 false
            x10: Bool = or true x1
            x11: Int = mul 0 x2
            x12: Real = mul x3 -1.0
            x13: Real = mul -1.0 x3
            give x9, x10, x11, x12, x13 }",
        expect![[r#"
            def main(x1: Bool, x2: Int, x3: Real) -> (x4: Bool, x5: Bool, x6: Int, x7: Real, x8: Real) {
              x14: Real = neg x3
              give x1, true, 0, x14, x14
            }
        "#]],
    );
}

/// sub-minus-zero, zero-minus: where the sign of zero does not count.
#[test]
fn differences_up_to_zero() {
    check_loosely(
        &["sub-minus-zero", "zero-minus"],
        "def main(x1: Real) -> (x2: Real, x3: Real) {
            x4: Real = sub x1 -0.0
            x5: Real = sub 0.0 x1
            give x4, x5 }",
        expect![[r#"
            def main(x1: Real) -> (x2: Real, x3: Real) {
              x6: Real = neg x1
              give x1, x6
            }
        "#]],
    );
}
