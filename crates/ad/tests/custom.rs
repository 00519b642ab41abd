//! What AD makes of definitions with derivatives of their own, as text; that it computes the right
//! things is tested in crate `cotan`.

use ad::{forward_def, tape_def};
use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program, verify_def};

const RULES: &str = r#"
    def f(x0: Real, x1: Int) -> (x2: Real) { give x0 }
    def "f.vjp"(x0: Real, x1: Int, x2: Real) -> (x3: (Real, Int)) {
      x4: (Real, Int) = tuple (x2, 0)
      give x4
    }
    def "f.jvp"(x0: Real, x1: Int, x2: Real, x3: Int) -> (x4: Real) { give x2 }
"#;

fn program(table: &str) -> Program {
    let program: Program = format!("{RULES}{table}").parse().expect("a program");
    ir::verify(&program, Dialect::Source).expect("it verifies");
    program
}

fn forward(table: &str, name: &str, expected: Expect) {
    let program = program(table);
    let def = forward_def(&program, &Name::read(name)).expect("it can be derived");
    verify_def(&program, Dialect::Source, &def).expect("the derivative verifies");
    expected.assert_eq(&def.to_string());
}

fn tape(table: &str, mask: &[bool], expected: Expect) {
    let program = program(table);
    let def = tape_def(&program, &program.defs[&Name::new("f")], mask);
    verify_def(&program, Dialect::Delta, &def).expect("the derivative verifies");
    expected.assert_eq(&def.to_string());
}

#[test]
fn forward_by_the_jvp() {
    forward(
        "custom f vjp \"f.vjp\" jvp \"f.jvp\"",
        "f'10",
        expect![[r#"
            def f'10(x0: (Real, Real), x1: Int) -> (x2: (Real, Real)) origin derivative {
              x3: Real = primal 0 x0
              x4: Real = call f(x3, x1)
              x5: Real = tangent 0 x0
              x6: Int = lift 0 x1
              x7: Int = tangent 0 x6
              x8: Real = call "f.jvp"(x3, x1, x5, x7)
              x9: (Real, Real) = pair 0 x4 x8
              give x9
            }"#]],
    );
}

/// The transpose of the vjp, which is linear.
#[test]
fn forward_by_the_vjp() {
    forward(
        "custom f vjp \"f.vjp\"",
        "f'11",
        expect![[r#"
            def f'11(x0: (Real, Real), x1: Int) -> (x2: (Real, Real)) origin derivative {
              x3: Real = primal 0 x0
              x4: Real = call f(x3, x1)
              x5: Real = tangent 0 x0
              x6: Int = lift 0 x1
              x7: Int = tangent 0 x6
              x8: (Real, Real) = lift 0 x4
              x9: Real = tangent 0 x8
              x12: (Real) -> (Real, Int) = lambda (x10: Real) {
                x11: (Real, Int) = call "f.vjp"(x3, x1, x10)
                give x11
              }
              x13: (Real, Int) = tuple (x5, x7)
              x14: Real = vjp 0 x12 (x9, x13)
              x15: (Real, Real) = pair 0 x4 x14
              give x15
            }"#]],
    );
}

/// The derivative of the code of the derivative.
#[test]
fn forward_twice() {
    forward(
        "custom f jvp \"f.jvp\"",
        "f'10'10",
        expect![[r#"
            def f'10'10(x0: ((Real, Real), (Real, Real)), x1: Int) -> (x2: ((Real, Real), (Real, Real))) origin derivative {
              x3: (Real, Real) = primal 1 x0
              x4: (Real, Real) = call f'10(x3, x1)
              x5: (Real, Real) = tangent 1 x0
              x6: Int = lift 0 x1
              x7: Int = tangent 0 x6
              x8: (Real, Real) = call "f.jvp'1010"(x3, x1, x5, x7)
              x9: ((Real, Real), (Real, Real)) = pair 1 x4 x8
              give x9
            }"#]],
    );
}

#[test]
fn reverse_by_the_vjp() {
    tape(
        "custom f vjp \"f.vjp\" jvp \"f.jvp\"",
        &[true, false],
        expect![[r#"
            def f~10(x0: (Real, Delta), x1: Int) -> (x2: (Real, Delta)) origin derivative {
              x3: Real = strip x0
              x4: Real = call f(x3, x1)
              x7: (Real) -> (Real, Int) = lambda (x5: Real) {
                x6: (Real, Int) = call "f.vjp"(x3, x1, x5)
                give x6
              }
              x8: (Real, Delta) = pullback x4 (x0, x1) x7
              give x8
            }"#]],
    );
}

#[test]
fn reverse_by_the_jvp() {
    tape(
        "custom f jvp \"f.jvp\"",
        &[true, false],
        expect![[r#"
            def f~10(x0: (Real, Delta), x1: Int) -> (x2: (Real, Delta)) origin derivative {
              x3: Real = strip x0
              x4: Real = call f(x3, x1)
              x8: (Real, Int) -> Real = lambda (x5: Real, x6: Int) {
                x7: Real = call "f.jvp"(x3, x1, x5, x6)
                give x7
              }
              x9: (Real, Delta) = recorded x4 (x0, x1) x8
              give x9
            }"#]],
    );
}

/// Nothing but the definition itself is changed by a rule: constants are not asked for.
#[test]
fn reverse_of_a_forward_derivative() {
    let program = program("custom f jvp \"f.jvp\"");
    let forward = forward_def(&program, &Name::read("f'10")).expect("it can be derived");
    let def = tape_def(&program, &forward, &[true, false]);
    verify_def(&program, Dialect::Delta, &def).expect("the derivative verifies");
    let text = def.to_string();
    assert!(text.contains("call f~10(") && text.contains("call \"f.jvp~1010\"("), "{text}");
}
