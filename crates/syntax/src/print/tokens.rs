//! The walk over the tokens: each is put out with the comments that stand at it.

use base::token::TokenKind;

use super::layout::Op;
use crate::ast::Comment;
use crate::parser::Lexeme;

/// Walks over the tokens of a text and collects layout operations.
pub(super) struct Printer<'a> {
    pub(super) text: &'a str,
    lexemes: &'a [Lexeme],
    /// Index of the next token.
    position: usize,
    comments: &'a [Comment],
    /// Index of the next comment.
    next_comment: usize,
    /// Where the token or comment put out last ends.
    last_end: usize,
    ops: Vec<Op<'a>>,
    /// The operations that opened the groups which are open.
    open: Vec<usize>,
    /// Whether a comment was put out last.
    after_comment: bool,
}

impl<'a> Printer<'a> {
    pub(super) fn new(text: &'a str, lexemes: &'a [Lexeme], comments: &'a [Comment]) -> Self {
        Printer {
            text,
            lexemes,
            position: 0,
            comments,
            next_comment: 0,
            last_end: 0,
            ops: Vec::new(),
            open: Vec::new(),
            after_comment: false,
        }
    }

    /// The operations, when all tokens are put out.
    pub(super) fn finish(mut self) -> Vec<Op<'a>> {
        debug_assert_eq!(self.kind(), TokenKind::Eof, "the tree covers all tokens");
        self.comments_before();
        debug_assert_eq!(self.next_comment, self.comments.len(), "no comment is lost");
        self.ops
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.peek(0)
    }

    pub(super) fn peek(&self, ahead: usize) -> TokenKind {
        self.lexemes.get(self.position + ahead).map_or(TokenKind::Eof, |it| it.token.kind)
    }

    /// Where the next token starts.
    pub(super) fn start(&self) -> usize {
        let last = self.lexemes.len() - 1;
        self.lexemes[self.position.min(last)].token.span.start as usize
    }

    /// Puts out an operation. If a comment comes directly before it, the groups that are still
    /// open contain a line break.
    pub(super) fn push(&mut self, op: Op<'a>) {
        match op {
            Op::Close | Op::Indent | Op::Dedent | Op::Space | Op::Blank | Op::Comment { .. } => {}
            Op::Hard => self.break_groups(),
            Op::Text(_)
            | Op::Line
            | Op::Soft
            | Op::Glue(_)
            | Op::GlueIfBroken(_)
            | Op::IfBroken(_)
            | Op::Open { .. }
            | Op::After { .. } => {
                if self.after_comment {
                    self.break_groups();
                }
                self.after_comment = false;
            }
        }
        self.ops.push(op);
    }

    /// Notes that the open groups contain a line break. Where one does, all around it do.
    pub(super) fn break_groups(&mut self) {
        for index in self.open.iter().rev() {
            if let Op::Open { broken } | Op::After { broken, .. } = &mut self.ops[*index] {
                if *broken {
                    return;
                }
                *broken = true;
            }
        }
    }

    /// A group around what `contents` puts out. Comments in front of it do not break it.
    pub(super) fn group(&mut self, contents: impl FnOnce(&mut Self)) {
        self.comments_before();
        self.group_with_comments(contents);
    }

    /// A group that comments in front of it break.
    pub(super) fn group_with_comments(&mut self, contents: impl FnOnce(&mut Self)) {
        self.grouped(Op::Open { broken: false }, contents);
    }

    /// What follows `=` or `=>`. A comment in between starts the next line.
    pub(super) fn after(&mut self, hug: bool, contents: impl FnOnce(&mut Self)) {
        let hug = hug && !self.has_comments(self.last_end as u32, self.start() as u32);
        self.grouped(Op::After { hug, broken: false }, contents);
    }

    fn grouped(&mut self, op: Op<'a>, contents: impl FnOnce(&mut Self)) {
        self.push(op);
        self.open.push(self.ops.len() - 1);
        contents(self);
        self.open.pop();
        self.push(Op::Close);
    }

    pub(super) fn indented(&mut self, contents: impl FnOnce(&mut Self)) {
        self.push(Op::Indent);
        contents(self);
        self.push(Op::Dedent);
    }

    pub(super) fn space(&mut self) {
        self.push(Op::Space);
    }

    /// Puts out the next token with its comments.
    pub(super) fn token(&mut self, kind: TokenKind) {
        debug_assert_eq!(self.kind(), kind, "the tree follows the tokens");
        self.any_token();
    }

    /// Puts out the next token, of whatever kind, with its comments.
    pub(super) fn any_token(&mut self) {
        self.comments_before();
        let text = self.lexemes[self.position].token.text(self.text);
        self.push(Op::Text(text));
        self.pass();
    }

    /// A name, with its module in front of it if it has one: `tree.Node`.
    pub(super) fn name(&mut self) {
        let qualified = [TokenKind::Ident, TokenKind::Dot, TokenKind::Upper];
        let is_qualified = (0..3).all(|it| self.peek(it) == qualified[it]);
        self.any_token();
        if is_qualified {
            self.any_token();
            self.any_token();
        }
    }

    /// Puts out the next token so that it follows the text before, even behind a comment.
    pub(super) fn glued_token(&mut self, text: &'static str) {
        self.comments_before();
        self.push(Op::Glue(text));
        self.pass();
    }

    /// Leaves out the next token, but not its comments.
    pub(super) fn skip_token(&mut self) {
        self.comments_before();
        self.pass();
    }

    /// Goes on to the next token; a comment in the same line is put out.
    fn pass(&mut self) {
        self.last_end = self.lexemes[self.position].token.span.end as usize;
        if self.kind() != TokenKind::Eof {
            self.position += 1;
        }
        if let Some(comment) = self.comments.get(self.next_comment) {
            let start = comment.span.start as usize;
            if start < self.start() && self.newlines(start) == 0 {
                self.comment(comment, false);
            }
        }
    }

    /// Puts out the comments in front of the next token.
    pub(super) fn comments_before(&mut self) {
        let token = self.start();
        while let Some(comment) = self.comments.get(self.next_comment) {
            let start = comment.span.start as usize;
            if start >= token {
                break;
            }
            if self.newlines(start) > 1 {
                self.push(Op::Blank);
            }
            self.comment(comment, true);
        }
    }

    /// Starts a declaration, a `let`, a result or an arm: empty lines around the comments in
    /// front of it stay.
    pub(super) fn statement(&mut self) {
        self.comments_before();
        if self.newlines(self.start()) > 1 {
            self.push(Op::Blank);
        }
    }

    fn comment(&mut self, comment: &'a Comment, own: bool) {
        self.push(Op::Comment { text: &comment.text, own });
        self.after_comment = true;
        self.last_end = comment.span.end as usize;
        self.next_comment += 1;
    }

    /// How many lines end between what was put out last and this byte.
    pub(super) fn newlines(&self, until: usize) -> usize {
        self.text.get(self.last_end..until).unwrap_or("").matches('\n').count()
    }

    /// Whether comments stand between these bytes.
    pub(super) fn has_comments(&self, start: u32, end: u32) -> bool {
        let first = self.comments.partition_point(|it| it.span.start < start);
        self.comments.get(first).is_some_and(|it| it.span.start < end)
    }
}
