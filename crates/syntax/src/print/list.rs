//! Lists in brackets, and the parts that need no layout: types, patterns, heads.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "tokens without a rule of their own are put out without spaces around them"
)]

use base::token::TokenKind;

use super::layout::Op;
use super::tokens::Printer;

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// `(a, b)`; broken: one element per line.
    Tight,
    /// `[a, b]`; broken: as many elements per line as fit.
    Filled,
    /// `{ a, b }`; broken: one element per line.
    Spaced,
    /// `{ a, ..b }`: the same, without a comma at the end.
    SpacedBase,
}

impl Printer<'_> {
    /// A list with its brackets: on one line, or broken with a comma after the last element.
    pub(super) fn list<T>(
        &mut self,
        elements: &[T],
        style: ListStyle,
        mut element: impl FnMut(&mut Self, &T),
    ) {
        let line = match style {
            ListStyle::Tight | ListStyle::Filled => Op::Soft,
            ListStyle::Spaced | ListStyle::SpacedBase => Op::Line,
        };
        self.group(|it| {
            it.any_token();
            it.push(Op::Indent);
            for (index, value) in elements.iter().enumerate() {
                let between = if index == 0 { line } else { Op::Line };
                if style == ListStyle::Filled && index > 0 {
                    it.group(|it| {
                        it.push(between);
                        element(it, value);
                    });
                } else {
                    it.push(between);
                    element(it, value);
                }
                match index + 1 < elements.len() {
                    true => it.glued_token(","),
                    false if style == ListStyle::SpacedBase => it.no_comma(),
                    false => it.last_comma(),
                }
            }
            it.comments_before();
            it.push(Op::Dedent);
            if !elements.is_empty() {
                it.push(line);
            }
            it.any_token();
        });
    }

    /// The comma after the last element, which stands only in a broken list.
    fn last_comma(&mut self) {
        self.push(Op::GlueIfBroken(","));
        self.no_comma();
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
