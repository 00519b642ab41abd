//! Diagnostics as plain data. Each layer that can complain has an `error.rs` that makes them;
//! `render.rs` is the only place that turns them into text for a terminal.

use crate::{Repair, Span};

/// A stable code such as `E0301`: E01xx syntax, E02xx names, E03xx types, E04xx sizes,
/// E05xx differentiation, E06xx run time. A code is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program is at fault; exit status 1.
    Error,
    /// Suspicious, but it runs.
    Warning,
}

/// A place and what it has to do with the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What this place has to do with it.
    pub text: String,
}

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its page in the manual.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in the user's words, at most 60 characters, no full stop.
    pub title: String,
    /// Places; the first is the primary one.
    pub labels: Vec<Label>,
    /// What to do, as an imperative; offered only if it is right.
    pub help: Vec<String>,
    /// The change of the text that does what the help says, if it says exactly what to write.
    pub repair: Option<Box<Repair>>,
}

impl Diagnostic {
    /// An error without places yet.
    pub fn error(code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            title: title.into(),
            labels: Vec::new(),
            help: Vec::new(),
            repair: None,
        }
    }

    /// The message as a warning: suspicious, but it runs.
    pub fn warning(self) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self }
    }

    /// Whether it keeps the program from running.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Adds a place; the first one added is the primary one.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }
}
