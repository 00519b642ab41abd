//! Functions that are computed together: text before, text after.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use expect_test::{Expect, expect};

/// What a function becomes; its text is read back.
fn check(before: &str, after: Expect) {
    let mut module = loops::parse(before).unwrap();
    module.funcs.iter_mut().for_each(loops::pairs);
    loops::verify(&module).unwrap();
    // Variables that are gone have a type still.
    module.funcs.iter_mut().for_each(loops::Func::compact);
    let text = module.text();
    assert_eq!(loops::parse(&text).unwrap().text(), text);
    after.assert_eq(&text);
}

/// The call stands where the first of the two stood, whichever that is.
#[test]
fn a_function_and_its_derivative_are_one_call() {
    check(
        "entry f(x0: Real) {
           x1 = cosh(x0)
           x2 = mul(x1, x1)
           x3 = div(1.0, x2)
           x4 = tanh(x0)
           x5 = neg(x0)
           x6 = sigmoid(x0)
           x7 = sigmoid(x5)
           return x3, x4, x6, x7
         }",
        expect![[r#"
            entry f(x0: Real) {
              x1, x2 = tanh_slope(x0)
              x3 = neg(x0)
              x4, x5 = sigmoids(x0)
              return x2, x1, x4, x5
            }

        "#]],
    );
}

/// Of three functions two are a pair; what others read, too, stays as it is.
#[test]
fn what_others_read_is_no_part_of_a_pair() {
    check(
        "entry f(x0: Real) {
           x1 = cosh(x0)
           x2 = mul(x1, x1)
           x3 = div(1.0, x2)
           x4 = tanh(x0)
           x5 = neg(x0)
           x6 = neg(x5)
           x7 = sigmoid(x0)
           x8 = sigmoid(x5)
           x9 = sigmoid(x6)
           return x1, x3, x4, x7, x8, x9
         }",
        expect![[r#"
            entry f(x0: Real) {
              x1 = cosh(x0)
              x2 = mul(x1, x1)
              x3 = div(1.0, x2)
              x4 = tanh(x0)
              x5 = neg(x0)
              x6 = neg(x5)
              x7, x8 = sigmoids(x0)
              x9 = sigmoid(x6)
              return x1, x3, x4, x7, x8, x9
            }

        "#]],
    );
}

/// In the loop where they are: nothing is moved out of one.
#[test]
fn both_stand_in_one_block() {
    check(
        "entry f(x0: Real, x1: Int) {
           x2 = sigmoid(x0)
           x3 = neg(x0)
           for x4 < x1 {
             x5 = sigmoid(x3)
             x6 = tanh(x5)
             x7 = cosh(x5)
             x8 = mul(x7, x7)
             x9 = div(1.0, x8)
             x10 = add(x6, x9)
           }
           x11 = 0.0 + over x10
           return x2, x11
         }",
        expect![[r#"
            entry f(x0: Real, x1: Int) {
              x2 = sigmoid(x0)
              x3 = neg(x0)
              for x4 < x1 {  // 4 operations, 0 bytes read, 0 written
                x6 = sigmoid(x3)
                x7, x8 = tanh_slope(x6)
                x9 = add(x7, x8)
              }
              x5 = 0.0 + over x9
              return x2, x5
            }

        "#]],
    );
}
