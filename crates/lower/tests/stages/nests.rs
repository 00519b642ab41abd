//! Nests: what a schedule says, as nodes. Facts are by hand.

use expect_test::{Expect, expect};
use loop_eval::{Input, Limits, Value};

use super::stages;

fn check(text: &str, inputs: &[Input], result: &[f64], expected: Expect) {
    let stages = stages(text, None);
    expected.assert_eq(&stages.nests.to_string());
    for module in [&stages.nests, &stages.loops] {
        let outcome = loop_eval::run(module, 0, inputs, Limits::default()).unwrap();
        let found: Vec<f64> = outcome.results.iter().flat_map(all).collect();
        assert_eq!(found, result, "{module}");
    }
}

fn all(input: &Input) -> Vec<f64> {
    let real = |it: &Value| if let Value::Real(it) = it { *it } else { f64::NAN };
    match input {
        Input::Scalar(it) => vec![real(it)],
        Input::Array(all) => all.iter().map(real).collect(),
    }
}

fn reals(values: &[f64]) -> Input {
    Input::Array(values.iter().map(|it| Value::Real(*it)).collect())
}

fn int(value: i64) -> Input {
    Input::Scalar(Value::Int(value))
}

/// What is read where it is computed stays a scalar: `1 * 4 + 2 * 5 + 3 * 6` in one loop.
#[test]
fn a_sum_of_products() {
    check(
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real) {
            x4: [x0]Real = mul x1 x2
            x5: Real = sum 0 x4
            give x5 }",
        &[int(3), reals(&[1.0, 2.0, 3.0]), reals(&[4.0, 5.0, 6.0])],
        &[32.0],
        expect![[r#"
            entry main(x0: Int, x1: []Real, x2: []Real) {
              scope {
                x3 = alloc []Real, 1
                fill x3[], 1 with 0.0
                x12 = div(8, 32)
                x13 = add(x12, 1)
                chunks x5, x6 < x0, 16 bytes and x13 ns an element, x3 += x4 of 1 {
                  vector x8 < x6 {  // 1 operations, 16 bytes read, 0 written
                    x9 = x1[x5 + x8]
                    x10 = x2[x5 + x8]
                    x11 = mul(x9, x10)
                  }
                  x7 = 0.0 + over x11
                  x4[] += x7
                }
                x14 = x3[]
              }
              return x14
            }

        "#]],
    );
}

/// What is read behind the loop that computes it has memory: each of `1, 3` as a part of their sum.
#[test]
fn shares() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = abs x1
            x4: Real = sum 0 x3
            x5: [x0]Real = replicate [x0] x4
            x6: [x0]Real = div x3 x5
            give x6 }",
        &[int(2), reals(&[-1.0, 3.0])],
        &[0.25, 0.75],
        expect![[r#"
            entry main(x0: Int, x1: []Real) {
              x2 = alloc []Real, x0
              x3 = alloc []Real, 1
              fill x3[], 1 with 0.0
              x11 = div(8, 32)
              x12 = add(x11, 1)
              chunks x5, x6 < x0, 16 bytes and x12 ns an element, x3 += x4 of 1 {
                vector x8 < x6 {  // 1 operations, 8 bytes read, 8 written
                  x9 = x1[x5 + x8]
                  x10 = abs(x9)
                  x2[x5 + x8] = x10
                }
                x7 = 0.0 + over x10
                x4[] += x7
              }
              x13 = x3[]
              x14 = alloc []Real, x0
              x20 = div(20, 32)
              x21 = add(x20, 1)
              chunks x15, x16 < x0, 16 bytes and x21 ns an element {
                vector x17 < x16 {  // 1 operations, 8 bytes read, 8 written
                  x18 = x2[x15 + x17]
                  x19 = div(x18, x13)
                  x14[x15 + x17] = x19
                }
              }
              return x14
            }

        "#]],
    );
}

/// A branch writes where its result shall be; `2 * (1, 2)` if the size is even.
#[test]
fn a_branch() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: Int = rem x0 2
            x4: Bool = eq x3 0
            x5: [x0]Real = if x4 {
                x6: [x0]Real = add x1 x1
                give x6
            } else {
                x7: [x0]Real = neg x1
                give x7
            }
            give x5 }",
        &[int(2), reals(&[1.0, 2.0])],
        &[2.0, 4.0],
        expect![[r#"
            entry main(x0: Int, x1: []Real) {
              x2 = rem(x0, 2)
              x3 = eq(x2, 0)
              if x3 {
                x4 = alloc []Real, x0
                x10 = div(4, 32)
                x11 = add(x10, 1)
                chunks x5, x6 < x0, 16 bytes and x11 ns an element {
                  vector x7 < x6 {  // 1 operations, 8 bytes read, 8 written
                    x8 = x1[x5 + x7]
                    x9 = add(x8, x8)
                    x4[x5 + x7] = x9
                  }
                }
              } else {
                x12 = alloc []Real, x0
                x18 = div(4, 32)
                x19 = add(x18, 1)
                chunks x13, x14 < x0, 16 bytes and x19 ns an element {
                  vector x15 < x14 {  // 1 operations, 8 bytes read, 8 written
                    x16 = x1[x13 + x15]
                    x17 = neg(x16)
                    x12[x13 + x15] = x17
                  }
                }
              }
              x20 = either x4, x12
              return x20
            }

        "#]],
    );
}

/// A definition gives the array that it hands back under a second name: the caller, which adds to the one,
/// keeps the other.
#[test]
fn a_second_name() {
    let text = "
        def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: [x0]Real) origin derivative {
            x4: [x0]Real, x5: [x0]Real = call twice[x0](1, x1)
            x6: [x0]Real = scatter x5 (0) 8.0
            give x4, x6 }
        def twice[x0](x1: Int, x2: [x0]Real) -> (x3: [x0]Real, x4: [x0]Real) origin derivative {
            x5: Bool = gt x1 0
            x6: [x0]Real, x7: [x0]Real = if x5 {
                x8: Int = sub x1 1
                x9: [x0]Real, x10: [x0]Real = call twice[x0](x8, x2)
                x11: [x0]Real = scatter x10 (0) 2.0
                give x9, x11
            } else {
                give x2, x2
            }
            give x6, x7 }";
    for module in [stages(text, None).nests, stages(text, None).loops] {
        let inputs = [int(2), reals(&[1.0, 3.0])];
        let outcome = loop_eval::run(&module, 0, &inputs, Limits::default()).unwrap();
        let found: Vec<Vec<f64>> = outcome.results.iter().map(all).collect();
        assert_eq!(found, [[1.0, 3.0], [11.0, 3.0]], "{module}");
    }
}

/// A branch of which nothing is left once its indices are known to be in range is gone, with its chunks.
#[test]
fn nothing_is_left() {
    let text = "def main[x0](x1: [x0]Real, x2: Bool) -> (x3: Real) {
        x4: Bool = if x2 {
            x5: [x0]Int = replicate [x0] 0
            x6: [x0]Real = gather x1 (x5)
            give false
        } else {
            give false
        }
        give 1.0 }";
    let stages = stages(text, None);
    assert!(stages.nests.to_string().contains("chunks"), "{}", stages.nests);
    expect![[r#"
        entry main(x0: Int, x1: []Real, x2: Bool) {
          return 1.0
        }

    "#]]
    .assert_eq(&stages.loops.to_string());
}
