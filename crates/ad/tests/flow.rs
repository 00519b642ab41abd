//! Where gradients go and end, on small programs: for every definition the parameters that flow,
//! then what ends.

use ad::flow::{Flow, Stop};
use expect_test::{Expect, expect};
use ir::{Dialect, Program};

fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().expect("the text of the test is a program");
    ir::verify(&program, Dialect::Source).expect("the program of the test verifies");
    let flow = Flow::new(&program);
    let mut res = String::new();
    for name in program.defs.keys() {
        let summary = flow.summary(name).expect("of every definition");
        res += &format!("{name} {:?}", summary.flows);
        for end in &summary.ends {
            let what = match &end.what {
                Stop::Asked => "stop_gradient".to_string(),
                Stop::Prim(prim) => prim.name().to_string(),
                Stop::Comparison => "comparison".to_string(),
                Stop::Position => "position".to_string(),
                Stop::Call(def, at) => format!("call {def} {at}"),
            };
            res += &format!(", {what} {:?}", end.of);
        }
        res += "\n";
    }
    expected.assert_eq(&res);
}

#[test]
fn operations() {
    check(
        "def f(x0: Real, x1: Real, x2: Real, x3: Int, x4: Real) -> (x5: Real) {
           x6: Real = floor x0
           x7: Real = stop_gradient x1
           x8: Bool = lt x2 0.0
           x9: Real = select x8 x6 x7
           x10: Real = real x3
           x11: Real = add x9 x10
           x12: Real = mul x11 x4
           give x12
         }
         def rem(x0: Real, x1: Real) -> (x2: Real) { x3: Real = rem x0 x1 give x3 }
         def whole[x9](x0: [x9]Real, x1: [x9]Real, x2: [x9]Real) -> (x3: Real) {
           x4: Int = argmax x0
           x5: Real = index x1 (x4)
           x6: Bool = equal x1 x2
           give x5
         }",
        expect![[r#"
            f {4}, floor {0}, stop_gradient {1}, lt {2}
            rem {0, 1}
            whole {1}, position {0}, comparison {1, 2}
        "#]],
    );
}

/// The state of a loop depends on what its other parts did in earlier steps.
#[test]
fn loops_and_branches() {
    check(
        "def f(x0: Real, x1: Real, x2: Real) -> (x3: Real) {
           x4: Real, x5: Real, x6: Real = iterate x10 < 3 (x7: Real = 0.0, x8: Real = 0.0, x9: Real = x0) {
             give x8, x9, x1
           }
           give x4
         }
         def g(x0: Real, x1: Real, x2: Real) -> (x3: Real) {
           x4: Bool = gt x2 0.0
           x5: Real = if x4 { give x0 } else { give 1.0 }
           x6: Real = if x4 { x7: Real = sign x1 give x7 } else { give 1.0 }
           x8: Real = add x5 x6
           give x8
         }",
        expect![[r#"
            f {0, 1}
            g {0}, gt {2}, sign {1}
        "#]],
    );
}

/// Summaries of what is called, also around a recursion; functions pass on everything.
#[test]
fn calls() {
    check(
        "def even(x0: Int, x1: Real, x2: Real, x3: Real) -> (x4: Real) {
           x5: Real = call odd(x0, x2, x1, x3)
           give x5
         }
         def odd(x0: Int, x1: Real, x2: Real, x3: Real) -> (x4: Real) {
           x5: Bool = eq x0 0
           x6: Real = if x5 { give x1 } else { x7: Real = call even(x0, x1, x2, x3) give x7 }
           give x6
         }
         def apply(x0: (Real) -> Real, x1: Real) -> (x2: Real) { x3: Real = apply x0 (x1) give x3 }
         def captured(x0: Real, x1: Real, x2: Real) -> (x3: Real) {
           x4: (Real) -> Real = lambda (x5: Real) { x6: Real = add x5 x1 x7: Real = floor x2 give x6 }
           x8: Real = call apply(x4, 1.0)
           give x8
         }
         def custom(x0: Real) -> (x1: Real) { x2: Real = floor x0 give x2 }
         def \"custom.vjp\"(x0: Real, x1: Real) -> (x2: Real) { give x1 }
         custom custom vjp \"custom.vjp\"",
        expect![[r#"
            apply {0, 1}
            captured {1}, floor {2}
            custom {0}
            custom.vjp {1}
            even {1, 2}, call odd 3 {3}
            odd {1, 2}, call even 3 {3}
        "#]],
    );
}

#[test]
fn types_that_carry_gradients() {
    let program: Program = "data List<a> = Nil() | Cons(a, List<a>)
        data Tree = Leaf(Int) | Fork(Tree, Tree)
        data Mixed = Mixed(Int, List<Real>)
        def f<a>(x0: List<Int>, x1: List<Real>, x2: Tree, x3: Mixed, x4: List<a>, x5: [3](Int, Bool))
          -> () { give }"
        .parse()
        .expect("a program");
    let flow = Flow::new(&program);
    let params = &program.defs[&base::Name::new("f")].params;
    let both = params.iter().map(|it| (flow.carries(&it.ty), flow.has_reals(&it.ty)));
    let expected =
        [(false, false), (true, true), (false, false), (true, true), (true, false), (false, false)];
    assert_eq!(both.collect::<Vec<_>>(), expected);
}
