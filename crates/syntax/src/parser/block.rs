//! Blocks: `{ let p = e; let rec f = \x => e; ...; e }`.

use base::Span;
use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::{Expr, ExprKind, Let};
use crate::error::SyntaxError;

/// What the statements of a block came to so far.
#[derive(Default)]
struct Statements {
    lets: Vec<Let>,
    result: Option<Expr>,
    height: u32,
}

impl Parser<'_> {
    /// `{ let p = e; ...; e }`
    pub(super) fn block(&mut self) -> Tree {
        let open = self.span();
        if let Some(res) = self.nameless_record() {
            return res;
        }
        self.open();
        let no_record = std::mem::replace(&mut self.no_record, false);
        let mut found = Statements::default();
        while !self.at_end() && !self.at_close() && self.statement(&mut found) {}
        self.no_record = no_record;
        let result = found.result.unwrap_or_else(|| {
            if self.at(TokenKind::RBrace) {
                self.report(SyntaxError::MissingResult { open, close: self.span() });
            }
            self.missing().expr
        });
        self.close(open);
        let kind = ExprKind::Block { lets: found.lets, result: Box::new(result) };
        self.tree(kind, self.since(open), found.height)
    }

    /// One `let`, or the result; `false` if the block ends after it.
    fn statement(&mut self, found: &mut Statements) -> bool {
        let after_let = usize::from(self.at(TokenKind::Let));
        if self.at_element_update(after_let) {
            self.eat(TokenKind::Let);
            self.element_update();
            self.end_of_let();
            return true;
        }
        let missing_let = self.at(TokenKind::Ident) && self.peek(1) == TokenKind::Assign;
        if self.at(TokenKind::Let) || missing_let {
            let (binding, height) = self.binding();
            found.height = found.height.max(height);
            found.lets.push(binding);
            return true;
        }
        if self.at_update() {
            self.update();
            self.end_of_let();
            return true;
        }
        if self.at(TokenKind::Def) {
            self.inner_definition();
            return true;
        }
        if self.at(TokenKind::Semicolon) {
            let span = self.advance().span;
            let help = "write `;` only after a `let`";
            self.note(SyntaxError::StraySemicolon { span, place: "nothing", help });
            return true;
        }
        let result = self.expr();
        found.height = found.height.max(result.height);
        self.after_result(result.expr, found)
    }

    /// What stands after an expression in a block: the end, or a mistake.
    fn after_result(&mut self, result: Expr, found: &mut Statements) -> bool {
        let span = result.span;
        let understood = !matches!(result.kind, ExprKind::Error);
        found.result = Some(result);
        if self.at_close() || self.at_end() {
            return false;
        }
        if self.at(TokenKind::Semicolon) {
            let semicolon = self.advance().span;
            if self.at_close() {
                let place = "the value of a block";
                let help = "remove the `;`: the last expression is the value of the block";
                self.note(SyntaxError::StraySemicolon { span: semicolon, place, help });
            } else if understood {
                self.note(unused_value(span));
            }
            return true;
        }
        if super::recover::is_closing(self.kind()) {
            return false;
        }
        self.unexpected("`}`");
        self.skip_to(&[TokenKind::Semicolon]);
        self.eat(TokenKind::Semicolon)
    }

    /// `let p: T = e;`, or the same without `let`, which is reported.
    fn binding(&mut self) -> (Let, u32) {
        let start = self.span();
        let is_recursive = self.at(TokenKind::Let)
            && self.text_at(1) == "rec"
            && !matches!(self.peek(2), TokenKind::Assign | TokenKind::Colon);
        if !self.eat(TokenKind::Let) {
            let name = self.token_text().to_owned();
            let help = format!("write `let {name} = ...;`; a name stands for one value for good");
            self.note(foreign_binding(start, help));
        }
        if is_recursive {
            self.advance();
            self.name_after_rec();
        } else {
            self.word_after_let();
        }
        let pattern = self.pattern();
        let has_parameters = self.at(TokenKind::LParen);
        self.parameters_of_let(is_recursive);
        let ty = self.eat(TokenKind::Colon).then(|| self.ty());
        let value = match self.assign() {
            true => self.inner_expr(),
            false => {
                self.skip_to(&[TokenKind::Semicolon]);
                self.missing()
            }
        };
        self.end_of_let();
        if is_recursive && !has_parameters {
            self.recursive_is_a_function(&value.expr);
        }
        let binding = Let { is_recursive, pattern, ty, value: value.expr, span: self.since(start) };
        (binding, value.height)
    }

    /// What `let rec` binds has a name, by which it calls itself.
    fn name_after_rec(&mut self) {
        if !self.at(TokenKind::Ident) {
            let title = "a recursive function has a name".to_owned();
            let help = "write `let rec f = \\x => ...;`, with a small letter".to_owned();
            let (span, label) = (self.span(), "not a name");
            self.note(SyntaxError::Foreign { span, title, label, help });
        }
    }

    /// What `let rec` binds is a function, which can wait until it is called.
    fn recursive_is_a_function(&mut self, value: &Expr) {
        let mut inner = value;
        while let ExprKind::Paren(it) = &inner.kind {
            inner = it;
        }
        if !matches!(inner.kind, ExprKind::Lambda { .. } | ExprKind::Error) {
            let title = "only a function can be recursive".to_owned();
            let help = "write `let rec f = \\x => ...;`, or leave `rec` away".to_owned();
            let span = value.span;
            self.note(SyntaxError::Foreign { span, title, label: "not a function", help });
        }
    }

    /// The semicolon after a `let`.
    fn end_of_let(&mut self) {
        if self.eat(TokenKind::Semicolon) || self.word_in() {
            return;
        }
        if self.at_end() || self.at(TokenKind::RBrace) && self.at_close() {
            return;
        }
        if self.at(TokenKind::Let) || self.lexeme(0).first {
            let after = self.previous();
            let what = "this `let`";
            self.report(SyntaxError::MissingSeparator { after, separator: ";", what });
            return;
        }
        self.unexpected("`;`");
        self.skip_to(&[TokenKind::Semicolon]);
        self.eat(TokenKind::Semicolon);
    }

    /// `let x = a; b` or `let x = a in b` outside a block: reported, taken for a block.
    pub(super) fn let_outside_block(&mut self) -> Tree {
        let start = self.span();
        let help = "write `{ let x = ...; ... }` with braces".to_owned();
        let title = "`let` stands only in a block".to_owned();
        self.note(SyntaxError::Foreign { span: start, title, label: "not in a block", help });
        let mut lets = Vec::new();
        let mut height = 0;
        while self.at(TokenKind::Let) {
            let (binding, below) = self.binding();
            height = height.max(below);
            lets.push(binding);
        }
        let result = if self.starts_operand() { self.expr() } else { self.missing() };
        height = height.max(result.height);
        let kind = ExprKind::Block { lets, result: Box::new(result.expr) };
        self.tree(kind, self.since(start), height)
    }
}

fn unused_value(span: Span) -> SyntaxError {
    SyntaxError::Foreign {
        span,
        title: "only `let` may stand before the value of a block".to_owned(),
        label: "this value is used by nothing",
        help: "bind what is needed later, `let x = ...;`; the rest has no effect".to_owned(),
    }
}

fn foreign_binding(span: Span, help: String) -> SyntaxError {
    let title = "a binding starts with `let`".to_owned();
    SyntaxError::Foreign { span, title, label: "`let` is missing here", help }
}
