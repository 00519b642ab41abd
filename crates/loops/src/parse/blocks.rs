//! What has blocks inside: loops, chunks, branches. A loop is several lines: its state stands before it,
//! what it gives behind it.

use super::Reader;
use super::line::{self, Line, Parsed};
use crate::{
    Acc, Arm, Atom, Block, Choice, ChunkAcc, Chunks, Kind, Loop, Node, Phi, Scalar, State, Type,
    Var, While,
};

impl<'a> Reader<'a> {
    /// A loop with its state before it and its results behind it.
    pub(super) fn looping(&mut self) -> Parsed<Node> {
        let mut begun = Vec::new();
        while let Some(mut line) = self.take("state") {
            let var = line.var()?;
            line.must("=")?;
            let init = line.atom()?;
            line.end()?;
            self.define(var, self.ty(init)?)?;
            begun.push((var, init));
        }
        if self.take("while {").is_some() {
            let before = self.block()?;
            let mut line = self.take("} holds").ok_or("`} holds` is missing")?;
            let cond = line.atom()?;
            line.must("{")?;
            line.end()?;
            let body = self.block()?;
            let state = self.state(begun)?;
            return Ok(Node::While(Box::new(While { state, before, cond, body })));
        }
        let kinds = [("for", Kind::Seq), ("vector", Kind::Vector), ("unroll", Kind::Unroll)];
        let found = kinds.into_iter().find_map(|(word, kind)| Some((self.take(word)?, kind)));
        let (mut line, kind) = found.ok_or("a loop is missing")?;
        let var = line.var()?;
        line.must("<")?;
        let count = line.atom()?;
        line.must("{")?;
        line.end()?;
        self.define(var, Type::Scalar(Scalar::Int))?;
        let body = self.block()?;
        let state = self.state(begun)?;
        let mut accs = Vec::new();
        while self.peek().is_some_and(line::is_acc) {
            let mut line = Line::new(self.peek().unwrap_or_default());
            self.at += 1;
            let var = line.var()?;
            line.must("=")?;
            let init = line.atom()?;
            let how = line.how()?;
            line.must("over")?;
            let value = line.atom()?;
            let once = line.eat(", once");
            line.end()?;
            self.define(var, self.ty(init)?)?;
            accs.push(Acc { var, how, init, value, once });
        }
        Ok(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })))
    }

    /// What is handed on, the end of the loop, and the names behind it.
    fn state(&mut self, begun: Vec<(Var, Atom)>) -> Parsed<Vec<State>> {
        let mut nexts = Vec::new();
        for (var, _) in &begun {
            let mut line = self.take("next").ok_or_else(|| format!("`next {var}` is missing"))?;
            line.same(*var)?;
            line.must("=")?;
            nexts.push(line.atom()?);
            line.end()?;
        }
        self.expect("}")?;
        let mut res = Vec::new();
        for ((var, init), next) in begun.into_iter().zip(nexts) {
            let mut line = Line::new(self.peek().unwrap_or_default());
            self.at += 1;
            let last = line.var()?;
            line.must("=")?;
            line.must("last")?;
            line.same(var)?;
            line.end()?;
            self.define(last, self.ty(init)?)?;
            res.push(State { var, init, next, last });
        }
        Ok(res)
    }

    pub(super) fn chunks(&mut self, mut line: Line<'a>) -> Parsed<Node> {
        let start = line.var()?;
        line.must(",")?;
        let len = line.var()?;
        line.must("<")?;
        let total = line.atom()?;
        line.must(",")?;
        let bytes = line.atom()?;
        line.must("bytes and")?;
        let work = line.atom()?;
        line.must("ns an element")?;
        let mut accs = Vec::new();
        while line.eat(",") {
            let into = line.var()?;
            let how = line.how()?;
            line.must("=")?;
            let array = line.var()?;
            line.must("of")?;
            let len = line.atom()?;
            self.define(array, Type::Array(self.element(into)?))?;
            accs.push(ChunkAcc { array, into, len, how });
        }
        line.must("{")?;
        line.end()?;
        for var in [start, len] {
            self.define(var, Type::Scalar(Scalar::Int))?;
        }
        let body = self.block()?;
        self.expect("}")?;
        Ok(Node::Chunks(Box::new(Chunks { start, len, total, bytes, work, accs, body })))
    }

    pub(super) fn branch(&mut self, mut line: Line<'a>) -> Parsed<Node> {
        let cond = line.atom()?;
        line.must("{")?;
        line.end()?;
        let then = self.block()?;
        let otherwise = match self.take("} else {") {
            Some(_) => self.block()?,
            None => Block::new(),
        };
        self.expect("}")?;
        let mut results = Vec::new();
        while self.peek().is_some_and(|it| line::is_bound_to(it, "either")) {
            let mut line = Line::new(self.peek().unwrap_or_default());
            self.at += 1;
            let var = line.var()?;
            line.must("= either")?;
            let then = line.atom()?;
            line.must(",")?;
            let otherwise = line.atom()?;
            line.end()?;
            self.define(var, self.ty(then)?)?;
            results.push(Phi { var, then, otherwise });
        }
        Ok(Node::If { cond, then, otherwise, results })
    }

    pub(super) fn switch(&mut self, mut line: Line<'a>) -> Parsed<Node> {
        let value = line.atom()?;
        line.must("{")?;
        line.end()?;
        let mut arms = Vec::new();
        while self.peek().is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit())) {
            let mut line = Line::new(self.peek().unwrap_or_default());
            self.at += 1;
            let tag = line.number().ok_or("a tag is expected")? as u32;
            line.must("(")?;
            let mut fields = Vec::new();
            while !line.eat(")") {
                fields.push(self.typed(&mut line)?);
                line.eat(",");
            }
            line.must("{")?;
            line.end()?;
            let body = self.block()?;
            self.expect("}")?;
            arms.push(Arm { tag, fields, body });
        }
        self.expect("else {")?;
        let otherwise = self.block()?;
        self.expect("}")?;
        self.expect("}")?;
        let mut results = Vec::new();
        while self.peek().is_some_and(|it| line::is_bound_to(it, "one of")) {
            let mut line = Line::new(self.peek().unwrap_or_default());
            self.at += 1;
            let var = line.var()?;
            line.must("= one of")?;
            let arms = line.atoms()?;
            line.must("else")?;
            let otherwise = line.atom()?;
            line.end()?;
            // Where all tags have arms, what would be given otherwise may be anything.
            self.define(var, self.ty(*arms.first().unwrap_or(&otherwise))?)?;
            results.push(Choice { var, arms, otherwise });
        }
        Ok(Node::Switch { value, arms, otherwise, results })
    }
}
