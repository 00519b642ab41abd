//! Tokens of small texts, one per line: kind and characters.

use base::FileId;
use base::literal::{read_int, read_real, read_string, write_string};
use base::token::{TokenKind, TokenMode, tokenize};
use expect_test::{Expect, expect};

fn check(text: &str, mode: TokenMode, expected: Expect) {
    let dump: Vec<String> = tokenize(FileId(0), text, mode)
        .iter()
        .map(|it| format!("{:?} {}", it.kind, it.text(text)))
        .collect();
    expected.assert_eq(&dump.join("\n"));
}

#[test]
fn words_and_keywords() {
    check(
        "def f_1 Cons _ _x type",
        TokenMode::Source,
        expect![[r#"
            Def def
            Ident f_1
            Upper Cons
            Underscore _
            Ident _x
            Type type
            Eof "#]],
    );
}

#[test]
fn ir_names_have_quotes_and_no_keywords() {
    check(
        "def f'10 x3' Tree",
        TokenMode::Ir,
        expect![[r#"
        Ident def
        Ident f'10
        Ident x3'
        Upper Tree
        Eof "#]],
    );
}

#[test]
fn numbers() {
    check(
        "12 1_000 1.0 2.5e10 1e-3 1E+3 12ab 1e 0x1F 1.",
        TokenMode::Source,
        expect![[r#"
        Int 12
        Int 1_000
        Real 1.0
        Real 2.5e10
        Real 1e-3
        Real 1E+3
        BadNumber 12ab
        BadNumber 1e
        BadNumber 0x1F
        Int 1
        Dot .
        Eof "#]],
    );
}

#[test]
fn projections_are_not_fractions() {
    check(
        "p.0.1 a[1..n] 1..2 x.0e3",
        TokenMode::Source,
        expect![[r#"
        Ident p
        Dot .
        Int 0
        Dot .
        Int 1
        Ident a
        LBracket [
        Int 1
        DotDot ..
        Ident n
        RBracket ]
        Int 1
        DotDot ..
        Int 2
        Ident x
        Dot .
        BadNumber 0e3
        Eof "#]],
    );
}

#[test]
fn strings() {
    check(
        "\"a\\\"b\" \"é\\é\" \"open\nx \"back\\",
        TokenMode::Source,
        expect![[r#"
        Str "a\"b"
        Str "é\é"
        OpenString "open
        Ident x
        OpenString "back\
        Eof "#]],
    );
}

#[test]
fn comments_end_with_the_line() {
    check(
        "x -- one\n--- doc\n-- last",
        TokenMode::Source,
        expect![[r#"
        Ident x
        Comment -- one
        Comment --- doc
        Comment -- last
        Eof "#]],
    );
}

#[test]
fn operators_take_the_longest() {
    check(
        "a>=>b ** * ->-> ~= ~ ... <-",
        TokenMode::Source,
        expect![[r#"
        Ident a
        Ge >=
        Gt >
        Ident b
        StarStar **
        Star *
        Arrow ->
        Arrow ->
        Close ~=
        Unknown ~
        DotDot ..
        Dot .
        Lt <
        Minus -
        Eof "#]],
    );
}

#[test]
fn unknown_characters_form_runs() {
    check(
        "\u{feff}a é€ b`'c~~=",
        TokenMode::Source,
        expect![[r#"
        Ident a
        Unknown é€
        Ident b
        Unknown `'
        Ident c
        Unknown ~
        Close ~=
        Eof "#]],
    );
}

#[test]
fn tokens_and_white_space_cover_the_text() {
    let text = "def f(x) = \"é\\\" ~`x` 1.5.2 -- c\r\n\u{2028}é";
    let mut end = 0;
    for token in tokenize(FileId(0), text, TokenMode::Source) {
        assert!(text[end..token.span.start as usize].trim().is_empty());
        assert!(token.kind == TokenKind::Eof || token.span.start < token.span.end);
        end = token.span.end as usize;
    }
    assert_eq!(end, text.len());
}

#[test]
fn literals_have_values() {
    assert_eq!(read_int("1_000"), Some(1000));
    assert_eq!(read_int("9223372036854775807"), Some(i64::MAX));
    assert_eq!(read_int("9223372036854775808"), None);
    assert_eq!(read_real("2.5e1_0"), Some(2.5e10));
    assert_eq!(read_real("1e999"), None);
    assert_eq!(read_string(r#""a\n\u{1F600}\q""#).0, "a\n\u{1F600}");
    let escape = &read_string(r#""é\q""#).1[0];
    assert_eq!((escape.start, escape.end), (3, 5));
    let all = "\0\u{7f}\"\\\n\r\té😀";
    assert_eq!(read_string(&write_string(all)), (all.to_owned(), vec![]));
}
