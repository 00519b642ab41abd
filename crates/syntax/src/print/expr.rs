//! Expressions.

use base::Span;
use base::token::TokenKind;

use super::bodies::{ends_in_block, hugged_argument, hugs, is_atom, is_block};
use super::layout::Op;
use super::list::ListStyle;
use super::tokens::Printer;
use crate::ast::{Arm, BinaryOp, Expr, ExprKind, Ident, IndexItem, Let, UnaryOp};

impl Printer<'_> {
    /// An expression. Deep ones get more stack.
    pub(super) fn expr(&mut self, expr: &Expr) {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.expr_kind(expr));
    }

    fn expr_kind(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Error => self.any_token(),
            ExprKind::Name(_) => self.name(),
            ExprKind::Tuple(parts) => {
                self.list(parts, ListStyle::Tight, |it, part| it.expr(part));
            }
            ExprKind::Paren(inner) => self.paren(inner),
            ExprKind::Record { fields, base, .. } => self.record(fields, base.as_deref()),
            ExprKind::Array(parts) => self.array(parts),
            ExprKind::Lambda { params, body } => {
                self.token(TokenKind::Backslash);
                if params.is_empty() {
                    self.token(TokenKind::LParen);
                    self.token(TokenKind::RParen);
                }
                for (index, param) in params.iter().enumerate() {
                    if index > 0 {
                        self.glued_token(",");
                        self.space();
                    }
                    self.param(param);
                }
                self.arrow(body);
            }
            ExprKind::Call { .. }
            | ExprKind::Field { .. }
            | ExprKind::Proj { .. }
            | ExprKind::Index { .. } => self.postfix(expr),
            ExprKind::With { .. } => self.group(|it| it.with(expr)),
            ExprKind::Unary { op, value } => {
                self.any_token();
                // Two dashes would start a comment.
                if *op == UnaryOp::Neg && self.kind() == TokenKind::Minus {
                    self.space();
                }
                self.expr(value);
            }
            ExprKind::Binary { op: BinaryOp::Pow, left, right, .. } => {
                self.expr(left);
                self.space();
                self.token(TokenKind::StarStar);
                self.space();
                self.expr(right);
            }
            ExprKind::Binary { op, .. } => self.binary(expr, *op),
            ExprKind::If { .. } => self.group(|it| it.conditional(expr)),
            ExprKind::Match { value, arms } => self.choice(value, arms),
            ExprKind::Block { lets, result } => self.group(|it| {
                if it.has_newline(expr.span) {
                    it.break_groups();
                }
                it.block(lets, result);
            }),
            ExprKind::Build { indices, body } => self.build(indices, body),
        }
    }

    /// `=> e`
    fn arrow(&mut self, body: &Expr) {
        self.space();
        self.token(TokenKind::FatArrow);
        self.after(hugs(body), |it| it.expr(body));
    }

    fn paren(&mut self, inner: &Expr) {
        if ends_in_block(inner) && !self.has_comments(self.start() as u32, inner.span.start) {
            self.token(TokenKind::LParen);
            self.expr(inner);
            self.no_comma();
            self.token(TokenKind::RParen);
            return;
        }
        self.group(|it| {
            it.token(TokenKind::LParen);
            it.indented(|it| {
                it.push(Op::Soft);
                it.expr(inner);
                it.comments_before();
            });
            it.push(Op::Soft);
            it.token(TokenKind::RParen);
        });
    }

    fn array(&mut self, parts: &[Expr]) {
        let style = match parts.iter().all(is_atom) {
            true => ListStyle::Filled,
            false => ListStyle::Tight,
        };
        self.list(parts, style, |it, part| it.expr(part));
    }

    fn record(&mut self, fields: &[(Ident, Option<Expr>)], base: Option<&Expr>) {
        self.name();
        self.space();
        let style = match base {
            Some(_) => ListStyle::SpacedBase,
            None => ListStyle::Spaced,
        };
        let base = base.map(|it| (None, Some(it)));
        let fields = fields.iter().map(|(field, value)| (Some(field), value.as_ref()));
        let all: Vec<(Option<&Ident>, Option<&Expr>)> = fields.chain(base).collect();
        self.list(&all, style, |it, (field, value)| {
            it.any_token();
            if let Some(value) = value {
                if field.is_some() {
                    it.glued_token(":");
                    it.space();
                }
                it.expr(value);
            }
        });
    }

    /// An operand and all that follows it: calls, indices, fields.
    fn postfix(&mut self, expr: &Expr) {
        let mut suffixes = Vec::new();
        let mut base = expr;
        while let ExprKind::Call { function: inner, .. }
        | ExprKind::Field { value: inner, .. }
        | ExprKind::Proj { value: inner, .. }
        | ExprKind::Index { array: inner, .. } = &base.kind
        {
            suffixes.push(base);
            base = inner;
        }
        self.expr(base);
        for suffix in suffixes.into_iter().rev() {
            if let ExprKind::Call { args, .. } = &suffix.kind {
                self.call(args, suffix.span.end);
            } else if let ExprKind::Index { indices, .. } = &suffix.kind {
                self.list(indices, ListStyle::Tight, Self::index_item);
            } else {
                self.token(TokenKind::Dot);
                self.any_token();
            }
        }
    }

    /// A chain of `with` on one line, or broken before each.
    fn with(&mut self, expr: &Expr) {
        let mut changes = Vec::new();
        let mut first = expr;
        while let ExprKind::With { array, indices, value } = &first.kind {
            changes.push((indices, value));
            first = array;
        }
        self.expr(first);
        self.push(Op::Indent);
        for (indices, value) in changes.into_iter().rev() {
            self.push(Op::Line);
            self.any_token();
            self.space();
            self.list(indices, ListStyle::Tight, |it, at| it.expr(at));
            self.equals(value);
        }
        self.push(Op::Dedent);
    }

    fn index_item(&mut self, item: &IndexItem) {
        match item {
            IndexItem::At(at) => self.expr(at),
            IndexItem::Range { lo, hi, .. } => {
                if let Some(lo) = lo {
                    self.expr(lo);
                }
                self.token(TokenKind::DotDot);
                if let Some(hi) = hi {
                    self.expr(hi);
                }
            }
        }
    }

    fn call(&mut self, args: &[Expr], end: u32) {
        let hugged = hugged_argument(args).filter(|index| {
            let span = args[*index].span;
            !self.has_comments(self.start() as u32, span.start) && !self.has_comments(span.end, end)
        });
        if hugged.is_none() {
            self.list(args, ListStyle::Tight, |it, arg| it.expr(arg));
            return;
        }
        self.token(TokenKind::LParen);
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                self.glued_token(",");
                self.space();
            }
            self.expr(arg);
        }
        self.no_comma();
        self.token(TokenKind::RParen);
    }

    /// A chain of operators that bind equally: on one line, or broken before each operator.
    fn binary(&mut self, expr: &Expr, op: BinaryOp) {
        let mut operands = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary { op: inner, left, right, .. } = &first.kind
            && level(*inner) == level(op)
        {
            operands.push((*inner, &**right));
            first = left;
        }
        self.group(|it| {
            it.expr(first);
            it.push(Op::Indent);
            for (op, operand) in operands.into_iter().rev() {
                it.push(Op::Line);
                it.any_token();
                // `>=` is two tokens (see `parser/lex.rs`).
                if op == BinaryOp::Ge {
                    it.any_token();
                }
                it.space();
                it.expr(operand);
            }
            it.push(Op::Dedent);
        });
    }

    /// `if c then a else if d then b else e`, the whole chain and its blocks in one group: if
    /// one of them is broken, all are.
    fn conditional(&mut self, expr: &Expr) {
        if self.has_broken_branch(expr) {
            self.break_groups();
        }
        let mut expr = expr;
        while let ExprKind::If { cond, then, otherwise } = &expr.kind {
            self.token(TokenKind::If);
            self.space();
            self.expr(cond);
            self.space();
            self.token(TokenKind::Then);
            self.branch(then);
            match is_block(then) {
                true => self.space(),
                false => self.push(Op::Line),
            }
            self.token(TokenKind::Else);
            expr = otherwise;
            if matches!(expr.kind, ExprKind::If { .. }) {
                self.space();
            }
        }
        self.branch(expr);
    }

    fn has_broken_branch(&self, expr: &Expr) -> bool {
        let broken = |it: &Expr| is_block(it) && self.has_newline(it.span);
        let mut expr = expr;
        while let ExprKind::If { then, otherwise, .. } = &expr.kind {
            if broken(then) {
                return true;
            }
            expr = otherwise;
        }
        broken(expr)
    }

    /// Whether more than one line was written for this.
    fn has_newline(&self, span: Span) -> bool {
        self.text[span.range()].contains('\n')
    }

    fn branch(&mut self, expr: &Expr) {
        if let ExprKind::Block { lets, result } = &expr.kind {
            self.space();
            self.block(lets, result);
            return;
        }
        self.indented(|it| {
            it.push(Op::Line);
            it.expr(expr);
        });
    }

    /// `match e { ... }`, one arm per line.
    fn choice(&mut self, value: &Expr, arms: &[Arm]) {
        self.token(TokenKind::Match);
        self.space();
        self.expr(value);
        self.space();
        self.group(|it| {
            it.token(TokenKind::LBrace);
            it.push(Op::Indent);
            for arm in arms {
                it.push(Op::Hard);
                it.statement();
                it.tokens_until(arm.pattern.span.end);
                it.arrow(&arm.body);
                it.push(Op::Glue(","));
                if it.kind() == TokenKind::Comma {
                    it.skip_token();
                }
            }
            it.comments_before();
            it.push(Op::Dedent);
            if !arms.is_empty() {
                it.push(Op::Hard);
            }
            it.token(TokenKind::RBrace);
        });
    }

    /// `{ let p = e; ... e }`; on one line only if it was written so, which the caller sees to.
    fn block(&mut self, lets: &[Let], result: &Expr) {
        self.token(TokenKind::LBrace);
        self.push(Op::Indent);
        self.push(Op::Line);
        for binding in lets {
            self.statement();
            self.binding(binding);
            self.push(Op::Line);
        }
        self.statement();
        self.expr(result);
        self.comments_before();
        self.push(Op::Dedent);
        self.push(Op::Line);
        self.token(TokenKind::RBrace);
    }

    fn binding(&mut self, binding: &Let) {
        self.token(TokenKind::Let);
        self.space();
        if binding.is_recursive {
            self.any_token();
            self.space();
        }
        self.tokens_until(binding.pattern.span.end);
        if let Some(ty) = &binding.ty {
            self.glued_token(":");
            self.space();
            self.tokens_until(ty.span.end);
        }
        self.equals(&binding.value);
        self.glued_token(";");
    }

    fn build(&mut self, indices: &[(Ident, Expr)], body: &Expr) {
        self.token(TokenKind::Build);
        for (index, (_, bound)) in indices.iter().enumerate() {
            if index > 0 {
                self.glued_token(",");
            }
            self.space();
            self.any_token();
            self.space();
            self.token(TokenKind::Lt);
            self.space();
            self.expr(bound);
        }
        self.arrow(body);
    }
}

/// How tightly an operator binds.
fn level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Close => 3,
        BinaryOp::Add | BinaryOp::Sub => 4,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 5,
        BinaryOp::Pow => 6,
    }
}
