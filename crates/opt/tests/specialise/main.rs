//! Programs before and after `specialise`, one for each rule, and after `defunctionalise`
//! (`left.rs`).
//!
//! That nothing else changes their meaning is tested where there is an interpreter, in
//! `crates/cotan/tests/specialise.rs`.

mod chosen;
mod custom;
mod derive;
mod left;
mod refused;

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::specialise;

fn run(text: &str) -> String {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::Source).unwrap_or_else(|it| panic!("{it}"));
    match specialise(&program, &Name::new("main")) {
        Ok(program) => {
            let text = program.to_string();
            ir::verify(&program, Dialect::Monomorphic).unwrap_or_else(|it| panic!("{it}\n{text}"));
            assert_eq!(text.parse::<Program>().as_ref(), Ok(&program), "{text}");
            text
        }
        Err(refusal) => format!("refused: {refusal}"),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&run(text));
}

/// What is of first order already keeps its text, and what the entry does not need is gone.
#[test]
fn first_order() {
    check(
        "data Unused = Unused(Real)
        def unused(x0: Real) -> (x1: Real) { give x0 }
        def dot[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real) {
            x4: [x0]Real = mul x1 x2
            x5: Real = sum 0 x4
            give x5 }
        def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Real = call dot[x0](x1, x1)
            x4: Bool = gt x3 0.0
            x5: Real = if x4 { x6: Real = sqrt x3 give x6 } else { give 0.0 }
            give x5 }",
        expect![[r#"
            def dot[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real) {
              x4: [x0]Real = mul x1 x2
              x5: Real = sum 0 x4
              give x5
            }

            def main[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = call dot[x0](x1, x1)
              x4: Bool = gt x3 0.0
              x6: Real = if x4 {
                x5: Real = sqrt x3
                give x5
              } else {
                give 0.0
              }
              give x6
            }
        "#]],
    );
}

/// One instance for each choice of types. Sizes in types are handed on as sizes.
#[test]
fn instances_for_types() {
    check(
        "def first<a>[x0](x1: [x0]a) -> (x2: a) {
            x3: a = index x1 (0)
            give x3 }
        def main[x0, x1](x2: [x0][x1]Real, x3: [x0]Int) -> (x4: Real, x5: Int) {
            x6: [x1]Real = call first<[x1]Real>[x0](x2)
            x7: Real = call first<Real>[x1](x6)
            x8: Real = call first<Real>[x1](x6)
            x9: Real = add x7 x8
            x10: Int = call first<Int>[x0](x3)
            give x9, x10 }",
        expect![[r#"
            def first[x0, x1](x2: [x1][x0]Real) -> (x3: [x0]Real) {
              x4: [x0]Real = index x2 (0)
              give x4
            }

            def first_1[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = index x1 (0)
              give x3
            }

            def first_2[x0](x1: [x0]Int) -> (x2: Int) {
              x3: Int = index x1 (0)
              give x3
            }

            def main[x0, x1](x2: [x0][x1]Real, x3: [x0]Int) -> (x4: Real, x5: Int) {
              x6: [x1]Real = call first[x1, x0](x2)
              x7: Real = call first_1[x1](x6)
              x8: Real = call first_1[x1](x6)
              x9: Real = add x7 x8
              x10: Int = call first_2[x0](x3)
              give x9, x10
            }
        "#]],
    );
}

/// A definition that takes a function becomes an instance that takes what the function captured:
/// `x1`, and of the size that its type mentions, `x0`. The function is put where it is applied.
#[test]
fn functions_passed_down() {
    check(
        "def map<a, b>[x0](x1: (a) -> b, x2: [x0]a) -> (x3: [x0]b) {
            x4: [x0]b = build (x5 < x0) {
                x6: a = index x2 (x5)
                x7: b = apply x1 (x6)
                give x7
            }
            give x4 }
        def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real) {
            x4: (Int) -> Real = lambda (x5: Int) {
                x6: Real = index x1 (x5)
                give x6
            }
            x7: [x0]Real = call map<Int, Real>[x0](x4, x2)
            give x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Int) -> (x3: [x0]Real) {
              x4: [x0]Real = call map[x0, x0](x1, x2)
              give x4
            }

            def map[x0, x1](x2: [x0]Real, x3: [x1]Int) -> (x4: [x1]Real) {
              x8: [x1]Real = build (x5 < x1) {
                x6: Int = index x3 (x5)
                x7: Real = index x2 (x6)
                give x7
              }
              give x8
            }
        "#]],
    );
}

/// A function that is large and applied more than once becomes a definition.
#[test]
fn functions_lifted() {
    check(
        "def main(x0: Real, x1: Real) -> (x2: Real) {
            x3: (Real) -> Real = lambda (x4: Real) {
                x5: Real = sin x4
                x6: Real = mul x5 x0
                x7: Real = cos x6
                x8: Real = mul x7 x0
                x9: Real = sin x8
                x10: Real = mul x9 x0
                x11: Real = cos x10
                x12: Real = mul x11 x0
                x13: Real = sin x12
                give x13
            }
            x14: Real = apply x3 (x1)
            x15: Real = apply x3 (x14)
            give x15 }",
        expect![[r#"
            def main(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = call main_lambda(x0, x1)
              x4: Real = call main_lambda(x0, x3)
              give x4
            }

            def main_lambda(x0: Real, x1: Real) -> (x11: Real) {
              x2: Real = sin x1
              x3: Real = mul x2 x0
              x4: Real = cos x3
              x5: Real = mul x4 x0
              x6: Real = sin x5
              x7: Real = mul x6 x0
              x8: Real = cos x7
              x9: Real = mul x8 x0
              x10: Real = sin x9
              give x10
            }
        "#]],
    );
}

/// A definition that gives a function gives what the function captured.
#[test]
fn functions_returned() {
    check(
        "def compose<a, b, c>(x0: (b) -> c, x1: (a) -> b) -> (x2: (a) -> c) {
            x3: (a) -> c = lambda (x4: a) {
                x5: b = apply x1 (x4)
                x6: c = apply x0 (x5)
                give x6
            }
            give x3 }
        def scaled(x0: Real) -> (x1: (Real) -> Real) {
            x2: Real = sqrt x0
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = mul x4 x2 give x5 }
            give x3 }
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = call scaled(x0)
            x3: (Real) -> Real = call compose<Real, Real, Real>(x2, x2)
            x4: Real = apply x3 (x0)
            give x4 }",
        expect![[r#"
            def compose(x0: Real, x1: Real) -> (x2: Real, x3: Real) {
              give x0, x1
            }

            def main(x0: Real) -> (x1: Real) {
              x2: Real = call scaled(x0)
              x3: Real, x4: Real = call compose(x2, x2)
              x5: Real = mul x0 x4
              x6: Real = mul x5 x3
              give x6
            }

            def scaled(x0: Real) -> (x2: Real) {
              x1: Real = sqrt x0
              give x1
            }
        "#]],
    );
}

/// A size that only the definition knows is a result, too.
#[test]
fn functions_returned_with_arrays() {
    check(
        "def lookup[x0](x1: [x0]Real) -> (x2: (Int) -> Real) {
            x3: Int, x4: [x3]Real = filter x1 lambda (x5: Real) { x6: Bool = gt x5 0.0 give x6 }
            x7: (Int) -> Real = lambda (x8: Int) { x9: Real = index x4 (x8) give x9 }
            give x7 }
        def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: (Int) -> Real = call lookup[x0](x1)
            x4: Real = apply x3 (0)
            give x4 }",
        expect![[r#"
            def lookup[x0](x1: [x0]Real) -> (x6: Int, x7: [x6]Real) {
              x4: Int, x5: [x4]Real = filter x1 lambda (x2: Real) {
                x3: Bool = gt x2 0.0
                give x3
              }
              give x4, x5
            }

            def main[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Int, x4: [x3]Real = call lookup[x0](x1)
              x5: Real = index x4 (0)
              give x5
            }
        "#]],
    );
}

/// Tuples with functions in them are taken apart; their other parts stay.
#[test]
fn functions_in_tuples() {
    check(
        "def call(x0: ((Real) -> Real, Real)) -> (x1: Real) {
            x2: (Real) -> Real = proj x0 0
            x3: Real = proj x0 1
            x4: Real = apply x2 (x3)
            give x4 }
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
            x5: ((Real) -> Real, Real) = tuple (x2, 3.0)
            x6: Real = call call(x5)
            give x6 }",
        expect![[r#"
            def call(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = mul x1 x0
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x2: Real = call call(x0, 3.0)
              give x2
            }
        "#]],
    );
}

/// Branches that give the same function with other captured values give these values.
#[test]
fn functions_out_of_branches() {
    check(
        "def scaled(x0: Real) -> (x1: (Real) -> Real) {
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = mul x4 x0 give x5 }
            give x3 }
        def main(x0: Real) -> (x1: Real) {
            x2: Bool = gt x0 0.0
            x3: (Real) -> Real = if x2 {
                x4: (Real) -> Real = call scaled(x0)
                give x4
            } else {
                x5: (Real) -> Real = call scaled(2.0)
                give x5
            }
            x6: Real = apply x3 (x0)
            give x6 }",
        expect![[r#"
            def main(x0: Real) -> (x1: Real) {
              x2: Bool = gt x0 0.0
              x5: Real = if x2 {
                x3: Real = call scaled(x0)
                give x3
              } else {
                x4: Real = call scaled(2.0)
                give x4
              }
              x6: Real = mul x0 x5
              give x6
            }

            def scaled(x0: Real) -> (x1: Real) {
              give x0
            }
        "#]],
    );
}

/// The state of a loop may hold a function, if only what it captured changes.
#[test]
fn functions_in_loops() {
    check(
        "def scaled(x0: Real) -> (x1: (Real) -> Real) {
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = mul x4 x0 give x5 }
            give x3 }
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = call scaled(x0)
            x3: (Real) -> Real = iterate x4 < 3 (x5: (Real) -> Real = x2) {
                x6: Real = apply x5 (2.0)
                x7: (Real) -> Real = call scaled(x6)
                give x7
            }
            x8: Real = apply x3 (x0)
            give x8 }",
        expect![[r#"
            def main(x0: Real) -> (x1: Real) {
              x2: Real = call scaled(x0)
              x7: Real = iterate x3 < 3 (x4: Real = x2) {
                x5: Real = mul 2.0 x4
                x6: Real = call scaled(x5)
                give x6
              }
              x8: Real = mul x0 x7
              give x8
            }

            def scaled(x0: Real) -> (x1: Real) {
              give x0
            }
        "#]],
    );
}

/// A recursion over smaller and smaller arrays with a function is one instance.
#[test]
fn recursion() {
    check(
        "def total[x0](x1: (Real) -> Real, x2: [x0]Real) -> (x3: Real) {
            x4: Int = size [x0]
            x5: Bool = eq x4 0
            x6: Real = if x5 { give 0.0 } else {
                x7: Real = index x2 (0)
                x8: Real = apply x1 (x7)
                x9: [x0 - 1]Real = slice x2 0 [1] [x0]
                x10: Real = call total[x0 - 1](x1, x9)
                x11: Real = add x8 x10
                give x11
            }
            give x6 }
        def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real) {
            x4: (Real) -> Real = lambda (x5: Real) { x6: Real = mul x5 x2 give x6 }
            x7: Real = call total[x0](x4, x1)
            give x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real) {
              x4: Real = call total[x0](x2, x1)
              give x4
            }

            def total[x0](x1: Real, x2: [x0]Real) -> (x3: Real) {
              x4: Int = size [x0]
              x5: Bool = eq x4 0
              x11: Real = if x5 {
                give 0.0
              } else {
                x6: Real = index x2 (0)
                x7: Real = mul x6 x1
                x8: [x0 - 1]Real = slice x2 0 [1] [x0]
                x9: Real = call total[x0 - 1](x1, x8)
                x10: Real = add x7 x9
                give x10
              }
              give x11
            }
        "#]],
    );
}

/// A type parameter of the entry point is that of no value.
#[test]
fn polymorphic_results() {
    check(
        "data Option<a> = None() | Some(a)
        def none<a>() -> (x0: Option<a>) { x1: Option<a> = con Option<a> None() give x1 }
        def main<a>(x0: Real) -> (x1: Real, x2: Option<a>) {
            x3: Option<a> = call none<a>()
            give x0, x3 }",
        expect![[r#"
            data Option<a> = None() | Some(a)

            def main(x0: Real) -> (x1: Real, x2: Option<()>) {
              x3: Option<()> = call none()
              give x0, x3
            }

            def none() -> (x0: Option<()>) {
              x1: Option<()> = con Option<()> None()
              give x1
            }
        "#]],
    );
}
