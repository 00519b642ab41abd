//! Functions of which one is chosen when the program runs.

use expect_test::expect;

use crate::check;

/// Branches that give different functions give a value of a sum type, which says what was chosen.
#[test]
fn functions_chosen() {
    check(
        "def map<a, b>[x0](x1: (a) -> b, x2: [x0]a) -> (x3: [x0]b) {
            x4: [x0]b = build (x5 < x0) {
                x6: a = index x2 (x5)
                x7: b = apply x1 (x6)
                give x7
            }
            give x4 }
        def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real) {
            x4: Bool = gt x2 0.0
            x5: (Real) -> Real = if x4 {
                x6: (Real) -> Real = lambda (x7: Real) { x8: Real = mul x7 x2 give x8 }
                give x6
            } else {
                x9: (Real) -> Real = lambda (x10: Real) { x11: Real = sin x10 give x11 }
                give x9
            }
            x12: [x0]Real = call map<Real, Real>[x0](x5, x1)
            give x12 }",
        expect![[r#"
            data Choice_1 = Choice_1_0(Real) | Choice_1_1()

            def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real) {
              x4: Bool = gt x2 0.0
              x7: Choice_1 = if x4 {
                x5: Choice_1 = con Choice_1 Choice_1_0(x2)
                give x5
              } else {
                x6: Choice_1 = con Choice_1 Choice_1_1()
                give x6
              }
              x8: [x0]Real = call map[x0](x7, x1)
              give x8
            }

            def map[x0](x1: Choice_1, x2: [x0]Real) -> (x3: [x0]Real) {
              x10: [x0]Real = build (x4 < x0) {
                x5: Real = index x2 (x4)
                x9: Real = match x1 {
                  Choice_1_0(x6: Real) {
                    x7: Real = mul x5 x6
                    give x7
                  }
                  Choice_1_1() {
                    x8: Real = sin x5
                    give x8
                  }
                }
                give x9
              }
              give x10
            }
        "#]],
    );
}

/// Choices of choices: what was chosen inside is one of more outside. Sizes are arguments of the
/// sum type, and a function in a tuple is chosen as any other.
#[test]
fn functions_chosen_twice() {
    check(
        "def main[x0](x1: [x0]Real, x2: Bool, x3: Bool) -> (x4: Real) {
            x5: ((Int) -> Real, Int) = if x2 {
                x6: (Int) -> Real = if x3 {
                    x7: (Int) -> Real = lambda (x8: Int) { x9: Real = index x1 (x8) give x9 }
                    give x7
                } else {
                    x10: (Int) -> Real = lambda (x11: Int) { x12: Real = real x11 give x12 }
                    give x10
                }
                x13: ((Int) -> Real, Int) = tuple (x6, 1)
                give x13
            } else {
                x14: (Int) -> Real = lambda (x15: Int) { give 7.0 }
                x16: ((Int) -> Real, Int) = tuple (x14, 2)
                give x16
            }
            x17: (Int) -> Real = proj x5 0
            x18: Int = proj x5 1
            x19: Real = apply x17 (x18)
            give x19 }",
        expect![[r#"
            data Choice_1<; x0> = Choice_1_0([x0]Real) | Choice_1_1()
            data Choice_2<; x0> = Choice_2_0([x0]Real) | Choice_2_1() | Choice_2_2()

            def main[x0](x1: [x0]Real, x2: Bool, x3: Bool) -> (x4: Real) {
              x13: Choice_2<; x0>, x14: Int = if x2 {
                x7: Choice_1<; x0> = if x3 {
                  x5: Choice_1<; x0> = con Choice_1<; x0> Choice_1_0(x1)
                  give x5
                } else {
                  x6: Choice_1<; x0> = con Choice_1<; x0> Choice_1_1()
                  give x6
                }
                x11: Choice_2<; x0> = match x7 {
                  Choice_1_0(x8: [x0]Real) {
                    x9: Choice_2<; x0> = con Choice_2<; x0> Choice_2_0(x8)
                    give x9
                  }
                  Choice_1_1() {
                    x10: Choice_2<; x0> = con Choice_2<; x0> Choice_2_1()
                    give x10
                  }
                }
                give x11, 1
              } else {
                x12: Choice_2<; x0> = con Choice_2<; x0> Choice_2_2()
                give x12, 2
              }
              x18: Real = match x13 {
                Choice_2_0(x15: [x0]Real) {
                  x16: Real = index x15 (x14)
                  give x16
                }
                Choice_2_1() {
                  x17: Real = real x14
                  give x17
                }
                Choice_2_2() {
                  give 7.0
                }
              }
              give x18
            }
        "#]],
    );
}

/// What a chosen function gives may be a function again.
#[test]
fn functions_chosen_that_give_functions() {
    check(
        "def main(x0: Real, x1: Bool) -> (x2: Real) {
            x3: (Real) -> (Real) -> Real = if x1 {
                x4: (Real) -> (Real) -> Real = lambda (x5: Real) {
                    x6: (Real) -> Real = lambda (x7: Real) { x8: Real = mul x5 x7 give x8 }
                    give x6
                }
                give x4
            } else {
                x9: (Real) -> (Real) -> Real = lambda (x10: Real) {
                    x11: (Real) -> Real = lambda (x12: Real) { x13: Real = add x10 x12 give x13 }
                    give x11
                }
                give x9
            }
            x14: (Real) -> Real = apply x3 (x0)
            x15: Real = apply x14 (2.0)
            give x15 }",
        expect![[r#"
            data Choice_1 = Choice_1_0() | Choice_1_1()
            data Choice_2 = Choice_2_0(Real) | Choice_2_1(Real)

            def main(x0: Real, x1: Bool) -> (x2: Real) {
              x5: Choice_1 = if x1 {
                x3: Choice_1 = con Choice_1 Choice_1_0()
                give x3
              } else {
                x4: Choice_1 = con Choice_1 Choice_1_1()
                give x4
              }
              x8: Choice_2 = match x5 {
                Choice_1_0() {
                  x6: Choice_2 = con Choice_2 Choice_2_0(x0)
                  give x6
                }
                Choice_1_1() {
                  x7: Choice_2 = con Choice_2 Choice_2_1(x0)
                  give x7
                }
              }
              x13: Real = match x8 {
                Choice_2_0(x9: Real) {
                  x10: Real = mul x9 2.0
                  give x10
                }
                Choice_2_1(x11: Real) {
                  x12: Real = add x11 2.0
                  give x12
                }
              }
              give x13
            }
        "#]],
    );
}
