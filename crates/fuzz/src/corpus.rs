//! The programs that are changed: `examples/`, `tests/programs/`, and the code blocks of the book.
#![allow(clippy::disallowed_methods, reason = "a front end: it reads the programs it changes")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::token::{TokenKind, TokenMode, tokenize};
use base::{FileId, Span};
use syntax::ast::{BinaryOp, Expr, ExprKind, ImportFrom, Item};

use ::generate::Random;

/// Shipped programs.
pub struct Corpus {
    /// Whole texts, those with mistakes included.
    pub texts: Vec<String>,
    /// The programs that parse, by declarations.
    pub programs: Vec<Shipped>,
}

/// A program by its declarations.
pub struct Shipped {
    parts: Vec<Part>,
}

/// A declaration.
struct Part {
    text: String,
    /// What it defines; nothing if it is a test or a bench.
    defines: Vec<String>,
    /// The words in it.
    words: BTreeSet<String>,
    /// Of a test: the expressions that it compares.
    sides: Vec<String>,
    /// Of a definition: how many parameters it has.
    takes: Option<usize>,
}

/// A few declarations with all that they need.
pub struct Slice {
    /// The text.
    pub text: String,
    /// Expressions to evaluate: what a test compares.
    pub sides: Vec<String>,
    /// A definition with parameters.
    pub def: Option<String>,
}

/// The folder that everything is read from.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Corpus {
    /// Reads them all, in a fixed order.
    pub fn read() -> Corpus {
        let mut texts = Vec::new();
        for folder in ["examples", "tests/programs", "docs"] {
            for path in files(&root().join(folder)) {
                let Ok(text) = fs::read_to_string(&path) else { continue };
                match path.extension().and_then(|it| it.to_str()) {
                    Some("cot") => texts.push(text),
                    Some("md") => texts.extend(blocks(&text)),
                    Some(_) | None => {}
                }
            }
        }
        assert!(texts.len() > 100, "the shipped programs are not where they should be");
        let programs = texts.iter().filter_map(|it| Shipped::new(it)).collect();
        Corpus { texts, programs }
    }

    /// A part of a program that makes sense by itself.
    pub fn slice(&self, random: &mut Random) -> Slice {
        let program = random.pick(&self.programs);
        program.slice(random.below(program.parts.len()))
    }
}

impl Shipped {
    fn new(text: &str) -> Option<Shipped> {
        let (module, diagnostics) = syntax::parse(FileId(0), text);
        if !diagnostics.is_empty() || module.items.is_empty() {
            return None;
        }
        Some(Shipped { parts: module.items.iter().map(|it| Part::new(text, it)).collect() })
    }

    fn slice(&self, at: usize) -> Slice {
        let mut wanted = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(next) = open.pop() {
            for (index, part) in self.parts.iter().enumerate() {
                let is_used = part.defines.iter().any(|it| self.parts[next].words.contains(it));
                if is_used && wanted.insert(index) {
                    open.push(index);
                }
            }
        }
        let chosen: Vec<&str> = wanted.iter().map(|it| self.parts[*it].text.as_str()).collect();
        let def = wanted.iter().rev().map(|it| &self.parts[*it]).find(|it| it.takes > Some(0));
        Slice {
            text: chosen.join("\n\n") + "\n",
            sides: self.parts[at].sides.clone(),
            def: def.map(|it| it.defines[0].clone()),
        }
    }
}

/// The names that an import brings into sight: those of the list, and what stands before the dot.
fn imported(import: &syntax::ast::Import) -> Vec<String> {
    let selected = import.selected.iter().flatten().map(|it| it.here().name.to_string());
    let qualifier = match (&import.alias, &import.from) {
        (Some(alias), _) => Some(alias.name.to_string()),
        (None, ImportFrom::Library { name, .. }) => Some(name.name.to_string()),
        (None, ImportFrom::File { path, .. }) => path.strip_suffix(".cot").map(str::to_owned),
    };
    selected.chain(qualifier).collect()
}

impl Part {
    fn new(text: &str, item: &Item) -> Part {
        let name = |it: &syntax::ast::Ident| it.name.to_string();
        let (span, defines) = match item {
            Item::Def(it) => (it.span, vec![name(&it.name)]),
            Item::Type(it) => (it.span, vec![name(&it.name)]),
            Item::Data(it) => {
                let cons = it.cons.iter().map(|it| name(&it.name));
                (it.span, std::iter::once(name(&it.name)).chain(cons).collect())
            }
            Item::Import(it) => (it.span, imported(it)),
            Item::Test(it) | Item::Bench(it) | Item::Plot(it) => (it.span, Vec::new()),
        };
        let sides = match item {
            Item::Test(it) | Item::Bench(it) | Item::Plot(it) => sides(text, &it.body),
            Item::Import(_) | Item::Def(_) | Item::Type(_) | Item::Data(_) => Vec::new(),
        };
        let takes = match item {
            Item::Def(it) => it.params.as_ref().map(Vec::len),
            Item::Import(_)
            | Item::Type(_)
            | Item::Data(_)
            | Item::Test(_)
            | Item::Bench(_)
            | Item::Plot(_) => None,
        };
        let text = cut(text, span);
        let words = words(text).into_iter().collect();
        Part { text: text.to_string(), defines, words, sides, takes }
    }
}

/// The words of a text.
pub fn words(text: &str) -> Vec<String> {
    let tokens = tokenize(FileId(0), text, TokenMode::Source);
    let is_word = |it: TokenKind| it == TokenKind::Ident || it == TokenKind::Upper;
    tokens.iter().filter(|it| is_word(it.kind)).map(|it| it.text(text).to_string()).collect()
}

/// What a test compares: both sides of each comparison that decides it, by themselves.
fn sides(text: &str, expr: &Expr) -> Vec<String> {
    // By the kinds that occur in tests; whatever else there is is one expression.
    if let ExprKind::Paren(inner) = &expr.kind {
        return sides(text, inner);
    }
    if let ExprKind::Block { result, .. } = &expr.kind {
        let before = &text[expr.span.start as usize..result.span.start as usize];
        return sides(text, result).iter().map(|it| format!("{before}{it} }}")).collect();
    }
    let ExprKind::Binary { op, left, right, .. } = &expr.kind else {
        return vec![cut(text, expr.span).to_string()];
    };
    if *op == BinaryOp::And {
        return [sides(text, left), sides(text, right)].concat();
    }
    let is_compared = *op == BinaryOp::Eq || *op == BinaryOp::Close;
    vec![cut(text, if is_compared { left.span } else { expr.span }).to_string()]
}

fn cut(text: &str, span: Span) -> &str {
    text.get(span.range()).unwrap_or("")
}

/// The files of a folder and of those in it, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    let inside = |it: PathBuf| if it.is_dir() { files(&it) } else { vec![it] };
    paths.into_iter().flat_map(inside).collect()
}

/// The Cotan blocks of a document, those that show mistakes included.
fn blocks(text: &str) -> Vec<String> {
    let mut res = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(mark) = line.trim_start().strip_prefix("```") else { continue };
        let content: Vec<&str> =
            lines.by_ref().take_while(|it| !it.trim_start().starts_with("```")).collect();
        if mark.starts_with("cotan") {
            res.push(content.join("\n") + "\n");
        }
    }
    res
}

/// How many programs a batch holds: the numbers behind the names of their definitions.
pub(crate) fn n_programs(text: &str) -> u64 {
    let words = words(text);
    let numbers = words.iter().filter_map(|it| it.rsplit_once('_')?.1.parse::<u64>().ok());
    numbers.max().map_or(1, |it| (it + 1).min(8))
}
