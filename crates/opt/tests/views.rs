//! Programs before and after `views`, one for each rule.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::views;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&after(text).1.to_string());
}

/// Parts stay copies.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = views(&program);
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// A slice is a shift. The slice of positions is there to fail where the slice of the array would.
#[test]
fn a_tail_is_a_shift() {
    check(
        "def f[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 0.0 } else {
                x5: Real = index x1 (0)
                x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                x7: Real = call f[x0 - 1](x6)
                x8: Real = add x5 x7
                give x8 }
            give x4 }",
        expect![[r#"
            def f[x0](x1: [x0]Real) -> (x2: Real) {
              x9: Real = call "f.part"[x0, x0](x1, 0)
              give x9
            }

            def "f.part"[x0, x10](x9: [x10]Real, x11: Int) -> (x2: Real) {
              x3: Bool = equal x0 0
              x4: Real = if x3 {
                give 0.0
              } else {
                x12: [x0]Int = iota [x0]
                x13: Int = index x12 (0)
                x5: Real = index x9 (x11)
                x14: [x0]Int = iota [x0]
                x15: [x0 - 1]Int = slice x14 0 [1] [x0]
                x16: Int = add x11 1
                x7: Real = call "f.part"[x0 - 1, x10](x9, x16)
                x8: Real = add x5 x7
                give x8
              }
              give x4
            }
        "#]],
    );
}

/// Rows are shifted, and columns are a list: no index can be out of bounds.
#[test]
fn a_minor_is_a_shift_and_a_list() {
    check(
        "def f[x0](x1: [x0][x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 1.0 } else {
                x5: [x0]Real = build (x6 < x0) {
                    x7: Real = index x1 (0, x6)
                    x8: [x0 - 1][x0 - 1]Real = build (x9 < x0 - 1, x10 < x0 - 1) {
                        x11: Int = add x9 1
                        x12: Bool = lt x10 x6
                        x13: Int = if x12 { give x10 } else { x14: Int = add x10 1 give x14 }
                        x15: Real = index x1 (x11, x13)
                        give x15 }
                    x16: Real = call f[x0 - 1](x8)
                    x17: Real = mul x7 x16
                    give x17 }
                x18: Real = sum 0 x5
                give x18 }
            give x4 }",
        expect![[r#"
            def f[x0](x1: [x0][x0]Real) -> (x2: Real) {
              x19: [x0]Int = iota [x0]
              x20: Real = call "f.part"[x0, x0, x0](x1, 0, x19)
              give x20
            }

            def "f.part"[x0, x20, x21](x19: [x20][x21]Real, x22: Int, x23: [x0]Int) -> (x2: Real) {
              x3: Bool = equal x0 0
              x4: Real = if x3 {
                give 1.0
              } else {
                x5: [x0]Real = build (x6 < x0) {
                  x24: [x0]Int = iota [x0]
                  x25: Int = index x24 (0)
                  x26: Int = index x23 (x6)
                  x7: Real = index x19 (x22, x26)
                  x27: [x0 - 1]Int = iota [x0 - 1]
                  x28: Int = add x22 1
                  x34: [x0 - 1]Int = build (x29 < x0 - 1) {
                    x30: Bool = lt x29 x6
                    x31: Int = if x30 {
                      give x29
                    } else {
                      x32: Int = add x29 1
                      give x32
                    }
                    x33: Int = index x23 (x31)
                    give x33
                  }
                  x16: Real = call "f.part"[x0 - 1, x20, x21](x19, x28, x34)
                  x17: Real = mul x7 x16
                  give x17
                }
                x18: Real = sum 0 x5
                give x18
              }
              give x4
            }
        "#]],
    );
}

/// Of several indices out of bounds, another one might be reported, and a shift says which in every call.
#[test]
fn indices_that_may_be_out_of_bounds_stay() {
    stays(
        "def f[x0](x1: [x0]Real, x2: Int) -> (x3: Real) {
            x4: Bool = equal x0 0
            x5: Real = if x4 { give 0.0 } else {
                x6: Real = index x1 (0)
                x7: [x0 - 1]Real = build (x8 < x0 - 1) {
                    x9: Int = add x8 x2
                    x10: Real = index x1 (x9)
                    give x10 }
                x11: Real = call f[x0 - 1](x7, x2)
                x12: Real = add x6 x11
                give x12 }
            give x5 }",
    );
    stays(
        "def f[x0](x1: [x0][x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 1.0 } else {
                x5: Real = index x1 (0, 0)
                x8: [x0 - 1][x0 - 1]Real = build (x9 < x0 - 1, x10 < x0 - 1) {
                    x11: Int = add x9 2
                    x15: Real = index x1 (x11, x10)
                    give x15 }
                x16: Real = call f[x0 - 1](x8)
                x17: Real = mul x5 x16
                give x17 }
            give x4 }",
    );
}

/// An array that is read in as many loops as it has axes is read faster if it is a copy.
#[test]
fn what_is_read_as_a_whole_stays() {
    stays(
        "def f[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 0.0 } else {
                x5: Real = sum 0 x1
                x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                x7: Real = call f[x0 - 1](x6)
                x8: Real = add x5 x7
                give x8 }
            give x4 }",
    );
    stays(
        "def f[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 0.0 } else {
                x9: [x0]Real = build (x10 < x0) {
                    x11: Real = index x1 (x10)
                    x12: Real = mul x11 x11
                    give x12 }
                x5: Real = sum 0 x9
                x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                x7: Real = call f[x0 - 1](x6)
                x8: Real = add x5 x7
                give x8 }
            give x4 }",
    );
}

/// A call with another array, a part that is given back, and positions by a list along one axis.
#[test]
fn what_is_no_part_by_places_stays() {
    stays(
        "def f[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real) {
            x4: Real = index x1 (0)
            x5: Bool = lt x4 0.0
            x6: Real = if x5 { give x4 } else {
                x7: Real = call f[x0](x2, x1)
                give x7 }
            give x6 }",
    );
    stays(
        "def f[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: Bool = equal x0 0
            x4: [x0]Real = if x3 { give x1 } else {
                x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                x7: [x0 - 1]Real = call f[x0 - 1](x6)
                give x1 }
            give x4 }",
    );
    stays(
        "def f[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { give 0.0 } else {
                x5: Real = index x1 (0)
                x7: [x0 - 1]Real = build (x8 < x0 - 1) {
                    x9: Int = mul x8 x8
                    x10: Real = index x1 (x9)
                    give x10 }
                x11: Real = call f[x0 - 1](x7)
                x12: Real = add x5 x11
                give x12 }
            give x4 }",
    );
}
