//! Mistakes in sizes.

use expect_test::expect;

use crate::{check, support};

#[test]
fn sizes_in_a_sum() {
    check(
        "def f(xs: [n]Real, ys: [m]Real) = xs + ys",
        &expect![[r#"
            error[E0401]: sizes do not agree
             --> test.cot:1:40
              |
            1 | def f(xs: [n]Real, ys: [m]Real) = xs + ys
              |            -            -         --   ^^ wanted size `n`, found `m` (wanted `[n]Real`, found `[m]Real`)
              |            |            |         |
              |            |            |         the other operand
              |            |            `m` is a size of `f`
              |            `n` is a size of `f`
        "#]],
    );
}

#[test]
fn sizes_in_a_call() {
    check(
        r"def same(xs: [n]Real, ys: [n]Real) = sum(xs * ys)
def f(a: [k]Real, b: [k + 1]Real) = same(a, b)",
        &expect![[r#"
            error[E0401]: sizes do not agree
             --> test.cot:2:45
              |
            1 | def same(xs: [n]Real, ys: [n]Real) = sum(xs * ys)
              |                       -- the parameter is declared here
            2 | def f(a: [k]Real, b: [k + 1]Real) = same(a, b)
              |           - `k` is a size of `f`            ^ wanted size `k`, found `k + 1` (wanted `[k]Real` as argument of `same`, found `[k + 1]Real`)
        "#]],
    );
}

#[test]
fn literal_sizes_in_a_call() {
    check(
        r"def pair(xs: [2]Real) = xs[0] + xs[1]
def main = pair([1.0, 2.0, 3.0])",
        &expect![[r#"
            error[E0401]: sizes do not agree
             --> test.cot:2:17
              |
            1 | def pair(xs: [2]Real) = xs[0] + xs[1]
              |          -- the parameter is declared here
            2 | def main = pair([1.0, 2.0, 3.0])
              |                 ^^^^^^^^^^^^^^^ wanted size `2`, found `3` (wanted `[2]Real` as argument of `pair`, found `[3]Real`)
        "#]],
    );
}

#[test]
fn a_size_escapes() {
    check(
        r"def f(xs: [n]Real) = map(\x => iota(int(x)), xs)",
        &expect![[r#"
            error[E0403]: a size leaves the place where it is known
             --> test.cot:1:22
              |
            1 | def f(xs: [n]Real) = map(\x => iota(int(x)), xs)
              |                      ^^^^^^^^^^^^^^^------^^^^^^
              |                      |              |
              |                      |              only running this tells the size
              |                      this has size `?`, which is not known out here
              |
              = help: use the array where it is made, or give it a size known outside with `sized(n, xs)`
        "#]],
    );
}

#[test]
fn sizes_at_the_ends_of_int_are_no_panic() {
    // Found once: the sign of the least Int was changed.
    for text in [
        "def f(xs: [n - 9223372036854775807 - 1]Real) = xs\ndef g(ys: [0]Real) = f(ys)",
        "def f(xs: [9223372036854775807*n]Real) = xs\ndef g(ys: [m]Real) = f(ys)",
        "def f(xs: [n + 9223372036854775807]Real) = xs\n\
         def g(ys: [0 - 9223372036854775807 - 1]Real) = f(ys)",
        "def f(xs: [0 - n - 9223372036854775807 - 1]Real) = xs\ndef g(ys: [0]Real) = f(ys)",
        "def f(xs: [(0 - 9223372036854775807 - 1)*n]Real) = xs\ndef g(ys: [5]Real) = f(ys)",
        "def f(xs: [(0 - 9223372036854775807 - 1)*n]Real) = xs\n\
         def g(ys: [0 - 9223372036854775807 - 1]Real) = f(ys)",
        // Found by fuzz: what was solved for before the literal was known.
        "def f(k: Int, xs: [k+n]a): [n]a = xs[k..k + n]\ndef g = f(9223372036854775807, [])",
        "def f(k: Int, xs: [k+n]a): [n]a = xs[k..k + n]\ndef g = f(9223372036854775807, [1.0])",
        "def f(k: Int, xs: [k*n]a): [n]a = xs[0..n]\ndef g = f(9223372036854775807, [1.0])",
    ] {
        support::check(text);
    }
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

#[test]
fn a_local_function_with_a_size_by_its_argument() {
    check(
        r"def f(x: [n]Real, y: [3]Real) = {
  let ones = \k => build i < k => 1.0;
  let a = x + ones(n);
  let b = x * ones(n);
  let c = y + ones(3);
  sum(a) + sum(b) + sum(c)
}",
        &expect![[r#"
            error[E0403]: a size leaves the place where it is known
             --> test.cot:2:7
              |
            2 |   let ones = \k => build i < k => 1.0;
              |       ^^^^    - `k` is this value
              |       |
              |       returns `[k]Real`, and each call has its own `k`
              |
              = help: make `ones` a `def`, as in `def ones(k: Int): [k]Real = ...`
        "#]],
    );
    check(
        r"def f(x: [n]Real) = {
  let positive = \a => filter(\e => e > 0.0, a);
  sum(positive(x)) + sum(positive(positive(x)))
}",
        &expect![[r#"
            error[E0403]: a size leaves the place where it is known
             --> test.cot:2:7
              |
            2 |   let positive = \a => filter(\e => e > 0.0, a);
              |       ^^^^^^^^         ------------------------ only running this tells the size
              |       |
              |       returns `[k]Real`, and each call has its own `k`
              |
              = help: make `positive` a `def`, and pass it what it uses
        "#]],
    );
    // Sizes from around the function, and those of its arguments, are no obstacle.
    let fine = r"def f(x: [n]Real) = {
  let (k, m) = (n + 1, int(x[0]));
  let ones = \y => build i < m => y;
  let twos = \y => build i < k => y;
  let more = \y => concat(x, y);
  sum(ones(1.0)) + sum(twos(2.0)) + sum(more(x)) + sum(more([1.0]))
}";
    assert_eq!(support::messages(fine), "");
}

/// Found by the fuzz program: the function was taken for one of all sizes, and its equation was solved for one.
#[test]
fn a_local_function_whose_size_an_equation_tells() {
    let text = "def main(x: [7][2]Real): [2]Real = {\n  \
                let first = \\t => {\n    let s = flatten(t) + (build i < 10 => 1.0);\n    let u: [2]Real = t[0];\n    u\n  };\n  \
                first(x)\n}\n";
    let said = support::messages(text);
    assert!(said.contains("E0401") && said.contains("14") && said.contains("10"), "{said}");
    assert_eq!(support::messages(&text.replace("[7]", "[5]")), "");
}
