//! Texts that are nested deeply or simply long: no stack overflow, one error, linear time.

use base::{Code, FileId};

/// Parses on the small stack of a test thread and returns the codes of the errors.
fn codes(text: &str) -> Vec<Code> {
    let (module, diagnostics) = syntax::parse(FileId(0), text);
    let copy = module.clone();
    assert_eq!(copy.items.len(), module.items.len());
    drop(copy);
    diagnostics.iter().map(|it| it.code).collect()
}

/// `def a = ` and the pieces, followed by a definition that must still be understood.
fn nested(before: &str, middle: &str, after: &str, count: usize) -> String {
    format!("def a = {}{middle}{}\ndef b = 1\n", before.repeat(count), after.repeat(count))
}

const SHAPES: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{", "1", "}"),
    ("- ", "1", ""),
    ("!", "true", ""),
    ("\\x=>", "x", ""),
    ("if a then ", "1", " else 2"),
    ("if ", "1", " then 1 else 2"),
    ("if a then 1 else ", "1", ""),
    ("build i<n=>", "1", ""),
    ("match ", "1", " {}"),
    ("match a { _ => ", "1", "}"),
    ("{ let a = ", "1", "; a}"),
    ("f(", "1", ")"),
    ("a[", "1", "]"),
    ("A { x: ", "1", "}"),
    ("1", "", "+1"),
    ("1", "", "*1"),
    ("a", "", " && a"),
    ("", "2", "**2"),
    ("", "f", "()"),
    ("", "f", "[0]"),
    ("", "f", ".0"),
    ("", "f", ".x"),
    ("((a", "", "+1)+1)"),
];

#[test]
fn deep_expressions_are_one_error() {
    for (before, middle, after) in SHAPES {
        let repeated =
            if before.is_empty() || *before == "1" || *before == "a" { 1 } else { 100_000 };
        let text = match repeated {
            1 => format!("def a = {before}{middle}{}\ndef b = 1\n", after.repeat(100_000)),
            _ => nested(before, middle, after, 100_000),
        };
        let found = codes(&text);
        assert!(found.contains(&Code("E0107")), "{before}{middle}{after}: {found:?}");
        assert_eq!(found.iter().filter(|it| it.0 == "E0107").count(), 1);
        let (module, _) = syntax::parse(FileId(0), &text);
        assert_eq!(module.items.len(), 2, "{before}");
    }
}

#[test]
fn unfinished_deep_expressions_are_one_error() {
    for (before, ..) in SHAPES.iter().filter(|it| it.0.len() > 1 || "([{-!".contains(it.0)) {
        let found = codes(&format!("def a = {}", before.repeat(100_000)));
        assert!(found.len() <= 101, "{before}: {}", found.len());
    }
}

#[test]
fn deep_types_and_patterns_are_one_error() {
    let shapes = [
        nested("(", "1", ")", 100_000).replace("def a =", "def a: "),
        format!("def a: {}Real = 1", "[n]".repeat(100_000)),
        format!("def a: {}Real = 1", "A -> ".repeat(100_000)),
        format!("def a: {}Real{} = 1", "List<".repeat(100_000), ">".repeat(100_000)),
        format!("def a: [n{}]Real = 1", "+n".repeat(100_000)),
        format!("def a: [{}n{}]Real = 1", "(".repeat(100_000), ")".repeat(100_000)),
        format!("def a({}x{}) = 1", "(".repeat(100_000), ")".repeat(100_000)),
        format!("def a({}x{}) = 1", "C(".repeat(100_000), ")".repeat(100_000)),
        format!("def a({}x{}) = 1", "C { x: ".repeat(100_000), "}".repeat(100_000)),
    ];
    for text in shapes {
        assert_eq!(codes(&text), [Code("E0107")], "{}", &text[..40]);
    }
}

#[test]
fn long_but_flat_texts_are_fine() {
    let sum = format!("def a = 1{}", " + 1".repeat(1_500));
    let array = format!("def a = [{}]", "1.0, ".repeat(200_000));
    let lets = format!("def a = {{ {} 1 }}", "let x = 1; ".repeat(100_000));
    let arms = format!("def a = match x {{ {} }}", "1 => 2, ".repeat(100_000));
    let items = "def a = 1\n".repeat(100_000);
    let cons = format!("data A = {} B", "B | ".repeat(200_000));
    for text in [sum, array, lets, arms, items, cons] {
        assert_eq!(codes(&text), []);
    }
}

#[test]
fn long_texts_full_of_errors_end_soon() {
    let pieces = [
        ")",
        "(",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "def ",
        "def a = ",
        "def\n",
        "type A<a>=",
        "f x ",
        "\"",
        "'",
        "'a' ",
        "#",
        "//",
        "/*",
        "@",
        "é ",
        "1.",
        ".5",
        "a < ",
        "if ",
        "then ",
        "= ",
        "match x {",
        "let ",
        "let x = 1 ",
        "{ let ",
        "\\",
        "=>",
        "->",
        "x = 3; ",
        "f(x) ",
        "| ",
        "^",
        "and ",
        "not ",
        "(]",
        "{)",
        "[}",
        "{;",
        "(;",
        "data A = B |",
        "test ",
        "a[",
        "..",
        "1 2 ",
        "f(a,",
        "A {",
        "A { x: 1, ..",
        "f<",
        "List<",
        "def f(x: List<",
        "build i < ",
        "else ",
        "-- ",
        "(def ",
        "{def ",
        "(\n def ",
        "def a = {\n  def b = ",
        "\n",
        "elif ",
        "if a then b ",
        "+",
        "let x = ",
        "return ",
        "lambda x: ",
        "{ def a = ",
        "not ",
    ];
    for piece in pieces {
        let text = piece.repeat(40_000 / piece.len());
        assert!(codes(&text).len() <= 101, "{piece}");
        codes(&format!("def a = {text}"));
        codes(&format!("def a = {{ {text}"));
        codes(&format!("def a = f({text}"));
    }
}

#[test]
fn the_deepest_texts_can_be_formatted() {
    for (before, middle, after) in SHAPES {
        let repeated = if before.is_empty() || *before == "1" || *before == "a" { 1 } else { 450 };
        let text = format!("def a = {}{middle}{}\n", before.repeat(repeated), after.repeat(450));
        let (_, diagnostics) = syntax::parse(FileId(0), &text);
        assert!(diagnostics.is_empty(), "{before}: {diagnostics:?}");
        let once = syntax::format(&text).expect("no errors");
        assert_eq!(syntax::format(&once).as_deref(), Ok(&*once), "{before}");
    }
}

#[test]
fn long_texts_can_be_formatted() {
    let texts = [
        format!("def a = [{}]", "1.0, ".repeat(100_000)),
        format!("def a = [{}]", "f(1.0 + x), ".repeat(50_000)),
        format!("def a = {{ {} 1 }}", "let x = 1; -- c\n".repeat(50_000)),
        "def a(x: Real): Real = f(x, y) + g({ let y = 1; y })\n".repeat(10_000),
        "-- c\n".repeat(100_000),
        format!("def a = {}1", "-- c\n".repeat(100_000)),
        format!("def a = f{}", "(1)".repeat(1_900)),
        format!("def a = 1{}", " + 1".repeat(1_900)),
    ];
    for text in texts {
        assert!(syntax::format(&text).is_ok(), "{}...", &text[..40]);
    }
}
