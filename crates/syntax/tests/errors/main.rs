//! Mistakes and what is said about them: one line per error, and a few in full.

mod declarations;
mod expressions;

use base::render::{Style, render};
use base::{Diagnostic, SourceMap};
use expect_test::{Expect, expect};

fn parse(text: &str) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("a.ct", text);
    let (_, diagnostics) = syntax::parse(file, text);
    (sources, diagnostics)
}

/// Each text, and below it `code line:column title | help` for each error in it.
pub(crate) fn check(texts: &[&str], expected: Expect) {
    let mut res = String::new();
    for text in texts {
        for line in text.lines() {
            res += &format!("{line}\n");
        }
        let (sources, diagnostics) = parse(text);
        assert!(!diagnostics.is_empty(), "{text}");
        for it in diagnostics {
            assert!(it.title.len() <= 60, "title too long: {}", it.title);
            let (line, column) = sources.position(it.labels[0].span);
            res += &format!("    {} {line}:{column} {}", it.code.0, it.title);
            for help in it.help {
                res += &format!(" | {help}");
            }
            res += "\n";
        }
    }
    expected.assert_eq(&res);
}

fn full(text: &str, expected: Expect) {
    let (sources, diagnostics) = parse(text);
    expected.assert_eq(&render(&diagnostics, &sources, Style::Plain));
}

#[test]
fn in_full() {
    full(
        "def f(c) = if c then (1 + 2\ndef g = sin x + 1.\n",
        expect![[r#"
        error[E0102]: this `(` is never closed
         --> a.ct:1:22
          |
        1 | def f(c) = if c then (1 + 2
          |                      ^     - `)` expected here
          |                      |
          |                      opened here

        error[E0114]: these two stand side by side
         --> a.ct:2:13
          |
        2 | def g = sin x + 1.
          |             ^ nothing joins this to what is before it
          |
          = help: write `sin(x)` to call it, or put an operator between them

        error[E0105]: this number cannot be read
         --> a.ct:2:17
          |
        2 | def g = sin x + 1.
          |                 ^^ digits are needed on both sides of the dot
          |
          = help: write `1.0`
    "#]],
    );
}
