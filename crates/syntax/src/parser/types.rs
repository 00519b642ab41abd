//! Types and sizes.

use base::Span;
use base::token::TokenKind;

use super::{MAX_SMALL_DEPTH, Parser};
use crate::ast::{Ident, SizeExpr, SizeKind, SizeOp, Type, TypeArg, TypeKind};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// `atype [ '->' type ]`, or several parameters in parentheses before the arrow.
    pub(super) fn ty(&mut self) -> Type {
        self.nested_small(Self::function_type).unwrap_or_else(|| self.missing_type())
    }

    fn function_type(&mut self) -> Type {
        let start = self.span();
        let several = self.at(TokenKind::LParen);
        let mut params = if several { self.types() } else { vec![self.atype()] };
        if self.eat(TokenKind::Arrow) {
            let result = self.ty();
            let span = start.to(result.span);
            return Type { kind: TypeKind::Function(params, Box::new(result)), span };
        }
        match params.pop() {
            Some(only) if !several => only,
            last => {
                params.extend(last);
                grouped(params, self.since(start))
            }
        }
    }

    /// A type that needs no parentheses in front of an arrow or after `[n]`.
    fn atype(&mut self) -> Type {
        let start = self.span();
        match self.kind() {
            TokenKind::Upper | TokenKind::Ident => self.named_type(),
            TokenKind::LBracket => self.array_type(),
            TokenKind::LParen => {
                let parts = self.types();
                grouped(parts, self.since(start))
            }
            TokenKind::Underscore => {
                self.advance();
                Type { kind: TypeKind::Hole, span: start }
            }
            _ => {
                self.unexpected("a type");
                self.missing_type()
            }
        }
    }

    /// `(A, B)` with its parentheses.
    fn types(&mut self) -> Vec<Type> {
        let mut res = Vec::new();
        self.list("this type", |it| res.push(it.ty()));
        res
    }

    /// `Real`, `a`, `List<a>`, `Matrix<n, n+1>`
    fn named_type(&mut self) -> Type {
        let name = match self.at_qualified() || self.at(TokenKind::Upper) {
            true => self.upper_name(),
            false => {
                let token = self.advance();
                Ident { name: self.name_of(token), span: token.span }
            }
        };
        let mut args = Vec::new();
        if self.at(TokenKind::Lt) {
            self.list("this type", |it| args.push(it.type_arg()));
        }
        let span = self.since(name.span);
        self.size_after_type();
        Type { kind: TypeKind::Name(name, args), span }
    }

    /// A type, or a size that cannot be a type.
    fn type_arg(&mut self) -> TypeArg {
        let mut ahead = 0;
        while self.peek(ahead) == TokenKind::LParen && ahead < MAX_SMALL_DEPTH as usize {
            ahead += 1;
        }
        let size = match self.peek(ahead) {
            TokenKind::Int => true,
            TokenKind::Ident => size_op(self.peek(ahead + 1)).is_some(),
            _ => false,
        };
        match size {
            true => TypeArg::Size(self.size()),
            false => TypeArg::Type(self.ty()),
        }
    }

    /// `[n]T`, `[_]T`, `[]T`
    fn array_type(&mut self) -> Type {
        let open = self.open();
        let size = match self.kind() {
            TokenKind::Underscore => {
                self.advance();
                None
            }
            TokenKind::RBracket => None,
            TokenKind::Upper | TokenKind::LBracket => return self.element_in_brackets(open),
            _ => Some(self.size()),
        };
        let several = self.further_sizes(open);
        if !self.at_close() && !self.at_end() {
            self.unexpected("`]`");
            self.skip_to(&[TokenKind::Comma, TokenKind::Semicolon, TokenKind::Assign]);
        }
        self.close(open);
        let element = self.nested_small(Self::atype).unwrap_or_else(|| self.missing_type());
        let span = open.to(element.span);
        let kind = match several {
            true => TypeKind::Error,
            false => TypeKind::Array(size, Box::new(element)),
        };
        Type { kind, span }
    }

    /// `[n, m]T`: reports the sizes after the first and passes over them; whether there are any.
    fn further_sizes(&mut self, open: Span) -> bool {
        let comma = self.span();
        while self.at(TokenKind::Comma) && self.starts_size(1) {
            self.advance();
            if !self.eat(TokenKind::Underscore) {
                self.size();
            }
        }
        let several = self.span() != comma;
        if several {
            let named = self.at_close() && self.peek(1) == TokenKind::Upper;
            let element = if named { self.text_at(1) } else { "" };
            let inside = &self.text[open.end as usize..self.previous().end as usize];
            let sizes: Vec<String> =
                inside.split(',').map(|it| format!("[{}]", it.trim())).collect();
            let help = match inside.len() <= 20 {
                true => format!("write `{}{element}`", sizes.concat()),
                false => "write each size as `[n]`, one after the other".to_owned(),
            };
            let (title, label) = ("each size has brackets of its own".to_owned(), "another size");
            self.note(SyntaxError::Foreign { span: comma, title, label, help });
        }
        several
    }

    fn starts_size(&self, ahead: usize) -> bool {
        matches!(
            self.peek(ahead),
            TokenKind::Int | TokenKind::Ident | TokenKind::LParen | TokenKind::Underscore
        )
    }

    /// Reports `[Real]`, the way other languages write arrays.
    fn element_in_brackets(&mut self, open: Span) -> Type {
        let element = self.ty();
        let written = self.text[element.span.range()].to_owned();
        let help = match written.len() <= 20 {
            true => format!("write `[n]{written}`, or `[]{written}` for a size to be found out"),
            false => "write the size in the brackets and the element after them".to_owned(),
        };
        let (title, label) = ("the element type stands after the brackets", "not a size");
        let span = element.span;
        self.note(SyntaxError::Foreign { span, title: title.to_owned(), label, help });
        if !self.at_close() {
            self.skip_to(&[TokenKind::Comma, TokenKind::Assign]);
        }
        self.close(open);
        Type { kind: TypeKind::Error, span: self.since(open) }
    }

    /// A size: sums and differences of products.
    fn size(&mut self) -> SizeExpr {
        let parse = |it: &mut Self| it.size_chain(&[SizeOp::Add, SizeOp::Sub]);
        self.nested_small(parse).unwrap_or_else(|| self.missing_size())
    }

    /// Operands joined by `ops`; products are the operands of sums.
    fn size_chain(&mut self, ops: &[SizeOp]) -> SizeExpr {
        let operand = |it: &mut Self| match ops {
            [SizeOp::Mul] => it.size_atom(),
            _ => it.size_chain(&[SizeOp::Mul]),
        };
        let mut left = operand(self);
        let mut length = 0;
        while let Some(op) = size_op(self.kind()).filter(|it| ops.contains(it)) {
            self.advance();
            length += 1;
            if length >= MAX_SMALL_DEPTH {
                self.too_deep(MAX_SMALL_DEPTH);
                break;
            }
            let right = operand(self);
            let span = left.span.to(right.span);
            left = SizeExpr { kind: SizeKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        left
    }

    fn size_atom(&mut self) -> SizeExpr {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Int => {
                self.advance();
                self.int(token).map_or(SizeKind::Error, SizeKind::Literal)
            }
            TokenKind::Ident => {
                self.advance();
                SizeKind::Name(self.name_of(token))
            }
            TokenKind::LParen => {
                let open = self.open();
                let inner = self.size();
                self.close(open);
                SizeKind::Paren(Box::new(inner))
            }
            _ => {
                self.unexpected("a size");
                return self.missing_size();
            }
        };
        SizeExpr { kind, span: self.since(token.span) }
    }

    fn missing_type(&self) -> Type {
        let span = self.span();
        Type { kind: TypeKind::Error, span: Span { end: span.start, ..span } }
    }

    fn missing_size(&self) -> SizeExpr {
        let span = self.span();
        SizeExpr { kind: SizeKind::Error, span: Span { end: span.start, ..span } }
    }
}

/// What parentheses mean where no arrow follows: one type is itself, others make a tuple.
fn grouped(mut parts: Vec<Type>, span: Span) -> Type {
    match parts.pop() {
        Some(only) if parts.is_empty() => Type { span, ..only },
        last => {
            parts.extend(last);
            Type { kind: TypeKind::Tuple(parts), span }
        }
    }
}

fn size_op(kind: TokenKind) -> Option<SizeOp> {
    match kind {
        TokenKind::Plus => Some(SizeOp::Add),
        TokenKind::Minus => Some(SizeOp::Sub),
        TokenKind::Star => Some(SizeOp::Mul),
        _ => None,
    }
}
