//! Reads types and sizes.
//!
//! ```text
//! type := 'Real' | 'Int' | 'Bool' | 'String' | name | '?' string | '[' size ']' type
//!       | data [ '<' types [ ';' sizes ] '>' ] | ('D' | 'R') '<' type '>' | 'Delta'
//!       | '(' types [ ',' ] ')' [ '->' type ]
//! size := [ '-' ] term { ('+' | '-') term }
//! term := (int | var) { '*' var }
//! ```

use std::str::FromStr;

use base::Name;
use base::literal::read_int;
use base::token::TokenKind;

use super::{ParseError, Parsed, Parser, string, var_number};
use crate::size::Size;
use crate::types::Type;

impl FromStr for Type {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Type, ParseError> {
        let mut parser = Parser::new(text);
        let ty = parser.ty().and_then(|it| parser.end(it));
        ty.map_err(|message| parser.error(message))
    }
}

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Parser::shallow_type)
    }

    fn shallow_type(&mut self) -> Parsed<Type> {
        let token = self.next();
        let text = token.text(self.text);
        match (token.kind, text) {
            (TokenKind::Upper, "Real") => Ok(Type::Real),
            (TokenKind::Upper, "Int") => Ok(Type::Int),
            (TokenKind::Upper, "Bool") => Ok(Type::Bool),
            (TokenKind::Upper, "String") => Ok(Type::String),
            (TokenKind::Upper, "Delta") => Ok(Type::Delta),
            (TokenKind::Upper, "D") => Ok(self.stuck("D")?.dual()),
            (TokenKind::Upper, "R") => Ok(self.stuck("R")?.tape()),
            (TokenKind::Upper, _) => self.data_type(Name::read(text)),
            (TokenKind::Str, _) => self.data_type(Name::read(&string(text)?)),
            (TokenKind::Ident, _) => Ok(Type::Var(Name::new(text))),
            (TokenKind::Question, _) => Ok(Type::Var(self.name()?)),
            (TokenKind::LBracket, _) => {
                let size = self.size()?;
                self.expect(TokenKind::RBracket)?;
                Ok(Type::array(size, self.ty()?))
            }
            (TokenKind::LParen, _) => self.tuple_or_function(),
            _ => Err(self.unexpected("a type")),
        }
    }

    /// The type of which AD does not compute the type, in angle brackets.
    fn stuck(&mut self, form: &str) -> Parsed<Type> {
        self.expect(TokenKind::Lt)?;
        let inner = self.ty()?;
        self.expect(TokenKind::Gt)?;
        match inner {
            Type::Var(_) | Type::Data(..) | Type::Dual(_) => Ok(inner),
            Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Array(..)
            | Type::Function(..)
            | Type::Delta
            | Type::Tape(_) => Err(format!("{form}<{inner}> is computed, so it is not written")),
        }
    }

    fn data_type(&mut self, name: Name) -> Parsed<Type> {
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        if self.accept(TokenKind::Lt) {
            if self.kind() != TokenKind::Semicolon {
                types = self.list(Parser::ty)?;
            }
            if self.accept(TokenKind::Semicolon) {
                sizes = self.list(Parser::size)?;
            }
            self.expect(TokenKind::Gt)?;
        }
        Ok(Type::Data(name, types, sizes))
    }

    /// After the parenthesis: a tuple, the parameters of a function, or a type in parentheses.
    fn tuple_or_function(&mut self) -> Parsed<Type> {
        let mut parts = Vec::new();
        let mut comma = true;
        while self.kind() != TokenKind::RParen {
            if !comma {
                return Err(self.expected(")"));
            }
            parts.push(self.ty()?);
            comma = self.accept(TokenKind::Comma);
        }
        self.expect(TokenKind::RParen)?;
        if self.accept(TokenKind::Arrow) {
            return Ok(Type::Function(parts, Box::new(self.ty()?)));
        }
        match parts.pop() {
            Some(single) if parts.is_empty() && !comma => Ok(single),
            last => Ok(Type::Tuple(parts.into_iter().chain(last).collect())),
        }
    }

    pub(super) fn size(&mut self) -> Parsed<Size> {
        let mut negative = self.accept(TokenKind::Minus);
        let mut res = Size::constant(0);
        loop {
            let term = self.size_term()?;
            res = if negative { res.sub(&term) } else { res.add(&term) };
            negative = self.kind() == TokenKind::Minus;
            if !negative && self.kind() != TokenKind::Plus {
                return Ok(res);
            }
            self.next();
        }
    }

    fn size_term(&mut self) -> Parsed<Size> {
        let mut res = self.size_factor()?;
        while self.accept(TokenKind::Star) {
            res = res.mul(&Size::var(self.var()?));
        }
        Ok(res)
    }

    fn size_factor(&mut self) -> Parsed<Size> {
        let token = self.next();
        let text = token.text(self.text);
        match (token.kind, text) {
            (TokenKind::Int, _) => {
                read_int(text).map(Size::constant).ok_or("the integer is too large".into())
            }
            (TokenKind::Ident, "least") => Ok(Size::constant(i64::MIN)),
            (TokenKind::Ident, _) if var_number(text).is_some() => {
                Ok(Size::var(var_number(text).expect("the guard says so")))
            }
            _ => Err(self.unexpected("a size")),
        }
    }
}
