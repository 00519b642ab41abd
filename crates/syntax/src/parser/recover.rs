//! Reporting, and finding the place to go on after an error.

use base::token::TokenKind;
use base::{Diagnostic, Span};

use super::{MAX_ERRORS, Parser, Tree};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// Adds an error about something that was understood all the same.
    pub(super) fn note(&mut self, error: SyntaxError) {
        if self.errors.len() <= MAX_ERRORS * 4 {
            self.errors.push(error);
        }
    }

    /// Adds an error about the current token, unless one was reported at it before.
    pub(super) fn report(&mut self, error: SyntaxError) {
        if !self.spoken_of() {
            self.note(error);
        }
        self.reported_at = Some(self.position);
    }

    /// Whether an error at the current token was reported, or it is one by itself.
    fn spoken_of(&self) -> bool {
        let bad = matches!(
            self.kind(),
            TokenKind::Unknown
                | TokenKind::OpenString
                | TokenKind::BadNumber
                | TokenKind::At
                | TokenKind::Dollar
        );
        bad || self.reported_at == Some(self.position)
    }

    /// Reports that the current token should be something else.
    pub(super) fn unexpected(&mut self, expected: &str) {
        if self.spoken_of() {
            self.reported_at = Some(self.position);
            return;
        }
        let help = self.hint(expected);
        self.unexpected_with(expected, help);
    }

    /// Reports that the current token should be something else, with help of the caller's own.
    pub(super) fn unexpected_with(&mut self, expected: &str, help: Option<String>) {
        let error = SyntaxError::Unexpected {
            span: self.here(),
            expected: expected.to_owned(),
            found: self.found(),
            help,
        };
        self.report(error);
    }

    /// Where something is missing: at the current token, or after the one before if the current
    /// one stands in another line.
    pub(super) fn here(&self) -> Span {
        let elsewhere = self.lexeme(0).first || self.at(TokenKind::Eof);
        match self.position > 0 && elsewhere {
            true => Span { start: self.previous().end, ..self.previous() },
            false => self.span(),
        }
    }

    /// The current token in words.
    pub(super) fn found(&self) -> String {
        let text = self.token_text();
        match self.kind() {
            TokenKind::Eof => "the end of the text".to_owned(),
            TokenKind::Str => "a text".to_owned(),
            _ if text.chars().count() <= 16 => format!("`{text}`"),
            _ => format!("`{}...`", text.chars().take(13).collect::<String>()),
        }
    }

    /// Reports what is too deep and skips the rest of the declaration.
    pub(super) fn too_deep(&mut self, limit: u32) {
        self.report(SyntaxError::TooDeep { span: self.span(), limit });
        while !self.at_end() {
            self.advance();
        }
        self.reported_at = Some(self.position);
    }

    /// Whether the text ends here or a declaration starts: nothing skips further than this.
    pub(super) fn at_end(&self) -> bool {
        let lexeme = self.lexeme(0);
        lexeme.token.kind == TokenKind::Eof
            || ((is_item_keyword(lexeme.token.kind) || self.at_plot())
                && lexeme.first
                && lexeme.column <= self.item_column)
    }

    /// Whether a `plot` starts here. It is no keyword: two values never stand side by side, so a name with a
    /// text behind it is nothing else, and `plot` stays a name.
    pub(super) fn at_plot(&self) -> bool {
        self.at_word("plot") && matches!(self.peek(1), TokenKind::Str | TokenKind::OpenString)
    }

    /// Skips to one of `stops` or a closing bracket, over whole pairs of brackets.
    pub(super) fn skip_to(&mut self, stops: &[TokenKind]) {
        let mut depth = 0_usize;
        while !self.at_end() {
            let kind = self.kind();
            if depth == 0 && (stops.contains(&kind) || is_closing(kind)) {
                break;
            }
            if closing(kind).is_some() {
                depth += 1;
            } else if is_closing(kind) {
                depth -= 1;
            }
            self.advance();
        }
        self.reported_at = Some(self.position);
    }

    /// Reports what stands after the end of a text that is one expression or type.
    pub(super) fn end_of_text(&mut self) {
        if !self.at(TokenKind::Eof) {
            self.unexpected("the end of the text");
        }
    }

    /// Takes an opening bracket and notes that its partner is awaited; returns its place.
    pub(super) fn open(&mut self) -> Span {
        let token = self.advance();
        self.open.push(closing(token.kind).unwrap_or(TokenKind::Gt));
        token.span
    }

    /// Takes the closing bracket that belongs to `open`, or reports that it is missing.
    pub(super) fn close(&mut self, open: Span) {
        let kind = self.open.pop().unwrap_or(TokenKind::RParen);
        if self.eat(kind) {
            return;
        }
        let error = SyntaxError::Unclosed { open, bracket: opening(kind), at: self.here() };
        self.report(error);
        // A wrong closing bracket that nobody else awaits was meant to be this one.
        if is_closing(self.kind()) && !self.open.contains(&self.kind()) {
            self.advance();
        }
    }

    /// Parses elements between brackets, separated by commas; a comma may stand at the end.
    /// The current token is the opening bracket. Returns the place of a comma at the end.
    pub(super) fn list(
        &mut self,
        what: &'static str,
        mut element: impl FnMut(&mut Self),
    ) -> Option<Span> {
        let open = self.open();
        let mut comma = None;
        while !self.at_close() && !self.at_end() {
            let before = self.position;
            element(self);
            let Some(separator) = self.separator(before, what) else {
                comma = None;
                break;
            };
            comma = Some(separator);
        }
        self.close(open);
        comma
    }

    /// Goes on to the next element of a list, reporting what stands in the way; `None` at the end.
    fn separator(&mut self, before: usize, what: &'static str) -> Option<Span> {
        let close = self.open.last().copied().unwrap_or(TokenKind::RParen);
        let mut skipped = false;
        loop {
            let kind = self.kind();
            if kind == TokenKind::Comma {
                return Some(self.advance().span);
            }
            if is_closing(kind) || kind == close || self.at_end() {
                return None;
            }
            if self.at_comprehension() {
                self.comprehension();
                return None;
            }
            // A `let` on its own line cannot be in a list either.
            if kind == TokenKind::Let && self.lexeme(0).first {
                return None;
            }
            if kind == TokenKind::Semicolon {
                // Inside a block it ends a `let`, and the bracket was forgotten.
                if close != TokenKind::RBrace && self.open.contains(&TokenKind::RBrace) {
                    return None;
                }
                let help = "separate them with `,`".to_owned();
                self.unexpected_with(&format!("`,` or `{}`", close.describe()), Some(help));
                return Some(self.advance().span);
            }
            if self.missing_comma(before, what) {
                return Some(self.previous());
            }
            if skipped {
                return None;
            }
            skipped = true;
            self.unexpected(&format!("`,` or `{}`", close.describe()));
            match close {
                TokenKind::Gt => self.skip_to(&[
                    TokenKind::Comma,
                    TokenKind::Semicolon,
                    TokenKind::Gt,
                    TokenKind::Assign,
                    TokenKind::FatArrow,
                ]),
                _ => self.skip_to(&[TokenKind::Comma, TokenKind::Semicolon]),
            }
        }
    }

    /// Whether the current token closes the innermost open bracket.
    pub(super) fn at_close(&self) -> bool {
        self.open.last() == Some(&self.kind())
    }

    /// If the next element starts on a line of its own, only a comma is missing: reports that.
    fn missing_comma(&mut self, before: usize, what: &'static str) -> bool {
        let fresh = self.position > before && self.reported_at != Some(self.position);
        let next_element = self.lexeme(0).first && self.starts_operand();
        if fresh && next_element && self.open.last() != Some(&TokenKind::Gt) {
            let after = self.previous();
            self.note(SyntaxError::MissingSeparator { after, separator: ",", what });
            return true;
        }
        false
    }

    /// The errors in the order of the text, as many as are worth showing.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.errors.sort_by_cached_key(|it| it.place().start);
        let more = self.errors.get(MAX_ERRORS).map(SyntaxError::place);
        self.errors.truncate(MAX_ERRORS);
        self.errors.extend(more.map(|span| SyntaxError::TooMany { span }));
        self.errors.iter().map(SyntaxError::to_diagnostic).collect()
    }

    /// An `Error` node in place of the current token, which stays.
    pub(super) fn missing(&self) -> Tree {
        let span = self.span();
        self.error_tree(Span { end: span.start, ..span })
    }
}

pub(super) fn is_item_keyword(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Import
            | TokenKind::Pub
            | TokenKind::Def
            | TokenKind::Type
            | TokenKind::Data
            | TokenKind::Test
            | TokenKind::Bench
    )
}

pub(super) fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace)
}

/// The bracket that closes this one.
fn closing(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::LParen => Some(TokenKind::RParen),
        TokenKind::LBracket => Some(TokenKind::RBracket),
        TokenKind::LBrace => Some(TokenKind::RBrace),
        _ => None,
    }
}

/// The bracket that this one closes, as text.
fn opening(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::RBracket => "[",
        TokenKind::RBrace => "{",
        TokenKind::Gt => "<",
        _ => "(",
    }
}
