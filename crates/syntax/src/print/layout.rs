//! From layout operations to lines.
//!
//! Groups are flat (all on one line) if they fit, otherwise broken: each `Line` and `Soft`
//! directly in them starts a line. A comment always ends its line, whatever follows; the line
//! break is put out lazily, with the indentation that holds when the next text comes.

use super::WIDTH;

/// A layout operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op<'a> {
    /// Characters without a line break.
    Text(&'a str),
    /// A space, unless a line starts here.
    Space,
    /// A space if the group is flat, a line break if it is broken.
    Line,
    /// Nothing if the group is flat, a line break if it is broken.
    Soft,
    /// A line break.
    Hard,
    /// The next line break leaves a line empty.
    Blank,
    /// Characters that belong to the text before, even if a comment has come between.
    Glue(&'static str),
    /// Characters that belong to the text before, only if the group is broken.
    GlueIfBroken(&'static str),
    /// Characters, only if the group is broken.
    IfBroken(&'static str),
    /// A group starts; `broken` if something in it cannot be on one line.
    Open { broken: bool },
    /// What follows `=` or `=>` starts, a group: on the same line if it fits, otherwise on the
    /// next one, indented. With `hug`, what fits on neither stays on the same line, broken.
    After { hug: bool, broken: bool },
    /// A group ends.
    Close,
    /// Lines are indented further.
    Indent,
    /// Lines are indented less.
    Dedent,
    /// A comment; `own` if it stands in a line of its own.
    Comment { text: &'a str, own: bool },
}

/// Lines indented by this much more inside each level.
const STEP: usize = 2;

/// Fits operations into lines.
pub(super) fn render(ops: &[Op<'_>]) -> String {
    let mut layout = Layout {
        ops,
        out: String::new(),
        column: 0,
        indent: 0,
        groups: Vec::new(),
        newline: false,
        blank: false,
        text_end: 0,
        opened: true,
    };
    for index in 0..ops.len() {
        layout.op(index);
    }
    let end = layout.out.trim_end().len();
    layout.out.truncate(end);
    if !layout.out.is_empty() {
        layout.out.push('\n');
    }
    layout.out
}

/// An open group.
struct Group {
    flat: bool,
    /// Whether its contents are indented because of it.
    indented: bool,
}

struct Layout<'a> {
    ops: &'a [Op<'a>],
    out: String,
    /// Characters in the last line of `out`.
    column: usize,
    indent: usize,
    groups: Vec<Group>,
    /// A line break is due before the next text.
    newline: bool,
    /// An empty line is due as well.
    blank: bool,
    /// Where the last text that is no comment ends.
    text_end: usize,
    /// Whether an opening bracket or nothing at all stands before: no empty line there.
    opened: bool,
}

impl Layout<'_> {
    fn op(&mut self, index: usize) {
        match self.ops[index] {
            Op::Text(text) => self.text(text),
            Op::Space => self.space(),
            Op::Line if self.flat() => self.space(),
            Op::Soft if self.flat() => {}
            Op::Line | Op::Soft | Op::Hard => self.newline = true,
            Op::Blank => self.blank = true,
            Op::Glue(text) => self.glue(text),
            Op::GlueIfBroken(text) if !self.flat() => self.glue(text),
            Op::IfBroken(text) if !self.flat() => self.text(text),
            Op::GlueIfBroken(_) | Op::IfBroken(_) => {}
            Op::Open { broken } => {
                let flat = self.flat() && !broken || self.fits(index, self.start_column());
                self.groups.push(Group { flat, indented: false });
            }
            Op::After { hug, .. } => self.after(index, hug),
            Op::Close => {
                if self.groups.pop().is_some_and(|it| it.indented) {
                    self.indent -= STEP;
                }
            }
            Op::Indent => self.indent += STEP,
            Op::Dedent => self.indent = self.indent.saturating_sub(STEP),
            Op::Comment { text, own } => self.comment(text, own),
        }
    }

    /// Whether the innermost group is flat; outside of groups nothing is.
    fn flat(&self) -> bool {
        self.groups.last().is_some_and(|it| it.flat)
    }

    /// Where the next text will start.
    fn start_column(&self) -> usize {
        if self.newline { self.indent } else { self.column }
    }

    /// Decides where what follows `=` or `=>` goes.
    fn after(&mut self, index: usize, hug: bool) {
        // A group outside that is flat has no line break in it.
        let flat = self.flat();
        let same_line = !self.newline && (flat || self.fits(index, self.start_column() + 1));
        let next_line = !same_line && self.fits(index, self.indent + STEP);
        let stays = same_line || (hug && !next_line && !self.newline);
        if stays {
            self.space();
        } else {
            self.newline = true;
            self.indent += STEP;
        }
        self.groups.push(Group { flat: same_line || next_line, indented: !stays });
    }

    /// Whether the group that starts at this operation, and what cannot be broken off after it,
    /// fits into a line from this column on.
    fn fits(&self, index: usize, column: usize) -> bool {
        if let Op::Open { broken: true } | Op::After { broken: true, .. } = self.ops[index] {
            return false;
        }
        let mut room = match WIDTH.checked_sub(column) {
            Some(room) => room,
            None => return false,
        };
        let mut depth = 1_usize;
        // After the line has ended, only what is glued to it still counts.
        let mut ended = false;
        // A space counts when something follows it in the line.
        let mut space = 0;
        for op in &self.ops[index + 1..] {
            let width = match *op {
                Op::Glue(text) => text.len(),
                // Around a group that is tried, all groups are broken.
                Op::GlueIfBroken(text) if depth == 0 => text.len(),
                Op::Close => {
                    depth = depth.saturating_sub(1);
                    0
                }
                Op::Comment { .. } => {
                    ended = true;
                    0
                }
                Op::Indent | Op::Dedent | Op::Blank | Op::GlueIfBroken(_) => 0,
                _ if ended => return true,
                Op::Hard => return true,
                Op::Line | Op::Soft | Op::After { .. } if depth == 0 => return true,
                Op::Text(text) => text.chars().count() + std::mem::take(&mut space),
                Op::Line | Op::Space => {
                    space = 1;
                    0
                }
                Op::After { .. } => {
                    depth += 1;
                    space = 1;
                    0
                }
                Op::Open { .. } => {
                    depth += usize::from(depth > 0);
                    0
                }
                Op::Soft | Op::IfBroken(_) => 0,
            };
            match room.checked_sub(width) {
                Some(rest) => room = rest,
                None => return false,
            }
        }
        true
    }

    fn text(&mut self, text: &str) {
        self.flush();
        self.blank = false;
        self.out.push_str(text);
        self.column += text.chars().count();
        self.text_end = self.out.len();
        self.opened = matches!(text, "(" | "[" | "{");
    }

    fn space(&mut self) {
        if !self.newline && !self.out.ends_with([' ', '\n']) && !self.out.is_empty() {
            self.out.push(' ');
            self.column += 1;
        }
    }

    fn glue(&mut self, text: &str) {
        let at_end = self.text_end == self.out.len();
        self.out.insert_str(self.text_end, text);
        self.text_end += text.len();
        if at_end {
            self.column += text.len();
        }
    }

    fn comment(&mut self, text: &str, own: bool) {
        if own {
            self.newline = true;
        }
        let trailing = !self.newline;
        self.flush();
        if trailing {
            self.space();
        }
        self.out.push_str(text);
        self.newline = true;
        self.opened = false;
    }

    /// Puts out the line break that is due, if any.
    fn flush(&mut self) {
        if !self.newline {
            return;
        }
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.blank && !self.opened {
                self.out.push('\n');
            }
        }
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.column = self.indent;
        self.newline = false;
        self.blank = false;
    }
}
