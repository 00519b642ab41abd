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

/// Results that are arguments, constants, sizes, and the same one twice.
#[test]
fn results_without_statements() {
    check(
        "def all[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: Int, x5: Int, x6: Int, x7: Int) {
            give x1, x2, x2, 2, x0 }
        def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: Int) {
            x5: [x0]Real, x6: Int, x7: Int, x8: Int, x9: Int = call all[x0](x1, x2)
            x10: [x0]Real, x11: Int, x12: Int, x13: Int, x14: Int = call all[x0](x5, x8)
            x15: [x14]Int = iota [x14]
            x16: [x13][x14]Int = replicate [x13] x15
            x17: [x14]Int = sum 0 x16
            x18: Int = sum 0 x17
            x19: Int = add x18 x6
            x20: Int = if true {
                x21: [x0]Real, x22: Int, x23: Int, x24: Int, x25: Int = call all[x0](x10, x7)
                give x23
            } else {
                give x11
            }
            x26: Int = add x19 x20
            give x10, x26 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: Int) {
              x15: [x0]Int = iota [x0]
              x16: [2][x0]Int = replicate [2] x15
              x17: [x0]Int = sum 0 x16
              x18: Int = sum 0 x17
              x19: Int = add x18 x2
              x20: Int = if true {
                give x2
              } else {
                give 2
              }
              x26: Int = add x19 x20
              give x1, x26
            }
        "#]],
    );
}

/// A definition whose result says its own size is called: only running it tells the size.
#[test]
fn sizes_that_running_tells() {
    check(
        "def some(x0: Int) -> (x1: Int, x2: [x1]Int) {
            x3: Int = max x0 0
            x4: [x3]Int = iota [x3]
            give x3, x4 }
        def main(x0: Int) -> (x1: Int) {
            x2: Int, x3: [x2]Int = call some(x0)
            x4: Int = sum 0 x3
            give x4 }",
        expect![[r#"
            def main(x0: Int) -> (x1: Int) {
              x2: Int, x3: [x2]Int = call some(x0)
              x4: Int = sum 0 x3
              give x4
            }

            def some(x0: Int) -> (x1: Int, x2: [x1]Int) {
              x3: Int = max x0 0
              x4: [x3]Int = iota [x3]
              give x3, x4
            }
        "#]],
    );
}

/// Two that call each other are called.
#[test]
fn mutual_recursion() {
    check(
        "def even(x0: Int) -> (x1: Bool) {
            x2: Bool = le x0 0
            x3: Bool = if x2 {
                give true
            } else {
                x4: Int = sub x0 1
                x5: Bool = call odd(x4)
                give x5
            }
            give x3 }
        def odd(x0: Int) -> (x1: Bool) {
            x2: Bool = le x0 0
            x3: Bool = if x2 {
                give false
            } else {
                x4: Int = sub x0 1
                x5: Bool = call even(x4)
                give x5
            }
            give x3 }
        def main(x0: Int) -> (x1: Bool) {
            x2: Bool = call even(x0)
            give x2 }",
        expect![[r#"
            def even(x0: Int) -> (x1: Bool) {
              x2: Bool = le x0 0
              x3: Bool = if x2 {
                give true
              } else {
                x4: Int = sub x0 1
                x5: Bool = call odd(x4)
                give x5
              }
              give x3
            }

            def main(x0: Int) -> (x1: Bool) {
              x2: Bool = call even(x0)
              give x2
            }

            def odd(x0: Int) -> (x1: Bool) {
              x2: Bool = le x0 0
              x3: Bool = if x2 {
                give false
              } else {
                x4: Int = sub x0 1
                x5: Bool = call even(x4)
                give x5
              }
              give x3
            }
        "#]],
    );
}
