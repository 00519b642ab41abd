//! A line of the text of a module, read from left to right.

use base::Saying;
use ir::Prim;

use super::how_of;
use crate::{Atom, How, Kernel, Matrix, Place, Scalar, Term, Type, Value, Var};

/// What was read, or what is wrong.
pub(super) type Parsed<T> = Result<T, String>;

/// What is left of a line.
#[derive(Clone)]
pub(super) struct Line<'a>(&'a str);

/// A line without the remark at its end, and without spaces around it. Texts are not looked into.
pub(super) fn without_comment(line: &str) -> &str {
    let line = line.trim();
    match line.starts_with("text ") {
        true => line,
        false => line.split_once("  // ").map_or(line, |it| it.0),
    }
}

pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `x1 = 0.0 + over x2`
pub(super) fn is_acc(text: &str) -> bool {
    text.contains(" over ") && !text.contains("alloc")
}

/// `x1 = either ..`
pub(super) fn is_bound_to(text: &str, word: &str) -> bool {
    text.split_once(" = ").is_some_and(|it| it.1.starts_with(word))
}

/// A text without its escapes.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut res = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            res.push(c);
            continue;
        }
        res.push(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'u' => {
                let number: String = rest.by_ref().skip(1).take_while(|it| *it != '}').collect();
                char::from_u32(u32::from_str_radix(&number, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(res)
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Line<'a> {
        Line(text.trim_start())
    }

    /// Reads this sign, if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        match self.0.strip_prefix(sign) {
            Some(rest) => {
                self.0 = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Reads this word, if it is next.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let rest = self.0.strip_prefix(word).filter(|it| !it.starts_with(is_of_word));
        self.0 = rest.map_or(self.0, str::trim_start);
        rest.is_some()
    }

    pub(super) fn must(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(format!("`{sign}` is expected at `{}`", self.0)) }
    }

    pub(super) fn end(&self) -> Parsed<()> {
        if self.0.is_empty() { Ok(()) } else { Err(format!("`{}` is left over", self.0)) }
    }

    pub(super) fn rest(self) -> &'a str {
        self.0
    }

    /// What stands before a sign, which is read too.
    pub(super) fn before(&mut self, sign: char) -> Option<&'a str> {
        let (res, rest) = self.0.split_once(sign)?;
        self.0 = rest.trim_start();
        Some(res)
    }

    /// The longest beginning of such characters.
    fn while_is(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !is(c)).unwrap_or(self.0.len());
        let (res, rest) = self.0.split_at(end);
        self.0 = rest.trim_start();
        res
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let mut line = self.clone();
        let number = line.while_is(is_of_word).parse().ok()?;
        *self = line;
        Some(number)
    }

    pub(super) fn var(&mut self) -> Parsed<Var> {
        match self.atom()? {
            Atom::Var(var) => Ok(var),
            other @ (Atom::Real(_) | Atom::Int(_) | Atom::Bool(_)) => {
                Err(format!("a variable is expected, not `{other}`"))
            }
        }
    }

    /// This variable and no other.
    pub(super) fn same(&mut self, var: Var) -> Parsed<()> {
        let found = self.var()?;
        if found == var { Ok(()) } else { Err(format!("{var} is expected, not {found}")) }
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let is_array = self.eat("[]");
        let word = self.while_is(is_of_word);
        let all = [Scalar::Real, Scalar::Int, Scalar::Bool, Scalar::Box];
        let scalar = all.into_iter().find(|it| it.to_string() == word);
        let scalar = scalar.ok_or_else(|| format!("`{word}` is no type"))?;
        Ok(if is_array { Type::Array(scalar) } else { Type::Scalar(scalar) })
    }

    pub(super) fn atom(&mut self) -> Parsed<Atom> {
        let mut line = self.clone();
        let sign = if line.eat("-") { "-" } else { "" };
        // The sign of an exponent is part of a number.
        let start = line.0;
        let mut text = line.while_is(|c| is_of_word(c) || c == '.');
        if text.ends_with('e') && text.starts_with(|c: char| c.is_ascii_digit()) && line.eat("-") {
            line.while_is(|c| c.is_ascii_digit());
            text = start[..start.len() - line.0.len()].trim_end();
        }
        let atom = atom_of(sign, text);
        match atom {
            Some(atom) => {
                *self = line;
                Ok(atom)
            }
            None => Err(format!("an operand is expected at `{}`", self.0)),
        }
    }

    /// Operands with commas between them; there may be none.
    pub(super) fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        let mut res = Vec::new();
        if self.0.is_empty() || self.0.starts_with(')') {
            return Ok(res);
        }
        res.push(self.atom()?);
        while self.eat(",") {
            res.push(self.atom()?);
        }
        Ok(res)
    }

    /// `x1 * x2 + x3`, until something else follows.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let mut res = Place::new();
        while !self.0.starts_with([']', '.']) && !self.0.starts_with("i *") {
            let index = self.atom()?;
            let stride = if self.eat("*") { self.atom()? } else { Atom::Int(1) };
            res.push(Term { index, stride });
            if !self.eat("+") {
                break;
            }
        }
        Ok(res)
    }

    /// `x1[x2 + i * x3 + j * x4]`
    pub(super) fn matrix(&mut self) -> Parsed<Matrix> {
        let array = self.var()?;
        self.must("[")?;
        let at = self.place()?;
        self.must("i *")?;
        let rows = self.atom()?;
        self.must("+ j *")?;
        let columns = self.atom()?;
        self.must("]")?;
        Ok(Matrix { array, at, rows, columns })
    }

    /// What stands between a place and `=`, or before `over`.
    pub(super) fn how(&mut self) -> Parsed<How> {
        let words = ["+", "*", "max", "min"];
        let found = words.into_iter().find(|it| self.eat(it));
        Ok(found.and_then(how_of).unwrap_or(How::Set))
    }

    /// `+ over lanes`
    pub(super) fn lanes(&mut self) -> Parsed<How> {
        let how = self.how()?;
        self.must("over lanes")?;
        Ok(how)
    }

    pub(super) fn value(&mut self) -> Parsed<Value> {
        let start = self.clone();
        let name = self.while_is(is_of_word);
        if self.eat("(") {
            let operands = self.atoms()?;
            self.must(")")?;
            if let ("scale_add", [a, b, c]) = (name, operands.as_slice()) {
                return Ok(Value::ScaleAdd(*a, *b, *c));
            }
            let prim = Prim::from_name(name).ok_or_else(|| format!("`{name}` is no primitive"))?;
            return Ok(Value::Prim(prim, operands));
        }
        *self = start;
        let atom = self.atom()?;
        let Atom::Var(array) = atom else { return Ok(Value::Atom(atom)) };
        if !self.eat("[") {
            return Ok(Value::Atom(atom));
        }
        let at = self.place()?;
        let is_part = self.eat("...");
        self.must("]")?;
        Ok(if is_part { Value::Part { array, at } } else { Value::Load { array, at } })
    }

    /// A function of the runtime that begins with its name.
    pub(super) fn kernel(&mut self) -> Parsed<Option<Kernel>> {
        Ok(Some(if self.word("fill") {
            let (array, at) = self.spot()?;
            self.must(",")?;
            let len = self.atom()?;
            self.must("with")?;
            Kernel::Fill { array, at, len, value: self.atom()? }
        } else if self.word("copy") {
            let (from, from_at) = self.spot()?;
            self.must("to")?;
            let (into, into_at) = self.spot()?;
            self.must(",")?;
            Kernel::Copy { from, from_at, into, into_at, len: self.atom()? }
        } else if self.word("sort") {
            let (from, into, len) = self.sorted()?;
            Kernel::Sort { from, into, len }
        } else if self.word("argsort") {
            let (from, into, len) = self.sorted()?;
            Kernel::Argsort { from, into, len }
        } else if self.word("tell") {
            let number = self.number().and_then(|it| Saying::ALL.get(it));
            let saying = *number.ok_or("`tell` is followed by a number")?;
            let (every, text, value) = (self.atom()?, self.atom()?, self.atom()?);
            self.must("of")?;
            Kernel::Tell { saying, every, text, value, sizes: self.atoms()? }
        } else {
            return Ok(None);
        }))
    }

    fn spot(&mut self) -> Parsed<(Var, Place)> {
        let array = self.var()?;
        self.must("[")?;
        let at = self.place()?;
        self.must("]")?;
        Ok((array, at))
    }

    fn sorted(&mut self) -> Parsed<(Var, Var, Atom)> {
        let from = self.var()?;
        self.must("to")?;
        let into = self.var()?;
        self.must(",")?;
        Ok((from, into, self.atom()?))
    }
}

fn atom_of(sign: &str, text: &str) -> Option<Atom> {
    match text {
        "true" if sign.is_empty() => return Some(Atom::Bool(true)),
        "false" if sign.is_empty() => return Some(Atom::Bool(false)),
        "NaN" => return Some(Atom::Real(f64::NAN)),
        "inf" if sign.is_empty() => return Some(Atom::Real(f64::INFINITY)),
        "inf" => return Some(Atom::Real(f64::NEG_INFINITY)),
        _ => {}
    }
    if let Some(number) = text.strip_prefix('x').filter(|_| sign.is_empty()) {
        return number.parse().ok().map(|it| Atom::Var(Var(it)));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let text = format!("{sign}{text}");
    match text.contains(['.', 'e']) {
        true => text.parse().ok().map(Atom::Real),
        false => text.parse().ok().map(Atom::Int),
    }
}
