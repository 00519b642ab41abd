//! The rules of Fig. 10, in the paper's order.

use expect_test::expect;

use super::run::check;

/// `index t []  ~>  t`
#[test]
fn index_of_nothing() {
    check(
        "def main[x0](x2: [x0]Real) -> (x1: [x0]Real) {
            x3: [x0]Real = index x2 ()
            give x3 }",
        expect![[r#"
            def main[x0](x2: [x0]Real) -> (x1: [x0]Real) {
              x3: [x0]Real = copy x2
              give x3
            }
        "#]],
    );
}

/// `index (index t [u1, ..., um]) [t1, ..., tn]  ~>  index t [u1, ..., um, t1, ..., tn]`, if the first is in bounds.
#[test]
fn index_of_index() {
    check(
        "def main[x0](x2: [3][2]Real, x5: Int) -> (x1: Real) {
            x3: [2]Real = index x2 (1)
            x4: Real = index x3 (x5)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [3][2]Real, x5: Int) -> (x1: Real) {
              x4: Real = index x2 (1, x5)
              give x4
            }
        "#]],
    );
}

/// `index (let x = v in t) ix  ~>  let x = v in index t ix`
#[test]
fn index_of_let() {
    check(
        "def main[x0](x2: [2]Real) -> (x1: Real) {
            x3: [2]Real = copy x2
            x4: Real = index x3 (1)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [2]Real) -> (x1: Real) {
              x4: Real = index x2 (1)
              give x4
            }
        "#]],
    );
}

/// `index (cond b u v) ix  ~>  cond b (index u ix) (index v ix)`
#[test]
fn index_of_cond() {
    check(
        "def main[x0](x2: [x0]Real, x3: Bool, x9: Int) -> (x1: Real) {
            x4: [x0]Real = if x3 {
              x5: [x0]Real = sin x2
              give x5
            } else {
              give x2
            }
            x6: Real = index x4 (x9)
            give x6 }",
        expect![[r#"
            def main[x0](x2: [x0]Real, x3: Bool, x9: Int) -> (x1: Real) {
              x13: Real = if x3 {
                x10: Real = index x2 (x9)
                x11: Real = sin x10
                give x11
              } else {
                x12: Real = index x2 (x9)
                give x12
              }
              give x13
            }
        "#]],
    );
}

/// `index (op t u) ix  ~>  op (index t ix) (index u ix)`, and of one operand; scalars stay.
#[test]
fn index_of_op() {
    check(
        "def main[x0](x2: [x0]Real, x3: Real, x9: Int) -> (x1: Real) {
            x4: [x0]Real = mul x2 x3
            x5: [x0]Real = add x4 x2
            x7: [x0]Real = exp x5
            x6: Real = index x7 (x9)
            give x6 }",
        expect![[r#"
            def main[x0](x2: [x0]Real, x3: Real, x9: Int) -> (x1: Real) {
              x10: Real = index x2 (x9)
              x11: Real = mul x10 x3
              x12: Real = index x2 (x9)
              x13: Real = add x11 x12
              x6: Real = exp x13
              give x6
            }
        "#]],
    );
}

/// What fails stays, as does what is used twice.
#[test]
fn index_of_op_that_fails() {
    check(
        "def main[x0](x2: [2]Int, x3: Int) -> (x1: Int) {
            x4: [2]Int = div x2 x3
            x5: [2]Int = neg x2
            x6: Int = index x4 (1)
            x7: Int = index x5 (0)
            x8: Int = index x5 (1)
            x9: Int = add x6 x7
            x10: Int = add x9 x8
            give x10 }",
        expect![[r#"
            def main[x0](x2: [2]Int, x3: Int) -> (x1: Int) {
              x4: [2]Int = div x2 x3
              x5: [2]Int = neg x2
              x6: Int = index x4 (1)
              x7: Int = index x5 (0)
              x8: Int = index x5 (1)
              x9: Int = add x6 x7
              x10: Int = add x9 x8
              give x10
            }
        "#]],
    );
}

/// `index (sumOuter t) ix  ~>  sumOuter (index (tr t) ix)`; along a later axis nothing moves.
#[test]
fn index_of_sum() {
    check(
        "def main[x0](x2: [x0][2]Real, x3: [2][x0]Real) -> (x1: Real) {
            x4: [2]Real = sum 0 x2
            x5: [2]Real = sum 1 x3
            x6: Real = index x4 (1)
            x7: Real = index x5 (1)
            x8: Real = add x6 x7
            give x8 }",
        expect![[r#"
            def main[x0](x2: [x0][2]Real, x3: [2][x0]Real) -> (x1: Real) {
              x9: [x0]Int = iota [x0]
              x10: [x0]Real = gather x2 (x9, 1)
              x6: Real = sum 0 x10
              x11: [x0]Real = index x3 (1)
              x7: Real = sum 0 x11
              x8: Real = add x6 x7
              give x8
            }
        "#]],
    );
}

/// `index [t1, ..., tk] [u1, ..., un]  ~>  index [index t1 [u2, ..., un], ...] [u1]   if n > 1`
#[test]
fn index_of_array() {
    check(
        "def main[x0](x2: [2]Real, x3: [2]Real, x7: Int) -> (x1: Real) {
            x4: [2][2]Real = array [2]Real (x2, x3)
            x5: Real = index x4 (x7, 1)
            give x5 }",
        expect![[r#"
            def main[x0](x2: [2]Real, x3: [2]Real, x7: Int) -> (x1: Real) {
              x8: Real = index x2 (1)
              x9: Real = index x3 (1)
              x10: [2]Real = array Real (x8, x9)
              x5: Real = index x10 (x7)
              give x5
            }
        "#]],
    );
}

/// `index (replicate k t) [u1, ..., un]  ~>  index t [u2, ..., un]`, if it is in bounds.
#[test]
fn index_of_replicate() {
    check(
        "def main[x0](x2: [2]Real, x7: Int) -> (x1: Real) {
            x3: [3][2]Real = replicate [3] x2
            x4: Real = index x3 (2, 1)
            x5: [3][2]Real = replicate [3] x2
            x6: Real = index x5 (x7, 1)
            x8: Real = add x4 x6
            give x8 }",
        expect![[r#"
            def main[x0](x2: [2]Real, x7: Int) -> (x1: Real) {
              x4: Real = index x2 (1)
              x5: [3][2]Real = replicate [3] x2
              x6: Real = index x5 (x7, 1)
              x8: Real = add x4 x6
              give x8
            }
        "#]],
    );
}

/// `index (tr_{b0, ..., bk} t) ix`: an index at other places.
#[test]
fn index_of_transpose() {
    check(
        "def main[x0](x2: [2][3][4]Real, x7: Int) -> (x1: [4]Real) {
            x3: [3][2][4]Real = transpose x2 (1, 0)
            x4: [4]Real = index x3 (2, x7)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [2][3][4]Real, x7: Int) -> (x1: [4]Real) {
              x4: [4]Real = index x2 (x7, 2)
              give x4
            }
        "#]],
    );
}

/// `index (gather (k ::: sh) t (\(i ::: is). ix)) (u ::: ix')  ~>  index (gather sh t (\is. let i = u in ix)) ix'`, and when no index is left, an index.
#[test]
fn index_of_gather() {
    check(
        "def main(x2: [3][2]Real) -> (x1: Real) {
            x3: [2]Int = iota [2]
            x4: [2][2]Int = replicate [2] x3
            x5: [2][2][2]Real = gather x2 (x4)
            x6: Real = index x5 (1, 0, 1)
            x7: [2]Int = iota [2]
            x8: [2][2]Int = replicate [2] x7
            x9: [2][2][2]Real = gather x2 (x8)
            x10: [2][2]Real = index x9 (1)
            x11: [2]Real = sum 0 x10
            x12: Real = sum 0 x11
            x13: Real = add x6 x12
            give x13 }",
        expect![[r#"
            def main(x2: [3][2]Real) -> (x1: Real) {
              x3: [2]Int = iota [2]
              x14: Int = index x3 (0)
              x6: Real = index x2 (x14, 1)
              x7: [2]Int = iota [2]
              x10: [2][2]Real = gather x2 (x7)
              x11: [2]Real = sum 0 x10
              x12: Real = sum 0 x11
              x13: Real = add x6 x12
              give x13
            }
        "#]],
    );
}

/// `index (tr_{b0, ..., bk} t) ix  ~>  index (gather sh t (\[i_b0, ..., i_bk]. [i0, ..., ik])) ix`, with fewer indices than axes that move.
#[test]
fn index_of_transpose_by_gather() {
    check(
        "def main[x0](x2: [2][3][x0]Real) -> (x1: [x0][2]Real) {
            x3: [3][x0][2]Real = transpose x2 (1, 2, 0)
            x4: [x0][2]Real = index x3 (2)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [2][3][x0]Real) -> (x1: [x0][2]Real) {
              x5: [x0]Int = iota [x0]
              x6: [2][x0]Int = replicate [2] x5
              x7: [x0][2]Int = transpose x6 (1, 0)
              x8: [2]Int = iota [2]
              x9: [x0][2]Int = replicate [x0] x8
              x4: [x0][2]Real = gather x2 (x9, 2, x7)
              give x4
            }
        "#]],
    );
}

/// An index that may be out of bounds is not lost where the other axes have no positions.
#[test]
fn index_of_transpose_that_fails() {
    check(
        "def main[x0](x2: [x0][3]Real, x5: Int) -> (x1: [x0]Real) {
            x3: [3][x0]Real = transpose x2 (1, 0)
            x6: Int = add x5 2
            x4: [x0]Real = index x3 (x6)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [x0][3]Real, x5: Int) -> (x1: [x0]Real) {
              x3: [3][x0]Real = transpose x2 (1, 0)
              x6: Int = add x5 2
              x4: [x0]Real = index x3 (x6)
              give x4
            }
        "#]],
    );
}

/// `index (reshape sh t) ix  ~>  index (gather sh t (\is. fromLinearIdx (shape t) (toLinearIdx sh is))) ix`, where `t` goes away.
#[test]
fn index_of_reshape() {
    check(
        "def main[x0](x2: [6]Real, x5: [3][2]Real, x9: [x0]Real) -> (x1: [x0]Real) {
            x10: [x0]Real = build (x11 < x0) {
              x12: Real = index x9 (x11)
              x13: [6]Real = mul x2 x12
              x3: [2][3]Real = reshape x13 1 [2, 3]
              x4: Real = index x3 (1, 2)
              x14: [3][2]Real = mul x5 x12
              x6: [2][3]Real = reshape x14 2 [2, 3]
              x7: Real = index x6 (1, 0)
              x8: Real = add x4 x7
              give x8
            }
            give x10 }",
        expect![[r#"
            def main[x0](x2: [6]Real, x5: [3][2]Real, x9: [x0]Real) -> (x1: [x0]Real) {
              x15: Int = mul 1 3
              x16: Int = add x15 2
              x23: [x0]Int = replicate [x0] x16
              x24: [x0]Real = gather x2 (x23)
              x25: [x0]Real = mul x24 x9
              x18: Int = mul 1 3
              x19: Int = add x18 0
              x20: Int = rem x19 2
              x21: Int = div x19 2
              x26: [x0]Int = replicate [x0] x21
              x27: [x0]Real = gather x5 (x26, x20)
              x28: [x0]Real = mul x27 x9
              x29: [x0]Real = add x25 x28
              give x29
            }
        "#]],
    );
}

/// Out of bounds of its axis, and in bounds of the flat array: the index fails where it stands.
#[test]
fn index_of_reshape_that_fails() {
    check(
        "def main[x0](x2: [6]Real, x5: Int) -> (x1: Real) {
            x6: [6]Real = sin x2
            x3: [2][3]Real = reshape x6 1 [2, 3]
            x7: Int = add x5 2
            x4: Real = index x3 (0, x7)
            give x4 }",
        expect![[r#"
            def main[x0](x2: [6]Real, x5: Int) -> (x1: Real) {
              x6: [6]Real = sin x2
              x3: [2][3]Real = reshape x6 1 [2, 3]
              x7: Int = add x5 2
              x4: Real = index x3 (0, x7)
              give x4
            }
        "#]],
    );
}

/// Of a variable, a reshape costs nothing, and scatter is a normal form: they stay.
#[test]
fn index_of_reshape_and_scatter() {
    check(
        "def main[x0](x2: [6]Real, x7: [2]Int, x8: [2]Real) -> (x1: Real) {
            x3: [2][3]Real = reshape x2 1 [2, 3]
            x4: Real = index x3 (1, 2)
            x5: [6]Real = scatter x2 (x7) x8
            x6: Real = index x5 (1)
            x9: Real = add x4 x6
            give x9 }",
        expect![[r#"
            def main[x0](x2: [6]Real, x7: [2]Int, x8: [2]Real) -> (x1: Real) {
              x3: [2][3]Real = reshape x2 1 [2, 3]
              x4: Real = index x3 (1, 2)
              x5: [6]Real = scatter x2 (x7) x8
              x6: Real = index x5 (1)
              x9: Real = add x4 x6
              give x9
            }
        "#]],
    );
}
