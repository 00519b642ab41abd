//! Random texts, the same in every run: nothing panics, and what can be formatted keeps its
//! tree and its comments and stays as it is when formatted again.

mod writer;

use base::render::{Style, render};
use base::{FileId, SourceMap};
use syntax::dump::{dump, dump_expr, dump_type};
use writer::Writer;

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// All that must hold for a text.
fn check(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("random", text);
    let (module, diagnostics) = syntax::parse(file, text);
    let tree = dump(&module);
    render(&diagnostics, &sources, Style::Plain);
    for it in &diagnostics {
        assert!(it.title.chars().count() <= 60, "{}", it.title);
    }
    dump_expr(&syntax::parse_expr(file, text).0);
    dump_type(&syntax::parse_type(file, text).0);
    match syntax::format(text) {
        Err(errors) => assert_eq!(errors.is_empty(), diagnostics.is_empty()),
        Ok(once) => {
            let (again, _) = syntax::parse(FileId(0), &once);
            assert_eq!(tree, dump(&again), "--- text\n{text}\n--- formatted\n{once}");
            let comments = |it: &syntax::ast::Module| {
                it.comments.iter().map(|it| it.text.clone()).collect::<Vec<_>>()
            };
            assert_eq!(comments(&module), comments(&again), "{text}\n---\n{once}");
            let twice = syntax::format(&once).expect("a formatted text is well formed");
            assert_eq!(once, twice, "--- text\n{text}\n");
            assert!(once.lines().all(|it| it.trim_end() == it), "{once:?}");
            assert!(!once.contains("\n\n\n"), "{once:?}");
        }
    }
}

const WORDS: &[&str] = &[
    "def",
    "let",
    "if",
    "then",
    "else",
    "match",
    "build",
    "type",
    "data",
    "test",
    "bench",
    "true",
    "false",
    "x",
    "y",
    "f",
    "n",
    "A",
    "Vec3",
    "Cons",
    "_",
    "1",
    "2.5",
    "1e3",
    "\"s\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "\\",
    "=",
    "=>",
    "->",
    "|",
    "||",
    "&",
    "&&",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "~=",
    "+",
    "-",
    "*",
    "**",
    "/",
    "%",
    "!",
    "^",
    "@",
    "#",
    "$",
    "?",
    "'",
    "é",
    "\"",
    "-- c\n",
    "--- d\n",
    "\n",
    "\n\n",
    "and",
    "or",
    "not",
    "fn",
    "lambda",
    "for",
    "return",
    "in",
    "elif",
    "with",
    "mut",
    "def f = ",
    "\ndef g(x) = ",
    "{ let x = 1; ",
    "0x",
    "1.",
    ".5",
    "\\q",
    "99999999999999999999",
    "//",
    "/*",
    "*/",
    "\t",
    "\r",
    "\r\n",
    "\u{0}",
    "\u{a0}",
];

#[test]
fn token_soup() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..5_000 {
        let count = 1 + random.below(25);
        let space = random.pick(&["", " ", " "]);
        let text: Vec<&str> = (0..count).map(|_| random.pick(WORDS)).collect();
        check(&text.join(space));
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(42);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

fn program(seed: u64, comments: usize) -> String {
    let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut writer = Writer { random, out: String::new(), comments };
    for _ in 0..1 + writer.random.below(3) {
        writer.item();
    }
    writer.out
}

#[test]
fn programs() {
    let mut understood = 0;
    for seed in 1..800 {
        let text = program(seed, [0, 2, 20][seed as usize % 3]);
        check(&text);
        understood += usize::from(syntax::format(&text).is_ok());
    }
    assert!(understood > 760, "only {understood} of the texts are well formed");
}

#[test]
fn broken_programs() {
    let mut random = Random(7);
    for seed in 1..800 {
        let mut text = program(seed, 2);
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len() + 1);
            if !text.is_char_boundary(at) {
                continue;
            }
            match random.below(3) {
                0 => text.insert_str(at, random.pick(WORDS)),
                1 => text.truncate(at),
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        check(&text);
    }
}
