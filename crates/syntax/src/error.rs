//! What can be wrong with a text, as data, and how it is said: codes E0101 to E0120.
//!
//! Help that depends on habits from other languages is chosen where the error is found
//! (`parser/foreign.rs`) and carried in the variant.

use base::{Code, Diagnostic, Span};

/// A mistake of syntax.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SyntaxError {
    /// E0101. Something else should stand here.
    Unexpected { span: Span, expected: String, found: String, help: Option<String> },
    /// E0102. A bracket without its partner; `at` is where the partner was missed.
    Unclosed { open: Span, bracket: &'static str, at: Span },
    /// E0102. A closing bracket that nothing opened.
    Unopened { span: Span, bracket: &'static str },
    /// E0103. The line ends inside a string.
    OpenString { span: Span },
    /// E0104. A character that the language does not use.
    BadCharacter { span: Span, shown: String, help: Option<String> },
    /// E0105. A number that cannot be read.
    BadNumber { span: Span, problem: &'static str, help: Option<String> },
    /// E0106. A backslash sequence that means nothing.
    BadEscape { span: Span },
    /// E0107. Deeper than the tree may be.
    TooDeep { span: Span, limit: u32 },
    /// E0108. `a < b < c`.
    ComparisonChain { first: Span, second: Span },
    /// E0109. `if c then a` alone.
    MissingElse { keyword: Span, at: Span },
    /// E0110. A `let` or an arm that runs into the next one.
    MissingSeparator { after: Span, separator: &'static str, what: &'static str },
    /// E0111. A semicolon where none belongs.
    StraySemicolon { span: Span, place: &'static str, help: &'static str },
    /// E0112. A block that gives no value.
    MissingResult { open: Span, close: Span },
    /// E0113. A keyword where a name should stand.
    KeywordAsName { span: Span, word: String },
    /// E0114. `f x`: values side by side.
    Juxtaposition { span: Span, help: String },
    /// E0115. A construct that other languages have and Cotan writes differently.
    Foreign { span: Span, title: String, label: &'static str, help: String },
    /// E0116. An operator that other languages have and Cotan writes differently.
    ForeignOperator { span: Span, written: String, help: String },
    /// E0117. A capital letter where a small one should stand, or the reverse.
    WrongCase { span: Span, title: &'static str, suggestion: String },
    /// E0118. A comment in the manner of another language.
    ForeignComment { span: Span, written: &'static str },
    /// E0119. More errors than are worth showing.
    TooMany { span: Span },
    /// E0120. The text is longer than positions can count.
    TooLong { span: Span },
}

impl SyntaxError {
    /// The place it is about.
    pub(crate) fn place(&self) -> Span {
        self.to_diagnostic().labels.first().map(|it| it.span).unwrap_or_default()
    }

    /// The error as the user sees it.
    pub(crate) fn to_diagnostic(&self) -> Diagnostic {
        match self {
            SyntaxError::Unexpected { span, expected, found, help } => {
                let title = format!("expected {expected}, found {found}");
                let res = error("E0101", title).label(*span, format!("expected {expected}"));
                with_help(res, help)
            }
            SyntaxError::Unclosed { open, bracket, at } => {
                let title = format!("this `{bracket}` is never closed");
                let closing = partner(bracket);
                error("E0102", title)
                    .label(*open, "opened here")
                    .label(*at, format!("`{closing}` expected here"))
            }
            SyntaxError::Unopened { span, bracket } => {
                let title = format!("this `{bracket}` closes nothing");
                let opening = partner(bracket);
                error("E0102", title)
                    .label(*span, format!("no `{opening}` is open here"))
                    .help("remove it, or open the bracket before")
            }
            SyntaxError::OpenString { span } => error("E0103", "this text has no closing `\"`")
                .label(*span, "the line ends inside the text")
                .help("close it with `\"` on the same line; write a line break as `\\n`"),
            SyntaxError::BadCharacter { span, shown, help } => {
                let res = error("E0104", format!("{shown} has no meaning here"))
                    .label(*span, "not part of the language");
                with_help(res, help)
            }
            SyntaxError::BadNumber { span, problem, help } => {
                with_help(error("E0105", "this number cannot be read").label(*span, *problem), help)
            }
            SyntaxError::BadEscape { span } => error("E0106", "unknown escape in a text")
                .label(*span, "means nothing")
                .help("use `\\n`, `\\t`, `\\r`, `\\\"`, `\\\\` or `\\u{1F600}`"),
            SyntaxError::TooDeep { span, limit } => error("E0107", "this is nested too deeply")
                .label(*span, format!("more than {limit} levels"))
                .help("give parts of it a name, with `let` or `def`, and use the names"),
            SyntaxError::ComparisonChain { first, second } => {
                error("E0108", "comparisons cannot be chained")
                    .label(*second, "second comparison")
                    .label(*first, "first comparison")
                    .help("join two comparisons with `&&`, or put one in parentheses")
            }
            SyntaxError::MissingElse { keyword, at } => error("E0109", "this `if` has no `else`")
                .label(*keyword, "every `if` gives a value, so it needs both")
                .label(*at, "`else` expected here")
                .help("write `if condition then a else b`"),
            SyntaxError::MissingSeparator { after, separator, what } => {
                error("E0110", format!("`{separator}` is missing after {what}"))
                    .label(*after, format!("expected `{separator}` after this"))
            }
            SyntaxError::StraySemicolon { span, place, help } => {
                error("E0111", format!("no `;` after {place}"))
                    .label(*span, "remove it")
                    .help(*help)
            }
            SyntaxError::MissingResult { open, close } => {
                error("E0112", "this block gives no value")
                    .label(*close, "an expression should stand before this")
                    .label(*open, "the block starts here")
                    .help("end the block with the expression that is its value, without `;`")
            }
            SyntaxError::KeywordAsName { span, word } => {
                error("E0113", format!("`{word}` cannot be a name"))
                    .label(*span, "a word of the language")
                    .help(format!("choose another name, such as `{word}_`"))
            }
            SyntaxError::Juxtaposition { span, help } => {
                error("E0114", "these two stand side by side")
                    .label(*span, "nothing joins this to what is before it")
                    .help(help)
            }
            SyntaxError::Foreign { span, title, label, help } => {
                error("E0115", title).label(*span, *label).help(help)
            }
            SyntaxError::ForeignOperator { span, written, help } => {
                error("E0116", format!("`{written}` is not an operator here"))
                    .label(*span, "written differently in Cotan")
                    .help(help)
            }
            SyntaxError::WrongCase { span, title, suggestion } => error("E0117", *title)
                .label(*span, "wrong first letter")
                .help(format!("write `{suggestion}`")),
            SyntaxError::ForeignComment { span, written } => {
                error("E0118", format!("`{written}` does not start a comment"))
                    .label(*span, "not a comment")
                    .help("start comments with `--`; they end with the line")
            }
            SyntaxError::TooMany { span } => error("E0119", "too many errors of syntax")
                .label(*span, "errors from here on are not shown"),
            SyntaxError::TooLong { span } => error("E0120", "this text is too long")
                .label(*span, "")
                .help("split it into files of less than 4 GiB"),
        }
    }
}

fn error(code: &'static str, title: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code(code), title)
}

fn with_help(diagnostic: Diagnostic, help: &Option<String>) -> Diagnostic {
    match help {
        Some(text) => diagnostic.help(text),
        None => diagnostic,
    }
}

/// The other half of a bracket.
fn partner(bracket: &str) -> &'static str {
    match bracket {
        "(" => ")",
        "[" => "]",
        "{" => "}",
        "<" => ">",
        ")" => "(",
        "]" => "[",
        "}" => "{",
        _ => "<",
    }
}
