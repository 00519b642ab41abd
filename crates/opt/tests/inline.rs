//! Programs before and after `inline`, one for each rule.

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::inline;

fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = inline(&program, &Name::new("main"));
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    expected.assert_eq(&made.to_string());
}

/// A small definition is copied to every call, also into inner blocks, through others.
#[test]
fn small_ones_are_copied() {
    check(
        "def square(x0: Real) -> (x1: Real) {
            x2: Real = mul x0 x0
            give x2 }
        def fourth(x0: Real) -> (x1: Real) {
            x2: Real = call square(x0)
            x3: Real = call square(x2)
            give x3 }
        def main(x0: Real, x1: Bool) -> (x2: Real) {
            x3: Real = call fourth(x0)
            x4: Real = if x1 {
                x5: Real = call square(x3)
                give x5
            } else {
                give x3
            }
            give x4 }",
        expect![[r#"
            def main(x0: Real, x1: Bool) -> (x2: Real) {
              x6: Real = mul x0 x0
              x7: Real = mul x6 x6
              x4: Real = if x1 {
                x8: Real = mul x7 x7
                give x8
              } else {
                give x7
              }
              give x4
            }
        "#]],
    );
}

/// Sizes are those of the call.
#[test]
fn sizes_are_passed() {
    check(
        "def ramp[x0](x1: [x0]Real) -> (x2: [x0]Int, x3: Int) {
            x4: [x0]Int = iota [x0]
            x5: Int = size [x0]
            give x4, x5 }
        def main[x0](x1: [x0]Real, x2: [3]Real) -> (x3: [x0]Int, x4: [3]Int, x5: Int) {
            x6: [x0]Int, x7: Int = call ramp[x0](x1)
            x8: [3]Int, x9: Int = call ramp[3](x2)
            x10: Int = add x7 x9
            give x6, x8, x10 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [3]Real) -> (x3: [x0]Int, x4: [3]Int, x5: Int) {
              x11: [x0]Int = iota [x0]
              x12: Int = size [x0]
              x13: [3]Int = iota [3]
              x14: Int = size [3]
              x10: Int = add x12 x14
              give x11, x13, x10
            }
        "#]],
    );
}

/// What is recursive is called; what is only called by it is not.
#[test]
fn recursive_ones_stay() {
    check(
        "def less(x0: Int) -> (x1: Int) {
            x2: Int = sub x0 1
            give x2 }
        def down(x0: Int) -> (x1: Int) {
            x2: Bool = le x0 0
            x3: Int = if x2 {
                give x0
            } else {
                x4: Int = call less(x0)
                x5: Int = call down(x4)
                give x5
            }
            give x3 }
        def main(x0: Int) -> (x1: Int) {
            x2: Int = call down(x0)
            give x2 }",
        expect![[r#"
            def down(x0: Int) -> (x1: Int) {
              x2: Bool = le x0 0
              x3: Int = if x2 {
                give x0
              } else {
                x6: Int = sub x0 1
                x5: Int = call down(x6)
                give x5
              }
              give x3
            }

            def main(x0: Int) -> (x1: Int) {
              x2: Int = call down(x0)
              give x2
            }
        "#]],
    );
}
