//! Imports, and names with a module in front of them.

use base::token::TokenKind;

use super::Parser;
use crate::ast::{Ident, Import, ImportFrom, Selected};

impl Parser<'_> {
    /// `import "file.cot" as name (f, g as h)`
    pub(super) fn import(&mut self) -> Option<Import> {
        let start = self.advance().span;
        let Some(from) = self.import_from() else {
            self.next_item();
            return None;
        };
        let alias = self.alias();
        let selected = self.at(TokenKind::LParen).then(|| {
            let mut all = Vec::new();
            self.list("this name", |it| all.extend(it.selected()));
            all
        });
        let span = self.since(start);
        if !self.at_end() {
            self.unexpected("a declaration");
            self.next_item();
        }
        Some(Import { from, alias, selected, span })
    }

    fn import_from(&mut self) -> Option<ImportFrom> {
        let token = self.token();
        if matches!(token.kind, TokenKind::Str | TokenKind::OpenString) {
            self.advance();
            return Some(ImportFrom::File { path: self.string(token), span: token.span });
        }
        if !self.at(TokenKind::Ident) {
            let help = "write `import \"file.cot\"` or `import std.linalg`";
            self.unexpected_with("a file in quotes or a module", Some(help.to_owned()));
            return None;
        }
        self.advance();
        let mut path = self.name_of(token);
        let mut name = Ident { name: path.clone(), span: token.span };
        while self.eat(TokenKind::Dot) {
            name = self.ident("the name of a module")?;
            path = path.part(&name.name);
        }
        Some(ImportFrom::Library { path, name, span: self.since(token.span) })
    }

    /// `as name`
    fn alias(&mut self) -> Option<Ident> {
        if !self.at_word("as") {
            return None;
        }
        self.advance();
        self.ident("a name")
    }

    fn selected(&mut self) -> Option<Selected> {
        let is_type = self.at(TokenKind::Upper);
        let name = self.selected_name(is_type)?;
        if !self.at_word("as") {
            return Some(Selected { name, alias: None });
        }
        self.advance();
        let alias = self.selected_name(is_type);
        Some(Selected { name, alias })
    }

    /// A name, or of a type or constructor one with a capital letter.
    fn selected_name(&mut self, is_type: bool) -> Option<Ident> {
        match is_type {
            true => self.upper("a name", "types start with a capital letter"),
            false => self.ident("a name"),
        }
    }

    /// Whether a type or constructor with its module in front of it starts here: `tree.Node`.
    pub(super) fn at_qualified(&self) -> bool {
        self.at(TokenKind::Ident)
            && self.peek(1) == TokenKind::Dot
            && self.peek(2) == TokenKind::Upper
    }

    /// A type or constructor, with or without its module; the current token starts it.
    pub(super) fn upper_name(&mut self) -> Ident {
        let first = self.advance();
        let mut name = self.name_of(first);
        if first.kind == TokenKind::Ident && self.eat(TokenKind::Dot) {
            let last = self.advance();
            name = name.part(self.name_of(last));
        }
        Ident { name, span: self.since(first.span) }
    }
}
