//! Lists in brackets, and the parts that need no layout: types, patterns, heads.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "tokens without a rule of their own are put out without spaces around them"
)]

use base::token::TokenKind;

use super::layout::Op;
use super::tokens::Printer;

/// What stands directly inside the brackets of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// `(a, b)`
    None,
    /// `{ a, b }`
    Space,
}

/// How the elements of a broken list are put into lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// One element per line.
    OnePerLine,
    /// As many as fit.
    Full,
}

impl<'a> Printer<'a> {
    /// A list with its brackets: on one line, or broken with a comma after the last element.
    pub(super) fn list<T>(
        &mut self,
        elements: &[T],
        padding: Padding,
        filling: Filling,
        mut element: impl FnMut(&mut Self, &T),
    ) {
        let line = match padding {
            Padding::None => Op::Soft,
            Padding::Space => Op::Line,
        };
        self.group(|it| {
            it.any_token();
            it.push(Op::Indent);
            for (index, value) in elements.iter().enumerate() {
                let between = if index == 0 { line } else { Op::Line };
                match filling {
                    Filling::Full if index > 0 => it.group(|it| {
                        it.push(between);
                        element(it, value);
                    }),
                    Filling::Full | Filling::OnePerLine => {
                        it.push(between);
                        element(it, value);
                    }
                }
                it.comma(index + 1 < elements.len());
            }
            it.comments_before();
            it.push(Op::Dedent);
            if !elements.is_empty() {
                it.push(line);
            }
            it.any_token();
        });
    }

    /// The comma after an element; after the last one it stands only in a broken list.
    pub(super) fn comma(&mut self, more: bool) {
        let present = self.kind() == TokenKind::Comma;
        match (more, present) {
            (true, _) => self.glued_token(","),
            (false, true) => {
                self.comments_before();
                self.push(Op::GlueIfBroken(","));
                self.skip_token();
            }
            (false, false) => self.push(Op::GlueIfBroken(",")),
        }
    }

    /// Leaves out a comma after the last element.
    pub(super) fn no_comma(&mut self) {
        if self.kind() == TokenKind::Comma {
            self.skip_token();
        }
    }

    /// The tokens up to this byte, spaced as in types and patterns, on one line.
    pub(super) fn tokens_until(&mut self, end: u32) {
        while self.start() < end as usize && self.kind() != TokenKind::Eof {
            let next = self.peek(1);
            match self.kind() {
                TokenKind::Comma if is_closing(next) => self.skip_token(),
                TokenKind::Comma => {
                    self.glued_token(",");
                    self.space();
                }
                TokenKind::Colon => {
                    self.glued_token(":");
                    self.space();
                }
                TokenKind::Arrow => {
                    self.space();
                    self.any_token();
                    self.space();
                }
                TokenKind::LBrace => {
                    self.space();
                    self.any_token();
                    if next != TokenKind::RBrace {
                        self.space();
                    } else {
                        self.any_token();
                    }
                }
                TokenKind::RBrace => {
                    self.space();
                    self.any_token();
                }
                _ => self.any_token(),
            }
        }
    }
}

fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace | TokenKind::Gt)
}
