//! Programs before and after `merge`, one for each rule.

use base::{FileId, Name, Span};
use expect_test::{Expect, expect};
use ir::{Dialect, Program, Var};
use opt::merge;

fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let made = merge(&program, &Name::new("main"));
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    expected.assert_eq(&made.to_string());
}

/// Whoever differentiates the same definition does so by one function, also through others.
#[test]
fn one_of_several_stays() {
    check(
        "def energy[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Real = sum 0 x1
            give x3 }
        def inner_a[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Real = call energy[x0](x1)
            give x3 }
        def inner_b[x4](x7: [x4]Real) -> (x2: Real) {
            x9: Real = call energy[x4](x7)
            give x9 }
        def outer_a[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Real = call inner_a[x0](x1)
            x4: Real = mul x3 2.0
            give x4 }
        def outer_b[x0](x1: [x0]Real) -> (x2: Real) {
            x5: Real = call inner_b[x0](x1)
            x6: Real = mul x5 2.0
            give x6 }
        def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Real = call outer_a[x0](x1)
            x4: Real = call outer_b[x0](x1)
            x5: Real = add x3 x4
            give x5 }",
        expect![[r#"
            def energy[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = sum 0 x1
              give x3
            }

            def inner_a[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = call energy[x0](x1)
              give x3
            }

            def main[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = call outer_a[x0](x1)
              x4: Real = call outer_a[x0](x1)
              x5: Real = add x3 x4
              give x5
            }

            def outer_a[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Real = call inner_a[x0](x1)
              x4: Real = mul x3 2.0
              give x4
            }
        "#]],
    );
}

/// Another number, another order of parameters, another type: another definition.
#[test]
fn what_is_different_stays() {
    check(
        "def a(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = sub x0 x1
            give x3 }
        def b(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = sub x1 x0
            give x3 }
        def c(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = sub x0 2.0
            give x3 }
        def d(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = sub x0 -2.0
            give x3 }
        def main(x0: Real) -> (x1: Real) {
            x2: Real = call a(x0, x0)
            x3: Real = call b(x2, x0)
            x4: Real = call c(x3, x0)
            x5: Real = call d(x4, x0)
            give x5 }",
        expect![[r#"
            def a(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = sub x0 x1
              give x3
            }

            def b(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = sub x1 x0
              give x3
            }

            def c(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = sub x0 2.0
              give x3
            }

            def d(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = sub x0 -2.0
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x2: Real = call a(x0, x0)
              x3: Real = call b(x2, x0)
              x4: Real = call c(x3, x0)
              x5: Real = call d(x4, x0)
              give x5
            }
        "#]],
    );
}

/// A definition that calls itself is the same as another that calls itself.
#[test]
fn recursion_has_no_name() {
    check(
        "def a(x0: Real) -> (x1: Real) {
            x2: Bool = lt x0 1.0
            x3: Real = if x2 { give x0 } else {
                x4: Real = mul x0 0.5
                x5: Real = call a(x4)
                give x5 }
            give x3 }
        def b(x0: Real) -> (x1: Real) {
            x2: Bool = lt x0 1.0
            x3: Real = if x2 { give x0 } else {
                x4: Real = mul x0 0.5
                x5: Real = call b(x4)
                give x5 }
            give x3 }
        def main(x0: Real) -> (x1: Real) {
            x2: Real = call a(x0)
            x3: Real = call b(x2)
            give x3 }",
        expect![[r#"
            def a(x0: Real) -> (x1: Real) {
              x2: Bool = lt x0 1.0
              x3: Real = if x2 {
                give x0
              } else {
                x4: Real = mul x0 0.5
                x5: Real = call a(x4)
                give x5
              }
              give x3
            }

            def main(x0: Real) -> (x1: Real) {
              x2: Real = call a(x0)
              x3: Real = call a(x2)
              give x3
            }
        "#]],
    );
}

/// A failure is reported where it is written.
#[test]
fn what_stands_elsewhere_stays() {
    let text = "def a(x0: [3]Real, x1: Int) -> (x2: Real) {
            x3: Real = index x0 (x1)
            give x3 }
        def b(x0: [3]Real, x1: Int) -> (x2: Real) {
            x3: Real = index x0 (x1)
            give x3 }
        def main(x0: [3]Real, x1: Int) -> (x2: Real) {
            x3: Real = call a(x0, x1)
            x4: Real = call b(x0, x1)
            x5: Real = add x3 x4
            give x5 }";
    let mut program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(merge(&program, &Name::new("main")).defs.len(), 2);
    for (name, start) in [("a", 10), ("b", 20)] {
        let def = program.defs.get_mut(&Name::new(name)).map(std::sync::Arc::make_mut);
        let span = Span::new(FileId::default(), start, start + 1);
        def.into_iter().for_each(|it| _ = it.spans.0.insert(Var(3), span));
    }
    assert_eq!(merge(&program, &Name::new("main")).defs.len(), 3);
}

/// The run of a definition that is linearised has a type by its name.
#[test]
fn what_is_linearised_stays() {
    let text = "data \"a.run\" = \"a.run\"()
        data \"b.run\" = \"b.run\"()
        def a(x0: Real) -> (x1: Real) {
            x2: Real = sin x0
            give x2 }
        def b(x0: Real) -> (x1: Real) {
            x2: Real = sin x0
            give x2 }
        def main(x0: Real) -> (x1: Real) {
            x2: Real, x3: \"a.run\" = derivative linearise a () (x0)
            x4: Real, x5: \"b.run\" = derivative linearise b () (x0)
            x6: Real = add x2 x4
            give x6 }";
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    let made = merge(&program, &Name::new("main"));
    ir::verify(&made, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{made}"));
    assert_eq!(made.defs.len(), 3);
}
