//! Partial derivatives of primitives as statements, read from the formulas of `prim.rs`.
//!
//! Every AD method calls [`partials`], so methods cannot disagree about a derivative.
//!
//! ```text
//! formula := sum [ ('==' | '<=' | '>=' | '<' | '>') sum ]
//! sum     := product { ('+' | '-') product }
//! product := unary { ('*' | '/') unary }
//! unary   := '-' unary | primary [ '**' unary ]
//! primary := integer | real | 'x' | 'y' | 'z' | 'r' | prim '(' formula, ... ')' | '(' formula ')'
//! ```

use base::literal::{read_int, read_real};
use base::token::{Token, TokenKind, TokenMode, tokenize};
use base::{FileId, Name};

use crate::build::Builder;
use crate::op::Op;
use crate::prim::Prim;
use crate::term::{Atom, Literal};

/// The partial derivative by one operand. Where the primitive is applied to arrays, it is a scalar
/// or an array of the same sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Partial {
    /// The result does not depend on the operand, as far as derivatives go.
    Zero,
    /// The derivative is that of the operand.
    One,
    /// The derivative is the opposite of that of the operand.
    MinusOne,
    /// The derivative is the operand's times this.
    Times(Atom),
}

/// Emits the partial derivative by each operand for which `wanted` says so; the others are `Zero`.
/// The operands are of type `Real` or arrays of it, but for those that are discrete by their rule.
pub fn partials(
    builder: &mut Builder<'_>,
    prim: Prim,
    args: &[Atom],
    result: &Atom,
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<Partial> {
    let formulas = prim.row().partials;
    let partial = |at: usize| match formulas.get(at) {
        Some(text) if wanted(at) => emit_partial(builder, text, args, result),
        Some(_) | None => Partial::Zero,
    };
    (0..args.len()).map(partial).collect()
}

/// Whether the partial derivative by this operand is zero everywhere.
pub fn is_zero(prim: Prim, operand: usize) -> bool {
    prim.row().partials.get(operand).is_none_or(|it| *it == "0")
}

fn emit_partial(builder: &mut Builder<'_>, text: &str, args: &[Atom], result: &Atom) -> Partial {
    match text {
        "0" => Partial::Zero,
        "1" => Partial::One,
        "-1" => Partial::MinusOne,
        text => {
            let formula = parse_formula(text)
                .unwrap_or_else(|it| panic!("compiler bug: the formula `{text}`: {it}"));
            Partial::Times(emit(builder, &formula, args, result))
        }
    }
}

fn emit(builder: &mut Builder<'_>, formula: &Formula, args: &[Atom], result: &Atom) -> Atom {
    match formula {
        Formula::Int(value) => Atom::Int(*value),
        Formula::Real(value) => Atom::Real(Literal(*value)),
        Formula::Operand(at) => args[*at].clone(),
        Formula::Result => result.clone(),
        Formula::Prim(prim, parts) => {
            let parts = parts.iter().map(|it| emit(builder, it, args, result)).collect();
            builder.one(Op::Prim(*prim, parts))
        }
    }
}

/// A formula of the table.
#[derive(Clone, Debug, PartialEq)]
enum Formula {
    Int(i64),
    Real(f64),
    Operand(usize),
    Result,
    Prim(Prim, Vec<Formula>),
}

fn parse_formula(text: &str) -> Result<Formula, String> {
    let mut tokens = tokenize(FileId(0), text, TokenMode::Source);
    tokens.reverse();
    let mut parser = Parser { text, tokens };
    let formula = parser.comparison()?;
    let next = parser.peek();
    if next != TokenKind::Eof {
        return Err(format!("unexpected {}", next.describe()));
    }
    Ok(formula)
}

struct Parser<'a> {
    text: &'a str,
    /// What is left, the next one last.
    tokens: Vec<Token>,
}

impl Parser<'_> {
    fn peek(&self) -> TokenKind {
        self.tokens.last().map_or(TokenKind::Eof, |it| it.kind)
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.tokens.pop();
        }
        found
    }

    /// The primitive of the operator that comes next, if it is one of these.
    fn operator(&mut self, operators: &[(TokenKind, Prim)]) -> Option<Prim> {
        let (kind, prim) = operators.iter().find(|(kind, _)| *kind == self.peek())?;
        self.accept(*kind);
        Some(*prim)
    }

    fn comparison(&mut self) -> Result<Formula, String> {
        const OPERATORS: &[(TokenKind, Prim)] = &[
            (TokenKind::EqEq, Prim::Eq),
            (TokenKind::Le, Prim::Le),
            (TokenKind::Ge, Prim::Ge),
            (TokenKind::Lt, Prim::Lt),
            (TokenKind::Gt, Prim::Gt),
        ];
        let left = self.sum()?;
        match self.operator(OPERATORS) {
            Some(prim) => Ok(Formula::Prim(prim, vec![left, self.sum()?])),
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> Result<Formula, String> {
        let operators = [(TokenKind::Plus, Prim::Add), (TokenKind::Minus, Prim::Sub)];
        let mut left = self.product()?;
        while let Some(prim) = self.operator(&operators) {
            left = Formula::Prim(prim, vec![left, self.product()?]);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Formula, String> {
        let operators = [(TokenKind::Star, Prim::Mul), (TokenKind::Slash, Prim::Div)];
        let mut left = self.unary()?;
        while let Some(prim) = self.operator(&operators) {
            left = Formula::Prim(prim, vec![left, self.unary()?]);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, String> {
        if self.accept(TokenKind::Minus) {
            return Ok(match self.unary()? {
                Formula::Real(value) => Formula::Real(-value),
                Formula::Int(value) => Formula::Int(-value),
                operand @ (Formula::Operand(_) | Formula::Result | Formula::Prim(..)) => {
                    Formula::Prim(Prim::Neg, vec![operand])
                }
            });
        }
        let base = self.primary()?;
        if self.accept(TokenKind::StarStar) {
            return Ok(Formula::Prim(Prim::Pow, vec![base, self.unary()?]));
        }
        Ok(base)
    }

    fn primary(&mut self) -> Result<Formula, String> {
        let token = self.tokens.pop().ok_or("unexpected end")?;
        let text = token.text(self.text);
        if token.kind == TokenKind::LParen {
            let inner = self.comparison()?;
            return self.accept(TokenKind::RParen).then_some(inner).ok_or("no `)`".into());
        }
        if token.kind == TokenKind::Ident && self.peek() == TokenKind::LParen {
            return self.call(&Name::new(text));
        }
        match (token.kind, text) {
            (TokenKind::Ident, "x") => Ok(Formula::Operand(0)),
            (TokenKind::Ident, "y") => Ok(Formula::Operand(1)),
            (TokenKind::Ident, "z") => Ok(Formula::Operand(2)),
            (TokenKind::Ident, "r") => Ok(Formula::Result),
            (TokenKind::Int, _) => read_int(text).map(Formula::Int).ok_or("too large".into()),
            (TokenKind::Real, _) => read_real(text).map(Formula::Real).ok_or("too large".into()),
            _ => Err(format!("unexpected `{text}`")),
        }
    }

    fn call(&mut self, name: &Name) -> Result<Formula, String> {
        let prim = Prim::from_name(name).ok_or_else(|| format!("no primitive `{name}`"))?;
        self.accept(TokenKind::LParen);
        let mut args = vec![self.comparison()?];
        while self.accept(TokenKind::Comma) {
            args.push(self.comparison()?);
        }
        if !self.accept(TokenKind::RParen) || args.len() != prim.arity() {
            return Err(format!("a wrong call of `{name}`"));
        }
        Ok(Formula::Prim(prim, args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::{Rule, TABLE};
    use crate::{Program, Type};

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.prim as usize, at, "{}", row.name);
            assert_eq!(Prim::from_name(row.name), Some(row.prim));
            assert!(row.partials.is_empty() || row.partials.len() == row.prim.arity());
        }
    }

    /// Every formula parses and is a real number (the builder checks it), of scalars and arrays.
    #[test]
    fn every_formula_is_well_typed() {
        let program = Program::default();
        for row in TABLE {
            let mut builder = Builder::new(&program, 0);
            builder.open();
            let mut types = vec![Type::Real; row.prim.arity()];
            if row.rule == Rule::IntReal {
                types[0] = Type::Int;
            }
            if row.rule == Rule::Choose {
                types[0] = Type::Bool;
            }
            if row.partials.is_empty() {
                continue;
            }
            let args: Vec<Atom> =
                types.into_iter().map(|it| Atom::Var(builder.fresh(it))).collect();
            let result = builder.one(Op::Prim(row.prim, args.clone()));
            for partial in partials(&mut builder, row.prim, &args, &result, &|_| true) {
                if let Partial::Times(atom) = partial {
                    assert_eq!(builder.type_of(&atom), Type::Real, "{}", row.name);
                }
            }
        }
    }
}
