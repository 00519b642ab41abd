//! Expressions from the loosest form to prefix operators.

use base::Span;
use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::{BinaryOp, ExprKind, Param, UnaryOp};
use crate::error::SyntaxError;

/// How tightly comparisons bind; they are not chained.
const COMPARISON: u8 = 3;

/// How tightly sums bind: what a bound of `build` is parsed with.
const ADDITIVE: u8 = 4;

impl Parser<'_> {
    /// An expression of any form.
    pub(super) fn expr(&mut self) -> Tree {
        let mut res = self.operators();
        while self.at_with() {
            res = self.with(res);
        }
        res
    }

    /// Operands joined by any operators.
    pub(super) fn operators(&mut self) -> Tree {
        self.nested(|it| it.binary(0)).unwrap_or_else(|| self.missing())
    }

    /// An expression inside brackets: records may stand in it, whatever was outside.
    pub(super) fn inner_expr(&mut self) -> Tree {
        let no_record = std::mem::replace(&mut self.no_record, false);
        let res = self.expr();
        self.no_record = no_record;
        res
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Tree {
        let mut left = self.unary();
        let mut comparison: Option<Span> = None;
        while let Some((op, tightness)) = self.peek_operator().filter(|it| it.1 >= least) {
            let op_span = self.take_operator(op);
            if tightness == COMPARISON {
                if let Some(first) = comparison {
                    self.note(SyntaxError::ComparisonChain { first, second: op_span });
                }
                comparison = Some(op_span);
            } else {
                comparison = None;
            }
            let right = self.binary(tightness + 1);
            if matches!(right.expr.kind, ExprKind::Error) {
                comparison = None;
            }
            let span = left.expr.span.to(right.expr.span);
            let below = left.height.max(right.height);
            let (left_expr, right_expr) = (Box::new(left.expr), Box::new(right.expr));
            let kind = ExprKind::Binary { op, op_span, left: left_expr, right: right_expr };
            left = self.tree(kind, span, below);
        }
        left
    }

    /// The infix operator at the current token, and how tightly it binds; operators of other
    /// languages count as what they mean.
    fn peek_operator(&self) -> Option<(BinaryOp, u8)> {
        Some(match self.kind() {
            TokenKind::OrOr => (BinaryOp::Or, 1),
            TokenKind::AndAnd => (BinaryOp::And, 2),
            TokenKind::EqEq => (BinaryOp::Eq, COMPARISON),
            TokenKind::NotEq => (BinaryOp::Ne, COMPARISON),
            TokenKind::Lt => (BinaryOp::Lt, COMPARISON),
            TokenKind::Le => (BinaryOp::Le, COMPARISON),
            TokenKind::Gt if self.is_greater_or_equal() => (BinaryOp::Ge, COMPARISON),
            TokenKind::Gt => (BinaryOp::Gt, COMPARISON),
            TokenKind::Close => (BinaryOp::Close, COMPARISON),
            TokenKind::Plus => (BinaryOp::Add, ADDITIVE),
            TokenKind::Minus => (BinaryOp::Sub, ADDITIVE),
            TokenKind::Star => (BinaryOp::Mul, 5),
            TokenKind::Slash => (BinaryOp::Div, 5),
            TokenKind::Percent => (BinaryOp::Rem, 5),
            _ => return self.peek_foreign_operator(),
        })
    }

    /// Whether the current `>` and the token after it make `>=` (see `lex.rs`).
    fn is_greater_or_equal(&self) -> bool {
        let next = self.lexeme(1).token;
        next.kind == TokenKind::Assign && next.span.start == self.span().end
    }

    fn take_operator(&mut self, op: BinaryOp) -> Span {
        self.note_foreign_operator(op);
        let start = self.advance().span;
        if op == BinaryOp::Ge {
            self.advance();
        }
        self.since(start)
    }

    /// Prefix operators, and the forms that reach as far to the right as they can.
    pub(super) fn unary(&mut self) -> Tree {
        match self.kind() {
            TokenKind::Minus => self.prefix(UnaryOp::Neg),
            TokenKind::Bang => self.prefix(UnaryOp::Not),
            TokenKind::Backslash => self.lambda(),
            TokenKind::If => self.conditional(),
            TokenKind::Build => self.build(),
            TokenKind::Plus => self.prefix_plus(),
            TokenKind::Ident if self.at_foreign_not() => self.foreign_not(),
            _ => self.power(),
        }
    }

    pub(super) fn prefix(&mut self, op: UnaryOp) -> Tree {
        let start = self.advance().span;
        let value = self.nested(Self::unary).unwrap_or_else(|| self.missing());
        let span = start.to(value.expr.span);
        let height = value.height;
        self.tree(ExprKind::Unary { op, value: Box::new(value.expr) }, span, height)
    }

    /// `a ** b`, to the right; the exponent may have a sign.
    fn power(&mut self) -> Tree {
        let base = self.postfix();
        let caret = self.at(TokenKind::Caret);
        if !self.at(TokenKind::StarStar) && !caret {
            return base;
        }
        if caret {
            self.note_caret();
        }
        let op_span = self.advance().span;
        let exponent = self.nested(Self::unary).unwrap_or_else(|| self.missing());
        let span = base.expr.span.to(exponent.expr.span);
        let below = base.height.max(exponent.height);
        let (left, right) = (Box::new(base.expr), Box::new(exponent.expr));
        self.tree(ExprKind::Binary { op: BinaryOp::Pow, op_span, left, right }, span, below)
    }

    /// `\x, y => e`
    fn lambda(&mut self) -> Tree {
        let start = self.advance().span;
        let mut params = Vec::new();
        let nothing = self.at(TokenKind::LParen)
            && self.peek(1) == TokenKind::RParen
            && matches!(self.peek(2), TokenKind::FatArrow | TokenKind::Arrow);
        if nothing {
            self.advance();
            self.advance();
        } else {
            params = self.lambda_params();
        }
        self.lambda_body(start, params)
    }

    fn lambda_params(&mut self) -> Vec<Param> {
        let mut params = vec![self.param()];
        while self.eat(TokenKind::Comma) || self.note_side_by_side_params() {
            params.push(self.param());
        }
        params
    }

    /// The arrow and what stands after it.
    pub(super) fn lambda_body(&mut self, start: Span, params: Vec<Param>) -> Tree {
        self.fat_arrow();
        let body = self.expr();
        let span = start.to(body.expr.span);
        let height = body.height;
        self.tree(ExprKind::Lambda { params, body: Box::new(body.expr) }, span, height)
    }

    /// `pattern [ ':' type ]`
    pub(super) fn param(&mut self) -> Param {
        let pattern = self.pattern();
        let ty = self.eat(TokenKind::Colon).then(|| self.ty());
        Param { pattern, ty }
    }

    /// `build i < n, j < m => e`
    fn build(&mut self) -> Tree {
        let start = self.advance().span;
        let mut indices = Vec::new();
        let mut height = 0;
        while let Some(index) = self.ident("an index") {
            if !self.less_in_build() {
                break;
            }
            let bound = self.nested(|it| it.binary(ADDITIVE)).unwrap_or_else(|| self.missing());
            height = height.max(bound.height);
            indices.push((index, bound.expr));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.fat_arrow();
        let body = self.expr();
        let span = start.to(body.expr.span);
        let below = height.max(body.height);
        self.tree(ExprKind::Build { indices, body: Box::new(body.expr) }, span, below)
    }

    /// `if c then a else b`
    pub(super) fn conditional(&mut self) -> Tree {
        let start = self.advance().span;
        let cond = self.expr();
        self.then();
        let then = self.expr();
        let otherwise = self.otherwise(start);
        let span = start.to(otherwise.expr.span).to(then.expr.span);
        let below = cond.height.max(then.height).max(otherwise.height);
        let kind = ExprKind::If {
            cond: Box::new(cond.expr),
            then: Box::new(then.expr),
            otherwise: Box::new(otherwise.expr),
        };
        self.tree(kind, span, below)
    }

    fn otherwise(&mut self, keyword: Span) -> Tree {
        self.semicolon_before_else();
        if self.eat(TokenKind::Else) {
            self.colon_after_else();
            return self.expr();
        }
        if self.note_elif() {
            return self.nested(Self::conditional).unwrap_or_else(|| self.missing());
        }
        self.report(SyntaxError::MissingElse { keyword, at: self.here() });
        self.missing()
    }
}
