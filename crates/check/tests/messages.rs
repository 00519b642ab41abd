//! What typical mistakes look like to the user.

mod support;

use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&support::messages(text));
}

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
fn one_mistake_gives_one_message() {
    check(
        r"def f(x: Real) = x + undefined
def g(x: Real) = f(x) * 2.0 + f(1.0)",
        &expect![[r#"
            error[E0201]: unknown name `undefined`
             --> test.cot:1:22
              |
            1 | def f(x: Real) = x + undefined
              |                      ^^^^^^^^^ nothing of this name is in scope
        "#]],
    );
}

#[test]
fn every_error_of_a_text_in_one_run() {
    let found = support::messages(
        "def fs = [sin, cos]\n\
         def triangle(n: Int) = build i < n => iota(i)\n\
         def wrong(x: Real): Int = x\n\
         def uses = wrong(1.0) + 1\n\
         def typo = sine(1.0)\n",
    );
    let codes: Vec<&str> =
        found.lines().filter_map(|it| it.strip_prefix("error[")?.split(']').next()).collect();
    assert_eq!(codes, ["E0318", "E0403", "E0301", "E0201"], "{found}");
}

/// The help of the only complaint.
fn help(text: &str) -> String {
    let (_, diagnostics, _) = support::check(text);
    assert_eq!(diagnostics.len(), 1, "{}", support::messages(text));
    diagnostics[0].help.join("; ")
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
        ("random(3)", "pass random numbers in"),
        ("einsum(1.0)", "by its indices"),
        ("np.sin(1.0)", "no modules"),
    ] {
        let found = help(&format!("def main = {call}"));
        assert!(found.contains(said), "{call}: {found}");
    }
}

#[test]
fn very_many_errors() {
    // As many as would take minutes if each cost as much as there are others.
    let n = 40_000;
    let unknown: String = (0..n).map(|it| format!("def f{it} = u{it}\n")).collect();
    let found = support::messages(&unknown);
    assert!(found.ends_with("\n... and 39900 more\n"), "{}", &found[found.len() - 200..]);
    let again: String = (0..=n).map(|_| "def f = 1\n").collect();
    assert!(support::messages(&again).ends_with("\n... and 39900 more\n"));
}

#[test]
fn a_size_of_twelve_factors() {
    let names: Vec<String> = (0..12).map(|it| format!("n{it}")).collect();
    let size = |names: &[String]| {
        names.iter().map(|it| format!("({it} + 1)")).collect::<Vec<_>>().join("*")
    };
    let sizes = names.iter().map(|it| format!("[{it}]Real")).collect::<Vec<_>>().join(", ");
    let back: Vec<String> = names.iter().rev().cloned().collect();
    let (a, b) = (size(&names), size(&back));
    let text = format!(
        "def f(v: ({sizes}), xs: [{a}]Real): [{b}]Real = xs\ndef g(v: ({sizes}), xs: [{b}]Real) = f(v, xs)"
    );
    assert_eq!(support::messages(&text), "");
    let many: Vec<String> = (0..40).map(|it| format!("n{it}")).collect();
    let found = support::codes(&format!("def f(xs: [{}]Real) = xs", size(&many)));
    assert_eq!(found, ["E0319: multiplied out, it has more than 10000 terms"]);
}
