//! From tokens to what the parser walks over: comments set aside, each token with its column,
//! mistakes inside tokens reported.
//!
//! Comments of other languages (`//`, `#`, `/* */`) are reported and left out together with what
//! they hide. Other tokens that were reported stay in the list as `Unknown`, `OpenString` or
//! `BadNumber`; the parser says nothing more about them.

use base::literal::read_string;
use base::token::{Token, TokenKind, TokenMode, tokenize};
use base::{FileId, Span};

use super::MAX_ERRORS;
use crate::ast::Comment;
use crate::error::SyntaxError;

/// A token and its place in its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    /// The token.
    pub(crate) token: Token,
    /// Bytes between the start of the line and the token.
    pub(crate) column: u32,
    /// Whether only white space stands before it in its line.
    pub(crate) first: bool,
}

/// A text taken apart.
pub(crate) struct Lexed {
    /// All tokens but comments; `Eof` last.
    pub(crate) lexemes: Vec<Lexeme>,
    /// All comments.
    pub(crate) comments: Vec<Comment>,
    /// Mistakes inside tokens, in order.
    pub(crate) errors: Vec<SyntaxError>,
}

/// Takes a text apart.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let tokens = tokenize(file, text, TokenMode::Source);
    let mut res = Lexed { lexemes: Vec::new(), comments: Vec::new(), errors: Vec::new() };
    let mut line_start = 0;
    let mut previous_end = 0;
    // Tokens that start before this byte belong to a comment or text of another language.
    let mut hidden = 0;
    for (index, token) in tokens.iter().enumerate() {
        let start = token.span.start as usize;
        if let Some(newline) = text[previous_end..start].rfind('\n') {
            line_start = previous_end + newline + 1;
        }
        let first = previous_end <= line_start;
        previous_end = token.span.end as usize;
        if start < hidden && token.kind != TokenKind::Eof {
            continue;
        }
        let mut lexeme = Lexeme { token: *token, column: (start - line_start) as u32, first };
        if token.kind == TokenKind::Comment {
            let text = token.text(text).trim_end().to_owned();
            res.comments.push(Comment { span: token.span, text });
        } else if let Some((written, end)) = foreign_comment(&tokens, index, text) {
            let span = Span::new(file, start, start + written.len());
            res.errors.push(SyntaxError::ForeignComment { span, written });
            hidden = end;
        } else {
            hidden = check_token(&mut lexeme.token, res.lexemes.last(), text, &mut res.errors);
            push(&mut res.lexemes, lexeme);
        }
    }
    res
}

/// Adds a token. `>=` becomes `>` and `=`, because `>` may close a list of types, as in
/// `type Pair<a>= (a, a)`; and `>=>` becomes `>` and `=>`. Operators are put together again by
/// the parser of expressions.
fn push(lexemes: &mut Vec<Lexeme>, lexeme: Lexeme) {
    let start = lexeme.token.span.start;
    if lexeme.token.kind == TokenKind::Ge {
        let (mut first, mut second) = (lexeme, lexeme);
        first.token =
            Token { kind: TokenKind::Gt, span: Span { end: start + 1, ..lexeme.token.span } };
        second.token.kind = TokenKind::Assign;
        second.token.span.start = start + 1;
        second.column += 1;
        second.first = false;
        lexemes.extend([first, second]);
        return;
    }
    match lexemes.as_mut_slice() {
        [.., before, last]
            if lexeme.token.kind == TokenKind::Gt
                && last.token.kind == TokenKind::Assign
                && before.token.kind == TokenKind::Gt
                && before.token.span.end == last.token.span.start
                && last.token.span.end == start =>
        {
            last.token.kind = TokenKind::FatArrow;
            last.token.span.end = lexeme.token.span.end;
        }
        _ => lexemes.push(lexeme),
    }
}

/// If a comment of another language starts at this token: how it starts, and where it ends.
fn foreign_comment(tokens: &[Token], index: usize, text: &str) -> Option<(&'static str, usize)> {
    let start = tokens[index].span.start as usize;
    let rest = &text[start..];
    let line = || start + rest.find('\n').unwrap_or(rest.len());
    match tokens[index].kind {
        TokenKind::Hash => Some(("#", line())),
        TokenKind::Slash if rest.starts_with("//") => Some(("//", line())),
        TokenKind::Slash if rest.starts_with("/*") => {
            let end = rest.find("*/").map_or(text.len(), |it| start + it + 2);
            Some(("/*", end))
        }
        _ => None,
    }
}

/// Reports what is wrong inside a token. A text in single quotes becomes one token; returns
/// where it ends (otherwise 0).
fn check_token(
    token: &mut Token,
    previous: Option<&Lexeme>,
    text: &str,
    errors: &mut Vec<SyntaxError>,
) -> usize {
    let span = token.span;
    if errors.len() > MAX_ERRORS {
        return 0;
    }
    match token.kind {
        TokenKind::OpenString => errors.push(SyntaxError::OpenString { span }),
        TokenKind::Str => {
            for bad in read_string(token.text(text)).1 {
                let start = span.start as usize;
                let span = Span::new(span.file, start + bad.start, start + bad.end);
                errors.push(SyntaxError::BadEscape { span });
            }
        }
        TokenKind::BadNumber => errors.push(bad_number(span, token.text(text))),
        TokenKind::At | TokenKind::Dollar => errors.push(bad_character(span, token.text(text))),
        TokenKind::Unknown => {
            let touching = previous.is_some_and(|it| it.token.span.end == span.start);
            if let Some(end) = single_quoted(token, text).filter(|_| !touching) {
                token.span.end = end as u32;
                errors.push(SyntaxError::BadCharacter {
                    span: token.span,
                    shown: "a text in single quotes".to_owned(),
                    help: Some("write texts between double quotes".to_owned()),
                });
                return end;
            }
            errors.push(bad_character(span, token.text(text)));
        }
        _ => {}
    }
    0
}

/// Where a text in single quotes that starts at this token ends, if it ends in its line.
fn single_quoted(token: &Token, text: &str) -> Option<usize> {
    let start = token.span.start as usize;
    let rest = text[start..].strip_prefix('\'')?;
    let end = rest.find(['\'', '\n'])?;
    rest[end..].starts_with('\'').then_some(start + 1 + end + 1)
}

fn bad_number(span: Span, text: &str) -> SyntaxError {
    let help = if text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o") {
        "write numbers in decimal"
    } else if text.ends_with(['e', 'E']) {
        "write digits after the `e`, as in `1e-3`"
    } else {
        "put an operator or a space between the number and the letters"
    };
    let problem = "digits run into letters";
    SyntaxError::BadNumber { span, problem, help: Some(help.to_owned()) }
}

fn bad_character(span: Span, text: &str) -> SyntaxError {
    let char = text.chars().next().unwrap_or(' ');
    let shown = if char.is_control() || char.is_whitespace() || char == '\u{200b}' {
        format!("the character U+{:04X}", u32::from(char))
    } else {
        format!("the character `{char}`")
    };
    let help = meant(char).map(|it| format!("write {it}"));
    let help = help.or_else(|| {
        if char.is_alphabetic() {
            return Some(
                "write names with the letters a to z and A to Z, digits and `_`".to_owned(),
            );
        }
        let invisible = char.is_control() || char.is_whitespace() || char == '\u{200b}';
        invisible.then(|| "delete it, or write a plain space".to_owned())
    });
    SyntaxError::BadCharacter { span, shown, help }
}

/// What someone who typed this character probably meant.
fn meant(char: char) -> Option<&'static str> {
    Some(match char {
        'π' => "`pi`",
        '≤' => "`<=`",
        '≥' => "`>=`",
        '≠' => "`!=`",
        '≈' => "`~=`",
        '×' | '·' | '⋅' => "`*`",
        '÷' => "`/`",
        '−' | '–' | '—' => "`-`",
        '→' => "`->`",
        '⇒' => "`=>`",
        'λ' => "`\\x => ...` for a function",
        '∧' => "`&&`",
        '∨' => "`||`",
        '¬' | '~' => "`!` for \"not\", or `~=` for \"nearly equal\"",
        '“' | '”' | '„' | '«' | '»' => "plain double quotes",
        '√' => "`sqrt(x)`",
        '²' => "`** 2`",
        '\'' => "names with letters, digits and `_` only",
        '@' => "`matmul(a, b)` for a matrix product",
        _ => return None,
    })
}
