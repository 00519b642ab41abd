//! What typical mistakes in sizes look like to the user.

mod support;

use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&support::messages(text));
}

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
    ] {
        support::check(text);
    }
}
