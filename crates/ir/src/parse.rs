//! Reads the text form of the ir: `FromStr` for [`Program`], the inverse of `print.rs`.
//!
//! It checks the grammar only; whether the program makes sense is the verifier's business. Any
//! text gives a program or an error. The grammar, with `{...}` for repetition:
//!
//! ```text
//! program := { data | def | custom }
//! custom  := 'custom' name [ 'vjp' name ] [ 'jvp' name ]
//! data    := 'data' name [ '<' names [ ';' vars ] '>' ] '=' con { '|' con }
//! con     := name '(' types ')'
//! def     := 'def' name [ '<' names '>' ] [ '[' vars ']' ] '(' binders ')' '->' '(' binders ')'
//!            [ 'next' int ] [ 'origin' origin ] block
//! origin  := 'clause' | 'derivative' | 'data' | 'fields' name | 'cast'
//! block   := '{' { binders '=' op } 'give' atoms '}'
//! binder  := var ':' type
//! ```
//! Types and sizes are in `parse/types.rs`, operations in `parse/ops.rs`.

pub(crate) mod arrays;
mod ops;
mod types;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base::literal::{read_int, read_real, read_string};
use base::token::{Token, TokenKind, TokenMode, tokenize};
use base::{FileId, Name, SourceMap};

use crate::term::{Atom, Binder, Block, Custom, Def, Literal, Origin, Program, Spans, Stmt, Var};
use crate::types::{ConDecl, DataDecl};
use crate::walk;

/// Blocks and types may be nested this deep.
const MAX_DEPTH: u32 = 200;

/// Why a text is no program, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was expected and what is there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Program, ParseError> {
        let mut parser = Parser::new(text);
        parser.program().map_err(|message| parser.error(message))
    }
}

type Parsed<T> = Result<T, String>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        let mut tokens = tokenize(FileId(0), text, TokenMode::Ir);
        tokens.retain(|it| it.kind != TokenKind::Comment);
        Parser { text, tokens, position: 0, depth: 0 }
    }

    fn error(&self, message: String) -> ParseError {
        let mut map = SourceMap::new();
        map.add("", self.text);
        let (line, column) = map.position(self.tokens[self.position].span);
        ParseError { line, column, message }
    }

    /// What was read, if nothing follows.
    fn end<T>(&mut self, read: T) -> Parsed<T> {
        if self.kind() == TokenKind::Eof { Ok(read) } else { Err(self.unexpected("the end")) }
    }

    fn program(&mut self) -> Parsed<Program> {
        let mut program = Program::default();
        while self.kind() != TokenKind::Eof {
            if self.accept_word("data") {
                let data = self.data()?;
                insert(&mut program.datas, data.name.clone(), data)?;
            } else if self.accept_word("custom") {
                let def = self.name()?;
                let custom = self.custom()?;
                insert(&mut program.customs, def, custom)?;
            } else {
                self.word("def")?;
                let def = self.def()?;
                insert(&mut program.defs, def.name.clone(), Arc::new(def))?;
            }
        }
        Ok(program)
    }

    fn custom(&mut self) -> Parsed<Custom> {
        let vjp = if self.accept_word("vjp") { Some(self.name()?) } else { None };
        let jvp = if self.accept_word("jvp") { Some(self.name()?) } else { None };
        Ok(Custom { vjp, jvp })
    }

    fn data(&mut self) -> Parsed<DataDecl> {
        let name = self.name()?;
        let (mut type_params, mut size_params) = (Vec::new(), Vec::new());
        if self.accept(TokenKind::Lt) {
            if self.kind() != TokenKind::Semicolon {
                type_params = self.list(Parser::name)?;
            }
            if self.accept(TokenKind::Semicolon) {
                size_params = self.list(Parser::var)?;
            }
            self.expect(TokenKind::Gt)?;
        }
        let mut cons = Vec::new();
        let mut separator = TokenKind::Assign;
        while self.accept(separator) {
            separator = TokenKind::Pipe;
            let (name, mut sizes) = (self.name()?, Vec::new());
            if self.accept(TokenKind::LBracket) {
                sizes = self.list(Parser::var)?;
                self.expect(TokenKind::RBracket)?;
            }
            cons.push(ConDecl { name, sizes, fields: self.parens(Parser::ty)? });
        }
        Ok(DataDecl { name, type_params, size_params, cons })
    }

    fn def(&mut self) -> Parsed<Def> {
        let name = self.name()?;
        let (mut type_params, mut size_params) = (Vec::new(), Vec::new());
        if self.accept(TokenKind::Lt) {
            type_params = self.list(Parser::name)?;
            self.expect(TokenKind::Gt)?;
        }
        if self.accept(TokenKind::LBracket) {
            size_params = self.list(Parser::var)?;
            self.expect(TokenKind::RBracket)?;
        }
        let params = self.parens(Parser::binder)?;
        self.expect(TokenKind::Arrow)?;
        let results = self.parens(Parser::binder)?;
        let next = if self.accept_word("next") { Some(self.number()?) } else { None };
        let origin = if self.accept_word("origin") { self.origin()? } else { Origin::Source };
        let body = self.block()?;
        let (next_var, spans) = (0, Spans::default());
        let mut def =
            Def { name, type_params, size_params, params, results, body, next_var, spans, origin };
        def.next_var = next.unwrap_or_else(|| walk::next_var(&def));
        Ok(def)
    }

    fn origin(&mut self) -> Parsed<Origin> {
        if self.accept_word("clause") {
            Ok(Origin::Clause)
        } else if self.accept_word("derivative") {
            Ok(Origin::Derivative)
        } else if self.accept_word("data") {
            Ok(Origin::Data)
        } else if self.accept_word("fields") {
            Ok(Origin::Fields(self.name()?))
        } else {
            self.word("cast")?;
            Ok(Origin::Cast)
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        self.nested(|parser| {
            parser.expect(TokenKind::LBrace)?;
            let mut stmts = Vec::new();
            while !parser.accept_word("give") {
                stmts.push(parser.stmt()?);
            }
            let empty = parser.kind() == TokenKind::RBrace;
            let results = if empty { Vec::new() } else { parser.list(Parser::atom)? };
            parser.expect(TokenKind::RBrace)?;
            Ok(Block { stmts, results })
        })
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let empty = self.kind() == TokenKind::Assign;
        let binders = if empty { Vec::new() } else { self.list(Parser::binder)? };
        self.expect(TokenKind::Assign)?;
        Ok(Stmt { binders, op: self.op()? })
    }

    fn binder(&mut self) -> Parsed<Binder> {
        let var = self.var()?;
        self.expect(TokenKind::Colon)?;
        Ok(Binder { var, ty: self.ty()? })
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let negative = self.accept(TokenKind::Minus);
        let token = self.next();
        let text = token.text(self.text);
        match (token.kind, text, negative) {
            (TokenKind::Int, ..) => {
                let value = read_int(text).ok_or("the integer is too large")?;
                Ok(Atom::Int(if negative { -value } else { value }))
            }
            (TokenKind::Real, ..) => {
                let value = read_real(text).ok_or("the number is too large")?;
                Ok(Atom::Real(Literal(if negative { -value } else { value })))
            }
            (TokenKind::Ident, "inf", false) => Ok(Atom::Real(Literal(f64::INFINITY))),
            (TokenKind::Ident, "inf", true) => Ok(Atom::Real(Literal(f64::NEG_INFINITY))),
            (TokenKind::Ident, "nan", false) => self.nan(),
            (TokenKind::Ident, "least", false) => Ok(Atom::Int(i64::MIN)),
            (TokenKind::Ident, "true", false) => Ok(Atom::Bool(true)),
            (TokenKind::Ident, "false", false) => Ok(Atom::Bool(false)),
            (TokenKind::Str, _, false) => Ok(Atom::Str(string(text)?.into())),
            (TokenKind::Ident, _, false) => match var_number(text) {
                Some(var) => Ok(Atom::Var(var)),
                None => Err(self.unexpected("an operand")),
            },
            _ => Err(self.unexpected("an operand")),
        }
    }

    /// The bits of a NaN, behind the word.
    fn nan(&mut self) -> Parsed<Atom> {
        self.expect(TokenKind::LParen)?;
        let bits = match self.atom()? {
            Atom::Int(bits) => bits,
            Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => {
                return Err("expected the bits of a NaN".into());
            }
        };
        self.expect(TokenKind::RParen)?;
        let value = f64::from_bits(bits.cast_unsigned());
        if value.is_nan() { Ok(Atom::Real(Literal(value))) } else { Err("this is no NaN".into()) }
    }

    fn var(&mut self) -> Parsed<Var> {
        let token = self.next();
        let var = Some(token).filter(|it| it.kind == TokenKind::Ident);
        let var = var.and_then(|it| var_number(it.text(self.text)));
        var.ok_or_else(|| self.unexpected("a variable"))
    }

    fn name(&mut self) -> Parsed<Name> {
        let token = self.next();
        let text = token.text(self.text);
        match (token.kind, text) {
            (TokenKind::Ident | TokenKind::Upper, _) => Ok(Name::read(text)),
            (TokenKind::Str, _) => Ok(Name::read(&string(text)?)),
            _ => Err(self.unexpected("a name")),
        }
    }

    fn number<T: TryFrom<i64>>(&mut self) -> Parsed<T> {
        let token = self.next();
        let value = Some(token).filter(|it| it.kind == TokenKind::Int);
        let value = value.and_then(|it| read_int(it.text(self.text)));
        let value = value.and_then(|it| T::try_from(it).ok());
        value.ok_or_else(|| self.unexpected("a number"))
    }

    /// One or more, with commas between them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut res = vec![item(self)?];
        while self.accept(TokenKind::Comma) {
            res.push(item(self)?);
        }
        Ok(res)
    }

    /// Any number in parentheses.
    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(TokenKind::LParen)?;
        if self.accept(TokenKind::RParen) {
            return Ok(Vec::new());
        }
        let res = self.list(item)?;
        self.expect(TokenKind::RParen)?;
        Ok(res)
    }

    /// Runs a parser one level deeper, so that the stack is bounded.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let res = inner(self);
        self.depth -= 1;
        res
    }

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Steps over a token; the end stays.
    fn next(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.position += 1;
        }
        token
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.next();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let token = self.token();
        let found = token.kind == TokenKind::Ident && token.text(self.text) == word;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<()> {
        if self.accept(kind) { Ok(()) } else { Err(self.expected(kind.describe())) }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    fn expected(&self, what: &str) -> String {
        format!("expected {what}, found {}", self.describe())
    }

    /// As `expected`, for the token stepped over last.
    fn unexpected(&mut self, what: &str) -> String {
        if self.kind() != TokenKind::Eof {
            self.position = self.position.saturating_sub(1);
        }
        self.expected(what)
    }

    fn describe(&self) -> String {
        let token = self.token();
        match token.text(self.text) {
            "" => token.kind.describe().to_string(),
            text => format!("`{}`", text.chars().take(40).collect::<String>()),
        }
    }
}

fn insert<T>(map: &mut BTreeMap<Name, T>, name: Name, value: T) -> Parsed<()> {
    match map.insert(name.clone(), value) {
        None => Ok(()),
        Some(_) => Err(format!("{name} is declared twice")),
    }
}

fn string(token: &str) -> Parsed<String> {
    let (text, bad) = read_string(token);
    if bad.is_empty() { Ok(text) } else { Err("an unknown escape in a text".into()) }
}

/// The variable of the word `x12`.
fn var_number(word: &str) -> Option<Var> {
    let digits = word.strip_prefix('x')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    let plain = canonical && digits.bytes().all(|it| it.is_ascii_digit());
    // The greatest one is left out: there is always a next one.
    digits.parse().ok().filter(|it| plain && *it < u32::MAX).map(Var)
}
