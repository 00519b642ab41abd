//! Programs before and after `checkpoint`, with the values of both.

use std::sync::Arc;

use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, Value};
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::{Checkpoints, checkpoint, drop_checkpoints};

/// What `main` gives at a number of steps and 1.5, as text.
fn value(program: &Program, steps: i64) -> String {
    let limits = Limits { memory: 1 << 30, precision: Precision::F64, mode: Mode::Reverse };
    let program = Arc::new(program.clone());
    let args = vec![Value::Int(steps), Value::Real(1.5)];
    let mut evaluator = Evaluator::new(program, Box::new(NoDerivatives), limits);
    let results = evaluator.call(&Name::new("main"), &[], args);
    format!("{:?}", results.unwrap_or_else(|it| panic!("{it:?}")))
}

/// The program after the pass, which gives the same to the bit: for no step, for pieces that are full and for
/// a last one that is not.
fn after(text: &str, which: Checkpoints) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = checkpoint(&program, which);
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    assert_eq!(made.to_string().parse::<Program>().as_ref(), Ok(&made));
    for steps in [0, 1, 3, 8, 9, 10] {
        assert_eq!(value(&program, steps), value(&made, steps), "{steps} steps\n{made}");
    }
    (program, made)
}

/// What becomes of `main`, and of the steps of a piece.
fn check(text: &str, expected: Expect) {
    let made = after(text, Checkpoints::Marked).1;
    let shown = ["main", "main.steps"].map(|it| made.defs[&Name::new(it)].to_string());
    expected.assert_eq(&shown.join("\n\n"));
}

/// A piece of a `fold` gets its part of the arrays: `x0` elements are pieces of 3, and a last one of what is left.
#[test]
fn a_fold_gives_its_pieces_parts_of_the_arrays() {
    check(
        "def main(x0: Int, x1: Real) -> (x2: Real) {
            x3: [x0]Int = iota [x0]
            x4: Real = fold (x5: Real = 1.0) (x6: Int = x3) {
                x7: Real = checkpoint 3 x5
                x8: Real = real x6
                x9: Real = mul x7 x1
                x10: Real = add x9 x8
                give x10 }
            give x4 }",
        expect![[r#"
            def main(x0: Int, x1: Real) -> (x2: Real) {
              x3: [x0]Int = iota [x0]
              x11: Int = size [x0]
              x14: Int = sub x11 1
              x15: Int = div x14 3
              x16: Int = add x15 1
              x4: Real = iterate x17 < x16 (x5: Real = 1.0) {
                x18: Int = mul x17 3
                x19: Int = sub x11 x18
                x20: Int = min 3 x19
                x21: Int = add x18 x20
                x22: [-x18 + x21]Int = slice x3 0 [x18] [x21]
                x23: Real = call "main.again"[-x18 + x21](x1, x22, x5)
                give x23
              }
              give x4
            }

            def "main.steps"[x12](x1: Real, x13: [x12]Int, x14: Real) -> (x15: Real) {
              x16: Real = fold (x5: Real = x14) (x6: Int = x13) {
                x7: Real = copy x5
                x8: Real = real x6
                x9: Real = mul x7 x1
                x10: Real = add x9 x8
                give x10
              }
              give x16
            }"#]],
    );
}

/// Nobody knows how many steps a `while` takes: its condition is asked in every piece, and before each.
#[test]
fn a_while_ends_in_a_piece() {
    check(
        "def main(x0: Int, x1: Real) -> (x2: Real) {
            x3: Int, x4: Real = while (x5: Int = x0, x6: Real = x1) {
                x7: Bool = gt x5 0
                give x7
            } do {
                x8: Real = checkpoint 3 x6
                x9: Real = mul x8 x1
                x10: Int = sub x5 1
                give x10, x9 }
            give x4 }",
        expect![[r#"
            def main(x0: Int, x1: Real) -> (x2: Real) {
              x3: Int, x4: Real, x16: Int = while (x5: Int = x0, x6: Real = x1, x12: Int = 1) {
                x7: Bool = gt x5 0
                give x7
              } do {
                x13: Int, x14: Real = call "main.again"(x1, 3, x5, x6)
                x15: Int = add x12 1
                give x13, x14, x15
              }
              give x4
            }

            def "main.steps"(x1: Real, x11: Int, x12: Int, x13: Real) -> (x14: Int, x15: Real) {
              x20: Int, x21: Real, x22: Int = while (x5: Int = x12, x6: Real = x13, x16: Int = 0) {
                x17: Bool = lt x16 x11
                x18: Bool = if x17 {
                  x7: Bool = gt x5 0
                  give x7
                } else {
                  give false
                }
                give x18
              } do {
                x8: Real = copy x6
                x9: Real = mul x8 x1
                x10: Int = sub x5 1
                x19: Int = add x16 1
                give x10, x9, x19
              }
              give x20, x21
            }"#]],
    );
}

/// The derivative of a definition that calls itself would be asked for inside of itself: its loops stay whole,
/// and the mark is the value.
#[test]
fn loops_of_recursions_stay_whole() {
    let (before, after) = after(
        "def main(x0: Int, x1: Real) -> (x2: Real) {
            x3: Bool = le x0 0
            x4: Real = if x3 {
                give x1
            } else {
                x5: Int = div x0 2
                x6: Real = call main(x5, x1)
                x7: Real = iterate x8 < x0 (x9: Real = x6) {
                    x10: Real = checkpoint 3 x9
                    x11: Real = mul x10 x1
                    give x11 }
                give x7 }
            give x4 }",
        Checkpoints::Marked,
    );
    assert_eq!(after, drop_checkpoints(&before));
}

/// A loop that says nothing stays as it is; on two levels those are in pieces that a derivative goes through,
/// and of `main`, of which nobody takes one, none.
#[test]
fn what_says_nothing_stays_whole_unless_all_are_asked_for() {
    let text = "def main(x0: Int, x1: Real) -> (x2: Real) {
            x3: Real = iterate x4 < x0 (x5: Real = x1) {
                x6: Real = mul x5 x1
                give x6 }
            x7: Real = call power(x0, x3)
            give x7 }
        def power(x0: Int, x1: Real) -> (x2: Real) {
            x3: Real = iterate x4 < x0 (x5: Real = 1.0) {
                x6: Real = mul x5 x1
                give x6 }
            give x3 }
        def slope(x0: Int, x1: Real) -> (x2: Real) {
            x3: Real = derivative grad power (x0) (x1)
            give x3 }";
    let (before, marked) = after(text, Checkpoints::Marked);
    assert_eq!(before, marked);
    let all = after(text, Checkpoints::All(2)).1;
    let pieces: Vec<&str> = all.customs.keys().map(Name::as_str).collect();
    assert_eq!(pieces, ["power.again"]);
    assert_eq!(all.defs[&Name::new("main")], before.defs[&Name::new("main")]);
}
