//! Reads operations; `op` in `print.rs` shows the form of each.

use std::str::FromStr;
use std::sync::Arc;

use base::Saying;
use base::token::TokenKind;

use super::{ParseError, Parsed, Parser};
use crate::op::{Beside, ControlOp, DeltaOp, DeriveOp, FunctionOp, Linear, Op, Operator, Term};
use crate::prim::Prim;
use crate::signature::MAX_LEVEL;
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop};

impl FromStr for Op {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Op, ParseError> {
        let mut parser = Parser::new(text);
        let op = parser.op().and_then(|it| parser.end(it));
        op.map_err(|message| parser.error(message))
    }
}

impl Parser<'_> {
    pub(super) fn op(&mut self) -> Parsed<Op> {
        let token = self.next();
        let text = token.text(self.text);
        if token.kind != TokenKind::Ident {
            return Err(self.unexpected("an operation"));
        }
        if let Some(prim) = Prim::from_name(text) {
            let args = (0..prim.arity()).map(|_| self.atom()).collect::<Parsed<_>>()?;
            return Ok(Op::Prim(prim, args));
        }
        if let Some(op) = self.array_op(text)? {
            return Ok(Op::Array(op));
        }
        if let Some(operator) = operator(text) {
            let (level, function) = (self.level()?, self.atom()?);
            return Ok(Op::Derive(DeriveOp::OfFunction {
                operator,
                level,
                function,
                args: self.atoms()?,
            }));
        }
        match text {
            "copy" => Ok(Op::Copy(self.atom()?)),
            "size" => Ok(Op::Size(self.bracketed_size()?)),

            "tuple" => {
                let rank = if self.kind() == TokenKind::Int { self.number()? } else { 0 };
                Ok(Op::Tuple { rank, parts: self.atoms()? })
            }
            "proj" => Ok(Op::Proj { tuple: self.atom()?, index: self.number()? }),

            "con" => {
                let (ty, con) = (self.ty()?, self.name()?);
                Ok(Op::Con { ty, con, args: self.atoms()? })
            }
            "match" => self.match_(),

            "lambda" => Ok(Op::Function(FunctionOp::Lambda(Arc::new(self.lambda()?)))),
            "apply" => Ok(Op::Function(FunctionOp::Apply(self.atom()?, self.atoms()?))),
            "call" => self.call(),

            "if" => {
                let (cond, then) = (self.atom()?, self.block()?);
                self.word("else")?;
                Ok(Op::Control(ControlOp::If { cond, then, otherwise: self.block()? }))
            }
            "build" => self.build(),
            "fold" => {
                let (inits, arrays, step) = self.loop_()?;
                Ok(Op::Control(ControlOp::Fold { inits, arrays, step }))
            }
            "scan" => {
                let (inits, arrays, step) = self.loop_()?;
                Ok(Op::Control(ControlOp::Scan { inits, arrays, step }))
            }
            "iterate" => {
                let index = self.var()?;
                self.expect(TokenKind::Lt)?;
                let count = self.atom()?;
                let (state, inits) = self.assignments()?;
                Ok(Op::Control(ControlOp::Iterate {
                    count,
                    index,
                    inits,
                    state,
                    body: self.block()?,
                }))
            }
            "while" => {
                let (state, inits) = self.assignments()?;
                let cond = self.block()?;
                self.word("do")?;
                Ok(Op::Control(ControlOp::While { inits, state, cond, body: self.block()? }))
            }

            "equal" => Ok(Op::Equal(self.atom()?, self.atom()?)),
            "close" => Ok(Op::Close(self.atom()?, self.atom()?)),

            "stop_gradient" => Ok(Op::Derive(DeriveOp::StopGradient(self.atom()?))),
            "checkpoint" => {
                let (every, value) = (self.atom()?, self.atom()?);
                Ok(Op::Derive(DeriveOp::Checkpoint { every, value }))
            }
            "report" => {
                let every = self.atom()?;
                self.tell(Saying::Report, every)
            }
            "trace_back" => self.tell(Saying::Value, Atom::Int(0)),
            "trace" => self.tell(Saying::Value, Atom::Int(1)),
            "trace_tangent" => self.tell(Saying::Tangent, Atom::Int(1)),
            "trace_cotangent" => self.tell(Saying::Cotangent, Atom::Int(1)),
            "lift" => Ok(Op::Derive(DeriveOp::Lift { level: self.level()?, value: self.atom()? })),
            "primal" => {
                Ok(Op::Derive(DeriveOp::Primal { level: self.level()?, value: self.atom()? }))
            }
            "tangent" => {
                Ok(Op::Derive(DeriveOp::Tangent { level: self.level()?, value: self.atom()? }))
            }
            "pair" => self.pair(Beside::Tangent),
            "copair" => self.pair(Beside::Cotangent),

            "derivative" => self.derivative(),

            "combine" => Ok(Op::Delta(DeltaOp::Combine(
                self.parens(|it| Ok(Term { factor: it.atom()?, delta: it.atom()? }))?,
            ))),
            "zeros" => Ok(Op::Delta(DeltaOp::Zeros(self.atom()?))),
            "strip" => Ok(Op::Delta(DeltaOp::Strip(self.atom()?))),
            "pullback" => self.pullback(Linear::Pullback),
            "pushforward" => self.pullback(Linear::Pushforward),
            "recorded" => self.pullback(Linear::Recorded),
            _ => Err(self.unexpected("an operation")),
        }
    }

    pub(super) fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        self.parens(Parser::atom)
    }

    fn derivative(&mut self) -> Parsed<Op> {
        let token = self.next();
        let operator = operator(token.text(self.text));
        let operator = operator.ok_or_else(|| self.unexpected("a derivative operator"))?;
        let def = self.name()?;
        let mut sizes = Vec::new();
        if self.kind() == TokenKind::LBracket {
            sizes = self.bracketed_sizes()?;
        }
        let (captured, args) = (self.atoms()?, self.atoms()?);
        Ok(Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }))
    }

    fn pair(&mut self, beside: Beside) -> Parsed<Op> {
        let (level, value, tangent) = (self.level()?, self.atom()?, self.atom()?);
        Ok(Op::Derive(DeriveOp::Pair { beside, level, value, tangent }))
    }

    fn pullback(&mut self, by: Linear) -> Parsed<Op> {
        let (value, inputs, function) = (self.atom()?, self.atoms()?, self.atom()?);
        Ok(Op::Delta(DeltaOp::Pullback { by, value, inputs, function }))
    }

    fn level(&mut self) -> Parsed<u32> {
        let level = self.number()?;
        if level > MAX_LEVEL { Err(format!("above {MAX_LEVEL}")) } else { Ok(level) }
    }

    pub(super) fn bracketed_size(&mut self) -> Parsed<Size> {
        self.expect(TokenKind::LBracket)?;
        let size = self.size()?;
        self.expect(TokenKind::RBracket)?;
        Ok(size)
    }

    pub(super) fn bracketed_sizes(&mut self) -> Parsed<Vec<Size>> {
        self.expect(TokenKind::LBracket)?;
        if self.accept(TokenKind::RBracket) {
            return Ok(Vec::new());
        }
        let sizes = self.list(Parser::size)?;
        self.expect(TokenKind::RBracket)?;
        Ok(sizes)
    }

    pub(super) fn lambda(&mut self) -> Parsed<Lambda> {
        Ok(Lambda { params: self.parens(Parser::binder)?, body: self.block()? })
    }

    fn call(&mut self) -> Parsed<Op> {
        let def = self.name()?;
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        if self.accept(TokenKind::Lt) {
            types = self.list(Parser::ty)?;
            self.expect(TokenKind::Gt)?;
        }
        if self.kind() == TokenKind::LBracket {
            sizes = self.bracketed_sizes()?;
        }
        Ok(Op::Function(FunctionOp::Call { def, types, sizes, args: self.atoms()? }))
    }

    fn match_(&mut self) -> Parsed<Op> {
        let value = self.atom()?;
        self.expect(TokenKind::LBrace)?;
        let mut arms = Vec::new();
        let mut otherwise = None;
        while !self.accept(TokenKind::RBrace) {
            if self.accept_word("else") {
                otherwise = Some(self.block()?);
                self.expect(TokenKind::RBrace)?;
                break;
            }
            let (con, fields) = (self.name()?, self.parens(Parser::binder)?);
            arms.push(Arm { con, fields, body: self.block()? });
        }
        Ok(Op::Control(ControlOp::Match { value, arms, otherwise }))
    }

    fn tell(&mut self, saying: Saying, every: Atom) -> Parsed<Op> {
        let (text, value) = (self.atom()?, self.atom()?);
        Ok(Op::Derive(DeriveOp::Tell { saying, every, text, value }))
    }

    fn build(&mut self) -> Parsed<Op> {
        let bounds = self.parens(|parser| {
            let index = parser.var()?;
            parser.expect(TokenKind::Lt)?;
            Ok((index, parser.size()?))
        })?;
        let (indices, sizes) = bounds.into_iter().unzip();
        Ok(Op::Control(ControlOp::Build { sizes, indices, body: self.block()? }))
    }

    fn loop_(&mut self) -> Parsed<(Vec<Atom>, Vec<Atom>, Loop)> {
        let (state, inits) = self.assignments()?;
        let (elems, arrays) = self.assignments()?;
        let body: Block = self.block()?;
        Ok((inits, arrays, Loop { state, elems, body }))
    }

    fn assignments(&mut self) -> Parsed<(Vec<Binder>, Vec<Atom>)> {
        let pairs = self.parens(|parser| {
            let binder = parser.binder()?;
            parser.expect(TokenKind::Assign)?;
            Ok((binder, parser.atom()?))
        })?;
        Ok(pairs.into_iter().unzip())
    }
}

fn operator(text: &str) -> Option<Operator> {
    let all = [
        Operator::Jvp,
        Operator::Vjp,
        Operator::Grad,
        Operator::ValueAndGrad,
        Operator::Jacobian,
        Operator::Hessian,
        Operator::Hvp,
        Operator::Linearise,
    ];
    all.into_iter().find(|it| it.to_string() == text)
}
