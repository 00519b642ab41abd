//! Places in source texts, and the texts they belong to.

use serde::{Deserialize, Serialize};

/// Number of a text in a [`SourceMap`].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one text.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name diagnostics show: a path, `<prelude>`, `<expression>`.
    pub name: String,
    /// The text itself.
    pub text: String,
    marks: Vec<Mark>,
}

/// A byte whose line and column are known. There is one where a line starts, and more within long
/// lines, so that a place is looked up and not counted: a report asks for all of its places, and a
/// text may be one line.
#[derive(Clone, Copy, Debug)]
struct Mark {
    byte: usize,
    line: u32,
    column: u32,
}

/// From a mark to the next of the same line.
const STRIDE: usize = 1024;

impl SourceFile {
    fn new(name: String, text: String) -> SourceFile {
        let mut mark = Mark { byte: 0, line: 1, column: 1 };
        let (mut marks, mut column) = (vec![mark], 1);
        for (at, char) in text.char_indices() {
            column += 1;
            let byte = at + char.len_utf8();
            if char == '\n' {
                (mark, column) = (Mark { byte, line: mark.line + 1, column: 1 }, 1);
                marks.push(mark);
            } else if byte - mark.byte >= STRIDE {
                mark = Mark { byte, line: mark.line, column };
                marks.push(mark);
            }
        }
        SourceFile { name, text, marks }
    }

    /// Of a byte, or of the end if there is no character that starts there.
    pub(crate) fn position(&self, byte: usize) -> (usize, usize) {
        let byte = if self.text.is_char_boundary(byte) { byte } else { self.text.len() };
        let next = self.marks.partition_point(|it| it.byte <= byte);
        let mark = self.marks[next - 1];
        let further = self.text[mark.byte..byte].chars().count();
        (mark.line as usize, mark.column as usize + further)
    }
}

/// All texts of one compilation; spans point into it.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// No texts yet.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// The text of that number, if there is one.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// The texts in the order of their numbers.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|it| it.text.as_str())
    }

    /// The source text a span covers; empty if it points nowhere.
    pub fn snippet(&self, span: Span) -> &str {
        self.get(span.file).and_then(|it| it.text.get(span.range())).unwrap_or("")
    }

    /// Line and column of the start of a span, both from 1, columns in characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        self.get(span.file).map_or((1, 1), |it| it.position(span.start as usize))
    }
}
