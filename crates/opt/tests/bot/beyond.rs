//! What the paper leaves open: loops, calls, movements.

use expect_test::expect;

use super::run::{check, same_after};

/// The paper's example: two transposes, two replicates, a product and a sum.
#[test]
fn matmul() {
    check(
        "def main[x0](x1: [x0][3]Real, x2: [3][x0]Real) -> (x4: [x0][x0]Real) {
            x5: [x0][x0]Real = build (x6 < x0, x7 < x0) {
                x8: [3]Real = build (x9 < 3) {
                    x10: Real = index x1 (x6, x9)
                    x11: Real = index x2 (x9, x7)
                    x12: Real = mul x10 x11
                    give x12
                }
                x13: Real = sum 0 x8
                give x13
            }
            give x5 }",
        expect![[r#"
            def main[x0](x1: [x0][3]Real, x2: [3][x0]Real) -> (x4: [x0][x0]Real) {
              x14: [x0][3]Real = transpose x2 (1, 0)
              x15: [x0][x0][3]Real = replicate [x0] x1
              x16: [x0][x0][3]Real = transpose x15 (1, 0, 2)
              x17: [x0][x0][3]Real = replicate [x0] x14
              x18: [x0][x0][3]Real = mul x16 x17
              x19: [x0][x0]Real = sum 2 x18
              give x19
            }
        "#]],
    );
}

/// One array under two dimensions at once.
#[test]
fn differences() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real) {
            x3: [x0][x0]Real = build (x4 < x0, x5 < x0) {
                x6: Real = index x1 (x4)
                x7: Real = index x1 (x5)
                x8: Real = sub x6 x7
                give x8
            }
            give x3 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real) {
              x9: [x0][x0]Real = replicate [x0] x1
              x10: [x0][x0]Real = transpose x9 (1, 0)
              x11: [x0][x0]Real = replicate [x0] x1
              x12: [x0][x0]Real = sub x10 x11
              give x12
            }
        "#]],
    );
}

/// One loop whose state is a batch.
#[test]
fn fold_in_build() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: [x0]Real = index x4 (x3)
                x6: Real, x12: [x0]Real = fold (x7: Real = 0.0) (x8: Real = x5) {
                  x9: Real = mul x7 0.5
                  x10: Real = add x9 x8
                  give x10, x9
                }
                x13: Real = sum 0 x12
                x14: Real = add x6 x13
                give x14
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
              x15: [x0][x0]Real = transpose x4 (1, 0)
              x18: [x0]Real = replicate [x0] 0.0
              x19: [x0]Real, x20: [x0][x0]Real = fold (x7: [x0]Real = x18) (x8: [x0]Real = x15) {
                x16: [x0]Real = mul x7 0.5
                x17: [x0]Real = add x16 x8
                give x17, x16
              }
              x21: [x0][x0]Real = transpose x20 (1, 0)
              x22: [x0]Real = sum 1 x21
              x23: [x0]Real = add x19 x22
              give x23
            }
        "#]],
    );
}

/// `scan` and `iterate` are one loop over batches too; one state of the latter depends on nothing.
#[test]
fn scan_and_iterate_in_build() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0][x0]Real) {
            x2: [x0][x0]Real = build (x3 < x0) {
                x5: [x0]Real = index x4 (x3)
                x6: [x0]Real = scan (x7: Real = 1.0) (x8: Real = x5) {
                  x9: Real = mul x7 x8
                  give x9
                }
                x10: [x0]Real, x11: Int = iterate x12 < 3 (x13: [x0]Real = x6, x14: Int = 2) {
                  x15: Real = real x12
                  x16: [x0]Real = add x13 x15
                  x17: Int = mul x14 x14
                  give x16, x17
                }
                x18: Real = real x11
                x19: [x0]Real = mul x10 x18
                give x19
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0][x0]Real) {
              x20: [x0][x0]Real = transpose x4 (1, 0)
              x22: [x0]Real = replicate [x0] 1.0
              x23: [x0][x0]Real = scan (x7: [x0]Real = x22) (x8: [x0]Real = x20) {
                x21: [x0]Real = mul x7 x8
                give x21
              }
              x24: [x0][x0]Real = transpose x23 (1, 0)
              x26: [x0][x0]Real, x27: Int = iterate x12 < 3 (x13: [x0][x0]Real = x24, x14: Int = 2) {
                x15: Real = real x12
                x25: [x0][x0]Real = add x13 x15
                x17: Int = mul x14 x14
                give x25, x17
              }
              x18: Real = real x27
              x28: [x0][x0]Real = mul x26 x18
              give x28
            }
        "#]],
    );
}

/// A loop whose number of steps depends on the index remains.
#[test]
fn count_depends_on_the_index() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = iterate x12 < x3 (x13: Real = x5) {
                  x16: Real = mul x13 x13
                  give x16
                }
                x7: Real = add x6 1.0
                give x7
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x20: [x0]Real = build (x17 < x0) {
                x18: Real = index x4 (x17)
                x19: Real = iterate x12 < x17 (x13: Real = x18) {
                  x16: Real = mul x13 x13
                  give x16
                }
                give x19
              }
              x21: [x0]Real = add x20 1.0
              give x21
            }
        "#]],
    );
}

/// A `while` remains; what stands around it does not.
#[test]
fn while_in_build() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = while (x7: Real = x5) {
                  x8: Bool = lt x7 10.0
                  give x8
                } do {
                  x9: Real = add x7 3.0
                  give x9
                }
                x10: Real = mul x6 x5
                give x10
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x13: [x0]Real = build (x11 < x0) {
                x12: Real = index x4 (x11)
                x6: Real = while (x7: Real = x12) {
                  x8: Bool = lt x7 10.0
                  give x8
                } do {
                  x9: Real = add x7 3.0
                  give x9
                }
                give x6
              }
              x14: [x0]Real = mul x13 x4
              give x14
            }
        "#]],
    );
}

/// A size that depends on the position is read where the loop stands that gives arrays of it.
#[test]
fn while_that_collects_in_build() {
    same_after(
        "def main[x0](x1: [x0]Int) -> (x2: [x0]Int) {
            x3: [x0]Int = build (x4 < x0) {
                x5: Int = index x1 (x4)
                x6: Int = max x5 0
                x7: Int, x8: Int, x9: [x8][x6]Int = while (x10: Int = 0) {
                    x11: Bool = lt x10 3
                    give x11
                } do {
                    x12: [x6]Int = iota [x6]
                    x13: Int = add x10 1
                    give x13, x12
                }
                x14: [x6]Int = sum 0 x9
                x15: Int = sum 0 x14
                give x15
            }
            give x3 }",
        &[0, 1, 3],
    );
}

/// A definition over a batch, made once.
#[test]
fn call_in_build() {
    check(
        "def main[x0](x4: [x0]Real, x20: Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = call f (x5, x20)
                x7: Real = call f (x6, x20)
                give x7
            }
            give x2 }
        def f(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = mul x0 x1
            x4: Real = sin x1
            x5: Real = add x3 x4
            give x5 }",
        expect![[r#"
            def f(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = mul x0 x1
              x4: Real = sin x1
              x5: Real = add x3 x4
              give x5
            }

            def "f.map10"[x6](x0: [x6]Real, x1: Real) -> (x2: [x6]Real) {
              x7: [x6]Real = mul x0 x1
              x4: Real = sin x1
              x8: [x6]Real = add x7 x4
              give x8
            }

            def main[x0](x4: [x0]Real, x20: Real) -> (x1: [x0]Real) {
              x6: [x0]Real = call "f.map10"[x0](x4, x20)
              x7: [x0]Real = call "f.map10"[x0](x6, x20)
              give x7
            }
        "#]],
    );
}

/// A definition that calls itself remains.
#[test]
fn recursive_call() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = call f (x5)
                give x6
            }
            give x2 }
        def f(x0: Real) -> (x2: Real) {
            x3: Bool = lt x0 5.0
            x4: Real = if x3 {
                x5: Real = add x0 1.0
                x6: Real = call f (x5)
                give x6
            } else {
                give x0
            }
            give x4 }",
        expect![[r#"
            def f(x0: Real) -> (x2: Real) {
              x3: Bool = lt x0 5.0
              x7: Real = if x3 {
                x5: Real = add x0 1.0
                x6: Real = call f(x5)
                give x6
              } else {
                give x0
              }
              give x7
            }

            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x9: [x0]Real = build (x7 < x0) {
                x8: Real = index x4 (x7)
                x6: Real = call f(x8)
                give x6
              }
              give x9
            }
        "#]],
    );
}

/// A triangle: the array of irregular size is a square, of which only the triangle counts.
#[test]
fn size_depends_on_the_index() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x12: Real = index x4 (x3)
                x5: [x3]Real = build (x6 < x3) {
                  x7: Real = real x6
                  give x7
                }
                x8: Real = sum 0 x5
                x9: Real = mul x8 x12
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x13: [x0]Int = iota [x0]
              x14: [x0][x0]Int = replicate [x0] x13
              x15: [x0]Int = iota [x0]
              x16: [x0][x0]Int = replicate [x0] x15
              x17: [x0][x0]Int = transpose x16 (1, 0)
              x18: [x0][x0]Bool = lt x14 x17
              x19: [x0]Real = real x13
              x20: [x0][x0]Real = replicate [x0] x19
              x21: [x0][x0]Real = select x18 x20 0.0
              x22: [x0]Real = sum 1 x21
              x23: [x0]Real = mul x22 x4
              give x23
            }
        "#]],
    );
}

/// A size that only running it tells: what mentions the array remains, and nothing else.
#[test]
fn filter_in_build() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Int) {
            x2: [x0]Int = build (x3 < x0) {
                x12: [x0]Real = index x4 (x3)
                x5: Int, x6: [x5]Real = filter x12 lambda (x7: Real) {
                  x8: Bool = gt x7 0.0
                  give x8
                }
                x9: Real = sum 0 x6
                x10: Int = int x9
                x11: Int = add x5 x10
                give x11
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Int) {
              x15: [x0]Int, x16: [x0]Real = build (x13 < x0) {
                x14: [x0]Real = index x4 (x13)
                x5: Int, x6: [x5]Real = filter x14 lambda (x7: Real) {
                  x8: Bool = gt x7 0.0
                  give x8
                }
                x9: Real = sum 0 x6
                give x5, x9
              }
              x17: [x0]Int = int x16
              x18: [x0]Int = add x15 x17
              give x18
            }
        "#]],
    );
}

/// Slices, reversals, concatenations; positions that depend on the index.
#[test]
fn movements() {
    check(
        "def main[x0](x4: [x0][3]Real, x20: [x0 + 4]Real) -> (x1: [x0][7]Real) {
            x2: [x0][7]Real = build (x3 < x0) {
                x5: [3]Real = index x4 (x3)
                x6: [2]Real = slice x5 0 [1] [3]
                x7: [3]Real = reverse x5
                x8: [2]Real = slice x20 0 [x3 + 1] [x3 + 3]
                x9: [7]Real = concat (x6, x7, x8)
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real, x20: [x0 + 4]Real) -> (x1: [x0][7]Real) {
              x21: [x0][2]Real = slice x4 1 [1] [3]
              x22: [3][x0]Real = transpose x4 (1, 0)
              x23: [3][x0]Real = reverse x22
              x24: [x0][3]Real = transpose x23 (1, 0)
              x25: [x0]Int = iota [x0]
              x26: [x0]Int = add 1 x25
              x27: [2]Int = iota [2]
              x28: [2][x0]Int = replicate [2] x26
              x29: [x0][2]Int = transpose x28 (1, 0)
              x30: [x0][2]Int = replicate [x0] x27
              x31: [x0][2]Int = add x29 x30
              x32: [x0][2]Real = gather x20 (x31)
              x33: [2][x0]Real = transpose x21 (1, 0)
              x34: [3][x0]Real = transpose x24 (1, 0)
              x35: [2][x0]Real = transpose x32 (1, 0)
              x36: [7][x0]Real = concat (x33, x34, x35)
              x37: [x0][7]Real = transpose x36 (1, 0)
              give x37
            }
        "#]],
    );
}

/// What has no form for a batch remains.
#[test]
fn sort_and_argmax() {
    check(
        "def main[x0](x4: [x0][3]Real) -> (x1: [x0][3]Real) {
            x2: [x0][3]Real = build (x3 < x0) {
                x5: [3]Real = index x4 (x3)
                x6: [3]Real = sort x5
                x7: Int = argmax x5
                x8: Real = real x7
                x9: [3]Real = mul x6 x8
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real) -> (x1: [x0][3]Real) {
              x12: [x0][3]Real = build (x10 < x0) {
                x11: [3]Real = index x4 (x10)
                x6: [3]Real = sort x11
                give x6
              }
              x15: [x0]Int = build (x13 < x0) {
                x14: [3]Real = index x4 (x13)
                x7: Int = argmax x14
                give x7
              }
              x16: [x0]Real = real x15
              x17: [3][x0]Real = replicate [3] x16
              x18: [x0][3]Real = transpose x17 (1, 0)
              x19: [x0][3]Real = mul x12 x18
              give x19
            }
        "#]],
    );
}

/// A size that depends on the index is computed.
#[test]
fn sizes_as_numbers() {
    check(
        "def main[x0]() -> (x1: [x0]Int) {
            x2: [x0]Int = build (x3 < x0) {
                x5: Int = size [2*x3*x0 + x3 - 1]
                give x5
            }
            give x2 }",
        expect![[r#"
            def main[x0]() -> (x1: [x0]Int) {
              x6: [x0]Int = iota [x0]
              x7: [x0]Int = mul x0 x6
              x8: [x0]Int = mul x7 2
              x9: [x0]Int = add -1 x8
              x10: [x0]Int = add x9 x6
              give x10
            }
        "#]],
    );
}

/// A chain of definitions each of which calls the one before twice: the output is linear in it.
#[test]
fn linear_size() {
    let chain = |length: usize| {
        let mut text = String::from(
            "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
                x3: [x0]Real = build (x4 < x0) {
                    x5: Real = index x1 (x4)
                    x6: Real = call f0 (x5)
                    give x6
                }
                give x3 }",
        );
        for at in 0..length {
            text += &format!(
                "def f{at}(x0: Real) -> (x1: Real) {{
                    x2: Real = call f{next} (x0)
                    x3: Real = call f{next} (x2)
                    give x3 }}",
                next = at + 1
            );
        }
        text += &format!(
            "def f{length}(x0: Real) -> (x1: Real) {{
                x2: Real = sin x0
                give x2 }}"
        );
        same_after(&text, &[0, 2]).to_string().lines().count()
    };
    assert_eq!(chain(12) - chain(8), chain(8) - chain(4));
}
