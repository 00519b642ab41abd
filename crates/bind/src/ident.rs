//! Names of Cotan as identifiers of Rust.

use proc_macro2::{Ident, Span};

/// An identifier of Rust.
#[derive(Clone, Debug)]
pub struct Identifier {
    /// How Rust writes it.
    pub name: Ident,
    /// Whether it is another word than Cotan's.
    pub is_other: bool,
}

/// Words that are none of Rust's identifiers, not even behind `r#`.
const NEVER: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Words that are identifiers of Rust only behind `r#`.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// The identifier for a name: `r#move` for a keyword, `self_` for a word that cannot be one.
pub fn identifier(name: &str) -> Identifier {
    let span = Span::call_site();
    if KEYWORDS.contains(&name) {
        return Identifier { name: Ident::new_raw(name, span), is_other: false };
    }
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' };
    let mut text: String = name.chars().map(plain).collect();
    if NEVER.contains(&text.as_str()) || text.is_empty() {
        text.push('_');
    }
    if text.starts_with(|it: char| it.is_ascii_digit()) {
        text.insert(0, '_');
    }
    // `_` twice is an identifier, `_` once is not.
    let is_other = text != name;
    Identifier { name: Ident::new(&text, span), is_other }
}
