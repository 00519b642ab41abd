//! The header of a `.npy` file: a Python dictionary with exactly the keys `descr`,
//! `fortran_order` and `shape`. Nothing nests, so nothing recurses.

use crate::npy::NpyError;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) descr: String,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
}

/// numpy itself refuses more than 64 dimensions.
const MOST_DIMENSIONS: usize = 64;

/// Reads the text between the length field and the data.
pub(crate) fn parse(text: &[u8]) -> Result<Header, NpyError> {
    let mut input = Input { text, at: 0 };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    input.expect(b'{')?;
    while !input.accept(b'}') {
        let key = input.string()?;
        input.expect(b':')?;
        match key.as_str() {
            "descr" => descr = Some(input.descr()?),
            "fortran_order" => fortran_order = Some(input.boolean()?),
            "shape" => shape = Some(input.shape()?),
            _ => return Err(malformed("it has an unknown key")),
        }
        if !input.accept(b',') {
            input.expect(b'}')?;
            break;
        }
    }
    input.end()?;
    match (descr, fortran_order, shape) {
        (Some(descr), Some(fortran_order), Some(shape)) => {
            Ok(Header { descr, fortran_order, shape })
        }
        _ => Err(malformed("a key is missing")),
    }
}

fn malformed(why: &'static str) -> NpyError {
    NpyError::Header(why)
}

struct Input<'a> {
    text: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), NpyError> {
        if self.accept(byte) { Ok(()) } else { Err(malformed("a bracket or comma is missing")) }
    }

    fn end(&mut self) -> Result<(), NpyError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(malformed("something follows the dictionary")),
        }
    }

    /// A string in single or double quotes, without escapes.
    fn string(&mut self) -> Result<String, NpyError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(malformed("a string was expected")),
        };
        let rest = &self.text[self.at + 1..];
        let length = rest
            .iter()
            .position(|byte| *byte == quote || *byte == b'\\')
            .filter(|end| rest[*end] == quote)
            .ok_or(malformed("a string does not end"))?;
        self.at += length + 2;
        let text = std::str::from_utf8(&rest[..length]);
        text.map(str::to_owned).map_err(|_| malformed("it is not text"))
    }

    /// A plain element type; a list would be a structured one.
    fn descr(&mut self) -> Result<String, NpyError> {
        if self.peek() == Some(b'[') {
            return Err(NpyError::ElementType("a structure".to_owned()));
        }
        self.string()
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.peek();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(malformed("`fortran_order` is neither True nor False"))
    }

    fn shape(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut sizes = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')') {
            sizes.push(self.size()?);
            if sizes.len() > MOST_DIMENSIONS {
                return Err(malformed("it has more than 64 dimensions"));
            }
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(sizes)
    }

    /// A number; Python 2 wrote a trailing `L`.
    fn size(&mut self) -> Result<usize, NpyError> {
        self.peek();
        let digits = self.text[self.at..].iter().take_while(|it| it.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + digits]);
        let size = text.ok().and_then(|it| it.parse().ok());
        self.at += digits;
        self.accept(b'L');
        size.ok_or(malformed("a size is no number of this machine"))
    }
}
