//! Branches and loops that stay for what may fail inside.

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::{Exactness, Settled};

use crate::{outcomes, show};

/// Behind `simplify`, which drops what they do not give.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let before: Program = text.parse().expect("a program");
    let entries = [Name::new("main")];
    let exactness = |_: &Name| Exactness::Bits;
    let after = opt::bare(&before, &entries, &exactness, &mut Settled::default());
    ir::verify(&after, Dialect::FirstOrder).expect("a verified program");
    expected.assert_eq(&after.to_string());
    for (before, after) in outcomes(&before).iter().zip(outcomes(&after)) {
        assert_eq!(show(before), show(&after));
    }
}

/// What stays for what may fail inside, and of which nobody reads a result, gives a truth value and no array.
#[test]
fn branches_for_their_checks() {
    check(
        "data Either = One(Int) | Other(Int)
        def main[x0](x1: [x0]Real, x2: Bool, x20: Int) -> (x21: Real) {
            x3: Either = if x2 {
                x14: Either = con Either One(x20)
                give x14
            } else {
                x15: Either = con Either Other(x20)
                give x15
            }
            x4: [x0]Real, x5: Real = if x2 {
                x6: Real = index x1 (x20)
                x7: [x0]Real = replicate [x0] x6
                give x7, x6
            } else {
                x8: [x0]Real = replicate [x0] 0.0
                give x8, 1.0
            }
            x9: [x0]Real = match x3 {
                One(x10: Int) {
                    x11: Int = div 1 x10
                    x12: Real = real x11
                    x13: [x0]Real = replicate [x0] x12
                    give x13
                }
                else { give x1 }
            }
            give 1.0 }",
        expect![[r#"
            data Either = One(Int) | Other(Int)

            def main[x0](x1: [x0]Real, x2: Bool, x20: Int) -> (x21: Real) {
              x3: Either = if x2 {
                x14: Either = con Either One(x20)
                give x14
              } else {
                x15: Either = con Either Other(x20)
                give x15
              }
              x4: Bool = if x2 {
                x6: Real = index x1 (x20)
                give false
              } else {
                give false
              }
              x9: Bool = match x3 {
                One(x10: Int) {
                  x11: Int = div 1 x10
                  give false
                }
                else {
                  give false
                }
              }
              give 1.0
            }
        "#]],
    );
}

/// So do loops: what a step fails by keeps its states, and the others go, with what is collected.
#[test]
fn loops_for_their_checks() {
    check(
        "def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: Real) {
            x4: [x0]Real = fold (x5: [x0]Real = x1) (x6: Int = x2) {
                x7: Real = index x1 (x6)
                x8: [x0]Real = replicate [x0] x7
                give x8
            }
            x9: [x0][x0]Real = fold () (x10: Int = x2) {
                x11: Int = div 1 x10
                x12: Real = real x11
                x13: [x0]Real = replicate [x0] x12
                give x13
            }
            x14: [x0][x0]Real = scan (x15: [x0]Real = x1) (x16: Int = x2) {
                x17: Int = rem 1 x16
                x18: Real = real x17
                x19: [x0]Real = replicate [x0] x18
                give x19
            }
            x20: Int, x21: Int, x22: [x0]Real = iterate x23 < 3 (x24: Int = 0, x25: Int = 8, x26: [x0]Real = x1) {
                x27: Int = div 8 x25
                x28: Int = sub x25 x23
                give x27, x28, x26
            }
            give 1.0 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: Real) {
              x4: Bool = fold (x5: Bool = false) (x6: Int = x2) {
                x7: Real = index x1 (x6)
                give false
              }
              x9: [x0]Bool = fold () (x10: Int = x2) {
                x11: Int = div 1 x10
                give false
              }
              x14: [x0]Bool = scan (x15: Bool = false) (x16: Int = x2) {
                x17: Int = rem 1 x16
                give false
              }
              x21: Int = iterate x23 < 3 (x25: Int = 8) {
                x27: Int = div 8 x25
                x28: Int = sub x25 x23
                give x28
              }
              give 1.0
            }
        "#]],
    );
}
