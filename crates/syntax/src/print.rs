//! The formatter: a text in its one layout, comments kept.
//!
//! It walks the tree and the tokens side by side. The tree decides the layout; the characters
//! come from the tokens, so that literals stay as written and nothing is lost: a comment is put
//! out with the token it stands at. What is put out are layout operations (`layout.rs`), which
//! are then fitted into lines of [`WIDTH`] columns.
//!
//! Formatting a formatted text changes nothing, and the tree of the result is the tree of the
//! text.

mod bodies;
mod expr;
mod items;
mod layout;
mod list;
mod tokens;

use base::{Diagnostic, FileId};

use crate::parser::{lex, parse};
use tokens::Printer;

/// Lines are at most this long, where they can be.
pub const WIDTH: usize = 100;

/// The text in its one layout, or the errors of syntax in it.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let file = FileId(0);
    let (module, diagnostics) = parse(file, text);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let lexed = lex(file, text);
    let mut printer = Printer::new(text, &lexed.lexemes, &lexed.comments);
    printer.module(&module);
    Ok(layout::render(&printer.finish()))
}
