//! Rows whose lengths depend on the position.

use expect_test::expect;

use super::run::{check, same_after};

/// Rows of `r` elements are as long as the longest, and what is beyond their ends does not count.
#[test]
fn a_sum_of_a_row() {
    check(
        "def main[x0](x1: [x0][x0]Real, x2: [x0]Real) -> (x3: [x0]Real) {
            x4: [x0]Real = build (x5 < x0) {
                x6: [x5]Real = build (x7 < x5) {
                    x8: Real = index x1 (x5, x7)
                    x9: Real = index x2 (x7)
                    x10: Real = mul x8 x9
                    give x10
                }
                x11: Real = sum 0 x6
                give x11
            }
            give x4 }",
        expect![[r#"
            def main[x0](x1: [x0][x0]Real, x2: [x0]Real) -> (x3: [x0]Real) {
              x12: [x0]Int = iota [x0]
              x13: [x0][x0]Int = replicate [x0] x12
              x14: [x0]Int = iota [x0]
              x15: [x0][x0]Int = replicate [x0] x14
              x16: [x0][x0]Int = transpose x15 (1, 0)
              x17: [x0][x0]Bool = lt x13 x16
              x18: [x0][x0]Real = replicate [x0] x2
              x19: [x0][x0]Real = mul x1 x18
              x20: [x0][x0]Real = select x17 x19 0.0
              x21: [x0]Real = sum 1 x20
              give x21
            }
        "#]],
    );
}

/// Arithmetic in between goes beyond the ends too; the sum does not.
#[test]
fn arithmetic_with_rows() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: Int = add x4 1
                x6: [x5]Real = build (x7 < x5) {
                    x8: Real = index x1 (x7)
                    give x8
                }
                x9: [x5]Real = exp x6
                x10: Real = sum 0 x9
                give x10
            }
            give x3 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x11: [x0]Int = iota [x0]
              x12: [x0]Int = add x11 1
              x13: [x0]Int = iota [x0]
              x14: [x0][x0]Int = replicate [x0] x13
              x15: [x0][x0]Int = replicate [x0] x12
              x16: [x0][x0]Int = transpose x15 (1, 0)
              x17: [x0][x0]Bool = lt x14 x16
              x9: [x0]Real = exp x1
              x18: [x0][x0]Real = replicate [x0] x9
              x19: [x0][x0]Real = select x17 x18 0.0
              x20: [x0]Real = sum 1 x19
              give x20
            }
        "#]],
    );
}

/// An index that is right in front of the end of a row only is checked in front of it only.
#[test]
fn what_would_fail_beyond_the_end() {
    let text = "def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real) {
            x4: [x0]Real = build (x5 < x0) {
                x6: [x5]Real = build (x7 < x5) {
                    x8: Int = add x7 1
                    x9: Real = index x1 (x8)
                    give x9
                }
                x10: Real = sum 0 x6
                give x10
            }
            give x4 }";
    same_after(text, &[0, 1, 3]);
}

/// What a row is besides added up keeps it a build: its greatest element, an element, its length.
#[test]
fn other_things_remain_a_build() {
    for (op, ty) in [("maximum 0 x6", "Real"), ("reverse x6", "[x5]Real")] {
        let text = format!(
            "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {{
                x3: [x0]Real = build (x4 < x0) {{
                    x5: Int = add x4 1
                    x6: [x5]Real = build (x7 < x5) {{
                        x8: Real = index x1 (x7)
                        give x8
                    }}
                    x9: {ty} = {op}
                    x10: Real = sum 0 x6
                    give x10
                }}
                give x3 }}"
        );
        let after = same_after(&text, &[0, 1, 3]).to_string();
        assert!(after.contains("build"), "{after}");
    }
}
