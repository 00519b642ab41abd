//! Habits from other languages: each is recognised where it is cheap to, reported with the way
//! Cotan writes it, and taken for what was meant, so that the rest of the text is still checked.

use base::token::{Token, TokenKind};

use super::recover::is_item_keyword;
use super::{Parser, Tree};
use crate::ast::{BinaryOp, UnaryOp};
use crate::error::SyntaxError;

impl Parser<'_> {
    pub(super) fn foreign(&mut self, title: &str, label: &'static str, help: impl Into<String>) {
        let span = self.span();
        let help = help.into();
        self.note(SyntaxError::Foreign { span, title: title.to_owned(), label, help });
    }

    fn foreign_operator(&mut self, written: &str, help: &str) {
        let (written, help) = (written.to_owned(), help.to_owned());
        self.note(SyntaxError::ForeignOperator { span: self.span(), written, help });
    }

    /// Help for a token that should not stand here.
    pub(super) fn hint(&self, expected: &str) -> Option<String> {
        let help = match self.kind() {
            TokenKind::Question => "write `if condition then a else b`",
            TokenKind::Assign if expected == "an expression" => {
                "write `==` to compare, or bind a new name with `let`"
            }
            TokenKind::Then | TokenKind::Else => "write `if condition then a else b`",
            TokenKind::Underscore if expected == "an expression" => {
                "use `_` only in patterns and types"
            }
            TokenKind::FatArrow if expected == "an expression" => {
                "start a function with a backslash: `\\x => ...`"
            }
            TokenKind::FatArrow => "start a function with a backslash: `\\x => ...`",
            TokenKind::Arrow => "write `\\x => ...` for a function; `->` stands only in types",
            TokenKind::Pipe if self.peek(1) == TokenKind::Gt => "write `f(x)` to call a function",
            TokenKind::Pipe => "write `||` for \"or\"; `|` stands only in `data`",
            TokenKind::Colon if self.open.last() == Some(&TokenKind::RBracket) => {
                "write `lo..hi` for a range"
            }
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// Reports a keyword used as a name, which the caller then takes for one.
    pub(super) fn keyword_as_name(&mut self) -> bool {
        let lexeme = self.lexeme(0);
        let kind = lexeme.token.kind;
        let keyword = (is_item_keyword(kind) && !lexeme.first)
            || (matches!(kind, TokenKind::Build | TokenKind::Match | TokenKind::Let)
                && matches!(self.peek(1), TokenKind::Comma | TokenKind::RParen | TokenKind::Colon))
            || self.is_defined_keyword();
        if keyword {
            let word = self.token_text().to_owned();
            self.report(SyntaxError::KeywordAsName { span: lexeme.token.span, word });
        }
        keyword
    }

    /// `def match(x)`: the word after `def` is a name, whatever it is.
    fn is_defined_keyword(&self) -> bool {
        let kind = self.lexeme(0).token.kind;
        let word = matches!(
            kind,
            TokenKind::Build
                | TokenKind::Match
                | TokenKind::Let
                | TokenKind::If
                | TokenKind::Then
                | TokenKind::Else
        );
        word && self.previous_kind() == Some(TokenKind::Def)
    }

    /// Reports a name that starts with the wrong kind of letter.
    pub(super) fn wrong_case(&mut self, token: Token, title: &'static str) {
        let text = token.text(self.text);
        let (first, rest) = text.split_at(1);
        let suggestion = match token.kind {
            TokenKind::Upper => format!("{}{rest}", first.to_ascii_lowercase()),
            _ => format!("{}{rest}", first.to_ascii_uppercase()),
        };
        self.note(SyntaxError::WrongCase { span: token.span, title, suggestion });
    }

    /// Operators of other languages, as what they mean.
    pub(super) fn peek_foreign_operator(&self) -> Option<(BinaryOp, u8)> {
        match self.kind() {
            TokenKind::Assign => Some((BinaryOp::Eq, 3)),
            TokenKind::Amp => Some((BinaryOp::And, 2)),
            TokenKind::Ident if self.at_foreign_infix() && !self.lexeme(0).first => {
                Some(if self.token_text() == "or" { (BinaryOp::Or, 1) } else { (BinaryOp::And, 2) })
            }
            _ => None,
        }
    }

    pub(super) fn note_foreign_operator(&mut self, op: BinaryOp) {
        match self.kind() {
            TokenKind::Assign => {
                self.foreign_operator("=", "write `==` to compare two values");
            }
            TokenKind::Amp => self.foreign_operator("&", "write `&&` for \"and\""),
            TokenKind::Ident => {
                let written = self.token_text().to_owned();
                self.foreign_operator(&written, &format!("write `{}`", op.symbol()));
            }
            _ => {}
        }
    }

    /// Whether the current token is `and` or `or` with an operand after it.
    pub(super) fn at_foreign_infix(&self) -> bool {
        (self.at_word("and") || self.at_word("or")) && self.operand_follows()
    }

    /// Whether the current token is a word that joins parts of a construct in other languages.
    pub(super) fn at_foreign_link(&self) -> bool {
        let arms = (self.at_word("with") || self.at_word("of")) && self.no_record;
        arms || ["elif", "elsif", "elseif", "in"].iter().any(|it| self.at_word(it))
    }

    fn operand_follows(&self) -> bool {
        matches!(
            self.peek(1),
            TokenKind::Ident
                | TokenKind::Upper
                | TokenKind::Int
                | TokenKind::Real
                | TokenKind::Str
                | TokenKind::True
                | TokenKind::False
                | TokenKind::LParen
                | TokenKind::Bang
        ) && !self.lexeme(1).first
    }

    /// Whether the current token is `not` with an operand after it; `not(x)` may be a call.
    pub(super) fn at_foreign_not(&self) -> bool {
        self.at_word("not") && self.operand_follows() && self.peek(1) != TokenKind::LParen
    }

    pub(super) fn foreign_not(&mut self) -> Tree {
        self.foreign_operator("not", "write `!`");
        self.prefix(UnaryOp::Not)
    }

    pub(super) fn note_caret(&mut self) {
        self.foreign_operator("^", "write `**` for a power");
    }

    /// `+x`
    pub(super) fn prefix_plus(&mut self) -> Tree {
        match self.peek(1) {
            TokenKind::Plus | TokenKind::Assign => self.unexpected("an expression"),
            _ => self.foreign("there is no prefix `+`", "remove it", "write the number without it"),
        }
        while self.eat(TokenKind::Plus) {}
        self.nested(Self::unary).unwrap_or_else(|| self.missing())
    }

    /// The arrow of a function or arm; other signs in its place are reported and passed over.
    pub(super) fn fat_arrow(&mut self) {
        match self.kind() {
            TokenKind::Arrow | TokenKind::Colon | TokenKind::Dot | TokenKind::Assign => {
                let found = self.found();
                let help = format!("write `=>` instead of {found}");
                self.unexpected_with("`=>`", Some(help));
                self.advance();
            }
            _ => {
                self.expect(TokenKind::FatArrow);
            }
        }
    }

    /// The `=` of a declaration or `let`; other signs in its place are reported and passed over.
    pub(super) fn assign(&mut self) -> bool {
        match self.kind() {
            TokenKind::EqEq | TokenKind::FatArrow | TokenKind::Arrow => {
                self.unexpected_with("`=`", Some("write `=`".to_owned()));
                self.advance();
                true
            }
            TokenKind::Colon if self.peek(1) == TokenKind::Assign => {
                self.unexpected_with("`=`", Some("write `=`".to_owned()));
                self.advance();
                self.eat(TokenKind::Assign)
            }
            TokenKind::LBrace => {
                self.unexpected_with("`=`", Some("write `=` before the block".to_owned()));
                true
            }
            _ => self.expect(TokenKind::Assign),
        }
    }

    /// The `<` of a `build`, or what other languages have there; whether a bound follows.
    pub(super) fn less_in_build(&mut self) -> bool {
        if self.at_word("in") || self.at(TokenKind::Assign) || self.at(TokenKind::Le) {
            let help = "write `i < n`; the index runs from 0 to n - 1".to_owned();
            self.unexpected_with("`<`", Some(help));
            self.advance();
            return true;
        }
        self.expect(TokenKind::Lt) || self.starts_operand()
    }

    /// `\x y => e`: reports the missing comma.
    pub(super) fn note_side_by_side_params(&mut self) -> bool {
        let another = matches!(self.kind(), TokenKind::Ident | TokenKind::Underscore);
        if another && self.reported_at != Some(self.position) {
            let help = Some("separate parameters with `,`".to_owned());
            self.unexpected_with("`,` or `=>`", help);
        }
        another
    }

    /// `f(x = 3)`: reports it and passes over the name.
    pub(super) fn note_named_argument(&mut self) {
        if self.at(TokenKind::Ident) && self.peek(1) == TokenKind::Assign {
            let help = "give arguments by their place, or write `==` to compare";
            self.foreign("arguments have no names", "not a parameter", help);
            self.advance();
            self.advance();
        }
    }

    /// `V { x = 1.0 }`: reports it; the `=` is passed over.
    pub(super) fn note_assigned_field(&mut self) {
        if self.at(TokenKind::Assign) {
            self.unexpected_with("`:`", Some("write `:` between field and value".to_owned()));
            self.lexemes[self.position].token.kind = TokenKind::Colon;
        }
    }

    /// The `then` of a conditional, or what other languages have there.
    pub(super) fn then(&mut self) {
        match self.kind() {
            TokenKind::LBrace => {
                self.unexpected_with(
                    "`then`",
                    Some("write `if condition then a else b`".to_owned()),
                );
            }
            TokenKind::Colon | TokenKind::Question => {
                self.unexpected_with(
                    "`then`",
                    Some("write `if condition then a else b`".to_owned()),
                );
                self.advance();
            }
            _ => {
                self.expect(TokenKind::Then);
            }
        }
    }

    /// `if c then a; else b`
    pub(super) fn semicolon_before_else(&mut self) {
        if self.at(TokenKind::Semicolon) && self.peek(1) == TokenKind::Else {
            let span = self.advance().span;
            let help = "write `if condition then a else b`";
            self.note(SyntaxError::StraySemicolon { span, place: "a branch", help });
        }
    }

    /// `else:`
    pub(super) fn colon_after_else(&mut self) {
        if self.at(TokenKind::Colon) {
            self.unexpected_with("an expression", Some("remove the `:`".to_owned()));
            self.advance();
        }
    }

    /// `elif`, which the caller then takes for the `if` of `else if`.
    pub(super) fn note_elif(&mut self) -> bool {
        let found = ["elif", "elsif", "elseif"].iter().any(|it| self.at_word(it));
        if found {
            self.unexpected_with("`else`", Some("write `else if`".to_owned()));
        }
        found
    }
}
