//! Literals: the values of number and string tokens.

use base::Span;
use base::literal::{read_int, read_real, read_string};
use base::token::{Token, TokenKind};

use super::Parser;
use crate::ast::ExprKind;
use crate::error::SyntaxError;

impl Parser<'_> {
    /// The value of a literal token that was taken; `Error` if it has none.
    pub(super) fn literal(&mut self, token: Token) -> ExprKind {
        match token.kind {
            TokenKind::Int => self.int(token).map_or(ExprKind::Error, ExprKind::Int),
            TokenKind::Real => self.real(token).map_or(ExprKind::Error, ExprKind::Real),
            TokenKind::Str => ExprKind::Str(self.string(token)),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            _ => ExprKind::Error,
        }
    }

    /// The value of an integer token; reports one that is too large.
    pub(super) fn int(&mut self, token: Token) -> Option<i64> {
        let value = read_int(token.text(self.text));
        if value.is_none() {
            let help = match token.text(self.text) {
                "9223372036854775808" => {
                    "write `-9223372036854775807 - 1` for the least integer".to_owned()
                }
                text => format!("write a real number, `{text}.0`, if that is meant"),
            };
            let help = Some(help).filter(|it| it.len() < 100);
            let problem = "larger than 9223372036854775807, the greatest `Int`";
            self.note(SyntaxError::BadNumber { span: token.span, problem, help });
        }
        value
    }

    /// The value of a token that is a real number; reports one that is too large.
    fn real(&mut self, token: Token) -> Option<f64> {
        let value = read_real(token.text(self.text));
        if value.is_none() {
            let problem = "larger than every `Real`";
            let help = Some("write `infinity` if that is meant".to_owned());
            self.note(SyntaxError::BadNumber { span: token.span, problem, help });
        }
        value
    }

    /// The characters of a string token.
    pub(super) fn string(&mut self, token: Token) -> String {
        read_string(token.text(self.text)).0
    }

    /// Reports a number that ends in a dot (`1.`); the dot is the current token.
    pub(super) fn dot_after_number(&mut self, number: Span) {
        let span = number.to(self.span());
        let text = &self.text[number.range()];
        let problem = "digits are needed on both sides of the dot";
        let help = match self.peek(1) {
            TokenKind::Int => None,
            _ => Some(format!("write `{text}.0`")).filter(|it| it.len() < 60),
        };
        self.note(SyntaxError::BadNumber { span, problem, help });
    }

    /// Reports a number that starts with a dot (`.5`); the dot is the current token.
    pub(super) fn dot_before_number(&mut self) {
        let digits = self.lexeme(1).token;
        let problem = "digits are needed on both sides of the dot";
        let help = Some(format!("write `0.{}`", digits.text(self.text)));
        let help = help.filter(|it| it.len() < 60);
        let span = self.span().to(digits.span);
        self.note(SyntaxError::BadNumber { span, problem, help });
    }
}
