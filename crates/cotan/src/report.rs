//! Diagnostics together with the texts they point into: ready to be shown or sent.

use base::render::{self, Style};
use base::{Diagnostic, Edit, FileId, Repair, Severity, SourceMap, Span};

use crate::error;

/// What is wrong (or, for warnings, suspicious), with the texts it points into.
#[derive(Clone, Default)]
pub struct Report {
    /// The complaints, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Where their spans point.
    pub sources: SourceMap,
}

impl Report {
    /// Complaints about these texts.
    pub fn new(diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Report {
        Report { diagnostics, sources }
    }

    /// A complaint about no text.
    pub(crate) fn single(diagnostic: Diagnostic) -> Report {
        Report { diagnostics: vec![diagnostic], sources: SourceMap::new() }
    }

    /// A file that a front end could not read.
    pub fn unreadable(path: &str, reason: &str) -> Report {
        Report::single(error::unreadable(path, reason))
    }

    /// A file that a front end could not write.
    pub fn unwritable(path: &str, reason: &str) -> Report {
        Report::single(error::unwritable(path, reason))
    }

    /// A source file that is no text; the first wrong byte is pointed at.
    pub fn not_utf8(path: &str, bytes: &[u8]) -> Report {
        let start = std::str::from_utf8(bytes).err().map_or(0, |it| it.valid_up_to());
        let mut sources = SourceMap::new();
        let file = sources.add(path, String::from_utf8_lossy(bytes));
        // The replacement character has three bytes and stands where the wrong one stood.
        let span = Span::new(file, start, start + '\u{FFFD}'.len_utf8());
        Report::new(vec![error::not_utf8(span, bytes.get(start).copied())], sources)
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The codes of its errors, in order.
    pub fn codes(&self) -> Vec<&'static str> {
        let errors = self.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        errors.map(|it| it.code.0).collect()
    }

    /// For a terminal, in the style of rustc.
    pub fn render(&self, style: Style) -> String {
        render::render(&self.diagnostics, &self.sources, style)
    }

    /// For a program: a list of objects with `code`, `severity`, `title`, `file`, `line`,
    /// `column`, `labels`, `help` and `repair`.
    pub fn to_json(&self) -> String {
        format!("[{}]", self.json_objects().join(","))
    }

    /// The objects of [`Report::to_json`], one by one.
    pub fn json_objects(&self) -> Vec<String> {
        self.diagnostics.iter().map(|it| self.object(it)).collect()
    }

    fn object(&self, diagnostic: &Diagnostic) -> String {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let labels: Vec<serde_json::Value> = diagnostic
            .labels
            .iter()
            .map(|label| {
                let (line, column) = self.sources.position(label.span);
                let file = self.file_name(label.span.file);
                serde_json::json!({ "file": file, "line": line, "column": column, "text": label.text })
            })
            .collect();
        let primary = diagnostic.labels.first().map(|it| it.span);
        let position = primary.map(|it| self.sources.position(it));
        serde_json::json!({
            "code": diagnostic.code.0,
            "severity": severity,
            "title": diagnostic.title,
            "file": primary.and_then(|it| self.file_name(it.file)),
            "line": position.map(|it| it.0),
            "column": position.map(|it| it.1),
            "labels": labels,
            "help": diagnostic.help,
            "repair": diagnostic.repair.as_ref().map(|it| self.repair(it)),
        })
        .to_string()
    }

    /// What it does and its edits: from a place to a place, and what is put there.
    fn repair(&self, repair: &Repair) -> serde_json::Value {
        let edit = |it: &Edit| {
            let (line, column) = self.sources.position(it.span);
            let end = Span { start: it.span.end, ..it.span };
            let (end_line, end_column) = self.sources.position(end);
            serde_json::json!({
                "line": line,
                "column": column,
                "end_line": end_line,
                "end_column": end_column,
                "replacement": it.replacement,
            })
        };
        let edits: Vec<serde_json::Value> = repair.edits.iter().map(edit).collect();
        serde_json::json!({ "what": repair.what, "edits": edits })
    }

    /// The object of [`Report::to_json`] for something that is wrong and has no code: how the front end
    /// was called, or the compiler itself.
    pub fn json_of(title: &str, help: &[&str]) -> String {
        let nothing = serde_json::Value::Null;
        let labels: [&str; 0] = [];
        serde_json::json!({
            "code": nothing,
            "severity": "error",
            "title": title,
            "file": nothing,
            "line": nothing,
            "column": nothing,
            "labels": labels,
            "help": help,
            "repair": nothing,
        })
        .to_string()
    }

    fn file_name(&self, file: FileId) -> Option<&str> {
        self.sources.get(file).map(|it| it.name.as_str())
    }
}

/// As [`Report::render`] without colours.
impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.render(Style::Plain).trim_end())
    }
}

/// As it is displayed: what `unwrap` shows.
impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{self}\n")
    }
}

impl std::error::Error for Report {}
