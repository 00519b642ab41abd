//! Conditions and failures: what the input does not run does not fail.

use expect_test::expect;

use super::run::check;

/// A branch may cost what is computed anyway: the logarithm of a sum of exponentials.
#[test]
fn branch_as_costly_as_the_rest() {
    check(
        "def main[x0](x1: [x0][x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: [x0]Real = index x1 (x4)
                x6: Real = maximum 0 x5
                x7: Bool = lt x6 1.0
                x8: Real = if x7 {
                    x9: [x0]Real = sub x5 x6
                    x10: [x0]Real = exp x9
                    x11: Real = sum 0 x10
                    give x11
                } else {
                    give x6
                }
                give x8
            }
            give x3 }",
        expect![[r#"
            def main[x0](x1: [x0][x0]Real) -> (x2: [x0]Real) {
              x12: [x0]Real = maximum 1 x1
              x13: [x0]Bool = lt x12 1.0
              x14: [x0][x0]Real = replicate [x0] x12
              x15: [x0][x0]Real = transpose x14 (1, 0)
              x16: [x0][x0]Real = sub x1 x15
              x17: [x0][x0]Real = exp x16
              x18: [x0]Real = sum 1 x17
              x19: [x0]Real = select x13 x18 x12
              give x19
            }
        "#]],
    );
}

/// A call that may fail in a branch has a mask as its first parameter.
#[test]
fn guarded_call() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: Bool = gt x4 0
                x6: Real = if x5 {
                    x7: Real = call before [x0] (x1, x4)
                    give x7
                } else {
                    give 0.0
                }
                give x6
            }
            give x3 }
        def before[x0](x1: [x0]Real, x2: Int) -> (x3: Real) {
            x4: Int = sub x2 1
            x5: Real = index x1 (x4)
            give x5 }",
        expect![[r#"
            def before[x0](x1: [x0]Real, x2: Int) -> (x3: Real) {
              x4: Int = sub x2 1
              x5: Real = index x1 (x4)
              give x5
            }

            def "before.map01where"[x6, x0](x7: [x6]Bool, x1: [x0]Real, x2: [x6]Int) -> (x3: [x6]Real) {
              x8: [x6]Int = sub x2 1
              x9: [x6]Real = gather x1 (x8) where x7
              give x9
            }

            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x8: [x0]Int = iota [x0]
              x9: [x0]Bool = gt x8 0
              x7: [x0]Real = call "before.map01where"[x0, x0](x9, x1, x8)
              x10: [x0]Real = select x9 x7 0.0
              give x10
            }
        "#]],
    );
}

/// The branch not taken is not read.
#[test]
fn guarded_index() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Bool = gt x3 0
                x6: Real = if x5 {
                  x7: Int = sub x3 1
                  x8: Real = index x4 (x7)
                  give x8
                } else {
                  give 0.0
                }
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x9: [x0]Int = iota [x0]
              x10: [x0]Bool = gt x9 0
              x11: [x0]Int = sub x9 1
              x12: [x0]Real = gather x4 (x11) where x10
              x13: [x0]Real = select x10 x12 0.0
              give x13
            }
        "#]],
    );
}

/// Integers are divided where the condition holds; a nested condition is an `and`.
#[test]
fn guarded_division() {
    check(
        "def main[x0](x4: [x0]Int) -> (x1: [x0]Int) {
            x2: [x0]Int = build (x3 < x0) {
                x5: Int = index x4 (x3)
                x9: Bool = ne x5 0
                x6: Int = if x9 {
                  x7: Int = div 6 x5
                  x10: Bool = gt x5 1
                  x11: Int = if x10 {
                    x12: Int = rem x7 x5
                    give x12
                  } else {
                    give x7
                  }
                  give x11
                } else {
                  give 0
                }
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Int) -> (x1: [x0]Int) {
              x13: [x0]Bool = ne x4 0
              x14: [x0]Int = select x13 x4 1
              x15: [x0]Int = div 6 x14
              x16: [x0]Bool = gt x4 1
              x17: [x0]Bool = and x13 x16
              x18: [x0]Int = select x17 x4 1
              x19: [x0]Int = rem x15 x18
              x20: [x0]Int = select x16 x19 x15
              x21: [x0]Int = select x13 x20 0
              give x21
            }
        "#]],
    );
}

/// What fails does so only if the build is not empty: an index, and a call.
#[test]
fn failing_body() {
    check(
        "def main[x0](x4: [2]Real, x20: Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x20)
                x6: Int = call fails (x20)
                x7: Real = real x6
                x8: Real = add x5 x7
                give x8
            }
            give x2 }
        def fails(x0: Int) -> (x1: Int) {
            x2: Int = div 7 x0
            give x2 }",
        expect![[r#"
            def fails(x0: Int) -> (x1: Int) {
              x2: Int = div 7 x0
              give x2
            }

            def main[x0](x4: [2]Real, x20: Int) -> (x1: [x0]Real) {
              x21: [x0]Int = replicate [x0] x20
              x22: [x0]Real = gather x4 (x21)
              x23: Int = size [x0]
              x24: Bool = gt x23 0
              x25: Int = if x24 {
                x6: Int = call fails(x20)
                give x6
              } else {
                give 0
              }
              x7: Real = real x25
              x26: [x0]Real = add x22 x7
              give x26
            }
        "#]],
    );
}

/// An index that is out of bounds under two dimensions.
#[test]
fn index_out_of_bounds() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0][x0]Real) {
            x2: [x0][x0]Real = build (x3 < x0, x9 < x0) {
                x5: Int = add x3 1
                x6: Real = index x4 (x5)
                x7: Real = index x4 (x9)
                x8: Real = add x6 x7
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0][x0]Real) {
              x10: [x0]Int = iota [x0]
              x11: [x0]Int = add x10 1
              x12: [x0][x0]Int = replicate [x0] x11
              x13: [x0][x0]Int = transpose x12 (1, 0)
              x14: [x0][x0]Real = gather x4 (x13)
              x15: [x0][x0]Real = replicate [x0] x4
              x16: [x0][x0]Real = add x14 x15
              give x16
            }
        "#]],
    );
}

/// A condition that is the same everywhere stays one.
#[test]
fn invariant_condition() {
    check(
        "def main[x0](x4: [x0]Real, x20: Bool) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = if x20 {
                  x7: Real = sin x5
                  give x7
                } else {
                  give 1.0
                }
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real, x20: Bool) -> (x1: [x0]Real) {
              x23: [x0]Real = if x20 {
                x21: [x0]Real = sin x4
                give x21
              } else {
                x22: [x0]Real = replicate [x0] 1.0
                give x22
              }
              give x23
            }
        "#]],
    );
}

/// A branch that costs more than a few operations is computed only where it is taken.
#[test]
fn costly_branch() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Bool = gt x3 1
                x6: Real = if x5 {
                  x7: Real = sum 0 x4
                  give x7
                } else {
                  give 1.0
                }
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x8: [x0]Int = iota [x0]
              x9: [x0]Bool = gt x8 1
              x13: [x0]Real = build (x10 < x0) {
                x11: Bool = index x9 (x10)
                x12: Real = if x11 {
                  x7: Real = sum 0 x4
                  give x7
                } else {
                  give 1.0
                }
                give x12
              }
              give x13
            }
        "#]],
    );
}

/// A slice of each row that need not fit: none of it is run if there are no rows.
#[test]
fn slice_of_rows() {
    check(
        "def main[x0](x1: [x0][2]Real, x9: Int) -> (x2: [x0]Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: [2]Real = index x1 (x4)
                x6: [3]Real = slice x5 0 [x9] [x9 + 3]
                x7: Real = sum 0 x6
                give x7
            }
            give x3 }",
        expect![[r#"
            def main[x0](x1: [x0][2]Real, x9: Int) -> (x2: [x0]Real) {
              x10: Int = size [x0]
              x11: Bool = gt x10 0
              x16: [x0][3]Real = if x11 {
                x12: [x0][3]Real = slice x1 1 [x9] [x9 + 3]
                give x12
              } else {
                x15: [x0][3]Real = build (x13 < x0) {
                  x14: [2]Real = index x1 (x13)
                  x6: [3]Real = slice x14 0 [x9] [x9 + 3]
                  give x6
                }
                give x15
              }
              x17: [x0]Real = sum 1 x16
              give x17
            }
        "#]],
    );
}

/// A branch may cost what is written anyway: another row, as `xs with [i] = row` is.
#[test]
fn branch_as_costly_as_its_result() {
    check(
        "def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Real, x4: Int) -> (x5: [x0][x1]Real) {
            x6: [x0][x1]Real = build (x7 < x0) {
                x8: Bool = eq x7 x4
                x9: [x1]Real = if x8 {
                    give x3
                } else {
                    x10: [x1]Real = index x2 (x7)
                    give x10
                }
                give x9
            }
            give x6 }",
        expect![[r#"
            def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Real, x4: Int) -> (x5: [x0][x1]Real) {
              x11: [x0]Int = iota [x0]
              x12: [x0]Bool = eq x11 x4
              x13: [x1][x0]Bool = replicate [x1] x12
              x14: [x0][x1]Bool = transpose x13 (1, 0)
              x15: [x0][x1]Real = replicate [x0] x3
              x16: [x0][x1]Real = select x14 x15 x2
              give x16
            }
        "#]],
    );
}
