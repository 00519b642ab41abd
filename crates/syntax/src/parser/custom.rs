//! Custom derivatives: `with vjp(x, dy) = e` after a definition.
//!
//! `with` is no keyword: two values never stand side by side, so after the body of a definition the
//! word can only mean this, and everywhere else it is a name.

use base::token::TokenKind;

use super::Parser;
use crate::ast::{Custom, CustomKind, Ident};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// The derivatives that a definition comes with.
    pub(super) fn customs(&mut self) -> Vec<Custom> {
        let mut res = Vec::new();
        while self.at_custom() {
            res.extend(self.custom());
        }
        res
    }

    /// Whether a custom derivative starts here: `with` and its kind, or in a new line any word.
    pub(super) fn at_custom(&self) -> bool {
        let next = self.lexeme(1).token;
        let known = matches!(next.text(self.text), "vjp" | "jvp");
        let named = next.kind == TokenKind::Ident && (known || self.lexeme(0).first);
        self.at_word("with") && named
    }

    fn custom(&mut self) -> Option<Custom> {
        let start = self.advance().span;
        let token = self.token();
        let kinds = [CustomKind::Vjp, CustomKind::Jvp];
        let kind = kinds.into_iter().find(|it| it.word() == self.token_text());
        let Some(kind) = kind else {
            let help = "a definition comes `with vjp(...) = ...` or `with jvp(...) = ...`".into();
            self.unexpected_with("`vjp` or `jvp`", Some(help));
            self.next_custom();
            return None;
        };
        self.advance();
        let name = Ident { name: self.name_of(token), span: token.span };
        let mut params = Vec::new();
        if !self.at(TokenKind::LParen) {
            self.unexpected("`(`");
            self.next_custom();
            return None;
        }
        self.list("this parameter", |it| params.push(it.param()));
        if self.at(TokenKind::Colon) {
            let title = "a custom derivative has no type of its own".to_owned();
            let help = "remove it: its type follows from the definition".to_owned();
            let label = "not needed";
            self.report(SyntaxError::Foreign { span: self.span(), title, label, help });
            self.advance();
            self.ty();
        }
        if !self.assign() {
            self.next_custom();
            return None;
        }
        let body = self.inner_expr().expr;
        Some(Custom { kind, name, params, body, span: self.since(start) })
    }

    /// Skips to the next derivative or declaration.
    fn next_custom(&mut self) {
        loop {
            let at_next = self.at_custom() && self.lexeme(0).first;
            if at_next || self.at_end() {
                return;
            }
            self.advance();
        }
    }
}
