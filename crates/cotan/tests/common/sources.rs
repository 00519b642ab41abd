//! The examples and their headers: lines `-- key: text` at the top.

use std::path::{Path, PathBuf};

/// An example.
pub(crate) struct Source {
    /// `attention`
    pub(crate) name: String,
    pub(crate) text: String,
}

/// All examples, in the order of their names.
pub(crate) fn examples() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut paths: Vec<PathBuf> = entries
        .map(|it| it.expect("readable").path())
        .filter(|it| it.extension().is_some_and(|ext| ext == "cot"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 15, "only {} examples", paths.len());
    let read = |path: PathBuf| Source {
        name: path.file_stem().expect("a file").to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&path).expect("readable"),
    };
    paths.into_iter().map(read).collect()
}

impl Source {
    /// A line of the header that may be missing.
    pub(crate) fn optional(&self, key: &str) -> Option<&str> {
        let start = format!("-- {key}: ");
        self.text.lines().find_map(|it| it.strip_prefix(start.as_str()))
    }

    /// A line of the header.
    pub(crate) fn header(&self, key: &str) -> &str {
        self.optional(key).unwrap_or_else(|| panic!("{}: no line `-- {key}:`", self.name))
    }
}

/// Several arguments, taken apart at the commas that stand in no brackets.
pub(crate) fn arguments(at: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = at.split(|c| {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// The real literals of a printed value, and where they stand.
pub(crate) fn numbers(text: &str) -> Vec<(std::ops::Range<usize>, f64)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e');
    let mut res = Vec::new();
    let mut start = None;
    for (position, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_part(c), start) {
            (true, None) => start = Some(position),
            (false, Some(from)) => {
                if let Ok(value) = text[from..position].parse::<f64>()
                    && text[from..position].contains(['.', 'e'])
                {
                    res.push((from..position, value));
                }
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    res
}
