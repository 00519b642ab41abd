//! Reads types and terms as `print.rs` writes them, with types.

mod binders;

use std::str::FromStr;

use base::Name;
use ir::{Literal, Prim, Size};

use super::print::{APPLICATION, INFIX};
use super::term::{Side, Term};
use super::types::Type;

impl FromStr for Type {
    type Err = String;

    fn from_str(text: &str) -> Result<Type, String> {
        Reader { rest: text }.all(Reader::ty)
    }
}

impl FromStr for Term {
    type Err = String;

    fn from_str(text: &str) -> Result<Term, String> {
        Reader { rest: text }.all(Reader::term)
    }
}

struct Reader<'a> {
    rest: &'a str,
}

type Read<T> = Result<T, String>;

impl<'a> Reader<'a> {
    fn all<T>(mut self, what: fn(&mut Self) -> Read<T>) -> Read<T> {
        let res = what(&mut self)?;
        match self.rest.trim() {
            "" => Ok(res),
            rest => Err(format!("`{rest}` is left over")),
        }
    }

    fn accept(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(token);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Read<()> {
        match self.accept(token) {
            true => Ok(()),
            false => Err(format!("expected `{token}` before `{}`", self.rest)),
        }
    }

    /// Letters, digits, and what names are made of.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let is_part = |it: char| it.is_alphanumeric() || "_'#".contains(it);
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    fn name(&mut self) -> Read<Name> {
        match self.word() {
            "" => Err(format!("expected a name before `{}`", self.rest)),
            word => Ok(Name::new(word)),
        }
    }

    fn ty(&mut self) -> Read<Type> {
        if self.accept("[]") {
            return Ok(self.ty()?.list());
        }
        if self.accept("[") {
            let size = self.size()?;
            return Ok(self.ty()?.array(&size));
        }
        if self.accept("(!") {
            let from = self.ty()?;
            self.expect("x")?;
            let to = self.ty()?;
            self.expect(")")?;
            return Ok(from.copower(&to));
        }
        if self.accept("(") {
            let one = self.ty()?;
            let signs = [Type::times, Type::or, Type::to, Type::linear_to];
            let sign = ["*", "+", "->", "-o"].iter().position(|it| self.accept(it));
            let sign = sign.ok_or_else(|| format!("no type before `{}`", self.rest))?;
            let other = self.ty()?;
            self.expect(")")?;
            return Ok(signs[sign](&one, &other));
        }
        match self.word() {
            "Real" => Ok(Type::Real),
            "Int" => Ok(Type::Int),
            "1" => Ok(Type::Unit),
            other => Err(format!("`{other}` is no type")),
        }
    }

    /// A size and the bracket behind it.
    fn size(&mut self) -> Read<Size> {
        let (text, rest) = self.rest.split_once(']').ok_or("expected `]`")?;
        self.rest = rest;
        // A size is written as in the type of an array.
        let array: ir::Type =
            format!("[{text}]Real").parse().map_err(|it: ir::ParseError| it.to_string())?;
        Ok(array.split_arrays().0.remove(0))
    }

    fn ty_in_brackets(&mut self) -> Read<Type> {
        self.expect("[")?;
        let ty = self.ty()?;
        self.expect("]")?;
        Ok(ty)
    }

    fn part(&mut self) -> Read<Box<Term>> {
        self.term().map(Box::new)
    }

    fn term(&mut self) -> Read<Term> {
        if self.accept("\\") {
            let x = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            if self.accept("-o") {
                return Ok(Term::LinearLambda(x, ty, self.part()?));
            }
            self.expect("->")?;
            return Ok(Term::Lambda(x, ty, self.part()?));
        }
        let before = self.rest;
        match self.word() {
            "let" => {
                let (x, t, s) = self.binding()?;
                Ok(Term::Let(x, t, s))
            }
            "linear" => {
                let (x, t, s) = self.binding()?;
                Ok(Term::LinearLet(x, t, s))
            }
            _ => {
                self.rest = before;
                self.operators(1)
            }
        }
    }

    fn binding(&mut self) -> Read<(Name, Box<Term>, Box<Term>)> {
        let x = self.name()?;
        self.expect("=")?;
        let t = self.part()?;
        self.expect("in")?;
        Ok((x, t, self.part()?))
    }

    fn operators(&mut self, level: usize) -> Read<Term> {
        if level == APPLICATION {
            let function = self.applied()?;
            return Ok(match self.accept("@") {
                true => Term::LinearApply(Box::new(function), Box::new(self.applied()?)),
                false => function,
            });
        }
        let mut res = self.operators(level + 1)?;
        loop {
            let is_next = |it: &&(Prim, char, usize)| {
                it.2 == level && self.rest.trim_start().starts_with(it.1)
            };
            let Some((prim, sign, _)) = INFIX.iter().find(is_next) else { return Ok(res) };
            self.expect(&sign.to_string())?;
            res = Term::Op(*prim, vec![res, self.operators(level + 1)?]);
        }
    }

    /// A term without operators, applied to arguments.
    fn applied(&mut self) -> Read<Term> {
        let mut res = self.atom()?;
        while self.accept("(") {
            res = Term::Apply(Box::new(res), self.part()?);
            self.expect(")")?;
        }
        Ok(res)
    }

    fn atom(&mut self) -> Read<Term> {
        if self.accept("()") {
            return Ok(Term::Unit);
        }
        if self.accept("!(") {
            let [t, s] = self.parts(["", ";"])?;
            return Ok(Term::Copower(t, s));
        }
        if self.accept("[") {
            let t = self.part()?;
            self.expect("]")?;
            return Ok(Term::Singleton(t));
        }
        if self.accept("(") {
            let t = self.part()?;
            if self.accept(",") {
                let s = self.part()?;
                self.expect(")")?;
                return Ok(Term::Pair(t, s));
            }
            self.expect(")")?;
            return Ok(*t);
        }
        if self.rest.trim_start().starts_with(|it: char| it == '-' || it.is_ascii_digit()) {
            return self.number();
        }
        let word = self.name()?;
        self.former(&word)
    }

    fn number(&mut self) -> Read<Term> {
        let rest = self.rest.trim_start();
        let is_part = |(at, it): (usize, char)| {
            let is_sign = it == '-' && (at == 0 || rest[..at].ends_with('e'));
            is_sign
                || it.is_ascii_digit()
                || it == '.'
                || it == 'e'
                || rest[at..].starts_with("inf")
        };
        let end = rest.char_indices().find(|it| !is_part(*it)).map_or(rest.len(), |it| it.0);
        let (text, rest) = rest.split_at(end);
        self.rest = rest;
        if let Ok(value) = text.parse() {
            return Ok(Term::Int(value));
        }
        if text == "-" && self.accept("inf") {
            return Ok(Term::Real(Literal(f64::NEG_INFINITY)));
        }
        let value = text.parse().map_err(|_| format!("`{text}` is no number"))?;
        Ok(Term::Real(Literal(value)))
    }

    /// Terms behind these tokens, and a bracket.
    fn parts<const N: usize>(&mut self, tokens: [&str; N]) -> Read<[Box<Term>; N]> {
        let mut res = Vec::new();
        for token in tokens {
            self.expect(token)?;
            res.push(self.part()?);
        }
        self.expect(")")?;
        Ok(res.try_into().expect("as many as tokens"))
    }

    /// A name, a dot and what it is bound in.
    fn bound(&mut self) -> Read<(Name, Box<Term>)> {
        let x = self.name()?;
        self.expect(".")?;
        Ok((x, self.part()?))
    }

    fn former(&mut self, word: &Name) -> Read<Term> {
        Ok(match word.as_str() {
            "fst" => self.parts(["("]).map(|[t]| Term::Fst(t))?,
            "snd" => self.parts(["("]).map(|[t]| Term::Snd(t))?,
            "index" => self.parts(["(", ","]).map(|[t, s]| Term::Index(t, s))?,
            "plus" => self.parts(["(", ","]).map(|[t, s]| Term::Plus(t, s))?,
            "zip" => self.parts(["(", ","]).map(|[t, s]| Term::Zip(t, s))?,
            "toList" => self.parts(["("]).map(|[t]| Term::ToList(t))?,
            "zero" => Term::Zero(self.ty_in_brackets()?),
            "inf" => Term::Real(Literal(f64::INFINITY)),
            "NaN" => Term::Real(Literal(f64::NAN)),
            "size" => {
                self.expect("[")?;
                Term::Size(self.size()?)
            }
            "inl" | "inr" => {
                let side = if word.as_str() == "inl" { Side::Left } else { Side::Right };
                let ty = self.ty_in_brackets()?;
                self.parts(["("]).map(|[t]| Term::Inject(side, ty, t))?
            }
            "sum" => {
                let ty = self.ty_in_brackets()?;
                self.parts(["("]).map(|[t]| Term::Sum(ty, t))?
            }
            "proj" | "at" => {
                self.expect("[")?;
                let skip = self.word().parse().map_err(|_| "expected a number".to_string())?;
                self.expect("]")?;
                if word.as_str() == "proj" {
                    return self.parts(["("]).map(|[t]| Term::Proj(skip, t));
                }
                let ty = self.ty_in_brackets()?;
                self.parts(["("]).map(|[t]| Term::Coproj(ty, skip, t))?
            }
            "one" => {
                self.expect("[")?;
                let (size, ty) = (self.size()?, self.ty_in_brackets()?);
                self.parts(["(", ","]).map(|[t, s]| Term::OneHot(size, ty, t, s))?
            }
            "case" | "build" | "map" | "each" | "iterate" | "while" | "Dmap" | "Dtmap" => {
                self.binding_former(word)?
            }
            word => match Prim::from_name(word) {
                Some(prim) => Term::Op(prim, self.operands(")")?),
                None => match word.split_once('_').map(|it| (it.0, Prim::from_name(it.1))) {
                    Some(("D", Some(prim))) => {
                        let args = self.operands(";")?;
                        self.parts([""]).map(|[t]| Term::Derivative(prim, args, t))?
                    }
                    Some(("Dt", Some(prim))) => {
                        let args = self.operands(";")?;
                        self.parts([""]).map(|[t]| Term::Transposed(prim, args, t))?
                    }
                    Some(_) | None => Term::Var(Name::new(word)),
                },
            },
        })
    }

    fn operands(&mut self, end: &str) -> Read<Vec<Term>> {
        self.expect("(")?;
        let mut res = Vec::new();
        while !self.accept(end) {
            if !res.is_empty() {
                self.expect(",")?;
            }
            res.push(self.term()?);
        }
        Ok(res)
    }
}
