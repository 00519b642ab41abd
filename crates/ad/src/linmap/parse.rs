//! Reads linear maps as `print.rs` writes them.

use std::str::FromStr;

use ir::{Atom, Op, Size, Type, Var};

use super::map::{Map, Scalar, hole};

/// Operands of built-in operations: as many holes as any has.
const MOST_HOLES: usize = 64;

impl FromStr for Map {
    type Err = String;

    fn from_str(text: &str) -> Result<Map, String> {
        let mut reader = Reader { rest: text.trim() };
        let map = reader.map()?;
        match reader.rest.trim() {
            "" => Ok(map),
            rest => Err(format!("`{rest}` behind the map")),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn accept(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(token);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.accept(token) {
            true => Ok(()),
            false => Err(format!("expected `{token}` before `{}`", self.rest)),
        }
    }

    /// The text up to the bracket that closes one that is open.
    fn until(&mut self, open: char, close: char) -> Result<&'a str, String> {
        let mut depth = 1;
        for (at, c) in self.rest.char_indices() {
            if c == open {
                depth += 1;
            }
            if c == close {
                depth -= 1;
            }
            if depth == 0 {
                let text = &self.rest[..at];
                self.rest = &self.rest[at + 1..];
                return Ok(text);
            }
        }
        Err(format!("expected `{close}`"))
    }

    fn ty(&mut self) -> Result<Type, String> {
        self.until('<', '>')?.parse().map_err(|it: ir::ParseError| it.to_string())
    }

    fn map(&mut self) -> Result<Map, String> {
        if self.accept("0<") {
            return Ok(Map::Zero(self.ty()?));
        }
        if self.accept("T<") {
            let ty = self.ty()?;
            self.expect("(")?;
            return Ok(Map::Transpose(ty, Box::new(self.closed()?)));
        }
        if self.accept("S(") {
            let factor = self.scalar()?;
            self.expect(")")?;
            return Ok(Map::Scale(factor));
        }
        if self.accept("V(") {
            return Ok(Map::VCat(self.list()?));
        }
        if self.accept("H(") {
            return Ok(Map::HCat(self.list()?));
        }
        if self.accept("V[") {
            let (size, index, body) = self.build()?;
            return Ok(Map::VBuild(size, index, body));
        }
        if self.accept("H[") {
            let (size, index, body) = self.build()?;
            return Ok(Map::HBuild(size, index, body));
        }
        if self.accept("{") {
            return self.builtin();
        }
        if self.accept("(") {
            return self.several();
        }
        if self.accept("1") {
            return Ok(Map::One);
        }
        match self.word().strip_prefix('x').and_then(|it| it.parse().ok()) {
            Some(number) => Ok(Map::Var(Var(number))),
            None => Err(format!("expected a map before `{}`", self.rest)),
        }
    }

    /// A map and the bracket behind it.
    fn closed(&mut self) -> Result<Map, String> {
        let map = self.map()?;
        self.expect(")")?;
        Ok(map)
    }

    fn list(&mut self) -> Result<Vec<Map>, String> {
        let mut parts = vec![self.map()?];
        while self.accept(",") {
            parts.push(self.map()?);
        }
        self.expect(")")?;
        Ok(parts)
    }

    fn several(&mut self) -> Result<Map, String> {
        let first = self.map()?;
        if self.accept(".") {
            return Ok(first.after(self.closed()?));
        }
        let mut parts = vec![first];
        while self.accept("+") {
            parts.push(self.map()?);
        }
        self.expect(")")?;
        Ok(Map::Sum(parts))
    }

    fn build(&mut self) -> Result<(Size, Var, Box<Map>), String> {
        let (size, index) = self.until('[', ']')?.split_once(';').ok_or("expected `;`")?;
        // A size is written as in the type of an array.
        let array: Type =
            format!("[{size}]Real").parse().map_err(|it: ir::ParseError| it.to_string())?;
        let size = array.split_arrays().0.remove(0);
        let index = index.trim().strip_prefix('x').and_then(|it| it.parse().ok());
        self.expect("(")?;
        Ok((size, Var(index.ok_or("expected an index")?), Box::new(self.closed()?)))
    }

    fn builtin(&mut self) -> Result<Map, String> {
        let mut text = self.until('{', '}')?.to_string();
        let holes = (0..MOST_HOLES).take_while(|it| text.contains(&format!("_{it}"))).count();
        for at in (0..holes).rev() {
            text = text.replace(&format!("_{at}"), &hole(at).to_string());
        }
        let op: Op = text.parse().map_err(|it: ir::ParseError| it.to_string())?;
        Ok(Map::Builtin(Box::new(op), holes))
    }

    fn scalar(&mut self) -> Result<Scalar, String> {
        if !self.accept("(") {
            return self.atom().map(Scalar::Atom);
        }
        let left = self.scalar()?;
        let times = self.accept("*");
        if !times {
            self.expect("+")?;
        }
        let right = self.scalar()?;
        self.expect(")")?;
        Ok(if times { left.times(right) } else { left.plus(right) })
    }

    fn atom(&mut self) -> Result<Atom, String> {
        let word = self.word();
        // An atom is an operation that copies it.
        let op: Op = format!("copy {word}").parse().map_err(|it: ir::ParseError| it.to_string())?;
        if let Op::Copy(atom) = op { Ok(atom) } else { Err(format!("`{word}` is no factor")) }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find([' ', ',', ')', '(']).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }
}
