//! The rules of Fig. 9, in the paper's order.

use expect_test::expect;

use super::run::check;

/// `build k (\i. i)  ~>  [0, ..., k-1]`
#[test]
fn build_of_iota() {
    check(
        "def main[x0]() -> (x1: [x0]Int) {
            x2: [x0]Int = build (x3 < x0) {
                give x3
            }
            give x2 }",
        expect![[r#"
            def main[x0]() -> (x1: [x0]Int) {
              x4: [x0]Int = iota [x0]
              give x4
            }
        "#]],
    );
}

/// `build k (\i. t)  ~>  replicate k t`
#[test]
fn build_of_invariant() {
    check(
        "def main[x0](x4: Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = sin x4
                give x5
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: Real) -> (x1: [x0]Real) {
              x5: Real = sin x4
              x6: [x0]Real = replicate [x0] x5
              give x6
            }
        "#]],
    );
}

/// `build k (\i. let x = v in u)  ~>  let x = build k (\i. v) in build k (\i. u[index x [i] / x])`
#[test]
fn build_of_let() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Real = sin x5
                x7: Real = mul x6 x5
                give x7
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x8: [x0]Real = sin x4
              x9: [x0]Real = mul x8 x4
              give x9
            }
        "#]],
    );
}

/// `build k (\i. cond b u v)  ~>  select (build k (\i. b)) (build k (\i. u)) (build k (\i. v))`
#[test]
fn build_of_cond() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: Real = index x4 (x3)
                x6: Bool = gt x5 0.0
                x7: Real = if x6 {
                  x8: Real = sqrt x5
                  give x8
                } else {
                  x9: Real = neg x5
                  give x9
                }
                give x7
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0]Real) {
              x10: [x0]Bool = gt x4 0.0
              x11: [x0]Real = sqrt x4
              x12: [x0]Real = neg x4
              x13: [x0]Real = select x10 x11 x12
              give x13
            }
        "#]],
    );
}

/// `build k (\i. op t u)  ~>  op (build k (\i. t)) (build k (\i. u))`; an operand that is an array meets a scalar.
#[test]
fn build_of_binary_op() {
    check(
        "def main[x0](x4: [x0][x0]Real, x5: [x0]Real) -> (x1: [x0][x0]Real) {
            x2: [x0][x0]Real = build (x3 < x0) {
                x6: [x0]Real = index x4 (x3)
                x7: Real = index x5 (x3)
                x8: [x0]Real = mul x6 x7
                x9: [x0]Real = add x8 x5
                give x9
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real, x5: [x0]Real) -> (x1: [x0][x0]Real) {
              x10: [x0][x0]Real = replicate [x0] x5
              x11: [x0][x0]Real = transpose x10 (1, 0)
              x12: [x0][x0]Real = mul x4 x11
              x13: [x0][x0]Real = replicate [x0] x5
              x14: [x0][x0]Real = add x12 x13
              give x14
            }
        "#]],
    );
}

/// `build k (\i. op t)  ~>  op (build k (\i. t))`
#[test]
fn build_of_unary_op() {
    check(
        "def main[x0]() -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x6: Real = real x3
                give x6
            }
            give x2 }",
        expect![[r#"
            def main[x0]() -> (x1: [x0]Real) {
              x7: [x0]Int = iota [x0]
              x8: [x0]Real = real x7
              give x8
            }
        "#]],
    );
}

/// `build k (\i. sumOuter t)  ~>  sumOuter (tr (build k (\i. t)))`, by the axis.
#[test]
fn build_of_sum() {
    check(
        "def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
            x2: [x0]Real = build (x3 < x0) {
                x5: [x0]Real = index x4 (x3)
                x6: Real = sum 0 x5
                x7: Real = maximum 0 x5
                x8: Real = add x6 x7
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][x0]Real) -> (x1: [x0]Real) {
              x9: [x0]Real = sum 1 x4
              x10: [x0]Real = maximum 1 x4
              x11: [x0]Real = add x9 x10
              give x11
            }
        "#]],
    );
}

/// `build k (\i. gather sh t (\is. ix))  ~>  gather (k ::: sh) (build k (\i. t)) (\(i ::: is). i ::: ix)`
#[test]
fn build_of_gather() {
    check(
        "def main[x0](x4: [x0][3]Real, x5: [x0][2]Int) -> (x1: [x0][2]Real) {
            x2: [x0][2]Real = build (x3 < x0) {
                x6: [3]Real = index x4 (x3)
                x7: [2]Int = index x5 (x3)
                x8: [2]Real = gather x6 (x7)
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real, x5: [x0][2]Int) -> (x1: [x0][2]Real) {
              x9: [x0]Int = iota [x0]
              x10: [2][x0]Int = replicate [2] x9
              x11: [x0][2]Int = transpose x10 (1, 0)
              x12: [x0][2]Real = gather x4 (x11, x5)
              give x12
            }
        "#]],
    );
}

/// A gather at the same positions everywhere needs no positions of the dimension, but they are not
/// looked at if it has none.
#[test]
fn build_of_gather_at_invariant() {
    check(
        "def main[x0](x4: [x0][3]Real, x5: [2]Int) -> (x1: [x0][2]Real) {
            x2: [x0][2]Real = build (x3 < x0) {
                x6: [3]Real = index x4 (x3)
                x8: [2]Real = gather x6 (x5)
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][3]Real, x5: [2]Int) -> (x1: [x0][2]Real) {
              x9: Int = size [x0]
              x10: Bool = gt x9 0
              x11: [3][x0]Real = transpose x4 (1, 0)
              x12: [2]Bool = replicate [2] x10
              x13: [2][x0]Real = gather x11 (x5) where x12
              x14: [x0][2]Real = transpose x13 (1, 0)
              give x14
            }
        "#]],
    );
}

/// `build k (\i. scatter sh t (\is. ix))  ~>  scatter (k ::: sh) (build k (\i. t)) (\(i ::: is). i ::: ix)`
#[test]
fn build_of_scatter() {
    check(
        "def main[x0](x4: [x0][2]Real, x5: [x0][2]Int, x9: [3]Real) -> (x1: [x0][3]Real) {
            x2: [x0][3]Real = build (x3 < x0) {
                x6: [2]Real = index x4 (x3)
                x7: [2]Int = index x5 (x3)
                x8: [3]Real = scatter x9 (x7) x6
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][2]Real, x5: [x0][2]Int, x9: [3]Real) -> (x1: [x0][3]Real) {
              x10: [x0]Int = iota [x0]
              x11: [2][x0]Int = replicate [2] x10
              x12: [x0][2]Int = transpose x11 (1, 0)
              x13: [x0][3]Real = replicate [x0] x9
              x14: [x0][3]Real = scatter x13 (x12, x5) x4
              give x14
            }
        "#]],
    );
}

/// `build k (\i. [t1, ..., tn])  ~>  tr [build k (\i. t1), ..., build k (\i. tn)]`
#[test]
fn build_of_array() {
    check(
        "def main[x0](x4: [x0]Real, x5: Real) -> (x1: [x0][2]Real) {
            x2: [x0][2]Real = build (x3 < x0) {
                x6: Real = index x4 (x3)
                x8: [2]Real = array Real (x6, x5)
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real, x5: Real) -> (x1: [x0][2]Real) {
              x9: [x0]Real = replicate [x0] x5
              x10: [2][x0]Real = array [x0]Real (x4, x9)
              x11: [x0][2]Real = transpose x10 (1, 0)
              give x11
            }
        "#]],
    );
}

/// `build k (\i. replicate n t)  ~>  tr (replicate n (build k (\i. t)))`
#[test]
fn build_of_replicate() {
    check(
        "def main[x0](x4: [x0]Real) -> (x1: [x0][2]Real) {
            x2: [x0][2]Real = build (x3 < x0) {
                x6: Real = index x4 (x3)
                x8: [2]Real = replicate [2] x6
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0]Real) -> (x1: [x0][2]Real) {
              x9: [2][x0]Real = replicate [2] x4
              x10: [x0][2]Real = transpose x9 (1, 0)
              give x10
            }
        "#]],
    );
}

/// `build k (\i. tr_{b0, ..., bn} t)  ~>  tr_{0, b0+1, ..., bn+1} (build k (\i. t))`
#[test]
fn build_of_transpose() {
    check(
        "def main[x0](x4: [x0][2][3]Real) -> (x1: [x0][3][2]Real) {
            x2: [x0][3][2]Real = build (x3 < x0) {
                x6: [2][3]Real = index x4 (x3)
                x8: [3][2]Real = transpose x6 (1, 0)
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][2][3]Real) -> (x1: [x0][3][2]Real) {
              x9: [x0][3][2]Real = transpose x4 (0, 2, 1)
              give x9
            }
        "#]],
    );
}

/// `build k (\i. reshape sh t)  ~>  reshape (k ::: sh) (build k (\i. t))`
#[test]
fn build_of_reshape() {
    check(
        "def main[x0](x4: [x0][6]Real) -> (x1: [x0][3][2]Real) {
            x2: [x0][3][2]Real = build (x3 < x0) {
                x6: [6]Real = index x4 (x3)
                x8: [3][2]Real = reshape x6 1 [3, 2]
                give x8
            }
            give x2 }",
        expect![[r#"
            def main[x0](x4: [x0][6]Real) -> (x1: [x0][3][2]Real) {
              x9: [x0][3][2]Real = reshape x4 2 [x0, 3, 2]
              give x9
            }
        "#]],
    );
}
