//! The traces that are open on this thread, and the text that each has written so far.
//!
//! A trace is a stack of blocks: that of the definition, and one for each closure that is being run inside
//! of it. An operation writes one `let` into the innermost block, so every value is computed once, and what
//! it is called tells in which block it is known.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::Location;

use base::Diagnostic;

use crate::error;
use crate::node::{self, Kind, Node, What};
use crate::shape::Shape;

/// A place in a Rust program.
pub(crate) type At = &'static Location<'static>;

/// More of them are not worth reading.
const MOST_ERRORS: usize = 20;

/// Levels that lines are indented by: closures may nest as deep as Rust calls.
const MOST_INDENT: usize = 20;

thread_local! {
    static OPEN: RefCell<Open> = const { RefCell::new(Open { begun: 0, traces: Vec::new() }) };
}

/// The traces of this thread.
struct Open {
    /// How many there have been, so that values of different ones can be told apart.
    begun: u64,
    /// Those that run: a closure that is traced may trace another one.
    traces: Vec<Recorder>,
}

/// A trace.
pub(crate) struct Recorder {
    number: u64,
    /// What variables are called, before their numbers.
    prefix: String,
    /// Those that have names of their own.
    named: BTreeMap<u32, String>,
    /// The block of each variable.
    home: Vec<u32>,
    blocks: Vec<Block>,
    blocks_begun: u32,
    /// Builtins that it uses, with the first place.
    pub(crate) builtins: BTreeMap<String, At>,
    /// Definitions that it calls.
    pub(crate) calls: BTreeSet<String>,
    pub(crate) errors: Vec<Diagnostic>,
}

struct Block {
    number: u32,
    text: String,
}

/// A part of the right side of a `let`.
#[derive(Clone, Copy)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Value(Node),
    /// The name of something that Cotan has.
    Builtin(&'a str),
}

/// Pieces with commas between them.
pub(crate) fn list<'a>(pieces: &[Piece<'a>]) -> Vec<Piece<'a>> {
    pieces.iter().flat_map(|it| [Piece::Text(", "), *it]).skip(1).collect()
}

/// `name(a, b)`, a call of something that Cotan has.
pub(crate) fn called<'a>(name: &'a str, args: &[Piece<'a>]) -> Vec<Piece<'a>> {
    let mut res = vec![Piece::Builtin(name), Piece::Text("(")];
    res.extend(list(args));
    res.push(Piece::Text(")"));
    res
}

/// Whether a `let` says its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    Yes,
    No,
}

/// Ends a trace, also if the closure panics.
pub(crate) struct Session(());

impl Session {
    /// Begins a trace whose variables are called by this prefix.
    pub(crate) fn begin(prefix: String) -> Session {
        OPEN.with_borrow_mut(|open| {
            open.begun += 1;
            open.traces.push(Recorder {
                number: open.begun,
                prefix,
                named: BTreeMap::new(),
                home: Vec::new(),
                blocks: vec![Block { number: 0, text: String::new() }],
                blocks_begun: 1,
                builtins: BTreeMap::new(),
                calls: BTreeSet::new(),
                errors: Vec::new(),
            });
        });
        Session(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        OPEN.with_borrow_mut(|open| open.traces.pop());
    }
}

/// Does something with the innermost trace, if there is one.
pub(crate) fn with<R>(f: impl FnOnce(&mut Recorder) -> R) -> Option<R> {
    OPEN.with_borrow_mut(|open| open.traces.last_mut().map(f))
}

/// An operation that gives one node.
pub(crate) fn one(at: At, pieces: &[Piece<'_>]) -> Node {
    let written = with(|it| {
        let right = it.written(at, pieces);
        let var = it.fresh();
        let name = it.name(var);
        it.line(at, &name, &right);
        it.node(var)
    });
    written.unwrap_or(Node::new(What::Nothing))
}

/// An operation that gives several; none outside of a trace.
pub(crate) fn several(at: At, shape: &Shape, typed: Typed, pieces: &[Piece<'_>]) -> Vec<Node> {
    let written = with(|it| {
        let right = it.written(at, pieces);
        let (nodes, pattern) = it.pattern(shape);
        let left = match typed {
            Typed::Yes => format!("{pattern}: {}", shape.ty()),
            Typed::No => pattern,
        };
        it.line(at, &left, &right);
        nodes
    });
    written.unwrap_or_default()
}

impl Recorder {
    /// A complaint; the first ones are kept.
    pub(crate) fn complain(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(diagnostic);
        }
    }

    /// Begins the block of a closure.
    pub(crate) fn open(&mut self) {
        self.blocks.push(Block { number: self.blocks_begun, text: String::new() });
        self.blocks_begun += 1;
    }

    /// Ends the innermost block with a result, and gives its text.
    pub(crate) fn close(&mut self, at: At, shape: &Shape, nodes: &[Node]) -> String {
        if nodes.is_empty() {
            self.complain(error::gives_nothing(at));
        }
        let result = self.value(at, shape, nodes);
        let block = self.blocks.pop().expect("compiler bug: a block is open");
        if block.text.is_empty() {
            return format!("{{ {result} }}");
        }
        let outer = self.indent();
        format!("{{\n{}{outer}  {result}\n{outer}}}", block.text)
    }

    /// New variables of the innermost block for the nodes of a structure, and the pattern of them.
    pub(crate) fn pattern(&mut self, shape: &Shape) -> (Vec<Node>, String) {
        let vars: Vec<u32> = shape.kinds().iter().map(|_| self.fresh()).collect();
        let names: Vec<String> = vars.iter().map(|it| self.name(*it)).collect();
        let pattern = shape.filled(names.iter().map(String::as_str));
        (vars.into_iter().map(|it| self.node(it)).collect(), pattern)
    }

    /// A variable that has a name of its own.
    pub(crate) fn parameter(&mut self, name: &str) -> Node {
        let var = self.fresh();
        self.named.insert(var, name.to_owned());
        self.node(var)
    }

    /// The size of a dimension of an array, which the pattern of a type gives a name to.
    pub(crate) fn size(&mut self, at: At, array: Node, kind: Kind, axis: usize) -> Node {
        let right = self.written(at, &[Piece::Value(array)]);
        let var = self.fresh();
        let sizes: String = (0..kind.rank)
            .map(|it| if it == axis { format!("[{}]", self.name(var)) } else { "[_]".to_owned() })
            .collect();
        let element = Kind { rank: 0, ..kind }.ty();
        self.line(at, &format!("_: {sizes}{element}"), &right);
        self.node(var)
    }

    /// A structure as a value.
    pub(crate) fn value(&mut self, at: At, shape: &Shape, nodes: &[Node]) -> String {
        let texts: Vec<String> =
            nodes.iter().map(|it| self.written(at, &[Piece::Value(*it)])).collect();
        shape.filled(texts.iter().map(String::as_str))
    }

    /// Writes a `let` into the innermost block.
    pub(crate) fn line(&mut self, at: At, left: &str, right: &str) {
        let indent = self.indent();
        let block = self.blocks.last_mut().expect("compiler bug: a block is open");
        // The comment stands in the first line, where messages point to.
        let (first, rest) = match right.split_once('\n') {
            Some((first, rest)) => (first, Some(rest)),
            None => (right, None),
        };
        let text = &mut block.text;
        let written = match rest {
            Some(rest) => writeln!(text, "{indent}let {left} = {first} -- {at}\n{rest};"),
            None => writeln!(text, "{indent}let {left} = {first}; -- {at}"),
        };
        written.expect("a string takes everything");
    }

    /// Pieces as text; values that are not known here are complained about.
    pub(crate) fn written(&mut self, at: At, pieces: &[Piece<'_>]) -> String {
        let mut res = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => res.push_str(text),
                Piece::Builtin(name) => {
                    self.builtins.entry((*name).to_owned()).or_insert(at);
                    res.push_str(name);
                }
                Piece::Value(it) => self.operand(at, *it, &mut res),
            }
        }
        res
    }

    fn operand(&mut self, at: At, node: Node, to: &mut String) {
        match node.what {
            What::Real(value) => node::real(value, to),
            What::Int(value) => node::int(value, to),
            What::Bool(value) => node::bool(value, to),
            What::Nothing => self.complain(error::no_trace(at)),
            What::Var { trace, .. } if trace != self.number => {
                self.complain(error::another_trace(at));
            }
            What::Var { var, .. } => {
                let home = self.home[var as usize];
                // Blocks are numbered in the order in which they began.
                if self.blocks.binary_search_by_key(&home, |it| it.number).is_err() {
                    self.complain(error::left_closure(at));
                }
                to.push_str(&self.name(var));
            }
        }
    }

    /// Of the lines of the innermost block.
    fn indent(&self) -> String {
        "  ".repeat(self.blocks.len().min(MOST_INDENT))
    }

    fn fresh(&mut self) -> u32 {
        let block = self.blocks.last().expect("compiler bug: a block is open");
        self.home.push(block.number);
        self.home.len() as u32 - 1
    }

    fn node(&self, var: u32) -> Node {
        Node::new(What::Var { trace: self.number, var })
    }

    fn name(&self, var: u32) -> String {
        match self.named.get(&var) {
            Some(name) => name.clone(),
            None => format!("{}{var}", self.prefix),
        }
    }
}
