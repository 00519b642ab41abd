//! Mistakes in names.

use expect_test::expect;

use crate::{check, help};

#[test]
fn a_misspelt_name() {
    check(
        "def f(radius: Real) = 2.0 * radis",
        &expect![[r#"
            error[E0201]: unknown name `radis`
             --> test.cot:1:29
              |
            1 | def f(radius: Real) = 2.0 * radis
              |                             ^^^^^ nothing of this name is in scope
              |
              = help: did you mean `radius`?
        "#]],
    );
}

#[test]
fn an_unknown_type() {
    check(
        "def f(x: Rael) = x",
        &expect![[r#"
            error[E0202]: unknown type `Rael`
             --> test.cot:1:10
              |
            1 | def f(x: Rael) = x
              |          ^^^^ no type of this name is declared
              |
              = help: did you mean `Real`?
        "#]],
    );
}

#[test]
fn a_field_of_an_unknown_type() {
    check(
        "def f(p) = p.weight",
        &expect![[r#"
            error[E0310]: the type must be known here
             --> test.cot:1:14
              |
            1 | def f(p) = p.weight
              |              ^^^^^^ a field of what?
              |
              = help: annotate the variable it comes from
        "#]],
    );
}

#[test]
fn a_field_of_two_records() {
    check(
        r"type A = { x: Real }
type B = { x: Real }
def f(p) = p.x",
        &expect![[r#"
            error[E0310]: the type must be known here
             --> test.cot:3:14
              |
            3 | def f(p) = p.x
              |              ^ a field of what?
              |
              = help: annotate the variable it comes from
        "#]],
    );
}

#[test]
fn a_misspelt_field() {
    check(
        r"type Point = { x: Real, height: Real }
def f(p: Point) = p.hieght",
        &expect![[r#"
            error[E0204]: no field `hieght` in `Point`
             --> test.cot:2:21
              |
            2 | def f(p: Point) = p.hieght
              |                     ^^^^^^ unknown field
              |
              = help: did you mean `height`?
        "#]],
    );
}

#[test]
fn what_the_file_defines_is_nearer_than_what_is_built_in() {
    let text = "def loss(x: Real) = x\ndef main = los(1.0)";
    assert_eq!(help(text), "did you mean `loss`?");
    assert_eq!(help("def f(cot: Real) = cox(cot)"), "did you mean `cot`?");
}

#[test]
fn habits_from_elsewhere() {
    for (call, said) in [
        ("print(1.0)", "part of `main`"),
        ("random(3)", "`import std.random`"),
        ("np.sin(1.0)", "in no module"),
    ] {
        let found = help(&format!("def main = {call}"));
        assert!(found.contains(said), "{call}: {found}");
    }
}

#[test]
fn a_capital_letter_in_a_parameter_or_let() {
    check(
        r"def f(X: Real, p: (Real, Real)) = {
  let (A, b) = p;
  A + b + X
}",
        &expect![[r#"
            error[E0117]: names start with a small letter
             --> test.cot:1:7
              |
            1 | def f(X: Real, p: (Real, Real)) = {
              |       ^ wrong first letter
              |
              = help: write `x`

            error[E0117]: names start with a small letter
             --> test.cot:2:8
              |
            2 |   let (A, b) = p;
              |        ^ wrong first letter
              |
              = help: write `a`
        "#]],
    );
    assert_eq!(help("def f(x: Real) = grad(\\Weight => Weight * x)(2.0)"), "write `weight`");
}

#[test]
fn an_index_in_the_bound_beside_it() {
    check(
        "def f(n: Int) = build i < n, j < i => 1.0",
        &expect![[r#"
        error[E0201]: `i` is not known in this bound
         --> test.cot:1:34
          |
        1 | def f(n: Int) = build i < n, j < i => 1.0
          |                                  ^ all rows have one size, which cannot depend on `i`
          |
          = help: take the largest size, as in `build i < n, j < n => if j < i then ... else 0.0`
    "#]],
    );
}
