//! Branches, loops, common subexpressions, and what moves out of loops.

use expect_test::expect;

use crate::check;

/// if-constant, if-same, match-known.
#[test]
fn branches() {
    check(
        &["if-constant", "branches-same", "match-known"],
        "data Shape = Circle(Real) | Square(Real, Real)
        def main(x0: Real, x1: Bool) -> (x2: Real, x3: Real, x4: Real) {
            x5: Bool = lt 1 2
            x6: Real = if x5 { x7: Real = sin x0 give x7 } else { x8: Real = cos x0 give x8 }
            x9: Real, x10: Real = if x1 {
                x11: Real = exp x0
                give x0, x11
            } else { give x0, 0.0 }
            x12: Shape = con Shape Square(x0, 2.0)
            x13: Real = match x12 {
                Circle(x14: Real) { give x14 }
                Square(x15: Real, x16: Real) { x17: Real = mul x15 x16 give x17 }
            }
            x18: Real = add x9 x10
            give x6, x18, x13 }",
        expect![[r#"
            def main(x0: Real, x1: Bool) -> (x2: Real, x3: Real, x4: Real) {
              x7: Real = sin x0
              x10: Real = if x1 {
                x11: Real = exp x0
                give x11
              } else {
                give 0.0
              }
              x17: Real = mul x0 2.0
              x18: Real = add x0 x10
              give x7, x18, x17
            }
        "#]],
    );
}

/// constant-state, fold-empty, iterate-never, iterate-once, loop-over-replicate.
#[test]
fn loops() {
    check(
        &["constant-state", "fold-empty", "iterate-never", "iterate-once", "loop-over-replicate", "constant-result"],
        "def main[x0](x1: [x0]Real, x2: Real, x3: [0]Real) -> (x4: Real, x5: Real, x6: Real, x7: Real) {
            x8: [x0]Real = replicate [x0] x2
            x9: Real, x10: Real = fold (x11: Real = 0.0, x12: Real = x2) (x13: Real = x1, x14: Real = x8) {
                x15: Real = mul x13 x12
                x16: Real = add x11 x15
                x17: Real = add x16 x14
                give x17, x12
            }
            x18: Real = fold (x19: Real = x2) (x20: Real = x3) { x21: Real = add x19 x20 give x21 }
            x22: Real = iterate x23 < 0 (x24: Real = x2) { x25: Real = sin x24 give x25 }
            x26: Real = iterate x27 < 1 (x28: Real = x2) { x29: Real = sin x28 give x29 }
            x30: Real = add x9 x10
            give x30, x18, x22, x26 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real, x3: [0]Real) -> (x4: Real, x5: Real, x6: Real, x7: Real) {
              x9: Real = fold (x11: Real = 0.0) (x13: Real = x1) {
                x15: Real = mul x13 x2
                x16: Real = add x11 x15
                x17: Real = add x16 x2
                give x17
              }
              x29: Real = sin x2
              x30: Real = add x9 x2
              give x30, x2, x2, x29
            }
        "#]],
    );
}

/// common: in the same block and in those around it, also calls.
#[test]
fn common_subexpressions() {
    check(
        &[],
        "def twice(x0: Real) -> (x1: Real) { x2: Real = mul x0 2.0 give x2 }
        def main(x0: Real, x1: Bool) -> (x2: Real, x3: Real) {
            x4: Real = exp x0
            x5: Real = exp x0
            x6: Real = add x4 x5
            x7: Real = if x1 { x8: Real = exp x0 give x8 } else { x9: Real = sin x0 give x9 }
            x10: Real = call twice(x0)
            x11: Real = call twice(x0)
            x12: Real = mul x10 x11
            x13: Real = sin x0
            x14: Real = add x13 x12
            x15: Real = add x14 x7
            give x6, x15 }",
        expect![[r#"
            def main(x0: Real, x1: Bool) -> (x2: Real, x3: Real) {
              x4: Real = exp x0
              x6: Real = add x4 x4
              x7: Real = if x1 {
                give x4
              } else {
                x9: Real = sin x0
                give x9
              }
              x16: Real = mul x0 2.0
              x12: Real = mul x16 x16
              x13: Real = sin x0
              x14: Real = add x13 x12
              x15: Real = add x14 x7
              give x6, x15
            }
        "#]],
    );
}

/// loop-invariant: out of loops, not out of branches, and not if it can fail.
#[test]
fn invariants() {
    check(
        &[],
        "def main[x0](x1: [x0]Real, x2: Real, x3: Int) -> (x4: Real, x5: [x0]Int) {
            x6: Real = fold (x7: Real = 0.0) (x8: Real = x1) {
                x9: Real = exp x2
                x10: Bool = gt x8 0.0
                x11: Real = if x10 { x12: Real = sin x2 give x12 } else { give 0.0 }
                x13: Real = mul x9 x11
                x14: Real = add x7 x13
                give x14
            }
            x15: [x0]Int = build (x16 < x0) {
                x17: Int = div 6 x3
                x18: Int = add x17 x16
                give x18
            }
            give x6, x15 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real, x3: Int) -> (x4: Real, x5: [x0]Int) {
              x9: Real = exp x2
              x6: Real = fold (x7: Real = 0.0) (x8: Real = x1) {
                x10: Bool = gt x8 0.0
                x11: Real = if x10 {
                  x12: Real = sin x2
                  give x12
                } else {
                  give 0.0
                }
                x13: Real = mul x9 x11
                x14: Real = add x7 x13
                give x14
              }
              x15: [x0]Int = build (x16 < x0) {
                x17: Int = div 6 x3
                x18: Int = add x17 x16
                give x18
              }
              give x6, x15
            }
        "#]],
    );
}

/// Loops in loops get no larger by each other: each adds itself and its own statement.
#[test]
fn nested_loops_grow_by_their_depth() {
    let size = |depth: usize| {
        let mut body =
            "x2000: Real = mul x1 x1 x2001: Real = mul x1 x1 x2002: Real = add x2000 x2001".into();
        let mut result = "x2002".to_string();
        for at in 0..depth {
            let (array, state, elem, next) = (100 + at, 200 + at, 300 + at, 400 + at);
            body = format!(
                "x{array}: [x0]Int = iota [x0]
                x{next}: Real = fold (x{state}: Real = 0.0) (x{elem}: Int = x{array}) {{
                    {body}
                    x{}: Real = add x{state} {result}
                    give x{}
                }}",
                500 + at,
                500 + at
            );
            result = format!("x{next}");
        }
        let text = format!("def main[x0](x1: Real) -> (x2: Real) {{ {body} give {result} }}");
        opt::n_statements(&crate::simplified(&[], &text, opt::Exactness::Bits).1)
    };
    assert_eq!([1, 2, 3, 4].map(size), [5, 7, 9, 11]);
}
