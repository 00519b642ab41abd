//! Programs before and after `peel`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::peel;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&after(text).1.to_string());
}

/// Calls stay calls.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = peel(&program);
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// The test of a call that a loop makes is done once, before the loop.
#[test]
fn calls_of_a_loop_are_ends_all_or_none() {
    check(
        "def f(x0: Int, x1: [4]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 { x5: Real = index x1 (3) give x5 } else {
                x6: [x0]Int = iota [x0]
                x7: Real = fold (x8: Real = 0.0) (x9: Int = x6) {
                    x10: Real = index x1 (x9)
                    x11: Int = sub x0 1
                    x12: Real = call f(x11, x1)
                    x13: Real = mul x10 x12
                    x14: Real = add x8 x13
                    give x14 }
                give x7 }
            give x4 }",
        expect![[r#"
            def f(x0: Int, x1: [4]Real) -> (x2: Real) {
              x3: Bool = equal x0 0
              x4: Real = if x3 {
                x5: Real = index x1 (3)
                give x5
              } else {
                x15: Int = sub x0 1
                x16: Bool = equal x15 0
                x28: Real = if x16 {
                  x17: [x0]Int = iota [x0]
                  x18: Real = fold (x19: Real = 0.0) (x20: Int = x17) {
                    x21: Real = index x1 (x20)
                    x22: Int = sub x0 1
                    x26: Bool = equal x22 0
                    x27: Real = index x1 (3)
                    x24: Real = mul x21 x27
                    x25: Real = add x19 x24
                    give x25
                  }
                  give x18
                } else {
                  x6: [x0]Int = iota [x0]
                  x7: Real = fold (x8: Real = 0.0) (x9: Int = x6) {
                    x10: Real = index x1 (x9)
                    x11: Int = sub x0 1
                    x12: Real = call f(x11, x1)
                    x13: Real = mul x10 x12
                    x14: Real = add x8 x13
                    give x14
                  }
                  give x7
                }
                give x28
              }
              give x4
            }
        "#]],
    );
}

/// A size that a definition asks for is one that the call gives; what is done around the choice is done at
/// an end too.
#[test]
fn a_tree_ends_one_level_above_its_leaves() {
    check(
        "def f[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Int = size [x0]
            x4: Bool = lt 1 x3
            x5: Real = if x4 {
                x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                x7: Real = call f[x0 - 1](x6)
                x8: Real = call f[x0 - 1](x6)
                x9: Real = add x7 x8
                give x9 } else { give 2.0 }
            x10: Real = sin x5
            give x10 }",
        expect![[r#"
            def f[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Int = size [x0]
              x4: Bool = lt 1 x3
              x5: Real = if x4 {
                x11: Int = size [x0 - 1]
                x12: Bool = lt 1 x11
                x23: Real = if x12 {
                  x6: [x0 - 1]Real = slice x1 0 [1] [x0]
                  x7: Real = call f[x0 - 1](x6)
                  x8: Real = call f[x0 - 1](x6)
                  x9: Real = add x7 x8
                  give x9
                } else {
                  x13: [x0 - 1]Real = slice x1 0 [1] [x0]
                  x17: Int = size [x0 - 1]
                  x18: Bool = lt 1 x17
                  x19: Real = sin 2.0
                  x20: Int = size [x0 - 1]
                  x21: Bool = lt 1 x20
                  x22: Real = sin 2.0
                  x16: Real = add x19 x22
                  give x16
                }
                give x23
              } else {
                give 2.0
              }
              x10: Real = sin x5
              give x10
            }
        "#]],
    );
}

/// One call is a loop; of two, one may end and the other may not; what is an end is only known from an
/// array; an end has a loop.
#[test]
fn other_calls_stay() {
    stays(
        "def f(x0: Int) -> (x1: Real) {
            x2: Bool = equal x0 0
            x3: Real = if x2 { give 1.0 } else {
                x4: Int = sub x0 1
                x5: Real = call f(x4)
                x6: Real = sin x5
                give x6 }
            give x3 }",
    );
    stays(
        "def f(x0: Int) -> (x1: Real) {
            x2: Bool = lt x0 2
            x3: Real = if x2 { give 1.0 } else {
                x4: Int = sub x0 1
                x5: Int = sub x0 2
                x6: Real = call f(x4)
                x7: Real = call f(x5)
                x8: Real = add x6 x7
                give x8 }
            give x3 }",
    );
    stays(
        "def f(x0: [9]Int, x1: Int) -> (x2: Real) {
            x3: Int = index x0 (x1)
            x4: Bool = equal x3 0
            x5: Real = if x4 { give 1.0 } else {
                x6: Real = call f(x0, x3)
                x7: Real = call f(x0, x3)
                x8: Real = add x6 x7
                give x8 }
            give x5 }",
    );
    stays(
        "def f(x0: Int, x1: [4]Real) -> (x2: Real) {
            x3: Bool = equal x0 0
            x4: Real = if x3 {
                x5: Real = fold (x6: Real = 0.0) (x7: Real = x1) { give x7 }
                give x5
            } else {
                x8: Int = sub x0 1
                x9: Real = call f(x8, x1)
                x10: Real = call f(x8, x1)
                x11: Real = add x9 x10
                give x11 }
            give x4 }",
    );
}

/// Whether a call that a loop makes ends is asked for by the element of the loop.
#[test]
fn calls_that_end_in_some_steps_stay() {
    stays(
        "def f(x0: Int) -> (x1: Real) {
            x2: Bool = lt x0 2
            x3: Real = if x2 { give 1.0 } else {
                x4: [x0]Int = iota [x0]
                x5: Real = fold (x6: Real = 0.0) (x7: Int = x4) {
                    x8: Real = call f(x7)
                    x9: Real = add x6 x8
                    give x9 }
                give x5 }
            give x3 }",
    );
}

/// A derivative of its own is one of calls.
#[test]
fn a_definition_with_a_clause_stays() {
    stays(
        "def f(x0: Int, x1: Real) -> (x2: Real) {
            x3: Bool = lt x0 2
            x4: Real = if x3 { give x1 } else {
                x5: Int = sub x0 1
                x6: Real = call f(x5, x1)
                x7: Real = call f(x5, x1)
                x8: Real = add x6 x7
                give x8 }
            give x4 }
         def g(x0: Int, x1: Real, x2: Int, x3: Real) -> (x4: Real) origin clause { give x3 }
         custom f jvp g",
    );
}

/// What a test is computed from is looked at once, however often it is used.
#[test]
fn a_test_by_many_doublings_is_seen_at_once() {
    let doubling = |at: usize| {
        let from = if at == 100 { 0 } else { at - 1 };
        format!("x{at}: Int = add x{from} x{from}\n")
    };
    let doublings: String = (100..140).map(doubling).collect();
    let text = format!(
        "def f(x0: Int) -> (x1: Real) {{
            x2: Bool = equal x0 0
            x3: Real = if x2 {{ give 1.0 }} else {{
                {doublings}
                x4: Real = call f(x139)
                x5: Real = call f(x139)
                x6: Real = add x4 x5
                give x6 }}
            give x3 }}"
    );
    let (before, after) = after(&text);
    assert_ne!(before, after);
}
