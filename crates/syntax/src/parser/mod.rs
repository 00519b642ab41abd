//! The parser: recursive descent, one function per production, operators by precedence.
//!
//! Productions never fail. What is not understood is reported and becomes an `Error` node. Two
//! rules keep one mistake from being reported twice: at one token at most one error is reported
//! ([`Parser::report`]), and after an error in a list or block everything up to its next
//! separator or its end is skipped (`recover.rs`).
//!
//! Expressions carry their height while they are built ([`Tree`]): a tree higher than
//! [`MAX_DEPTH`] is reported once and the rest of the declaration skipped. Left-leaning chains
//! such as `a + a + ...` count, because whoever walks the tree recurses into them as well.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a production names the tokens it knows; all others, present and future, are errors"
)]

mod block;
mod custom;
mod expr;
mod foreign;
mod foreign_forms;
mod import;
mod items;
mod lex;
mod literal;
mod pattern;
mod postfix;
mod primary;
mod recover;
mod types;
mod with;

use base::token::{Token, TokenKind};
use base::{Diagnostic, FileId, Name, Span};

use crate::ast;
use crate::error::SyntaxError;
use lex::Lexed;

pub(crate) use lex::{Lexeme, lex};

/// The greatest height of an expression. In WebAssembly the stack cannot grow, and all that walks an expression
/// has to fit there.
pub const MAX_DEPTH: u32 = if cfg!(target_family = "wasm") { 100 } else { 2_000 };

/// The greatest height of a type, size or pattern.
const MAX_SMALL_DEPTH: u32 = if cfg!(target_family = "wasm") { 50 } else { 250 };

/// Errors after this many are not reported.
const MAX_ERRORS: usize = 100;

/// Parses a whole text. What could not be understood leaves no item, only diagnostics.
pub fn parse(file: FileId, text: &str) -> (ast::Module, Vec<Diagnostic>) {
    let Some((mut parser, comments)) = start(file, text) else {
        return (ast::Module::default(), too_long(file));
    };
    let items = parser.items(&comments);
    (ast::Module { items, comments }, parser.finish())
}

/// Parses an expression that is the whole text.
pub fn parse_expr(file: FileId, text: &str) -> (ast::Expr, Vec<Diagnostic>) {
    let Some((mut parser, _)) = start(file, text) else {
        let span = Span::new(file, 0, 0);
        return (ast::Expr { kind: ast::ExprKind::Error, span }, too_long(file));
    };
    let res = parser.expr().expr;
    parser.end_of_text();
    (res, parser.finish())
}

/// Parses a type that is the whole text.
pub fn parse_type(file: FileId, text: &str) -> (ast::Type, Vec<Diagnostic>) {
    let Some((mut parser, _)) = start(file, text) else {
        let span = Span::new(file, 0, 0);
        return (ast::Type { kind: ast::TypeKind::Error, span }, too_long(file));
    };
    let res = parser.ty();
    parser.end_of_text();
    (res, parser.finish())
}

fn start(file: FileId, text: &str) -> Option<(Parser<'_>, Vec<ast::Comment>)> {
    if text.len() > u32::MAX as usize {
        return None;
    }
    let Lexed { lexemes, comments, mut errors } = lex(file, text);
    errors.truncate(MAX_ERRORS + 1);
    let parser = Parser {
        text,
        lexemes,
        position: 0,
        errors,
        reported_at: None,
        depth: 0,
        small_depth: 0,
        no_record: false,
        item_column: 0,
        open: Vec::new(),
    };
    Some((parser, comments))
}

fn too_long(file: FileId) -> Vec<Diagnostic> {
    vec![SyntaxError::TooLong { span: Span::new(file, 0, 0) }.to_diagnostic()]
}

/// An expression and its height.
struct Tree {
    expr: ast::Expr,
    height: u32,
}

struct Parser<'a> {
    text: &'a str,
    /// Ends with `Eof`.
    lexemes: Vec<Lexeme>,
    /// Index of the current token.
    position: usize,
    errors: Vec<SyntaxError>,
    /// The token at which an error was reported last.
    reported_at: Option<usize>,
    /// How many expressions are being parsed, each inside the one before.
    depth: u32,
    /// How many types, sizes and patterns are being parsed, each inside the one before.
    small_depth: u32,
    /// Whether `Name {` is a name followed by something else: in the head of a `match`.
    no_record: bool,
    /// The column where the current declaration starts.
    item_column: u32,
    /// The closing brackets that are awaited.
    open: Vec<TokenKind>,
}

impl Parser<'_> {
    fn lexeme(&self, ahead: usize) -> Lexeme {
        let last = self.lexemes.len() - 1;
        self.lexemes[(self.position + ahead).min(last)]
    }

    fn token(&self) -> Token {
        self.lexeme(0).token
    }

    /// The kind of the token before the current one.
    fn previous_kind(&self) -> Option<TokenKind> {
        self.position.checked_sub(1).map(|it| self.lexemes[it].token.kind)
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn peek(&self, ahead: usize) -> TokenKind {
        self.lexeme(ahead).token.kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Whether the current token is this word, which is no keyword.
    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Ident) && self.token_text() == word
    }

    fn token_text(&self) -> &str {
        self.token().text(self.text)
    }

    fn text_at(&self, ahead: usize) -> &str {
        self.lexeme(ahead).token.text(self.text)
    }

    /// Moves to the next token and returns the one it leaves; stays at `Eof`.
    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// The place of the token before the current one.
    fn previous(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(index) => self.lexemes[index].token.span,
            None => Span { end: self.span().start, ..self.span() },
        }
    }

    /// From `start` to the end of the token before the current one.
    fn since(&self, start: Span) -> Span {
        Span { end: self.previous().end.max(start.start), ..start }
    }

    fn name_of(&self, token: Token) -> Name {
        Name::new(token.text(self.text))
    }

    /// Takes the token, or reports that it is missing. Unknown characters are passed over.
    fn expect(&mut self, kind: TokenKind) -> bool {
        while self.at(TokenKind::Unknown) {
            self.advance();
        }
        if self.eat(kind) {
            return true;
        }
        self.unexpected(&format!("`{}`", kind.describe()));
        false
    }

    /// A name with a small letter first, as something that is defined.
    fn ident(&mut self, what: &str) -> Option<ast::Ident> {
        let token = self.token();
        match token.kind {
            TokenKind::Ident => {}
            TokenKind::Upper => self.wrong_case(token, "names start with a small letter"),
            _ if self.keyword_as_name() => {}
            _ => {
                self.unexpected(what);
                return None;
            }
        }
        self.advance();
        Some(ast::Ident { name: self.name_of(token), span: token.span })
    }

    /// A name with a capital letter first, as something that is defined.
    fn upper(&mut self, what: &str, title: &'static str) -> Option<ast::Ident> {
        let token = self.token();
        match token.kind {
            TokenKind::Upper => {}
            TokenKind::Ident => self.wrong_case(token, title),
            _ if self.keyword_as_name() => {}
            _ => {
                self.unexpected(what);
                return None;
            }
        }
        self.advance();
        Some(ast::Ident { name: self.name_of(token), span: token.span })
    }

    /// Runs `parse` one level deeper, on a larger stack if need be; `None` if that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.too_deep(MAX_DEPTH);
            return None;
        }
        self.depth += 1;
        let res = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || parse(self));
        self.depth -= 1;
        Some(res)
    }

    /// Runs `parse`, of a type, size or pattern, one level deeper; `None` if that is too deep.
    fn nested_small<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.small_depth >= MAX_SMALL_DEPTH {
            self.too_deep(MAX_SMALL_DEPTH);
            return None;
        }
        self.small_depth += 1;
        let res = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || parse(self));
        self.small_depth -= 1;
        Some(res)
    }

    /// An expression whose parts have at most height `below`.
    fn tree(&mut self, kind: ast::ExprKind, span: Span, below: u32) -> Tree {
        if below >= MAX_DEPTH {
            self.too_deep(MAX_DEPTH);
            return self.error_tree(span);
        }
        Tree { expr: ast::Expr { kind, span }, height: below + 1 }
    }

    fn error_tree(&self, span: Span) -> Tree {
        Tree { expr: ast::Expr { kind: ast::ExprKind::Error, span }, height: 1 }
    }
}
