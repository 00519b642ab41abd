//! Sums that are rounded once with the products that they add: text before, text after.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use expect_test::{Expect, expect};

fn check(before: &str, after: Expect) {
    let mut module = loops::parse(before).unwrap();
    module.funcs.iter_mut().for_each(loops::sums);
    loops::verify(&module).unwrap();
    let text = module.text();
    assert_eq!(loops::parse(&text).unwrap().text(), text);
    after.assert_eq(&text);
}

/// What is also stored is rounded anyway; what is no product has nothing to round.
#[test]
fn products_that_are_only_added_up() {
    check(
        "entry f(x0: Int, x1: []Real, x2: []Real) {
           vector x3 < x0 {
             x4 = x1[x3]
             x5 = x2[x3]
             x6 = mul(x4, x5)
             x7 = scale(x4, x4)
             x8 = mul(x5, x5)
             x2[x3] = x8
           }
           x9 = 0.0 + over x6
           x10 = 0.0 + over x7
           x11 = 0.0 + over x8
           x12 = 0.0 + over x4
           x13 = -inf max over x5
           return x9, x10, x11, x12, x13
         }",
        expect![[r#"
            entry f(x0: Int, x1: []Real, x2: []Real) {
              vector x3 < x0 {  // 3 operations, 16 bytes read, 8 written
                x4 = x1[x3]
                x5 = x2[x3]
                x6 = mul(x4, x5)
                x7 = scale(x4, x4)
                x8 = mul(x5, x5)
                x2[x3] = x8
              }
              x9 = 0.0 + over x6, once
              x10 = 0.0 + over x7, once
              x11 = 0.0 + over x8
              x12 = 0.0 + over x4
              x13 = -inf max over x5
              return x9, x10, x11, x12, x13
            }

        "#]],
    );
}

#[test]
fn what_is_rounded_once_is_a_product_of_its_own() {
    let text = "entry f(x0: Int, x1: []Real) {
          vector x2 < x0 {
            x3 = x1[x2]
            x4 = mul(x3, x3)
            x1[x2] = x4
          }
          x5 = 0.0 + over x4, once
          return x5
        }";
    let found = loops::verify(&loops::parse(text).unwrap()).unwrap_err();
    assert_eq!(found, "function 0, f: what is rounded once is no product of its own");
}
