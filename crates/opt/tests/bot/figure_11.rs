//! The rules of Fig. 11, and how indices that are index variables or the same everywhere become less
//! than gathers.

use expect_test::expect;

use super::run::{check, same_after};

/// `build k (\i. index x ix)  ~>  gather (k ::: sh) x (\[i]. ix)`
#[test]
fn build_of_index_of_variable() {
    check(
        "def main[x0](x4: [x0]Real, x5: [x0]Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x6: Int = index x5 (x3)
                x7: Real = index x4 (x6)
                give x7
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real, x5: [x0]Int) -> (x1: [x0]Real) {
              x8: [x0]Real = gather x4 (x5)
              give x8
            }
        "#]],
    );
}

/// `build k (\i. index x [i])  ~>  x`, and the axes of several in order.
#[test]
fn build_of_index_of_index_variable() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0][x0]Real) {
            x2: [x0][x0]Real = build (x3 < x0) {
                x5: [x0]Real = build (x6 < x0) {
                  x7: Real = index x4 (x6, x3)
                  give x7
                }
                give x5
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0][x0]Real) {
              x8: [x0][x0]Real = transpose x4 (1, 0)
              give x8
            }
        "#]],
    );
}

/// `build k (\i. index c ix)  ~>  gather (k ::: sh) c (\[i]. ix)`
#[test]
fn build_of_index_of_constant() {
    check(
        "def main[x0](x5: [x0]Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x7: [2]Real = array Real (0.5, 1.0)
                x8: Int = index x5 (x3)
                x9: Real = index x7 (x8)
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x5: [x0]Int) -> (x1: [x0]Real) {
              x7: [2]Real = array Real (0.5, 1.0)
              x10: [x0]Real = gather x7 (x5)
              give x10
            }
        "#]],
    );
}

/// `build k (\i. index [t1, ..., tk] [t])  ~>  gather (k ::: sh) (build k (\i. [t1, ..., tk])) (\[i]. [i, t])`
#[test]
fn build_of_index_of_array() {
    check(
        "def main[x0](x4: [x0]Real, x5: [x0]Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x6: Real = index x4 (x3)
                x7: [2]Real = array Real (x6, 1.0)
                x8: Int = index x5 (x3)
                x9: Real = index x7 (x8)
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real, x5: [x0]Int) -> (x1: [x0]Real) {
              x10: [x0]Real = replicate [x0] 1.0
              x11: [2][x0]Real = array [x0]Real (x4, x10)
              x12: [x0][2]Real = transpose x11 (1, 0)
              x13: [x0]Int = iota [x0]
              x14: [x0]Real = gather x12 (x13, x5)
              give x14
            }
        "#]],
    );
}

/// `build k (\i. index (scatter sh t (\is2. ix2)) ix)
///   ~>  gather (k ::: sh) (build k (\i. scatter sh t (\is2. ix2))) (\[i]. i ::: ix)`
#[test]
fn build_of_index_of_scatter() {
    check(
        "def main[x0](x4: [x0]Real, x5: [x0]Int, x10: [3]Real, x13: [2]Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x6: Real = index x4 (x3)
                x8: Int = index x5 (x3)
                x14: [2]Real = replicate [2] x6
                x11: [3]Real = scatter x10 (x13) x14
                x12: Real = index x11 (x8)
                give x12
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real, x5: [x0]Int, x10: [3]Real, x13: [2]Int) -> (x1: [x0]Real) {
              x15: [2][x0]Real = replicate [2] x4
              x16: [x0][2]Real = transpose x15 (1, 0)
              x17: [x0]Int = iota [x0]
              x18: [2][x0]Int = replicate [2] x17
              x19: [x0][2]Int = transpose x18 (1, 0)
              x20: [x0][2]Int = replicate [x0] x13
              x21: [x0][3]Real = replicate [x0] x10
              x22: [x0][3]Real = scatter x21 (x19, x20) x16
              x23: [x0]Real = gather x22 (x17, x5)
              give x23
            }
        "#]],
    );
}

/// `build k (\i. index t ix)  ~>  index (tr (build k (\i. t))) ix   if i is not free in ix`
#[test]
fn build_of_index_of_invariant() {
    check(
        "def main[x0](x4: [x0][3]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: [3]Real = index x4 (x3)
                x6: Real = index x5 (0)
                x7: Real = index x4 (x3, 2)
                x8: Real = add x6 x7
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real) -> (x1: [x0]Real) {
              x9: [3][x0]Real = transpose x4 (1, 0)
              x10: [x0]Real = index x9 (0)
              x11: [x0]Real = index x9 (2)
              x12: [x0]Real = add x10 x11
              give x12
            }
        "#]],
    );
}

/// An index that may be out of bounds is not looked at if there are no positions.
#[test]
fn build_of_index_of_invariant_that_may_fail() {
    check(
        "def main[x0](x4: [x0][3]Real, x5: Int) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x6: Real = index x4 (x3, x5)
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real, x5: Int) -> (x1: [x0]Real) {
              x7: [x0]Int = iota [x0]
              x8: [x0]Real = gather x4 (x7, x5)
              give x8
            }
        "#]],
    );
}

/// No positions, and no index that would be in bounds.
#[test]
fn build_of_index_of_nothing() {
    for (at, array) in [("(x3, 5)", "[x0][3]Real"), ("(5, x3)", "[3][x0]Real")] {
        same_after(
            &format!(
                "def main[x0](x4: {array}) -> (x1: [x0]Real) {{
                    x2: [x0]Real = build (x3 < x0) {{
                        x6: Real = index x4 {at}
                        give x6
                    }}
                    give x2 }}"
            ),
            &[0, 1, 3],
        );
    }
    same_after(
        "def main[x0](x4: [x0][2]Real, x5: [4]Int) -> (x1: [x0][4]Real) {
            x2: [x0][4]Real = build (x3 < x0) {
                x6: [2]Real = index x4 (x3)
                x8: [4]Real = gather x6 (x5)
                give x8
            }
            give x2 }",
        &[0, 1, 3],
    );
}

/// The same index variable twice.
#[test]
fn index_of_diagonal() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x7: Real = index x4 (x3, x3)
                give x7
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
              x8: [x0]Int = iota [x0]
              x9: [x0]Real = gather x4 (x8, x8)
              give x9
            }
        "#]],
    );
}

/// `index (index t [u1, ..., um]) [t1, ..., tn]  ~>  index t [u1, ..., um, t1, ..., tn]`, in what remains a build.
#[test]
fn index_of_index_in_residual() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Int) {
            x2: [x0]Int = build (x3 < x0) {
                x7: [x0]Real = index x4 (x3)
                x9: [x0]Real = sin x7
                x8: Int = while (x10: Int = 0) {
                  x11: Real = index x9 (x10)
                  x12: Bool = lt x11 0.5
                  give x12
                } do {
                  x13: Int = add x10 1
                  give x13
                }
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Int) {
              x14: [x0][x0]Real = sin x4
              x16: [x0]Int = build (x15 < x0) {
                x8: Int = while (x10: Int = 0) {
                  x11: Real = index x14 (x15, x10)
                  x12: Bool = lt x11 0.5
                  give x12
                } do {
                  x13: Int = add x10 1
                  give x13
                }
                give x8
              }
              give x16
            }
        "#]],
    );
}
