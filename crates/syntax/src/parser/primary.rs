//! Expressions that start with their own token: literals, names, brackets, `match`.

use base::Span;
use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::{Arm, Expr, ExprKind, Ident};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// An operand without anything after it.
    pub(super) fn primary(&mut self) -> Tree {
        let token = self.token();
        match token.kind {
            TokenKind::Int
            | TokenKind::Real
            | TokenKind::Str
            | TokenKind::True
            | TokenKind::False
            | TokenKind::BadNumber
            | TokenKind::OpenString => {
                self.advance();
                let kind = self.literal(token);
                self.tree(kind, token.span, 0)
            }
            TokenKind::Ident if self.at_qualified() => {
                match self.peek(3) == TokenKind::LBrace && !self.no_record {
                    true => self.record(),
                    false => {
                        let Ident { name, span } = self.upper_name();
                        self.tree(ExprKind::Name(name), span, 0)
                    }
                }
            }
            TokenKind::Ident if self.at_foreign_form() => self.foreign_form(),
            TokenKind::Ident => self.name(),
            TokenKind::Upper if self.peek(1) == TokenKind::LBrace && !self.no_record => {
                self.record()
            }
            TokenKind::Upper => self.name(),
            TokenKind::LParen => self.parentheses(),
            TokenKind::LBracket => {
                let (elements, height) = self.exprs("this element");
                self.tree(ExprKind::Array(elements), self.since(token.span), height)
            }
            TokenKind::LBrace => self.block(),
            TokenKind::Match => self.choice(),
            TokenKind::Let => self.let_outside_block(),
            TokenKind::Dot if self.peek(1) == TokenKind::Int => {
                self.dot_before_number();
                self.advance();
                self.advance();
                self.error_tree(self.since(token.span))
            }
            TokenKind::Unknown => {
                self.advance();
                self.reported_at = Some(self.position);
                self.error_tree(token.span)
            }
            _ if self.keyword_as_name() => self.name(),
            _ => {
                self.unexpected("an expression");
                self.missing()
            }
        }
    }

    fn name(&mut self) -> Tree {
        let token = self.advance();
        let name = self.name_of(token);
        self.tree(ExprKind::Name(name), token.span, 0)
    }

    /// Whether the current token can start an operand.
    pub(super) fn starts_operand(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Int
                | TokenKind::Real
                | TokenKind::Str
                | TokenKind::True
                | TokenKind::False
                | TokenKind::Ident
                | TokenKind::Upper
                | TokenKind::Underscore
                | TokenKind::LParen
                | TokenKind::LBracket
                | TokenKind::LBrace
                | TokenKind::Match
                | TokenKind::Backslash
                | TokenKind::If
                | TokenKind::Build
                | TokenKind::Bang
        )
    }

    /// `()`, `(e)` or `(a, b)`
    fn parentheses(&mut self) -> Tree {
        let start = self.span();
        let mut elements: Vec<Expr> = Vec::new();
        let mut height = 0;
        let comma = self.list("this element", |it| {
            let element = it.inner_expr();
            height = height.max(element.height);
            elements.push(element.expr);
        });
        let span = self.since(start);
        let kind = match (elements.pop(), elements.is_empty()) {
            (Some(only), true) => {
                if let Some(span) = comma {
                    self.note(one_element(span));
                }
                ExprKind::Paren(Box::new(only))
            }
            (last, _) => {
                elements.extend(last);
                ExprKind::Tuple(elements)
            }
        };
        self.tree(kind, span, height)
    }

    /// `Vec3 { x: 1.0, y, ..v }`
    fn record(&mut self) -> Tree {
        let name = self.upper_name();
        let start = name.span;
        let mut fields = Vec::new();
        let mut base: Option<Box<Expr>> = None;
        let mut height = 0;
        self.list("this field", |it| {
            if it.at(TokenKind::DotDot) {
                let span = it.advance().span;
                let value = it.inner_expr();
                height = height.max(value.height);
                if base.is_some() {
                    it.note(second_base(span));
                }
                base = Some(Box::new(value.expr));
                return;
            }
            if base.is_some() {
                it.note(second_base(it.span()));
            }
            let Some(field) = it.ident("a field") else { return };
            it.note_assigned_field();
            let value = it.eat(TokenKind::Colon).then(|| it.inner_expr());
            height = height.max(value.as_ref().map_or(0, |it| it.height));
            fields.push((field, value.map(|it| it.expr)));
        });
        self.tree(ExprKind::Record { name, fields, base }, self.since(start), height)
    }

    /// `match e { p => e, ... }`
    fn choice(&mut self) -> Tree {
        let start = self.advance().span;
        let no_record = std::mem::replace(&mut self.no_record, true);
        let value = self.expr();
        self.no_record = no_record;
        let mut arms = Vec::new();
        let mut height = value.height;
        self.word_before_arms();
        if self.at(TokenKind::LBrace) {
            self.list("this arm", |it| {
                let (arm, arm_height) = it.arm();
                height = height.max(arm_height);
                arms.push(arm);
            });
        } else {
            self.unexpected("`{`");
        }
        let kind = ExprKind::Match { value: Box::new(value.expr), arms };
        self.tree(kind, self.since(start), height)
    }

    fn arm(&mut self) -> (Arm, u32) {
        let start = self.span();
        self.bar_before_arm();
        let pattern = self.pattern();
        self.alternatives_or_guard();
        self.fat_arrow();
        let body = self.inner_expr();
        let arm = Arm { pattern, body: body.expr, span: self.since(start) };
        (arm, body.height)
    }
}

fn one_element(span: Span) -> SyntaxError {
    SyntaxError::Unexpected {
        span,
        expected: "a second element".to_owned(),
        found: "`)`".to_owned(),
        help: Some("remove the comma; a tuple has at least two elements".to_owned()),
    }
}

fn second_base(span: Span) -> SyntaxError {
    SyntaxError::Unexpected {
        span,
        expected: "`}`".to_owned(),
        found: "another field".to_owned(),
        help: Some("let `..` with the record to start from stand last".to_owned()),
    }
}
