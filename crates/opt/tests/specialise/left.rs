//! What is left of functions, and what `defunctionalise` makes of it.

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::{defunctionalise, specialise};

use crate::check;

/// A program after both passes.
fn without_functions(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    let left = specialise(&program, &Name::new("main")).unwrap_or_else(|it| panic!("{it}"));
    let made = defunctionalise(&left).unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    let text = made.to_string();
    assert_eq!(text.parse::<Program>().as_ref(), Ok(&made), "{text}");
    expected.assert_eq(&text);
}

/// Functions of a loop that differ from step to step are values of its state.
#[test]
fn a_loop_with_other_functions_in_every_step() {
    let text = "def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { give x3 }
            x4: (Real) -> Real = iterate x5 < 3 (x6: (Real) -> Real = x2) {
                x7: (Real) -> Real = lambda (x8: Real) { x9: Real = apply x6 (x8) x10: Real = sin x9 give x10 }
                give x7
            }
            x11: Real = apply x4 (x0)
            give x11 }";
    check(
        text,
        expect![[r#"
            def main(x0: Real) -> (x1: Real) {
              x4: (Real) -> Real = lambda (x3: Real) {
                give x3
              }
              x9: (Real) -> Real = iterate x2 < 3 (x5: (Real) -> Real = x4) {
                x8: (Real) -> Real = lambda (x6: Real) {
                  x7: Real = call main_lambda(x5, x6)
                  give x7
                }
                give x8
              }
              x10: Real = apply x9 (x0)
              give x10
            }

            def main_lambda(x0: (Real) -> Real, x1: Real) -> (x4: Real) {
              x2: Real = apply x0 (x1)
              x3: Real = sin x2
              give x3
            }
        "#]],
    );
    without_functions(
        text,
        expect![[r#"
            data Function_1 = Function_1_0() | Function_1_1(Function_1)

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0() {
                  give x1
                }
                Function_1_1(x4: Function_1) {
                  x5: Real = call main_lambda(x4, x1)
                  give x5
                }
              }
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x4: Function_1 = con Function_1 Function_1_0()
              x9: Function_1 = iterate x2 < 3 (x5: Function_1 = x4) {
                x8: Function_1 = con Function_1 Function_1_1(x5)
                give x8
              }
              x10: Real = call apply_lambda_1(x9, x0)
              give x10
            }

            def main_lambda(x0: Function_1, x1: Real) -> (x4: Real) {
              x2: Real = call apply_lambda_1(x0, x1)
              x3: Real = sin x2
              give x3
            }
        "#]],
    );
}

/// A recursive definition that gives a function gives a value.
#[test]
fn a_recursion_that_gives_a_function() {
    let text = "def power(x0: Int) -> (x1: (Real) -> Real) {
            x2: Bool = eq x0 0
            x3: (Real) -> Real = if x2 {
                x4: (Real) -> Real = lambda (x5: Real) { give x5 }
                give x4
            } else {
                x6: Int = sub x0 1
                x7: (Real) -> Real = call power(x6)
                give x7
            }
            give x3 }
        def main(x0: Int) -> (x1: Real) {
            x2: (Real) -> Real = call power(x0)
            x3: Real = apply x2 (2.0)
            give x3 }";
    check(
        text,
        expect![[r#"
            def main(x0: Int) -> (x1: Real) {
              x2: (Real) -> Real = call power(x0)
              x3: Real = apply x2 (2.0)
              give x3
            }

            def power(x0: Int) -> (x1: (Real) -> Real) {
              x2: Bool = eq x0 0
              x7: (Real) -> Real = if x2 {
                x6: (Real) -> Real = lambda (x5: Real) {
                  give x5
                }
                give x6
              } else {
                x3: Int = sub x0 1
                x4: (Real) -> Real = call power(x3)
                give x4
              }
              give x7
            }
        "#]],
    );
    without_functions(
        text,
        expect![[r#"
            data Function_1 = Function_1_0()

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0() {
                  give x1
                }
              }
              give x3
            }

            def main(x0: Int) -> (x1: Real) {
              x2: Function_1 = call power(x0)
              x3: Real = call apply_lambda_1(x2, 2.0)
              give x3
            }

            def power(x0: Int) -> (x1: Function_1) {
              x2: Bool = eq x0 0
              x7: Function_1 = if x2 {
                x6: Function_1 = con Function_1 Function_1_0()
                give x6
              } else {
                x3: Int = sub x0 1
                x4: Function_1 = call power(x3)
                give x4
              }
              give x7
            }
        "#]],
    );
}

/// A function that nests one more with every call is a parameter like any other: there is one instance.
#[test]
fn a_recursion_with_larger_and_larger_functions() {
    let text = "def down(x0: Int, x1: (Real) -> Real) -> (x2: Real) {
            x3: Bool = eq x0 0
            x4: Real = if x3 { x5: Real = apply x1 (1.0) give x5 } else {
                x6: Int = sub x0 1
                x7: (Real) -> Real = lambda (x8: Real) { x9: Real = apply x1 (x8) x10: Real = sin x9 give x10 }
                x11: Real = call down(x6, x7)
                give x11
            }
            give x4 }
        def main(x0: Int) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { give x3 }
            x4: Real = call down(x0, x2)
            give x4 }";
    check(
        text,
        expect![[r#"
            def down(x0: Int, x1: (Real) -> Real) -> (x2: Real) {
              x3: Bool = eq x0 0
              x10: Real = if x3 {
                x4: Real = apply x1 (1.0)
                give x4
              } else {
                x5: Int = sub x0 1
                x8: (Real) -> Real = lambda (x6: Real) {
                  x7: Real = call down_lambda(x1, x6)
                  give x7
                }
                x9: Real = call down(x5, x8)
                give x9
              }
              give x10
            }

            def down_lambda(x0: (Real) -> Real, x1: Real) -> (x4: Real) {
              x2: Real = apply x0 (x1)
              x3: Real = sin x2
              give x3
            }

            def main(x0: Int) -> (x1: Real) {
              x3: (Real) -> Real = lambda (x2: Real) {
                give x2
              }
              x4: Real = call down(x0, x3)
              give x4
            }
        "#]],
    );
    without_functions(
        text,
        expect![[r#"
            data Function_1 = Function_1_0(Function_1) | Function_1_1()

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0(x4: Function_1) {
                  x5: Real = call down_lambda(x4, x1)
                  give x5
                }
                Function_1_1() {
                  give x1
                }
              }
              give x3
            }

            def down(x0: Int, x1: Function_1) -> (x2: Real) {
              x3: Bool = eq x0 0
              x10: Real = if x3 {
                x4: Real = call apply_lambda_1(x1, 1.0)
                give x4
              } else {
                x5: Int = sub x0 1
                x8: Function_1 = con Function_1 Function_1_0(x1)
                x9: Real = call down(x5, x8)
                give x9
              }
              give x10
            }

            def down_lambda(x0: Function_1, x1: Real) -> (x4: Real) {
              x2: Real = call apply_lambda_1(x0, x1)
              x3: Real = sin x2
              give x3
            }

            def main(x0: Int) -> (x1: Real) {
              x3: Function_1 = con Function_1 Function_1_1()
              x4: Real = call down(x0, x3)
              give x4
            }
        "#]],
    );
}

/// What is put into a sum type is a value, and is applied as it is.
#[test]
fn a_function_in_a_sum_type() {
    let text = "data Option<a> = None() | Some(a)
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { x4: Real = sin x3 give x4 }
            x5: Option<(Real) -> Real> = con Option<(Real) -> Real> Some(x2)
            x6: Real = match x5 {
                None() { give x0 }
                Some(x7: (Real) -> Real) { x8: Real = apply x7 (x0) give x8 }
            }
            give x6 }";
    check(
        text,
        expect![[r#"
            data Option<a> = None() | Some(a)

            def main(x0: Real) -> (x1: Real) {
              x4: (Real) -> Real = lambda (x2: Real) {
                x3: Real = sin x2
                give x3
              }
              x5: Option<(Real) -> Real> = con Option<(Real) -> Real> Some(x4)
              x8: Real = match x5 {
                None() {
                  give x0
                }
                Some(x6: (Real) -> Real) {
                  x7: Real = apply x6 (x0)
                  give x7
                }
              }
              give x8
            }
        "#]],
    );
    without_functions(
        text,
        expect![[r#"
            data Function_1 = Function_1_0()
            data Option<a> = None() | Some(a)

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0() {
                  x4: Real = sin x1
                  give x4
                }
              }
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x4: Function_1 = con Function_1 Function_1_0()
              x5: Option<Function_1> = con Option<Function_1> Some(x4)
              x8: Real = match x5 {
                None() {
                  give x0
                }
                Some(x6: Function_1) {
                  x7: Real = call apply_lambda_1(x6, x0)
                  give x7
                }
              }
              give x8
            }
        "#]],
    );
}

/// Types of functions that differ in sizes are one sum type. A size that only the function knows is a field.
#[test]
fn functions_on_arrays() {
    without_functions(
        "data Option<a> = None() | Some(a)
        def use[x0](x1: Option<([x0]Real) -> [x0]Real>, x2: [x0]Real) -> (x3: [x0]Real) {
            x4: [x0]Real = match x1 {
                None() { give x2 }
                Some(x5: ([x0]Real) -> [x0]Real) { x6: [x0]Real = apply x5 (x2) give x6 }
            }
            give x4 }
        def main[x0, x1](x2: [x0]Real, x3: [x1]Real) -> (x4: [x0]Real) {
            x5: ([x0]Real) -> [x0]Real = lambda (x6: [x0]Real) {
                x7: Real = sum 0 x3
                x8: [x0]Real = mul x6 x7
                give x8
            }
            x9: Option<([x0]Real) -> [x0]Real> = con Option<([x0]Real) -> [x0]Real> Some(x5)
            x10: [x0]Real = call use[x0](x9, x2)
            give x10 }",
        expect![[r#"
            data Function_1<; x0> = Function_1_0[x1](Int, [x1]Real)
            data Option<a> = None() | Some(a)

            def apply_lambda_1[x0](x1: Function_1<; x0>, x2: [x0]Real) -> (x3: [x0]Real) {
              x4: [x0]Real = match x1 {
                Function_1_0(x5: Int, x6: [x5]Real) {
                  x7: Real = sum 0 x6
                  x8: [x0]Real = mul x2 x7
                  give x8
                }
              }
              give x4
            }

            def main[x0, x1](x2: [x0]Real, x3: [x1]Real) -> (x4: [x0]Real) {
              x8: Function_1<; x0> = con Function_1<; x0> Function_1_0(x1, x3)
              x9: Option<Function_1<; x0>> = con Option<Function_1<; x0>> Some(x8)
              x10: [x0]Real = call use[x0](x9, x2)
              give x10
            }

            def use[x0](x1: Option<Function_1<; x0>>, x2: [x0]Real) -> (x3: [x0]Real) {
              x6: [x0]Real = match x1 {
                None() {
                  give x2
                }
                Some(x4: Function_1<; x0>) {
                  x5: [x0]Real = call apply_lambda_1[x0](x4, x2)
                  give x5
                }
              }
              give x6
            }
        "#]],
    );
}

/// A sum type whose functions mention its type parameters is copied for each choice of types.
#[test]
fn a_sum_type_with_type_parameters() {
    without_functions(
        "data Reader<e, a> = Reader((e) -> a)
        def main(x0: Real, x1: Int) -> (x2: Real) {
            x3: (Int) -> Real = lambda (x4: Int) { x5: Real = real x4 give x5 }
            x6: Reader<Int, Real> = con Reader<Int, Real> Reader(x3)
            x7: (Real) -> Real = lambda (x8: Real) { x9: Real = mul x8 x0 give x9 }
            x10: Reader<Real, Real> = con Reader<Real, Real> Reader(x7)
            x11: Real = match x6 { Reader(x12: (Int) -> Real) { x13: Real = apply x12 (x1) give x13 } }
            x14: Real = match x10 { Reader(x15: (Real) -> Real) { x16: Real = apply x15 (x11) give x16 } }
            give x14 }",
        expect![[r#"
            data Function_1 = Function_1_0(Real)
            data Function_2 = Function_2_0()
            data Reader_1 = Reader_1(Function_2)
            data Reader_2 = Reader_2(Function_1)

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0(x4: Real) {
                  x5: Real = mul x1 x4
                  give x5
                }
              }
              give x3
            }

            def apply_lambda_2(x0: Function_2, x1: Int) -> (x2: Real) {
              x3: Real = match x0 {
                Function_2_0() {
                  x4: Real = real x1
                  give x4
                }
              }
              give x3
            }

            def main(x0: Real, x1: Int) -> (x2: Real) {
              x5: Function_2 = con Function_2 Function_2_0()
              x6: Reader_1 = con Reader_1 Reader_1(x5)
              x9: Function_1 = con Function_1 Function_1_0(x0)
              x10: Reader_2 = con Reader_2 Reader_2(x9)
              x13: Real = match x6 {
                Reader_1(x11: Function_2) {
                  x12: Real = call apply_lambda_2(x11, x1)
                  give x12
                }
              }
              x16: Real = match x10 {
                Reader_2(x14: Function_1) {
                  x15: Real = call apply_lambda_1(x14, x13)
                  give x15
                }
              }
              give x16
            }
        "#]],
    );
}

/// A derivative operator of a function that is not known is one of a definition that applies it.
#[test]
fn the_derivative_of_a_function_in_data() {
    without_functions(
        "data Stored = Stored((Real) -> Real)
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { x4: Real = sin x3 give x4 }
            x5: Stored = con Stored Stored(x2)
            x6: Real = match x5 {
                Stored(x7: (Real) -> Real) { x8: Real = grad 0 x7 (x0) give x8 }
            }
            give x6 }",
        expect![[r#"
            data Function_1 = Function_1_0()
            data Stored = Stored(Function_1)

            def apply_lambda_1(x0: Function_1, x1: Real) -> (x2: Real) {
              x3: Real = match x0 {
                Function_1_0() {
                  x4: Real = sin x1
                  give x4
                }
              }
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x4: Function_1 = con Function_1 Function_1_0()
              x5: Stored = con Stored Stored(x4)
              x8: Real = match x5 {
                Stored(x6: Function_1) {
                  x7: Real = derivative grad main_lambda (x6) (x0)
                  give x7
                }
              }
              give x8
            }

            def main_lambda(x0: Function_1, x1: Real) -> (x3: Real) {
              x2: Real = call apply_lambda_1(x0, x1)
              give x2
            }
        "#]],
    );
}
