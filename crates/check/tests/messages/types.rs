//! Mistakes in types.

use expect_test::expect;

use crate::{check, support};

#[test]
fn int_and_real_mixed() {
    check(
        "def f(x: Real) = 2 * x",
        &expect![[r#"
            error[E0309]: `*` mixes Int and Real
             --> test.cot:1:18
              |
            1 | def f(x: Real) = 2 * x
              |                  ^   - this is a Real
              |                  |
              |                  this is an Int
              |
              = help: write `2.0`
        "#]],
    );
}

#[test]
fn an_int_variable_among_reals() {
    check(
        "def f(x: Real, n: Int) = x / n",
        &expect![[r#"
            error[E0309]: `/` mixes Int and Real
             --> test.cot:1:30
              |
            1 | def f(x: Real, n: Int) = x / n
              |                          -   ^ this is an Int
              |                          |
              |                          this is a Real
              |
              = help: convert it with `real(...)`
        "#]],
    );
}

#[test]
fn a_missing_arm() {
    check(
        r"data Shape = Circle(Real) | Square(Real) | Point
def area(s: Shape) = match s {
  Circle(r) => 3.14 * r * r,
  Point => 0.0,
}",
        &expect![[r#"
            error[E0305]: the match does not cover all cases
             --> test.cot:2:22
              |
            2 | def area(s: Shape) = match s {
              |                      ^^^^^^^ not covered: `Square(_)`
              |
              = help: add an arm for each, or a last arm `_ => ...`
        "#]],
    );
}

#[test]
fn an_unreachable_arm() {
    check(
        r"def f(b: Bool) = match b {
  true => 1,
  _ => 2,
  false => 3,
}",
        &expect![[r#"
            warning[E0306]: this arm can never be reached
             --> test.cot:4:3
              |
            4 |   false => 3,
              |   ^^^^^ the arms before it cover all its cases
              |
              = help: remove it, or move it up
        "#]],
    );
}

#[test]
fn wrong_number_of_arguments() {
    check(
        r"def f(x: Real, y: Real) = x + y
def main = f(1.0)",
        &expect![[r#"
            error[E0302]: wrong number of arguments
             --> test.cot:2:12
              |
            2 | def main = f(1.0)
              |            ^^^^^^ `f` takes 2 arguments, here are 1
        "#]],
    );
}

#[test]
fn wrong_number_of_parameters() {
    check(
        r"def f(xs: [n]Real) = map(\x, y => x, xs)",
        &expect![[r#"
            error[E0302]: wrong number of parameters
             --> test.cot:1:26
              |
            1 | def f(xs: [n]Real) = map(\x, y => x, xs)
              |                          ^^^^^^^^^^ a function of 1 parameter is wanted here, this one has 2
        "#]],
    );
}

#[test]
fn grad_of_a_function_to_an_array() {
    check(
        r"def f(x: [n]Real) = grad(\y => y * y)(x)",
        &expect![[r#"
            error[E0501]: `grad` needs a function to Real
             --> test.cot:1:26
              |
            1 | def f(x: [n]Real) = grad(\y => y * y)(x)
              |                          ^^^^^^^^^^^ this function returns `[n]Real`
              |
              = help: use `jacobian` for all partial derivatives, or `vjp` for one combination
        "#]],
    );
}

#[test]
fn an_array_of_functions() {
    check(
        r"def main = [\x => x + 1.0, \x => x * 2.0]",
        &expect![[r#"
            error[E0318]: an array cannot hold functions
             --> test.cot:1:12
              |
            1 | def main = [\x => x + 1.0, \x => x * 2.0]
              |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this has type `[2](Real -> Real)`
              |
              = help: use a `data` type such as `List` for a collection of functions, or compute the elements
        "#]],
    );
}

#[test]
fn an_infinite_type() {
    check(
        "def f(x) = x(x)",
        &expect![[r#"
            error[E0307]: this type would contain itself
             --> test.cot:1:12
              |
            1 | def f(x) = x(x)
              |            ^ needs a type equal to `_ -> _` inside itself
              |
              = help: recursive structures need a `data` declaration
        "#]],
    );
}

#[test]
fn branches_of_different_types() {
    check(
        r#"def f(b: Bool) = if b then 1.0 else "one""#,
        &expect![[r#"
            error[E0301]: types do not agree
             --> test.cot:1:37
              |
            1 | def f(b: Bool) = if b then 1.0 else "one"
              |                            ---      ^^^^^ wanted `Real`, found `String`
              |                            |
              |                            the first branch has the wanted type
        "#]],
    );
}

#[test]
fn an_annotation_that_promises_too_much() {
    check(
        "def f(x: a): a = x + 1.0",
        &expect![[r#"
            error[E0308]: `+` does not apply here
             --> test.cot:1:18
              |
            1 | def f(x: a): a = x + 1.0
              |                  ^ this has type `a`
              |
              = help: `a` may be any type; say `Real` if numbers are meant
        "#]],
    );
}

#[test]
fn a_call_of_a_number() {
    check(
        "def f(x: Real) = x(1.0)",
        &expect![[r#"
            error[E0303]: this is not a function
             --> test.cot:1:18
              |
            1 | def f(x: Real) = x(1.0)
              |                  ^ it has type `Real` and cannot be called
        "#]],
    );
}

#[test]
fn a_binding_that_may_fail() {
    check(
        "def f(o: Option<Real>) = { let Some(x) = o; x }",
        &expect![[r#"
            error[E0311]: this pattern does not always match
             --> test.cot:1:32
              |
            1 | def f(o: Option<Real>) = { let Some(x) = o; x }
              |                                ^^^^^^^ does not cover `None`
              |
              = help: use `match` with an arm for every case
        "#]],
    );
}

#[test]
fn too_many_indices() {
    check(
        "def f(xs: [n]Real) = xs[0, 1]",
        &expect![[r#"
            error[E0316]: too many indices, or not an array
             --> test.cot:1:22
              |
            1 | def f(xs: [n]Real) = xs[0, 1]
              |                      ^^ after 1 index this has type `Real`
        "#]],
    );
}

#[test]
fn functions_compared() {
    check(
        r"def main = (\x => x + 1.0) == (\x => x + 2.0)",
        &expect![[r#"
            error[E0313]: functions cannot be compared
             --> test.cot:1:12
              |
            1 | def main = (\x => x + 1.0) == (\x => x + 2.0)
              |            ^^^^^^^^^^^^^^^ this has type `_ -> _`
        "#]],
    );
}

#[test]
fn a_literal_that_makes_a_parameter_an_int() {
    check(
        "def double(x) = x * 2\ndef g(y: Real) = double(y)",
        &expect![[r#"
        error[E0309]: `*` mixes Int and Real
         --> test.cot:1:21
          |
        1 | def double(x) = x * 2
          |                     ^ this is an Int
        2 | def g(y: Real) = double(y)
          |                         - this is a Real
          |
          = help: write `2.0`
    "#]],
    );
    for uses in [
        "def twice(x) = double(x)\ndef g(y: Real) = twice(y)",
        "def g(ys: [n]Real) = map(double, ys)",
        "def g(y: Real) = grad(double)(y)",
        "def g(ys: [n]Real) = double(ys)",
    ] {
        let found = support::messages(&format!("def double(x) = x * 2\n{uses}"));
        assert_eq!(found.matches("error[").count(), 1, "{found}");
        assert!(found.contains("E0309") && found.contains("test.cot:1:21"), "{found}");
        assert!(found.contains("= help: write `2.0`"), "{found}");
    }
    assert_eq!(support::messages("def double(x) = x * 2\ndef g(y: Int) = double(y)"), "");
}
