//! Programs before and after `flatten`, one for each rule.

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::{Layout, flatten};

fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let found = match flatten(&program, &Name::new("main")) {
        Ok(flat) => {
            let text = flat.program.to_string();
            let verified = ir::verify(&flat.program, Dialect::FirstOrder);
            verified.unwrap_or_else(|it| panic!("{it}\n{text}"));
            assert_eq!(text.parse::<Program>().as_ref(), Ok(&flat.program), "{text}");
            text
        }
        Err(refusal) => format!("refused: {refusal}"),
    };
    expected.assert_eq(&found);
}

/// Tuples are names for their parts. Parameters and results are flattened.
#[test]
fn tuples() {
    check(
        "def main(x0: (Real, (Int, Real))) -> (x1: (Real, Int)) {
            x2: Real = proj x0 0
            x3: (Int, Real) = proj x0 1
            x4: Real = proj x3 1
            x5: Int = proj x3 0
            x6: Real = add x2 x4
            x7: (Real, Int) = tuple (x6, x5)
            give x7 }",
        expect![[r#"
            def main(x8: Real, x9: Int, x10: Real) -> (x11: Real, x12: Int) {
              x6: Real = add x8 x10
              give x6, x9
            }
        "#]],
    );
}

/// An array of tuples is one array for each part; what moves elements moves those of each.
#[test]
fn arrays_of_tuples() {
    check(
        "def main[x0](x1: [x0](Real, [3]Int), x2: [x0]Int) -> (x3: [x0](Real, [3]Int), x4: [3]Int) {
            x5: [x0](Real, [3]Int) = gather x1 (x2)
            x6: [x0](Real, [3]Int) = reverse x5
            x7: (Real, [3]Int) = index x6 (0)
            x8: [3]Int = proj x7 1
            give x6, x8 }",
        expect![[r#"
            def main[x0](x9: [x0]Real, x10: [x0][3]Int, x2: [x0]Int) -> (x11: [x0]Real, x12: [x0][3]Int, x4: [3]Int) {
              x13: [x0]Real = gather x9 (x2)
              x14: [x0][3]Int = gather x10 (x2)
              x15: [x0]Real = reverse x13
              x16: [x0][3]Int = reverse x14
              x17: Real = index x15 (0)
              x18: [3]Int = index x16 (0)
              give x15, x16, x18
            }
        "#]],
    );
}

/// `build` gives several arrays.
#[test]
fn build() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0](Real, Real)) {
            x3: [x0](Real, Real) = build (x4 < x0) {
                x5: Real = index x1 (x4)
                x6: Real = sin x5
                x7: (Real, Real) = tuple (x5, x6)
                give x7
            }
            give x3 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x8: [x0]Real, x9: [x0]Real) {
              x10: [x0]Real, x11: [x0]Real = build (x4 < x0) {
                x5: Real = index x1 (x4)
                x6: Real = sin x5
                give x5, x6
              }
              give x10, x11
            }
        "#]],
    );
}

/// The state of a loop and the results of branches are flattened.
#[test]
fn loops_and_branches() {
    check(
        "def main(x0: Real, x1: Bool) -> (x2: Real) {
            x3: (Real, Int) = tuple (x0, 0)
            x4: (Real, Int) = while (x5: (Real, Int) = x3) {
                x6: Int = proj x5 1
                x7: Bool = lt x6 10
                give x7
            } do {
                x8: (Real, Int) = if x1 {
                    x9: Real = proj x5 0
                    x10: Real = sin x9
                    x11: (Real, Int) = tuple (x10, 11)
                    give x11
                } else {
                    give x5
                }
                give x8
            }
            x12: Real = proj x4 0
            give x12 }",
        expect![[r#"
            def main(x0: Real, x1: Bool) -> (x2: Real) {
              x17: Real, x18: Int = while (x13: Real = x0, x14: Int = 0) {
                x7: Bool = lt x14 10
                give x7
              } do {
                x15: Real, x16: Int = if x1 {
                  x10: Real = sin x13
                  give x10, 11
                } else {
                  give x13, x14
                }
                give x15, x16
              }
              give x17
            }
        "#]],
    );
}

/// A sum type is declared anew for the type arguments with tuples, sizes in them included.
#[test]
fn sum_types() {
    check(
        "data List<a> = Nil() | Cons(a, List<a>)
        def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: (Real, [x0]Real) = tuple (2.0, x1)
            x4: List<(Real, [x0]Real)> = con List<(Real, [x0]Real)> Nil()
            x5: List<(Real, [x0]Real)> = con List<(Real, [x0]Real)> Cons(x3, x4)
            x6: Real = match x5 {
                Nil() { give 0.0 }
                Cons(x7: (Real, [x0]Real), x8: List<(Real, [x0]Real)>) {
                    x9: Real = proj x7 0
                    give x9
                }
            }
            give x6 }",
        expect![[r#"
            data List_1<; x0> = Nil_1() | Cons_1(Real, [x0]Real, List_1<; x0>)

            def main[x0](x1: [x0]Real) -> (x2: Real) {
              x4: List_1<; x0> = con List_1<; x0> Nil_1()
              x5: List_1<; x0> = con List_1<; x0> Cons_1(2.0, x1, x4)
              x6: Real = match x5 {
                Nil_1() {
                  give 0.0
                }
                Cons_1(x10: Real, x11: [x0]Real, x8: List_1<; x0>) {
                  give x10
                }
              }
              give x6
            }
        "#]],
    );
}

/// Positions are filtered instead of tuples.
#[test]
fn filter() {
    check(
        "def main[x0](x1: [x0](Real, Int)) -> (x2: Int, x3: [x2](Real, Int)) {
            x4: Int, x5: [x4](Real, Int) = filter x1 lambda (x6: (Real, Int)) {
                x7: Real = proj x6 0
                x8: Bool = gt x7 0.0
                give x8
            }
            give x4, x5 }",
        expect![[r#"
            def main[x0](x9: [x0]Real, x10: [x0]Int) -> (x2: Int, x11: [x2]Real, x12: [x2]Int) {
              x13: [x0]Int = iota [x0]
              x4: Int, x17: [x4]Int = filter x13 lambda (x14: Int) {
                x15: Real = index x9 (x14)
                x16: Int = index x10 (x14)
                x8: Bool = gt x15 0.0
                give x8
              }
              x18: [x4]Real = gather x9 (x17)
              x19: [x4]Int = gather x10 (x17)
              give x4, x18, x19
            }
        "#]],
    );
}

/// Tuples are equal if all parts are.
#[test]
fn equality() {
    check(
        "def main(x0: (Real, Int, Bool), x1: (Real, Int, Bool)) -> (x2: Bool) {
            x3: Bool = equal x0 x1
            give x3 }",
        expect![[r#"
            def main(x4: Real, x5: Int, x6: Bool, x7: Real, x8: Int, x9: Bool) -> (x2: Bool) {
              x10: Bool = equal x6 x9
              x11: Bool = equal x5 x8
              x12: Bool = and x10 x11
              x13: Bool = equal x4 x7
              x3: Bool = and x12 x13
              give x3
            }
        "#]],
    );
}

/// A sum type that needs another one of itself with every step has no end.
#[test]
fn endless_sum_types_are_refused() {
    check(
        "data Nest<a> = Leaf() | Node(a, Nest<(a, a)>)
        def main(x0: Nest<Real>) -> (x1: Nest<Real>) { give x0 }",
        expect!["refused: types or functions nest too deep"],
    );
}

/// What a caller has to know.
#[test]
fn layouts() {
    let text = "data Shape = Circle((Real, Real), Real) | Nothing()
        def main[x0](x1: Shape, x2: [x0](Real, [2](Int, Bool))) -> (x3: Real) { give 1.0 }";
    let program: Program = text.parse().expect("a program");
    let flat = flatten(&program, &Name::new("main")).expect("it can be flattened");
    let tuple = |rank, parts: &[Layout]| Layout::Tuple { rank, parts: parts.to_vec() };
    let pairs = tuple(2, &[Layout::Leaf, Layout::Leaf]);
    assert_eq!(flat.params, [Layout::Leaf, tuple(1, &[Layout::Leaf, pairs])]);
    assert_eq!(flat.params[1].width(), 3);
    assert_eq!(flat.results, [Layout::Leaf]);
    let fields = vec![tuple(0, &[Layout::Leaf, Layout::Leaf]), Layout::Leaf];
    assert_eq!(flat.constructors[&Name::new("Circle_1")], (Name::new("Circle"), fields));
}

/// Arguments and results of a derivative operator are flattened; what is captured, too.
#[test]
fn derivatives() {
    check(
        "def f(x0: (Real, Int), x1: (Real, [2]Real)) -> (x2: Real) {
            x3: Real = proj x0 0
            x4: Real = proj x1 0
            x5: Real = mul x3 x4
            give x5 }
        def main(x0: (Real, Int), x1: (Real, [2]Real)) -> (x2: Real, x3: (Real, [2]Real)) {
            x4: Real, x5: (Real, [2]Real) = derivative value_and_grad f (x0) (x1)
            x6: (Real, [2]Real) = derivative hvp f (x0) (x1, x5)
            give x4, x6 }",
        expect![[r#"
            def f(x6: Real, x7: Int, x8: Real, x9: [2]Real) -> (x2: Real) {
              x5: Real = mul x6 x8
              give x5
            }

            def main(x7: Real, x8: Int, x9: Real, x10: [2]Real) -> (x2: Real, x11: Real, x12: [2]Real) {
              x4: Real, x13: Real, x14: [2]Real = derivative value_and_grad f (x7, x8) (x9, x10)
              x15: Real, x16: [2]Real = derivative hvp f (x7, x8) (x9, x10, x13, x14)
              give x4, x15, x16
            }
        "#]],
    );
}

/// The leaves of a Jacobian stand in the order of the leaves of the result, then of the parameter;
/// what has no reals is there once.
#[test]
fn jacobians() {
    check(
        "def f(x0: Real, x1: (Real, [2]Real)) -> (x2: (Int, [3](Real, Real))) {
            x3: Real = proj x1 0
            x4: (Real, Real) = tuple (x0, x3)
            x5: [3](Real, Real) = replicate [3] x4
            x6: (Int, [3](Real, Real)) = tuple (1, x5)
            give x6 }
        def main(x0: Real, x1: (Real, [2]Real)) -> (x2: (Int, [3](Real, Real)), x3: (Int, [3]((Real, [2]Real), (Real, [2]Real)))) {
            x4: (Int, [3](Real, Real)), x5: (Int, [3]((Real, [2]Real), (Real, [2]Real))) = derivative jacobian f () (x0, x1)
            give x4, x5 }",
        expect![[r#"
            def f(x0: Real, x7: Real, x8: [2]Real) -> (x9: Int, x10: [3]Real, x11: [3]Real) {
              x12: [3]Real = replicate [3] x0
              x13: [3]Real = replicate [3] x7
              give 1, x12, x13
            }

            def main(x0: Real, x6: Real, x7: [2]Real) -> (x8: Int, x9: [3]Real, x10: [3]Real, x11: Int, x12: [3]Real, x13: [3][2]Real, x14: [3]Real, x15: [3][2]Real) {
              x16: Int, x17: Int, x18: Int, x19: [3]Real, x20: [3]Real, x21: [3][2]Real, x22: [3]Real, x23: [3]Real, x24: [3][2]Real = derivative jacobian f () (x0, x6, x7)
              give x16, x19, x22, x17, x20, x21, x23, x24
            }
        "#]],
    );
}

/// A row of a Hessian for each parameter.
#[test]
fn hessians() {
    check(
        "def f(x0: Int, x1: (Real, [2]Real)) -> (x2: Real) {
            x3: Real = proj x1 0
            give x3 }
        def main(x0: (Real, [2]Real)) -> (x1: Int, x2: ((Real, [2]Real), [2](Real, [2]Real))) {
            x3: Int, x4: Int, x5: (Int, [2]Int), x6: ((Real, [2]Real), [2](Real, [2]Real)) = derivative hessian f () (1, x0)
            give x4, x6 }",
        expect![[r#"
            def f(x0: Int, x4: Real, x5: [2]Real) -> (x2: Real) {
              give x4
            }

            def main(x7: Real, x8: [2]Real) -> (x1: Int, x9: Real, x10: [2]Real, x11: [2]Real, x12: [2][2]Real) {
              x13: Int, x14: Int, x15: Int, x16: Int, x17: Real, x18: [2]Real, x19: [2]Int, x20: [2]Real, x21: [2][2]Real = derivative hessian f () (1, x7, x8)
              give x14, x17, x18, x20, x21
            }
        "#]],
    );
}
