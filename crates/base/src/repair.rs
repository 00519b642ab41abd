//! Repairs: changes of a text that remove the cause of a complaint, for an editor to offer.

use crate::Span;

/// What to change so that a complaint goes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What it does, as an imperative.
    pub what: String,
    /// The changes, first to last; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where something is inserted.
    pub span: Span,
    /// What is put there.
    pub replacement: String,
}

impl Repair {
    /// Puts a text in the place of another.
    pub fn replace(span: Span, by: impl Into<String>) -> Repair {
        let replacement = by.into();
        Repair { what: format!("write `{replacement}`"), edits: vec![Edit { span, replacement }] }
    }

    /// Makes an expression the argument of a function.
    pub fn apply_function(span: Span, name: &str) -> Repair {
        let before =
            Edit { span: Span { end: span.start, ..span }, replacement: format!("{name}(") };
        let after = Edit { span: Span { start: span.end, ..span }, replacement: ")".to_string() };
        Repair { what: format!("convert with `{name}(...)`"), edits: vec![before, after] }
    }

    /// The text with the changes; `None` if they are not of this text.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut res = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.edits {
            res.push_str(text.get(at..edit.span.start as usize)?);
            res.push_str(&edit.replacement);
            at = edit.span.end as usize;
        }
        res.push_str(text.get(at..)?);
        Some(res)
    }
}
