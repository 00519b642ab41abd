//! `a with [i, j] = e`: an array with another element, or another row. `with` is no keyword: it is one
//! where a bracket follows.

use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::ExprKind;
use crate::error::SyntaxError;

impl Parser<'_> {
    /// Whether `with [` follows; `match e with` is how others begin the arms.
    pub(super) fn at_with(&self) -> bool {
        self.at_word("with") && self.peek(1) == TokenKind::LBracket && !self.no_record
    }

    /// What follows an array; another one may follow that.
    pub(super) fn with(&mut self, array: Tree) -> Tree {
        self.advance();
        let open = self.span();
        let (indices, height) = self.exprs("this position");
        if indices.is_empty() {
            self.note(SyntaxError::Unexpected {
                span: self.since(open),
                expected: "a position".to_owned(),
                found: "nothing".to_owned(),
                help: Some("write where, as in `a with [i] = x`".to_owned()),
            });
        }
        let value = match self.assign() {
            true => self.operators(),
            false => self.missing(),
        };
        let span = array.expr.span.to(value.expr.span);
        let height = height.max(array.height).max(value.height);
        let (array, value) = (Box::new(array.expr), Box::new(value.expr));
        self.tree(ExprKind::With { array, indices, value }, span, height)
    }
}
