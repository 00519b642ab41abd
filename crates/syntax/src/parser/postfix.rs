//! What follows an operand: calls, indices, fields.

use base::Span;
use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::{Expr, ExprKind, Ident, IndexItem};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// A primary expression with calls, indices and fields after it.
    pub(super) fn postfix(&mut self) -> Tree {
        let mut res = self.primary();
        loop {
            res = match self.kind() {
                TokenKind::LParen => self.call(res),
                TokenKind::LBracket => self.index(res),
                TokenKind::Dot => self.dot(res),
                _ if self.side_by_side(&res.expr) => self.juxtaposed(res),
                _ => return res,
            };
        }
    }

    fn call(&mut self, function: Tree) -> Tree {
        let (args, height) = self.exprs("this argument");
        let span = self.since(function.expr.span);
        let below = function.height.max(height);
        let kind = ExprKind::Call { function: Box::new(function.expr), args };
        self.tree(kind, span, below)
    }

    /// Expressions between brackets, and the height of the highest.
    pub(super) fn exprs(&mut self, what: &'static str) -> (Vec<Expr>, u32) {
        let mut res = Vec::new();
        let mut height = 0;
        self.list(what, |it| {
            it.note_named_argument();
            let element = it.inner_expr();
            height = height.max(element.height);
            res.push(element.expr);
        });
        (res, height)
    }

    fn index(&mut self, array: Tree) -> Tree {
        let mut indices = Vec::new();
        let mut height = array.height;
        let open = self.span();
        self.list("this index", |it| {
            let (item, item_height) = it.index_item();
            height = height.max(item_height);
            indices.push(item);
        });
        let span = self.since(array.expr.span);
        if indices.is_empty() {
            let help = "write an index, as in `a[i]`, or a range, as in `a[1..n]`".to_owned();
            self.note(SyntaxError::Unexpected {
                span: self.since(open),
                expected: "an index".to_owned(),
                found: "nothing".to_owned(),
                help: Some(help),
            });
        }
        self.tree(ExprKind::Index { array: Box::new(array.expr), indices }, span, height)
    }

    /// `i` or `lo..hi`
    fn index_item(&mut self) -> (IndexItem, u32) {
        let start = self.span();
        let lo = if self.at(TokenKind::DotDot) { None } else { Some(self.inner_expr()) };
        let height = lo.as_ref().map_or(0, |it| it.height);
        if !self.at(TokenKind::DotDot) {
            let at = lo.unwrap_or_else(|| self.missing());
            return (IndexItem::At(at.expr), height);
        }
        self.advance();
        let ends = self.at_close() || self.at(TokenKind::Comma);
        let hi = if ends { None } else { Some(self.inner_expr()) };
        let height = height.max(hi.as_ref().map_or(0, |it| it.height));
        let span = self.since(start);
        (IndexItem::Range { lo: lo.map(|it| it.expr), hi: hi.map(|it| it.expr), span }, height)
    }

    /// `v.x` or `p.0`
    fn dot(&mut self, value: Tree) -> Tree {
        if matches!(value.expr.kind, ExprKind::Int(_) | ExprKind::Real(_)) {
            self.dot_after_number(value.expr.span);
            self.advance();
            // What is after the dot belongs to the malformed number only if it touches it.
            let touching = self.span().start == self.previous().end;
            if touching && matches!(self.kind(), TokenKind::Int | TokenKind::Ident) {
                self.advance();
            }
            return value;
        }
        self.advance();
        let token = self.token();
        let (start, height) = (value.expr.span, value.height);
        let value = Box::new(value.expr);
        let kind = match token.kind {
            TokenKind::Int => {
                self.advance();
                let index = self.int(token).and_then(|it| usize::try_from(it).ok());
                index.map(|index| ExprKind::Proj { value, index, index_span: token.span })
            }
            TokenKind::BadNumber => {
                self.advance();
                None
            }
            _ => self.ident("a field").map(|field: Ident| ExprKind::Field { value, field }),
        };
        let span = self.since(start);
        self.tree(kind.unwrap_or(ExprKind::Error), span, height)
    }

    /// Whether a value stands directly after a complete operand, in the same line.
    fn side_by_side(&self, left: &Expr) -> bool {
        let callable = matches!(
            left.kind,
            ExprKind::Name(_)
                | ExprKind::Call { .. }
                | ExprKind::Field { .. }
                | ExprKind::Proj { .. }
                | ExprKind::Index { .. }
                | ExprKind::Paren(_)
        );
        callable && self.starts_argument()
    }

    /// Whether the current token can only be an argument in the manner of `f x`.
    fn starts_argument(&self) -> bool {
        let simple = matches!(
            self.kind(),
            TokenKind::Ident
                | TokenKind::Upper
                | TokenKind::Int
                | TokenKind::Real
                | TokenKind::Str
                | TokenKind::True
                | TokenKind::False
        );
        simple
            && !self.lexeme(0).first
            && !self.at_foreign_infix()
            && !self.at_foreign_link()
            && !self.at_comprehension()
            && !self.at_custom()
            && !self.at_with()
    }

    /// Reports `f x y` and takes it for `f(x, y)`.
    fn juxtaposed(&mut self, function: Tree) -> Tree {
        let first = self.span();
        let mut args: Vec<Expr> = Vec::new();
        while self.starts_argument() {
            let token = self.advance();
            let kind = match token.kind {
                TokenKind::Ident | TokenKind::Upper => ExprKind::Name(self.name_of(token)),
                _ => self.literal(token),
            };
            args.push(Expr { kind, span: token.span });
        }
        let help = self.juxtaposition_help(&function.expr, self.since(first));
        self.note(SyntaxError::Juxtaposition { span: first, help });
        self.reported_at = Some(self.position);
        let span = self.since(function.expr.span);
        let height = function.height;
        self.tree(ExprKind::Call { function: Box::new(function.expr), args }, span, height)
    }

    fn juxtaposition_help(&self, function: &Expr, args: Span) -> String {
        let function = &self.text[function.span.range()];
        let args: Vec<&str> = self.text[args.range()].split_whitespace().collect();
        let call = format!("{function}({})", args.join(", "));
        if call.len() <= 40 && !call.contains('\n') {
            format!("write `{call}` to call it, or put an operator between them")
        } else {
            "write `f(x)` to call a function, or put an operator between them".to_owned()
        }
    }
}
