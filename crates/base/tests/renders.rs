//! Rendered diagnostics, and spans that point nowhere good.

use base::render::{Style, render};
use base::{Code, Diagnostic, FileId, Severity, SourceMap, Span};
use expect_test::{Expect, expect};

fn check(diagnostics: &[Diagnostic], sources: &SourceMap, expected: Expect) {
    expected.assert_eq(&render(diagnostics, sources, Style::Plain));
}

fn error() -> Diagnostic {
    Diagnostic::error(Code("E0301"), "these sizes differ")
}

#[test]
fn labels_and_help() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.ct", "def f(x) =\n  x + yy\n\n\n\n\n\n\ndef g = 1\n");
    let first = error()
        .label(Span::new(file, 17, 19), "of size m")
        .label(Span::new(file, 13, 14), "of size n")
        .help("use `sized`")
        .help("or a slice");
    let mut second =
        error().label(Span::new(file, 0, 28), "here").label(Span::new(file, 30, 31), "");
    second.severity = Severity::Warning;
    check(
        &[first, second],
        &sources,
        expect![[r#"
        error[E0301]: these sizes differ
         --> a.ct:2:7
          |
        2 |   x + yy
          |   -   ^^ of size m
          |   |
          |   of size n
          |
          = help: use `sized`
          = help: or a slice

        warning[E0301]: these sizes differ
         --> a.ct:1:1
          |
        1 | / def f(x) =
        2 | |   x + yy
        ... |
        9 | | def g = 1
          | |  ^  -
          | |__|
          |    here
    "#]],
    );
}

#[test]
fn several_files() {
    let mut sources = SourceMap::new();
    let one = sources.add("one.ct", "def f = 1");
    let two = sources.add("two.ct", "def g = f");
    let diagnostic = error()
        .label(Span::new(two, 8, 9), "used here")
        .label(Span::new(one, 4, 5), "defined here")
        .label(Span::new(FileId(7), 4, 5), "in a text that is gone");
    check(
        &[diagnostic],
        &sources,
        expect![[r#"
        error[E0301]: these sizes differ
         --> two.ct:1:9
          |
        1 | def g = f
          |         ^ used here
          |
         ::: one.ct:1:5
          |
        1 | def f = 1
          |     - defined here
          |
          = note: in a text that is gone
    "#]],
    );
}

#[test]
fn no_labels_and_empty_texts() {
    let mut sources = SourceMap::new();
    let file = sources.add("empty.ct", "");
    check(
        &[error(), error().label(Span::new(file, 3, 9), "here")],
        &sources,
        expect![[r#"
        error[E0301]: these sizes differ

        error[E0301]: these sizes differ
         --> empty.ct:1:1
          |
        1 |
          | ^ here
    "#]],
    );
}

#[test]
fn tabs_and_control_characters() {
    let mut sources = SourceMap::new();
    let file = sources.add("t\u{1b}.ct", "\tx\t\u{1b}[31m\u{7}é y\r\nz");
    let mut diagnostic = error().label(Span::new(file, 13, 14), "the \u{1b}y").help("a\u{1b}b");
    diagnostic.title = "\u{1b}[0m".to_owned();
    check(
        &[diagnostic],
        &sources,
        expect![[r#"
        error[E0301]: \u{1b}[0m
         --> t\u{1b}.ct:1:13
          |
        1 |     x    ␛[31m␇é y
          |                   ^ the \u{1b}y
          |
          = help: a\u{1b}b
    "#]],
    );
}

#[test]
fn long_lines_are_cut() {
    let mut sources = SourceMap::new();
    let file = sources.add("long.ct", "x + ".repeat(100));
    check(
        &[error().label(Span::new(file, 200, 201), "here")],
        &sources,
        expect![[r#"
        error[E0301]: these sizes differ
         --> long.ct:1:201
          |
        1 | ...+ x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + ...
          |                                                                  ^ here
    "#]],
    );
}

/// Every pair of labels over short texts with everything odd in them.
#[test]
fn any_span_is_fine() {
    for text in
        ["", "\n", "a", "é\n", "\r\n\r\n", "\ta\n\n\u{0}é€\n", "a\rb\n", "日本\u{200b}\n\u{301}"]
    {
        let mut sources = SourceMap::new();
        let file = sources.add("f", text);
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                for other in 0..text.len() + 3 {
                    let diagnostic = error()
                        .label(Span { file, start: start as u32, end: end as u32 }, "one")
                        .label(Span { file, start: other as u32, end: u32::MAX }, "two\nlines");
                    render(std::slice::from_ref(&diagnostic), &sources, Style::Plain);
                    render(&[diagnostic], &sources, Style::Coloured);
                }
            }
        }
    }
}

#[test]
fn a_megabyte_in_one_line_is_fine() {
    let mut sources = SourceMap::new();
    let line = sources.add("line", "x + é".repeat(200_000));
    let lines = sources.add("lines", "x + é\n".repeat(200_000));
    let all: Vec<Diagnostic> = (0..10)
        .map(|it| {
            let at = it * 100_000;
            let far = Span::new(lines, at, at + 1);
            error()
                .label(Span::new(line, at, at + 1), "here")
                .label(far, "x")
                .label(Span::new(lines, 5, 6), "")
        })
        .collect();
    assert!(render(&all, &sources, Style::Plain).len() < 100_000);
}

#[test]
fn places_are_those_that_one_counts() {
    let long = "é + x".repeat(1000);
    for text in ["", "\n", "a", "a\n", "\n\nb", "é\r\nö\n", &long, &format!("{long}\n{long}\n")] {
        let mut sources = SourceMap::new();
        let file = sources.add("it", text);
        for at in 0..text.len() + 3 {
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            assert_eq!(sources.position(Span::new(file, at, at)), (line, column), "{at}");
        }
    }
}

#[test]
fn of_many_long_lines_the_first_are_shown() {
    let mut sources = SourceMap::new();
    let line = sources.add("line", "x + é".repeat(200_000));
    let at = |it: usize| error().label(Span::new(line, it * 10, it * 10 + 1), "here");
    let all: Vec<Diagnostic> = (0..50).map(at).collect();
    let text = render(&all, &sources, Style::Plain);
    assert!(text.matches("here").count() < 10, "{text}");
    assert!(text.ends_with("... and 45 more\n") || text.ends_with("... and 46 more\n"), "{text}");
}
