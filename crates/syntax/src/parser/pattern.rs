//! Patterns.

use base::Span;
use base::token::TokenKind;

use super::Parser;
use crate::ast::{Ident, Pattern, PatternKind};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// A pattern.
    pub(super) fn pattern(&mut self) -> Pattern {
        let start = self.span();
        let kind = self.nested_small(Self::pattern_kind).unwrap_or(PatternKind::Error);
        Pattern { kind, span: self.since(start) }
    }

    fn pattern_kind(&mut self) -> PatternKind {
        let token = self.token();
        match token.kind {
            TokenKind::Underscore => {
                self.advance();
                PatternKind::Wildcard
            }
            TokenKind::Ident if self.at_qualified() => self.constructor(),
            TokenKind::Ident => {
                self.advance();
                PatternKind::Name(self.name_of(token))
            }
            TokenKind::Int => {
                self.advance();
                self.int(token).map_or(PatternKind::Error, PatternKind::Int)
            }
            TokenKind::Minus if self.peek(1) == TokenKind::Int => {
                self.advance();
                self.negative()
            }
            TokenKind::True | TokenKind::False => {
                self.advance();
                PatternKind::Bool(token.kind == TokenKind::True)
            }
            TokenKind::Str => {
                self.advance();
                PatternKind::Str(self.string(token))
            }
            TokenKind::LParen => self.tuple_pattern(),
            TokenKind::Upper => self.constructor(),
            TokenKind::OpenString | TokenKind::BadNumber | TokenKind::Unknown => {
                self.advance();
                PatternKind::Error
            }
            TokenKind::Real | TokenKind::LBracket => self.no_pattern(),
            _ if self.keyword_as_name() => {
                self.advance();
                PatternKind::Name(self.name_of(token))
            }
            _ => {
                self.unexpected("a pattern");
                PatternKind::Error
            }
        }
    }

    /// The digits after a minus; the least integer is fine here.
    fn negative(&mut self) -> PatternKind {
        let token = self.advance();
        if token.text(self.text) == "9223372036854775808" {
            return PatternKind::Int(i64::MIN);
        }
        self.int(token).map_or(PatternKind::Error, |it| PatternKind::Int(-it))
    }

    /// `()`, `(p)` or `(p, q)`; parentheses around one pattern mean nothing.
    fn tuple_pattern(&mut self) -> PatternKind {
        let mut parts = self.patterns();
        match parts.len() {
            1 => parts.pop().map_or(PatternKind::Error, |it| it.kind),
            _ => PatternKind::Tuple(parts),
        }
    }

    fn patterns(&mut self) -> Vec<Pattern> {
        let mut parts = Vec::new();
        self.list("this pattern", |it| {
            parts.push(it.pattern());
            it.annotation_in_pattern();
        });
        parts
    }

    /// `Nil`, `Cons(h, t)` or `Vec3 { x, y: p }`
    fn constructor(&mut self) -> PatternKind {
        let name = self.upper_name();
        match self.kind() {
            TokenKind::LParen => PatternKind::Con(name, self.patterns()),
            TokenKind::LBrace => PatternKind::Record(name, self.field_patterns()),
            _ => PatternKind::Con(name, Vec::new()),
        }
    }

    fn field_patterns(&mut self) -> Vec<(Ident, Option<Pattern>)> {
        let mut fields = Vec::new();
        self.list("this field", |it| {
            if it.at(TokenKind::DotDot) {
                let span = it.advance().span;
                it.note(needless_rest(span));
                return;
            }
            let Some(field) = it.ident("a field") else { return };
            let pattern = it.eat(TokenKind::Colon).then(|| it.pattern());
            fields.push((field, pattern));
        });
        fields
    }

    /// Reports what cannot be matched, a real number or an array, and skips it.
    fn no_pattern(&mut self) -> PatternKind {
        let span = self.span();
        let (title, help) = match self.kind() {
            TokenKind::Real => ("a real number cannot be matched", "compare with `if` instead"),
            _ => ("an array cannot be matched", "bind it to a name and read `xs[0]`, `xs[1]`, ..."),
        };
        self.note(SyntaxError::Foreign {
            span,
            title: title.to_owned(),
            label: "not a pattern",
            help: help.to_owned(),
        });
        let bracket = self.at(TokenKind::LBracket);
        self.advance();
        if bracket {
            self.skip_to(&[TokenKind::Semicolon, TokenKind::FatArrow]);
            self.eat(TokenKind::RBracket);
        }
        PatternKind::Error
    }
}

fn needless_rest(span: Span) -> SyntaxError {
    SyntaxError::Foreign {
        span,
        title: "`..` is not needed in a pattern".to_owned(),
        label: "remove it",
        help: "leave out the fields that do not matter".to_owned(),
    }
}
