//! Declarations.

use base::Span;
use base::token::TokenKind;

use super::Parser;
use crate::ast::{
    Comment, ConDecl, DataDecl, Def, Expr, Ident, Item, Named, Param, Pattern, PatternKind,
    TypeBody, TypeDecl,
};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// All declarations up to the end of the text.
    pub(super) fn items(&mut self, comments: &[Comment]) -> Vec<Item> {
        let mut res = Vec::new();
        while !self.at(TokenKind::Eof) {
            let before = self.position;
            let doc = self.documentation(comments);
            self.item_column = self.lexeme(0).column;
            res.extend(self.item(doc));
            if self.position == before {
                self.advance();
                self.next_item();
            }
        }
        res
    }

    /// The lines of documentation between the token before and the current one.
    fn documentation(&self, comments: &[Comment]) -> Vec<String> {
        let end = self.span().start;
        let start = match self.position {
            0 => 0,
            _ => self.previous().end,
        };
        let first = comments.partition_point(|it| it.span.start < start);
        comments[first..]
            .iter()
            .take_while(|it| it.span.start < end)
            .filter(|it| {
                start == 0 || self.text[start as usize..it.span.start as usize].contains('\n')
            })
            .filter_map(|it| doc_line(&it.text))
            .collect()
    }

    /// Skips to where a declaration starts.
    pub(super) fn next_item(&mut self) {
        while !self.at_end() {
            self.advance();
        }
    }

    fn item(&mut self, doc: Vec<String>) -> Option<Item> {
        let start = self.span();
        match self.kind() {
            TokenKind::Import => self.import().map(Item::Import),
            TokenKind::Pub => {
                self.advance();
                if !matches!(self.kind(), TokenKind::Def | TokenKind::Type | TokenKind::Data) {
                    self.unexpected("`def`, `type` or `data`");
                    self.next_item();
                    return None;
                }
                self.declaration(doc, start).map(public)
            }
            TokenKind::Test => self.named(doc).map(Item::Test),
            TokenKind::Bench => self.named(doc).map(Item::Bench),
            TokenKind::Def | TokenKind::Type | TokenKind::Data => self.declaration(doc, start),
            _ if self.at_plot() => self.named(doc).map(Item::Plot),
            _ => self.foreign_item(doc),
        }
    }

    /// What may have `pub` in front of it.
    fn declaration(&mut self, doc: Vec<String>, start: Span) -> Option<Item> {
        match self.advance().kind {
            TokenKind::Type => self.type_decl(doc, start).map(Item::Type),
            TokenKind::Data => self.data_decl(doc, start).map(Item::Data),
            _ => self.def(doc, start).map(Item::Def),
        }
    }

    /// A definition after its `def`.
    pub(super) fn def(&mut self, doc: Vec<String>, start: Span) -> Option<Def> {
        let Some(name) = self.ident("a name") else {
            self.next_item();
            return None;
        };
        self.variables_of_def();
        let mut params = None;
        if self.at(TokenKind::LParen) {
            let mut list = Vec::new();
            self.list("this parameter", |it| list.push(it.param()));
            params = Some(list);
        } else if let Some(names) = self.params_without_parentheses(&name) {
            params = Some(names.into_iter().map(plain_param).collect());
        }
        self.arrow_before_result();
        let result = self.eat(TokenKind::Colon).then(|| self.ty());
        let body = self.item_body()?;
        let customs = self.customs();
        let is_public = false;
        Some(Def { is_public, doc, name, params, result, body, customs, span: self.since(start) })
    }

    /// `= e`
    fn item_body(&mut self) -> Option<Expr> {
        if !self.assign() {
            self.next_item();
            return None;
        }
        Some(self.inner_expr().expr)
    }

    /// A `type` after its keyword.
    fn type_decl(&mut self, doc: Vec<String>, start: Span) -> Option<TypeDecl> {
        let (name, params) = self.type_head()?;
        let body = if self.at(TokenKind::LBrace) {
            let mut fields = Vec::new();
            self.list("this field", |it| {
                let Some(field) = it.ident("a field") else { return };
                if it.expect(TokenKind::Colon) {
                    fields.push((field, it.ty()));
                }
            });
            TypeBody::Record(fields)
        } else {
            TypeBody::Alias(self.ty())
        };
        Some(TypeDecl { is_public: false, doc, name, params, body, span: self.since(start) })
    }

    /// `Name<a, b> =`
    fn type_head(&mut self) -> Option<(Ident, Vec<Ident>)> {
        let Some(name) = self.upper("a name", "types start with a capital letter") else {
            self.next_item();
            return None;
        };
        let mut params = Vec::new();
        if self.at(TokenKind::Lt) {
            self.list("this name", |it| params.extend(it.ident("a name")));
        }
        if !self.assign() {
            self.next_item();
            return None;
        }
        Some((name, params))
    }

    /// A `data` after its keyword.
    fn data_decl(&mut self, doc: Vec<String>, start: Span) -> Option<DataDecl> {
        let (name, params) = self.type_head()?;
        self.eat(TokenKind::Pipe);
        let mut cons = Vec::new();
        loop {
            let title = "constructors start with a capital letter";
            let Some(con) = self.upper("a constructor", title) else { break };
            let mut fields = Vec::new();
            if self.at(TokenKind::LParen) {
                self.list("this type", |it| fields.push(it.ty()));
            }
            self.after_constructor(&con);
            cons.push(ConDecl { name: con, fields });
            if !self.eat(TokenKind::Pipe) {
                break;
            }
        }
        Some(DataDecl { is_public: false, doc, name, params, cons, span: self.since(start) })
    }

    /// `test "name" = e`, `bench "name" = e` or `plot "title" = e`
    fn named(&mut self, doc: Vec<String>) -> Option<Named> {
        let start = self.advance().span;
        let token = self.token();
        match token.kind {
            TokenKind::Str | TokenKind::OpenString => {}
            TokenKind::Ident | TokenKind::Upper => {
                let help = format!("write the name in quotes, `\"{}\"`", self.token_text());
                self.unexpected_with("a text", Some(help).filter(|it| it.len() < 80));
            }
            _ => {
                self.unexpected("a text");
                self.next_item();
                return None;
            }
        }
        self.advance();
        let name = self.string(token);
        let body = self.item_body()?;
        Some(Named { doc, name, name_span: token.span, body, span: self.since(start) })
    }

    /// Reports what starts no declaration, as helpfully as can be, and takes it for one if it
    /// is clear what was meant.
    fn foreign_item(&mut self, doc: Vec<String>) -> Option<Item> {
        let start = self.span();
        if self.at(TokenKind::Semicolon) {
            self.advance();
            let help = "remove it: the next declaration starts with its keyword";
            self.note(SyntaxError::StraySemicolon { span: start, place: "a declaration", help });
            return None;
        }
        if super::recover::is_closing(self.kind()) {
            let bracket = self.kind().describe();
            self.report(SyntaxError::Unopened { span: start, bracket });
            self.advance();
            self.next_item();
            return None;
        }
        if self.definition_without_def() {
            let res = self.def(doc, start).map(Item::Def);
            self.eat(TokenKind::Semicolon);
            return res;
        }
        if self.lexeme(0).first {
            let help = self.foreign_item_help();
            self.unexpected_with("a declaration", Some(help));
        } else {
            self.unexpected("an operator or the end");
        }
        self.advance();
        self.next_item();
        None
    }
}

/// The declaration with `pub` in front of it.
fn public(item: Item) -> Item {
    let is_public = true;
    match item {
        Item::Def(it) => Item::Def(Def { is_public, ..it }),
        Item::Type(it) => Item::Type(TypeDecl { is_public, ..it }),
        Item::Data(it) => Item::Data(DataDecl { is_public, ..it }),
        Item::Import(_) | Item::Test(_) | Item::Bench(_) | Item::Plot(_) => item,
    }
}

/// The text of a line of documentation, if the comment is one: exactly three dashes.
fn doc_line(comment: &str) -> Option<String> {
    let rest = comment.strip_prefix("---")?;
    if rest.starts_with('-') {
        return None;
    }
    Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
}

fn plain_param(name: Ident) -> Param {
    Param { pattern: Pattern { kind: PatternKind::Name(name.name), span: name.span }, ty: None }
}
