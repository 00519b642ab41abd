//! E0305, E0306, E0311, E0321: patterns, and the arms of a `match`.

use base::{Code, Diagnostic, Span};

/// What is wrong with patterns.
#[derive(Clone, Debug)]
pub enum PatternError {
    /// Cases that no arm covers.
    Missing {
        /// The head of the `match`.
        span: Span,
        /// A pattern for each case, as it is written.
        witnesses: Vec<String>,
    },
    /// An arm behind others that cover all its cases; a warning.
    Unreachable {
        /// The pattern.
        span: Span,
    },
    /// More cases than can be told apart.
    TooInvolved(Span),
    /// A `let` or parameter that does not always match.
    Refutable {
        /// The pattern.
        span: Span,
        /// A case that it does not cover.
        witness: String,
    },
}

impl PatternError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            PatternError::Missing { span, witnesses } => {
                let list: Vec<String> = witnesses.iter().map(|it| format!("`{it}`")).collect();
                Diagnostic::error(Code("E0305"), "the match does not cover all cases")
                    .label(*span, format!("not covered: {}", list.join(", ")))
                    .help("add an arm for each, or a last arm `_ => ...`")
            }
            PatternError::Unreachable { span } => {
                Diagnostic::error(Code("E0306"), "this arm can never be reached")
                    .label(*span, "the arms before it cover all its cases")
                    .help("remove it, or move it up")
            }
            PatternError::TooInvolved(span) => {
                Diagnostic::error(Code("E0321"), "this match is too involved")
                    .label(*span, "no reasonable number of tests tells its cases apart")
                    .help("end it with an arm `_ => ...`, or match the parts one after the other")
            }
            PatternError::Refutable { span, witness } => {
                Diagnostic::error(Code("E0311"), "this pattern does not always match")
                    .label(*span, format!("does not cover `{witness}`"))
                    .help("use `match` with an arm for every case")
            }
        }
    }
}
