//! Programs before and after `sink`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::sink;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&after(text).1.to_string());
}

/// Nothing moves.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}"));
    let made = sink(&program);
    ir::verify(&made, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// A mask of positions is made in every step.
#[test]
fn a_mask_goes_into_the_loop() {
    check(
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real) {
            x4: [x0]Int = iota [x0]
            x5: [x0]Bool = eq x4 0
            x6: [x0]Real = iterate x7 < x2 (x8: [x0]Real = x1) {
                x9: [x0]Real = select x5 x8 0.0
                give x9 }
            give x6 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real) {
              x6: [x0]Real = iterate x7 < x2 (x8: [x0]Real = x1) {
                x10: [x0]Int = iota [x0]
                x11: [x0]Bool = eq x10 0
                x9: [x0]Real = select x11 x8 0.0
                give x9
              }
              give x6
            }
        "#]],
    );
}

/// Into loops in loops too; what is used outside stays there besides.
#[test]
fn into_inner_loops() {
    check(
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: [x0]Bool) {
            x5: [x0]Int = iota [x0]
            x6: [x0]Bool = lt x5 x2
            x7: [x0]Real = iterate x8 < x2 (x9: [x0]Real = x1) {
                x10: [x0]Real = iterate x11 < x8 (x12: [x0]Real = x9) {
                    x13: [x0]Real = select x6 x12 0.0
                    give x13 }
                give x10 }
            give x7, x6 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: [x0]Bool) {
              x5: [x0]Int = iota [x0]
              x6: [x0]Bool = lt x5 x2
              x7: [x0]Real = iterate x8 < x2 (x9: [x0]Real = x1) {
                x10: [x0]Real = iterate x11 < x8 (x12: [x0]Real = x9) {
                  x16: [x0]Int = iota [x0]
                  x17: [x0]Bool = lt x16 x2
                  x13: [x0]Real = select x17 x12 0.0
                  give x13
                }
                give x10
              }
              give x7, x6
            }
        "#]],
    );
}

/// One element of a mask is read, or all of it is handed on: in a step that would be made as a whole.
#[test]
fn what_is_not_read_by_element_stays() {
    stays(
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: Int) {
            x4: [x0]Int = iota [x0]
            x5: [x0]Int = add x4 x2
            x6: Int = iterate x7 < x2 (x8: Int = 0) {
                x9: Int = index x5 (x8)
                give x9 }
            give x6 }",
    );
    stays(
        "def main[x0](x1: [x0]Int, x2: Int) -> (x3: [x0]Int) {
            x4: [x0]Int = iota [x0]
            x6: [x0]Int = iterate x7 < x2 (x8: [x0]Int = x1) {
                give x4 }
            give x6 }",
    );
}
