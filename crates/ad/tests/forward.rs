//! D[-] as text, and that every result verifies, also of D[D[-]].
//!
//! What the derivatives compute is tested where there is an interpreter, in crate `cotan`.

use ad::{forward_def, forward_lambda};
use base::Name;
use expect_test::{Expect, expect};
use ir::{Binder, Dialect, Program, Spans, verify_def};

fn check(name: &str, text: &str, expected: Expect) {
    let program: Program = text.parse().expect("the text of the test is a program");
    ir::verify(&program, Dialect::Source).expect("the program of the test verifies");
    let def = forward_def(&program, &Name::read(name)).expect("it can be derived");
    verify_def(&program, Dialect::Source, &def).expect("the derivative verifies");
    expected.assert_eq(&def.to_string());
}

#[test]
fn product_rule() {
    check(
        "f'11",
        "def f(x0: Real, x1: Real) -> (x2: Real) { x3: Real = mul x0 x1 give x3 }",
        expect![[r#"
            def f'11(x0: (Real, Real), x1: (Real, Real)) -> (x2: (Real, Real)) origin derivative {
              x4: Real = proj x0 0
              x5: Real = proj x1 0
              x6: Real = mul x4 x5
              x7: Real = proj x0 1
              x8: Real = proj x1 1
              x9: Real = scale x5 x7
              x10: Real = scale x4 x8
              x11: Real = add x9 x10
              x3: (Real, Real) = tuple (x6, x11)
              give x3
            }"#]],
    );
}

/// Only the active operand has a tangent, and a scalar operand is there for every element.
#[test]
fn activity_and_broadcasting() {
    check(
        "f'10",
        "def f[x5](x0: Real, x1: [x5]Real) -> (x2: [x5]Real) {
           x3: [x5]Real = sin x1
           x4: [x5]Real = sub x3 x0
           give x4
         }",
        expect![[r#"
            def f'10[x5](x0: (Real, Real), x1: [x5]Real) -> (x2: [x5](Real, Real)) origin derivative {
              x3: [x5]Real = sin x1
              x6: Real = proj x0 0
              x7: [x5]Real = sub x3 x6
              x8: Real = proj x0 1
              x9: Real = neg x8
              x10: [x5]Real = replicate [x5] x9
              x4: [x5](Real, Real) = tuple 1 (x7, x10)
              give x4
            }"#]],
    );
}

/// The branch that is constant is lifted; the condition sees primal parts.
#[test]
fn branches_join() {
    check(
        "f'1",
        "def f(x0: Real) -> (x1: Real) {
           x2: Bool = gt x0 0.0
           x3: Real, x4: Int = if x2 { give x0, 1 } else { give 2.0, 3 }
           give x3
         }",
        expect![[r#"
            def f'1(x0: (Real, Real)) -> (x1: (Real, Real)) origin derivative {
              x5: Real = proj x0 0
              x2: Bool = gt x5 0.0
              x3: (Real, Real), x4: Int = if x2 {
                give x0, 1
              } else {
                x6: (Real, Real) = lift 0 2.0
                give x6, 3
              }
              give x3
            }"#]],
    );
}

#[test]
fn loops_and_predicates() {
    check(
        "f'1",
        "def f(x0: Real) -> (x1: Real) {
           x2: Real, x3: Int = while (x4: Real = 1.0, x5: Int = 0) {
             x6: Bool = lt x4 x0
             give x6
           } do {
             x7: Real = mul x4 x0
             x8: Int = add x5 1
             give x7, x8
           }
           give x2
         }",
        expect![[r#"
            def f'1(x0: (Real, Real)) -> (x1: (Real, Real)) origin derivative {
              x9: (Real, Real) = lift 0 1.0
              x2: (Real, Real), x3: Int = while (x4: (Real, Real) = x9, x5: Int = 0) {
                x10: Real = proj x0 0
                x11: Real = proj x4 0
                x6: Bool = lt x11 x10
                give x6
              } do {
                x12: Real = proj x4 0
                x13: Real = proj x0 0
                x14: Real = mul x12 x13
                x15: Real = proj x4 1
                x16: Real = proj x0 1
                x17: Real = scale x13 x15
                x18: Real = scale x12 x16
                x19: Real = add x17 x18
                x7: (Real, Real) = tuple (x14, x19)
                x8: Int = add x5 1
                give x7, x8
              }
              give x2
            }"#]],
    );
}

#[test]
fn calls_name_what_is_active() {
    check(
        "f'01",
        "def f(x0: Real, x1: Real) -> (x2: Real) {
           x3: Real = call f(x0, x0)
           x4: Real = call f(x1, x3)
           give x4
         }",
        expect![[r#"
            def f'01(x0: Real, x1: (Real, Real)) -> (x2: (Real, Real)) origin derivative {
              x3: Real = call f(x0, x0)
              x4: (Real, Real) = call f'10(x1, x3)
              give x4
            }"#]],
    );
}

#[test]
fn product_is_a_fold_of_pairs() {
    check(
        "f'1",
        "def f[x3](x0: [x3]Real) -> (x1: Real) { x2: Real = product 0 x0 give x2 }",
        expect![[r#"
            def f'1[x3](x0: [x3](Real, Real)) -> (x1: (Real, Real)) origin derivative {
              x4: [x3]Real = proj x0 0
              x5: [x3]Real = proj x0 1
              x16: Real, x17: Real, x18: Real = fold (x6: Real = 1.0, x7: Real = 1.0, x8: Real = 0.0) (x9: Real = x4, x10: Real = x5) {
                x11: Real = scale x9 x8
                x12: Real = scale x7 x10
                x13: Real = add x11 x12
                x14: Real = scale x7 x9
                x15: Real = mul x6 x9
                give x15, x14, x13
              }
              x2: (Real, Real) = tuple (x16, x18)
              give x2
            }"#]],
    );
}

#[test]
fn maximum_follows_the_first_greatest() {
    check(
        "f'1",
        "def f[x3](x0: [x3]Real) -> (x1: Real) { x2: Real = maximum 0 x0 give x2 }",
        expect![[r#"
            def f'1[x3](x0: [x3](Real, Real)) -> (x1: (Real, Real)) origin derivative {
              x4: [x3]Real = proj x0 0
              x5: [x3]Real = proj x0 1
              x6: Real = maximum 0 x4
              x7: Int = size [x3]
              x8: Bool = gt x7 0
              x11: Real = if x8 {
                x9: Int = argmax x4
                x10: Real = index x5 (x9)
                give x10
              } else {
                give 0.0
              }
              x2: (Real, Real) = tuple (x6, x11)
              give x2
            }"#]],
    );
}

/// A function that captures something active is active; one that does not is lifted on use.
#[test]
fn functions() {
    check(
        "f'1",
        "def f(x0: Real) -> (x1: Real) {
           x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
           x5: (Real) -> Real = lambda (x6: Real) { x7: Real = exp x6 give x7 }
           x8: Real = apply x2 (2.0)
           x9: Real = apply x5 (x8)
           x10: Real = grad 0 x2 (x9)
           x11: Real = stop_gradient x10
           x12: Real = add x11 x10
           give x12
         }",
        expect![[r#"
            def f'1(x0: (Real, Real)) -> (x1: (Real, Real)) origin derivative {
              x2: ((Real, Real)) -> (Real, Real) = lambda (x3: (Real, Real)) {
                x13: Real = proj x3 0
                x14: Real = proj x0 0
                x15: Real = mul x13 x14
                x16: Real = proj x3 1
                x17: Real = proj x0 1
                x18: Real = scale x14 x16
                x19: Real = scale x13 x17
                x20: Real = add x18 x19
                x4: (Real, Real) = tuple (x15, x20)
                give x4
              }
              x5: (Real) -> Real = lambda (x6: Real) {
                x7: Real = exp x6
                give x7
              }
              x21: (Real, Real) = lift 0 2.0
              x8: (Real, Real) = apply x2 (x21)
              x22: ((Real, Real)) -> (Real, Real) = lift 0 x5
              x9: (Real, Real) = apply x22 (x8)
              x10: (Real, Real) = grad 1 x2 (x9)
              x23: Real = proj x10 0
              x11: Real = stop_gradient x23
              x24: Real = proj x10 0
              x25: Real = add x11 x24
              x26: Real = proj x10 1
              x12: (Real, Real) = tuple (x25, x26)
              give x12
            }"#]],
    );
}

#[test]
fn captured_variables_are_constants() {
    let text = "def f(x0: Real) -> (x1: (Real) -> Real) {
        x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
        give x2
    }";
    let program: Program = text.parse().unwrap();
    let def = &program.defs[&Name::new("f")];
    let ir::Op::Function(ir::FunctionOp::Lambda(lambda)) = &def.body.stmts[0].op else {
        panic!("a lambda is expected")
    };
    let captured = [Binder { var: ir::Var(0), ty: ir::Type::Real }];
    let (derivative, next_var, _) =
        forward_lambda(&program, &captured, lambda, def.next_var, &Spans::default());
    assert_eq!(next_var, 9);
    expect![[r#"
        lambda (x3: (Real, Real)) {
          x5: Real = proj x3 0
          x6: Real = mul x5 x0
          x7: Real = proj x3 1
          x8: Real = scale x0 x7
          x4: (Real, Real) = tuple (x6, x8)
          give x4
        }"#]]
    .assert_eq(&derivative.to_string());
}

/// Every operation of the language on active operands, derived twice with every mask of ones and
/// with every single parameter active.
#[test]
fn derivatives_of_everything_verify() {
    for text in [include_str!("../../ir/tests/everything.ir"), include_str!("active.ir")] {
        let program: Program = text.parse().unwrap();
        ir::verify(&program, Dialect::Source).unwrap();
        for def in program.defs.values() {
            let count = def.params.len();
            let all = "1".repeat(count);
            let single = |at: usize| "0".repeat(at) + "1" + &"0".repeat(count - at - 1);
            for mask in (0..count).map(single).chain([all.clone()]) {
                for name in [format!("{}'{mask}", def.name), format!("{}'{mask}'{all}", def.name)] {
                    let def = forward_def(&program, &Name::read(&name)).unwrap();
                    verify_def(&program, Dialect::Source, &def)
                        .unwrap_or_else(|it| panic!("{it}\n{def}"));
                    let signature = program.signature(&def.name).unwrap();
                    assert_eq!((signature.params, signature.results), (def.params, def.results));
                }
            }
        }
    }
}
