//! How loops run on processors with caches, vectors and threads.

use expect_test::{Expect, expect};

use super::stages;

fn check(text: &str, expected: Expect) {
    super::check(text, |it| format!("{}{}{}", it.items, it.plan, it.schedule), expected);
}

const FAR: &str = "def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Real) -> (x4: [x0]Real) {
    x5: [x0][x1]Real = replicate [x0] x3
    x6: [x0][x1]Real = sub x2 x5
    x7: [x0][x1]Real = mul x6 x6
    x8: [x0]Real = sum 1 x7
    x9: [x0]Real = exp x8
    give x9 }";

/// Sizes change the schedule, and neither what is computed nor what is one loop.
#[test]
fn sizes() {
    let schedule = |typical: &[i64]| {
        let mut all = stages(FAR, Some(typical)).stretches;
        let all = all.remove(0);
        (all.schedule, all.items + &all.plan)
    };
    let [few, many, wide] = [[4, 8], [100_000, 4], [10, 10_000]].map(|it| schedule(&it));
    assert_eq!(few.1, many.1);
    assert_eq!(few.1, wide.1);
    let expected = expect![[r#"
        few
        vectors: c1
        from outside to inside: c1, c0
        vector c1 {
          for c0 {
            i0
            i1
            i2
          }
          i3
        }
        i3[a] in memory
        i2 added up in a variable
        many
        chunks: c1
        vectors: c1
        from outside to inside: c1, c0
        chunks c1 {
          vector c1 {
            for c0 {
              i0
              i1
              i2
            }
            i3
          }
        }
        i3[a] in memory
        i2 added up in a variable
        wide
        chunks: c0
        vectors: c0, c1
        from outside to inside: c1, c0
        chunks c0 {
          for c1 {
            vector c0 {
              i0
              i1
              i2
            }
          }
        }
        vector c1 {
          i3
        }
        i2[a] in memory
        i3[a] in memory
        i2 added up in a variable
    "#]];
    expected.assert_eq(&format!("few\n{}many\n{}wide\n{}", few.0, many.0, wide.0));
}

/// What is added up is there behind the loop only: who reads it has a loop of its own.
#[test]
fn normalised() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = exp x1
            x4: Real = sum 0 x3
            x5: [x0]Real = replicate [x0] x4
            x6: [x0]Real = div x3 x5
            give x6 }",
        expect![[r#"
            main
            i0[a] over a < x0 = exp(@x1[a])
            i1 over a < x0 = sum(i0[a])
            i2[a] over a < x0 = div(i0[a], i1)
            x3 is i0[a] for a < x0
            x4 is i1
            x5 is i1 for a < x0
            x6 is i2[a] for a < x0
            gives i2[a] for a < x0
            c0 < x0: i0.a, i1.a, i2.a
            i0 reads @x1[a], for i1, i2
            i1 reads i0[a], for i2
            i2 as a whole reads i0[a], i1
            chunks: c0
            vectors: c0
            from outside to inside: c0
            chunks c0 {
              vector c0 {
                i0
                i1
              }
            }
            chunks c0 {
              vector c0 {
                i2
              }
            }
            i0[a] in memory
            i1[] in memory
            i2[a] in memory
            i1 added up in a variable
        "#]],
    );
}

/// A scatter of rows is done row by row, by vectors along the rows, and what is only for it goes along.
#[test]
fn row_by_row() {
    check(
        "def main[x0, x1, x2](x3: [x0][x2]Real, x4: [x1]Int, x5: [x1][x2]Real) -> (x6: [x0][x2]Real) {
            x7: [x1][x2]Real = exp x5
            x8: [x0][x2]Real = scatter x3 (x4) x7
            give x8 }",
        expect![[r#"
            main
            i0[a, b] over a < x1, b < x2 = exp(@x5[a, b])
            i1 over a < x1, b < x2 = scatter(@x3[a, b] for a < x0, b < x2; i0[a, b], @x4[a])
            x7 is i0[a, b] for a < x1, b < x2
            x8 is i1[a, b] for a < x0, b < x2
            gives i1[a, b] for a < x0, b < x2
            c0 < x1: i0.a, i1.a
            c1 < x2: i0.b, i1.b
            i0 reads @x5[a, b], for i1
            i1 as a whole reads i0[a, b], @x4[a]
            chunks: c0
            vectors: c1
            from outside to inside: c0, c1
            chunks c0 {
              for c0 {
                vector c1 {
                  i0
                }
              }
            }
            for c0 {
              vector c1 {
                i1
              }
            }
            i0[a, b] in memory
            i1 adds in a copy
        "#]],
    );
}

/// What vectors along a chunk read with gaps, for every point again, is packed first.
#[test]
fn packed() {
    check(
        "def main[x0](x1: [x0][3]Real, x2: [100][3]Real) -> (x3: [x0][100]Real) {
            x4: [100][x0][3]Real = replicate [100] x1
            x5: [x0][100][3]Real = transpose x4 (1, 0, 2)
            x6: [x0][100][3]Real = replicate [x0] x2
            x7: [x0][100][3]Real = sub x5 x6
            x8: [x0][100][3]Real = mul x7 x7
            x9: [x0][100]Real = sum 2 x8
            give x9 }",
        expect![[r#"
            main
            check 300*x0 is a size of arrays
            check 100*x0 is a size of arrays
            i0[a, b, c] over a < x0, b < 100, c < 3 = sub(@x1[a, c], i3[b, c])
            i1[a, b, c] over a < x0, b < 100, c < 3 = mul(i0[a, b, c], i0[a, b, c])
            i2[a, b] over a < x0, b < 100, c < 3 = sum(i1[a, b, c])
            i3[a, b] over a < 100, b < 3 = @x2[a, b]
            x7 is i0[a, b, c] for a < x0, b < 100, c < 3
            x8 is i1[a, b, c] for a < x0, b < 100, c < 3
            x9 is i2[a, b] for a < x0, b < 100
            gives i2[a, b] for a < x0, b < 100
            c0 < x0: i0.a, i1.a, i2.a
            c1 < 100: i0.b, i1.b, i2.b, i3.a
            c2 < 3: i0.c, i1.c, i2.c, i3.b
            i0 reads @x1[a, c], i3[b, c], for i1
            i1 reads i0[a, b, c], i0[a, b, c], for i2
            i2 as a whole reads i1[a, b, c]
            i3 reads @x2[a, b], for i0
            chunks: c1
            vectors: c1
            from outside to inside: c0, c1, c2
            chunks c1 {
              vector c1 {
                unroll c2 {
                  i3
                }
              }
              for c0 {
                vector c1 {
                  unroll c2 {
                    i0
                    i1
                    i2
                  }
                }
              }
            }
            i2[a, b] in memory
            i3[b, a] in memory of the chunk, made at depth 1
            i2 added up in a variable
        "#]],
    );
}

/// In the step of a loop nothing runs in chunks.
#[test]
fn in_a_loop() {
    check(
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real) {
            x4: [x0]Real = iterate x5 < x2 (x6: [x0]Real = x1) {
                x7: [x0]Real = sin x6
                give x7 }
            give x4 }",
        expect![[r#"
            main
            i0: x4: [x0]Real = iterate x5 < x2 (x6: [x0]Real = x1)
            x4 is i0[a] for a < x0
            gives i0[a] for a < x0
            i0 as a whole
            i0

            main, i0, block 1
            i0[a] over a < x0 = sin(@x6[a]), in @x5
            x7 is i0[a] for a < x0
            gives i0[a] for a < x0
            c0 < x0: i0.a
            i0 as a whole reads @x6[a]
            vectors: c0
            from outside to inside: c0
            vector c0 {
              i0
            }
            i0[a] in memory
        "#]],
    );
}

/// The schedules of a program for some sizes, each under where it is.
fn schedules(text: &str, typical: &[i64]) -> String {
    let stretches = stages(text, Some(typical)).stretches;
    stretches.iter().map(|it| format!("{}\n{}", it.place, it.schedule)).collect()
}

/// `x3` is 16 for an array of 40 rows: chunks go through rows of the result, not through what is added up.
#[test]
fn sizes_that_are_computed() {
    let text = "def main[x0](x1: [x0][x0]Real, x2: [x0][x0]Real) -> (x4: [x0][x0]Real) {
        x3: Int = min 16 x0
        x5: [x3][x0]Real = slice x1 0 [0] [x3]
        x6: [x3][x0]Real = slice x2 0 [0] [x3]
        x7: [x0][x3][x0]Real = replicate [x0] x5
        x8: [x0][x0][x3]Real = transpose x7 (2, 0, 1)
        x9: [x0][x3][x0]Real = replicate [x0] x6
        x10: [x0][x0][x3]Real = transpose x9 (0, 2, 1)
        x11: [x0][x0][x3]Real = mul x8 x10
        x12: [x0][x0]Real = sum 2 x11
        x13: [x0][x0]Real = sub x1 x12
        give x13 }";
    expect![[r#"
        main
        chunks: c1
        vectors: c2
        from outside to inside: c1, c2, c0
        product i1: in chunks
        chunks c1 {
          i1
          for c1 {
            vector c2 {
              i2
            }
          }
        }
        i1[a, b] in memory of the chunk, made at depth 1
        i2[a, b] in memory
    "#]]
    .assert_eq(&schedules(text, &[40]));
}

/// What is done for a few elements only has no chunks, however many there usually are.
#[test]
fn branches_for_small_sizes() {
    let text = "def main[x0](x1: [x0][x0]Real) -> (x2: [x0][x0]Real) {
        x3: Bool = le x0 8
        x4: [x0][x0]Real = if x3 {
            x5: [x0][x0]Real = exp x1
            give x5
        } else {
            x6: [x0][x0]Real = sin x1
            give x6
        }
        give x4 }";
    expect![[r#"
        main
        i0
        main, i0, block 1
        vectors: c1
        from outside to inside: c0, c1
        for c0 {
          vector c1 {
            i0
          }
        }
        i0[a, b] in memory
        main, i0, block 2
        chunks: c0
        vectors: c1
        from outside to inside: c0, c1
        chunks c0 {
          for c0 {
            vector c1 {
              i0
            }
          }
        }
        i0[a, b] in memory
    "#]]
    .assert_eq(&schedules(text, &[1000]));
}
