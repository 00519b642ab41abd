//! Whole constructs of other languages: functions, loops, returns, declarations.

use base::token::TokenKind;

use super::{Parser, Tree};
use crate::ast::{Ident, Param};
use crate::error::SyntaxError;

impl Parser<'_> {
    /// Whether a construct of another language starts at the current name.
    pub(super) fn at_foreign_form(&self) -> bool {
        let next = self.lexeme(1);
        let named = matches!(next.token.kind, TokenKind::Ident | TokenKind::Underscore);
        match self.token_text() {
            "lambda" | "fn" | "fun" | "function" => named && !next.first,
            "for" | "while" | "loop" => named && !next.first,
            "return" => {
                let literal = matches!(
                    next.token.kind,
                    TokenKind::Int | TokenKind::Real | TokenKind::Str | TokenKind::True
                );
                (named || literal) && !next.first
            }
            _ => false,
        }
    }

    /// Reports that construct, and takes it for what was meant as far as possible.
    pub(super) fn foreign_form(&mut self) -> Tree {
        let start = self.span();
        match self.token_text() {
            "return" => {
                let help = "remove `return`: the last expression is the value";
                self.foreign("there is no `return`", "not needed", help);
                self.advance();
                self.expr()
            }
            "for" | "while" | "loop" => {
                let help =
                    "use `build i < n => ...`, `fold`, `iterate` or `while(go_on, step, start)`";
                self.foreign("there are no loop statements", "not a loop here", help);
                self.skip_to(&[TokenKind::Semicolon, TokenKind::Comma]);
                self.reported_at = Some(self.position);
                self.error_tree(self.since(start))
            }
            _ => {
                let help = "write `\\x, y => ...`";
                self.foreign("functions start with a backslash", "not a function here", help);
                self.advance();
                let params = self.lambda_names();
                if self.at(TokenKind::Colon) || self.at(TokenKind::Arrow) {
                    self.reported_at = Some(self.position);
                }
                self.lambda_body(start, params)
            }
        }
    }

    /// Whether `for x in` stands here, after an element in brackets.
    pub(super) fn at_comprehension(&self) -> bool {
        let close = self.open.last();
        let enclosed = close.is_some_and(|it| super::recover::is_closing(*it));
        enclosed
            && self.at_word("for")
            && matches!(self.peek(1), TokenKind::Ident | TokenKind::Underscore | TokenKind::LParen)
            && (self.text_at(2) == "in"
                || matches!(self.peek(2), TokenKind::Comma | TokenKind::Ident))
    }

    /// `x * x for x in xs`: reports it and goes on to the closing bracket.
    pub(super) fn comprehension(&mut self) {
        let name = self.text_at(1).to_owned();
        let name = if self.peek(1) == TokenKind::Ident { name } else { "x".to_owned() };
        let help = format!("write `map(\\{name} => ..., xs)`, or `build i < n => ...`");
        self.foreign("there are no comprehensions", "not a loop here", help);
        self.skip_to(&[TokenKind::Semicolon]);
    }

    /// Whether `a[i] = e` or the like stands so many tokens ahead.
    pub(super) fn at_element_update(&self, start: usize) -> bool {
        if self.peek(start) != TokenKind::Ident || self.peek(start + 1) != TokenKind::LBracket {
            return false;
        }
        let mut depth = 0_usize;
        for ahead in start + 1..start + 200 {
            match self.peek(ahead) {
                TokenKind::LBracket => depth += 1,
                TokenKind::RBracket if depth <= 1 => {
                    let next = self.peek(ahead + 1);
                    // `a[i][j] = e`
                    if next != TokenKind::LBracket {
                        return next == TokenKind::Assign || self.is_update(ahead + 1);
                    }
                    depth = 0;
                }
                TokenKind::RBracket => depth -= 1,
                TokenKind::Eof | TokenKind::Semicolon | TokenKind::RBrace => return false,
                _ => {}
            }
        }
        false
    }

    /// Reports `a[i] = e` and skips it.
    pub(super) fn element_update(&mut self) {
        let name = self.text_at(0).to_owned();
        let help = format!("make a new array: `let next = {name} with [i] = ...;`");
        self.foreign("values do not change", "its elements cannot be assigned", help);
        while !matches!(self.kind(), TokenKind::Assign | TokenKind::Eof) {
            self.advance();
        }
        self.advance();
        self.expr();
    }

    /// Parameters without annotations: in `lambda x: e` the colon is the arrow.
    fn lambda_names(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        loop {
            params.push(Param { pattern: self.pattern(), ty: None });
            let another = matches!(self.kind(), TokenKind::Ident | TokenKind::Underscore);
            if !self.eat(TokenKind::Comma) && !another {
                return params;
            }
        }
    }

    /// `{ x: 1.0, y: 2.0 }`: a record without its name.
    pub(super) fn nameless_record(&mut self) -> Option<Tree> {
        let record = self.peek(1) == TokenKind::Ident && self.peek(2) == TokenKind::Colon;
        if !record {
            return None;
        }
        let start = self.span();
        let help = "write the name of its type first, as in `Vec3 { x: 1.0 }`";
        self.foreign("this record has no name", "name expected before this", help);
        let open = self.open();
        self.skip_to(&[]);
        self.close(open);
        Some(self.error_tree(self.since(start)))
    }

    /// Whether `x += e` or the like stands here.
    pub(super) fn at_update(&self) -> bool {
        self.at(TokenKind::Ident) && self.is_update(1)
    }

    /// Whether `+=` or the like stands so many tokens ahead.
    fn is_update(&self, ahead: usize) -> bool {
        let operator = self.lexeme(ahead).token;
        let equals = self.lexeme(ahead + 1).token;
        matches!(
            operator.kind,
            TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash
        ) && equals.kind == TokenKind::Assign
            && operator.span.end == equals.span.start
    }

    /// Reports `x += e` and skips it.
    pub(super) fn update(&mut self) {
        let name = self.token_text().to_owned();
        let operator = self.lexeme(1).token.kind.describe();
        let help = format!("bind a new name, as in `let next = {name} {operator} ...;`");
        self.foreign("values do not change", "cannot be assigned again", help);
        for _ in 0..3 {
            self.advance();
        }
        self.expr();
    }

    /// `let mut x`, `let rec f`
    pub(super) fn word_after_let(&mut self) {
        let word = ["mut", "var"].iter().any(|it| self.at_word(it));
        if word && self.peek(1) == TokenKind::Ident {
            let help = "remove it; a name stands for one value for good";
            self.foreign("only a pattern stands after `let`", "remove it", help);
            self.advance();
        }
    }

    /// `let f(x) = e`: reports the parameters and skips them.
    pub(super) fn parameters_of_let(&mut self, is_recursive: bool) {
        if self.at(TokenKind::LParen) {
            let help = match is_recursive {
                true => "write `let rec f = \\x => ...;`",
                false => "write `let f = \\x => ...;`",
            };
            self.foreign("a `let` has no parameters", "parameters", help);
            let open = self.open();
            self.skip_to(&[]);
            self.close(open);
        }
    }

    /// `let x = a in b`
    pub(super) fn word_in(&mut self) -> bool {
        let found = self.at_word("in");
        if found {
            self.unexpected_with("`;`", Some("write `;` instead of `in`".to_owned()));
            self.advance();
        }
        found
    }

    /// `def` inside a block: reported, parsed, left out.
    pub(super) fn inner_definition(&mut self) {
        let help = "move it out, or write `let f = \\x => ...;`";
        self.foreign("`def` stands only at the top level", "inside a block", help);
        let start = self.advance().span;
        let parsed = self.nested(|it| it.def(Vec::new(), start));
        drop(parsed);
        self.eat(TokenKind::Semicolon);
    }

    /// `match x with {`
    pub(super) fn word_before_arms(&mut self) {
        for word in ["with", "of"] {
            if self.at_word(word) {
                self.unexpected_with("`{`", Some(format!("remove `{word}`")));
                self.advance();
            }
        }
    }

    /// `| A => e`
    pub(super) fn bar_before_arm(&mut self) {
        if self.at(TokenKind::Pipe) {
            let help = "write arms as `pattern => value,`";
            self.unexpected_with("a pattern", Some(help.to_owned()));
            self.advance();
        }
    }

    /// `A | B => e`, `A if c => e`
    pub(super) fn alternatives_or_guard(&mut self) {
        let help = match self.kind() {
            TokenKind::Pipe => "write an arm for each pattern",
            TokenKind::If => "write `if` after the `=>`",
            _ => return,
        };
        self.unexpected_with("`=>`", Some(help.to_owned()));
        while !matches!(self.kind(), TokenKind::FatArrow | TokenKind::Comma)
            && !self.at_close()
            && !self.at_end()
        {
            self.advance();
        }
        self.reported_at = Some(self.position);
    }

    /// `(a: Real, b)` in a pattern: reports the annotation and skips it.
    pub(super) fn annotation_in_pattern(&mut self) {
        if self.at(TokenKind::Colon) {
            let help = "annotate the whole: `(a, b): (Real, Real)`";
            self.foreign("a part of a pattern has no annotation", "annotation", help);
            self.advance();
            self.ty();
        }
    }

    /// `Real[n]`: reports the size after the type and skips it.
    pub(super) fn size_after_type(&mut self) {
        if self.at(TokenKind::LBracket) && !self.lexeme(0).first {
            let help = "write `[n]Real`";
            self.foreign("the size stands before the element type", "not here", help);
            let open = self.open();
            self.skip_to(&[TokenKind::Assign, TokenKind::Comma]);
            self.close(open);
        }
    }

    /// `def f<a>(x)`, `def f[n](x)`: reports the variables and skips them.
    pub(super) fn variables_of_def(&mut self) {
        let (open, close) = match self.kind() {
            TokenKind::Lt => (TokenKind::Lt, TokenKind::Gt),
            TokenKind::LBracket => (TokenKind::LBracket, TokenKind::RBracket),
            _ => return,
        };
        let help = "remove them: small letters in types are variables by themselves";
        self.foreign("a definition lists no type variables", "not needed", help);
        self.eat(open);
        self.skip_to(&[close, TokenKind::LParen, TokenKind::Assign]);
        self.eat(close);
    }

    /// `def f x y = e`: reports the missing parentheses.
    pub(super) fn params_without_parentheses(&mut self, name: &Ident) -> Option<Vec<Ident>> {
        if !self.at(TokenKind::Ident) || self.lexeme(0).first {
            return None;
        }
        let span = self.span();
        let mut names = Vec::new();
        while self.at(TokenKind::Ident) && !self.lexeme(0).first {
            let token = self.advance();
            names.push(Ident { name: self.name_of(token), span: token.span });
        }
        let list: Vec<&str> = names.iter().map(|it| it.name.as_str()).collect();
        let help = format!("write `{}({})`", name.name, list.join(", "));
        self.note(SyntaxError::Juxtaposition { span, help });
        Some(names)
    }

    /// `def f(x) -> Real`
    pub(super) fn arrow_before_result(&mut self) {
        if self.at(TokenKind::Arrow) {
            self.unexpected_with("`:`", Some("write `:` before the type of the result".to_owned()));
            self.lexemes[self.position].token.kind = TokenKind::Colon;
        }
    }

    /// `Con { x: T }`, `Con T`: reports the fields and skips them.
    pub(super) fn after_constructor(&mut self, con: &Ident) {
        let fields = match self.kind() {
            TokenKind::LBrace => true,
            TokenKind::Upper | TokenKind::Ident | TokenKind::LBracket => !self.lexeme(0).first,
            _ => false,
        };
        if !fields {
            return;
        }
        let help = format!("write the types of its fields in parentheses: `{}(A, B)`", con.name);
        self.unexpected_with("`(`, `|` or the end", Some(help));
        self.skip_to(&[TokenKind::Pipe]);
    }

    /// Whether a definition starts here that lacks its `def`: `fn f(x) = e`, `let x = e`,
    /// `f(x) = e`, `x = e`. Reports that and goes on to the name.
    pub(super) fn definition_without_def(&mut self) -> bool {
        let word = ["fn", "fun", "func", "function", "val", "var", "const", "define"]
            .iter()
            .any(|it| self.at_word(it));
        let keyword = self.at(TokenKind::Let) || word;
        if keyword && matches!(self.peek(1), TokenKind::Ident | TokenKind::Upper) {
            let written = self.token_text().to_owned();
            let help = format!("write `def` instead of `{written}`");
            self.foreign("a definition starts with `def`", "not a declaration", help);
            self.advance();
            return true;
        }
        let named = self.at(TokenKind::Ident)
            && matches!(self.peek(1), TokenKind::Assign | TokenKind::LParen | TokenKind::Colon);
        let clear = named && (self.peek(1) != TokenKind::LParen || self.equation_follows());
        if clear {
            let help = "write `def` before the name";
            self.foreign("a definition starts with `def`", "`def` is missing here", help);
        }
        clear
    }

    /// Whether `=` or `:` follows the parentheses after the current name.
    fn equation_follows(&self) -> bool {
        let mut depth = 0_usize;
        for ahead in 1..200 {
            match self.peek(ahead) {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth <= 1 => {
                    return matches!(self.peek(ahead + 1), TokenKind::Assign | TokenKind::Colon);
                }
                TokenKind::RParen => depth -= 1,
                TokenKind::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// Help for a text at the top level that is no declaration.
    pub(super) fn foreign_item_help(&self) -> String {
        let help = match self.token_text() {
            "use" | "open" | "include" | "from" | "require" => {
                "write `import \"file.cot\"` or `import std.linalg`"
            }
            "module" | "export" => "remove it: a file is a module, and `pub def` can be imported",
            "struct" | "record" | "class" => "write `type Name = { x: Real }`",
            "enum" | "union" | "variant" => "write `data Name = A | B(Real)`",
            "assert" => "write `test \"name\" = ...`",
            "print" | "println" => "write `def main = ...`; its value is printed",
            _ => "start with `def`, `type`, `data`, `test`, `bench` or `plot`",
        };
        help.to_owned()
    }
}
