//! Names: cheap to clone, compared by text. A name that a pass makes of another one remembers which,
//! and what it stands for: nobody takes a text apart to find out.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An identifier of the source, or one made by a pass.
#[derive(Clone)]
pub struct Name {
    text: Arc<str>,
    made: Option<Arc<Made>>,
}

/// What a name was made of.
struct Made {
    of: Name,
    mark: Mark,
}

/// What a name that a pass made stands for, beside the name it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `f@linalg`: `f` of the module that is called so; `f` of the program itself has no mark.
    Module(String),
    /// `go^f`: the recursive local function `go` of `f`.
    Local(String),
    /// `f'10`: `f` with tangents, by its first parameter.
    Dual(Vec<bool>),
    /// `f~10`: `f` with Deltas, by its first parameter.
    Taped(Vec<bool>),
    /// `T.d`: the tangents of `T`.
    Tangent,
    /// `f.vjp10`, `T.add`: something else that belongs to it.
    Part(String),
    /// `f_2`: `f` at other types or with other functions. Users may write such names, so this mark and
    /// the next are not read back.
    Instance(u32),
    /// `f_lambda`: a function without a name in `f`.
    Lambda,
}

impl Name {
    /// The name with this text, made of nothing.
    pub fn new(text: &str) -> Name {
        Name { text: Arc::from(text), made: None }
    }

    /// The name with this mark.
    pub fn with(&self, mark: Mark) -> Name {
        let text = Arc::from(format!("{self}{mark}"));
        Name { text, made: Some(Arc::new(Made { of: self.clone(), mark })) }
    }

    /// The name of something that belongs to what has this name.
    pub fn part(&self, what: impl fmt::Display) -> Name {
        self.with(Mark::Part(what.to_string()))
    }

    /// The name that was printed like this: marks that no user can write are read back.
    pub fn read(text: &str) -> Name {
        let last = text.rfind(['\'', '~', '.', '@', '^']).filter(|at| *at > 0);
        let mark = last.and_then(|at| Some((Name::read(&text[..at]), Mark::read(&text[at..])?)));
        match mark {
            Some((of, mark)) => of.with(mark),
            None => Name::new(text),
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What it was made of, and its mark.
    pub fn made_of(&self) -> Option<(&Name, &Mark)> {
        self.made.as_ref().map(|it| (&it.of, &it.mark))
    }

    /// Whether it has this mark, or what it was made of has it.
    pub fn has(&self, mark: &Mark) -> bool {
        self.made.as_ref().is_some_and(|it| it.mark == *mark || it.of.has(mark))
    }

    /// The name without any marks, which the user wrote.
    pub fn written(&self) -> &Name {
        self.made.as_ref().map_or(self, |it| it.of.written())
    }
}

impl Mark {
    fn read(text: &str) -> Option<Mark> {
        let mask = |text: &str| {
            let digit = |it: char| it.to_digit(2).map(|it| it == 1);
            text.chars().map(digit).collect::<Option<Vec<bool>>>()
        };
        match text.split_at(1) {
            ("'", text) => Some(Mark::Dual(mask(text)?)),
            ("~", text) => Some(Mark::Taped(mask(text)?)),
            ("@", text) if !text.is_empty() => Some(Mark::Module(text.to_owned())),
            ("^", text) if !text.is_empty() => Some(Mark::Local(text.to_owned())),
            (".", "d") => Some(Mark::Tangent),
            (".", text) if !text.is_empty() => Some(Mark::Part(text.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Module(module) => write!(f, "@{module}"),
            Mark::Local(of) => write!(f, "^{of}"),
            Mark::Dual(mask) => write!(f, "'{}", digits(mask)),
            Mark::Taped(mask) => write!(f, "~{}", digits(mask)),
            Mark::Tangent => f.write_str(".d"),
            Mark::Part(what) => write!(f, ".{what}"),
            Mark::Instance(number) => write!(f, "_{number}"),
            Mark::Lambda => f.write_str("_lambda"),
        }
    }
}

/// A mask of parameters in names: `10` is by the first of two.
pub fn digits(mask: &[bool]) -> String {
    mask.iter().map(|on| if *on { '1' } else { '0' }).collect()
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::new(&text)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer).map(|it| Name::read(&it))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed is read back with all its marks.
    #[test]
    fn marks_are_read_back() {
        let marks = [
            Mark::Local("g".to_owned()),
            Mark::Module("linalg".to_owned()),
            Mark::Dual(vec![true, false]),
            Mark::Dual(Vec::new()),
            Mark::Part("vjp10".to_owned()),
            Mark::Tangent,
            Mark::Taped(vec![false]),
        ];
        let name = marks.iter().fold(Name::new("f"), |it, mark| it.with(mark.clone()));
        assert_eq!(name.as_str(), "f^g@linalg'10'.vjp10.d~0");
        let mut read = Name::read(&name);
        assert_eq!(read.written().as_str(), "f");
        for mark in marks.iter().rev() {
            let (of, found) = read.made_of().expect("a mark");
            assert_eq!(found, mark);
            read = of.clone();
        }
        assert!(read.made_of().is_none());
    }

    /// What is no mark belongs to the name.
    #[test]
    fn what_is_no_mark_stays() {
        for text in ["f", "", "'", ".d", "f'2", "f~x", "f.", "f@", "@m", "f_1", "f_lambda"] {
            assert!(Name::read(text).made_of().is_none(), "{text}");
        }
    }
}
