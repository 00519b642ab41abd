//! Declarations.

use base::token::TokenKind;

use super::bodies::hugs;
use super::layout::Op;
use super::list::ListStyle;
use super::tokens::Printer;
use crate::ast::{
    DataDecl, Def, Expr, Ident, Import, Item, Module, Named, Param, TypeBody, TypeDecl,
};

impl Printer<'_> {
    /// All declarations.
    pub(super) fn module(&mut self, module: &Module) {
        for (index, item) in module.items.iter().enumerate() {
            if index > 0 {
                self.push(Op::Hard);
            }
            self.statement();
            if self.kind() == TokenKind::Pub {
                self.any_token();
                self.space();
            }
            match item {
                Item::Import(it) => self.import(it),
                Item::Def(it) => self.def(it),
                Item::Type(it) => self.type_decl(it),
                Item::Data(it) => self.data_decl(it),
                Item::Test(it) | Item::Bench(it) | Item::Plot(it) => self.named(it),
            }
        }
    }

    /// `import std.linalg as la (solve)`
    fn import(&mut self, import: &Import) {
        self.token(TokenKind::Import);
        self.space();
        self.tokens_until(import.from.span().end);
        self.rename(import.alias.as_ref());
        if let Some(selected) = &import.selected {
            self.space();
            self.list(selected, ListStyle::Tight, |it, selected| {
                it.any_token();
                it.rename(selected.alias.as_ref());
            });
        }
    }

    /// `as name`
    fn rename(&mut self, alias: Option<&Ident>) {
        if alias.is_some() {
            self.space();
            self.any_token();
            self.space();
            self.any_token();
        }
    }

    fn def(&mut self, def: &Def) {
        self.token(TokenKind::Def);
        self.space();
        self.any_token();
        if let Some(params) = &def.params {
            self.list(params, ListStyle::Tight, |it, param| it.param(param));
        }
        if let Some(result) = &def.result {
            self.glued_token(":");
            self.space();
            self.tokens_until(result.span.end);
        }
        self.equals(&def.body);
        for custom in &def.customs {
            self.push(Op::Hard);
            self.any_token();
            self.space();
            self.any_token();
            self.list(&custom.params, ListStyle::Tight, |it, param| it.param(param));
            self.equals(&custom.body);
        }
    }

    /// `= e`
    pub(super) fn equals(&mut self, body: &Expr) {
        self.space();
        self.token(TokenKind::Assign);
        self.after(hugs(body), |it| it.expr(body));
    }

    /// `pattern: type`
    pub(super) fn param(&mut self, param: &Param) {
        self.tokens_until(param.pattern.span.end);
        if let Some(ty) = &param.ty {
            self.glued_token(":");
            self.space();
            self.tokens_until(ty.span.end);
        }
    }

    fn named(&mut self, named: &Named) {
        self.any_token();
        self.space();
        self.any_token();
        self.equals(&named.body);
    }

    /// `type Name<a>` or `data Name<a>`
    fn type_head(&mut self, params: &[Ident]) {
        self.any_token();
        self.space();
        self.any_token();
        if self.kind() == TokenKind::Lt {
            self.any_token();
            for index in 0..params.len() {
                if index > 0 {
                    self.space();
                }
                self.any_token();
                match index + 1 < params.len() {
                    true => self.glued_token(","),
                    false => self.no_comma(),
                }
            }
            self.token(TokenKind::Gt);
        }
        self.space();
        self.token(TokenKind::Assign);
    }

    fn type_decl(&mut self, decl: &TypeDecl) {
        self.type_head(&decl.params);
        match &decl.body {
            TypeBody::Record(fields) => {
                self.space();
                self.list(fields, ListStyle::Spaced, |it, (_, ty)| {
                    it.tokens_until(ty.span.end);
                });
            }
            TypeBody::Alias(ty) => self.after(false, |it| it.tokens_until(ty.span.end)),
        }
    }

    /// On one line, or one constructor per line with a bar in front of each.
    fn data_decl(&mut self, decl: &DataDecl) {
        self.type_head(&decl.params);
        self.group_with_comments(|it| {
            it.indented(|it| {
                for (index, con) in decl.cons.iter().enumerate() {
                    it.push(Op::Line);
                    if index > 0 {
                        it.token(TokenKind::Pipe);
                        it.space();
                    } else {
                        if it.kind() == TokenKind::Pipe {
                            it.skip_token();
                        }
                        it.comments_before();
                        it.push(Op::IfBroken("| "));
                    }
                    it.any_token();
                    let end = con.fields.last().map_or(con.name.span.end, |ty| ty.span.end);
                    it.tokens_until(end);
                    it.end_of_constructor();
                }
            });
        });
    }

    /// The closing parenthesis after the fields, or the empty pair.
    fn end_of_constructor(&mut self) {
        while matches!(self.kind(), TokenKind::Comma | TokenKind::LParen | TokenKind::RParen) {
            match self.kind() == TokenKind::Comma {
                true => self.skip_token(),
                false => self.any_token(),
            }
        }
    }
}
