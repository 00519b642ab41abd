//! Names in the text form: as they are, or as strings where the tokeniser would read something else.

use std::fmt::{self, Display, Formatter};

use base::Name;
use base::literal::write_string;

/// Whether the tokeniser reads the text as one word.
fn is_word(text: &str) -> bool {
    let plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '\'' || it == '~';
    text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && text.chars().all(plain)
        && text != "_"
}

/// A name of a definition, constructor or parameter.
pub(super) struct Quoted<'a>(pub(super) &'a Name);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // `else` stands where a constructor may stand.
        if is_word(self.0) && &**self.0 != "else" {
            return write!(f, "{}", self.0);
        }
        f.write_str(&write_string(self.0))
    }
}

/// A sum type's name where a type stands: capital, and none of our own types.
pub(super) struct DataName<'a>(pub(super) &'a Name);

impl Display for DataName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let capital = self.0.starts_with(|it: char| it.is_ascii_uppercase());
        let taken = ["Real", "Int", "Bool", "String", "D", "R", "Delta"].contains(&self.0.as_str());
        if is_word(self.0) && capital && !taken {
            return write!(f, "{}", self.0);
        }
        f.write_str(&write_string(self.0))
    }
}

/// A type parameter where a type stands: small.
pub(super) struct TypeVar<'a>(pub(super) &'a Name);

impl Display for TypeVar<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let capital = self.0.starts_with(|it: char| it.is_ascii_uppercase());
        if is_word(self.0) && !capital {
            return write!(f, "{}", self.0);
        }
        write!(f, "?{}", write_string(self.0))
    }
}
