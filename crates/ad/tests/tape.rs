//! D[-] of reverse mode as text, construct by construct, and that every result verifies, also of
//! forward derivatives.
//!
//! What the derivatives compute is tested where there is an interpreter, in crate `cotan`.

#[path = "tape/arrays.rs"]
mod arrays;

use ad::{forward_def, tape_def, tape_lambda};
use base::Name;
use expect_test::{Expect, expect};
use ir::signature::taped_of;
use ir::{Binder, Dialect, Lambda, Program, Spans, Type, Var, verify_def};

fn check(name: &str, text: &str, expected: Expect) {
    let program: Program = text.parse().expect("the text of the test is a program");
    ir::verify(&program, Dialect::Source).expect("the program of the test verifies");
    let name = Name::read(name);
    let (base, mask) = taped_of(&name).expect("a name of reverse mode");
    let def = forward_def(&program, base).expect("it is there, or can be derived");
    let def = tape_def(&program, &def, mask);
    assert_eq!(def.name, name);
    verify_def(&program, Dialect::Delta, &def).expect("the derivative verifies");
    expected.assert_eq(&def.to_string());
}

/// The factor of an operand is the other operand.
#[test]
fn product_rule() {
    check(
        "f~11",
        "def f(x0: Real, x1: Real) -> (x2: Real) { x3: Real = mul x0 x1 give x3 }",
        expect![[r#"
            def f~11(x0: (Real, Delta), x1: (Real, Delta)) -> (x2: (Real, Delta)) origin derivative {
              x4: Real = proj x0 0
              x5: Real = proj x1 0
              x6: Real = mul x4 x5
              x7: Delta = proj x0 1
              x8: Delta = proj x1 1
              x9: Delta = combine (x5 x7, x4 x8)
              x3: (Real, Delta) = tuple (x6, x9)
              give x3
            }"#]],
    );
}

/// Nothing is recorded for an operand that is constant, nor for an operation on constants.
#[test]
fn constants_have_no_delta() {
    check(
        "f~10",
        "def f(x0: Real, x1: Real) -> (x2: Real) {
           x3: Real = exp x1
           x4: Real = mul x0 x3
           x5: Real = floor x4
           x6: Real = sub x5 x4
           give x6
         }",
        expect![[r#"
            def f~10(x0: (Real, Delta), x1: Real) -> (x2: (Real, Delta)) origin derivative {
              x3: Real = exp x1
              x7: Real = proj x0 0
              x8: Real = mul x7 x3
              x9: Delta = proj x0 1
              x10: Delta = combine (x3 x9)
              x4: (Real, Delta) = tuple (x8, x10)
              x11: Real = proj x4 0
              x5: Real = floor x11
              x12: Real = proj x4 0
              x13: Real = sub x5 x12
              x14: Delta = proj x4 1
              x15: Delta = combine (-1.0 x14)
              x6: (Real, Delta) = tuple (x13, x15)
              give x6
            }"#]],
    );
}

/// A partial derivative is computed where it is needed, from primal parts.
#[test]
fn partial_derivatives_come_from_the_table() {
    check(
        "f~11",
        "def f(x0: Real, x1: Real) -> (x2: Real) {
           x3: Real = sin x0
           x4: Real = div x3 x1
           give x4
         }",
        expect![[r#"
            def f~11(x0: (Real, Delta), x1: (Real, Delta)) -> (x2: (Real, Delta)) origin derivative {
              x5: Real = proj x0 0
              x6: Real = sin x5
              x7: Real = cos x5
              x8: Delta = proj x0 1
              x9: Delta = combine (x7 x8)
              x3: (Real, Delta) = tuple (x6, x9)
              x10: Real = proj x3 0
              x11: Real = proj x1 0
              x12: Real = div x10 x11
              x13: Real = div 1.0 x11
              x14: Real = div x12 x11
              x15: Real = neg x14
              x16: Delta = proj x3 1
              x17: Delta = proj x1 1
              x18: Delta = combine (x13 x16, x15 x17)
              x4: (Real, Delta) = tuple (x12, x18)
              give x4
            }"#]],
    );
}

/// The branch that is constant gets zero Deltas; the condition sees primal parts.
#[test]
fn branches_join() {
    check(
        "f~1",
        "def f(x0: Real) -> (x1: Real) {
           x2: Bool = gt x0 0.0
           x3: Real, x4: Int = if x2 { give x0, 1 } else { give 2.0, 3 }
           give x3
         }",
        expect![[r#"
            def f~1(x0: (Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x5: Real = proj x0 0
              x2: Bool = gt x5 0.0
              x3: (Real, Delta), x4: Int = if x2 {
                give x0, 1
              } else {
                x6: (Real, Delta) = zeros 2.0
                give x6, 3
              }
              give x3
            }"#]],
    );
}

/// User data keeps its constructors; what is inside has Deltas.
#[test]
fn data_and_match() {
    check(
        "f~01",
        "data List<a> = Nil() | Cons(a, List<a>)
         def f(x0: List<Real>, x1: Real) -> (x2: List<Real>, x3: Real) {
           x4: List<Real> = con List<Real> Cons(x1, x0)
           x5: Real = match x4 {
             Nil() { give 0.0 }
             Cons(x6: Real, x7: List<Real>) { x8: Real = mul x6 x6 give x8 }
           }
           give x4, x5
         }",
        expect![[r#"
            def f~01(x0: List<Real>, x1: (Real, Delta)) -> (x2: R<List<Real>>, x3: (Real, Delta)) origin derivative {
              x9: R<List<Real>> = zeros x0
              x4: R<List<Real>> = con R<List<Real>> Cons(x1, x9)
              x5: (Real, Delta) = match x4 {
                Nil() {
                  x16: (Real, Delta) = zeros 0.0
                  give x16
                }
                Cons(x6: (Real, Delta), x7: R<List<Real>>) {
                  x10: Real = proj x6 0
                  x11: Real = proj x6 0
                  x12: Real = mul x10 x11
                  x13: Delta = proj x6 1
                  x14: Delta = proj x6 1
                  x15: Delta = combine (x11 x13, x10 x14)
                  x8: (Real, Delta) = tuple (x12, x15)
                  give x8
                }
              }
              give x4, x5
            }"#]],
    );
}

/// Integers, booleans and strings go along untouched.
#[test]
fn products() {
    check(
        "f~1",
        r#"def f(x0: (Real, Int)) -> (x1: (Real, Int, String)) {
           x2: Real = proj x0 0
           x3: Int = proj x0 1
           x4: Int = add x3 1
           x5: (Real, Int, String) = tuple (x2, x4, "s")
           give x5
         }"#,
        expect![[r#"
            def f~1(x0: ((Real, Delta), Int)) -> (x1: ((Real, Delta), Int, String)) origin derivative {
              x2: (Real, Delta) = proj x0 0
              x3: Int = proj x0 1
              x4: Int = add x3 1
              x5: ((Real, Delta), Int, String) = tuple (x2, x4, "s")
              give x5
            }"#]],
    );
}

/// A function that captures something active is active; one that does not is lifted on use.
#[test]
fn functions_and_closures() {
    check(
        "f~1",
        "def f(x0: Real) -> (x1: Real) {
           x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
           x5: (Real) -> Real = lambda (x6: Real) { x7: Real = exp x6 give x7 }
           x8: Real = apply x2 (2.0)
           x9: Real = apply x5 (x8)
           give x9
         }",
        expect![[r#"
            def f~1(x0: (Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x2: ((Real, Delta)) -> (Real, Delta) = lambda (x3: (Real, Delta)) {
                x10: Real = proj x3 0
                x11: Real = proj x0 0
                x12: Real = mul x10 x11
                x13: Delta = proj x3 1
                x14: Delta = proj x0 1
                x15: Delta = combine (x11 x13, x10 x14)
                x4: (Real, Delta) = tuple (x12, x15)
                give x4
              }
              x5: (Real) -> Real = lambda (x6: Real) {
                x7: Real = exp x6
                give x7
              }
              x16: (Real, Delta) = zeros 2.0
              x8: (Real, Delta) = apply x2 (x16)
              x17: ((Real, Delta)) -> (Real, Delta) = zeros x5
              x9: (Real, Delta) = apply x17 (x8)
              give x9
            }"#]],
    );
}

/// Calls name what is active, and nothing of what they call is repeated here.
#[test]
fn calls_name_what_is_active() {
    check(
        "f~01",
        "def f(x0: Real, x1: Real) -> (x2: Real) {
           x3: Real = call f(x0, x0)
           x4: Real = call f(x1, x3)
           give x4
         }",
        expect![[r#"
            def f~01(x0: Real, x1: (Real, Delta)) -> (x2: (Real, Delta)) origin derivative {
              x3: Real = call f(x0, x0)
              x4: (Real, Delta) = call f~10(x1, x3)
              give x4
            }"#]],
    );
}

/// The state of a loop has Deltas as soon as anything in the loop is active.
#[test]
fn loops() {
    check(
        "f~1",
        "def f(x0: Real) -> (x1: Real) {
           x2: Real, x3: Int = while (x4: Real = 1.0, x5: Int = 0) {
             x6: Bool = lt x4 x0
             give x6
           } do {
             x7: Real = mul x4 x0
             x8: Int = add x5 1
             give x7, x8
           }
           x9: Real = iterate x10 < x3 (x11: Real = x2) { x12: Real = neg x11 give x12 }
           give x9
         }",
        expect![[r#"
            def f~1(x0: (Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x13: (Real, Delta) = zeros 1.0
              x2: (Real, Delta), x3: Int = while (x4: (Real, Delta) = x13, x5: Int = 0) {
                x14: Real = proj x0 0
                x15: Real = proj x4 0
                x6: Bool = lt x15 x14
                give x6
              } do {
                x16: Real = proj x4 0
                x17: Real = proj x0 0
                x18: Real = mul x16 x17
                x19: Delta = proj x4 1
                x20: Delta = proj x0 1
                x21: Delta = combine (x17 x19, x16 x20)
                x7: (Real, Delta) = tuple (x18, x21)
                x8: Int = add x5 1
                give x7, x8
              }
              x9: (Real, Delta) = iterate x10 < x3 (x11: (Real, Delta) = x2) {
                x22: Real = proj x11 0
                x23: Real = neg x22
                x24: Delta = proj x11 1
                x25: Delta = combine (-1.0 x24)
                x12: (Real, Delta) = tuple (x23, x25)
                give x12
              }
              give x9
            }"#]],
    );
}

#[test]
fn stop_gradient_strips() {
    check(
        "f~1",
        "def f(x0: Real) -> (x1: Real) {
           x2: Real = stop_gradient x0
           x3: Real = mul x2 x0
           give x3
         }",
        expect![[r#"
            def f~1(x0: (Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x4: Real = proj x0 0
              x2: Real = stop_gradient x4
              x5: Real = proj x0 0
              x6: Real = mul x2 x5
              x7: Delta = proj x0 1
              x8: Delta = combine (x2 x7)
              x3: (Real, Delta) = tuple (x6, x8)
              give x3
            }"#]],
    );
}

/// A derivative operator inside stays one, at its level: whoever runs it records it.
#[test]
fn derivative_operators_stay() {
    check(
        "f~1",
        "def f(x0: Real) -> (x1: Real) {
           x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
           x5: Real = grad 0 x2 (2.0)
           give x5
         }",
        expect![[r#"
            def f~1(x0: (Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x2: ((Real, Delta)) -> (Real, Delta) = lambda (x3: (Real, Delta)) {
                x6: Real = proj x3 0
                x7: Real = proj x0 0
                x8: Real = mul x6 x7
                x9: Delta = proj x3 1
                x10: Delta = proj x0 1
                x11: Delta = combine (x7 x9, x6 x10)
                x4: (Real, Delta) = tuple (x8, x11)
                give x4
              }
              x12: (Real, Delta) = zeros 2.0
              x5: (Real, Delta) = grad 0 x2 (x12)
              give x5
            }"#]],
    );
}

/// The reverse derivative of a forward derivative: every part of a pair has its own Delta.
#[test]
fn reverse_of_forward() {
    check(
        "f'1~1",
        "def f(x0: Real) -> (x1: Real) { x2: Real = mul x0 x0 give x2 }",
        expect![[r#"
            def f'1~1(x0: ((Real, Delta), (Real, Delta))) -> (x1: ((Real, Delta), (Real, Delta))) origin derivative {
              x3: (Real, Delta) = proj x0 0
              x4: (Real, Delta) = proj x0 0
              x11: Real = proj x3 0
              x12: Real = proj x4 0
              x13: Real = mul x11 x12
              x14: Delta = proj x3 1
              x15: Delta = proj x4 1
              x16: Delta = combine (x12 x14, x11 x15)
              x5: (Real, Delta) = tuple (x13, x16)
              x6: (Real, Delta) = proj x0 1
              x7: (Real, Delta) = proj x0 1
              x17: Real = proj x4 0
              x18: Real = proj x6 0
              x19: Real = scale x17 x18
              x20: Delta = proj x4 1
              x21: Delta = proj x6 1
              x22: Delta = combine (x18 x20, x17 x21)
              x8: (Real, Delta) = tuple (x19, x22)
              x23: Real = proj x3 0
              x24: Real = proj x7 0
              x25: Real = scale x23 x24
              x26: Delta = proj x3 1
              x27: Delta = proj x7 1
              x28: Delta = combine (x24 x26, x23 x27)
              x9: (Real, Delta) = tuple (x25, x28)
              x29: Real = proj x8 0
              x30: Real = proj x9 0
              x31: Real = add x29 x30
              x32: Delta = proj x8 1
              x33: Delta = proj x9 1
              x34: Delta = combine (1.0 x32, 1.0 x33)
              x10: (Real, Delta) = tuple (x31, x34)
              x2: ((Real, Delta), (Real, Delta)) = tuple (x5, x10)
              give x2
            }"#]],
    );
}

const CLOSURE: &str = "def f(x0: Real) -> (x1: (Real) -> Real) {
    x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
    give x2
}";

/// D[-] of the function inside of `CLOSURE`, and the first variable number that it leaves.
fn closure(captured_is_active: bool) -> (Lambda, u32) {
    let program: Program = CLOSURE.parse().expect("a program");
    let def = &program.defs[&Name::new("f")];
    let ir::Op::Function(ir::FunctionOp::Lambda(lambda)) = &def.body.stmts[0].op else {
        panic!("a lambda is expected")
    };
    let captured = [Binder { var: Var(0), ty: Type::Real }];
    let mask = [captured_is_active];
    let spans = Spans::default();
    let (lambda, next_var, _) =
        tape_lambda(&program, (&captured, &mask), lambda, def.next_var, &spans);
    (lambda, next_var)
}

/// What a function captured is constant or not, as the mask says.
#[test]
fn captured_variables() {
    let (lambda, next_var) = closure(false);
    assert_eq!(next_var, 9);
    expect![[r#"
        lambda (x3: (Real, Delta)) {
          x5: Real = proj x3 0
          x6: Real = mul x5 x0
          x7: Delta = proj x3 1
          x8: Delta = combine (x0 x7)
          x4: (Real, Delta) = tuple (x6, x8)
          give x4
        }"#]]
    .assert_eq(&lambda.to_string());
    let (lambda, next_var) = closure(true);
    assert_eq!(next_var, 11);
    expect![[r#"
        lambda (x3: (Real, Delta)) {
          x5: Real = proj x3 0
          x6: Real = proj x0 0
          x7: Real = mul x5 x6
          x8: Delta = proj x3 1
          x9: Delta = proj x0 1
          x10: Delta = combine (x6 x8, x5 x9)
          x4: (Real, Delta) = tuple (x7, x10)
          give x4
        }"#]]
    .assert_eq(&lambda.to_string());
}

/// Every operation of the language on active operands, and on those of forward derivatives, with
/// all parameters active and with every single one.
#[test]
fn derivatives_of_everything_verify() {
    for text in [include_str!("../../ir/tests/everything.ir"), include_str!("active.ir")] {
        let program: Program = text.parse().unwrap();
        ir::verify(&program, Dialect::Source).unwrap();
        for def in program.defs.values() {
            let count = def.params.len();
            let single = |at: usize| (0..count).map(|it| it == at).collect::<Vec<bool>>();
            let masks: Vec<Vec<bool>> = (0..count).map(single).chain([vec![true; count]]).collect();
            let ones = "1".repeat(count);
            let forward = masks.iter().flat_map(|mask| {
                let digits: String = mask.iter().map(|it| if *it { '1' } else { '0' }).collect();
                [format!("'{digits}"), format!("'{digits}'{ones}")]
            });
            for derivative in [String::new()].into_iter().chain(forward) {
                let base = Name::read(&format!("{}{derivative}", def.name));
                let base = forward_def(&program, &base).unwrap();
                masks.iter().for_each(|mask| taped_verifies(&program, &base, mask));
            }
        }
    }
}

fn taped_verifies(program: &Program, base: &ir::Def, mask: &[bool]) {
    let def = tape_def(program, base, mask);
    verify_def(program, Dialect::Delta, &def).unwrap_or_else(|it| panic!("{it}\n{def}"));
    let signature = program.signature(&def.name).expect("a signature");
    assert_eq!((signature.params, signature.results), (def.params.clone(), def.results.clone()));
    // What is printed can be read back.
    let text = def.to_string();
    assert!(text.parse::<Program>().is_ok_and(|it| it.defs.len() == 1), "{text}");
}
