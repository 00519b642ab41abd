//! The documentation of a module as a page of the book: what it gives to others, with examples.

use std::collections::BTreeSet;

use base::token::{TokenMode, tokenize};
use base::{SourceMap, Span};
use check::has_errors;
use syntax::ast::{self, ImportFrom, Item};

use crate::deep::with_deep_stack;
use crate::report::Report;

/// So many tests that mention a name are shown as examples.
const MOST_EXAMPLES: usize = 2;

/// What can be imported from a text, in Markdown: signatures, documentation, and tests as examples. `name`
/// is what messages and the title call it; `import` is how it is imported, `std.linalg` or `"file.cot"`.
pub fn document(name: &str, import: &str, text: &str) -> Result<String, Report> {
    with_deep_stack(|| {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let (module, complaints) = syntax::parse(file, text);
        if has_errors(&complaints) {
            return Err(Report::new(complaints, sources));
        }
        Ok(Page { import, text, module: &module }.page(name))
    })
}

/// Something that can be imported.
struct Entry<'a> {
    name: &'a str,
    /// What is imported for it; constructors come with their type.
    signature: String,
    doc: &'a [String],
}

struct Page<'a> {
    import: &'a str,
    text: &'a str,
    module: &'a ast::Module,
}

impl Page<'_> {
    fn page(&self, name: &str) -> String {
        let mut res = format!("# {name}\n");
        let about = self.about();
        if !about.is_empty() {
            res += &format!("\n{about}\n");
        }
        for entry in self.entries() {
            let Entry { name, signature, doc } = &entry;
            res += &format!("\n## {name}\n\n```text\n{signature}\n```\n");
            if !doc.is_empty() {
                res += &format!("\n{}\n", doc.join("\n"));
            }
            if let Some(examples) = self.examples(name) {
                res += &format!("\n```cotan\n{examples}\n```\n");
            }
        }
        res
    }

    /// The comment at the beginning of the text, up to an empty line.
    fn about(&self) -> String {
        let lines = self.text.lines().take_while(|it| it.starts_with("--"));
        let plain = lines.filter(|it| !it.starts_with("---")).map(|it| it[2..].trim());
        plain.collect::<Vec<&str>>().join("\n")
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        self.module.items.iter().filter_map(|it| self.entry(it)).collect()
    }

    fn entry<'i>(&self, item: &'i Item) -> Option<Entry<'i>> {
        match item {
            Item::Def(it) if it.is_public => {
                let head = Span { end: it.body.span.start, ..it.span };
                let signature = self.snippet(head).trim_end_matches(['=', ' ', '\n']);
                let signature = signature.trim_start_matches("pub def ").to_owned();
                Some(Entry { name: &it.name.name, signature, doc: &it.doc })
            }
            Item::Type(it) if it.is_public => {
                Some(Entry { name: &it.name.name, signature: self.declared(it.span), doc: &it.doc })
            }
            Item::Data(it) if it.is_public => {
                Some(Entry { name: &it.name.name, signature: self.declared(it.span), doc: &it.doc })
            }
            Item::Import(_)
            | Item::Def(_)
            | Item::Type(_)
            | Item::Data(_)
            | Item::Test(_)
            | Item::Bench(_)
            | Item::Plot(_) => None,
        }
    }

    fn declared(&self, span: Span) -> String {
        self.snippet(span).trim_start_matches("pub ").to_owned()
    }

    fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The first tests that mention a name, as a program of their own. A test that needs more of the module
    /// than can be imported is no example.
    fn examples(&self, name: &str) -> Option<String> {
        let (mut used, mut all, mut tests) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for item in &self.module.items {
            let Item::Test(test) = item else { continue };
            let text = self.snippet(test.span);
            let words = self.words(test.body.span);
            let is_example = words.contains(name) && words.is_disjoint(&self.private());
            if is_example && tests.len() < MOST_EXAMPLES {
                used.extend(words.intersection(&self.public()).cloned());
                all.extend(words);
                tests.push(text);
            }
        }
        let mut imports = vec![(self.import.to_owned(), used)];
        for (path, names) in self.libraries() {
            imports.push((path, names.intersection(&all).cloned().collect()));
        }
        imports.retain(|it| !it.1.is_empty());
        imports.sort();
        let import = |(path, names): &(String, BTreeSet<String>)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("import {path} ({})", names.join(", "))
        };
        let imports: Vec<String> = imports.iter().map(import).collect();
        let program = format!("{}\n\n{}", imports.join("\n"), tests.join("\n\n"));
        (!tests.is_empty()).then_some(program)
    }

    /// The modules of the standard library that are imported, and the names that an example may use of each.
    fn libraries(&self) -> Vec<(String, BTreeSet<String>)> {
        let mut res = Vec::new();
        for item in &self.module.items {
            if let Item::Import(it) = item
                && let ImportFrom::Library { path, .. } = &it.from
            {
                let plain = it.selected.iter().flatten().filter(|it| it.alias.is_none());
                res.push((path.to_string(), plain.map(|it| it.name.name.to_string()).collect()));
            }
        }
        res
    }

    /// The names in a part of the text.
    fn words(&self, span: Span) -> BTreeSet<String> {
        let text = self.snippet(span);
        let tokens = tokenize(span.file, text, TokenMode::Source);
        tokens.iter().map(|it| it.text(text).to_owned()).collect()
    }

    fn public(&self) -> BTreeSet<String> {
        self.entries().iter().map(|it| it.name.to_owned()).collect()
    }

    /// What the module declares for itself, or imports from files or under other names.
    fn private(&self) -> BTreeSet<String> {
        let mut res = BTreeSet::new();
        for item in &self.module.items {
            match item {
                Item::Def(it) if !it.is_public => drop(res.insert(it.name.name.to_string())),
                Item::Type(it) if !it.is_public => drop(res.insert(it.name.name.to_string())),
                Item::Data(it) if !it.is_public => {
                    res.extend(it.cons.iter().map(|it| it.name.name.to_string()));
                    res.insert(it.name.name.to_string());
                }
                Item::Import(it) => {
                    let is_file = matches!(it.from, ImportFrom::File { .. });
                    let selected = it.selected.iter().flatten();
                    let own = selected.filter(|it| is_file || it.alias.is_some());
                    res.extend(own.map(|it| it.here().name.to_string()));
                    res.extend(it.alias.as_ref().map(|it| it.name.to_string()));
                }
                Item::Def(_) | Item::Type(_) | Item::Data(_) => {}
                Item::Test(_) | Item::Bench(_) | Item::Plot(_) => {}
            }
        }
        res
    }
}
