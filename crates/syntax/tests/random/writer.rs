//! Random texts that follow the grammar, with white space and comments anywhere.

use super::Random;

/// Writes random texts.
pub(crate) struct Writer {
    pub(crate) random: Random,
    pub(crate) out: String,
    /// How many comments may still be written.
    pub(crate) comments: usize,
}

impl Writer {
    fn token(&mut self, text: &str) {
        self.out.push_str(text);
        match self.random.below(24) {
            0 if self.comments > 0 => {
                self.comments -= 1;
                self.out.push_str(&format!(" -- comment {}\n", self.comments));
            }
            1 if self.comments > 0 => {
                self.comments -= 1;
                self.out.push_str(&format!("\n\n  -- own {}\n\n", self.comments));
            }
            2 => self.out.push('\n'),
            3 => self.out.push_str("\n\n\n"),
            _ => self.out.push(' '),
        }
    }

    fn tokens(&mut self, texts: &[&str]) {
        for text in texts {
            self.token(text);
        }
    }

    fn name(&mut self) {
        let name = *self.random.pick(&["x", "y", "some_long_name", "another_quite_long_name", "n"]);
        self.token(name);
    }

    fn list(&mut self, least: usize, mut each: impl FnMut(&mut Self)) {
        let count = least + self.random.below(4);
        for index in 0..count {
            if index > 0 {
                self.token(",");
            }
            each(self);
        }
        if count > 1 && self.random.below(3) == 0 {
            self.token(",");
        }
    }

    /// A declaration.
    pub(crate) fn item(&mut self) {
        match self.random.below(8) {
            0 => {
                self.tokens(&["type", "Record", "<", "a", ",", "b", ">", "=", "{"]);
                self.list(0, |it| {
                    it.name();
                    it.token(":");
                    it.ty(3);
                });
                self.token("}");
            }
            1 => {
                self.tokens(&["type", "Alias", "="]);
                self.ty(4);
            }
            2 => {
                self.tokens(&["data", "Sum", "=", "|", "Leaf"]);
                for _ in 0..self.random.below(5) {
                    self.tokens(&["|", "Constructor", "("]);
                    self.list(1, |it| it.ty(2));
                    self.token(")");
                }
            }
            3 => {
                self.tokens(&["test", "\"a name\"", "="]);
                self.expr(5);
            }
            _ => {
                self.tokens(&["def", "function"]);
                if self.random.below(2) == 0 {
                    self.token("(");
                    self.list(0, Self::param);
                    self.token(")");
                }
                if self.random.below(2) == 0 {
                    self.token(":");
                    self.ty(3);
                }
                self.token("=");
                self.expr(6);
            }
        }
        self.out.push('\n');
    }

    fn param(&mut self) {
        self.pattern(2);
        if self.random.below(2) == 0 {
            self.token(":");
            self.ty(2);
        }
    }

    fn ty(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 => self.token("Real"),
            1 => self.token("a"),
            2 => {
                self.tokens(&["[", "n", "+", "2", "*", "m", "-", "1", "]"]);
                self.token("Real");
            }
            3 => {
                self.tokens(&["List", "<"]);
                self.ty(depth - 1);
                self.token(">");
            }
            4 => {
                self.token("(");
                self.list(0, |it| it.ty(depth - 1));
                self.token(")");
            }
            5 => {
                self.tokens(&["(", "Real", ")", "->"]);
                self.ty(depth - 1);
            }
            _ => self.tokens(&["[", "]", "[", "_", "]", "_"]),
        }
    }

    fn pattern(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 3 } else { 7 }) {
            0 | 1 => self.name(),
            2 => self.token("_"),
            3 => self.tokens(&["-", "1"]),
            4 => {
                self.token("(");
                self.list(2, |it| it.pattern(depth - 1));
                self.token(")");
            }
            5 => {
                self.tokens(&["Constructor", "("]);
                self.list(1, |it| it.pattern(depth - 1));
                self.token(")");
            }
            _ => {
                self.tokens(&["Record", "{"]);
                self.list(0, Self::name);
                self.token("}");
            }
        }
    }

    fn exprs(&mut self, open: &str, close: &str, least: usize, depth: usize) {
        self.token(open);
        self.list(least, |it| it.expr(depth));
        self.token(close);
    }

    /// An expression that ends with its own last token, so that anything may follow.
    fn operand(&mut self, depth: usize) {
        if depth == 0 {
            match self.random.below(5) {
                0 => self.token("1_000"),
                1 => self.token("2.50"),
                2 => self.token("\"te\\nxt\""),
                _ => self.name(),
            }
            return;
        }
        match self.random.below(10) {
            0 => {
                self.token("(");
                self.expr(depth - 1);
                self.token(")");
            }
            1 => self.exprs("(", ")", 2, depth - 1),
            2 => self.exprs("[", "]", 0, depth - 1),
            3 => {
                self.name();
                self.exprs("(", ")", 0, depth - 1);
            }
            4 => {
                self.name();
                self.exprs("[", "]", 1, depth - 1);
                self.tokens(&[".", "0", ".", "field"]);
            }
            5 => {
                self.tokens(&["Record", "{", "x", ":"]);
                self.expr(depth - 1);
                self.tokens(&[",", "y", ",", ".."]);
                self.expr(depth - 1);
                self.token("}");
            }
            6 => {
                self.token("match");
                self.name();
                self.token("{");
                self.list(0, |it| {
                    it.pattern(2);
                    it.token("=>");
                    it.expr(depth - 1);
                });
                self.token("}");
            }
            7 | 8 => {
                self.token("{");
                for _ in 0..self.random.below(3) {
                    self.token("let");
                    self.param();
                    self.token("=");
                    self.expr(depth - 1);
                    self.token(";");
                }
                self.expr(depth - 1);
                self.token("}");
            }
            _ => self.name(),
        }
    }

    fn expr(&mut self, depth: usize) {
        if depth == 0 {
            return self.operand(0);
        }
        match self.random.below(9) {
            0 => {
                self.token("if");
                self.expr(depth - 1);
                self.token("then");
                self.expr(depth - 1);
                self.token("else");
                self.expr(depth - 1);
            }
            1 => {
                self.token("\\");
                self.param();
                self.token(",");
                self.param();
                self.token("=>");
                self.expr(depth - 1);
            }
            2 => {
                self.tokens(&["build", "i", "<"]);
                self.operand(depth - 1);
                self.tokens(&[",", "j", "<", "n", "=>"]);
                self.expr(depth - 1);
            }
            3 => {
                let sign = *self.random.pick(&["-", "!"]);
                self.token(sign);
                self.operand(depth - 1);
                self.tokens(&["**", "-"]);
                self.operand(depth - 1);
            }
            4 | 5 => {
                for _ in 0..1 + self.random.below(4) {
                    self.operand(depth - 1);
                    let op = *self.random.pick(&["+", "-", "*", "/", "%", "&&", "||"]);
                    self.token(op);
                }
                self.expr(depth - 1);
            }
            6 => {
                self.operand(depth - 1);
                let op = *self.random.pick(&[">=", "<", "~=", ">"]);
                self.token(op);
                self.operand(depth - 1);
            }
            _ => self.operand(depth - 1),
        }
    }
}
