//! What nobody needs.

use expect_test::expect;

use crate::check;

/// Statements that cannot fail go; those that can stay.
#[test]
fn statements() {
    check(
        &[],
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: Real) {
            x4: Real = sum 0 x1
            x5: [x0]Int = iota [x0]
            x6: [x0]Real = gather x1 (x5)
            x7: Int = div 1 x2
            x8: Real = index x1 (x2)
            x9: Int = div 1 2
            x10: [x0]Real = sort x6
            give x4 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: Int) -> (x3: Real) next 11 {
              x4: Real = sum 0 x1
              x7: Int = div 1 x2
              x8: Real = index x1 (x2)
              give x4
            }
        "#]],
    );
}

/// Results of branches one by one, and what only they need.
#[test]
fn results_of_branches() {
    check(
        &[],
        "def main(x0: Bool, x1: Real) -> (x2: Real) {
            x3: Real, x4: Real = if x0 {
                x5: Real = sin x1
                x6: Real = cos x1
                give x5, x6
            } else {
                x7: Real = exp x1
                give x7, x1
            }
            give x3 }",
        expect![[r#"
            def main(x0: Bool, x1: Real) -> (x2: Real) {
              x3: Real = if x0 {
                x5: Real = sin x1
                give x5
              } else {
                x7: Real = exp x1
                give x7
              }
              give x3
            }
        "#]],
    );
}

/// States that only feed themselves, arrays that are collected for nobody, arrays gone through for nothing.
#[test]
fn states_of_loops() {
    check(
        &[],
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real, x4: [x0]Real) {
            x5: Real, x6: Real, x7: [x0]Real, x8: [x0]Real = fold (x9: Real = 0.0, x10: Real = 1.0) (x11: Real = x1, x12: Real = x2) {
                x13: Real = add x9 x12
                x14: Real = mul x10 x11
                x15: Real = sin x13
                x16: Real = cos x14
                give x13, x14, x15, x16
            }
            give x5, x7 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: Real, x4: [x0]Real) next 17 {
              x5: Real, x7: [x0]Real = fold (x9: Real = 0.0) (x12: Real = x2) {
                x13: Real = add x9 x12
                x15: Real = sin x13
                give x13, x15
              }
              give x5, x7
            }
        "#]],
    );
}

/// A `while` may run for ever: it stays, with the state that its condition needs.
#[test]
fn while_stays() {
    check(
        &[],
        "def main(x0: Real) -> (x1: Real) {
            x2: Int, x3: Real = while (x4: Int = 0, x5: Real = x0) {
                x6: Bool = lt x4 3
                give x6
            } do {
                x7: Int = add x4 1
                x8: Real = mul x5 x5
                give x7, x8
            }
            give x0 }",
        expect![[r#"
            def main(x0: Real) -> (x1: Real) next 9 {
              x2: Int = while (x4: Int = 0) {
                x6: Bool = lt x4 3
                give x6
              } do {
                x7: Int = add x4 1
                give x7
              }
              give x0
            }
        "#]],
    );
}

/// The arrays that a `while` collects, and their number.
#[test]
fn while_collects() {
    check(
        &[],
        "def main(x0: Real) -> (x1: Int, x2: [x1]Real) {
            x3: Int, x4: Int, x5: [x4]Real, x6: [x4]Real = while (x7: Int = 0) {
                x8: Bool = lt x7 3
                give x8
            } do {
                x9: Int = add x7 1
                x10: Real = real x7
                x11: Real = mul x0 x10
                give x9, x10, x11
            }
            give x4, x6 }",
        expect![[r#"
            def main(x0: Real) -> (x1: Int, x2: [x1]Real) {
              x3: Int, x4: Int, x6: [x4]Real = while (x7: Int = 0) {
                x8: Bool = lt x7 3
                give x8
              } do {
                x9: Int = add x7 1
                x10: Real = real x7
                x11: Real = mul x0 x10
                give x9, x11
              }
              give x4, x6
            }
        "#]],
    );
}

/// Parameters and results of definitions, calls of what cannot fail, definitions and sum types.
#[test]
fn definitions() {
    check(
        &[],
        "data Used = One(Real)
        data Unused = Two(Real)
        def pair(x0: Real, x1: Real, x2: Real) -> (x3: Real, x4: Real) {
            x5: Real = sin x0
            x6: Real = cos x1
            give x5, x6 }
        def safe(x0: Real) -> (x1: Real) { x2: Real = sin x0 give x2 }
        def risky(x0: Int, x1: Real) -> (x2: Int, x3: Real) { x4: Int = div 1 x0 give x4, x1 }
        def forever(x0: Real) -> (x1: Real) { x2: Real = call forever(x0) give x2 }
        def nobody(x0: Unused) -> (x1: Real) { give 1.0 }
        def main(x0: Real, x1: Int, x2: Used) -> (x3: Real) {
            x4: Real, x5: Real = call pair(x0, 1.0, 2.0)
            x6: Real = call safe(x0)
            x7: Int, x8: Real = call risky(x1, x0)
            x9: Real = mul x4 2.0
            give x9 }",
        expect![[r#"
            data Used = One(Real)

            def main(x0: Real, x1: Int, x2: Used) -> (x3: Real) {
              x10: Real = sin x0
              x13: Int = div 1 x1
              x9: Real = mul x10 2.0
              give x9
            }
        "#]],
    );
}

/// A size that a kept result mentions is kept.
#[test]
fn sizes_stay() {
    check(
        &[],
        "def shorter[x0](x1: [x0]Real, x2: Real) -> (x3: Int, x4: Real, x5: [x3]Real) {
            x6: Int, x7: [x6]Real = filter x1 lambda (x8: Real) { x9: Bool = gt x8 0.0 give x9 }
            x10: Real = sin x2
            give x6, x10, x7 }
        def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Int, x4: Real, x5: [x3]Real = call shorter[x0](x1, 1.0)
            x6: Real = sum 0 x5
            give x6 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: Real) {
              x3: Int, x5: [x3]Real = call shorter[x0](x1)
              x6: Real = sum 0 x5
              give x6
            }

            def shorter[x0](x1: [x0]Real) -> (x3: Int, x5: [x3]Real) next 11 {
              x6: Int, x7: [x6]Real = filter x1 lambda (x8: Real) {
                x9: Bool = gt x8 0.0
                give x9
              }
              give x6, x7
            }
        "#]],
    );
}

/// inline: the only call of a definition, with sizes that are no variables; not of one that calls itself.
#[test]
fn inlined() {
    check(
        &["inline"],
        "data Saved<; x0> = Saved([x0]Real)
        def tail[x0](x1: [x0 + 1]Real) -> (x2: [x0]Real, x3: Saved<; x0>, x4: Int) {
            x5: [x0]Real = slice x1 0 [1] [x0 + 1]
            x6: [x0]Real = exp x5
            x7: Saved<; x0> = con Saved<; x0> Saved(x6)
            give x6, x7, x0 }
        def back[x0](x1: Saved<; x0>, x2: [x0]Real) -> (x3: [x0]Real) {
            x4: [x0]Real = match x1 {
                Saved(x5: [x0]Real) { x6: [x0]Real = mul x5 x2 give x6 }
            }
            give x4 }
        def again(x0: Int) -> (x1: Int) {
            x2: Bool = le x0 0
            x3: Int = if x2 { give 0 } else { x4: Int = sub x0 1 x5: Int = call again(x4) give x5 }
            give x3 }
        def main[x0](x1: [2*x0 + 1]Real) -> (x2: [2*x0]Real, x3: Int, x4: Int) {
            x5: [2*x0]Real, x6: Saved<; 2*x0>, x7: Int = call tail[2*x0](x1)
            x8: [2*x0]Real = call back[2*x0](x6, x5)
            x9: Int = call again(3)
            give x8, x7, x9 }",
        expect![[r#"
            data Saved<; x0> = Saved([x0]Real)

            def again(x0: Int) -> (x1: Int) {
              x2: Bool = le x0 0
              x3: Int = if x2 {
                give 0
              } else {
                x4: Int = sub x0 1
                x5: Int = call again(x4)
                give x5
              }
              give x3
            }

            def main[x0](x1: [2*x0 + 1]Real) -> (x2: [2*x0]Real, x3: Int, x4: Int) {
              x5: [2*x0]Real, x6: Saved<; 2*x0>, x7: Int = call tail[2*x0](x1)
              x11: [2*x0]Real = match x6 {
                Saved(x12: [2*x0]Real) {
                  x13: [2*x0]Real = mul x12 x5
                  give x13
                }
              }
              x9: Int = call again(3)
              give x11, x7, x9
            }

            def tail[x0](x1: [x0 + 1]Real) -> (x2: [x0]Real, x3: Saved<; x0>, x4: Int) {
              x5: [x0]Real = slice x1 0 [1] [x0 + 1]
              x6: [x0]Real = exp x5
              x7: Saved<; x0> = con Saved<; x0> Saved(x6)
              give x6, x7, x0
            }
        "#]],
    );
}

/// Each definition by its own exactness: the derivative is rewritten, and what the user wrote is neither
/// rewritten nor put into it.
#[test]
fn exactness_of_each() {
    let text = "def user(x0: Real) -> (x1: Real) { x2: Real = add x0 0.0 give x2 }
        def \"user.rev1\"(x0: Real) -> (x1: Real) { x2: Real = add x0 0.0 give x2 }
        def main(x0: Real) -> (x1: Real, x2: Real) {
            x3: Real = call user(x0)
            x4: Real = call \"main.vjp1\"(x3)
            give x3, x4 }
        def \"main.vjp1\"(x0: Real) -> (x1: Real) {
            x2: Real = call \"user.rev1\"(x0)
            x3: Real = scale x2 1.0
            give x3 }";
    let program: ir::Program = text.parse().expect("a program");
    let by = |name: &base::Name| match name.contains('.') {
        true => opt::Exactness::UpToRounding,
        false => opt::Exactness::Bits,
    };
    let after =
        opt::simplify_by(&program, &[base::Name::new("main")], &by, &mut opt::Settled::default());
    expect![[r#"
        def main(x0: Real) -> (x1: Real, x2: Real) {
          x5: Real = add x0 0.0
          x4: Real = call "main.vjp1"(x5)
          give x5, x4
        }

        def "main.vjp1"(x0: Real) -> (x1: Real) next 5 {
          give x0
        }
    "#]]
    .assert_eq(&after.to_string());
}
