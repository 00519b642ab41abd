//! Follows imports: which modules there are, and which imports which.

use std::collections::{BTreeMap, BTreeSet};

use base::token::KEYWORDS;
use base::{Diagnostic, FileId, Name, SourceMap, Span};
use syntax::ast::{self, ImportFrom};

use crate::error;
use crate::files::{Files, Nowhere};
use crate::standard::standard;

/// A module that was read and parsed.
pub struct Module {
    /// What messages call it.
    pub name: String,
    /// Its text, among the sources.
    pub file: FileId,
    /// It parsed.
    pub ast: ast::Module,
    /// What tells its names from those of other modules; none for the program itself.
    pub label: Option<String>,
    /// Its imports, in the order of the text.
    pub imports: Vec<Import>,
}

/// An import that leads somewhere.
pub struct Import {
    /// The module, by its place in the list.
    pub module: usize,
    /// What stands before the dot, if anything may.
    pub qualifier: Option<ast::Ident>,
    /// The names that can be written without the module's.
    pub selected: Vec<ast::Selected>,
}

/// A program with all that it imports.
pub struct Loaded {
    /// Each after those that it imports; the program itself last.
    pub modules: Vec<Module>,
    /// What is wrong with imports.
    pub complaints: Vec<Diagnostic>,
    /// What is wrong with the syntax, of all texts.
    pub syntax: Vec<Diagnostic>,
}

/// Reads and parses a text and all that it imports. Nothing is recursive: a chain of imports may be as long
/// as it is.
pub fn load(sources: &mut SourceMap, files: &dyn Files, name: &str, text: &str) -> Loaded {
    let mut loader = Loader {
        sources,
        files,
        nodes: Vec::new(),
        by_key: BTreeMap::new(),
        labels: BTreeSet::from(["prelude".to_owned()]),
        complaints: Vec::new(),
        syntax: Vec::new(),
    };
    let key = files.key(name).map_or(Key::Program, Key::File);
    let program = loader.enter(key, name, text, None);
    loader.follow(program);
    loader.finish()
}

/// What tells modules apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A program that is no file.
    Program,
    Library(&'static str),
    File(String),
}

/// A module that is being read.
struct Node {
    key: Key,
    module: Module,
    /// The imports that were not followed yet, last to first.
    rest: Vec<ast::Import>,
    /// Its place in the list, once all that it imports is there.
    place: Option<usize>,
}

struct Loader<'a> {
    sources: &'a mut SourceMap,
    files: &'a dyn Files,
    nodes: Vec<Node>,
    by_key: BTreeMap<Key, usize>,
    labels: BTreeSet<String>,
    complaints: Vec<Diagnostic>,
    syntax: Vec<Diagnostic>,
}

impl Loader<'_> {
    /// Parses a text; `stem` is what its names are told apart by.
    fn enter(&mut self, key: Key, name: &str, text: &str, stem: Option<&str>) -> usize {
        let file = self.sources.add(name, text);
        let (ast, complaints) = syntax::parse(file, text);
        self.syntax.extend(complaints);
        let mut rest: Vec<ast::Import> = ast.items.iter().filter_map(import).cloned().collect();
        rest.reverse();
        let label = stem.map(|it| self.fresh_label(it));
        let module = Module { name: name.to_owned(), file, ast, label, imports: Vec::new() };
        let node = self.nodes.len();
        self.by_key.insert(key.clone(), node);
        self.nodes.push(Node { key, module, rest, place: None });
        node
    }

    fn fresh_label(&mut self, stem: &str) -> String {
        let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
        let stem: String = stem.chars().map(plain).collect();
        let mut names = (2..).map(|number| format!("{stem}_{number}"));
        let mut label = stem.clone();
        while self.labels.contains(&label) || label.is_empty() {
            label = names.next().unwrap_or_default();
        }
        self.labels.insert(label.clone());
        label
    }

    /// Follows the imports of a module, and theirs, until all are there.
    fn follow(&mut self, program: usize) {
        // The way from the program to the module at hand: each with the place where it imports the next.
        let mut way: Vec<(usize, Span)> = vec![(program, Span::default())];
        let mut done = 0;
        while let Some((node, _)) = way.last().copied() {
            let Some(import) = self.nodes[node].rest.pop() else {
                self.nodes[node].place = Some(done);
                done += 1;
                way.pop();
                continue;
            };
            if let Some(last) = way.last_mut() {
                last.1 = import.from.span();
            }
            let Some((target, stem)) = self.target(node, &import) else { continue };
            let is_open = self.nodes[target].place.is_none();
            match way.iter().position(|it| it.0 == target).filter(|_| is_open) {
                Some(at) => self.refuse_circle(&way[at..]),
                None => {
                    if is_open {
                        way.push((target, Span::default()));
                    }
                    let qualifier = self.qualifier(&import, &stem);
                    let selected = import.selected.unwrap_or_default();
                    let import = Import { module: target, qualifier, selected };
                    self.nodes[node].module.imports.push(import);
                }
            }
        }
    }

    /// The module that is imported, and its name by itself; complains if there is none.
    fn target(&mut self, node: usize, import: &ast::Import) -> Option<(usize, String)> {
        match &import.from {
            ImportFrom::Library { path, name, span } => {
                let Some(module) = standard(path) else {
                    self.complaints.push(error::unknown_module(path, *span));
                    return None;
                };
                let key = Key::Library(module.path);
                let known = self.by_key.get(&key).copied();
                let stem = name.name.to_string();
                let node =
                    known.unwrap_or_else(|| self.enter(key, module.path, module.text, Some(&stem)));
                Some((node, stem))
            }
            ImportFrom::File { path, span } => {
                let found = self.file(node, path);
                let found = found.map_err(|it| error::unreadable(path, &it, *span));
                let stem = path.rsplit(['/', '\\']).next().unwrap_or_default();
                let stem = stem.strip_suffix(".cot").unwrap_or(stem);
                match found {
                    Ok(node) => Some((node, stem.to_owned())),
                    Err(it) => {
                        self.complaints.push(it);
                        None
                    }
                }
            }
        }
    }

    fn file(&mut self, node: usize, path: &str) -> Result<usize, String> {
        let Node { key, module, .. } = &self.nodes[node];
        // What comes with Cotan has no place on the disk.
        let files = if matches!(key, Key::Library(_)) { &Nowhere } else { self.files };
        let found = files.find(&module.name, path)?;
        let key = Key::File(found.key.clone());
        if let Some(known) = self.by_key.get(&key) {
            return Ok(*known);
        }
        let text = files.read(&found)?;
        let stem = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = stem.strip_suffix(".cot").unwrap_or(stem);
        Ok(self.enter(key, &found.name, &text, Some(stem)))
    }

    /// What stands before the dot: the name that is given, or that of the module if no names are listed.
    fn qualifier(&mut self, import: &ast::Import, stem: &str) -> Option<ast::Ident> {
        if import.alias.is_some() || import.selected.is_some() {
            return import.alias.clone();
        }
        let span = import.from.span();
        if !is_name(stem) {
            self.complaints.push(error::no_name(stem, span));
            return None;
        }
        Some(ast::Ident { name: Name::new(stem), span })
    }

    fn refuse_circle(&mut self, way: &[(usize, Span)]) {
        let next = way.iter().skip(1).chain(way.first());
        let imports: Vec<(Span, String)> = way
            .iter()
            .zip(next)
            .map(|(it, next)| (it.1, self.nodes[next.0].module.name.clone()))
            .collect();
        self.complaints.push(error::circle(&imports));
    }

    fn finish(self) -> Loaded {
        let places: Vec<Option<usize>> = self.nodes.iter().map(|it| it.place).collect();
        let place = |node: usize| places[node].expect("compiler bug: every module has its place");
        let mut modules: Vec<(usize, Module)> = Vec::new();
        for (node, it) in self.nodes.into_iter().enumerate() {
            let mut module = it.module;
            module.imports.iter_mut().for_each(|it| it.module = place(it.module));
            modules.push((place(node), module));
        }
        modules.sort_by_key(|it| it.0);
        let modules = modules.into_iter().map(|it| it.1).collect();
        Loaded { modules, complaints: self.complaints, syntax: self.syntax }
    }
}

fn import(item: &ast::Item) -> Option<&ast::Import> {
    match item {
        ast::Item::Import(it) => Some(it),
        ast::Item::Def(_)
        | ast::Item::Type(_)
        | ast::Item::Data(_)
        | ast::Item::Test(_)
        | ast::Item::Bench(_)
        | ast::Item::Plot(_) => None,
    }
}

/// Whether this can be written as a name.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    let starts = letters.next().is_some_and(|it| it.is_ascii_lowercase() || it == '_');
    starts
        && letters.all(|it| it.is_ascii_alphanumeric() || it == '_')
        && word != "_"
        && !KEYWORDS.iter().any(|it| it.0 == word)
}
